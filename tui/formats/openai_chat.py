"""OpenAI chat completions: a request body, a list of messages, or a message a line."""

from __future__ import annotations

from dataclasses import replace

from tui.formats.content import extra_fields
from tui.formats.format import Format, Sample
from tui.formats.messages import MessagesReader, message
from tui.formats.records import Record
from tui.model import Block, Message, TextBlock, ThinkingBlock

NAME = "openai-chat"

_REASONING = ("reasoning_content", "reasoning")
_MOVED = frozenset({*_REASONING, "refusal"})


def _message(record: Record, place: int) -> Message:
    """As ``message``, and reasoning becomes a block before the content, a refusal one after it."""
    made = message(record, place)
    if made.extra is None or _MOVED.isdisjoint(record):
        return made
    before: list[Block] = []
    for key in _REASONING:
        text = record.get(key)
        if isinstance(text, str) and text:
            before.append(ThinkingBlock(text))
            break
    refusal = record.get("refusal")
    after = (TextBlock(refusal, {"refusal": True}),) if isinstance(refusal, str) else ()
    return replace(made, blocks=(*before, *made.blocks, *after), extra=extra_fields(made.extra, _MOVED))


def _recognise(sample: Sample) -> bool:
    return bool(sample.roles() & {"tool", "developer", "function"}) or (
        sample.has("tool_calls", "function_call") and sample.has("role")
    )


FORMAT = Format(
    NAME,
    "OpenAI chat completions: a request body, a list of messages, or a message a line",
    document=_recognise,
    lines=lambda sample: sample.has("role"),
    open=lambda source, notes: MessagesReader(NAME, source, notes, _message),
)
