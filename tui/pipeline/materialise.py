"""Blocks and messages as dicts, in the shape that react-agent-mini keeps them; unknown fields stay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tui.model import (
    Block,
    ImageBlock,
    Message,
    OtherBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)


def block_dict(block: Block, content: str | None = None) -> Any:
    """``block`` as a dict; ``content`` takes the place of a tool result's text, and empties a tool_use's input.

    Image data is never kept, so an image is its media type, size in bytes and reference.
    """
    known: dict[str, Any]
    match block:
        case TextBlock():
            known = {"type": "text", "text": block.text}
        case ToolUseBlock():
            known = {"type": "tool_use", "id": block.id, "name": block.name}
            known["input"] = dict(block.input) if content is None else {}
        case ToolResultBlock():
            known = {"type": "tool_result", "tool_use_id": block.tool_use_id}
            known["content"] = block.content if content is None else content
            if block.is_error is not None:
                known["is_error"] = block.is_error
            if block.images and content is None:
                known["images"] = block.images
        case ThinkingBlock(extra=extra) if extra and "data" in extra:  # only ciphertext
            known = {"type": "redacted_thinking"}
        case ThinkingBlock():
            known = {"type": "thinking", "thinking": block.text}
        case ImageBlock():
            known = {"type": "image", "media_type": block.media_type, "bytes": block.bytes_len, "ref": block.ref}
        case OtherBlock():
            return block.raw
    return known | dict(block.extra or {})


def message_dict(message: Message, contents: Mapping[int, str]) -> dict[str, Any]:
    """``message`` as a dict; ``contents`` gives what some of its blocks became, by block index (see ``block_dict``)."""
    content = [block_dict(block, contents.get(number)) for number, block in enumerate(message.blocks)]
    out: dict[str, Any] = {"type": message.role, "content": content}
    if message.meta:
        out["meta"] = True
    return out | dict(message.extra or {})
