"""Shown while a file loads: how far it is, and how to stop it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import ProgressBar, Static

from tui.app.loader import Failed, Finished, HeadRead, Loader, Progressed
from tui.app.opened import Opened, Start
from tui.model import OutboundError
from tui.model.visible import visible_line, visible_lines


@dataclass(frozen=True, slots=True)
class Loaded:
    """What loading has come to.

    Attributes:
        opened: The session, or its head.
        loader: What still reads the rest; None when all is there.
    """

    opened: Opened
    loader: Loader | None


class LoadingScreen(Screen[Loaded | None]):
    """Loads a file; returns it, or its head and who reads the rest; None when it was cancelled or cannot be read."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Cancel"),
        Binding("q,ctrl+q", "app.quit", "Quit"),
    ]

    DEFAULT_CSS = """
    LoadingScreen {
        align: center middle;
        & > Vertical { width: 80%; max-width: 80; height: auto; }
        & Static { height: auto; }
        & ProgressBar { margin: 1 0; width: 1fr; }
        & Bar { width: 1fr; }
        & .quiet { color: $foreground 60%; }
        & .problem { color: $text-error; text-style: bold; }
        &.-failed ProgressBar { display: none; }
    }
    """

    def __init__(self, path: str, start: Start) -> None:
        super().__init__()
        self._loader = Loader(path, start)
        self.problem: OutboundError | None = None

    def compose(self) -> ComposeResult:
        """The file, a bar, a word on what is being done."""
        with Vertical():
            yield Static(Content(visible_line(self._loader.path)), id="file", markup=False)
            yield ProgressBar(total=None, show_eta=False)
            yield Static("reading", classes="quiet", id="doing", markup=False)
            yield Static("Escape cancels, q quits", classes="quiet", id="keys", markup=False)

    def on_mount(self) -> None:
        """Starts to load."""
        self._loader.run(self)

    def on_unmount(self) -> None:
        """Stops the loader, unless another screen listens to it by now."""
        if self._loader.listener is self:
            self._loader.stop()

    @on(Progressed)
    def _progressed(self, event: Progressed) -> None:
        bar = self.query_one(ProgressBar)
        bar.update(total=event.total if event.doing == "reading" else None, progress=event.done)
        self.query_one("#doing", Static).update(Content(str(event)))

    @on(HeadRead)
    def _head_read(self, event: HeadRead) -> None:
        if self._loader.listener is self:
            self._loader.listen(None)  # until the next screen listens
            self.dismiss(Loaded(event.opened, self._loader))

    @on(Finished)
    def _finished(self, event: Finished) -> None:
        if self._loader.listener is self:
            self._loader.stop()
            self.dismiss(Loaded(event.opened, None))

    @on(Failed)
    def _failed(self, event: Failed) -> None:
        self.problem = event.error
        self.add_class("-failed")
        file = self.query_one("#file", Static)
        file.set_classes("problem")
        file.update(Content("\n".join(visible_lines(str(event.error)))))
        self.query_one("#doing", Static).update("")
        self.query_one("#keys", Static).update("Escape chooses another file, q quits")

    def action_leave(self) -> None:
        """Stops loading, or leaves the message about what is wrong."""
        self._loader.stop()
        self.dismiss(None)
