"""The two texts that the v4 pipeline writes into a conversation, and how to know them again (SPEC.md, section 2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tui.model.chars import units

TRUNCATION_NOTE = "\n…[tool_result 已截断（compact）]"
"""Follows what budget leaves of a tool result; 28 units."""

TRUNCATION_NOTE_CHARS = units(TRUNCATION_NOTE)

CLEARED = "[Old tool result content cleared]"
"""What every placeholder of micro begins with."""


def placeholder(tool: str, tool_input: Mapping[str, Any]) -> str:
    """What micro puts in place of a result of ``tool``: the path hints at where to get it again."""
    for key in ("file_path", "path"):
        path = tool_input.get(key)
        if isinstance(path, str) and path:
            return f"{CLEARED} tool={tool} {path}"
    return f"{CLEARED} tool={tool}"
