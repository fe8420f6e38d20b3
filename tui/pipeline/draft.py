"""The outbound view of some calls, as far as the stages so far have made it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tui.pipeline.index import Calls, Ints, SessionIndex
from tui.pipeline.variant import Rewrite, Variant


@dataclass(frozen=True, slots=True)
class Piece:
    """Results in a row that were rewritten in the same way: ``first[i] <= row < last[i]`` at call ``i``.

    Attributes:
        first: First row, one a call.
        last: One past the last row, never less than ``first``.
        variant: How they look.
    """

    first: Ints
    last: Ints
    variant: Variant


@dataclass(frozen=True, eq=False)
class Draft:
    """What a stage finds, and what it leaves.

    Attributes:
        index: The session's index.
        calls: The calls.
        kept_from: First message that is still there, one a call.
        pieces: The results from ``kept_from`` on, ascending and without gaps.
    """

    index: SessionIndex
    calls: Calls
    kept_from: Ints
    pieces: tuple[Piece, ...]

    @classmethod
    def of(cls, index: SessionIndex, calls: Calls) -> Draft:
        """The conversation as the calls see it, before any stage."""
        first, last = index.results_before[calls.start], index.results_before[calls.end]
        return cls(index, calls, calls.start, (Piece(first, last, Variant.original(index)),))

    @cached_property
    def estimate(self) -> Ints:
        """Size in chars, one a call."""
        rest = self.index.rest_before
        total: Ints = rest[self.calls.end] - rest[self.kept_from]
        for piece in self.pieces:
            total = total + piece.variant.sum(piece.first, piece.last)
        return total

    @cached_property
    def messages(self) -> Ints:
        """How many messages are there, one a call."""
        return self.index.rank[self.calls.end] - self.index.rank[self.kept_from]

    @property
    def first_row(self) -> Ints:
        """The first result that is still there, one a call."""
        return self.index.results_before[self.kept_from]

    @property
    def last_row(self) -> Ints:
        """One past the last result, one a call."""
        return self.index.results_before[self.calls.end]

    def rewritten(
        self, rewrite: Rewrite, first: Ints | None = None, last: Ints | None = None
    ) -> tuple[Draft, tuple[Piece, ...]]:
        """The draft after a rewrite of the results ``first <= row < last``, and the pieces that it acted on.

        Args:
            rewrite: The rule.
            first: From which row on, one a call; from the first when None.
            last: Up to which row, one a call; to the end when None.
        """
        pieces: list[Piece] = []
        acted: list[Piece] = []
        for piece in self.pieces:
            low = piece.first if first is None else np.clip(first, piece.first, piece.last)
            high = piece.last if last is None else np.clip(last, low, piece.last)
            if not (low < high).any():  # nowhere: the variant need not be made
                pieces.append(piece)
                continue
            if first is not None:
                pieces.append(Piece(piece.first, low, piece.variant))
            new = Piece(low, high, piece.variant.then(rewrite))
            pieces.append(new)
            acted.append(new)
            if last is not None:
                pieces.append(Piece(high, piece.last, piece.variant))
        return Draft(self.index, self.calls, self.kept_from, tuple(pieces)), tuple(acted)

    def dropped(self, kept_from: Ints) -> Draft:
        """The draft without the messages before ``kept_from``, one a call."""
        row = self.index.results_before[kept_from]
        pieces = tuple(
            Piece(np.maximum(piece.first, row), np.maximum(piece.last, row), piece.variant) for piece in self.pieces
        )
        return Draft(self.index, self.calls, kept_from, pieces)

    def at(self, at: int) -> Iterator[tuple[int, int, Variant]]:
        """The pieces of one call that are not empty: first row, one past the last row, variant."""
        for piece in self.pieces:
            first, last = int(piece.first[at]), int(piece.last[at])
            if first < last:
                yield first, last, piece.variant

    def variant(self, at: int, row: int) -> Variant | None:
        """How result ``row`` looks at call ``at``; None where it was dropped or is not seen."""
        return next((variant for first, last, variant in self.at(at) if first <= row < last), None)

    @property
    def only_variant(self) -> Variant:
        """The one variant of all results, before any stage that acts differently from call to call."""
        (piece,) = self.pieces
        return piece.variant
