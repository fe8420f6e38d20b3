"""A small checker of the shape that an Anthropic Messages API takes."""

from __future__ import annotations

from typing import Any

FIELDS: dict[str, tuple[set[str], set[str]]] = {
    "text": ({"type", "text"}, {"citations", "cache_control"}),
    "tool_use": ({"type", "id", "name", "input"}, {"cache_control"}),
    "tool_result": ({"type", "tool_use_id", "content"}, {"is_error", "cache_control"}),
    "thinking": ({"type", "thinking", "signature"}, set()),
    "redacted_thinking": ({"type", "data"}, set()),
    "image": ({"type", "source"}, {"cache_control"}),
    "document": ({"type", "source"}, {"title", "context", "citations", "cache_control"}),
}
"""Type of a block -> the fields that the API asks for, and those that it allows besides."""


def check(messages: list[dict[str, Any]]) -> None:
    """Refuses what the API would refuse in the shape of ``messages``, whatever they say."""
    for message in messages:
        assert set(message) == {"role", "content"}
        assert message["role"] in ("user", "assistant")
        for block in message["content"]:
            needed, allowed = FIELDS[block["type"]]
            assert needed <= set(block) <= needed | allowed
            for name in needed - {"content", "input", "source"}:
                assert isinstance(block[name], str)
            if block["type"] == "tool_use":
                assert isinstance(block["input"], dict)
            if block["type"] == "tool_result":
                assert isinstance(block.get("is_error", False), bool)
                content = block["content"]
                assert isinstance(content, str) or all(
                    set(part) == {"type", "text"} and part["text"] for part in content
                )
