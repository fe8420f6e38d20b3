"""tiny-claw: with many messages, every result but the newest few is cleared (SPEC.md, section 3).

Only where a call sees more than 20 messages as a chat API has them: each tool_result is one, what else a message holds
is one more, system prompts are none. Then every result older than the newest 6, whatever its tool or size, becomes one
fixed text. A result that already is that text is left, and still takes a place among the six. Driven by counts alone,
on a copy: no threshold, and each call decides anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tui.pipeline.draft import Draft
from tui.pipeline.index import Ints, SessionIndex, prefix_sum
from tui.pipeline.outcomes import Reason
from tui.pipeline.replace import Replace, holding
from tui.pipeline.stage import Stage, counted, within
from tui.pipeline.strategy_options import Count, StrategyOptions, knob
from tui.strategies.old_results import OldResults, cleared
from tui.strategies.strategy import Strategy

NAME = "tiny-claw"
CLEAR = "clear"
PLACEHOLDER = "[Previous tool result cleared to save context]"


class TinyClawOptions(StrategyOptions):
    """Options of tiny-claw, whose program has them as constants."""

    STAGES: ClassVar = (CLEAR,)

    keep_recent: Count = knob(6, "keepRecent", "results", 24, 1, "clear leaves this many of the newest results whole")
    max_messages: Count = knob(
        20, "maxMessages", "messages", 120, 1, "clear runs only with more messages, each tool result counted as one"
    )


def chat_messages_before(index: SessionIndex) -> Ints:
    """How many chat messages stand before message ``i``; remembered by the index."""

    def make() -> Ints:
        results, blocks = np.diff(index.results_before), np.diff(index.first_block)
        has_more = (blocks > results) | (blocks == 0)
        return prefix_sum(np.where(np.diff(index.rank) > 0, results + has_more, 0))

    return index.remembered("chat messages", make)


@dataclass(frozen=True, eq=False, kw_only=True)
class Clear(OldResults):
    """Clear at some calls."""

    options: TinyClawOptions

    def chat_messages(self, at: int) -> int:
        """How many messages a call sees, each tool result counted as one."""
        before = chat_messages_before(self.before.index)
        return int(before[self.before.calls.end[at]] - before[self.before.kept_from[at]])

    def _too_few(self, at: int) -> str | None:
        messages, limit = self.chat_messages(at), self.options.max_messages
        if messages > limit:
            return None
        return f"{counted(messages, 'message')} with each result as one, maxMessages is {limit:,}"

    def why_acted(self, at: int, row: int, before: int, after: int) -> str:
        """How old the result is."""
        return f"cleared: {self.newest_rank(at, row)}, keepRecent is {self.options.keep_recent:,}"

    def why_not_old(self, at: int, row: int) -> tuple[Reason, str]:
        """Too few messages, or one of the newest results."""
        if too_few := self._too_few(at):
            return Reason.TOO_FEW, f"kept: {too_few}"
        rank = self.newest_rank(at, row)
        return Reason.RECENT_WINDOW, f"kept: {rank}, keepRecent is {self.options.keep_recent:,}"

    def finding(self, at: int) -> str:
        """How many messages and results there are."""
        if too_few := self._too_few(at):
            return too_few
        results = counted(int(self.before.last_row[at] - self.before.first_row[at]), "result")
        messages = counted(self.chat_messages(at), "message")
        return f"{messages} with {results}, keepRecent is {self.options.keep_recent:,}"


def run(draft: Draft, options: TinyClawOptions) -> tuple[Stage, ...]:
    """The one stage."""
    index = draft.index
    before = chat_messages_before(index)
    many = before[draft.calls.end] - before[draft.kept_from] > within(options.max_messages)
    until = np.where(many, draft.last_row - within(options.keep_recent), draft.first_row)
    rule = Replace(index, NAME, ~holding(index, PLACEHOLDER), PLACEHOLDER)
    return (cleared(Clear, draft, options, rule, strategy=NAME, name=CLEAR, first=draft.first_row, until=until),)


STRATEGY = Strategy(
    name=NAME,
    title="tiny-claw",
    options=TinyClawOptions,
    run=run,
    placeholder=PLACEHOLDER,
    persistence="outbound",
    fidelity="exact",
    explanation=(
        "With more than 20 messages, every tool result but the newest 6 is cleared, whatever its tool or size. Only "
        "counts decide, on a copy: a short conversation of small results loses them, a few huge ones stay."
    ),
    source="tiny-claw, the counting microcompact of its agent loop",
)
