"""An opened session: all that is made of a file before it can be drawn, and how it should first be shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tui.app.layout import Page, page_of
from tui.demos.samples import Sample
from tui.formats import load_session
from tui.model import LoadCancelled, Session
from tui.pipeline.evaluation import OUTBOUND
from tui.pipeline.index import index_of
from tui.pipeline.options import CompactOptions
from tui.strategies.react_agent_mini_v4 import NAME as DEFAULT_STRATEGY

Progress = Callable[[str, int, int | None], None]
"""Told what is being done, how many bytes or steps are done, and of how many if that is known."""


@dataclass(frozen=True, slots=True)
class Start:
    """How a session is first shown.

    Attributes:
        options: The options.
        call: The call; None for the next.
        stage: The tab.
        across: Whether messages before a compact boundary are counted in.
        strategy: The strategy's name.
        look_for: What a sample's index says to look for; empty for a file.
    """

    options: CompactOptions
    call: int | None = None
    stage: str = OUTBOUND
    across: bool = False
    strategy: str = DEFAULT_STRATEGY
    look_for: str = ""

    @classmethod
    def of_sample(cls, sample: Sample) -> Start:
        """Where the story of a sample is."""
        options = CompactOptions(**sample.options)
        return cls(options=options, call=sample.call, stage=sample.stage, look_for=sample.look_for)


@dataclass(frozen=True, slots=True)
class Opened:
    """A session ready to be drawn.

    Attributes:
        session: The session.
        page: Its entries, with their shapes.
        start: How it is first shown.
    """

    session: Session
    page: Page
    start: Start


def open_session(path: str, start: Start, progress: Progress, cancelled: Callable[[], bool]) -> Opened:
    """Reads a session and prepares it; takes time in proportion to the file, so it runs in a worker.

    Raises:
        OutboundError: The file cannot be read.
        LoadCancelled: ``cancelled`` said so.
    """

    def check() -> None:
        if cancelled():
            raise LoadCancelled("loading was cancelled", source=path)

    session = load_session(path, progress=lambda now: progress("reading", now.done, now.total), cancelled=cancelled)
    check()
    progress("indexing", 0, None)
    index_of(session)
    check()
    progress("laying out", 0, None)
    page = page_of(session)
    check()
    return Opened(session, page, start)
