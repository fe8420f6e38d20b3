"""Chooses what the page shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import SelectionList, Static
from textual.widgets.selection_list import Selection

from tui.app.filtering import CHANGED, Filter
from tui.model.visible import visible_line
from tui.pipeline.outcomes import Outcome

Value = tuple[str, str]


class FilterScreen(ModalScreen[None]):
    """A list of outcomes, roles and tools; each change is shown at once behind it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,f", "dismiss", "Close"),
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
            width: 44;
            height: auto;
            max-height: 90%;
            border: round $primary;
            background: $surface;
            padding: 0 1;
        }
        & SelectionList { height: auto; max-height: 1fr; border: none; padding: 0; background: $surface; }
        & SelectionList:focus { border: none; background-tint: $foreground 0%; }
        & .hint { color: $foreground 65%; height: auto; margin-top: 1; }
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
        self._now = now
        self._roles = roles
        self._tools = tools
        self._on_change = on_change

    def compose(self) -> ComposeResult:
        """The list and its keys."""
        with Vertical() as box:
            box.border_title = Content("show only")
            yield SelectionList[Value](*self._selections())
            yield Static(
                "space switches, c changed only, a all, Escape closes. What is not chosen folds into gaps.",
                classes="hint",
                markup=False,
            )

    def _selections(self) -> list[Selection[Value]]:
        groups = (
            ("outcome", [outcome.value for outcome in Outcome], self._now.outcomes),
            ("role", list(self._roles), self._now.roles),
            ("tool", list(self._tools), self._now.tools),
        )
        return [
            Selection(Text(f"{group}: {visible_line(name) or '(no name)'}"), (group, name), name in chosen)
            for group, names, chosen in groups
            for name in names
        ]

    @on(SelectionList.SelectedChanged)
    def _changed(self, event: SelectionList.SelectedChanged[Value]) -> None:
        chosen: list[Value] = event.selection_list.selected

        def of(group: str) -> frozenset[str]:
            return frozenset(name for kind, name in chosen if kind == group)

        self._now = Filter(frozenset(map(Outcome, of("outcome"))), of("role"), of("tool"))
        self._on_change(self._now)

    def action_changed_only(self) -> None:
        """Chooses the outcomes of changed blocks, nothing else."""
        self._choose(Filter(outcomes=CHANGED))

    def action_nothing(self) -> None:
        """Chooses nothing: all is shown."""
        self._choose(Filter())

    def _choose(self, wanted: Filter) -> None:
        listed = self.query_one(SelectionList)
        with self.prevent(SelectionList.SelectedChanged):
            listed.deselect_all()
            for outcome in wanted.outcomes:
                listed.select(("outcome", outcome.value))
        self._now = wanted
        self._on_change(wanted)

    def action_down(self) -> None:
        """Next line."""
        self.query_one(SelectionList).action_cursor_down()

    def action_up(self) -> None:
        """Previous line."""
        self.query_one(SelectionList).action_cursor_up()
