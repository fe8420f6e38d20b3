"""Stage 3, retain: still over the threshold, the oldest messages are dropped (SPEC.md, section 2).

Only where the estimate after micro is over the threshold and there are more than maxMessages messages. The cut
starts maxMessages from the end and moves forward to the first user message whose blocks are all text (an empty one
counts); all before it is dropped. Without such a message nothing is dropped. One pass: it may still be over.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.pipeline.index import Bools, Calls, Ints, SessionIndex
from tui.pipeline.micro import Micro
from tui.pipeline.options import CompactOptions
from tui.pipeline.outcomes import Outcome, Reason, StageOutcome
from tui.pipeline.stage import within

NAME = "retain"


@dataclass(frozen=True, slots=True)
class Retain:
    """Retain at some calls.

    Attributes:
        over: Where the estimate after micro is over the threshold and the stage is switched on.
        wanted: Where it is over and there are more than maxMessages messages.
        kept_from: First message kept; the window's start where nothing is dropped.
    """

    index: SessionIndex
    options: CompactOptions
    calls: Calls
    before: Micro
    over: Bools
    wanted: Bools
    kept_from: Ints
    estimate: Ints
    count: Ints

    name = NAME
    effect = Outcome.DROPPED

    def decide(self, at: int, number: int, row: int | None, chars: int) -> StageOutcome:
        """What this stage made of a block at call ``at``, whose size was ``chars`` before it."""
        options = self.options
        messages = int(self.index.rank[self.calls.end[at]] - self.index.rank[self.calls.start[at]])

        def kept(reason: Reason, why: str) -> StageOutcome:
            return StageOutcome(NAME, Outcome.KEPT, chars, reason, why)

        if not options.runs(NAME):
            return kept(Reason.DISABLED, "retain is switched off")
        if self.index.block_message[number] < self.kept_from[at]:
            why = f"dropped: it stands before the newest {messages - int(self.count[at]):,} messages"
            return StageOutcome(NAME, Outcome.DROPPED, 0, None, why)
        if not self.over[at]:
            margin = f"{self.before.estimate[at]:,} chars, the threshold is {options.threshold:,}"
            return kept(Reason.UNDER_THRESHOLD, f"kept: the view fits, {margin}")
        if not self.wanted[at]:
            why = f"kept: {messages:,} {_messages(messages)}, maxMessages is {options.max_messages:,}"
            return kept(Reason.RECENT_WINDOW, why)
        if not self.count[at]:
            return kept(Reason.NO_BOUNDARY, "kept: no plain-text user message to cut at")
        rest = messages - int(self.count[at])
        why = f"kept: among the newest {rest:,} messages, maxMessages is {options.max_messages:,}"
        return kept(Reason.RECENT_WINDOW, why)

    def text(self, row: int, text: str) -> str:
        """Retain changes no text."""
        return text

    def changed_rows(self, at: int) -> Ints:
        """Retain changes no text."""
        return np.empty(0, np.int64)

    def trace(self, at: int) -> list[str]:
        """The original's trace lines at call ``at``."""
        if not self.count[at]:
            return []
        n = self.index.rank[self.calls.end[at]] - self.index.rank[self.calls.start[at]]
        return [
            f"[trace] compact.run stage=retain before={n} after={n - self.count[at]} "
            f"droppedMessages={self.count[at]} estimated={self.before.estimate[at]} "
            "overThreshold=true strategy=retain"
        ]

    def verdict(self, at: int) -> str:
        """What happened at call ``at``, in words."""
        options = self.options
        if not options.runs(NAME):
            return "retain is switched off"
        threshold = options.threshold
        margin = threshold - int(self.before.estimate[at])
        if not self.over[at]:
            return f"fits with {margin:,} to spare: retain skipped" if margin else "fits exactly: retain skipped"
        messages = int(self.index.rank[self.calls.end[at]] - self.index.rank[self.calls.start[at]])
        if not self.wanted[at]:
            limit = f"only {messages:,} {_messages(messages)}, maxMessages is {options.max_messages:,}"
            return f"over by {-margin:,}, but {limit}: retain skipped"
        if not (count := int(self.count[at])):
            return f"over by {-margin:,}, but no boundary: retain can drop nothing"
        rest = int(self.estimate[at]) - threshold
        now = f"still over by {rest:,}" if rest > 0 else "fits now"
        return f"over by {-margin:,}: retain dropped {count:,} {_messages(count)}, {now}"


def _messages(count: int) -> str:
    return "message" if count == 1 else "messages"


def retain(index: SessionIndex, calls: Calls, options: CompactOptions, before: Micro) -> Retain:
    """Stage 3 at ``calls``, after ``before``."""
    start, end, rank = calls.start, calls.end, index.rank
    over = before.estimate > within(options.threshold)
    if not options.runs(NAME):
        over = np.zeros_like(over)
    most = within(options.max_messages)
    wanted = over & (rank[end] - rank[start] > most)
    # The message that stands ``most`` messages of the view before the end; with 0, the end itself.
    nth = np.clip(rank[end] - most, 0, None)
    tail = np.append(index.view_messages, len(index.turn))[np.minimum(nth, len(index.view_messages))]
    cut = index.next_plain_user[np.minimum(tail, end)]
    drops = wanted & (cut < end) & (cut > start)
    kept_from = np.where(drops, cut, start)
    count = rank[kept_from] - rank[start]
    first, last = index.results_before[start], index.results_before[kept_from]
    growth = before.before.table.growth_before
    gone = index.chars_before[kept_from] - index.chars_before[start] + growth[last] - growth[first]
    saved_before = before.table.saved_before
    cleared_until = np.minimum(before.until, last)
    gone -= np.where(before.over, saved_before[np.maximum(cleared_until, first)] - saved_before[first], 0)
    return Retain(
        index=index,
        options=options,
        calls=calls,
        before=before,
        over=over,
        wanted=wanted,
        kept_from=kept_from,
        estimate=before.estimate - gone,
        count=count,
    )
