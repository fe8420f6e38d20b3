"""Chooses what the page shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, TypeAlias

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static

from tui.app.filtering import CHANGED, Filter
from tui.model.visible import visible_line
from tui.pipeline.outcomes import Outcome

Value: TypeAlias = tuple[str, str]
"""A line of the list: its group and its name."""


class FilterScreen(ModalScreen[None]):
    """A list of outcomes, roles and tools; each change is shown at once behind it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,f", "dismiss", "Close"),
        Binding("space", "switch", "Switch"),
        Binding("c", "changed_only", "Changed only"),
        Binding("a", "nothing", "Show all"),
        Binding("j", "down", show=False),
        Binding("k", "up", show=False),
    ]

    DEFAULT_CSS = """
    FilterScreen {
        align: right middle;
        background: transparent;
        & > Vertical {
            width: auto;
            max-width: 90%;
            height: auto;
            max-height: 90%;
            border: round $primary;
            background: $surface;
            padding: 0 1;
        }
        & OptionList {
            width: auto;
            min-width: 40;
            height: auto;
            max-height: 1fr;
            border: none;
            padding: 0;
            background: $surface;
        }
        & OptionList:focus { border: none; background-tint: $foreground 0%; }
        & .hint { color: $foreground 65%; width: 40; height: auto; margin-top: 1; }
    }
    """

    def __init__(
        self, now: Filter, roles: tuple[str, ...], tools: tuple[str, ...], on_change: Callable[[Filter], None]
    ) -> None:
        """Initialise the screen.

        Args:
            now: The filter so far.
            roles: The roles to choose from.
            tools: The tools to choose from.
            on_change: Told about every change.
        """
        super().__init__()
        self._offered: tuple[Value, ...] = (
            *(("outcome", outcome.value) for outcome in Outcome),
            *(("role", role) for role in roles),
            *(("tool", tool) for tool in tools),
        )
        self._chosen = _values(now)
        self._on_change = on_change

    def compose(self) -> ComposeResult:
        """The list and its keys."""
        with Vertical() as box:
            box.border_title = Content("show only")
            yield OptionList(*map(self._prompt, self._offered), markup=False)
            yield Static(
                "space switches, c changed only, a all, Escape closes. What is not chosen folds into gaps.",
                classes="hint",
                markup=False,
            )

    def on_mount(self) -> None:
        """Starts at the top."""
        self.query_one(OptionList).highlighted = 0

    def _prompt(self, value: Value) -> Content:
        group, name = value
        sign = "x" if value in self._chosen else " "
        return Content(f"[{sign}] {group}: {visible_line(name) or '(no name)'}")

    @on(OptionList.OptionSelected)
    def _switched(self, event: OptionList.OptionSelected) -> None:
        self._choose(self._chosen ^ {self._offered[event.option_index]})

    def action_changed_only(self) -> None:
        """Chooses the outcomes of changed blocks, nothing else."""
        self._choose(_values(Filter(outcomes=CHANGED)))

    def action_nothing(self) -> None:
        """Chooses nothing: all is shown."""
        self._choose(frozenset())

    def _choose(self, chosen: frozenset[Value]) -> None:
        switched, self._chosen = self._chosen ^ chosen, chosen
        listed = self.query_one(OptionList)
        for place, value in enumerate(self._offered):
            if value in switched:
                listed.replace_option_prompt_at_index(place, self._prompt(value))

        def of(group: str) -> frozenset[str]:
            return frozenset(name for kind, name in chosen if kind == group)

        self._on_change(Filter(frozenset(map(Outcome, of("outcome"))), of("role"), of("tool")))

    def action_switch(self) -> None:
        """Switches the line under the cursor."""
        self.query_one(OptionList).action_select()

    def action_down(self) -> None:
        """Next line."""
        self.query_one(OptionList).action_cursor_down()

    def action_up(self) -> None:
        """Previous line."""
        self.query_one(OptionList).action_cursor_up()


def _values(chosen: Filter) -> frozenset[Value]:
    """The lines that a filter chooses."""
    return frozenset(
        [
            *(("outcome", outcome.value) for outcome in chosen.outcomes),
            *(("role", role) for role in chosen.roles),
            *(("tool", tool) for tool in chosen.tools),
        ]
    )
