"""What a block shows: its kind, what it is about, and the lines of its body. All of it safe to draw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tui.model import (
    Block,
    ImageBlock,
    OtherBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from tui.model.ecma_json import stringify
from tui.model.visible import visible_line, visible_lines

_TARGET_KEYS = ("file_path", "path", "notebook_path", "command", "pattern", "query", "url", "description")


def target(tool_input: Mapping[str, Any]) -> str:
    """What a call is about, on one line: its path, else its command, pattern, query or URL; else nothing."""
    for key in _TARGET_KEYS:
        value = tool_input.get(key)
        if isinstance(value, str) and value:
            return visible_line(value.split("\n", 1)[0])
    return ""


def body_text(block: Block) -> str:
    """The text that a block's body shows, as it stands in the file."""
    match block:
        case TextBlock() | ThinkingBlock():
            return "" if block.text.isspace() else block.text
        case ToolResultBlock():
            return block.content
        case ToolUseBlock():
            return _input_text(block.input)
        case ImageBlock():
            return block.ref
        case OtherBlock():
            return _json(block.raw)


def is_prose(block: Block) -> bool:
    """Whether the body is wrapped between words; code and data are broken at the width."""
    return isinstance(block, (TextBlock, ThinkingBlock))


def _input_text(tool_input: Mapping[str, Any]) -> str:
    """One ``name: value`` a line; empty when the header says it all."""
    if len(tool_input) == 1:
        ((key, value),) = tool_input.items()
        if key in _TARGET_KEYS and isinstance(value, str) and value and "\n" not in value and len(value) <= 40:
            return ""
    return "\n".join(f"{key}: {value if isinstance(value, str) else _json(value)}" for key, value in tool_input.items())


def _json(value: Any) -> str:
    try:
        return stringify(value)
    except (RecursionError, TypeError, ValueError):
        return "(too deeply nested to show)"


def lines(text: str) -> list[str]:
    """The lines of a body, safe to draw; none for an empty text."""
    return visible_lines(text) if text else []


def first_lines(text: str, most: int, chars: int) -> list[str]:
    """At most ``most`` lines of a body, read from its first ``chars`` characters only."""
    return lines(text[:chars])[:most]
