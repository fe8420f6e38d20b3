"""The timeline: the size of every call's view, what the stages did, and where the cursor stands."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message as TextualMessage
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from tui.app.glyphs import wants_ascii
from tui.app.styles import laid_over
from tui.app.wrap import fit
from tui.pipeline.evaluation import ORIGINAL, Evaluation, Timeline
from tui.pipeline.events import last_stage
from tui.pipeline.index import Bools
from tui.pipeline.prompt_cache import Floats, reused_shares
from tui.pipeline.times import call_times, cold

_EIGHTHS = " ▁▂▃▄▅▆▇█"
_ASCII_EIGHTHS = "   ..::##"
_GUTTER = 12
_WITH_CACHE = 5
"""Rows from which on one is for the prompt cache."""

_PARTS = ("outbound", "over", "original", "threshold", "label", "cursor", "truncated", "cleared", "dropped")


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """A timeline folded into columns; each shows its calls' extremes, so none is hidden.

    Attributes:
        timeline: What is folded.
        first: Each column's first call, counted from 0, and the number of calls at the end; several columns show one
            call where there is room.
        original: Largest size before any stage.
        outbound: Largest size after the last stage.
        acted: For each stage, whether it acted at any of the column's calls, in the order of the stages.
        reused: The smallest share, in eighths, of what the call before sent that is sent again as a prefix.
        cold: Whether the prompt cache had expired at any of the column's calls.
    """

    timeline: Timeline
    first: list[int]
    original: list[int]
    outbound: list[int]
    acted: tuple[tuple[str, list[bool]], ...]
    reused: list[int]
    cold: list[bool]

    def __len__(self) -> int:
        return len(self.original)

    def columns_of(self, call: int) -> range:
        """The columns that show a call, counted from 1."""
        last = min(max(bisect_right(self.first, call - 1) - 1, 0), len(self) - 1)
        return range(bisect_left(self.first, self.first[last]), last + 1)


def folded(evaluation: Evaluation, width: int) -> Columns:
    """Folds the timeline of an evaluation into ``width`` columns, with what the prompt cache makes of its calls."""
    times = call_times(evaluation.index, evaluation.across)
    expired = np.zeros(len(evaluation.calls), np.bool_) if times.declared else cold(times)
    return fold(evaluation.timeline, width, reused_shares(evaluation), expired)


def fold(timeline: Timeline, width: int, shares: Floats | None = None, expired: Bools | None = None) -> Columns:
    """Folds a timeline into ``width`` columns.

    Args:
        timeline: The numbers of all calls.
        width: How many columns.
        shares: For each call, the share of what the call before sent that is sent again; all of it when None.
        expired: The calls that find no prompt cache; none when None.
    """
    calls = len(timeline.messages)
    eighths = np.full(calls, 8) if shares is None else np.floor(shares * 8).astype(np.int64)
    first = np.arange(width + 1, dtype=np.int64) * calls // width
    starts = first[:-1]
    return Columns(
        timeline=timeline,
        first=first.tolist(),
        original=np.maximum.reduceat(timeline.estimate[ORIGINAL], starts).tolist(),
        outbound=np.maximum.reduceat(timeline.estimate[last_stage(timeline)], starts).tolist(),
        acted=tuple(
            (stage, (np.maximum.reduceat(count, starts) > 0).tolist()) for stage, count in timeline.count.items()
        ),
        reused=np.minimum.reduceat(eighths, starts).tolist(),
        cold=[False] * width if expired is None else np.logical_or.reduceat(expired, starts).tolist(),
    )


class TimelineBar(Widget, can_focus=True):
    """All calls at a glance. Each column is a call, or several; the bar is as high as the view is large.

    What a call would send without any stage is drawn hollow behind what it sends; what is over the threshold is drawn
    in the colour of too much, and a line stands at the threshold. The row below has a dot for each stage that acted:
    the upper for the first, the middle for the second, the lower for the third. Where there is a row more, it shows
    how much of what the call before sent is the beginning of what this one sends, and so costs little: a notch is a
    prefix that was rewritten, a ring a call that came too late for the prompt cache.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "step(-1)", "Previous call", show=False),
        Binding("right,l", "step(1)", "Next call", show=False),
        Binding("pageup", "page(-1)", "A tenth back", show=False),
        Binding("pagedown", "page(1)", "A tenth on", show=False),
        Binding("home", "first", "First call", show=False),
        Binding("end", "last", "Last call", show=False),
    ]
    """
    | Key(s) | Description |
    | :- | :- |
    | left,h | The call before. |
    | right,l | The call after. |
    | pageup,pagedown | A tenth of the session. |
    | home,end | The first call, the next call. |
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "timeline--outbound",
        "timeline--over",
        "timeline--original",
        "timeline--threshold",
        "timeline--label",
        "timeline--cursor",
        "timeline--truncated",
        "timeline--cleared",
        "timeline--dropped",
    }
    """
    | Class | Description |
    | :- | :- |
    | `timeline--outbound` | The size after the last stage. |
    | `timeline--over` | What of it is over the threshold. |
    | `timeline--original` | The size before any stage. |
    | `timeline--threshold` | The threshold. |
    | `timeline--label` | The labels at the left. |
    | `timeline--cursor` | The column of the call that is shown. |
    | `timeline--truncated` | A dot where only the first stage acted. |
    | `timeline--cleared` | Dots where the second acted too. |
    | `timeline--dropped` | Dots where the third acted too. |
    """

    ALLOW_SELECT = False

    DEFAULT_CSS = """
    TimelineBar {
        height: 4;
        padding: 0 1;
        & > .timeline--outbound { color: $success; }
        & > .timeline--over { color: $error; }
        & > .timeline--original { color: $foreground 22%; }
        & > .timeline--threshold { color: $foreground 60%; }
        & > .timeline--label { color: $foreground 70%; }
        & > .timeline--cursor { background: $primary 60%; }
        & > .timeline--truncated { color: $truncated; }
        & > .timeline--cleared { color: $cleared; }
        & > .timeline--dropped { color: $dropped; }
        &:focus > .timeline--label { color: $text-primary; text-style: bold; }
        &:nocolor > .timeline--cursor { text-style: reverse; }
    }
    """

    columns: reactive[Columns | None] = reactive(None)
    """What is drawn; None until the first evaluation of all calls has come in."""

    call: reactive[int] = reactive(1)
    """The call that is shown."""

    threshold: reactive[int | None] = reactive(None)
    """Where the line stands; None for none."""

    @dataclass
    class Chosen(TextualMessage):
        """The user went to a call."""

        bar: TimelineBar
        call: int

        @property
        def control(self) -> TimelineBar:
            """The timeline."""
            return self.bar

    @dataclass
    class Resized(TextualMessage):
        """There are more or fewer columns to draw in."""

        bar: TimelineBar

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self._ascii = wants_ascii()
        self._dragging = False
        self._looks: dict[str, Style] = {}

    @property
    def room(self) -> int:
        """Columns that there is room for."""
        return max(1, self.size.width - _GUTTER)

    def on_resize(self) -> None:
        """Asks for other columns."""
        self.post_message(self.Resized(self))

    def render_line(self, y: int) -> Strip:
        """Draws a row: bars above, dots in the last."""
        width, height = self.size
        base = self.rich_style
        columns = self.columns
        self._looks = {name: self.get_component_rich_style(f"timeline--{name}") for name in _PARTS}
        if columns is None or not len(columns):
            words = "all calls: evaluating" if y == 0 else ""
            return Strip([Segment(fit(words, width), base + self._looks["label"])]).adjust_cell_length(width, base)
        bars = max(1, height - 1 - (height >= _WITH_CACHE))
        top = max(1, *columns.original, *columns.outbound)
        labels = [f"{top:,}", *[""] * (bars - 2), *["0"] * (bars > 1), f"call {self.call:,}", "cache"]
        label = labels[y] if y < len(labels) else ""
        segments = [Segment(f"{fit(label, _GUTTER - 2):>{_GUTTER - 2}}  ", base + self._looks["label"])]
        cursor = columns.columns_of(self.call)
        for column in range(len(columns)):
            if y < bars:
                glyph, style = self._bar(columns, column, bars - 1 - y, bars, top)
            else:
                glyph, style = self._dots(columns, column) if y == bars else self._cache(columns, column)
            if column in cursor:
                style += laid_over(self._looks["cursor"])
            segments.append(Segment(glyph, base + style))
        return Strip(segments).adjust_cell_length(width, base).simplify()

    def _bar(self, columns: Columns, column: int, row: int, bars: int, top: int) -> tuple[str, Style]:
        """One cell of a bar; ``row`` counts from the bottom."""
        eighths = _ASCII_EIGHTHS if self._ascii else _EIGHTHS
        scale = 8 * bars / top
        original = min(max(round(columns.original[column] * scale) - 8 * row, 0), 8)
        sent = min(max(round(columns.outbound[column] * scale) - 8 * row, 0), 8)
        threshold = top + 1 if self.threshold is None else self.threshold
        line = threshold * scale - 8 * row if self.threshold is not None else 8 * bars + 1
        over = columns.outbound[column] > threshold and (line < 4 or line < sent)
        if sent:
            style = self._looks["over" if over and line < 8 else "outbound"]
            behind = self._looks["original"].color
            if original == 8 and sent < 8 and behind is not None:
                style += Style(bgcolor=behind)
            return eighths[sent], style
        if original:
            return eighths[original], self._looks["original"]
        if 0 <= line < 8:
            return ("-" if self._ascii else "─"), self._looks["threshold"]
        return " ", Style()

    def _dots(self, columns: Columns, column: int) -> tuple[str, Style]:
        bits, style = 0, Style()
        for number, (_, acted) in enumerate(columns.acted[:3]):
            if acted[column]:
                bits |= 1 << number
                style = self._looks[("truncated", "cleared", "dropped")[number]]
        if self._ascii:
            return (str(bits) if bits else " "), style
        return chr(0x2800 + bits) if bits else " ", style

    def _cache(self, columns: Columns, column: int) -> tuple[str, Style]:
        """How much of the call before is sent again; the cold calls are marked, for there it costs nothing."""
        if columns.cold[column]:
            return ("*" if self._ascii else "○"), self._looks["threshold"]
        share = columns.reused[column]
        eighths = _ASCII_EIGHTHS if self._ascii else _EIGHTHS
        return eighths[max(share, 1)], self._looks["original" if share == 8 else "over"]

    def action_step(self, by: int) -> None:
        """Goes to the call beside."""
        self._choose(self.call + by)

    def action_page(self, by: int) -> None:
        """Goes on by a tenth of the session."""
        if self.columns is not None:
            self._choose(self.call + by * max(1, len(self.columns.timeline.messages) // 10))

    def action_first(self) -> None:
        """Goes to the first call."""
        self._choose(1)

    def action_last(self) -> None:
        """Goes to the next call, the last there is."""
        if self.columns is not None:
            self._choose(len(self.columns.timeline.messages))

    def _choose(self, call: int) -> None:
        if self.columns is not None:
            # At once, as a slider does: the next of several quick keys goes on from there.
            self.call = min(max(call, 1), len(self.columns.timeline.messages))
            self.post_message(self.Chosen(self, self.call))

    def _choose_at(self, x: int) -> None:
        columns = self.columns
        if columns is None or not len(columns):
            return
        column = min(max(x - _GUTTER, 0), len(columns) - 1)
        first, last = int(columns.first[column]) + 1, int(columns.first[column + 1])
        # Within a column of several calls, the last column's end is the next call.
        self._choose(last if column == len(columns) - 1 else first)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Goes to the call under the pointer, and follows it."""
        if event.button == 1:
            self._dragging = True
            self.capture_mouse()
            self._choose_at(self._column_at(event))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Follows the pointer."""
        if self._dragging:
            self._choose_at(self._column_at(event))

    def on_mouse_up(self) -> None:
        """Lets go."""
        self._let_go()

    def on_mouse_release(self) -> None:
        """Lets go."""
        self._dragging = False

    def _let_go(self) -> None:
        if self._dragging:
            self._dragging = False
            self.release_mouse()

    def _column_at(self, event: events.MouseEvent) -> int:
        return event.x - self.gutter.left

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Goes to the call before."""
        event.stop()
        self.action_step(-1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Goes to the call after."""
        event.stop()
        self.action_step(1)
