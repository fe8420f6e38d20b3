"""A screen of text over the others: help and notes."""

from __future__ import annotations

from typing import ClassVar

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.app.commands import COMMANDS, PANE_KEYS, SLIDER_KEYS


class TextScreen(ModalScreen[None]):
    """Shows text until the user leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,question_mark,w", "dismiss", "Close"),
        Binding("j", "scroll(1)", show=False),
        Binding("k", "scroll(-1)", show=False),
    ]

    DEFAULT_CSS = """
    TextScreen {
        align: center middle;
        & > Vertical {
            width: 90%;
            max-width: 96;
            height: auto;
            max-height: 90%;
            border: round $primary;
            background: $surface;
            padding: 1 2 0 2;
        }
        & VerticalScroll { height: auto; max-height: 100%; }
        & Static { height: auto; }
        & .close { color: $foreground 60%; margin-top: 1; text-align: right; }
    }
    """

    def __init__(self, title: str, body: Text | Table | Content) -> None:
        super().__init__()
        self._title = title
        self._body = body

    def compose(self) -> ComposeResult:
        """The text in a box."""
        with Vertical() as box:
            box.border_title = Content(self._title)
            with VerticalScroll():
                yield Static(self._body, markup=False)
            yield Static("Escape closes", classes="close", markup=False)

    def action_scroll(self, by: int) -> None:
        """Scrolls by a row."""
        self.query_one(VerticalScroll).scroll_relative(y=by, animate=False)


def help_screen() -> TextScreen:
    """All keys, from the table of commands."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, style="bold", min_width=12)
    table.add_column()
    groups: dict[str, list[tuple[str, str]]] = {}
    for command in COMMANDS:
        if command.shown:
            groups.setdefault(command.group, []).append((command.shown, command.help))
    groups["Panes"] = list(PANE_KEYS)
    groups["A focused slider"] = list(SLIDER_KEYS)
    for heading in ("Stages", "Calls", "Blocks", "Panes", "Sliders", "A focused slider", "Session", "Program"):
        table.add_row(Text.assemble((heading, "underline")), "")
        for keys, words in groups[heading]:
            table.add_row(Text(f"  {keys}"), Text(words))
        table.add_row("", "")
    table.add_row(Text("  Tab"), Text("Moves the focus between panes, tabs, sliders and switches"))
    return TextScreen("outbound: keys", table)
