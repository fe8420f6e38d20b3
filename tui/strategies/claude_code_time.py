"""Claude Code's time-based microcompact: after idle minutes, old results become a placeholder, for good (SPEC.md, 3).

It fires at a call on the main thread when the last assistant message is at least gapMinutes older than the call: by
then the provider's prompt cache has expired, so that rewriting the prefix costs nothing extra. Of the results of
compactable tools, the last keepRecent (one at least) stay, cleared ones counted in; the rest become
``[Old tool result content cleared]``. That is written back: it stays at every later call of the window.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tui.pipeline.draft import Draft
from tui.pipeline.index import Bools, Ints, prefix_sum
from tui.pipeline.micro import Clearable, clearable
from tui.pipeline.outcomes import Outcome, Reason
from tui.pipeline.placeholder import CLEARED
from tui.pipeline.replace import Replace, holding
from tui.pipeline.stage import Stage, counted, ordinal, within
from tui.pipeline.strategy_options import Count, knob
from tui.pipeline.times import STEP_SECONDS, CallTimes, call_times, duration, on_sidechain
from tui.strategies.microcompact import MicrocompactOptions, why_never
from tui.strategies.strategy import Strategy

NAME = "claude-code-time"
STAGE = "time"


class TimeOptions(MicrocompactOptions):
    """Options of the time-based microcompact.

    Raises:
        OptionError: A value is out of its range or an option is unknown; the error names both.
    """

    STAGES: ClassVar[tuple[str, ...]] = (STAGE,)

    gap_minutes: Count = knob(
        5, "gapMinutes", "minutes", 120, 1, "fires when the last assistant message is at least this much older"
    )
    keep_recent: Count = knob(
        5, "keepRecent", "results", 24, 1, "leaves this many of the newest compactable results whole, one at least"
    )
    now_minutes: Count = knob(0, "now", "minutes", 120, 1, "the next call is made this long after the newest message")
    step_seconds: Count = knob(
        STEP_SECONDS, "step", "seconds", 600, 10, "how long a message lasts where the file has no timestamps"
    )


@dataclass(frozen=True, slots=True, eq=False)
class Clearing:
    """What was cleared by the time of each call of a session, one entry a call.

    Attributes:
        key: All that it depends on.
        times: When the calls were made.
        sidechain: The calls of a subagent.
        fires: The calls at which it fires.
        until: Compactable results of the window before this row were cleared, at this call or an earlier one.
        fresh: How many results got another text at this very call.
        standing: How many have another text at this call.
    """

    key: Hashable
    times: CallTimes
    sidechain: Bools
    fires: Bools
    until: Ints
    fresh: Ints
    standing: Ints


@dataclass(frozen=True, eq=False, kw_only=True)
class Time(Stage):
    """Time-based clearing at some calls.

    Attributes:
        strategy: The strategy that it is part of.
        able: Which results are compactable.
        clearing: What it cleared by the time of each call of the session.
    """

    effect = Outcome.CLEARED

    strategy: str
    options: TimeOptions
    able: Clearable
    clearing: Clearing

    @property
    def traced(self) -> Bools:
        """The calls at which it cleared something: what they cleared stays, but is not cleared again."""
        return self.clearing.fresh[self.before.calls.number - 1] > 0

    def why_acted(self, at: int, row: int, before: int, after: int) -> str:
        """When it was cleared, and how old it was then."""
        clearing = self.clearing
        call = int(np.searchsorted(clearing.until, row, side="right"))
        end = self.before.index.calls(self.before.calls.across).end[call]
        rank = self._newest_rank(row, int(self.before.index.results_before[end]))
        idle = duration(clearing.times.gap[call])
        keep = max(1, self.options.keep_recent)
        order = f"{ordinal(rank)} newest compactable result, keepRecent is {keep:,}"
        return f"cleared at call {call + 1:,} after {idle}: {order}"

    def why_kept(self, at: int, number: int, row: int | None, chars: int) -> tuple[Reason, str]:
        """Why a block was not cleared."""
        if not self.options.runs(STAGE):
            return Reason.DISABLED, f"{STAGE} is switched off"
        if never := why_never(self.before, self.able, at, number, row):
            return never
        assert row is not None
        if holding(self.before.index, CLEARED)[row]:
            return Reason.ALREADY_CLEARED, "not cleared: it already is the placeholder"
        if why_not := self._why_idle(self._call(at)):
            reason, margin = why_not
            return reason, f"kept: {margin}"
        rank, keep = self._newest_rank(row, int(self.before.last_row[at])), max(1, self.options.keep_recent)
        return Reason.RECENT_WINDOW, f"kept: {ordinal(rank)} newest compactable result, keepRecent is {keep:,}"

    def trace(self, at: int) -> list[str]:
        """One line where it cleared something."""
        if not self.traced[at]:
            return []
        n, fresh = self.before.messages[at], self.clearing.fresh[self._call(at)]
        return [
            f"[trace] {self.strategy}.{STAGE} before={n} after={n} cleared={fresh} estimated={self.before.estimate[at]}"
        ]

    def verdict(self, at: int) -> str:
        """What happened at call ``at``, in words."""
        if not self.options.runs(STAGE):
            return f"{STAGE} is switched off"
        call, clearing = self._call(at), self.clearing
        fresh, standing = int(clearing.fresh[call]), int(clearing.standing[call])
        declared = f" ({self.options.step_seconds:,} s a message declared)" if clearing.times.declared else ""
        if why_not := self._why_idle(call):
            stays = f"; {counted(standing, 'result')} cleared before" if standing else ""
            return f"{why_not[1]}{declared}{stays}"
        gap = f"gap {duration(clearing.times.gap[call])} >= {self.options.gap_minutes:,} min{declared}"
        if not fresh:
            return f"{gap}, but nothing left to clear"
        return f"{gap}: cleared {counted(fresh, 'result')}" + (f", {standing:,} in all" if standing > fresh else "")

    def _call(self, at: int) -> int:
        return int(self.before.calls.number[at]) - 1

    def _newest_rank(self, row: int, end: int) -> int:
        """How many compactable results stand from ``row`` to before row ``end``."""
        return int(self.able.before[end] - self.able.before[row])

    def _why_idle(self, call: int) -> tuple[Reason, str] | None:
        """Why it stays idle at a call of the session; None where it fires."""
        clearing = self.clearing
        times, gap = clearing.times, float(clearing.times.gap[call])
        if clearing.fires[call]:
            return None
        if clearing.sidechain[call]:
            return Reason.SIDECHAIN, "sidechain: it fires on the main thread only"
        if times.spoke[call] < 0:
            return Reason.NOT_IDLE, "no assistant message before this call"
        if np.isnan(gap):
            return Reason.NO_TIMESTAMP, "no timestamp"
        if gap < 0:
            return Reason.NOT_IDLE, "negative gap: by the timestamps the assistant spoke after the call"
        return Reason.NOT_IDLE, f"gap {duration(gap)} < {self.options.gap_minutes:,} min"


def time(draft: Draft, options: TimeOptions, strategy: str) -> Time:
    """Time-based clearing, after what made ``draft``, at most one stage that acts on all calls alike."""
    able = clearable(draft.index, options.compactable_tools, draft.calls.across)
    rule = Replace(draft.index, (STAGE, able.key), able.mask, CLEARED)
    clearing = _clearing(draft, options, able, rule)
    at = draft.calls.number - 1
    after, acted = draft.rewritten(rule, last=clearing.until[at])
    return Time(
        name=STAGE,
        strategy=strategy,
        options=options,
        before=draft,
        after=after,
        count=clearing.standing[at],
        acted=acted,
        able=able,
        clearing=clearing,
    )


def _clearing(draft: Draft, options: TimeOptions, able: Clearable, rule: Replace) -> Clearing:
    index, across = draft.index, draft.calls.across
    runs, minutes, keep = options.runs(STAGE), options.gap_minutes, options.keep_recent
    key = (NAME, draft.only_variant.key, able.key, runs, minutes, keep, options.step_seconds, options.now_minutes)

    def make() -> Clearing:
        calls = index.calls(across)
        first, last = index.results_before[calls.start], index.results_before[calls.end]
        times = call_times(index, across, options.step_seconds, options.now_minutes)
        sidechain = on_sidechain(index, times)
        fires = (times.gap >= 60.0 * within(minutes)) & ~sidechain & runs
        older = np.where(fires, able.newest(max(1, within(keep)), last), 0)
        until = np.maximum(np.maximum.accumulate(older), first)
        before = np.clip(np.append(0, until[:-1]), first, until)
        changed = prefix_sum(draft.only_variant.then(rule).changed)
        return Clearing(
            key, times, sidechain, fires, until, changed[until] - changed[before], changed[until] - changed[first]
        )

    return index.remembered(key, make)


def run(draft: Draft, options: TimeOptions) -> tuple[Stage, ...]:
    """The one stage."""
    return (time(draft, options, NAME),)


STRATEGY = Strategy(
    name=NAME,
    title="Claude Code, time-based microcompact",
    options=TimeOptions,
    run=run,
    placeholder=CLEARED,
    persistence="written back",
    fidelity="exact",
    explanation=(
        "After five idle minutes, when the prompt cache has expired anyway, all but the newest results of compactable "
        "tools become a placeholder. What was cleared stays cleared at every later call."
    ),
    source="Claude Code's microcompact, its time-based path",
)
