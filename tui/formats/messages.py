"""Messages in the shapes ``type`` + ``content`` (react-agent-mini) and ``role`` + ``content`` (the chat APIs)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tui.formats.content import blocks, call_block, extra_fields, tool_result
from tui.formats.notes import Notes
from tui.formats.records import Record
from tui.formats.times import seconds
from tui.model import Message, Role, Session

ROLES: dict[str, Role] = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "user",
    "function": "user",
}
"""Who speaks, by the value of ``role``, or of ``type`` where there is no role. All others are ``other``."""

_RESULT_ROLES = ("tool", "function")
_STAMPS = ("timestamp", "ts")
_KNOWN = frozenset({"role", "content", "meta", "tool_calls", "function_call", *_STAMPS})
_KNOWN_BY_TYPE = _KNOWN | {"type"}
_KNOWN_OF_RESULT = ("role", "content", "tool_call_id", "is_error", *_STAMPS)


def message(record: Mapping[str, Any], place: int | None = None) -> Message:
    """The message that ``record`` is: a block for each item of its content, then one for each of its tool calls.

    A record of the role ``tool`` or ``function`` is a user message with one tool result.
    """
    lines = () if place is None else (place,)
    sender = record.get("role")
    known = _KNOWN
    if sender is None:
        sender = record.get("type")
        known = _KNOWN_BY_TYPE
    role = ROLES.get(sender, "other") if isinstance(sender, str) else "other"
    if sender in _RESULT_ROLES:
        result = tool_result(record, record.get("tool_call_id"), *_KNOWN_OF_RESULT)
        return Message(role, (result,), _timestamp(record), lines)
    if len(record) == 2 and "content" in record:
        return Message(role, blocks(record["content"]), None, lines)
    mapped = blocks(record.get("content"))
    calls = record.get("tool_calls")
    if isinstance(calls, (list, tuple)):
        mapped += tuple([call_block(call) for call in calls])
    if record.get("function_call") is not None:
        mapped += (call_block(record["function_call"]),)
    return Message(
        role,
        mapped,
        _timestamp(record),
        lines,
        meta=record.get("meta") is True,
        extra=extra_fields(record, known),
    )


def _timestamp(record: Mapping[str, Any]) -> float | None:
    for key in _STAMPS:
        if record.get(key) is not None:
            return seconds(record[key])
    return None


class MessagesReader:
    """Reads records that are one message each, in their order.

    Args:
        format: Name of the format.
        source: Name of the file.
        notes: Where what is skipped is counted.
        convert: Makes a message of a record.
    """

    def __init__(
        self,
        format: str,
        source: str,
        notes: Notes,
        convert: Callable[[Record, int], Message] = message,
    ) -> None:
        self._format = format
        self._source = source
        self._notes = notes
        self._convert = convert
        self._system: list[Message] = []
        self._messages: list[Message] = []

    def feed(self, record: Record, place: int, text: str) -> None:
        """Take the next record; one that has no role (or, without one, a type that is none) is skipped."""
        kind = record.get("type")
        if not isinstance(record.get("role"), str) and not (isinstance(kind, str) and kind in ROLES):
            self._notes.skip_record(kind, place)
            return
        made = self._convert(record, place)
        if made.timestamp is None and len(record) > 2 and any(record.get(key) is not None for key in _STAMPS):
            self._notes.add("timestamps unreadable", place, "info")
        if made.role == "system" and not self._messages:
            self._system.append(made)
        else:
            self._messages.append(made)

    def fields(self, fields: Mapping[str, Any]) -> None:
        """Take a system prompt that stands beside the messages."""
        content = fields.get("system")
        if content:
            self._system.insert(0, Message("system", blocks(content)))

    def count(self) -> int:
        """How many messages there are so far."""
        return len(self._messages)

    def snapshot(self) -> Session:
        """The session so far."""
        return Session(
            format=self._format,
            messages=tuple(self._messages),
            system=tuple(self._system),
            source=self._source,
            notes=self._notes.freeze(),
        )
