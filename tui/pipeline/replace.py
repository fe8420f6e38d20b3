"""One constant text in place of some results: what most strategies do."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from tui.model.chars import units
from tui.pipeline.index import Bools, Ints, SessionIndex
from tui.pipeline.variant import Rewritten, Variant


def holding(index: SessionIndex, text: str) -> Bools:
    """Which results hold just this text in the conversation; remembered by the index."""

    def make() -> Bools:
        found = np.zeros(len(index.results), np.bool_)
        for row in np.flatnonzero(index.results.chars == units(text)):
            found[row] = index.result(int(row)).content == text
        return found

    return index.remembered(("holding", text), make)


@dataclass(frozen=True, slots=True)
class Replace:
    """Puts ``placeholder`` in place of every result of a mask; one that is it already stays.

    Attributes:
        index: The session's index.
        key: The rule with all that ``mask`` and ``use_saved`` depend on.
        mask: Which results it replaces.
        placeholder: What with; empty where the result is gone.
        use_saved: What it saves in the tool_use that each result answers, in chars; None when it touches none.
    """

    index: SessionIndex
    key: Hashable
    mask: Bools
    placeholder: str
    use_saved: Ints | None = None

    def apply(self, before: Variant) -> Rewritten:
        """What it makes of all results."""
        chars = np.where(self.mask, units(self.placeholder), before.chars)
        same = holding(self.index, self.placeholder) & ~before.touched
        saved = None if self.use_saved is None else np.where(self.mask, self.use_saved, 0)
        return Rewritten(self.mask, self.mask & ~same, chars, saved)

    def text(self, row: int, text: str) -> str:
        """The placeholder."""
        return self.placeholder
