"""Opens a file in a thread of its own, and tells whoever shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Event, Thread
from time import monotonic

from textual.message import Message as TextualMessage
from textual.message_pump import MessagePump

from tui.app.opened import Opened, Start, open_session
from tui.model import LoadCancelled, OutboundError

TELL_EVERY = 0.05
"""Seconds between two reports of progress."""

HEAD_AFTER = 0.4
"""Seconds after which the head of a session is shown while the rest is read."""


@dataclass
class Progressed(TextualMessage):
    """The file is read a bit further."""

    loader: Loader
    doing: str
    done: int
    total: int | None

    def __str__(self) -> str:
        size = f" {self.done / 1e6:,.1f} MB" if self.done else ""
        return f"{self.doing}{size}" + (f" of {self.total / 1e6:,.1f} MB" if self.total and self.done else "")


@dataclass
class HeadRead(TextualMessage):
    """The head of a large session can be shown already."""

    loader: Loader
    opened: Opened


@dataclass
class Finished(TextualMessage):
    """The session is open."""

    loader: Loader
    opened: Opened


@dataclass
class Failed(TextualMessage):
    """It cannot be opened."""

    loader: Loader
    error: OutboundError


class Loader:
    """One file being opened.

    The thread is a daemon and only ever posts messages: quitting never waits for it, and it never waits for an app
    that may be on its way out.

    Attributes:
        path: The file.
        listener: Who is told; None for nobody.
    """

    def __init__(self, path: str, start: Start) -> None:
        self.path = path
        self.listener: MessagePump | None = None
        self._start = start
        self._stop = Event()
        self._outcome: Finished | Failed | None = None

    def run(self, listener: MessagePump) -> None:
        """Starts to read, and tells ``listener``."""
        self.listen(listener)
        Thread(target=self._read, name="loader", daemon=True).start()

    def listen(self, listener: MessagePump | None) -> None:
        """Tells another listener from now on; also what came while nobody listened."""
        self.listener = listener
        if listener is not None and self._outcome is not None:
            listener.post_message(self._outcome)

    def stop(self) -> None:
        """Gives up; nobody is told anything any more."""
        self.listener = None
        self._stop.set()

    def _tell(self, message: TextualMessage) -> None:
        if (listener := self.listener) is not None:
            listener.post_message(message)

    def _read(self) -> None:
        begun, last, head_read = monotonic(), 0.0, False

        def progress(doing: str, done: int, total: int | None, head: Callable[[], Opened] | None = None) -> None:
            nonlocal last, head_read
            now = monotonic()
            if now - last >= TELL_EVERY or not done:
                last = now
                self._tell(Progressed(self, doing, done, total))
            if head is not None and not head_read and now - begun >= HEAD_AFTER:
                head_read = True
                self._tell(HeadRead(self, head()))

        try:
            opened = open_session(self.path, self._start, progress, self._stop.is_set)
        except LoadCancelled:
            return
        except OutboundError as error:
            self._outcome = Failed(self, error)
        except MemoryError:
            too_large = OutboundError("there is not enough memory for this session", source=self.path)
            self._outcome = Failed(self, too_large)
        except Exception as error:  # a fault of a reader is told too: who shows it would wait for ever
            fault = OutboundError(f"this session cannot be read: {type(error).__name__}: {error}", source=self.path)
            self._outcome = Failed(self, fault)
        else:
            self._outcome = Finished(self, opened)
        self._tell(self._outcome)
