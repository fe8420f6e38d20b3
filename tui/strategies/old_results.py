"""What strategies share that put a placeholder in place of every result that is old by its place, whatever its tool."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from tui.model import ToolResultBlock
from tui.pipeline.draft import Draft
from tui.pipeline.index import Ints
from tui.pipeline.outcomes import Outcome, Reason
from tui.pipeline.stage import Stage, acted_count, counted, ordinal
from tui.pipeline.strategy_options import StrategyOptions
from tui.pipeline.variant import Rewrite


@dataclass(frozen=True, eq=False, kw_only=True)
class OldResults(Stage):
    """Such a stage at some calls.

    Attributes:
        strategy: The name of the strategy, for the trace.
        options: Its options.
        first: The first result that is old, one a call.
        until: One past the last that is old, one a call; not after ``first`` where none is.
    """

    effect = Outcome.CLEARED

    strategy: str
    options: StrategyOptions
    first: Ints
    until: Ints

    @abstractmethod
    def why_not_old(self, at: int, row: int) -> tuple[Reason, str]:
        """Why result ``row`` is not old at a call, in a word and in a sentence."""

    @abstractmethod
    def finding(self, at: int) -> str:
        """What it found at a call in words, before what it did about it."""

    def newest_rank(self, at: int, row: int) -> str:
        """Which of the newest results result ``row`` is at a call: ``3rd newest result``."""
        return f"{ordinal(int(self.before.last_row[at]) - row)} newest result"

    def why_kept(self, at: int, number: int, row: int | None, chars: int) -> tuple[Reason, str]:
        """Why a block was not cleared."""
        if not self.options.runs(self.name):
            return Reason.DISABLED, f"{self.name} is switched off"
        if row is None:
            if isinstance(self.before.index.block(number), ToolResultBlock):
                return Reason.TOOL_NOT_ELIGIBLE, "not cleared: it stands in an assistant message"
            return Reason.NEVER_TOUCHED, f"{self.name} clears only tool results"
        if self.first[at] <= row < self.until[at]:
            return Reason.ALREADY_CLEARED, "not cleared: it already is the placeholder"
        return self.why_not_old(at, row)

    def trace(self, at: int) -> list[str]:
        """The trace line of a call where it cleared something."""
        if not self.count[at]:
            return []
        n = self.before.messages[at]
        return [
            f"[trace] {self.strategy}.{self.name} before={n} after={n} cleared={self.count[at]} "
            f"estimated={self.before.estimate[at]}"
        ]

    def verdict(self, at: int) -> str:
        """What happened at a call, in words."""
        if not self.options.runs(self.name):
            return f"{self.name} is switched off"
        count = int(self.count[at])
        done = f"cleared {counted(count, 'result')}" if count else "nothing cleared"
        return f"{self.finding(at)}: {done}"


def cleared(
    make: type[OldResults],
    draft: Draft,
    options: StrategyOptions,
    rewrite: Rewrite,
    *,
    strategy: str,
    name: str,
    first: Ints,
    until: Ints,
) -> OldResults:
    """The stage that rewrites the results ``first <= row < until`` of each call, if it is switched on."""
    last = until if options.runs(name) else np.zeros_like(until)
    after, acted = draft.rewritten(rewrite, first=first, last=last)
    return make(
        name=name,
        before=draft,
        after=after,
        count=acted_count(acted, len(draft.calls)),
        acted=acted,
        strategy=strategy,
        options=options,
        first=first,
        until=until,
    )
