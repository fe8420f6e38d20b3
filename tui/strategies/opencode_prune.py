"""opencode's prune: after a turn, tool output beyond the newest 40,000 tokens is written over (SPEC.md, section 3).

From the end of the conversation all is skipped until two user messages without a tool result were seen. Then the newest
``protect_tokens`` of tool output (``round(chars / 4)`` a result) are protected; the result that crosses that line is
prunable, and so are all older ones up to what was pruned before. They are pruned only if they are more than
``minimum_tokens`` together. Output of the tool ``skill`` is neither counted nor pruned.

It runs after a turn, that is where the user speaks again after the assistant (or could: where the newest message is the
assistant's), and is written back: what is pruned shows from the next call on and stays so. What is pruned is always the
oldest output, so that one row a call, up to which all is pruned, is all the state that is carried.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tui.pipeline.draft import Draft
from tui.pipeline.index import Bools, Ints, SessionIndex, prefix_sum
from tui.pipeline.outcomes import Reason
from tui.pipeline.placeholder import CLEARED
from tui.pipeline.prompts import prompts
from tui.pipeline.replace import Replace
from tui.pipeline.stage import Stage, acted_count, counted, within
from tui.pipeline.strategy_options import Count, StrategyOptions, knob
from tui.pipeline.variant import Variant
from tui.strategies.old_results import OldResults
from tui.strategies.strategy import Strategy

NAME = "opencode-prune"
PRUNE = "prune"
PROTECTED = "skill"
"""The tool whose output is never pruned."""

_TURNS = 2
"""So many user messages are skipped from the end."""


class Options(StrategyOptions):
    """Options of opencode's prune.

    Raises:
        OptionError: A value is out of its range or an option is unknown; the error names both.
    """

    STAGES: ClassVar = (PRUNE,)

    protect_tokens: Count = knob(
        40_000, "PRUNE_PROTECT", "tokens", 100_000, 1_000, "so much of the newest tool output is protected"
    )
    minimum_tokens: Count = knob(
        20_000, "PRUNE_MINIMUM", "tokens", 50_000, 1_000, "output is pruned only if more than this is prunable"
    )


@dataclass(frozen=True, slots=True, eq=False)
class Pruned:
    """The carried state, and how it came about, one entry a call.

    Attributes:
        until: Results before this row are pruned.
        fresh: How many were pruned since the call before.
        seen: Results before this row stood before the newest two user messages when it last ran.
        prunable: How many tokens were prunable then.
    """

    until: Ints
    fresh: Ints
    seen: Ints
    prunable: Ints


def _prunable(index: SessionIndex) -> Bools:
    """Which results may be pruned: all but those of the protected tool."""
    named = np.array([name != PROTECTED for name in index.results.tools] + [True], np.bool_)
    found: Bools = named[index.results.tool]
    return found


def _tokens_before(shown: Variant) -> Ints:
    """Tokens of all output before result ``i`` that may be pruned; remembered by the index."""
    # Halves are rounded up, as Math.round does.
    return shown.index.remembered(
        (NAME, "tokens", shown.key),
        lambda: prefix_sum(np.where(_prunable(shown.index), (shown.chars + 2) // 4, 0)),
    )


def _turn_ends(index: SessionIndex, end: Ints) -> Ints:
    """Where the newest turn that each call knows of was over: how many messages stood before; -1 where none was."""
    prompt = prompts(index)
    numbers = np.flatnonzero(prompt)
    # A turn is over at the first message from the user after the assistant spoke, tool results aside.
    spoken = np.cumsum(index.assistant)[numbers]
    over = numbers[np.diff(spoken, prepend=0) > 0]
    place = np.searchsorted(over, end) - 1
    newest = np.where(place >= 0, np.append(over, -1)[place], -1)
    # Or where nothing came after it: there is only what the next message would be an answer to.
    last = np.append(index.view_messages, 0)[index.rank[end] - 1]
    waits = (index.rank[end] > 0) & np.append(index.assistant, False)[last]
    return np.where(waits, end, newest)


def pruned(shown: Variant, across: bool, protect: int, minimum: int) -> Pruned:
    """The state at all calls, where results look as ``shown`` before it; remembered by the index."""
    index = shown.index

    def make() -> Pruned:
        calls = index.calls(across)
        tokens, able = _tokens_before(shown), prefix_sum(_prunable(index))
        turn_end = _turn_ends(index, calls.end)
        users = np.flatnonzero(prompts(index))
        users_before = np.searchsorted(users, np.maximum(turn_end, 0))
        nth = users_before - _TURNS
        second = np.append(users, 0)[np.maximum(nth, 0)]
        first = index.results_before[calls.start]
        runs = (turn_end >= 0) & (nth >= 0) & (second >= calls.start)
        seen = np.where(runs, index.results_before[second], first)
        # Running again before another turn is over finds nothing new, so that only the first such call matters.
        new = np.flatnonzero(runs & np.append(True, np.diff(turn_end) != 0))
        crossed = np.searchsorted(tokens, tokens[seen[new]] - protect)
        until, fresh, prunable = np.zeros((3, len(calls)), np.int64)
        state = 0
        for at, begin, cross in zip(new.tolist(), first[new].tolist(), crossed.tolist(), strict=True):
            low = max(state, begin)
            if cross > low:
                prunable[at] = tokens[cross] - tokens[low]
                if prunable[at] > minimum:
                    until[at] = state = cross
                    fresh[at] = able[cross] - able[low]
        until = np.maximum.accumulate(until)
        # What was not enough stays so until another turn is over.
        found = np.zeros(len(calls), np.int64)
        found[new] = new
        found = np.maximum.accumulate(found)
        prunable = np.where(runs & ((fresh[found] == 0) | (fresh > 0)), prunable[found], 0)
        return Pruned(until, fresh, seen, prunable)

    return index.remembered((NAME, shown.key, across, protect, minimum), make)


@dataclass(frozen=True, eq=False, kw_only=True)
class Prune(OldResults):
    """The stage at some calls.

    Attributes:
        options: The options.
        rule: What it makes of output.
        state: What is pruned at every call of the session.
    """

    options: Options
    rule: Replace
    state: Pruned

    def _call(self, at: int) -> int:
        return int(self.before.calls.number[at]) - 1

    def _enough(self, at: int) -> str:
        tokens = int(self.state.prunable[self._call(at)])
        return f"~{tokens:,} tokens are prunable, PRUNE_MINIMUM is {self.options.minimum_tokens:,}"

    def why_acted(self, at: int, row: int, before: int, after: int) -> str:
        """Since when it is pruned."""
        since = int(np.searchsorted(self.state.until, row, side="right")) + 1
        protect = self.options.protect_tokens
        return f"pruned since call {since:,}: it is beyond the newest {protect:,} tokens before the newest two turns"

    def why_kept(self, at: int, number: int, row: int | None, chars: int) -> tuple[Reason, str]:
        """Why a block was not pruned."""
        if row is not None and not self.rule.mask[row] and self.options.runs(PRUNE):
            return Reason.TOOL_NOT_ELIGIBLE, f"not pruned: the tool {PROTECTED} is protected"
        return super().why_kept(at, number, row, chars)

    def why_not_old(self, at: int, row: int) -> tuple[Reason, str]:
        """In the newest two turns, in what is protected, or not worth it."""
        seen, protect = int(self.state.seen[self._call(at)]), self.options.protect_tokens
        if row >= seen:
            return Reason.RECENT_WINDOW, "kept: it was not older than two user messages when the last turn ended"
        tokens = _tokens_before(self.before.only_variant)
        total = int(tokens[seen] - tokens[row])
        if total <= protect:
            return Reason.RECENT_WINDOW, f"kept: in the newest {total:,} tokens of output, PRUNE_PROTECT is {protect:,}"
        return Reason.UNDER_THRESHOLD, f"kept: {self._enough(at)}"

    @property
    def traced(self) -> Bools:
        """The calls before which it pruned something: that stays, but is not pruned again."""
        call = self.before.calls.number - 1
        return (self.count > 0) & (self.state.fresh[call] > 0)

    def trace(self, at: int) -> list[str]:
        """The trace line of a call where something was newly pruned."""
        if not self.traced[at]:
            return []
        n, fresh = self.before.messages[at], self.state.fresh[self._call(at)]
        return [f"[trace] {NAME}.{PRUNE} before={n} after={n} cleared={fresh} estimated={self.before.estimate[at]}"]

    def finding(self, at: int) -> str:
        """What the last turn's end brought."""
        call = self._call(at)
        if self.state.fresh[call]:
            return f"{self._enough(at)}: {counted(int(self.state.fresh[call]), 'result')} pruned after the last turn"
        if self.state.prunable[call]:
            return f"{self._enough(at)}: not enough to be worth it"
        return f"nothing new before the newest two turns and {self.options.protect_tokens:,} tokens of output"

    def verdict(self, at: int) -> str:
        """What happened at a call, in words."""
        if not self.options.runs(PRUNE):
            return f"{PRUNE} is switched off"
        return f"{self.finding(at)}; {counted(int(self.count[at]), 'result')} cleared in all"


def run(draft: Draft, options: Options) -> tuple[Stage, ...]:
    """The one stage."""
    index, calls = draft.index, draft.calls
    state = pruned(draft.only_variant, calls.across, within(options.protect_tokens), within(options.minimum_tokens))
    rule = Replace(index, NAME, _prunable(index), CLEARED)
    first = draft.first_row
    until = np.maximum(state.until[calls.number - 1], first) if options.runs(PRUNE) else first
    after, acted = draft.rewritten(rule, last=until)
    stage = Prune(
        name=PRUNE,
        strategy=NAME,
        options=options,
        first=first,
        until=until,
        before=draft,
        after=after,
        count=acted_count(acted, len(calls)),
        acted=acted,
        rule=rule,
        state=state,
    )
    return (stage,)


STRATEGY = Strategy(
    name=NAME,
    title="opencode prune",
    options=Options,
    run=run,
    placeholder=CLEARED,
    persistence="written back",
    fidelity="exact",
    explanation=(
        "After each turn, tool output older than the newest 40,000 tokens of it is written over, if there is enough of "
        "it to be worth it. What is pruned stays pruned at all later calls; the newest two turns are never touched."
    ),
    source="opencode, SessionCompaction.prune",
)
