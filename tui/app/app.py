"""The application: picker, loading, main screen, one after the other."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from textual import work
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen

from tui.app.commands import COMMANDS
from tui.app.opened import Opened, Start
from tui.app.screens.loading import LoadingScreen
from tui.app.screens.main import MainScreen
from tui.app.screens.picker import Choice, PickerScreen
from tui.demos.samples import samples
from tui.model import OutboundError
from tui.strategies import STRATEGIES


class OutboundApp(App[int]):
    """Shows sessions until the user quits."""

    TITLE = "outbound"

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+q", "quit", "Quit", show=False, priority=True)]

    def __init__(self, path: str | None, start: Start, own_options: bool = False) -> None:
        """Initialise the app.

        Args:
            path: A session, a directory of sessions, or None for the picker of samples.
            start: How a file is first shown.
            own_options: Whether ``start`` was asked for; otherwise a sample opens where its story is.
        """
        super().__init__()
        self._path = path
        self._start = start
        self._own_options = own_options

    def on_mount(self) -> None:
        """Opens what was asked for."""
        self.begin()

    @work
    async def begin(self) -> None:
        """Shows one session after the other, with the picker between."""
        choice: Choice | None = None
        directory: str | None = None
        problem = ""
        if self._path is not None:
            if Path(self._path).is_dir():
                directory = self._path
            else:
                choice = Choice(self._path, self._start_of(self._path))
        while True:
            while choice is None:
                choice = await self.push_screen_wait(PickerScreen(directory, self._start, problem))
                problem = ""
                if Path(choice.path).is_dir():
                    directory, choice = choice.path, None
            loaded = await self.push_screen_wait(LoadingScreen(choice.path, choice.start))
            choice = None
            if loaded is not None:
                left = await self.push_screen_wait(MainScreen(loaded.opened, loaded.loader))
                while isinstance(left, Opened):  # the same session, under another strategy
                    left = await self.push_screen_wait(MainScreen(left))
                problem = left

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The colours of the three outcomes: apart from each other and from the cursor, in any theme."""
        if self.current_theme.dark:
            return {"truncated": "#e5b45a", "cleared": "#4fc1b0", "dropped": "#e8788f"}
        return {"truncated": "#8a5a00", "cleared": "#00695c", "dropped": "#b00030"}

    def copy_to_clipboard(self, text: str) -> None:
        """Copies text; a lone surrogate, which no clipboard can hold, becomes U+FFFD."""
        super().copy_to_clipboard(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))

    def _start_of(self, path: str) -> Start:
        """A sample opens where its story is, unless something else was asked for."""
        if not self._own_options:
            try:
                for sample in samples():
                    if sample.path.resolve() == Path(path).resolve():
                        return Start.of_sample(sample)
            except (OutboundError, OSError):
                pass
        return self._start

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The palette: every command of the table that fits the screen, then Textual's own."""
        if isinstance(screen, MainScreen):
            for name, strategy in STRATEGIES.items():

                def choose(name: str = name) -> None:
                    self.call_later(screen.choose_strategy, name)

                yield SystemCommand(f"Compact with {strategy.title}", "Stages", choose)
            for command in COMMANDS:
                if command.action == "app.command_palette":
                    continue
                action = command.action

                def call(action: str = action) -> None:
                    self.call_later(screen.run_action, action)

                keys = f" ({command.shown})" if command.shown else ""
                yield SystemCommand(command.help, f"{command.group}{keys}", call)
        for own in super().get_system_commands(screen):
            if own.title not in ("Quit", "Keys"):
                yield own
