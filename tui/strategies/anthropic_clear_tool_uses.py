"""Anthropic's clear_tool_uses_20250919: the API clears old tool results itself (SPEC.md, section 3).

It runs where the view has more tokens than the trigger (chars / 4 here), or more tool uses than ``trigger_tool_uses``
if that is not 0. The newest ``keep`` tool uses of tools that are not excluded stay; the results of all earlier ones are
cleared, but only if that saves ``clear_at_least`` tokens in all: otherwise nothing is. Its placeholder is unpublished;
the one here is reconstructed. So is what happens to a late result of an earlier tool use, one that stands after the
result of a tool use that stays: it stays too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.pipeline.by_tool import blocks_by_tool
from tui.pipeline.draft import Draft
from tui.pipeline.index import Bools, Ints, SessionIndex
from tui.pipeline.micro import is_compactable
from tui.pipeline.stage import Stage, acted_count, counted, ordinal, within
from tui.pipeline.strategy_options import Count, knob
from tui.strategies.clear_tool_uses import CLEAR, ClearToolUses, ClearToolUsesOptions, clearing, excluded
from tui.strategies.strategy import Strategy

NAME = "anthropic-clear-tool-uses"
PLACEHOLDER = "[cleared by the API]"


class Options(ClearToolUsesOptions):
    """The options of the API's edit.

    Raises:
        OptionError: A value is out of its range or an option is unknown; the error names both.
    """

    trigger_tool_uses: Count = knob(
        0, "trigger.tool_uses", "tool uses", 200, 1, "results are also cleared when there are more; 0 is off"
    )


def _counted_uses(index: SessionIndex, exclude: tuple[str, ...]) -> Ints:
    """Block numbers of the tool_use blocks that ``keep`` counts, ascending; remembered by the index."""

    def make() -> Ints:
        table = blocks_by_tool(index)
        spared = np.array([is_compactable(name, exclude) for name in table.names], np.bool_)
        by_assistant = index.assistant[index.block_message[table.uses]]
        return table.uses[by_assistant & ~spared[table.use_tool]]

    return index.remembered((NAME, "uses", exclude), make)


@dataclass(frozen=True, eq=False, kw_only=True)
class Clear(ClearToolUses):
    """The stage at some calls.

    Attributes:
        uses: How many tool uses the view has, one a call.
        counted: Block numbers of the tool_use blocks that ``keep`` counts.
        saved: What clearing all old results saves, in chars, one a call.
    """

    options: Options
    uses: Ints
    counted: Ints
    saved: Ints

    def margin(self, at: int) -> str:
        """How far a call is from the trigger, in words."""
        tokens, most = int(self.before.estimate[at]) // 4, self.options.trigger_tool_uses
        size = f"~{tokens:,} tokens, the trigger is {self.options.trigger_tokens:,}"
        return f"{size}; {counted(int(self.uses[at]), 'tool use')}, the trigger is {most:,}" if most else size

    def in_order(self, at: int, row: int) -> str:
        """How old a result's tool use is at a call, held against ``keep``."""
        index = self.before.index
        end = index.first_block[self.before.calls.end[at]]
        first, last = np.searchsorted(self.counted, [index.results.use[row], end])
        rank = int(last - first)
        late = ", but after a result that is kept" if row >= self.old[at] and rank > self.options.keep else ""
        return f"of {ordinal(rank)} newest tool use{late}, keep is {self.options.keep:,}"

    def why_spared(self, at: int) -> str:
        """Why all old results were kept."""
        return f"clearing saves ~{self.saved[at] // 4:,} tokens, clear_at_least is {self.options.clear_at_least:,}"


def _old_until(draft: Draft, counted_uses: Ints, mask: Bools, keep: int) -> Ints:
    """The first result of the newest ``keep`` tool uses, one a call; all before it are older."""
    index, calls = draft.index, draft.calls
    first, last = (np.searchsorted(counted_uses, index.first_block[message]) for message in (calls.start, calls.end))
    oldest = last - keep
    # With keep 0, that is the end; with fewer uses than are to be kept, the beginning.
    use = np.append(counted_uses, len(index.block_chars))[np.clip(oldest, 0, None)]
    newest_so_far = np.maximum.accumulate(np.where(mask, index.results.use, -1))
    until = np.where(oldest > first, np.searchsorted(newest_so_far, use), draft.first_row)
    return np.clip(until, draft.first_row, draft.last_row)


def run(draft: Draft, options: Options) -> tuple[Stage, ...]:
    """The one stage."""
    index, calls = draft.index, draft.calls
    results = index.results
    mask = (results.use >= 0) & (results.use_message >= index.window_starts(calls.across))
    mask &= ~excluded(index, options.exclude_tools)
    found = clearing(index, (NAME, calls.across, options.exclude_tools), mask, PLACEHOLDER, options.clear_tool_inputs)
    counted_uses = _counted_uses(index, options.exclude_tools)
    uses = np.subtract(*(np.searchsorted(index.uses, index.first_block[at]) for at in (calls.end, calls.start)))
    over = draft.estimate > 4 * within(options.trigger_tokens)
    if options.trigger_tool_uses:
        over |= uses > within(options.trigger_tool_uses)
    over &= options.runs(CLEAR)
    first, old = draft.first_row, _old_until(draft, counted_uses, mask, within(options.keep))
    until = np.where(over, old, first)
    after, acted = draft.rewritten(found.rule, last=until)
    saved = draft.estimate - after.estimate
    if options.clear_at_least:
        until = np.where(saved >= 4 * within(options.clear_at_least), until, first)
        after, acted = draft.rewritten(found.rule, last=until)
    stage = Clear(
        name=CLEAR,
        strategy=NAME,
        options=options,
        first=first,
        until=until,
        before=draft,
        after=after,
        count=acted_count(acted, len(calls)),
        acted=acted,
        clearing=found,
        over=over,
        old=old,
        uses=uses,
        counted=counted_uses,
        saved=saved,
    )
    return (stage,)


STRATEGY = Strategy(
    name=NAME,
    title="Anthropic clear_tool_uses",
    options=Options,
    run=run,
    placeholder=PLACEHOLDER,
    persistence="server-side",
    fidelity="reconstructed",
    explanation=(
        "Over a number of tokens the API itself puts a placeholder in place of the results of all but the newest tool "
        "uses, all of them or none. The client's conversation never changes; what is shown is what the model sees."
    ),
    source="Anthropic API, context editing, clear_tool_uses_20250919",
)
