r"""OpenClaw's context pruning: after idle minutes, long old results are trimmed, then the oldest cleared (SPEC.md, 3).

It runs only at a call that comes at least ``idle_minutes`` after the last assistant message. The window is a number of
tokens, 4 chars each. The last 3 assistant messages and all after the first of them are protected, and all before the
first user message (one without a tool result); with fewer than 3 assistant messages nothing is done.

1. **trim**: where the view fills at least 30 % of the window, each result of more than 4,000 chars becomes its first
   1,500 chars, ``\n...\n``, its last 1,500 chars and a note. A character that a cut would halve is left out whole.
2. **clear**: where it then still fills at least 50 %, and the results that are not protected have at least 50,000 chars
   together, they become a placeholder, the oldest first, until the view fills less than 50 %.

Nothing is written back.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tui.model.chars import head, units
from tui.pipeline.draft import Draft
from tui.pipeline.index import Bools, Ints, next_true, prefix_sum
from tui.pipeline.outcomes import Outcome, Reason
from tui.pipeline.placeholder import CLEARED
from tui.pipeline.prompts import prompts
from tui.pipeline.reaching import first_reaching
from tui.pipeline.replace import Replace
from tui.pipeline.stage import Stage, acted_count, counted, within
from tui.pipeline.strategy_options import Count, StrategyOptions, knob
from tui.pipeline.times import STEP_SECONDS, Floats, call_times, duration
from tui.pipeline.variant import Rewritten, Variant
from tui.strategies.old_results import OldResults
from tui.strategies.strategy import Strategy

NAME = "openclaw-pruning"
TRIM = "trim"
CLEAR = "clear"

_ASSISTANTS = 3
"""So many of the newest assistant messages are protected."""

_GAP = "\n...\n"


class Options(StrategyOptions):
    """Options of OpenClaw's context pruning.

    Raises:
        OptionError: A value is out of its range or an option is unknown; the error names both.
    """

    STAGES: ClassVar = (TRIM, CLEAR)

    idle_minutes: Count = knob(
        5, "ttl", "minutes", 120, 1, "runs when the last assistant message is at least this much older"
    )
    window_tokens: Count = knob(
        200_000, "contextWindow", "tokens", 1_000_000, 1_000, "what the model can take; 4 chars are a token"
    )
    soft_ratio_percent: Count = knob(
        30, "softTrimRatio", "%", 100, 1, "results are trimmed where the view fills this much of the window"
    )
    hard_ratio_percent: Count = knob(
        50, "hardClearRatio", "%", 100, 1, "results are cleared until the view fills less of the window than this"
    )
    min_prunable_chars: Count = knob(
        50_000, "minPrunableToolChars", "chars", 200_000, 1_000, "results are cleared only if they have so many in all"
    )
    soft_trim_chars: Count = knob(4_000, "softTrim.maxChars", "chars", 20_000, 100, "longer results are trimmed")
    head_chars: Count = knob(1_500, "softTrim.headChars", "chars", 8_000, 50, "trim keeps so much of the beginning")
    tail_chars: Count = knob(1_500, "softTrim.tailChars", "chars", 8_000, 50, "trim keeps so much of the end")
    now_minutes: Count = knob(0, "now", "minutes", 120, 1, "the next call is made this long after the newest message")
    step_seconds: Count = knob(
        STEP_SECONDS, "step", "seconds", 600, 10, "how long a message lasts where the file has no timestamps"
    )

    @property
    def soft(self) -> int:
        """From how many chars on results are trimmed."""
        return within(-(-self.soft_ratio_percent * self.window_tokens * 4 // 100))

    @property
    def hard(self) -> int:
        """From how many chars on results are cleared."""
        return within(-(-self.hard_ratio_percent * self.window_tokens * 4 // 100))

    @property
    def line(self) -> int | None:
        """Where trimming begins, in chars."""
        return self.soft


def tail(text: str, limit: int) -> str:
    """The last ``limit`` units of a text that is longer; a character that the limit would halve is left out whole."""
    if text.isascii():
        return text[len(text) - limit :]
    code = text.encode("utf-16-le", "surrogatepass")
    cut = len(code) - 2 * limit
    if limit and 0xD8 <= code[cut - 1] <= 0xDB and 0xDC <= code[cut + 1] <= 0xDF:
        cut += 2
    return code[cut:].decode("utf-16-le", "surrogatepass")


def _among(ascending: Ints, values: Ints) -> Bools:
    """Which of some values are among ``ascending``."""
    place = np.searchsorted(ascending, values)
    found: Bools = np.append(ascending, -1)[place] == values
    return found


@dataclass(frozen=True, slots=True)
class Middle:
    """Cuts the middle out of every long result.

    Attributes:
        most: Only longer ones are cut.
        head: How many chars of the beginning stay.
        tail: How many chars of the end stay.
    """

    most: int
    head: int
    tail: int

    @property
    def key(self) -> Hashable:
        """The rule with what it depends on."""
        return NAME, TRIM, self.most, self.head, self.tail

    def apply(self, before: Variant) -> Rewritten:
        """What it makes of all results."""
        results = before.index.results
        acts = (before.chars > self.most) & (before.chars > self.head + self.tail)
        rows = np.flatnonzero(acts)
        chars = before.chars.copy()
        length, offset = before.chars[rows], results.offset[rows]
        digits = np.searchsorted(10 ** np.arange(1, 18), length, side="right") + 1
        # A pair whose first half is the last char that stays, or the last that goes.
        halved = _among(results.pairs, offset + self.head - 1) & (self.head > 0)
        halved_too = _among(results.pairs, offset + length - self.tail - 1) & (self.tail > 0)
        chars[rows] = self.head - halved + len(_GAP) + self.tail - halved_too + units(self._note(0)) - 1 + digits
        changed = acts.copy()
        # Another stage's text is not the one that the index knows the character pairs of; and a text may stay as it is.
        for row in np.flatnonzero(acts & (before.touched | (chars == before.chars))).tolist():
            old = before.text(row, before.index.result(row).content)
            new = self.text(row, old)
            chars[row], changed[row] = units(new), new != old
        return Rewritten(acts, changed, chars)

    def text(self, row: int, text: str) -> str:
        """Both ends of a text, with the note."""
        return head(text, self.head) + _GAP + tail(text, self.tail) + self._note(units(text))

    def _note(self, chars: int) -> str:
        return f"[Tool result trimmed: kept first {self.head} chars and last {self.tail} chars of {chars} chars.]"


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """What may be pruned at some calls, and whether anything is.

    Attributes:
        gap: How long after the last assistant message each call is, in seconds; nan where that is unknown.
        declared: Whether the file has no timestamps, so that the gap is a declared one.
        chars: The view's size, one a call.
        enough: Where there are so many assistant messages that some are not protected.
        opened: Where a user message without a tool result was seen.
        first: The first result after the first user message, one a call.
        last: One past the last result that is not protected, one a call, never less than ``first``.
        runs: Where all that both stages ask for is so.
    """

    gap: Floats
    declared: bool
    chars: Ints
    enough: Bools
    opened: Bools
    first: Ints
    last: Ints
    runs: Bools


def reach(draft: Draft, options: Options) -> Reach:
    """What may be pruned, before any stage that acts differently from call to call."""
    index, calls = draft.index, draft.calls
    times = call_times(index, calls.across, options.step_seconds, options.now_minutes)
    gap = times.gap[calls.number - 1]
    assistants = np.flatnonzero(index.assistant)
    oldest = np.searchsorted(assistants, calls.end) - _ASSISTANTS
    enough = oldest >= np.searchsorted(assistants, calls.start)
    protected = np.append(assistants, 0)[np.where(enough, oldest, -1)]
    opening = next_true(prompts(index))[calls.start]
    first = index.results_before[opening]
    # No number is less than an unknown gap, none is at most that.
    idle = gap >= 60.0 * within(options.idle_minutes)
    opened = opening < calls.end
    return Reach(
        gap=gap,
        declared=times.declared,
        chars=draft.estimate,
        enough=enough,
        opened=opened,
        first=first,
        last=np.maximum(index.results_before[protected], first),
        runs=idle & enough & opened & (draft.estimate >= options.soft),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Pruning(OldResults):
    """What both stages share.

    Attributes:
        reach: What may be pruned.
    """

    options: Options
    reach: Reach

    @abstractmethod
    def why_in_reach(self, at: int, row: int) -> tuple[Reason, str]:
        """Why a result that is not protected was left at a call at which both stages could run."""

    @abstractmethod
    def found(self, at: int) -> str:
        """What the stage found in words at a call at which both stages could run."""

    def why_kept(self, at: int, number: int, row: int | None, chars: int) -> tuple[Reason, str]:
        """Why a block was left."""
        reason, why = super().why_kept(at, number, row, chars)
        if row is not None and reason is Reason.ALREADY_CLEARED and self.effect is Outcome.TRIMMED:
            return self.why_in_reach(at, row)
        return reason, why

    def why_not_old(self, at: int, row: int) -> tuple[Reason, str]:
        """Not idle, not full enough, protected, or what the stage says."""
        if idle := self._why_idle(at):
            reason, words = idle
            return reason, f"kept: {words}"
        if row < self.reach.first[at]:
            return Reason.EXCLUDED, "kept: it stands before the first user message"
        if row >= self.reach.last[at]:
            return Reason.RECENT_WINDOW, f"kept: it stands after the {_ASSISTANTS}rd newest assistant message"
        return self.why_in_reach(at, row)

    def finding(self, at: int) -> str:
        """Why nothing runs, else what the stage found."""
        declared = f" ({self.options.step_seconds:,} s a message declared)" if self.reach.declared else ""
        if idle := self._why_idle(at):
            return idle[1] + declared
        return f"gap {duration(float(self.reach.gap[at]))}{declared}, {self.found(at)}"

    def _why_idle(self, at: int) -> tuple[Reason, str] | None:
        """Why neither stage runs at a call; None where they may."""
        gap, minutes = float(self.reach.gap[at]), self.options.idle_minutes
        if self.reach.runs[at]:
            return None
        if not self.reach.enough[at]:
            return Reason.TOO_FEW, f"fewer than {_ASSISTANTS} assistant messages"
        if np.isnan(gap):
            return Reason.NO_TIMESTAMP, "no timestamp"
        if not gap >= 60.0 * within(minutes):
            return Reason.NOT_IDLE, f"gap {duration(gap)} < {minutes:,} min"
        if not self.reach.opened[at]:
            return Reason.EXCLUDED, "no user message yet"
        return Reason.UNDER_THRESHOLD, self.filled(int(self.reach.chars[at]), self.options.soft_ratio_percent)

    def filled(self, chars: int, percent: int) -> str:
        """How full the window is, held against a ratio."""
        window = max(1, self.options.window_tokens * 4)
        return f"{chars:,} chars fill {chars * 100 / window:.1f} % of the window, the ratio is {percent:,} %"


@dataclass(frozen=True, eq=False, kw_only=True)
class Trim(Pruning):
    """Trim at some calls."""

    effect = Outcome.TRIMMED

    def why_acted(self, at: int, row: int, before: int, after: int) -> str:
        """What is left of the result."""
        first, last = self.options.head_chars, self.options.tail_chars
        return f"trimmed: first {first:,} and last {last:,} of {before:,} chars kept, {after:,} with the note"

    def why_in_reach(self, at: int, row: int) -> tuple[Reason, str]:
        """Too short, or the same when it is trimmed."""
        chars = int(self.before.only_variant.chars[row])
        if chars > self.options.soft_trim_chars:
            return Reason.TOO_SMALL, f"not trimmed: of {chars:,} chars the two ends leave nothing out"
        return Reason.TOO_SMALL, f"not trimmed: {chars:,} chars, the limit is {self.options.soft_trim_chars:,}"

    def found(self, at: int) -> str:
        """How full the window is."""
        return self.filled(int(self.reach.chars[at]), self.options.soft_ratio_percent)

    def trace(self, at: int) -> list[str]:
        """The trace line of a call where it trimmed something."""
        return [line.replace("cleared=", "trimmed=") for line in super().trace(at)]

    def verdict(self, at: int) -> str:
        """What happened at a call, in words."""
        if not self.options.runs(TRIM):
            return f"{TRIM} is switched off"
        done = f"trimmed {counted(count, 'result')}" if (count := int(self.count[at])) else "nothing trimmed"
        return f"{self.finding(at)}: {done}"


@dataclass(frozen=True, eq=False, kw_only=True)
class Clear(Pruning):
    """Clear at some calls.

    Attributes:
        prunable: How many chars the results that are not protected have before it, one a call.
    """

    prunable: Ints

    def why_acted(self, at: int, row: int, before: int, after: int) -> str:
        """That the view was still too large when it was its turn."""
        return f"cleared, oldest first: {self._still(at)}"

    def _still(self, at: int) -> str:
        return self.filled(int(self.before.estimate[at]), self.options.hard_ratio_percent)

    def why_in_reach(self, at: int, row: int) -> tuple[Reason, str]:
        """Not full enough, not worth it, or enough was cleared before it."""
        return Reason.UNDER_THRESHOLD, f"not cleared: {self.found(at)}"

    def found(self, at: int) -> str:
        """How full the window still is, and how much could be cleared."""
        if self.before.estimate[at] < self.options.hard:
            return self._still(at)
        prunable, least = int(self.prunable[at]), self.options.min_prunable_chars
        if prunable < least:
            return f"{self._still(at)}, but only {prunable:,} chars are prunable, the least is {least:,}"
        now = self.filled(int(self.after.estimate[at]), self.options.hard_ratio_percent)
        return f"{self._still(at)}; {now} after clearing the oldest"


def run(draft: Draft, options: Options) -> tuple[Stage, ...]:
    """The two stages."""
    index, calls = draft.index, draft.calls
    found = reach(draft, options)
    first = found.first
    middle = Middle(within(options.soft_trim_chars), within(options.head_chars), within(options.tail_chars))
    until = np.where(found.runs & options.runs(TRIM), found.last, first)
    trimmed, acted = draft.rewritten(middle, first, until)
    trim = Trim(
        name=TRIM,
        strategy=NAME,
        options=options,
        first=first,
        until=until,
        before=draft,
        after=trimmed,
        count=acted_count(acted, len(calls)),
        acted=acted,
        reach=found,
    )
    # As they are wherever clear may run.
    variant = draft.only_variant.then(middle) if options.runs(TRIM) else draft.only_variant
    chars_before = prefix_sum(variant.chars)
    saved = chars_before - len(CLEARED) * np.arange(len(chars_before))
    prunable = chars_before[found.last] - chars_before[first]
    clears = found.runs & (trimmed.estimate >= options.hard) & (prunable >= within(options.min_prunable_chars))
    until = first_reaching(saved, first, found.last, trimmed.estimate - options.hard + 1)
    until = np.where(clears & options.runs(CLEAR), until, first)
    everything = np.ones(len(index.results), np.bool_)
    after, acted = trimmed.rewritten(Replace(index, NAME, everything, CLEARED), first, until)
    clear = Clear(
        name=CLEAR,
        strategy=NAME,
        options=options,
        first=first,
        until=until,
        before=trimmed,
        after=after,
        count=acted_count(acted, len(calls)),
        acted=acted,
        reach=found,
        prunable=prunable,
    )
    return trim, clear


STRATEGY = Strategy(
    name=NAME,
    title="OpenClaw pruning",
    options=Options,
    run=run,
    placeholder=CLEARED,
    persistence="outbound",
    fidelity="exact",
    explanation=(
        "After idle minutes, when the prompt cache has expired anyway, long old results lose their middle; where that "
        "is not enough, the oldest are cleared until the view fits. It is done on a copy: the next call starts again "
        "from the whole conversation."
    ),
    source="OpenClaw, its context pruning in the mode cache-ttl",
)
