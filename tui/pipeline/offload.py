r"""Claude Code's first level, the tool result budget: big results go to a file, a preview is left (SPEC.md, section 3).

A tool result longer than maxResultChars (strictly) is offloaded. Then, where the results between two assistant turns
are longer than maxMessageChars together, the largest of them are too, the oldest of equals first, until they are not.
A result is decided on at the first call that sees it, so it looks the same at every call. Nothing is written to disk.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from tui.model.chars import head, units
from tui.pipeline.draft import Draft
from tui.pipeline.index import Bools, Ints, SessionIndex
from tui.pipeline.outcomes import Outcome, Reason
from tui.pipeline.stage import Stage, acted_count, counted, within
from tui.pipeline.strategy_options import Count, StrategyOptions, knob
from tui.pipeline.variant import Rewritten, Variant

NAME = "offload"

_OPEN = "<persisted-output>"
_CLOSE = "</persisted-output>"


class OffloadOptions(StrategyOptions):
    """Options of the tool result budget.

    Raises:
        OptionError: A value is out of its range or an option is unknown; the error names both.
    """

    STAGES: ClassVar[tuple[str, ...]] = (NAME,)

    max_result_chars: Count = knob(
        50_000, "maxResultChars", "chars", 200_000, 1_000, "a longer result is offloaded by itself"
    )
    max_message_chars: Count = knob(
        200_000,
        "maxMessageChars",
        "chars",
        800_000,
        5_000,
        "where one user message's results are longer, the largest go",
    )
    preview_chars: Count = knob(2_000, "previewChars", "chars", 10_000, 100, "how much of it is left to see")

    if TYPE_CHECKING:  # commands collect options by name

        def __init__(self, /, **values: Any) -> None: ...


def file_size(chars: int) -> str:
    """A size as Claude Code writes it: ``512 bytes``, ``2KB``, ``59.7KB``, ``1.5MB``."""
    if chars < 1024:
        return f"{chars} bytes"
    unit, name = (1024, "KB") if chars < 1024**2 else (1024**2, "MB") if chars < 1024**3 else (1024**3, "GB")
    tenths = (chars * 20 + unit) // (2 * unit)  # half a tenth is rounded up
    return f"{tenths // 10}{f'.{tenths % 10}' if tenths % 10 else ''}{name}"


def preview(text: str, limit: int) -> str:
    """The first ``limit`` chars of ``text``, cut at their last line end if that is past half of them."""
    first = head(text, limit)
    if first is text:
        return text
    end = first.rfind("\n")
    return first[:end] if end >= 0 and 2 * units(first[:end]) > limit else first


def offloaded(text: str, tool_use_id: str, limit: int) -> str:
    """What is left of a result in the conversation."""
    shown = preview(text, limit)
    more = "" if shown is text else "...\n"
    return (
        f"{_OPEN}\nOutput too large ({file_size(units(text))}). "
        f"Full output saved to: tool-results/{tool_use_id}.txt\n\n"
        f"Preview (first {file_size(limit)}):\n{shown}\n{more}{_CLOSE}"
    )


@dataclass(frozen=True, slots=True)
class Offload:
    """Leaves a preview of every big result.

    Attributes:
        index: The session's index.
        across: Whether a user message reaches across a compact boundary.
        max_result: The option maxResultChars.
        max_message: The option maxMessageChars.
        preview: The option previewChars.
    """

    index: SessionIndex
    across: bool
    max_result: int
    max_message: int
    preview: int

    @property
    def key(self) -> tuple[str, bool, int, int, int]:
        """The rule and its numbers."""
        return NAME, self.across, self.max_result, self.max_message, self.preview

    def apply(self, before: Variant) -> Rewritten:
        """What it makes of all results."""
        able = ~_offloaded_before(self.index)
        acts = able & (before.chars > self.max_result)
        chars = before.chars.copy()
        self._shrink(before, chars, np.flatnonzero(acts))
        group = self._messages()
        total = np.bincount(group, chars).astype(np.int64)
        over = np.flatnonzero((total > self.max_message)[group] & able & ~acts) if len(group) else np.empty(0, np.int64)
        if len(over):
            after = chars.copy()
            self._shrink(before, after, over)
            chosen = over[_largest(group[over], chars[over], after[over], total, self.max_message)]
            acts[chosen] = True
            chars[chosen] = after[chosen]
        return Rewritten(acts, acts, chars)

    def text(self, row: int, text: str) -> str:
        """What is left of a text."""
        return offloaded(text, self.index.result(row).tool_use_id or "unknown", self.preview)

    def _messages(self) -> Ints:
        """Which user message each result belongs to, counted from 0: those between two assistant turns are one."""
        results = self.index.results
        turn, window = self.index.turn[results.message], self.index.window_starts(self.across)
        begins = (np.diff(turn, prepend=turn[:1]) != 0) | (np.diff(window, prepend=window[:1]) != 0)
        found: Ints = np.cumsum(begins)
        return found

    def _shrink(self, before: Variant, chars: Ints, rows: Ints) -> None:
        """Puts the sizes of what is left of some results in ``chars``; each is measured once."""
        key = (NAME, "sizes", before.key, self.preview)
        known = self.index.remembered(key, lambda: np.full(len(chars), -1, np.int64))
        for row in rows[known[rows] < 0].tolist():
            known[row] = units(self.text(row, before.text(row, self.index.result(row).content)))
        chars[rows] = known[rows]


def _offloaded_before(index: SessionIndex) -> Bools:
    """Which results the file holds offloaded already; remembered by the index."""

    def make() -> Bools:
        rows = range(len(index.results))
        return np.fromiter((index.result(row).content.startswith(_OPEN) for row in rows), np.bool_, len(rows))

    return index.remembered((NAME, "before"), make)


def _largest(group: Ints, chars: Ints, after: Ints, total: Ints, limit: int) -> Ints:
    """Which of some results to take, the largest of each group first, until its total is at most ``limit``.

    Args:
        group: Each one's group, ascending.
        chars: Its size.
        after: Its size if it is taken.
        total: The size of every group.
        limit: What a group may have.
    """
    order = np.lexsort((np.arange(len(group)), -chars, group))
    saved = (chars - after)[order]
    first = np.searchsorted(group, group[order])
    taken = np.append(0, np.cumsum(saved))
    fits = total[group[order]] - (taken[:-1] - taken[first]) <= limit
    # From the first that finds its group small enough, no more of it are taken.
    seen = np.append(0, np.cumsum(fits))
    chosen: Ints = order[seen[1:] == seen[first]]
    return chosen


@dataclass(frozen=True, eq=False, kw_only=True)
class OffloadStage(Stage):
    """The tool result budget at some calls."""

    effect = Outcome.OFFLOADED

    options: OffloadOptions

    def why_acted(self, at: int, row: int, before: int, after: int) -> str:
        """Which of the two limits it was over."""
        options = self.options
        if before > options.max_result_chars:
            return f"offloaded: {before:,} chars, maxResultChars is {options.max_result_chars:,}"
        limit = f"maxMessageChars is {options.max_message_chars:,}"
        return f"offloaded: among the largest of a user message that is too long, {limit}"

    def why_kept(self, at: int, number: int, row: int | None, chars: int) -> tuple[Reason, str]:
        """Why a block was not offloaded."""
        options = self.options
        if not options.runs(NAME):
            return Reason.DISABLED, f"{NAME} is switched off"
        if row is None:
            return Reason.NEVER_TOUCHED, "only tool results in user messages are offloaded"
        if _offloaded_before(self.before.index)[row]:
            return Reason.ALREADY_CLEARED, "not offloaded: it already is a preview"
        return Reason.TOO_SMALL, f"not offloaded: {chars:,} chars, maxResultChars is {options.max_result_chars:,}"

    def trace(self, at: int) -> list[str]:
        """One line where previews stand."""
        if not self.count[at]:
            return []
        n = self.before.messages[at]
        return [
            f"[trace] claude-code-l1.{NAME} before={n} after={n} offloaded={self.count[at]} "
            f"estimated={self.before.estimate[at]}"
        ]

    def verdict(self, at: int) -> str:
        """What happened at call ``at``, in words."""
        options = self.options
        if not options.runs(NAME):
            return f"{NAME} is switched off"
        if count := int(self.count[at]):
            return f"offloaded {counted(count, 'result')}, {options.preview_chars:,} chars of each are left to see"
        limits = f"{options.max_result_chars:,}, no user message over {options.max_message_chars:,}"
        return f"no result over {limits}: nothing offloaded"


def offload(draft: Draft, options: OffloadOptions) -> OffloadStage:
    """The tool result budget, before any stage that acts differently from call to call."""
    rule = Offload(
        draft.index,
        draft.calls.across,
        within(options.max_result_chars),
        within(options.max_message_chars),
        options.preview_chars,
    )
    after, acted = draft.rewritten(rule) if options.runs(NAME) else (draft, ())
    count = acted_count(acted, len(draft.calls))
    return OffloadStage(name=NAME, options=options, before=draft, after=after, count=count, acted=acted)
