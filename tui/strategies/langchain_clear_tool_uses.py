"""LangChain's ClearToolUsesEdit: over a number of tokens, old tool results become a placeholder (SPEC.md, section 3).

It runs where the view has more tokens than the trigger (strictly). ``keep`` protects the newest tool messages, those of
excluded tools among them; 0 protects none. The older ones are cleared, oldest first; with ``clear_at_least`` above 0 it
stops once that many tokens are saved, emptied inputs included. A result is cleared only if the nearest earlier
assistant message holds the call that it answers. Tokens are those of LangChain's approximate counter: for each message
as LangChain holds it ``ceil(chars / 4) + 3``, where every tool result and every text of the user is a message.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.model.chars import units
from tui.pipeline.by_tool import blocks_by_tool
from tui.pipeline.draft import Draft
from tui.pipeline.index import Ints, SessionIndex, prefix_sum
from tui.pipeline.reaching import first_reaching
from tui.pipeline.stage import Stage, acted_count, ordinal, within
from tui.pipeline.variant import Variant
from tui.strategies.clear_tool_uses import CLEAR, Clearing, ClearToolUses, ClearToolUsesOptions, clearing, excluded
from tui.strategies.strategy import Strategy

NAME = "langchain-clear-tool-uses"
PLACEHOLDER = "[cleared]"

_A_MESSAGE = 3
"""Tokens that a message takes beside its text."""


def _quarter(chars: Ints) -> Ints:
    """``ceil(chars / 4)``."""
    return (chars + 3) // 4


def tokens_before(index: SessionIndex, shown: Variant | None = None) -> Ints:
    """Tokens of all messages before message ``i``, as LangChain counts them; remembered by the index.

    Args:
        index: The session's index.
        shown: How the results look; as in the conversation when None.
    """
    found = Variant.original(index) if shown is None else shown

    def make() -> Ints:
        table = blocks_by_tool(index)
        chars = index.block_chars.copy()
        chars[index.results.block] = found.chars
        numbers = np.concatenate((table.texts, table.results, table.misplaced, table.uses))
        message = index.block_message[numbers]
        alone = ~index.assistant[message]
        tokens = np.where(index.assistant, _quarter(np.diff(index.chars_before)) + _A_MESSAGE, 0)
        np.add.at(tokens, message[alone], _quarter(chars[numbers[alone]]) + _A_MESSAGE)
        return prefix_sum(tokens)

    return index.remembered(("langchain tokens", found.key), make)


def _asking(index: SessionIndex) -> Ints:
    """The nearest earlier assistant message of each result, -1 where there is none."""
    numbers = np.arange(len(index.assistant))
    nearest: Ints = np.maximum.accumulate(np.where(index.assistant, numbers, -1))[index.results.message]
    return nearest


def _saved_before(index: SessionIndex, shown: Variant, found: Clearing) -> Ints:
    """Tokens saved once all results before result ``i`` that may be cleared are; remembered by the index."""

    def make() -> Ints:
        mask = found.rule.mask
        saved = np.where(mask, _quarter(shown.chars) - (units(PLACEHOLDER) + 3) // 4, 0)
        if found.rule.use_saved is not None:
            # Only the size of a whole assistant message is rounded: what emptying one more of its inputs saves depends
            # on those that were emptied before. The results that may answer one message stand in a row.
            asking = _asking(index)
            emptied = prefix_sum(found.rule.use_saved)
            begin = emptied[np.searchsorted(asking, asking)]
            size = np.diff(index.chars_before)[asking] + begin
            saved += np.where(mask, _quarter(size - emptied[:-1]) - _quarter(size - emptied[1:]), 0)
        return prefix_sum(saved)

    return index.remembered(("langchain saved", shown.key, found.rule.key), make)


@dataclass(frozen=True, eq=False, kw_only=True)
class Clear(ClearToolUses):
    """The stage at some calls.

    Attributes:
        tokens: The view's tokens before it, one a call.
    """

    tokens: Ints

    def margin(self, at: int) -> str:
        """How far a call is from the trigger, in words."""
        return f"~{self.tokens[at]:,} tokens, the trigger is {self.options.trigger_tokens:,}"

    def in_order(self, at: int, row: int) -> str:
        """How old a result is at a call, held against ``keep``."""
        rank = int(self.before.last_row[at]) - row
        return f"{ordinal(rank)} newest tool result, keep is {self.options.keep:,}"

    def why_spared(self, at: int) -> str:
        """Why an old result was kept."""
        return f"the older results saved clear_at_least, {self.options.clear_at_least:,} tokens"


def run(draft: Draft, options: ClearToolUsesOptions) -> tuple[Stage, ...]:
    """The one stage."""
    index, calls = draft.index, draft.calls
    results = index.results
    paired = (results.use >= 0) & (results.use_message == _asking(index))
    mask = paired & (results.use_message >= index.window_starts(calls.across)) & ~excluded(index, options.exclude_tools)
    key = (NAME, calls.across, options.exclude_tools)
    found = clearing(index, key, mask, PLACEHOLDER, options.clear_tool_inputs)
    before = tokens_before(index, draft.only_variant)
    tokens = before[calls.end] - before[calls.start]
    over = (tokens > within(options.trigger_tokens)) & options.runs(CLEAR)
    first = draft.first_row
    old = np.maximum(draft.last_row - within(options.keep), first)
    until = old
    if options.clear_at_least:
        wanted = np.full(len(calls), within(options.clear_at_least), np.int64)
        until = first_reaching(_saved_before(index, draft.only_variant, found), first, old, wanted)
    until = np.where(over, until, first)
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
        tokens=tokens,
    )
    return (stage,)


STRATEGY = Strategy(
    name=NAME,
    title="LangChain ClearToolUsesEdit",
    options=ClearToolUsesOptions,
    run=run,
    placeholder=PLACEHOLDER,
    persistence="outbound",
    fidelity="exact",
    explanation=(
        "Over a number of tokens, all but the newest tool results become a placeholder, oldest first and until enough "
        "is saved. The conversation itself stays as it is: every call starts again from it."
    ),
    source="LangChain, ClearToolUsesEdit of its context editing middleware",
)
