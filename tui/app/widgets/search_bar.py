"""The line in which a search is typed, with its switch and its counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message as TextualMessage
from textual.widgets import Checkbox, Input, Static

from tui.pipeline.search import Query


class SearchBar(Horizontal):
    """A search: text, whether it is a regular expression, how many blocks match on either side."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", show=False),
        Binding("alt+r,ctrl+r", "regex", "Regular expression", show=False),
    ]
    """
    | Key(s) | Description |
    | :- | :- |
    | enter | Go to the first match. |
    | alt+r,ctrl+r | Plain text, or a regular expression. |
    | escape | End the search. |
    """

    DEFAULT_CSS = """
    SearchBar {
        height: 1;
        display: none;
        background: $boost;
        padding: 0 1;
        &.-open { display: block; }
        & Input { width: 1fr; border: none; height: 1; padding: 0; background: $boost; }
        & .slash { width: 2; color: $text-primary; text-style: bold; }
        & Checkbox { width: auto; margin: 0 1; }
        & .count { width: auto; color: $foreground 75%; }
        & .count.-wrong { color: $text-error; }
    }
    """

    @dataclass
    class Asked(TextualMessage):
        """The user searches for something else; None for nothing."""

        query: Query | None

    class Entered(TextualMessage):
        """The user wants to go to the first match."""

    class Closed(TextualMessage):
        """The user has done with the search."""

    def compose(self) -> ComposeResult:
        """A slash, the text, the switch, the counts."""
        yield Static("/", classes="slash", markup=False)
        yield Input(placeholder="search both sides; a capital letter makes case count", select_on_focus=True)
        yield Checkbox("regex", compact=True)
        yield Static(classes="count", markup=False)

    def open(self) -> None:
        """Shows the line and takes the focus."""
        self.add_class("-open")
        self.query_one(Input).focus()

    def close(self) -> None:
        """Hides the line."""
        self.remove_class("-open")

    @property
    def query_now(self) -> Query | None:
        """What is searched for; None for nothing."""
        text = self.query_one(Input).value
        return Query(text, self.query_one(Checkbox).value) if text else None

    def count(self, words: str, wrong: bool = False) -> None:
        """Says how many blocks match, or what is wrong."""
        line = self.query_one(".count", Static)
        line.update(Content(words))
        line.set_class(wrong, "-wrong")

    @on(Input.Changed)
    @on(Checkbox.Changed)
    def _changed(self, event: TextualMessage) -> None:
        event.stop()
        self.post_message(self.Asked(self.query_now))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Entered())

    def action_close(self) -> None:
        """Ends the search."""
        self.post_message(self.Closed())

    def action_regex(self) -> None:
        """Switches between plain text and regular expression."""
        switch = self.query_one(Checkbox)
        switch.value = not switch.value
