"""Stage 2, micro: over the threshold, old results of clearable tools become placeholders (SPEC.md, section 2).

It runs only where the estimate after budget is over the threshold (strictly). Results older than the newest
keepRecent, longer than minChars (strictly, after budget), whose tool is compactable, are cleared: all of them, not
just enough. A result without a tool_use before it in the same window is an orphan and never cleared.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.model import ToolResultBlock, ToolUseBlock
from tui.pipeline.budget import Budget
from tui.pipeline.index import Bools, Calls, Ints, SessionIndex, prefix_sum, slice_between
from tui.pipeline.options import CompactOptions
from tui.pipeline.outcomes import Outcome, Reason, StageOutcome
from tui.pipeline.placeholder import placeholder
from tui.pipeline.stage import within

NAME = "micro"


def is_compactable(tool: str, patterns: tuple[str, ...]) -> bool:
    """Whether results of ``tool`` may be cleared; a pattern with a trailing ``*`` is a prefix."""
    return any(tool.startswith(p[:-1]) if p.endswith("*") else tool == p for p in patterns)


@dataclass(frozen=True, slots=True)
class Clearable:
    """Which results belong to compactable tools, whatever their size.

    Attributes:
        mask: One flag a result.
        before: How many there are before result ``i``.
        rows: Their rows, and the number of results at the end.
    """

    mask: Bools
    before: Ints
    rows: Ints


@dataclass(frozen=True, slots=True)
class MicroTable:
    """What micro can make of every result of a session, whatever the call.

    Attributes:
        long: Which clearable results are longer than minChars after budget.
        saved_before: Sum of what clearing the long ones before result ``i`` saves, in chars.
        long_before: How many there are before result ``i``.
        long_rows: Their rows.
        changing_rows: The rows of those that do not hold the very placeholder already.
    """

    long: Bools
    saved_before: Ints
    long_before: Ints
    long_rows: Ints
    changing_rows: Ints


def clearable(index: SessionIndex, options: CompactOptions, across: bool) -> Clearable:
    """The clearable results for these options; remembered by the index."""

    def make() -> Clearable:
        results = index.results
        allowed = np.array([is_compactable(name, options.compactable_tools) for name in results.tools], np.bool_)
        mask = (results.tool >= 0) & (results.use_message >= index.window_starts(across))
        if len(allowed):
            mask &= allowed[results.tool]
        rows = np.append(np.flatnonzero(mask), len(results)).astype(np.int64)
        return Clearable(mask, prefix_sum(mask), rows)

    return index.remembered(("clearable", options.compactable_tools, across), make)


def micro_table(index: SessionIndex, budget: Budget) -> MicroTable:
    """The table for the options of ``budget``; remembered by the index."""
    options, across = budget.options, budget.calls.across
    least = within(options.min_chars)
    limit = options.max_tool_result_chars if options.runs("budget") else None

    def make() -> MicroTable:
        chars = budget.table.chars
        long = clearable(index, options, across).mask & (chars > least)
        saved = np.where(long, chars - index.results.placeholder_chars, 0)
        same = index.results.is_own_placeholder & ~budget.table.changed
        return MicroTable(
            long=long,
            saved_before=prefix_sum(saved),
            long_before=prefix_sum(long),
            long_rows=np.flatnonzero(long).astype(np.int64),
            changing_rows=np.flatnonzero(long & ~same).astype(np.int64),
        )

    return index.remembered((NAME, limit, least, options.compactable_tools, across), make)


@dataclass(frozen=True, slots=True)
class Micro:
    """Micro at some calls.

    Attributes:
        over: Where the estimate after budget is over the threshold and the stage is switched on.
        until: Results before this row, from the window's start on, are older than the newest keepRecent.
        saved: What clearing saved, in chars.
    """

    index: SessionIndex
    options: CompactOptions
    calls: Calls
    before: Budget
    clearable: Clearable
    table: MicroTable
    over: Bools
    until: Ints
    saved: Ints
    estimate: Ints
    count: Ints

    name = NAME
    effect = Outcome.CLEARED

    def saved_until(self, at: int, row: int) -> int:
        """What clearing the results before ``row`` saved at call ``at``, in chars."""
        if not self.over[at]:
            return 0
        first = self.index.results_before[self.calls.start[at]]
        last = max(first, min(int(self.until[at]), row))
        return int(self.table.saved_before[last] - self.table.saved_before[first])

    def newest_rank(self, at: int, row: int) -> int:
        """How many counted results stand from result ``row`` to the end of call ``at``, itself included."""
        end = int(self.index.results_before[self.calls.end[at]])
        if self.options.keep_counts == "all":
            return end - row
        return int(self.clearable.before[end] - self.clearable.before[row])

    def decide(self, at: int, number: int, row: int | None, chars: int) -> StageOutcome:
        """What this stage made of a block at call ``at``, whose size was ``chars`` before it."""
        options, results = self.options, self.index.results

        def kept(reason: Reason, why: str) -> StageOutcome:
            return StageOutcome(NAME, Outcome.KEPT, chars, reason, why)

        if not options.runs(NAME):
            return kept(Reason.DISABLED, "micro is switched off")
        if row is None:
            block = self._block(number)
            if isinstance(block, ToolResultBlock):
                return kept(Reason.TOOL_NOT_ELIGIBLE, "not cleared: it stands in an assistant message")
            return kept(Reason.NEVER_TOUCHED, "micro clears only tool results")
        acts = bool(self.over[at] and row < self.until[at] and self.table.long[row])
        if acts and not (results.is_own_placeholder[row] and not self.before.table.changed[row]):
            size = int(results.placeholder_chars[row])
            rank, keep = self.newest_rank(at, row), options.keep_recent
            why = f"cleared: {_ordinal(rank)} newest {self._counted} result, keepRecent is {keep:,}"
            return StageOutcome(NAME, Outcome.CLEARED, size, None, why)
        if results.is_cleared[row]:
            return kept(Reason.ALREADY_CLEARED, "not cleared: it already is a placeholder")
        if not self.over[at]:
            margin = f"{self.before.estimate[at]:,} chars, the threshold is {options.threshold:,}"
            return kept(Reason.UNDER_THRESHOLD, f"kept: the view fits, {margin}")
        if not self.clearable.mask[row]:
            if results.tool[row] < 0:
                return kept(Reason.ORPHAN, "not cleared: no tool_use of its id stands before it")
            if results.use_message[row] < self.calls.start[at]:
                return kept(Reason.ORPHAN, "not cleared: its tool_use stands before the compact boundary")
            tool = results.tools[int(results.tool[row])]
            return kept(Reason.TOOL_NOT_ELIGIBLE, f"not cleared: {tool or 'a tool without a name'} is not clearable")
        if row >= self.until[at]:
            rank, keep = self.newest_rank(at, row), options.keep_recent
            return kept(
                Reason.RECENT_WINDOW, f"kept: {_ordinal(rank)} newest {self._counted} result, keepRecent is {keep:,}"
            )
        return kept(Reason.TOO_SMALL, f"not cleared: {chars:,} chars, minChars is {options.min_chars:,}")

    @property
    def _counted(self) -> str:
        return "tool" if self.options.keep_counts == "all" else "clearable"

    def _block(self, number: int) -> object:
        message, block = self.index.locate(number)
        return self.index.session.messages[message].blocks[block]

    def text(self, row: int, text: str) -> str:
        """The text of result ``row`` after this stage acted on it."""
        use = self._block(int(self.index.results.use[row]))
        assert isinstance(use, ToolUseBlock)  # only results with a tool_use are cleared
        return placeholder(use.name, use.input)

    def changed_rows(self, at: int) -> Ints:
        """Rows of the results that it cleared at call ``at``."""
        first = self.index.results_before[self.calls.start[at]]
        return slice_between(self.table.changing_rows, first, self.until[at] if self.over[at] else first)

    def trace(self, at: int) -> list[str]:
        """The original's trace lines at call ``at``."""
        if not self.count[at]:
            return []
        n = self.index.rank[self.calls.end[at]] - self.index.rank[self.calls.start[at]]
        return [
            f"[trace] compact.micro replaced={self.count[at]}",
            f"[trace] compact.run stage=micro before={n} after={n} estimated={self.before.estimate[at]} "
            "overThreshold=true strategy=micro",
        ]

    def verdict(self, at: int) -> str:
        """What happened at call ``at``, in words."""
        if not self.options.runs(NAME):
            return "micro is switched off"
        margin = self.options.threshold - int(self.before.estimate[at])
        if not self.over[at]:
            return f"fits with {margin:,} to spare: micro skipped" if margin else "fits exactly: micro skipped"
        if not (count := int(self.count[at])):
            return f"over by {-margin:,}: micro runs, but finds nothing to clear"
        return f"over by {-margin:,}: micro cleared {count:,} {'result' if count == 1 else 'results'}"


