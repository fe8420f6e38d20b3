"""The published JSON of one call: what became of every block, and why."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, PlainValidator, SerializeAsAny, WithJsonSchema, model_validator

from tui.pipeline.evaluation import OUTBOUND, Evaluation, View, block_type, tool_of
from tui.pipeline.outcomes import BlockOutcome, Outcome, Reason
from tui.pipeline.strategy_options import StrategyOptions
from tui.strategies import with_own_options


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("must be a string")
    return value


FileText = Annotated[str, PlainValidator(_text), WithJsonSchema({"type": "string"})]
"""Text from a file. Pydantic's own ``str`` refuses lone surrogates, which sessions do hold."""


class _Published(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class StageReport(_Published):
    """What one stage made of one block."""

    stage: str
    """The stage's name."""
    outcome: Outcome
    """What it did."""
    chars: int
    """Size of the block after it, in UTF-16 code units as counted by the estimate; 0 when dropped."""


class BlockReport(_Published):
    """The fate of one block that the call sees."""

    message: int
    """Its message, counted from 0 through the whole conversation (system prompts not counted)."""
    block: int
    """Its place in that message, counted from 0."""
    type: FileText
    """Such as ``text``, ``tool_use`` or ``tool_result``."""
    tool: FileText | None
    """Name of the tool; null for a block that is no tool's, and for a result without a call before it."""
    chars_before: int
    """Counted size in the conversation, in UTF-16 code units."""
    chars_after: int
    """Counted size in this view; 0 when dropped."""
    outcome: Outcome
    """What became of it in the end."""
    reason: Reason | None
    """Why it was left alone; null when it was not."""
    trail: list[StageReport]
    """One entry a stage, in order, up to the one that dropped it."""


class CallReport(_Published):
    """One call's view, after one stage."""

    _own_options = model_validator(mode="before")(with_own_options)

    file: FileText
    """The session's file as it was named; ``-`` for standard input."""
    format: str
    """The file's format."""
    strategy: str
    """The strategy's name."""
    options: SerializeAsAny[StrategyOptions]
    """The strategy's options."""
    call: int
    """The call's number, counted from 1."""
    calls: int
    """How many calls the session has; the last is the next call."""
    estimate: dict[str, int]
    """Size of the view in chars before any stage (``original``) and after each."""
    counts: dict[str, int]
    """The trace lines' numbers: blocks truncated, results cleared, messages dropped."""
    kept_from: int
    """The first message of the view, counted from 0 through the whole conversation."""
    notes: list[FileText]
    """What was skipped or repaired while the file was read."""
    blocks: list[BlockReport]
    """Every block that the call sees, in order."""


def call_report(evaluation: Evaluation, view: View, stage: str = OUTBOUND) -> CallReport:
    """The report of ``view``; its blocks and ``kept_from`` are those after ``stage``, all else is the whole call's."""
    after = view.up_to(stage)
    session = evaluation.session
    return CallReport(
        file=session.source,
        format=session.format,
        strategy=evaluation.strategy,
        options=evaluation.options,
        call=view.call,
        calls=len(evaluation.calls),
        estimate=view.estimate,
        counts=view.counts,
        kept_from=after.kept_from,
        notes=[str(note) for note in session.notes],
        blocks=[_block_report(evaluation, outcome) for outcome in after.outcomes],
    )


def _block_report(evaluation: Evaluation, outcome: BlockOutcome) -> BlockReport:
    message, block = outcome.message, outcome.block
    return BlockReport(
        message=message,
        block=block,
        type=block_type(evaluation.session.messages[message].blocks[block]),
        tool=tool_of(evaluation.index, message, block) or None,
        chars_before=outcome.chars_before,
        chars_after=outcome.chars_after,
        outcome=outcome.outcome,
        reason=outcome.reason,
        trail=[StageReport(stage=step.stage, outcome=step.outcome, chars=step.chars) for step in outcome.trail],
    )
