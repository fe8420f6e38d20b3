"""OpenHands observation masking: results before the newest messages are masked (SPEC.md, section 3).

The newest attention_window messages, those with calls included, are left; every result in an earlier one becomes
``<MASKED>``, whatever its tool or size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tui.pipeline.draft import Draft
from tui.pipeline.outcomes import Reason
from tui.pipeline.replace import Replace
from tui.pipeline.retain import newest_from
from tui.pipeline.stage import Stage, counted, ordinal, within
from tui.pipeline.strategy_options import Count, StrategyOptions, knob
from tui.strategies.old_results import OldResults, cleared
from tui.strategies.strategy import Strategy

NAME = "openhands-masking"
MASK = "mask"
PLACEHOLDER = "<MASKED>"


class MaskingOptions(StrategyOptions):
    """Options of the observation masking condenser."""

    STAGES: ClassVar = (MASK,)

    attention_window: Count = knob(
        100, "attention_window", "messages", 300, 1, "mask leaves this many of the newest messages whole", least=1
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Mask(OldResults):
    """Mask at some calls."""

    options: MaskingOptions

    def _place(self, at: int, row: int) -> str:
        index = self.before.index
        place = int(index.rank[self.before.calls.end[at]] - index.rank[index.results.message[row]])
        return f"{ordinal(place)} newest message, attention_window is {self.options.attention_window:,}"

    def why_acted(self, at: int, row: int, before: int, after: int) -> str:
        """How old the message is."""
        return f"masked: in the {self._place(at, row).removeprefix('the ')}"

    def why_not_old(self, at: int, row: int) -> tuple[Reason, str]:
        """It stands in one of the newest messages."""
        return Reason.RECENT_WINDOW, f"kept: in the {self._place(at, row).removeprefix('the ')}"

    def finding(self, at: int) -> str:
        """How many messages there are, and how many results before the newest."""
        messages, window = int(self.before.messages[at]), self.options.attention_window
        there = f"{counted(messages, 'message')}, attention_window is {window:,}"
        if messages <= window or self.count[at]:
            return there
        return f"{there}, but no result before it"


def run(draft: Draft, options: MaskingOptions) -> tuple[Stage, ...]:
    """The one stage."""
    index, first = draft.index, draft.first_row
    until = index.results_before[newest_from(draft, within(options.attention_window))]
    rule = Replace(index, NAME, np.ones(len(index.results), np.bool_), PLACEHOLDER)
    return (cleared(Mask, draft, options, rule, strategy=NAME, name=MASK, first=first, until=until),)


STRATEGY = Strategy(
    name=NAME,
    title="OpenHands observation masking",
    options=MaskingOptions,
    run=run,
    placeholder=PLACEHOLDER,
    persistence="outbound",
    fidelity="exact",
    explanation=(
        "Every tool result before the newest 100 messages is masked, whatever its tool or size; the calls stay. One "
        "message more pushes one more out of the window, so old results go one by one and never all at once."
    ),
    source="OpenHands, its observation masking condenser",
)
