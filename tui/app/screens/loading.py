"""Shown while a file loads: how far it is, and how to stop it."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event
from time import monotonic
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message as TextualMessage
from textual.screen import Screen
from textual.widgets import ProgressBar, Static
from textual.worker import get_current_worker

from tui.app.opened import Opened, Start, open_session
from tui.model import LoadCancelled, OutboundError
from tui.model.visible import visible_line, visible_lines

_TELL_EVERY = 0.05
"""Seconds between two updates of the bar."""


class LoadingScreen(Screen[Opened | None]):
    """Loads a file in a worker; returns what was opened, or None when it was cancelled or cannot be read."""

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

    @dataclass
    class Progressed(TextualMessage):
        """The worker has come a bit further."""

        doing: str
        done: int
        total: int | None

    @dataclass
    class Finished(TextualMessage):
        """The worker has opened the session."""

        opened: Opened

    @dataclass
    class Failed(TextualMessage):
        """The worker could not open it."""

        error: OutboundError

    def __init__(self, path: str, start: Start) -> None:
        super().__init__()
        self._path = path
        self._start = start
        self._stop = Event()
        self.problem: OutboundError | None = None

    def compose(self) -> ComposeResult:
        """The file, a bar, a word on what is being done."""
        with Vertical():
            yield Static(Content(visible_line(self._path)), id="file", markup=False)
            yield ProgressBar(total=None, show_eta=False)
            yield Static("reading", classes="quiet", id="doing", markup=False)
            yield Static("Escape cancels, q quits", classes="quiet", id="keys", markup=False)

    def on_mount(self) -> None:
        """Starts to load."""
        self._load()

    def on_unmount(self) -> None:
        """Stops the worker, should it still run."""
        self._stop.set()

    @work(thread=True, exclusive=True, exit_on_error=False)
    def _load(self) -> None:
        worker = get_current_worker()
        last = 0.0

        def progress(doing: str, done: int, total: int | None) -> None:
            nonlocal last
            now = monotonic()
            if now - last >= _TELL_EVERY or not done:
                last = now
                self.post_message(self.Progressed(doing, done, total))

        def cancelled() -> bool:
            return self._stop.is_set() or worker.is_cancelled

        # Messages, not calls into the app: the thread never waits for an app that may be on its way out.
        try:
            opened = open_session(self._path, self._start, progress, cancelled)
        except LoadCancelled:
            return
        except OutboundError as error:
            self.post_message(self.Failed(error))
        except MemoryError:
            too_large = OutboundError("there is not enough memory for this session", source=self._path)
            self.post_message(self.Failed(too_large))
        except Exception as error:  # a fault of a reader is said too: the screen would wait for it for ever
            fault = OutboundError(f"this session cannot be read: {type(error).__name__}: {error}", source=self._path)
            self.post_message(self.Failed(fault))
        else:
            self.post_message(self.Finished(opened))

    @on(Progressed)
    def _progressed(self, event: Progressed) -> None:
        bar = self.query_one(ProgressBar)
        bar.update(total=event.total if event.doing == "reading" else None, progress=event.done)
        size = f" {event.done / 1e6:,.1f} MB" if event.done else ""
        size += f" of {event.total / 1e6:,.1f} MB" if event.total and event.done else ""
        self.query_one("#doing", Static).update(Content(f"{event.doing}{size}"))

    @on(Finished)
    def _finished(self, event: Finished) -> None:
        if not self._stop.is_set():
            self._stop.set()
            self.dismiss(event.opened)

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
        self._stop.set()
        self.dismiss(None)
