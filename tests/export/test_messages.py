"""Messages as an Anthropic API takes them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from tests.conftest import vectors
from tests.export.anthropic_shape import check
from tests.strategy_data import conversations, option_values
from tui import CompactOptions, evaluate, session_from_messages
from tui.export.messages import anthropic_messages
from tui.pipeline.evaluation import View

Messages = list[dict[str, Any]]


def view_of(messages: Messages, **values: Any) -> View:
    return evaluate(session_from_messages(messages), "react-agent-mini-v4", CompactOptions(**values)).at()


def sent(*blocks: Any, role: str = "user") -> Messages:
    messages = anthropic_messages(view_of([{"role": role, "content": list(blocks)}]))
    check(messages)
    return messages


def content(*blocks: Any, role: str = "user") -> Any:
    (message,) = sent(*blocks, role=role)
    return message["content"]


@pytest.mark.parametrize("name", ["pipeline-handmade.jsonl", "pipeline-random.jsonl"])
def test_the_vectors_messages_are_sendable_and_say_the_same(name: str) -> None:
    for case in list(vectors(name))[:60]:
        view = view_of(case["messages"], threshold=1000, keep_recent=1)
        for stage in ("original", "budget", "micro", "retain", "outbound"):
            messages = anthropic_messages(view, stage)
            check(messages)
            assert [one["role"] for one in messages] == [one["type"] for one in view.messages(stage)]


@settings(max_examples=100, deadline=None)
@given(conversations, option_values)
def test_any_conversation_is_sendable(messages: Messages, values: dict[str, Any]) -> None:
    check(anthropic_messages(view_of(messages, **values)))


def test_roles() -> None:
    view = view_of(
        [
            {"role": "system", "content": "leading"},
            {"role": "user", "content": "hello"},
            {"role": "assistant", "content": "hi"},
            {"role": "system", "content": "later"},
            {"role": "exit", "content": "patch"},
            {"role": "user", "content": []},
        ]
    )
    assert anthropic_messages(view) == [
        {"role": "user", "content": [{"type": "text", "text": "hello"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "hi"}]},
        {"role": "user", "content": [{"type": "text", "text": "later"}]},
        {"role": "user", "content": []},
    ]


def test_an_openai_chat_becomes_tool_uses_and_results() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path": "a"}'}}
    view = view_of(
        [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "text", "name": "read"},
        ]
    )
    assert anthropic_messages(view)[1:] == [
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "c1", "name": "read", "input": {"path": "a"}}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "text"}]},
    ]


def test_cache_control_stays_and_unknown_fields_do_not() -> None:
    cache = {"type": "ephemeral"}
    more = {"cache_control": cache, "call_id": "x"}
    assert content(
        {"type": "text", "text": "a", **more},
        {"type": "tool_use", "id": "t", "name": "n", "input": {}, **more},
        {"type": "tool_result", "tool_use_id": "t", "content": "c", "is_error": True, **more},
        role="assistant",
    ) == [
        {"type": "text", "text": "a", "cache_control": cache},
        {"type": "tool_use", "id": "t", "name": "n", "input": {}, "cache_control": cache},
        {"type": "tool_result", "tool_use_id": "t", "content": "c", "is_error": True, "cache_control": cache},
    ]


def test_thinking_goes_back_only_with_its_signature() -> None:
    assert content(
        {"type": "thinking", "thinking": "hm", "signature": "sig"},
        {"type": "thinking", "thinking": "", "signature": "sig"},
        {"type": "redacted_thinking", "data": "sealed"},
        {"type": "thinking", "thinking": "unsigned"},
        {"type": "text", "text": "so"},
        role="assistant",
    ) == [
        {"type": "thinking", "thinking": "hm", "signature": "sig"},
        {"type": "thinking", "thinking": "", "signature": "sig"},
        {"type": "redacted_thinking", "data": "sealed"},
        {"type": "text", "text": "so"},
    ]
    assert sent({"type": "thinking", "thinking": "unsigned"}, role="assistant") == []


def test_images_are_sent_by_url_or_named() -> None:
    url = {
        "type": "image",
        "source": {"type": "url", "url": "https://example.org/a.png"},
        "cache_control": {"type": "x"},
    }
    data = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 16460}}
    file = {"type": "image", "source": {"type": "file", "file_id": "file_1"}}
    assert content(url, data, file, {"type": "image", "source": {}}) == [
        url,
        {"type": "text", "text": "[image image/png, 12,345 bytes, not kept]"},
        {"type": "text", "text": "[image, file_1, not kept]"},
        {"type": "text", "text": "[image, not kept]"},
    ]


def test_images_in_a_result_are_named_until_a_stage_takes_its_text() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    result = {"type": "tool_result", "tool_use_id": "t"}
    assert content(
        {**result, "content": [{"type": "text", "text": "see"}, image]}, {**result, "content": [image, image]}
    ) == [
        {**result, "content": [{"type": "text", "text": "see"}, {"type": "text", "text": "[image, not kept]"}]},
        {**result, "content": [{"type": "text", "text": "[2 images, not kept]"}]},
    ]
    long = [{"type": "text", "text": "x" * 50}, image]
    view = view_of([{"type": "user", "content": [{**result, "content": long}]}], max_tool_result_chars=10)
    (message,) = anthropic_messages(view)
    assert message["content"][0]["content"].startswith("x" * 10 + "\n…")


def test_what_the_api_ran_itself_and_what_only_others_know_becomes_text() -> None:
    document = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "d"}}
    assert content(
        document,
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": "found"},
        {"type": "strange", "value": 1},
        7,
        role="assistant",
    ) == [
        document,
        {"type": "text", "text": 'web_search {"query":"q"}'},
        {"type": "text", "text": "found"},
        {"type": "text", "text": '{"type":"strange","value":1}'},
        {"type": "text", "text": "7"},
    ]


def test_nothing_that_is_given_is_changed() -> None:
    block = {"type": "tool_use", "id": "t", "name": "n", "input": {"a": [1]}, "x": 1}
    messages = [{"type": "assistant", "content": [block]}]
    out = anthropic_messages(view_of(messages))
    out[0]["content"][0]["input"]["b"] = 2
    assert messages == [{"type": "assistant", "content": [{**block, "input": {"a": [1]}}]}]


def test_an_unknown_stage_is_refused() -> None:
    with pytest.raises(KeyError):
        anthropic_messages(view_of([]), "later")