def _ordinal(value: int) -> str:
    if value == 1:
        return "the"
    tail = {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th") if value % 100 not in (11, 12, 13) else "th"
    return f"{value:,}{tail}"


def micro(index: SessionIndex, calls: Calls, options: CompactOptions, before: Budget) -> Micro:
    """Stage 2 at ``calls``, after ``before``."""
    able = clearable(index, options, calls.across)
    table = micro_table(index, before)
    start, end = index.results_before[calls.start], index.results_before[calls.end]
    keep = within(options.keep_recent)
    if options.keep_counts == "all":
        until = end - keep
    else:
        # The first of the newest ``keep`` clearable results; where fewer are seen, nothing is older.
        nth = able.before[end] - keep
        until = np.where(nth > 0, able.rows[np.maximum(nth, 0)], 0)
        until = np.minimum(until, end)
    until = np.maximum(until, start)
    over = before.estimate > within(options.threshold)
    if not options.runs(NAME):
        over = np.zeros_like(over)
    saved = np.where(over, table.saved_before[until] - table.saved_before[start], 0)
    return Micro(
        index=index,
        options=options,
        calls=calls,
        before=before,
        clearable=able,
        table=table,
        over=over,
        until=until,
        saved=saved,
        estimate=before.estimate - saved,
        count=np.where(over, table.long_before[until] - table.long_before[start], 0),
    )
