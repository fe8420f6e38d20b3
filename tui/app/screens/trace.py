"""The trace pane: the exact lines that the original program writes with TRACE=1, of one call or of all up to it."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.screen import ModalScreen
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Footer, Static

from tui.app.glyphs import glyphs, wants_ascii
from tui.app.scene import Scene
from tui.app.wrap import fit
from tui.pipeline.trace import Trace, TraceLine, trace_at, trace_until

_MOST_COPIED = 10_000


class TraceLines(ScrollView, can_focus=True):
    """Trace lines, one a row; only the rows on the screen are made, so their number does not matter."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Previous line", show=False),
        Binding("down,j", "move(1)", "Next line", show=False),
        Binding("pageup,ctrl+b", "page(-1)", "Page up", show=False),
        Binding("pagedown,ctrl+f", "page(1)", "Page down", show=False),
        Binding("home,less_than_sign", "edge(-1)", "First line", show=False),
        Binding("end,greater_than_sign,G", "edge(1)", "Last line", show=False),
    ]
    """
    | Key(s) | Description |
    | :- | :- |
    | up,k,down,j | The previous or next line. |
    | pageup,pagedown | A page. |
    | home,<,end,>,G | The first, the last line. |
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"trace--line", "trace--call", "trace--cursor"}
    """
    | Class | Description |
    | :- | :- |
    | `trace--line` | A line. |
    | `trace--call` | The number of its call. |
    | `trace--cursor` | The line under the cursor. |
    """

    DEFAULT_CSS = """
    TraceLines {
        height: auto;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
        background: $surface;
        & > .trace--line { color: $foreground; }
        & > .trace--call { color: $foreground 60%; }
        & > .trace--cursor { background: $primary 45%; text-style: bold; }
        &:nocolor > .trace--cursor { text-style: bold reverse; }
    }
    """

    class Moved(Message):
        """The cursor is on another line."""

    class Chosen(Message):
        """A line was chosen.

        Attributes:
            line: Which.
        """

        def __init__(self, line: TraceLine) -> None:
            super().__init__()
            self.line = line

    def __init__(self, trace: Trace) -> None:
        """Initialise the lines.

        Args:
            trace: The lines.
        """
        super().__init__()
        self._glyphs = glyphs(wants_ascii())
        self._trace = trace
        self.cursor = 0

    def on_mount(self) -> None:
        """Makes room for the first lines."""
        self.show(self._trace, self.cursor)

    def show(self, trace: Trace, cursor: int) -> None:
        """Shows other lines, with the cursor on one of them."""
        self._trace = trace
        self.virtual_size = Size(1, len(trace))
        self.refresh(layout=True)
        self.call_after_refresh(self._move_to, cursor)

    @property
    def line(self) -> TraceLine | None:
        """The line under the cursor; None when there is none at all."""
        return self._trace[self.cursor] if len(self._trace) else None

    def render_line(self, y: int) -> Strip:
        """Draws one row of the screen."""
        width, base = self.scrollable_content_region.width, self.rich_style
        number = y + self.scroll_offset.y
        if number >= len(self._trace):
            return Strip.blank(width, base)
        line = self._trace[number]
        call = base + self.get_component_rich_style("trace--call")
        text = base + self.get_component_rich_style("trace--line")
        bar = " "
        if number == self.cursor:
            cursor = self.get_component_rich_style("trace--cursor")
            call, text, bar = call + cursor, text + cursor, self._glyphs.bar
        label = f"{bar}call {line.call:>{len(f'{self._last_call:,}')},}  "
        words = fit(line.text, max(0, width - len(label)), self._glyphs.ellipsis)
        return Strip([Segment(label, call), Segment(words, text)]).adjust_cell_length(width, text)

    @property
    def _last_call(self) -> int:
        return self._trace[len(self._trace) - 1].call

    def _move_to(self, number: int) -> None:
        if not len(self._trace):
            return
        self.cursor = min(max(number, 0), len(self._trace) - 1)
        self._keep_in_sight()
        self.refresh()
        self.post_message(self.Moved())

    def on_resize(self) -> None:
        """Keeps the cursor in sight."""
        self._keep_in_sight()

    def _keep_in_sight(self) -> None:
        height, top = max(1, self.size.height), self.scroll_offset.y
        if not top <= self.cursor < top + height:
            self.scroll_to(y=self.cursor if self.cursor < top else self.cursor - height + 1, animate=False)

    def action_move(self, by: int) -> None:
        """Moves the cursor by lines."""
        self._move_to(self.cursor + by)

    def action_page(self, by: int) -> None:
        """Moves the cursor by a page."""
        self._move_to(self.cursor + by * max(1, self.size.height - 1))

    def action_edge(self, by: int) -> None:
        """Moves the cursor to the first or the last line."""
        self._move_to(0 if by < 0 else len(self._trace) - 1)

    def choose(self) -> None:
        """Chooses the line under the cursor."""
        if self.line is not None:
            self.post_message(self.Chosen(self.line))

    def on_click(self, event: events.Click) -> None:
        """Chooses a line."""
        number = event.y + self.scroll_offset.y
        if number < len(self._trace):
            self._move_to(number)
            self.choose()


class TraceScreen(ModalScreen[tuple[int, str] | None]):
    """The trace. Returns the call and the stage that the chosen line speaks of, None when the user leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,x", "cancel", "Close", key_display="Esc"),
        Binding("enter", "choose", "Go there", key_display="Enter"),
        Binding("a", "all", "One call, all calls"),
        Binding("y", "copy", "Copy call"),
        Binding("Y", "copy_all", "Copy all"),
    ]

    DEFAULT_CSS = """
    TraceScreen {
        align: center middle;
        & > Vertical {
            width: 100%;
            max-width: 150;
            height: auto;
            max-height: 95%;
            border: round $primary;
            border-title-color: $text;
            border-subtitle-color: $text;
            background: $surface;
            padding: 0 1;
        }
        &.-all > Vertical { height: 95%; }
        &.-all TraceLines { height: 1fr; }
        & .detail { height: auto; min-height: 3; border-top: solid $foreground 30%; margin-top: 1; }
        & .empty { height: auto; padding: 1; }
    }
    """

    def __init__(self, scene: Scene) -> None:
        """Initialise the screen.

        Args:
            scene: What is shown: the call whose lines come first.
        """
        super().__init__()
        self._scene = scene
        self._trace = trace_at(scene.view)
        self._all = False

    def compose(self) -> ComposeResult:
        """The lines, and the one under the cursor in full."""
        with Vertical():
            yield TraceLines(self._trace)
            yield Static(classes="empty", markup=False)
            yield Static(classes="detail", markup=False)
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Shows the lines of the call."""
        self._show()

    def _show(self) -> None:
        call, count = self._scene.call, len(self._trace)
        lines = self.query_one(TraceLines)
        which = f"all calls up to {call:,}" if self._all else f"call {call:,}"
        box = self.query_one(Vertical)
        box.border_title = Content(f"trace of {which}")
        box.border_subtitle = Content(f"{count:,} {'line' if count == 1 else 'lines'}")
        self.set_class(self._all and bool(count), "-all")
        lines.display = self.query_one(".detail").display = bool(count)
        empty = self.query_one(".empty", Static)
        empty.display = not count
        if count:
            lines.show(self._trace, count - 1 if self._all else 0)
            lines.focus()
            return
        where = "up to this call" if self._all else "at this call"
        more = "" if self._all or call == 1 else " (a: all calls up to here)"
        empty.update(Content(f"nothing was compacted {where}: the original prints nothing{more}"))

    @on(TraceLines.Moved)
    def _moved(self) -> None:
        line = self.query_one(TraceLines).line
        if line is not None:
            evaluation = self._scene.evaluation
            number = evaluation.stages.index(line.stage) + 1
            verdict = evaluation.at(line.call).verdict(line.stage)
            self.query_one(".detail", Static).update(
                Content.assemble((f"{number} {line.stage}: {verdict}", "bold"), "\n", line.text)
            )

    @on(TraceLines.Chosen)
    def _chosen(self, event: TraceLines.Chosen) -> None:
        self.dismiss((event.line.call, event.line.stage))

    def action_choose(self) -> None:
        """Returns the line under the cursor."""
        if len(self._trace):
            self.query_one(TraceLines).choose()

    def action_cancel(self) -> None:
        """Leaves."""
        self.dismiss(None)

    def action_all(self) -> None:
        """Shows the lines of all calls up to this one, or of this one alone."""
        self._all = not self._all
        scene = self._scene
        self._trace = trace_until(scene.evaluation, scene.call) if self._all else trace_at(scene.view)
        self._show()

    def action_copy(self) -> None:
        """Copies the lines of the call under the cursor."""
        line = self.query_one(TraceLines).line if len(self._trace) else None
        self._copy([one.text for one in self._trace.of(line.call)] if line else [], "")

    def action_copy_all(self) -> None:
        """Copies all lines that are shown; the newest of them when there are very many."""
        count = len(self._trace)
        first = max(0, count - _MOST_COPIED)
        left_out = f", the newest of {count:,}" if first else ""
        self._copy([self._trace[number].text for number in range(first, count)], left_out)

    def _copy(self, lines: list[str], left_out: str) -> None:
        if not lines:
            self.notify("there is no line to copy", markup=False)
            return
        self.app.copy_to_clipboard("".join(f"{line}\n" for line in lines))
        self.notify(f"copied {len(lines):,} {'line' if len(lines) == 1 else 'lines'}{left_out}", markup=False)
