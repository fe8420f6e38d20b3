"""Chooses a strategy, and says what each one does."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from tui.strategies import STRATEGIES, Strategy


class StrategyScreen(ModalScreen[str]):
    """A list of all strategies beside the explanation of the one under the cursor.

    Returns the name of the chosen one; None when it is left.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,V", "dismiss", "Close", key_display="Esc"),
        Binding("j", "down", show=False),
        Binding("k", "up", show=False),
    ]

    DEFAULT_CSS = """
    StrategyScreen {
        align: center middle;
        & > Vertical {
            width: 90%;
            max-width: 110;
            height: auto;
            max-height: 90%;
            border: round $primary;
            background: $surface;
            padding: 0 1;
        }
        & OptionList { height: auto; max-height: 16; border: none; padding: 0; background: $surface; }
        & OptionList:focus { border: none; background-tint: $foreground 0%; }
        & VerticalScroll { height: 12; margin-top: 1; border-top: solid $foreground 30%; }
        & .about { height: auto; }
    }
    """

    def __init__(self, now: str, title: str = "how to compact") -> None:
        """Initialise the screen.

        Args:
            now: Name of the strategy that is shown.
            title: What is chosen.
        """
        super().__init__()
        self._now = now
        self._title = title

    def compose(self) -> ComposeResult:
        """The list, the explanation, the keys."""
        with Vertical() as box:
            box.border_title = Content(self._title)
            width = max(len(strategy.title) for strategy in STRATEGIES.values())
            yield OptionList(*(Option(self._line(strategy, width), id=name) for name, strategy in STRATEGIES.items()))
            with VerticalScroll(can_focus=False):
                yield Static(classes="about", markup=False)
            yield Footer(show_command_palette=False, compact=True)

    def _line(self, strategy: Strategy, width: int) -> Text:
        sign = "*" if strategy.name == self._now else " "
        about = "" if strategy.persistence == "outbound" else f"  {strategy.persistence}"
        return Text(f"{sign} {strategy.title:<{width}}{about}", no_wrap=True, overflow="ellipsis")

    def on_mount(self) -> None:
        """Begins at the strategy that is shown."""
        self.query_one(OptionList).highlighted = list(STRATEGIES).index(self._now)

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        strategy = STRATEGIES[event.option_id or self._now]
        defaults = strategy.options()
        options = ", ".join(f"{knob.label} {getattr(defaults, knob.name):,} {knob.unit}" for knob in defaults.knobs())
        rows = (
            ("stages", " > ".join(defaults.stages)),
            ("options", options or "none"),
            ("in place of a result", strategy.placeholder or "nothing"),
            ("effect", strategy.persistence),
            ("fidelity", strategy.fidelity),
            ("source", strategy.source),
        )
        parts: list[Content | str | tuple[str, str]] = [strategy.explanation, "\n"]
        for name, text in rows:
            parts += ["\n", (f"{name}: ", "bold"), text]
        self.query_one(".about", Static).update(Content.assemble(*parts))

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id)

    def action_down(self) -> None:
        """Goes down."""
        self.query_one(OptionList).action_cursor_down()

    def action_up(self) -> None:
        """Goes up."""
        self.query_one(OptionList).action_cursor_up()
