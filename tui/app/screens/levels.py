"""The five-level map: what each level of Claude Code would do at this call."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from tui.strategies.levels import Level


class LevelsScreen(ModalScreen[Level]):
    """L1 to L5, one below the other, those that would act marked.

    Returns the chosen level; None when it is left.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,L", "dismiss", "Close", key_display="Esc"),
        Binding("enter", "choose", "Show its stage"),
        Binding("j", "down", show=False),
        Binding("k", "up", show=False),
    ]

    DEFAULT_CSS = """
    LevelsScreen {
        align: center middle;
        & > Vertical {
            width: 94%;
            max-width: 120;
            height: auto;
            max-height: 90%;
            border: round $primary;
            background: $surface;
            padding: 0 1;
        }
        & OptionList { height: auto; max-height: 1fr; border: none; padding: 0; background: $surface; }
        & OptionList:focus { border: none; background-tint: $foreground 0%; }
        & .hint { color: $foreground 65%; height: auto; margin: 1 0; }
    }
    """

    def __init__(self, levels: tuple[Level, ...], call: int) -> None:
        """Initialise the screen.

        Args:
            levels: The five levels at a call.
            call: Its number.
        """
        super().__init__()
        self._levels = levels
        self._call = call

    def compose(self) -> ComposeResult:
        """The levels, what is to be said of them, the keys."""
        with Vertical() as box:
            box.border_title = Content(f"the five levels of Claude Code at call {self._call:,}")
            yield OptionList(*(Option(self._row(level), id=str(level.number)) for level in self._levels))
            yield Static(
                "Each by itself, with its defaults, on the whole conversation. L1 and L3 are simulated (defaults "
                "reconstructed), L2 and L4 only named; of L5 the trigger is known, no summary is made up.",
                classes="hint",
                markup=False,
            )
            yield Footer(show_command_palette=False, compact=True)

    def _row(self, level: Level) -> Text:
        acts = "acts " if level.acts else "idle " if level.simulated else "label"
        style = "bold" if level.acts else "" if level.simulated else "dim"
        row = Text(f"L{level.number} {level.title:<18} {acts}  {level.rule}\n", style)
        row.append(f"{'':<28}{level.words}\n", style if level.acts else "dim")
        return row

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self._choose(int(event.option_id or 0))

    def action_choose(self) -> None:
        """Goes to the stage of the level under the cursor."""
        self._choose((self.query_one(OptionList).highlighted or 0) + 1)

    def _choose(self, number: int) -> None:
        level = self._levels[number - 1]
        if level.strategy:
            self.dismiss(level)
        else:
            self.notify(f"L{number} has no stage to show: {level.words}", markup=False)

    def action_down(self) -> None:
        """Goes down."""
        self.query_one(OptionList).action_cursor_down()

    def action_up(self) -> None:
        """Goes up."""
        self.query_one(OptionList).action_cursor_up()
