"""Anthropic Messages: a request body with its system prompt, or a bare list of messages (Cline, Roo)."""

from __future__ import annotations

from typing import Any

from tui.formats.format import Format, Sample
from tui.formats.messages import MessagesReader

NAME = "anthropic-messages"

_OWN_BLOCKS = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking", "image", "document"})


def _recognise(sample: Sample) -> bool:
    if not sample.has("role"):
        return False
    if sample.shape == "object" and "system" in sample.fields:
        return True
    tools = sample.fields.get("tools")
    if isinstance(tools, list) and any(isinstance(tool, dict) and "input_schema" in tool for tool in tools):
        return True
    return sample.any(lambda record: isinstance(record.get("content"), list))


def _recognise_lines(sample: Sample) -> bool:
    return sample.any(lambda record: "role" in record and any(map(_is_own, _items(record.get("content")))))


def _items(content: Any) -> list[Any]:
    return content if isinstance(content, list) else []


def _is_own(item: Any) -> bool:
    return isinstance(item, dict) and item.get("type") in _OWN_BLOCKS


FORMAT = Format(
    NAME,
    "Anthropic Messages: a request body, or a list of messages such as Cline's api_conversation_history.json",
    document=_recognise,
    lines=_recognise_lines,
    open=lambda source, notes: MessagesReader(NAME, source, notes),
)
