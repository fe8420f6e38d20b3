"""Blocks as text for people: what a call is about, and the lines of a body. Not yet safe to draw (see visible)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tui.model.ecma_json import stringify
from tui.model.session import (
    Block,
    ImageBlock,
    OtherBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)

_ABOUT_KEYS = ("file_path", "path", "notebook_path", "command", "pattern", "query", "url", "description")


def about(tool_input: Mapping[str, Any]) -> str:
    """What a call is about: its path, else its command, pattern, query or URL, first line only; else nothing."""
    for key in _ABOUT_KEYS:
        value = tool_input.get(key)
        if isinstance(value, str) and value:
            return value.split("\n", 1)[0]
    return ""


def is_all_about(tool_input: Mapping[str, Any]) -> bool:
    """Whether ``about`` says all that the input says."""
    return len(tool_input) == 1 and tool_input.get(next(iter(tool_input))) == about(tool_input) != ""


def body_text(block: Block) -> str:
    """The text of a block's body, as it stands in the file."""
    match block:
        case TextBlock():
            return block.text
        case ThinkingBlock():
            return "(redacted)" if block.redacted and not block.text else block.text
        case ToolResultBlock():
            images = f"[{block.images:,} {'image' if block.images == 1 else 'images'}]" if block.images else ""
            return "\n".join(filter(None, [block.content, images]))
        case ToolUseBlock():
            return "\n".join(
                f"{key}: {value if isinstance(value, str) else to_json(value)}" for key, value in block.input.items()
            )
        case ImageBlock():
            size = f"{block.bytes_len:,} bytes" if block.bytes_len else ""
            return f"[{', '.join(filter(None, [block.media_type, size, block.ref])) or 'image'}]"
        case OtherBlock():
            return to_json(block.raw)


def to_json(value: Any) -> str:
    """``value`` as JSON, whatever it is."""
    try:
        return stringify(value)
    except (RecursionError, TypeError, ValueError):
        return "(nested too deeply to show)"
