r"""Stage 1, budget: a tool result longer than maxToolResultChars is cut (SPEC.md, section 2).

A longer result (strictly) becomes its first maxToolResultChars units plus a note of 28 units. A character that the
limit would halve is left out whole. Results inside assistant messages and text blocks are never cut.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tui.model.chars import head, units
from tui.pipeline.draft import Draft, Piece
from tui.pipeline.outcomes import Outcome, Reason
from tui.pipeline.placeholder import TRUNCATION_NOTE, TRUNCATION_NOTE_CHARS
from tui.pipeline.stage import Stage, acted_count, counted, within
from tui.pipeline.variant import Rewritten, Variant

NAME = "budget"


class CutOptions(Protocol):
    """The options that it looks at."""

    @property
    def max_tool_result_chars(self) -> int:
        """The option maxToolResultChars."""
        ...

    def runs(self, stage: str) -> bool:
        """Whether ``stage`` is switched on."""
        ...


@dataclass(frozen=True, slots=True)
class Cut:
    """Cuts every result that is longer than ``limit`` chars.

    Attributes:
        limit: The option maxToolResultChars.
    """

    limit: int

    @property
    def key(self) -> tuple[str, int]:
        """The rule and its limit."""
        return NAME, self.limit

    def apply(self, before: Variant) -> Rewritten:
        """What it makes of all results."""
        results, limit = before.index.results, self.limit
        acts = before.chars > limit
        kept = np.full(len(results), limit, np.int64)
        if len(results.pairs) and limit:
            last = results.offset[acts] + limit - 1
            found = np.searchsorted(results.pairs, last)
            halved = results.pairs[np.minimum(found, len(results.pairs) - 1)] == last
            kept[acts] -= halved
        # Another stage's text is not the one that the index knows the character pairs of.
        for row in map(int, np.flatnonzero(acts & before.touched)):
            kept[row] = units(head(before.text(row, before.index.result(row).content), limit))
        chars = np.where(acts, kept + TRUNCATION_NOTE_CHARS, before.chars)
        same = results.has_note & (chars == before.chars) & ~before.touched
        return Rewritten(acts, acts & ~same, chars)

    def text(self, row: int, text: str) -> str:
        """What is left of a text, with the note."""
        return head(text, self.limit) + TRUNCATION_NOTE


@dataclass(frozen=True, eq=False, kw_only=True)
class Budget(Stage):
    """Budget at some calls."""

    effect = Outcome.TRUNCATED

    options: CutOptions

    def why_acted(self, at: int, row: int, before: int, after: int) -> str:
        """Where the result was cut, and what was lost."""
        kept = after - TRUNCATION_NOTE_CHARS
        lost = before - kept
        return f"cut at {kept:,}: {lost:,} of {before:,} chars lost, a note of {TRUNCATION_NOTE_CHARS} added"

    def why_kept(self, at: int, number: int, row: int | None, chars: int) -> tuple[Reason, str]:
        """Why a block was not cut."""
        if not self.options.runs(NAME):
            return Reason.DISABLED, "budget is switched off"
        if row is None:
            return Reason.NEVER_TOUCHED, "budget cuts only tool results in user messages"
        if self.acting_variant(at, row) is not None:
            return Reason.TOO_SMALL, "already cut: cutting it again gives the same text"
        limit = self.options.max_tool_result_chars
        return Reason.TOO_SMALL, f"not cut: {chars:,} chars, maxToolResultChars is {limit:,}"

    def trace(self, at: int) -> list[str]:
        """The original's trace lines at call ``at``."""
        if not self.count[at]:
            return []
        n = self.before.messages[at]
        return [
            f"[trace] compact.run stage=budget before={n} after={n} truncatedBlocks={self.count[at]} strategy=truncate"
        ]

    def verdict(self, at: int) -> str:
        """What happened at call ``at``, in words."""
        if not self.options.runs(NAME):
            return "budget is switched off"
        limit = self.options.max_tool_result_chars
        if not (count := int(self.count[at])):
            return f"no result over {limit:,}: nothing cut"
        return f"cut {counted(count, 'result')} over {limit:,}"


def budget(draft: Draft, options: CutOptions) -> Budget:
    """Budget, after what made ``draft``."""
    after: Draft = draft
    acted: tuple[Piece, ...] = ()
    if options.runs(NAME):
        after, acted = draft.rewritten(Cut(within(options.max_tool_result_chars)))
    count = acted_count(acted, len(draft.calls))
    return Budget(name=NAME, options=options, before=draft, after=after, count=count, acted=acted)
