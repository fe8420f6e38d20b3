"""A table in which one click is enough."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.coordinate import Coordinate
from textual.widgets import DataTable


class Table(DataTable[Text]):
    """A DataTable that selects what is clicked at once, not only what the cursor is on already.

    Its cells are ``Text``: a string would be read as markup.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", show=False),
        Binding("k", "cursor_up", show=False),
        Binding("h", "cursor_left", show=False),
        Binding("l", "cursor_right", show=False),
    ]
    """
    | Key(s) | Description |
    | :- | :- |
    | h,j,k,l | Move the cursor, as the arrows do. |
    """

    DEFAULT_CSS = """
    Table {
        height: auto;
        max-height: 100%;
        background: $surface;
        scrollbar-size: 0 1;
        &:focus { background-tint: $foreground 0%; }
    }
    """

    def on_click(self, event: events.Click) -> None:
        """Moves the cursor to the click; the handler of DataTable, which comes next, selects what the cursor is on."""
        meta = event.style.meta
        place = Coordinate(meta.get("row", -1), meta.get("column", -1))
        if self.is_valid_coordinate(place) and not (self.cursor_type == "cell" and meta.get("out_of_bounds")):
            self.cursor_coordinate = place
