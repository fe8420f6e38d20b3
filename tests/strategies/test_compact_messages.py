"""compact_messages: dicts in, dicts out."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings

from tests import oracle
from tests.strategy_data import conversations, option_values
from tui import CompactOptions, compact_messages
from tui.model import OutboundError

Messages = list[dict[str, Any]]


def long_session() -> Messages:
    messages: Messages = [{"type": "user", "content": [{"type": "text", "text": "q" * 50}]}]
    for n in range(6):
        call = {"type": "tool_use", "id": f"t{n}", "name": "Read", "input": {"path": f"f{n}"}}
        messages.append({"type": "assistant", "content": [call]})
        answer = {"type": "tool_result", "tool_use_id": f"t{n}", "content": "x" * 700}
        messages.append({"type": "user", "content": [answer]})
        messages.append({"type": "user", "content": [{"type": "text", "text": "go on"}]})
    return messages


@settings(max_examples=200, deadline=None)
@given(conversations, option_values)
def test_it_gives_what_the_naive_pipeline_gives(messages: Messages, values: dict[str, Any]) -> None:
    before = copy.deepcopy(messages)
    sent = compact_messages(messages, CompactOptions(**values))
    expected = oracle.run(messages, oracle.Options(**values)).stages["retain"]
    assert sent == expected
    assert messages == before
    assert (sent is messages) == (expected == messages)
    for new, old in zip(sent, messages[len(messages) - len(sent) :], strict=True):
        assert (new is old) == (new == old)


def test_nothing_to_do_returns_the_same_list() -> None:
    messages = long_session()
    assert compact_messages(messages) is messages
    assert compact_messages([]) == []


@pytest.mark.parametrize("content", ["x" * 5000, [{"type": "text", "text": "x" * 5000}]])
def test_a_chat_tool_message_is_its_one_result(content: Any) -> None:
    call = {"id": "a", "type": "function", "function": {"name": "Read", "arguments": "{}"}}
    messages: Messages = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": content},
    ]
    sent = compact_messages(messages, CompactOptions(threshold=0, keep_recent=0))
    assert sent[:2] == messages[:2]
    assert sent[2] == {"role": "tool", "tool_call_id": "a", "content": "[Old tool result content cleared] tool=Read"}


def test_microcompact_takes_the_place_of_micro_and_is_called_only_when_over() -> None:
    calls: list[int] = []

    def mine(messages: Messages, options: CompactOptions) -> Messages:
        calls.append(options.threshold)
        return messages[2:]

    messages = long_session()
    assert compact_messages(messages, microcompact=mine) is messages
    assert calls == []
    options = CompactOptions(threshold=1000, max_messages=5)
    sent = compact_messages(messages, options, microcompact=mine)
    assert calls == [1000]
    assert sent == messages[15:]
    switched_off = options.changed(disabled_stages=("micro",))
    compact_messages(messages, switched_off, microcompact=mine)
    assert calls == [1000]


def test_a_microcompact_that_does_nothing_leaves_the_list_itself() -> None:
    messages = long_session()
    assert compact_messages(messages, CompactOptions(threshold=10), microcompact=lambda m, o: m) is messages


def test_an_asynchronous_microcompact_is_refused() -> None:
    async def mine(messages: Messages, options: CompactOptions) -> Messages:
        return messages

    with pytest.raises(OutboundError, match="asynchronous"):
        compact_messages(long_session(), CompactOptions(threshold=0), microcompact=mine)  # type: ignore[arg-type]
    with pytest.raises(OutboundError, match="asynchronous"):
        compact_messages(long_session(), CompactOptions(threshold=0), lambda m, o: mine(m, o))  # type: ignore[arg-type, return-value]


def test_a_microcompact_that_returns_no_list_is_refused() -> None:
    with pytest.raises(OutboundError, match="NoneType"):
        compact_messages(long_session(), CompactOptions(threshold=0), lambda m, o: None)  # type: ignore[arg-type, return-value]
