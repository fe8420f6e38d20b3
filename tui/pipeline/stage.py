"""What every stage offers to the evaluation."""

from __future__ import annotations

from typing import Protocol

from tui.pipeline.index import Ints
from tui.pipeline.outcomes import Outcome, StageOutcome

_FAR = 1 << 60


def within(value: int) -> int:
    """``value``, or a number beyond any session's size that still fits an array."""
    return min(value, _FAR)


class Stage(Protocol):
    """One stage evaluated at some calls; ``at`` counts those calls from 0."""

    @property
    def name(self) -> str:
        """Its name, such as ``micro``."""
        ...

    @property
    def effect(self) -> Outcome:
        """What it makes of the blocks that it acts on."""
        ...

    @property
    def estimate(self) -> Ints:
        """The outbound view's size after it, in chars, one a call."""
        ...

    @property
    def count(self) -> Ints:
        """What its trace line counts (blocks truncated, results cleared, messages dropped), one a call."""
        ...

    def decide(self, at: int, number: int, row: int | None, chars: int) -> StageOutcome:
        """What it made of block ``number`` (result ``row``, or None for another block) of ``chars`` chars."""
        ...

    def text(self, row: int, text: str) -> str:
        """The text of result ``row`` after this stage acted on it, from the text before it."""
        ...

    def changed_rows(self, at: int) -> Ints:
        """Rows of the results whose text it changed at call ``at``, ascending."""
        ...

    def trace(self, at: int) -> list[str]:
        """The original program's trace lines."""
        ...

    def verdict(self, at: int) -> str:
        """What happened, in words."""
        ...
