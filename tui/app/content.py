"""What a block shows on the page: one line on what it is about, and the lines of its body. All of it safe to draw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tui.model import Block, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock, readable
from tui.model.visible import visible_line, visible_lines

_SHORT = 40
"""Characters of a lone argument that every header has room for."""


def target(tool_input: Mapping[str, Any]) -> str:
    """What a call is about, on one line; empty where its input does not say."""
    return visible_line(readable.about(tool_input))


def body_text(block: Block) -> str:
    """The text that a block's body shows; empty where the header says it all, or there is nothing to see."""
    if isinstance(block, ToolUseBlock) and readable.is_all_about(block.input) and len(target(block.input)) <= _SHORT:
        return ""
    if isinstance(block, ToolResultBlock):
        return block.content
    text = readable.body_text(block)
    return "" if text.isspace() else text


def is_prose(block: Block) -> bool:
    """Whether the body is wrapped between words; code and data are broken at the width."""
    return isinstance(block, (TextBlock, ThinkingBlock))


def lines(text: str) -> list[str]:
    """The lines of a body, safe to draw; none for an empty text."""
    return visible_lines(text) if text else []


def first_lines(text: str, most: int) -> list[str]:
    """At most ``most`` lines of a body; the rest of the text is not looked at."""
    return lines("\n".join(text.split("\n", most)[:most]))
