r"""Stage 1, budget: a tool result longer than maxToolResultChars is cut (SPEC.md, section 2).

A longer result (strictly) becomes its first maxToolResultChars units plus a note of 28 units. A character that the
limit would halve is left out whole. Results inside assistant messages and text blocks are never cut.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.model.chars import head
from tui.pipeline.index import Bools, Calls, Ints, SessionIndex, prefix_sum, slice_between
from tui.pipeline.options import CompactOptions
from tui.pipeline.outcomes import Outcome, Reason, StageOutcome
from tui.pipeline.placeholder import TRUNCATION_NOTE, TRUNCATION_NOTE_CHARS
from tui.pipeline.stage import within

NAME = "budget"


@dataclass(frozen=True, slots=True)
class BudgetTable:
    """What budget makes of every result of a session, whatever the call.

    Attributes:
        cut: Which results are longer than the limit, those that the cut leaves as they were among them.
        changed: Which of them become another text.
        changed_rows: The rows of those.
        chars: Each result's size after it.
        growth_before: Sum of the size changes of the results before result ``i``.
        cut_before: How many of them are cut.
    """

    cut: Bools
    changed: Bools
    changed_rows: Ints
    chars: Ints
    growth_before: Ints
    cut_before: Ints


def budget_table(index: SessionIndex, options: CompactOptions) -> BudgetTable:
    """The table for these options; remembered by the index."""
    limit = within(options.max_tool_result_chars) if options.runs(NAME) else None
    return index.remembered((NAME, limit), lambda: _table(index, limit))


def _table(index: SessionIndex, limit: int | None) -> BudgetTable:
    results = index.results
    if limit is None:
        cut = np.zeros(len(results), np.bool_)
        changed, chars = cut, results.chars
    else:
        cut = results.chars > limit
        kept = np.full(len(results), limit, np.int64)
        if len(results.pairs) and limit:
            last = results.offset[cut] + limit - 1
            found = np.searchsorted(results.pairs, last)
            halved = results.pairs[np.minimum(found, len(results.pairs) - 1)] == last
            kept[cut] -= halved
        chars = np.where(cut, kept + TRUNCATION_NOTE_CHARS, results.chars)
        changed = cut & ~(results.has_note & (chars == results.chars))
    return BudgetTable(
        cut=cut,
        changed=changed,
        changed_rows=np.flatnonzero(changed).astype(np.int64),
        chars=chars,
        growth_before=prefix_sum(chars - results.chars),
        cut_before=prefix_sum(cut),
    )


@dataclass(frozen=True, slots=True)
class Budget:
    """Budget at some calls."""

    index: SessionIndex
    options: CompactOptions
    calls: Calls
    table: BudgetTable
    estimate: Ints
    count: Ints

    name = NAME
    effect = Outcome.TRUNCATED

    def chars(self, row: int) -> int:
        """Size of result ``row`` after this stage."""
        return int(self.table.chars[row])

    def decide(self, at: int, number: int, row: int | None, chars: int) -> StageOutcome:
        """What this stage made of a block at call ``at``, whose size was ``chars`` before it."""
        limit = self.options.max_tool_result_chars

        def kept(reason: Reason, why: str) -> StageOutcome:
            return StageOutcome(NAME, Outcome.KEPT, chars, reason, why)

        if not self.options.runs(NAME):
            return kept(Reason.DISABLED, "budget is switched off")
        if row is None:
            return kept(Reason.NEVER_TOUCHED, "budget cuts only tool results in user messages")
        if not self.table.cut[row]:
            return kept(Reason.TOO_SMALL, f"not cut: {chars:,} chars, maxToolResultChars is {limit:,}")
        if not self.table.changed[row]:
            return kept(Reason.TOO_SMALL, "already cut: cutting it again gives the same text")
        lost = chars - (self.chars(row) - TRUNCATION_NOTE_CHARS)
        why = f"cut at {chars - lost:,}: {lost:,} of {chars:,} chars lost, a note of {TRUNCATION_NOTE_CHARS} added"
        return StageOutcome(NAME, Outcome.TRUNCATED, self.chars(row), None, why)

    def text(self, row: int, text: str) -> str:
        """The text of result ``row`` after this stage acted on it."""
        return head(text, within(self.options.max_tool_result_chars)) + TRUNCATION_NOTE

    def changed_rows(self, at: int) -> Ints:
        """Rows of the results that it cut at call ``at``."""
        before = self.index.results_before
        return slice_between(self.table.changed_rows, before[self.calls.start[at]], before[self.calls.end[at]])

    def trace(self, at: int) -> list[str]:
        """The original's trace lines at call ``at``."""
        if not self.count[at]:
            return []
        n = self.index.rank[self.calls.end[at]] - self.index.rank[self.calls.start[at]]
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
        return f"cut {count:,} {'result' if count == 1 else 'results'} over {limit:,}"


def budget(index: SessionIndex, calls: Calls, options: CompactOptions) -> Budget:
    """Stage 1 at ``calls``."""
    table = budget_table(index, options)
    start, end = index.results_before[calls.start], index.results_before[calls.end]
    original = index.chars_before[calls.end] - index.chars_before[calls.start]
    return Budget(
        index=index,
        options=options,
        calls=calls,
        table=table,
        estimate=original + table.growth_before[end] - table.growth_before[start],
        count=table.cut_before[end] - table.cut_before[start],
    )
