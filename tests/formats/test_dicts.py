from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.formats.files import describe, text, texts
from tests.generate import messages
from tui.formats import session_from_messages
from tui.model import (
    ImageBlock,
    Message,
    OtherBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
TYPES = st.sampled_from(
    ["text", "tool_use", "tool_result", "thinking", "redacted_thinking", "image", "image_url", "document", "x", None]
)
KEYS = st.sampled_from(
    ["type", "text", "id", "name", "input", "tool_use_id", "content", "is_error", "source", "image_url", "thinking"]
)
BLOCKS = st.one_of(
    JSON,
    st.builds(lambda kind, fields: fields | {"type": kind}, TYPES, st.dictionaries(KEYS, JSON, max_size=5)),
)
DICTS = st.builds(
    lambda base, more: more | base,
    st.fixed_dictionaries(
        {},
        optional={
            "role": st.sampled_from(["user", "assistant", "system", "developer", "tool", "function", "exit", 5]) | JSON,
            "type": st.sampled_from(["user", "assistant", "message"]) | JSON,
            "content": st.none() | st.text(max_size=8) | st.lists(BLOCKS, max_size=4) | JSON,
            "tool_calls": JSON | st.lists(st.fixed_dictionaries({"id": JSON, "function": JSON}), max_size=2),
            "function_call": JSON,
            "meta": JSON,
            "timestamp": JSON,
        },
    ),
    st.dictionaries(st.text(max_size=4), JSON, max_size=2),
)


@given(st.lists(DICTS, max_size=6))
def test_any_dicts_are_one_message_each_and_never_changed(dicts: list[dict[str, Any]]) -> None:
    before = copy.deepcopy(dicts)
    session = session_from_messages(dicts)
    assert repr(dicts) == repr(before)
    assert len(session.system) + len(session.messages) == len(dicts)
    for one, message in zip(dicts, (*session.system, *session.messages), strict=True):
        content = one.get("content")
        if one.get("role") in ("tool", "function"):
            assert [type(block) for block in message.blocks] == [ToolResultBlock]
        elif isinstance(content, list):
            assert len(message.blocks) >= len(content)
            for item, block in zip(content, message.blocks, strict=False):
                if isinstance(item, str):
                    assert block == TextBlock(item)
        elif isinstance(content, str):
            assert message.blocks[0] == TextBlock(content)
        elif content is None and "tool_calls" not in one and "function_call" not in one:
            assert message.blocks == ()


def test_both_shapes_and_leading_system_prompts() -> None:
    session = session_from_messages(
        [
            {"role": "system", "content": "be brief"},
            {"role": "developer", "content": [text("and kind")]},
            {"type": "user", "content": [text("hi")]},
            {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "function": {"name": "Read"}}]},
            {"role": "tool", "tool_call_id": "a", "content": [text("x"), text("y")]},
            {"role": "system", "content": "later"},
            {"type": "user", "content": [], "meta": True},
        ],
        source="mine",
    )
    assert list(map(describe, session.system)) == ["be brief", "and kind"]
    assert texts(session) == ["hi", ">Read(a)", "<a:x\ny", "later", ""]
    assert [message.role for message in session.messages] == ["user", "assistant", "user", "system", "user"]
    assert session.messages[-1].meta
    assert session.source == "mine"
    assert session.notes == ()


def test_calls_come_after_the_content() -> None:
    (message,) = session_from_messages(
        [
            {
                "role": "assistant",
                "content": [text("a"), text("b")],
                "reasoning_content": "because",
                "refusal": None,
                "tool_calls": [{"id": "c", "type": "function", "function": {"name": "q", "arguments": '{"x": 1.5}'}}],
            }
        ]
    ).messages
    assert message.blocks == (TextBlock("a"), TextBlock("b"), ToolUseBlock("c", "q", {"x": 1.5}))
    assert message.extra == {"reasoning_content": "because", "refusal": None}


def test_blocks_of_every_kind() -> None:
    png = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
    content: list[Any] = [
        {"type": "text", "text": "t", "cache_control": {"type": "ephemeral"}},
        {"type": "tool_use", "id": "a", "name": "Read", "input": {"path": "p"}},
        {"type": "server_tool_use", "id": "b", "name": "web_search", "input": {"query": "q"}},
        {"type": "web_search_tool_result", "tool_use_id": "b", "content": [{"type": "web_search_result", "url": "u"}]},
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "redacted_thinking", "data": "xxx"},
        {"type": "image", "source": png},
        {"type": "image", "source": {"type": "url", "url": "https://x/y.png"}},
        {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,AAAA", "detail": "low"}},
        {"type": "input_image", "image_url": "https://x/z.png"},
        {"type": "document", "source": {"data": "JVBERi0="}},
        {"type": "text", "text": {"not": "text"}},
        42,
    ]
    (message,) = session_from_messages([{"role": "user", "content": content}]).messages
    assert message == Message(
        "user",
        (
            TextBlock("t", {"cache_control": {"type": "ephemeral"}}),
            ToolUseBlock("a", "Read", {"path": "p"}),
            ToolUseBlock("b", "web_search", {"query": "q"}, {"type": "server_tool_use"}),
            ToolResultBlock("b", '{"type":"web_search_result","url":"u"}', extra={"type": "web_search_tool_result"}),
            ThinkingBlock("hm", extra={"signature": "s"}),
            ThinkingBlock("", redacted=True, extra={"type": "redacted_thinking", "data": "xxx"}),
            ImageBlock("image/png", 8),
            ImageBlock("", 0, "https://x/y.png"),
            ImageBlock("image/jpeg", 3),
            ImageBlock("", 0, "https://x/z.png"),
            OtherBlock("document", content[10]),
            OtherBlock("text", content[11]),
            OtherBlock("", 42),
        ),
    )


def test_results_of_every_shape_are_one_string() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    contents: list[tuple[Any, str, int]] = [
        ("plain", "plain", 0),
        (None, "", 0),
        ([text("a"), text("b")], "a\nb", 0),
        ([text("a"), image, image], "a", 2),
        (["bare", text("b")], "bare\nb", 0),
        (image, "", 1),
        (text("one"), "one", 0),
        ({"x": [1.0, "é"]}, '{"x":[1,"é"]}', 0),
        ([{"type": "tool_reference", "tool_name": "T"}], '{"type":"tool_reference","tool_name":"T"}', 0),
        ([{"type": "document", "source": {"data": "JVBERi0="}}], "[document]", 0),
        (5, "5", 0),
    ]
    for content, expected, images in contents:
        item = {"type": "tool_result", "tool_use_id": 7, "content": content, "is_error": True}
        (message,) = session_from_messages([{"type": "user", "content": [item]}]).messages
        assert message.blocks == (ToolResultBlock("7", expected, True, images),)


def test_generated_messages_keep_their_blocks() -> None:
    dicts = list(messages(300, 400, seed=3))
    session = session_from_messages(dicts)
    for one, message in zip(dicts, session.messages, strict=True):
        for item, block in zip(one["content"], message.blocks, strict=True):
            match block:
                case TextBlock(value):
                    assert value is item["text"]
                case ToolUseBlock(_, name, arguments):
                    assert name == item["name"]
                    assert arguments is item["input"]
                case ToolResultBlock(id, value):
                    assert (id, value) == (item["tool_use_id"], item["content"])
