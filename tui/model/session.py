"""Session, Message and blocks: what every reader produces and everything else reads. Frozen and slotted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Role = Literal["user", "assistant", "system", "other"]
"""Who a message is from. ``other`` messages are shown, but are not part of any model view."""

Extra: TypeAlias = Mapping[str, Any] | None
"""Fields that the model has no name for, kept so that they can be written out again; None when there are none."""


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Text written by either side."""

    text: str
    extra: Extra = None


@dataclass(frozen=True, slots=True)
class ToolUseBlock:
    """A call of a tool.

    Attributes:
        id: What results refer to; None when the file has none.
        name: The tool's name, possibly empty.
        input: The arguments; what did not parse to an object is ``{"_raw": text}`` or ``{"_value": value}``.
    """

    id: str | None
    name: str
    input: Mapping[str, Any]
    extra: Extra = None


@dataclass(frozen=True, slots=True)
class ToolResultBlock:
    r"""What a tool answered.

    Attributes:
        tool_use_id: The call it answers, or None.
        content: Its text parts joined by ``\n``; never image data.
        is_error: As the file says; None when it says nothing.
        images: How many image parts it holds besides.
    """

    tool_use_id: str | None
    content: str
    is_error: bool | None = None
    images: int = 0
    extra: Extra = None


@dataclass(frozen=True, slots=True)
class ThinkingBlock:
    """Reasoning of the model: shown, never counted. ``redacted`` when only ciphertext is there."""

    text: str
    redacted: bool = False
    extra: Extra = None


@dataclass(frozen=True, slots=True)
class ImageBlock:
    """An image: shown as a line, never counted, its data not kept.

    Attributes:
        media_type: Such as ``image/png``; empty when unknown.
        bytes_len: Size of the decoded data in bytes; 0 when it is only referred to.
        ref: URL or path, when the file refers to one.
    """

    media_type: str
    bytes_len: int = 0
    ref: str = ""
    extra: Extra = None


@dataclass(frozen=True, slots=True)
class OtherBlock:
    """A block of a kind that the model has no name for: shown as its JSON, never counted."""

    kind: str
    raw: Any


Block: TypeAlias = TextBlock | ToolUseBlock | ToolResultBlock | ThinkingBlock | ImageBlock | OtherBlock


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation.

    Attributes:
        role: Who it is from.
        blocks: Its content, in order.
        timestamp: Seconds since 1970 UTC; None when missing or unreadable.
        source_lines: The file's lines it was read from, counted from 1; for a JSON document, its place in the list.
        meta: Written by the program around the model, not typed by the user.
        summary: The summary that a compaction left behind.
        sidechain: Part of a subagent's thread.
        error: An error text that the program put where an answer should be.
        extra: Unknown fields.
    """

    role: Role
    blocks: tuple[Block, ...]
    timestamp: float | None = None
    source_lines: tuple[int, ...] = ()
    meta: bool = False
    summary: bool = False
    sidechain: bool = False
    error: bool = False
    extra: Extra = None


@dataclass(frozen=True, slots=True)
class Note:
    """Something skipped or repaired while reading, counted.

    Attributes:
        text: What, as a plural-safe phrase that follows the number: ``records skipped: progress``.
        count: How often.
        lines: Where, the first few lines, counted from 1.
        kind: ``skipped`` (left out), ``repaired`` (read after a repair) or ``info``.
    """

    text: str
    count: int = 1
    lines: tuple[int, ...] = ()
    kind: Literal["skipped", "repaired", "info"] = "skipped"

    def __str__(self) -> str:
        where = ""
        if self.lines:
            more = ", …" if self.count > len(self.lines) else ""
            where = f" (line {', '.join(map(str, self.lines))}{more})"
        return f"{self.count:,} {self.text}{where}"


@dataclass(frozen=True, slots=True)
class Boundary:
    """A compact boundary: later calls see only the messages from it on (SPEC.md, section 1).

    Attributes:
        message: Index of the first message after it (may be ``len(messages)``).
        trigger: ``auto``, ``manual`` or empty.
        pre_tokens: Size before the compaction in tokens, when the file says so.
    """

    message: int
    trigger: str = ""
    pre_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Sidechain:
    """A subagent's thread that stands inside the main file, folded out of the main thread.

    Attributes:
        agent: Its id, or empty.
        before: Index of the main-thread message that it stands before.
        messages: Its messages.
    """

    agent: str
    before: int
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Session:
    """A conversation as read from a file or built from dicts; compared by identity.

    Attributes:
        format: Name of the reader, such as ``claude-code``.
        messages: The conversation. Leading system prompts are not among them.
        system: The leading system or developer prompts: shown, never counted, never dropped.
        title: From the file, when it has one.
        source: File name or path as given; empty for a session built from dicts.
        notes: What was skipped or repaired.
        boundaries: Compact boundaries, ascending.
        sidechains: Subagent threads folded out of ``messages``.
    """

    format: str
    messages: tuple[Message, ...]
    system: tuple[Message, ...] = ()
    title: str | None = None
    source: str = ""
    notes: tuple[Note, ...] = ()
    boundaries: tuple[Boundary, ...] = ()
    sidechains: tuple[Sidechain, ...] = field(default=())
