"""Long text, wrapped and drawn line by line."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.strip import Strip

from tui.app.drawing import Row
from tui.app.widgets.selectable import SelectableRows
from tui.app.wrap import wrap


class TextView(SelectableRows, can_focus=True):
    """Paragraphs of styled text. Only the rows on the screen are drawn, so size does not matter."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("k", "scroll_up", show=False),
        Binding("j", "scroll_down", show=False),
        Binding("ctrl+u", "half(-1)", show=False),
        Binding("ctrl+d", "half(1)", show=False),
        Binding("less_than_sign", "scroll_home", show=False),
        Binding("greater_than_sign,G", "scroll_end", show=False),
    ]
    """
    | Key(s) | Description |
    | :- | :- |
    | j,k | A row down or up. |
    | ctrl+u,ctrl+d | Half a page up or down. |
    | <,> | The top, the bottom. |
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"text--body", "text--lost", "text--cut", "text--note", "text--placeholder"}
    """
    | Class | Description |
    | :- | :- |
    | `text--body` | Text that is sent. |
    | `text--lost` | Text that is lost. |
    | `text--cut` | The line at a cut. |
    | `text--note` | The note that budget adds. |
    | `text--placeholder` | A placeholder. |
    """

    DEFAULT_CSS = """
    TextView {
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
        border: round $foreground 30%;
        border-title-color: $text;
        &:focus { border: round $primary; }
        & > .text--body { color: $foreground 90%; }
        & > .text--lost { color: $foreground 45%; }
        & > .text--cut { color: $truncated; }
        & > .text--note { color: $truncated; text-style: bold; }
        & > .text--placeholder { color: $cleared; }
    }
    """

    def __init__(self, title: str, paragraphs: list[tuple[str, str]], prose: bool, id: str) -> None:
        """Initialise the view.

        Args:
            title: Its title, plain text.
            paragraphs: Lines, safe to draw, each with the name of its style.
            prose: Whether to break lines between words.
            id: Its ID in the DOM.
        """
        super().__init__(id=id)
        self.border_title = Content(title)
        self._paragraphs = paragraphs
        self._prose = prose
        self._rows: list[Row] = []
        self._width = 0

    def on_resize(self) -> None:
        """Wraps for the new width."""
        width = max(1, self.scrollable_content_region.width - 1)
        if width != self._width:
            self._width = width
            self._rows = [[(row, name)] for line, name in self._paragraphs for row in wrap(line, width, self._prose)]
            self.virtual_size = Size(width, len(self._rows))
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draws one row of the screen."""
        width = self.scrollable_content_region.width
        base = self.rich_style
        number = y + self.scroll_offset.y
        if number >= len(self._rows):
            return Strip.blank(width, base)
        segments = [
            Segment(text, base + self.get_component_rich_style(f"text--{name}")) for text, name in self._rows[number]
        ]
        return self.to_strip(segments, number, width, base)

    def row_text(self, row: int) -> str:
        """The text of a row."""
        return "".join(text for text, _ in self._rows[row]) if row < len(self._rows) else ""

    def action_half(self, by: int) -> None:
        """Scrolls half a page."""
        self.scroll_relative(y=by * max(1, self.size.height // 2), animate=False)
