"""Small helpers for the tests of formats: sessions from bytes, records as agents write them."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from tui.formats import load_session
from tui.model import Message, Session, TextBlock, ToolResultBlock, ToolUseBlock

CASES = Path(__file__).parent.parent / "cases"


def case(name: str) -> Session:
    """The session in a file of ``tests/cases``, named by its beginning."""
    (path,) = CASES.glob(f"{name}-*")
    return load_session(path)


def load(data: bytes | str, **arguments: Any) -> Session:
    return load_session(io.BytesIO(data.encode() if isinstance(data, str) else data), **arguments)


def lines(*records: object) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def texts(session: Session) -> list[str]:
    """Each message as one short string: its text, ``>Tool(id)`` for a call, ``<id:content`` for a result."""
    return [describe(message) for message in session.messages]


def describe(message: Message) -> str:
    parts = []
    for block in message.blocks:
        match block:
            case TextBlock(text):
                parts.append(text)
            case ToolUseBlock(id, name):
                parts.append(f">{name}({id})")
            case ToolResultBlock(id, content):
                parts.append(f"<{id}:{content}")
            case _:
                parts.append(type(block).__name__)
    return " ".join(parts)


def notes(session: Session) -> list[tuple[int, str, tuple[int, ...], str]]:
    return [(note.count, note.text, note.lines, note.kind) for note in session.notes]


class Transcript:
    """Makes Claude Code records, each the child of the one before unless a parent is named."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []

    def add(self, type: str, **fields: Any) -> str:
        number = len(self.records)
        uuid = f"u{number}"
        parent = self.records[-1]["uuid"] if self.records else None
        record = {"parentUuid": parent, "isSidechain": False, "sessionId": "s", "type": type, "uuid": uuid}
        record["timestamp"] = f"2026-03-01T10:00:{number:02d}.000Z"
        self.records.append(record | fields)
        return uuid

    def user(self, text: object, **fields: Any) -> str:
        return self.add("user", message={"role": "user", "content": text}, **fields)

    def result(self, call: str, content: object = "ok", **fields: Any) -> str:
        return self.user([{"type": "tool_result", "tool_use_id": call, "content": content}], **fields)

    def assistant(self, id: str | None, *content: dict[str, Any], **fields: Any) -> str:
        return self.add("assistant", message={"id": id, "role": "assistant", "content": list(content)}, **fields)

    def load(self) -> Session:
        return load(lines(*self.records))


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def call(id: str, name: str = "Read", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": arguments}
