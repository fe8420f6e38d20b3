"""An opened session: all that is made of a file before it can be drawn, and how it should first be shown."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from tui.app.layout import Page, page_of
from tui.demos.samples import Sample
from tui.export.settings import Settings
from tui.formats import load_session
from tui.formats.load import Progress as Loading
from tui.model import LoadCancelled, Session
from tui.pipeline.evaluation import OUTBOUND
from tui.pipeline.index import index_of

HEAD = 400
"""Messages of a large session that are shown while the rest is read."""


class Progress(Protocol):
    """Told how far opening has come."""

    def __call__(self, doing: str, done: int, total: int | None, head: Callable[[], Opened] | None = None) -> None:
        """Takes what is being done, bytes done, bytes in all if known, and what makes the session's head so far."""
        ...


@dataclass(frozen=True, slots=True)
class Start:
    """How a session is first shown.

    Attributes:
        settings: Strategy, options, and whether messages before a compact boundary are counted in.
        call: The call; None for the next.
        stage: The tab.
        look_for: What a sample's index says to look for; empty for a file.
    """

    settings: Settings
    call: int | None = None
    stage: str = OUTBOUND
    look_for: str = ""

    @classmethod
    def of_sample(cls, sample: Sample) -> Start:
        """Where the story of a sample is."""
        settings = Settings(strategy=sample.strategy, options=sample.strategy_options)
        return cls(settings, call=sample.call, stage=sample.stage, look_for=sample.look_for)


@dataclass(frozen=True, slots=True)
class Opened:
    """A session ready to be drawn.

    Attributes:
        session: The session, or its head while the rest is read.
        page: Its entries, with their shapes.
        start: How it is first shown.
    """

    session: Session
    page: Page
    start: Start


def open_session(path: str, start: Start, progress: Progress, cancelled: Callable[[], bool]) -> Opened:
    """Reads a session and prepares it; takes time in proportion to the file, so it runs in a thread.

    Raises:
        OutboundError: The file cannot be read.
        LoadCancelled: ``cancelled`` said so.
    """

    def check() -> None:
        if cancelled():
            raise LoadCancelled("loading was cancelled", source=path)

    def prepared(session: Session) -> Opened:
        check()
        index_of(session)
        check()
        page = page_of(session)
        check()
        return Opened(session, page, start)

    def tell(now: Loading) -> None:
        snapshot = now.snapshot
        head = None if snapshot is None else lambda: prepared(head_of(snapshot()))
        progress("reading", now.done, now.total, head)

    session = load_session(path, progress=tell, cancelled=cancelled)
    check()
    progress("laying out", 0, None)
    opened = prepared(session)
    # A session never changes: what was made of it need not be looked at again for garbage.
    gc.freeze()
    return opened


def head_of(session: Session) -> Session:
    """The first messages of a session, as a session."""
    return replace(
        session,
        messages=session.messages[:HEAD],
        boundaries=tuple(boundary for boundary in session.boundaries if boundary.message < HEAD),
        sidechains=tuple(chain for chain in session.sidechains if chain.before < HEAD),
    )
