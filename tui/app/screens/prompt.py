"""A one-line question."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

Check = Callable[[str], str]
"""What is wrong with an answer, in a sentence; empty when it will do."""


class Prompt(ModalScreen[str | None]):
    """Asks for a line of text; returns it once it passes the check, None when the user leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Cancel")]

    DEFAULT_CSS = """
    Prompt {
        align: center middle;
        & > Vertical {
            width: 70%;
            max-width: 80;
            height: auto;
            border: round $primary;
            background: $surface;
            padding: 0 1;
        }
        & Input { border: none; height: 1; padding: 0; margin: 1 0; background: $boost; }
        & .hint { color: $foreground 60%; height: auto; }
        & .wrong { color: $text-error; height: auto; }
    }
    """

    def __init__(self, question: str, hint: str, check: Check) -> None:
        super().__init__()
        self._question = question
        self._hint = hint
        self._check = check

    def compose(self) -> ComposeResult:
        """The question, a line to type in, what is expected."""
        with Vertical() as box:
            box.border_title = Content(self._question)
            yield Input(compact=True)
            yield Static(Content(self._hint), classes="hint", markup=False)

    @on(Input.Submitted)
    def _answered(self, event: Input.Submitted) -> None:
        event.stop()
        answer = event.value.strip()
        if wrong := self._check(answer):
            hint = self.query_one(".hint, .wrong", Static)
            hint.set_classes("wrong")
            hint.update(Content(wrong))
        else:
            self.dismiss(answer)

    def action_cancel(self) -> None:
        """Leaves without an answer."""
        self.dismiss(None)
