"""Hypothesis strategies for conversations in react-agent-mini's shape and for options."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

TEXTS = st.one_of(
    st.text(alphabet="ab 😀é\n读", max_size=60),
    st.integers(0, 40).map(lambda n: "x" * n),
    st.integers(0, 30).map(lambda n: "😀" * n + "y"),
    st.just("\n…[tool_result 已截断（compact）]"),
    st.just("xxxxx\n…[tool_result 已截断（compact）]"),
    st.just("[Old tool result content cleared] tool=Read a.py"),
    st.just("[Old tool result content cleared]"),
    st.just("\ud83d half"),
    st.just(" \n "),
)
NAMES = st.sampled_from(["Read", "Bash", "Echo", "mcp__x", "mcp_", "read", ""])
IDS = st.sampled_from(["a", "b", "c", "d"])
INPUTS: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.just({}),
    st.just({"file_path": "a.py"}),
    st.just({"file_path": "", "path": "b😀.py"}),
    st.just({"path": 3, "n": 1.0, "big": 2**60}),
)

text_block = st.builds(lambda text: {"type": "text", "text": text}, TEXTS)
use_block = st.builds(
    lambda id, name, input: {"type": "tool_use", "id": id, "name": name, "input": input}, IDS, NAMES, INPUTS
)
result_block = st.builds(lambda id, text: {"type": "tool_result", "tool_use_id": id, "content": text}, IDS, TEXTS)
thinking_block = st.builds(lambda text: {"type": "thinking", "thinking": text}, TEXTS)

user = st.one_of(
    st.lists(text_block, max_size=2),
    st.lists(result_block, min_size=1, max_size=2),
    st.lists(st.one_of(text_block, result_block), max_size=3),
).map(lambda blocks: {"type": "user", "content": blocks})
assistant = st.lists(st.one_of(text_block, use_block, result_block, thinking_block), max_size=3).map(
    lambda blocks: {"type": "assistant", "content": blocks}
)


def _answered(call: dict[str, Any], text: str) -> list[dict[str, Any]]:
    result = {"type": "tool_result", "tool_use_id": call["id"], "content": text}
    return [{"type": "assistant", "content": [call]}, {"type": "user", "content": [result]}]


exchange = st.builds(_answered, use_block, TEXTS)
conversations: st.SearchStrategy[list[dict[str, Any]]] = st.lists(
    st.one_of(user.map(lambda m: [m]), assistant.map(lambda m: [m]), exchange), max_size=14
).map(lambda parts: [message for part in parts for message in part])

option_values: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "enabled": st.booleans(),
        "threshold": st.integers(0, 400),
        "max_tool_result_chars": st.integers(0, 60),
        "keep_recent": st.integers(0, 5),
        "min_chars": st.integers(0, 60),
        "max_messages": st.integers(0, 12),
        "compactable_tools": st.sampled_from([("Read", "mcp__*"), (), ("*",), ("Read", "Bash", "Echo")]),
        "keep_counts": st.sampled_from(["compactable", "all"]),
        "disabled_stages": st.lists(st.sampled_from(["budget", "micro", "retain"]), unique=True).map(tuple),
    },
)
