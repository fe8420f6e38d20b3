"""A slider for a whole number: one row with a label, a track, the exact value and what it means."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from math import expm1, log1p
from operator import itemgetter
from typing import ClassVar, Literal, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from tui.model.visible import visible_line

MAX_DIGITS = 18
"""The most digits a typed value may have: any such number fits a 64-bit integer."""

NUMBER_WIDTH = 9
"""Columns kept for the greatest and for the value, so that the tracks of several sliders align."""

_SEPARATORS = str.maketrans("", "", " ,_")


@dataclass(frozen=True, slots=True)
class Mark:
    """A value worth pointing out on the track.

    Attributes:
        value: Where it stands.
        label: What is there, in plain text; shown as part of the hint unless empty.
    """

    value: int
    label: str = ""


class Glyphs(NamedTuple):
    """What a slider is drawn with: each one cell wide, none with an emoji form."""

    focus: str
    left: str
    filled: str
    rest: str
    right: str
    thumb: str
    default: str
    mark: str
    ellipsis: str
    heights: str


UNICODE = Glyphs("▸", "┝", "━", "─", "┤", "█", "┼", "▲", "…", "▁▂▃▄▅▆")
ASCII = Glyphs(">", "|", "=", "-", "|", "o", "+", "^", "...", "__..::")


class _Columns(NamedTuple):
    """Where the parts stand at one width; a part with no columns is not drawn."""

    label: int
    least: int
    track_at: int
    track: int
    greatest: int
    value: int
    hint: int


class Slider(Widget, can_focus=True):
    """A slider for a whole number, one row high.

    The ends of the track are not the range of the value: every whole number from `least` up to the limit (if there is
    one) can be typed, and a value beyond the track stands at its end. Keys, wheel and mouse stay on the track.

    Setting `value` never posts a message, so a screen may bind it to its own state; only what the user does
    is posted, and only when it changes the value.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l,plus", "step(1)", "More", show=False),
        Binding("left,h,minus", "step(-1)", "Less", show=False),
        Binding("shift+right", "fine_step(1)", "One more", show=False),
        Binding("shift+left", "fine_step(-1)", "One less", show=False),
        Binding("pageup", "page(1)", "Page more", show=False),
        Binding("pagedown", "page(-1)", "Page less", show=False),
        Binding("home", "least", "Least", show=False),
        Binding("end", "greatest", "Greatest", show=False),
        Binding("m", "mark(1)", "Next mark", show=False),
        Binding("M", "mark(-1)", "Previous mark", show=False),
        Binding("backspace,delete,d", "reset", "Default", show=False),
    ]
    """
    | Key(s) | Description |
    | :- | :- |
    | right,l,+ | One step more. |
    | left,h,- | One step less. |
    | shift+right,shift+left | One more, one less. |
    | pageup,pagedown | One page more, one page less. |
    | home,end | The least value, the end of the track. |
    | m,M | The next mark, the previous one; round the end. |
    | backspace,delete,d | Back to the default. |
    | 0-9, paste | Open value entry, which takes every printable key: enter accepts, escape abandons, backspace edits, \
`,` `_` and spaces are ignored; leaving the slider or moving it abandons. |
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "slider--label",
        "slider--bound",
        "slider--track",
        "slider--filled",
        "slider--thumb",
        "slider--default",
        "slider--mark",
        "slider--value",
        "slider--hint",
    }
    """
    | Class | Description |
    | :- | :- |
    | `slider--label` | Targets the label and the sign of focus before it. |
    | `slider--bound` | Targets the numbers at the ends of the track. |
    | `slider--track` | Targets the track beyond the value. |
    | `slider--filled` | Targets the track up to the value. |
    | `slider--thumb` | Targets the cell of the value. |
    | `slider--default` | Targets the sign at the default. |
    | `slider--mark` | Targets the marks on the track. |
    | `slider--value` | Targets the value, or what is being typed. |
    | `slider--hint` | Targets the hint. |
    """

    ALLOW_SELECT = False

    DEFAULT_CSS = """
    Slider {
        width: 1fr;
        height: 1;
        pointer: pointer;

        & > .slider--label {
            color: $text;
        }
        & > .slider--bound, & > .slider--hint {
            color: $text-muted;
        }
        & > .slider--track {
            color: $foreground 30%;
        }
        & > .slider--filled {
            color: $primary;
        }
        & > .slider--thumb {
            color: $foreground;
            text-style: bold;
        }
        & > .slider--default {
            color: $text;
            text-style: bold;
        }
        & > .slider--mark {
            color: $text-warning;
            text-style: bold;
        }
        & > .slider--value {
            color: $text;
            text-style: bold;
        }
        &:focus {
            background: $boost;
            & > .slider--label {
                color: $text;
                text-style: bold;
            }
            & > .slider--thumb {
                color: $accent;
            }
        }
        &:ansi > .slider--track {
            color: ansi_bright_black;
        }
        &:nocolor > .slider--thumb {
            color: $foreground;
        }
        &:disabled {
            text-opacity: 50%;
            pointer: default;
        }
    }
    """

    value: reactive[int] = reactive(0)
    """The value, kept between the least and the limit."""

    greatest: reactive[int] = reactive(100)
    """The value at the end of the track, kept between the least and the limit."""

    marks: reactive[tuple[Mark, ...]] = reactive(())
    """The marks; one outside the track is named in the hint and can be jumped to, but not drawn."""

    hint: reactive[str] = reactive("")
    """What the value means, plain text, shown after the labels of the marks."""

    spark: reactive[tuple[float, ...]] = reactive(())
    """What a move would lead to, for each cell of the track a height from 0 to 1; drawn in place of its line."""

    ascii: reactive[bool] = reactive(False)
    """Draw with ASCII only?"""

    _entry: reactive[str | None] = reactive(None)
    """What is being typed, or `None` when nothing is."""

    @dataclass
    class SliderMessage(Message):
        """Base class for the messages of a slider."""

        slider: Slider
        """The slider that the user moved or typed into."""

        @property
        def control(self) -> Slider:
            """Alias for self.slider."""
            return self.slider

    @dataclass
    class Changed(SliderMessage):
        """Posted at each change by the user, also while dragging."""

        value: int
        """The value that the slider was moved to."""

    @dataclass
    class Committed(SliderMessage):
        """Posted when a change by the user is complete: after each key and wheel step, and at the end of a drag."""

        value: int
        """The value that the slider was left at."""

    @dataclass
    class Rejected(SliderMessage):
        """Posted when what was typed is no valid value; nothing has changed, and the entry stays open."""

        text: str
        """What was typed or pasted; not to be read as markup."""

        reason: str
        """What is wrong with it, in a sentence for people."""

    def __init__(
        self,
        label: str,
        value: int,
        *,
        least: int = 0,
        greatest: int = 100,
        limit: int | None = None,
        default: int | None = None,
        step: int = 1,
        page: int | None = None,
        scale: Literal["linear", "log"] = "linear",
        marks: tuple[Mark, ...] = (),
        hint: str = "",
        label_width: int = 12,
        ascii: bool = False,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
        disabled: bool = False,
    ) -> None:
        """Initialise the slider.

        Args:
            label: What the value is called, plain text.
            value: The initial value.
            least: The least value, at the start of the track.
            greatest: The value at the end of the track.
            limit: The greatest valid value, or `None` if there is none.
            default: The value to go back to, or `None` for the initial value.
            step: What an arrow key moves by; on the track, values are rounded to it where cells are coarser.
            page: What PageUp and PageDown move by, or `None` for ten steps.
            scale: How values lie along the track; `"log"` is by the logarithm of 1 + the distance to the least.
            marks: The marks on the track.
            hint: What the value means, plain text.
            label_width: Columns of the label; sliders of equal label widths and bounds have aligned tracks.
            ascii: Draw with ASCII only?
            name: The name of the slider.
            id: The ID of the slider in the DOM.
            classes: The CSS classes of the slider.
            disabled: Whether the slider is disabled or not.
        """
        super().__init__(name=name, id=id, classes=classes, disabled=disabled)
        self.label = label
        self.least = least
        self.limit = limit
        self.step = step
        self.page = step * 10 if page is None else page
        self.scale = scale
        self.default = self.validate_value(value if default is None else default)
        self._label_width = label_width
        self._held_from: int | None = None  # the value when the mouse took hold of the thumb
        self._pointer = 0  # the column of the pointer while it holds the thumb
        self.set_reactive(Slider.value, self.validate_value(value))
        self.set_reactive(Slider.greatest, self.validate_greatest(greatest))
        self.set_reactive(Slider.marks, marks)
        self.set_reactive(Slider.hint, hint)
        self.set_reactive(Slider.ascii, ascii)

    def validate_value(self, value: int) -> int:
        """Keep the value between the least and the limit."""
        value = max(value, self.least)
        return value if self.limit is None else min(value, self.limit)

    def validate_greatest(self, greatest: int) -> int:
        """Keep the end of the track where the value could stand."""
        return self.validate_value(greatest)

    def watch__entry(self, before: str | None, after: str | None) -> None:
        """While an entry is open no other binding gets a printable key."""
        if (before is None) != (after is None):
            self.refresh_bindings()

    @property
    def glyphs(self) -> Glyphs:
        """What the slider is drawn with."""
        return ASCII if self.ascii else UNICODE

    @property
    def _explanation(self) -> str:
        """The labels of the marks and the hint, safe to draw."""
        labels = [f"{self.glyphs.mark} {mark.label}" for mark in self.marks if mark.label]
        return visible_line("  ".join([*labels, self.hint] if self.hint else labels))

    # Drawing

    @property
    def _columns(self) -> _Columns:
        """Where the parts stand: the track first takes the room of the hint, then of the bounds, then of the label."""
        label, hint = self._label_width, 0
        least = len(f"{self.least:,}") + 1
        greatest = max(NUMBER_WIDTH, len(f"{self.greatest:,}")) + 1
        value = max(NUMBER_WIDTH, len(f"{self.value:,}")) + 1
        track = self.content_size.width - (1 + label + 1) - value
        if track - least - greatest < 12:
            least = greatest = 0
            label -= min(label, max(0, 6 - track))
            track = max(track, 6)
        elif (room := track - least - greatest) < 38:
            track = room
        else:
            # Shared evenly, whether or not there is a hint: tracks below one another are to align.
            track = max(20, room // 2)
            hint = room - track
        return _Columns(label, least, 1 + label + 1 + least, track, greatest, value, hint)

    def render_line(self, y: int) -> Strip:
        """The row of the slider."""
        width = self.content_size.width
        if y:
            return Strip.blank(width, self.rich_style)
        columns, glyphs = self._columns, self.glyphs
        focus = glyphs.focus if self.has_focus else " "
        label = self._fit(visible_line(self.label), columns.label)
        segments = [Segment(f"{focus}{label} ", self._part("label"))]
        if columns.least:
            segments.append(Segment(f"{self.least:,} ", self._part("bound")))
        segments += self._draw_track(columns.track)
        if columns.greatest:
            segments.append(Segment(f"{self.greatest:,}".rjust(columns.greatest), self._part("bound")))
        segments += self._draw_value(columns.value)
        if columns.hint:
            hint = self._explanation if self._entry is None else "Enter sets, Escape leaves"
            segments.append(Segment("  " + self._fit(hint, columns.hint - 2), self._part("hint")))
        return Strip(segments).adjust_cell_length(width, self.rich_style)

    def _draw_track(self, track: int) -> list[Segment]:
        glyphs, thumb = self.glyphs, self._cell(self.value, track)
        cells = [(glyphs.filled, "filled") if cell < thumb else (glyphs.rest, "track") for cell in range(track)]
        if len(self.spark) == track:
            top = len(glyphs.heights) - 1
            cells = [
                (glyphs.heights[min(max(round(height * top), 0), top)], part)
                for height, (_, part) in zip(self.spark, cells, strict=True)
            ]
        cells[0] = (glyphs.left, "filled")
        cells[-1] = (glyphs.right, "track")
        signs = [(self.default, glyphs.default, "default")]
        signs += [(mark.value, glyphs.mark, "mark") for mark in self.marks]
        for value, glyph, part in signs:
            if self.least <= value <= self.greatest:
                cells[self._cell(value, track)] = (glyph, part)
        cells[thumb] = (glyphs.thumb, "thumb")
        return [
            Segment("".join(glyph for glyph, _ in run), self._part(part))
            for part, run in groupby(cells, key=itemgetter(1))
        ]

    def _draw_value(self, width: int) -> list[Segment]:
        """The value, or the end of what is being typed and a cursor."""
        style = self._part("value")
        if self._entry is None:
            return [Segment(f"{self.value:,}".rjust(width), style)]
        typed = visible_line(self._entry[-width:])
        while cell_len(typed) > width - 2:
            typed = typed[1:]
        padding = " " * (width - 1 - cell_len(typed))
        return [Segment(padding + typed, style), Segment(" ", style + Style(reverse=True))]

    def _fit(self, text: str, width: int) -> str:
        """Make a text exactly so many cells wide, with an ellipsis if it loses something."""
        ellipsis = self.glyphs.ellipsis
        if cell_len(text) <= width or width <= len(ellipsis):
            return set_cell_size(text, width)
        return set_cell_size(text, width - len(ellipsis)) + ellipsis

    def _part(self, part: str) -> Style:
        return self.get_component_rich_style(f"slider--{part}")

    # The track: cells from 0, of which the first is the least and the last is the greatest

    def _cell(self, value: int, track: int) -> int:
        """The cell where a value stands; one outside the track stands at its end."""
        span = self.greatest - self.least
        offset = value - self.least
        if offset > span:
            return track - 1
        if offset <= 0:
            return 0
        fraction = log1p(offset) / log1p(span) if self.scale == "log" else offset / span
        return round(fraction * (track - 1))

    def track_values(self) -> tuple[int, ...]:
        """The value that each cell of the track stands for, for whoever makes the spark."""
        track = self._columns.track
        span = self.greatest - self.least
        fractions = (cell / max(1, track - 1) for cell in range(track))
        if self.scale == "log":
            return tuple(self.least + round(expm1(fraction * log1p(span))) for fraction in fractions)
        return tuple(self.least + round(fraction * span) for fraction in fractions)

    def _value_at(self, cell: int, track: int) -> int:
        """What the mouse means by a cell: an end, a mark or the default that stands there, or a round value."""
        if cell <= 0:
            return self.least
        if cell >= track - 1:
            return self.greatest
        for value in (*(mark.value for mark in self.marks), self.default):
            if self._cell(value, track) == cell:
                return value
        span = self.greatest - self.least
        fraction = cell / (track - 1)
        exact = self.least + round(expm1(fraction * log1p(span)) if self.scale == "log" else fraction * span)
        rounded = round(exact / self.step) * self.step
        return rounded if rounded >= self.least and self._cell(rounded, track) == cell else exact

    # Moving

    def _move(self, value: int, *, commit: bool = True) -> None:
        """Do what the user asks for: close an open entry, set the value, post messages if it differs."""
        self._entry = None
        before, self.value = self.value, value
        if self.value != before:
            self.post_message(self.Changed(self, self.value))
            if commit:
                self.post_message(self.Committed(self, self.value))

    def _move_by(self, distance: int) -> None:
        """Move along the track, or back to it from beyond."""
        self._move(min(self.value + distance, max(self.value, self.greatest)))

    def action_step(self, direction: int) -> None:
        """Move by a step."""
        self._move_by(direction * self.step)

    def action_fine_step(self, direction: int) -> None:
        """Move by one."""
        self._move_by(direction)

    def action_page(self, direction: int) -> None:
        """Move by a page."""
        self._move_by(direction * self.page)

    def action_least(self) -> None:
        """Move to the start of the track."""
        self._move(self.least)

    def action_greatest(self) -> None:
        """Move to the end of the track."""
        self._move(self.greatest)

    def action_reset(self) -> None:
        """Go back to the default."""
        self._move(self.default)

    def action_mark(self, direction: int) -> None:
        """Move to the nearest mark in that direction, or round the end to the farthest in the other."""
        marks = sorted({self.validate_value(mark.value) for mark in self.marks}, reverse=direction < 0)
        beyond = [value for value in marks if (value - self.value) * direction > 0]
        if marks:
            self._move((beyond or marks)[0])

    # Typing

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Digits are taken by the slider, every printable key while an entry is open."""
        if character is None:
            return False
        return character.isprintable() if self._entry is not None else character.isascii() and character.isdigit()

    async def _on_key(self, event: events.Key) -> None:
        character = event.character if event.is_printable else None
        if self.check_consume_key(event.key, character):
            self._entry = (self._entry or "") + (character or "")
        elif self._entry is None:
            return
        elif event.key == "enter":
            self._accept(self._entry)
        elif event.key == "escape":
            self._entry = None
        elif event.key in ("backspace", "delete"):
            self._entry = self._entry[:-1]
        else:
            return
        event.stop()
        event.prevent_default()

    def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        if text := event.text.strip():
            self._entry = (self._entry or "") + text

    def _on_blur(self, event: events.Blur) -> None:
        # Another window may be where the number is read from, so an entry outlives the terminal's own loss of focus.
        if self.app.app_focus:
            self._entry = None

    def _accept(self, text: str) -> None:
        """Move to the number that was typed, or say what is wrong with it."""
        digits = text.translate(_SEPARATORS)
        reason = ""
        if not (digits.isascii() and digits.isdigit()):
            reason = f"{self.label} must be a whole number"
        elif len(digits) > MAX_DIGITS:
            reason = f"{self.label} must have at most {MAX_DIGITS} digits"
        elif int(digits) < self.least:
            reason = f"{self.label} must be at least {self.least:,}"
        elif self.limit is not None and int(digits) > self.limit:
            reason = f"{self.label} must be at most {self.limit:,}"
        if reason:
            self.post_message(self.Rejected(self, text, reason))
        else:
            self._move(int(digits))

    # The mouse

    async def _on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the thumb, after moving it to the pointer unless it is there already."""
        columns = self._columns
        cell = event.get_content_offset_capture(self).x - columns.track_at
        if event.button != 1 or not 0 <= cell < columns.track:
            return
        event.stop()
        self._held_from, self._pointer = self.value, cell
        self.capture_mouse()
        if cell != self._cell(self.value, columns.track):
            self._move(self._value_at(cell, columns.track), commit=False)

    def _on_mouse_move(self, event: events.MouseMove) -> None:
        if self._held_from is None:
            return
        event.stop()
        columns = self._columns
        cell = event.get_content_offset_capture(self).x - columns.track_at
        # A move within a cell is none, so that taking hold of the thumb does not round an exact value.
        if cell != self._pointer:
            self._pointer = cell
            self._move(self._value_at(cell, columns.track), commit=False)

    async def _on_mouse_up(self, event: events.MouseUp) -> None:
        self.release_mouse()
        self._let_go()

    def _on_mouse_release(self, event: events.MouseRelease) -> None:
        # Something else took the mouse away in the middle of a drag. After a quick second press the release of the
        # first one may come late, when the mouse is captured again.
        if self.app.mouse_captured is not self:
            self._let_go()

    def _let_go(self) -> None:
        held_from, self._held_from = self._held_from, None
        if held_from is not None and held_from != self.value:
            self.post_message(self.Committed(self, self.value))

    async def _on_click(self, event: events.Click) -> None:
        """A double click on the track goes back to the default."""
        columns = self._columns
        cell = event.get_content_offset_capture(self).x - columns.track_at
        if event.chain == 2 and 0 <= cell < columns.track:
            event.stop()
            self._move(self.default)

    def _on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.action_step(1)

    def _on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.action_step(-1)
