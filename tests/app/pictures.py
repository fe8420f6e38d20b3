"""Apps for the pictures: a sample, opened at once, so that a picture never depends on a worker's speed."""

from __future__ import annotations

from tui.app.app import OutboundApp
from tui.app.opened import Start, open_session
from tui.app.screens.main import MainScreen
from tui.demos.samples import sample
from tui.export.settings import Settings


class PictureApp(OutboundApp):
    """Shows one sample's main screen and nothing before it."""

    def __init__(self, name: str, start: Start | None = None, theme: str = "textual-dark") -> None:
        super().__init__(None, Start(Settings()))
        chosen = sample(name)
        path = str(chosen.path)
        self._opened = open_session(path, start or Start.of_sample(chosen), lambda *_, **__: None, lambda: False)
        self._first_theme = theme

    def begin(self) -> None:  # type: ignore[override]
        self.theme = self._first_theme
        self.push_screen(MainScreen(self._opened))
