"""Clearing of old tool uses, as Anthropic's API and LangChain share it: options, and a stage without its trigger.

The results of old tool uses become a placeholder; where ``clear_tool_inputs`` is on, the inputs of the tool_use blocks
that they answer become ``{}`` too.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from pydantic import Field

from tui.model.chars import units
from tui.pipeline.evaluation import EMPTIED
from tui.pipeline.index import Bools, Ints, SessionIndex
from tui.pipeline.micro import is_compactable
from tui.pipeline.outcomes import Outcome, Reason, StageOutcome
from tui.pipeline.replace import Replace
from tui.pipeline.stage import counted
from tui.pipeline.strategy_options import Count, StrategyOptions, Switch, ToolNames, knob, switch
from tui.strategies.old_results import OldResults

CLEAR = "clear"


class ClearToolUsesOptions(StrategyOptions):
    """The options that both have.

    Raises:
        OptionError: A value is out of its range or an option is unknown; the error names both.
    """

    STAGES: ClassVar = (CLEAR,)

    trigger_tokens: Count = knob(
        100_000, "trigger", "tokens", 400_000, 1_000, "results are cleared only when the view has more tokens"
    )
    keep: Count = knob(3, "keep", "tool uses", 24, 1, "this many of the newest stay whole")
    clear_at_least: Count = knob(
        0, "clear_at_least", "tokens", 50_000, 500, "how much clearing is to save; 0 asks for nothing in particular"
    )
    clear_tool_inputs: Switch = switch(
        False, "clear_tool_inputs", "also empty the inputs of the tool uses whose results are cleared"
    )
    exclude_tools: ToolNames = Field(
        default=(), description="tools whose results are never cleared; a trailing * makes a prefix"
    )

    @property
    def line(self) -> int | None:
        """The trigger in chars."""
        return self.trigger_tokens * 4


def excluded(index: SessionIndex, tools: tuple[str, ...]) -> Bools:
    """Which results answer a tool_use of one of ``tools``."""
    named = np.array([is_compactable(name, tools) for name in index.results.tools] + [False], np.bool_)
    found: Bools = named[index.results.tool]
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Clearing:
    """What clearing makes of results and tool uses, whatever the call.

    Attributes:
        rule: What becomes of the results; its mask says which may be cleared.
        uses: Block numbers of the tool_use blocks whose input would be emptied, ascending.
        row: The first result, for each of them, with which that happens.
        saved: What emptying saves, for each of them, in chars.
    """

    rule: Replace
    uses: Ints
    row: Ints
    saved: Ints


def clearing(index: SessionIndex, key: Hashable, mask: Bools, placeholder: str, inputs: bool) -> Clearing:
    """The clearing of the results of ``mask``, and of inputs too; remembered by the index.

    Args:
        index: The session's index.
        key: What ``mask`` depends on.
        mask: Which results may be cleared; all of them answer a tool_use.
        placeholder: What they become.
        inputs: Whether inputs are emptied.
    """
    key = ("clear tool uses", key, placeholder, inputs)

    def make() -> Clearing:
        results = index.results
        none = np.empty(0, np.int64)
        if not inputs:
            return Clearing(Replace(index, key, mask, placeholder), none, none, none)
        rows = np.flatnonzero(mask)
        uses, first = np.unique(results.use[rows], return_index=True)
        row = rows[first].astype(np.int64)
        names = np.array([units(name) for name in results.tools], np.int64)
        saved = index.block_chars[uses] - names[results.tool[row]] - len(EMPTIED)
        use_saved = np.zeros(len(results), np.int64)
        use_saved[row] = saved
        full = saved != 0
        return Clearing(Replace(index, key, mask, placeholder, use_saved), uses[full], row[full], saved[full])

    return index.remembered(key, make)


@dataclass(frozen=True, eq=False, kw_only=True)
class ClearToolUses(OldResults):
    """The stage at some calls.

    Attributes:
        clearing: What is cleared.
        over: Where it is triggered and switched on.
        old: Results before this row are older than what ``keep`` protects, one a call.
    """

    options: ClearToolUsesOptions
    clearing: Clearing
    over: Bools
    old: Ints

    @abstractmethod
    def margin(self, at: int) -> str:
        """How far a call is from the trigger, in words."""

    @abstractmethod
    def in_order(self, at: int, row: int) -> str:
        """How old a result is at a call, held against ``keep``."""

    @abstractmethod
    def why_spared(self, at: int) -> str:
        """Why an old result was kept at a call that is over the trigger: what ``clear_at_least`` has to do with it."""

    def decide(self, at: int, number: int, row: int | None, chars: int) -> StageOutcome:
        """What it made of a block at a call; see ``Stage``."""
        if row is None and (saved := self._emptied(at, number)) is not None:
            why = f"input emptied with its result: {saved:,} of {chars:,} chars saved"
            return StageOutcome(self.name, Outcome.INPUT_CLEARED, chars - saved, None, why)
        return super().decide(at, number, row, chars)

    def _emptied(self, at: int, number: int) -> int | None:
        """What was saved in the tool_use block ``number`` at a call; None where its input was left."""
        found = self.clearing
        place = int(np.searchsorted(found.uses, number))
        if place == len(found.uses) or found.uses[place] != number:
            return None
        return None if self.acting_variant(at, int(found.row[place])) is None else int(found.saved[place])

    def changed_uses(self, at: int) -> Ints:
        """Block numbers of the tool_use blocks whose input it emptied at a call, ascending."""
        row = self.clearing.row
        done = np.zeros(len(row), np.bool_)
        for piece in self.acted:
            done |= (row >= piece.first[at]) & (row < piece.last[at])
        return self.clearing.uses[done]

    def why_acted(self, at: int, row: int, before: int, after: int) -> str:
        """How old the result is."""
        return f"cleared: {self.in_order(at, row)}"

    def why_kept(self, at: int, number: int, row: int | None, chars: int) -> tuple[Reason, str]:
        """Why a block was not cleared."""
        if row is None or self.clearing.rule.mask[row] or not self.options.runs(self.name):
            return super().why_kept(at, number, row, chars)
        results = self.before.index.results
        if results.tool[row] < 0:
            return Reason.ORPHAN, "not cleared: no tool_use of its id stands before it"
        if results.use_message[row] < self.before.calls.start[at]:
            return Reason.ORPHAN, "not cleared: its tool_use stands before the compact boundary"
        tool = results.tools[int(results.tool[row])]
        if is_compactable(tool, self.options.exclude_tools):
            return Reason.EXCLUDED, f"not cleared: {tool or 'a tool without a name'} is in exclude_tools"
        return Reason.ORPHAN, "not cleared: its tool_use is not in the nearest earlier assistant message"

    def why_not_old(self, at: int, row: int) -> tuple[Reason, str]:
        """Not triggered, one of the newest, or spared by ``clear_at_least``."""
        if not self.over[at]:
            return Reason.UNDER_THRESHOLD, f"kept: {self.margin(at)}"
        if row >= self.old[at]:
            return Reason.RECENT_WINDOW, f"kept: {self.in_order(at, row)}"
        return Reason.UNDER_THRESHOLD, f"kept: {self.why_spared(at)}"

    def finding(self, at: int) -> str:
        """Whether it is triggered, and what it has to work on."""
        if not self.over[at] or self.count[at]:
            emptied = len(self.changed_uses(at))
            return self.margin(at) + (f", {counted(emptied, 'input')} to empty" if emptied else "")
        old = self.clearing.rule.mask[self.first[at] : self.old[at]]
        return f"{self.margin(at)}, but {self.why_spared(at) if old.any() else 'no old result can be cleared'}"
