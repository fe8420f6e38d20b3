"""react-agent-mini v3, the predecessor of v4: no threshold (SPEC.md, section 3).

First retain, by count alone: with more than maxMessages messages, the cut starts maxMessages from the end and moves
forward to the first user message whose blocks are all text; all before it is dropped. Then budget cuts the long results
that are left. So 50 short messages that would fit easily lose 10: that is what v4 mends.

One line of trace tells of both, where either did something.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tui.pipeline import budget, retain
from tui.pipeline.draft import Draft
from tui.pipeline.index import Bools
from tui.pipeline.outcomes import Reason
from tui.pipeline.stage import Stage, counted, within
from tui.pipeline.strategy_options import Count, StrategyOptions, knob
from tui.strategies.strategy import Strategy

NAME = "react-agent-mini-v3"


class MiniV3Options(StrategyOptions):
    """Options of react-agent-mini v3."""

    STAGES: ClassVar = (retain.NAME, budget.NAME)

    max_messages: Count = knob(
        40, "maxMessages", "messages", 120, 1, "retain drops the oldest messages down to this, whatever their size"
    )
    max_tool_result_chars: Count = knob(
        4_000, "maxToolResultChars", "chars", 20_000, 100, "budget cuts a longer tool result to this many chars"
    )

    @property
    def cut(self) -> int | None:
        """The option maxToolResultChars."""
        return self.max_tool_result_chars


@dataclass(frozen=True, eq=False, kw_only=True)
class RetainByCount(retain.Drop):
    """Retain at some calls."""

    options: MiniV3Options

    def why_kept(self, at: int, number: int, row: int | None, chars: int) -> tuple[Reason, str]:
        """Why a block was not dropped."""
        if not self.options.runs(self.name):
            return Reason.DISABLED, "retain is switched off"
        return self.why_counted_in(at, self.options.max_messages)

    def trace(self, at: int) -> list[str]:
        """Nothing: the one line comes when budget is done."""
        return []

    def verdict(self, at: int) -> str:
        """What happened at call ``at``, in words."""
        if not self.options.runs(self.name):
            return "retain is switched off"
        messages, limit = int(self.before.messages[at]), self.options.max_messages
        if messages <= limit:
            return f"{counted(messages, 'message')}, maxMessages is {limit:,}: nothing dropped"
        if not (count := int(self.count[at])):
            return f"{counted(messages, 'message')}, maxMessages is {limit:,}, but no boundary: nothing dropped"
        size = f"{self.before.estimate[at]:,} chars"
        return f"{messages:,} messages of {size}: dropped {counted(count, 'message')}, whatever the size"


@dataclass(frozen=True, eq=False, kw_only=True)
class BudgetOfTheRest(budget.Budget):
    """Budget at some calls.

    Attributes:
        whole: What retain found, of which the trace line tells.
    """

    whole: Draft

    @property
    def traced(self) -> Bools:
        """The calls at which either stage did something."""
        return (self.count > 0) | (self.whole.messages > self.after.messages)

    def trace(self, at: int) -> list[str]:
        """The original's one trace line at call ``at``."""
        before, after = int(self.whole.messages[at]), int(self.after.messages[at])
        if before == after and not self.count[at]:
            return []
        return [
            f"[trace] compact.run before={before} after={after} droppedMessages={before - after} "
            f"truncatedBlocks={self.count[at]}"
        ]


def run(draft: Draft, options: MiniV3Options) -> tuple[Stage, ...]:
    """Retain, then budget."""
    kept_from = draft.kept_from
    if options.runs(retain.NAME):
        kept_from = retain.cut_at(draft, within(options.max_messages))
    rest = draft.dropped(kept_from)
    first = RetainByCount(
        name=retain.NAME, options=options, before=draft, after=rest, count=np.subtract(draft.messages, rest.messages)
    )
    cut = budget.budget(rest, options)
    second = BudgetOfTheRest(
        name=cut.name,
        options=options,
        before=cut.before,
        after=cut.after,
        count=cut.count,
        acted=cut.acted,
        whole=draft,
    )
    return first, second


STRATEGY = Strategy(
    name=NAME,
    title="react-agent-mini v3",
    options=MiniV3Options,
    run=run,
    placeholder="",
    persistence="outbound",
    fidelity="exact",
    explanation=(
        "With more than maxMessages messages the oldest are dropped, however short they are; then long results among "
        "the rest are cut. There is no threshold, so a conversation that would fit easily loses its beginning: the "
        "fault that v4 mends."
    ),
    source="react-agent-mini v3, its compact step",
)
