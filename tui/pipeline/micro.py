"""Stage 2, micro: over the threshold, old results of clearable tools become placeholders (SPEC.md, section 2).

It runs only where the estimate before it is over the threshold (strictly). Results older than the newest keepRecent,
longer than minChars (strictly, as they are by then), whose tool is compactable, are cleared: all of them, not just
enough. A result without a tool_use before it in the same window is an orphan and never cleared.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from tui.model import ToolResultBlock
from tui.pipeline.draft import Draft
from tui.pipeline.index import Bools, Ints, SessionIndex, prefix_sum
from tui.pipeline.options import CompactOptions
from tui.pipeline.outcomes import Outcome, Reason
from tui.pipeline.placeholder import placeholder
from tui.pipeline.stage import Stage, acted_count, counted, ordinal, within
from tui.pipeline.variant import Rewritten, Variant

NAME = "micro"


def is_compactable(tool: str, patterns: tuple[str, ...]) -> bool:
    """Whether results of ``tool`` may be cleared; a pattern with a trailing ``*`` is a prefix."""
    return any(tool.startswith(p[:-1]) if p.endswith("*") else tool == p for p in patterns)


@dataclass(frozen=True, slots=True)
class Clearable:
    """Which results belong to compactable tools, whatever their size.

    Attributes:
        key: The tools, and whether pairs reach across a compact boundary.
        mask: One flag a result.
        before: How many there are before result ``i``.
        rows: Their rows, and the number of results at the end.
    """

    key: Hashable
    mask: Bools
    before: Ints
    rows: Ints

    def newest(self, count: int, end: Ints) -> Ints:
        """The row from which on ``count`` clearable results stand before row ``end``, for each; 0 where fewer do."""
        nth = self.before[end] - count
        return np.where(nth > 0, np.minimum(self.rows[np.maximum(nth, 0)], end), 0)


def clearable(index: SessionIndex, tools: tuple[str, ...], across: bool) -> Clearable:
    """The results of ``tools`` that answer a tool_use of their window; remembered by the index."""
    key = ("clearable", tools, across)

    def make() -> Clearable:
        results = index.results
        allowed = np.array([is_compactable(name, tools) for name in results.tools], np.bool_)
        mask = (results.tool >= 0) & (results.use_message >= index.window_starts(across))
        if len(allowed):
            mask &= allowed[results.tool]
        rows = np.append(np.flatnonzero(mask), len(results)).astype(np.int64)
        return Clearable(key, mask, prefix_sum(mask), rows)

    return index.remembered(key, make)


@dataclass(frozen=True, slots=True)
class Clear:
    """Puts a placeholder that names the tool and its path in place of every long clearable result.

    Attributes:
        index: The session's index.
        able: Which results are clearable.
        min_chars: Only longer ones are cleared.
    """

    index: SessionIndex
    able: Clearable
    min_chars: int

    @property
    def key(self) -> tuple[Hashable, ...]:
        """The rule with what it depends on."""
        return NAME, self.able.key, self.min_chars

    def apply(self, before: Variant) -> Rewritten:
        """What it makes of all results."""
        results = self.index.results
        acts = self.able.mask & (before.chars > self.min_chars)
        chars = np.where(acts, results.placeholder_chars, before.chars)
        return Rewritten(acts, acts & ~(results.is_own_placeholder & ~before.touched), chars)

    def text(self, row: int, text: str) -> str:
        """The placeholder of result ``row``."""
        use = self.index.use_of_row(row)
        assert use is not None  # only results with a tool_use are cleared
        return placeholder(use.name, use.input)


@dataclass(frozen=True, eq=False, kw_only=True)
class Micro(Stage):
    """Micro at some calls.

    Attributes:
        over: Where the estimate before it is over the threshold and the stage is switched on.
        until: Results before this row, from the first that is there, are older than the newest keepRecent.
        able: Which results are clearable.
        rule: What it does to them.
    """

    effect = Outcome.CLEARED

    options: CompactOptions
    over: Bools
    until: Ints
    able: Clearable
    rule: Clear

    def newest_rank(self, at: int, row: int) -> int:
        """How many counted results stand from result ``row`` to the end of call ``at``, itself included."""
        end = int(self.before.last_row[at])
        if self.options.keep_counts == "all":
            return end - row
        return int(self.able.before[end] - self.able.before[row])

    def _in_order(self, at: int, row: int) -> str:
        counts = "tool" if self.options.keep_counts == "all" else "clearable"
        rank, keep = self.newest_rank(at, row), self.options.keep_recent
        return f"{ordinal(rank)} newest {counts} result, keepRecent is {keep:,}"

    def why_acted(self, at: int, row: int, before: int, after: int) -> str:
        """How old the result is."""
        return f"cleared: {self._in_order(at, row)}"

    def why_kept(self, at: int, number: int, row: int | None, chars: int) -> tuple[Reason, str]:
        """Why a block was not cleared."""
        options, index = self.options, self.before.index
        results = index.results
        if not options.runs(NAME):
            return Reason.DISABLED, "micro is switched off"
        if row is None:
            if isinstance(index.block(number), ToolResultBlock):
                return Reason.TOOL_NOT_ELIGIBLE, "not cleared: it stands in an assistant message"
            return Reason.NEVER_TOUCHED, "micro clears only tool results"
        if results.is_cleared[row]:
            return Reason.ALREADY_CLEARED, "not cleared: it already is a placeholder"
        if not self.over[at]:
            margin = f"{self.before.estimate[at]:,} chars, the threshold is {options.threshold:,}"
            return Reason.UNDER_THRESHOLD, f"kept: the view fits, {margin}"
        if not self.able.mask[row]:
            if results.tool[row] < 0:
                return Reason.ORPHAN, "not cleared: no tool_use of its id stands before it"
            if results.use_message[row] < self.before.calls.start[at]:
                return Reason.ORPHAN, "not cleared: its tool_use stands before the compact boundary"
            tool = results.tools[int(results.tool[row])]
            return Reason.TOOL_NOT_ELIGIBLE, f"not cleared: {tool or 'a tool without a name'} is not clearable"
        if row >= self.until[at]:
            return Reason.RECENT_WINDOW, f"kept: {self._in_order(at, row)}"
        return Reason.TOO_SMALL, f"not cleared: {chars:,} chars, minChars is {options.min_chars:,}"

    def trace(self, at: int) -> list[str]:
        """The original's trace lines at call ``at``."""
        if not self.count[at]:
            return []
        n = self.before.messages[at]
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
        return f"over by {-margin:,}: micro cleared {counted(count, 'result')}"


def micro(draft: Draft, options: CompactOptions) -> Micro:
    """Micro, after what made ``draft``."""
    able = clearable(draft.index, options.compactable_tools, draft.calls.across)
    rule = Clear(draft.index, able, within(options.min_chars))
    start, end = draft.first_row, draft.last_row
    keep = within(options.keep_recent)
    until = end - keep if options.keep_counts == "all" else able.newest(keep, end)
    until = np.maximum(until, start)
    over = draft.estimate > within(options.threshold) if options.runs(NAME) else np.zeros(len(end), np.bool_)
    after, acted = draft.rewritten(rule, last=np.where(over, until, start))
    return Micro(
        name=NAME,
        options=options,
        before=draft,
        after=after,
        count=acted_count(acted, len(draft.calls)),
        acted=acted,
        over=over,
        until=until,
        able=able,
        rule=rule,
    )
