"""Stage 3, retain: still over the threshold, the oldest messages are dropped (SPEC.md, section 2).

Only where the estimate before it is over the threshold and there are more than maxMessages messages. The cut
starts maxMessages from the end and moves forward to the first user message whose blocks are all text (an empty one
counts); all before it is dropped. Without such a message nothing is dropped. One pass: it may still be over.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.pipeline.draft import Draft
from tui.pipeline.index import Bools, Ints
from tui.pipeline.options import CompactOptions
from tui.pipeline.outcomes import Outcome, Reason, StageOutcome
from tui.pipeline.stage import Stage, counted, within

NAME = "retain"


def newest_from(draft: Draft, most: int) -> Ints:
    """Where the newest ``most`` messages begin, one a call; with 0, the end of the view.

    Where there are no more than that, it may lie before the first message that is there.
    """
    index, end = draft.index, draft.calls.end
    nth = np.clip(index.rank[end] - most, 0, None)
    tail = np.append(index.view_messages, len(index.turn))[np.minimum(nth, len(index.view_messages))]
    found: Ints = np.minimum(tail, end)
    return found


def cut_at(draft: Draft, most: int) -> Ints:
    """Where the newest ``most`` messages begin, moved forward to a user message of plain text, one a call.

    Where there is none, or the cut drops nothing, that is the first message that is there.
    """
    cut = draft.index.next_plain_user[newest_from(draft, most)]
    drops = (draft.messages > most) & (cut < draft.calls.end) & (cut > draft.kept_from)
    kept_from: Ints = np.where(drops, cut, draft.kept_from)
    return kept_from


@dataclass(frozen=True, eq=False, kw_only=True)
class Drop(Stage):
    """A stage that drops the oldest messages."""

    effect = Outcome.DROPPED

    def decide(self, at: int, number: int, row: int | None, chars: int) -> StageOutcome:
        """What it made of a block at a call; see ``Stage``."""
        if self.before.index.block_message[number] < self.kept_from[at]:
            why = f"dropped: it stands before the newest {counted(int(self.after.messages[at]), 'message')}"
            return StageOutcome(self.name, Outcome.DROPPED, 0, None, why)
        reason, why = self.why_kept(at, number, row, chars)
        return StageOutcome(self.name, Outcome.KEPT, chars, reason, why)

    def why_counted_in(self, at: int, most: int) -> tuple[Reason, str]:
        """Why a block was not dropped where the newest ``most`` messages are wanted, the option maxMessages."""
        messages, limit = int(self.before.messages[at]), f"maxMessages is {most:,}"
        if messages <= most:
            return Reason.RECENT_WINDOW, f"kept: {counted(messages, 'message')}, {limit}"
        if not self.count[at]:
            return Reason.NO_BOUNDARY, "kept: no plain-text user message to cut at"
        kept = counted(int(self.after.messages[at]), "message")
        return Reason.RECENT_WINDOW, f"kept: among the newest {kept}, {limit}"


@dataclass(frozen=True, eq=False, kw_only=True)
class Retain(Drop):
    """Retain at some calls.

    Attributes:
        over: Where the estimate before it is over the threshold and the stage is switched on.
    """

    options: CompactOptions
    over: Bools

    def why_kept(self, at: int, number: int, row: int | None, chars: int) -> tuple[Reason, str]:
        """Why a block was not dropped."""
        options = self.options
        if not options.runs(NAME):
            return Reason.DISABLED, "retain is switched off"
        if not self.over[at]:
            margin = f"{self.before.estimate[at]:,} chars, the threshold is {options.threshold:,}"
            return Reason.UNDER_THRESHOLD, f"kept: the view fits, {margin}"
        return self.why_counted_in(at, options.max_messages)

    def trace(self, at: int) -> list[str]:
        """The original's trace lines at call ``at``."""
        if not self.count[at]:
            return []
        return [
            f"[trace] compact.run stage=retain before={self.before.messages[at]} after={self.after.messages[at]} "
            f"droppedMessages={self.count[at]} estimated={self.before.estimate[at]} "
            "overThreshold=true strategy=retain"
        ]

    def verdict(self, at: int) -> str:
        """What happened at call ``at``, in words."""
        options = self.options
        if not options.runs(NAME):
            return "retain is switched off"
        margin = options.threshold - int(self.before.estimate[at])
        if not self.over[at]:
            return f"fits with {margin:,} to spare: retain skipped" if margin else "fits exactly: retain skipped"
        if (messages := int(self.before.messages[at])) <= options.max_messages:
            limit = f"only {counted(messages, 'message')}, maxMessages is {options.max_messages:,}"
            return f"over by {-margin:,}, but {limit}: retain skipped"
        if not (count := int(self.count[at])):
            return f"over by {-margin:,}, but no boundary: retain can drop nothing"
        rest = int(self.estimate[at]) - options.threshold
        now = f"still over by {rest:,}" if rest > 0 else "fits now"
        return f"over by {-margin:,}: retain dropped {counted(count, 'message')}, {now}"


def retain(draft: Draft, options: CompactOptions) -> Retain:
    """Retain, after what made ``draft``."""
    over = draft.estimate > within(options.threshold)
    if not options.runs(NAME):
        over = np.zeros_like(over)
    after = draft.dropped(np.where(over, cut_at(draft, within(options.max_messages)), draft.kept_from))
    return Retain(
        name=NAME,
        options=options,
        before=draft,
        after=after,
        count=draft.messages - after.messages,
        over=over,
    )
