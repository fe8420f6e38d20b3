"""What became of a block, and why: the words of SPEC.md section 1."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """What a stage, or a whole strategy, did to a block."""

    KEPT = "kept"
    TRUNCATED = "truncated"
    TRIMMED = "trimmed"
    OFFLOADED = "offloaded"
    CLEARED = "cleared"
    INPUT_CLEARED = "input-cleared"
    DELETED = "deleted-server-side"
    DROPPED = "dropped"


class Reason(StrEnum):
    """Why a block was left alone."""

    RECENT_WINDOW = "recent-window"
    TOO_SMALL = "too-small"
    TOOL_NOT_ELIGIBLE = "tool-not-eligible"
    ORPHAN = "orphan"
    ALREADY_CLEARED = "already-cleared"
    UNDER_THRESHOLD = "under-threshold"
    NO_BOUNDARY = "no-boundary"
    EXCLUDED = "excluded"
    TOO_FEW = "too-few"
    NOT_IDLE = "not-idle"
    SIDECHAIN = "sidechain"
    NO_TIMESTAMP = "no-timestamp"
    DISABLED = "disabled"
    NEVER_TOUCHED = "never-touched"


@dataclass(frozen=True, slots=True)
class StageOutcome:
    """What one stage made of one block.

    Attributes:
        stage: The stage's name.
        outcome: What it did; ``kept`` too where it replaced a text by the same text.
        chars: Size of the block after it, in UTF-16 code units as counted by the estimate.
        reason: Why it left the block alone; None when it acted.
        explanation: The same in a sentence, with the margin: ``412 chars, minChars is 500``.
    """

    stage: str
    outcome: Outcome
    chars: int
    reason: Reason | None
    explanation: str


@dataclass(frozen=True, slots=True)
class BlockOutcome:
    """The fate of one block at one call.

    Attributes:
        message: Index into ``session.messages``.
        block: Index into that message's blocks.
        outcome: The final one.
        chars_before: Counted size in the conversation.
        chars_after: Counted size in the outbound view, 0 when dropped.
        reason: Why it was kept; None when it was not.
        explanation: The decisive stage's sentence.
        trail: One entry per stage, in order; it ends with the stage that dropped the block.
    """

    message: int
    block: int
    outcome: Outcome
    chars_before: int
    chars_after: int
    reason: Reason | None
    explanation: str
    trail: tuple[StageOutcome, ...]

    def after(self, stage: str) -> StageOutcome | None:
        """The trail's entry for ``stage``; None where an earlier stage had dropped the block."""
        return next((step for step in self.trail if step.stage == stage), None)
