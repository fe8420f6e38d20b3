"""What every stage offers to the evaluation, and what most stages share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from tui.pipeline.draft import Draft, Piece
from tui.pipeline.index import Bools, Ints, slice_between
from tui.pipeline.outcomes import Outcome, Reason, StageOutcome
from tui.pipeline.variant import Variant

_FAR = 1 << 60


def within(value: int) -> int:
    """``value``, or a number beyond any session's size that still fits an array."""
    return min(value, _FAR)


def counted(count: int, noun: str) -> str:
    """A number with its noun: ``1 result``, ``2,000 results``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def ordinal(value: int) -> str:
    """A place counted from 1, as it stands before ``newest``: ``the``, ``2nd``, ``1,000th``."""
    if value == 1:
        return "the"
    tail = {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th") if value % 100 not in (11, 12, 13) else "th"
    return f"{value:,}{tail}"


@dataclass(frozen=True, eq=False, kw_only=True)
class Stage(ABC):
    """One stage evaluated at some calls; ``at`` counts those calls from 0.

    Attributes:
        name: Its name, such as ``micro``.
        before: What it found.
        after: What it left.
        count: What its trace line counts (results cut or cleared, messages dropped), one a call.
        acted: The ranges of results that it rewrote.
    """

    effect: ClassVar[Outcome]
    """What it makes of the blocks that it acts on."""

    rewrites_prefix: ClassVar[bool] = True
    """Whether the provider's prompt cache sees its changes as another prompt."""

    name: str
    before: Draft
    after: Draft
    count: Ints
    acted: tuple[Piece, ...] = field(default=())

    @property
    def estimate(self) -> Ints:
        """The outbound view's size after it, in chars, one a call."""
        return self.after.estimate

    @property
    def kept_from(self) -> Ints:
        """First message of the outbound view after it, one a call."""
        return self.after.kept_from

    @property
    def traced(self) -> Bools:
        """The calls at which it writes trace lines: where it counts something, unless its effect outlasts the call."""
        return self.count > 0

    def decide(self, at: int, number: int, row: int | None, chars: int) -> StageOutcome:
        """What it made of a block at a call.

        Args:
            at: The call.
            number: The block's number in the session.
            row: Its row in ``index.results``; None for another block.
            chars: Its counted size before this stage.
        """
        variant = None if row is None else self.acting_variant(at, row)
        if row is not None and variant is not None and variant.changed[row]:
            after = int(variant.chars[row])
            return StageOutcome(self.name, self.effect, after, None, self.why_acted(at, row, chars, after))
        reason, why = self.why_kept(at, number, row, chars)
        return StageOutcome(self.name, Outcome.KEPT, chars, reason, why)

    def acting_variant(self, at: int, row: int) -> Variant | None:
        """What the results look like where this stage acts on result ``row`` at a call; None where it does not."""
        for piece in self.acted:
            if piece.first[at] <= row < piece.last[at] and piece.variant.acts[row]:
                return piece.variant
        return None

    def why_acted(self, at: int, row: int, before: int, after: int) -> str:
        """In a sentence, why it rewrote result ``row``, from how many chars to how many."""
        raise NotImplementedError

    @abstractmethod
    def why_kept(self, at: int, number: int, row: int | None, chars: int) -> tuple[Reason, str]:
        """Why it left a block alone, in a word and in a sentence; the arguments are those of ``decide``."""

    def changed_rows(self, at: int) -> Ints:
        """Rows of the results whose text it changed at a call, ascending."""
        rows = [slice_between(piece.variant.changed_rows, piece.first[at], piece.last[at]) for piece in self.acted]
        return rows[0] if len(rows) == 1 else np.concatenate([np.empty(0, np.int64), *rows])

    def changed_uses(self, at: int) -> Ints:
        """Block numbers of the tool_use blocks that it changed at a call, ascending."""
        return np.empty(0, np.int64)

    @abstractmethod
    def trace(self, at: int) -> list[str]:
        """The trace lines of a call."""

    @abstractmethod
    def verdict(self, at: int) -> str:
        """What happened at a call, in words."""


def acted_count(acted: tuple[Piece, ...], calls: int) -> Ints:
    """On how many results a rewrite acted, at each of so many calls."""
    total = np.zeros(calls, np.int64)
    for piece in acted:
        total += piece.variant.count(piece.first, piece.last)
    return total
