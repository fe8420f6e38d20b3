"""How the tool results of a session look after some rewriting: one size and one text a result, whatever the call.

A stage decides at each call how far back it acts; what it makes of a result there is the same at every call. So a
variant is made once for each set of options, and a call's view is a few ranges of results, each in one variant.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from tui.pipeline.index import Bools, Ints, SessionIndex, prefix_sum


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What a rewrite makes of all results of a session.

    Attributes:
        acts: Which results it rewrites, those that it leaves as they were among them.
        changed: Which of them become another text.
        chars: Each result's size after it, in UTF-16 code units.
        use_saved: What it saves in the tool_use that a result answers, in chars; None when it touches none.
    """

    acts: Bools
    changed: Bools
    chars: Ints
    use_saved: Ints | None = None


class Rewrite(Protocol):
    """A rule that puts another text in place of some results' texts."""

    @property
    def key(self) -> Hashable:
        """Two rewrites of one session with the same key are the same."""
        ...

    def apply(self, before: Variant) -> Rewritten:
        """What it makes of all results, as ``before`` leaves them."""
        ...

    def text(self, row: int, text: str) -> str:
        """The new text of result ``row``, which it acts on, from the text before."""
        ...


class Variant:
    """All results after a chain of rewrites.

    Attributes:
        index: The session's index.
        before: The results before the last rewrite; None for those of the conversation.
        rewrite: The last rewrite; None for the conversation.
        acts: Which results it rewrites.
        changed: Which of them become another text.
        touched: Which results have another text than in the conversation.
        chars: Each result's size, in UTF-16 code units.
    """

    def __init__(self, index: SessionIndex, before: Variant | None = None, rewrite: Rewrite | None = None) -> None:
        """Initialise the variant; ``original`` and ``then`` are how to come by one."""
        self.index = index
        self.before = before
        self.rewrite = rewrite
        results = index.results
        if before is None or rewrite is None:
            self.key: tuple[Hashable, ...] = ()
            self.acts = self.changed = self.touched = np.zeros(len(results), np.bool_)
            self.chars = self.weight = results.chars
            return
        found = rewrite.apply(before)
        self.key = (*before.key, rewrite.key)
        self.acts, self.changed, self.chars = found.acts, found.changed, found.chars
        self.touched = before.touched | found.changed if before.key else found.changed
        self.weight = found.chars + (before.weight - before.chars if before.key else 0)
        if found.use_saved is not None:
            self.weight = self.weight - found.use_saved

    @classmethod
    def original(cls, index: SessionIndex) -> Variant:
        """The results as the conversation holds them."""
        return index.remembered(("variant",), lambda: cls(index))

    def then(self, rewrite: Rewrite) -> Variant:
        """These results after one more rewrite; remembered by the index."""
        key = ("variant", *self.key, rewrite.key)
        return self.index.remembered(key, lambda: Variant(self.index, self, rewrite))

    @cached_property
    def _weight_before(self) -> Ints:
        return prefix_sum(self.weight)

    @cached_property
    def acts_before(self) -> Ints:
        """How many of the results before result ``i`` the last rewrite acts on."""
        return prefix_sum(self.acts)

    @cached_property
    def acting_rows(self) -> Ints:
        """The rows that the last rewrite acts on."""
        return np.flatnonzero(self.acts).astype(np.int64)

    @cached_property
    def changed_rows(self) -> Ints:
        """The rows to which the last rewrite gives another text."""
        return np.flatnonzero(self.changed).astype(np.int64)

    def sum(self, first: Ints, last: Ints) -> Ints:
        """What the results ``first <= row < last`` add to the estimate, for each pair, in chars.

        That is their sizes, less what the rewrites saved in the tool_use blocks that they answer.
        """
        if len(first) == 1:  # one call: a running sum over all results would take longer
            return np.array([self.weight[first[0] : last[0]].sum()], np.int64)
        return self._weight_before[last] - self._weight_before[first]

    def count(self, first: Ints, last: Ints) -> Ints:
        """How many of the results ``first <= row < last`` the last rewrite acts on, for each pair."""
        if len(first) == 1:
            return np.array([np.count_nonzero(self.acts[first[0] : last[0]])], np.int64)
        return self.acts_before[last] - self.acts_before[first]

    def text(self, row: int, original: str) -> str:
        """The text of result ``row``; the same object where no rewrite changes it."""
        if self.before is None or self.rewrite is None:
            return original
        text = self.before.text(row, original)
        return self.rewrite.text(row, text) if self.changed[row] else text
