from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import oracle
from tests.strategies.properties import Dicts, Expected, assert_every_call_is, assert_properties
from tests.strategy_data import conversations, exchange, user
from tui import evaluate, session_from_messages
from tui.model import OptionError
from tui.pipeline.evaluation import View
from tui.pipeline.outcomes import Outcome, Reason
from tui.strategies.tiny_claw import NAME, TinyClawOptions

CLEARED = "[Previous tool result cleared to save context]"

OPTIONS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"max_messages": st.integers(0, 14)},
    optional={
        "enabled": st.booleans(),
        "keep_recent": st.integers(0, 6),
        "disabled_stages": st.sampled_from([(), ("clear",)]),
    },
)


def with_cleared(parts: list[tuple[Dicts, bool]]) -> Dicts:
    """The parts in a row; some of their results already hold the placeholder."""
    for messages, already in parts:
        for block in messages[-1]["content"]:
            if already and block["type"] == "tool_result":
                block["content"] = CLEARED
    return [message for messages, _ in parts for message in messages]


again = st.lists(st.tuples(st.one_of(exchange, user.map(lambda m: [m])), st.booleans()), max_size=12).map(with_cleared)


def as_chat(messages: Dicts) -> list[dict[str, Any] | None]:
    """The messages of a chat API: a result each, None for anything else that stands in one message."""
    chat: list[dict[str, Any] | None] = []
    for message in messages:
        results = [b for b in message["content"] if b["type"] == "tool_result" and message["type"] == "user"]
        chat += results
        if len(results) < len(message["content"]) or not results:
            chat.append(None)
    return chat


def naive(messages: Dicts, values: dict[str, Any]) -> Expected:
    """Changes ``messages``."""
    size = oracle.estimate(messages)
    chat = as_chat(messages)
    off = not values.get("enabled", True) or values.get("disabled_stages")
    if off or len(chat) <= values.get("max_messages", 20):
        return Expected(messages, trace=[])
    results = [result for result in chat if result is not None]
    cleared = 0
    for result in results[: max(0, len(results) - values.get("keep_recent", 6))]:
        if result["content"] != CLEARED:
            result["content"] = CLEARED
            cleared += 1
    n = len(messages)
    line = f"[trace] tiny-claw.clear before={n} after={n} cleared={cleared} estimated={size}"
    return Expected(messages, trace=[line] if cleared else [])


@settings(max_examples=200, deadline=None)
@given(st.one_of(conversations, again), OPTIONS, st.lists(st.integers(0, 20), max_size=2))
def test_every_call_is_what_the_rule_gives(messages: Dicts, values: dict[str, Any], cuts: list[int]) -> None:
    assert_every_call_is(messages, NAME, TinyClawOptions(**values), lambda seen: naive(seen, values))
    cuts = [min(cut, len(messages)) for cut in cuts]
    assert_every_call_is(messages, NAME, TinyClawOptions(**values), lambda seen: naive(seen, values), cuts)


@settings(max_examples=60, deadline=None)
@given(st.one_of(conversations, again), OPTIONS)
def test_properties(messages: Dicts, values: dict[str, Any]) -> None:
    assert_properties(messages, NAME, TinyClawOptions(**values))


def turn(*contents: str, tool: str = "Read") -> Dicts:
    """An assistant message with as many calls, and a user message with their results."""
    ids = [f"{tool}{number}" for number in range(len(contents))]
    results = [
        {"type": "tool_result", "tool_use_id": one, "content": text} for one, text in zip(ids, contents, strict=True)
    ]
    return [
        {"type": "assistant", "content": [{"type": "tool_use", "id": one, "name": tool, "input": {}} for one in ids]},
        {"type": "user", "content": results},
    ]


def say(text: str) -> dict[str, Any]:
    return {"type": "user", "content": [{"type": "text", "text": text}]}


def viewed(messages: Dicts, **values: Any) -> View:
    return evaluate(session_from_messages(messages), NAME, TinyClawOptions(**values)).at()


def results_of(view: View) -> list[str]:
    return [b["content"] for m in view.messages() for b in m["content"] if b["type"] == "tool_result"]


def test_twenty_messages_are_left_and_one_more_clears_all_but_six() -> None:
    twenty = [say("a"), say("b"), *[message for number in range(9) for message in turn(str(number))]]
    view = viewed(twenty)
    assert results_of(view) == list("012345678")
    assert view.verdict("clear") == "20 messages with each result as one, maxMessages is 20: nothing cleared"
    assert view.outcome(3, 0).reason is Reason.TOO_FEW
    view = viewed([*twenty, say("c")])
    assert results_of(view) == [CLEARED] * 3 + list("345678")
    assert view.verdict("clear") == "21 messages with 9 results, keepRecent is 6: cleared 3 results"
    size = view.estimate["original"]
    assert view.trace == [f"[trace] tiny-claw.clear before=21 after=21 cleared=3 estimated={size}"]
    assert view.outcome(3, 0).outcome is Outcome.CLEARED
    assert view.outcome(3, 0).explanation == "cleared: 9th newest result, keepRecent is 6"
    assert view.outcome(9, 0).reason is Reason.RECENT_WINDOW
    assert view.outcome(9, 0).explanation == "kept: 6th newest result, keepRecent is 6"


def test_each_result_counts_as_a_message() -> None:
    messages = [say("go"), *turn(*map(str, range(10))), *turn(*map(str, range(8)))]
    assert len(messages) == 5  # and 21 for a chat API: 1 + (1 + 10) + (1 + 8)
    assert results_of(viewed(messages)) == [CLEARED] * 12 + list("234567")
    assert results_of(viewed(messages[:3] + turn(*map(str, range(7))))) == [*map(str, range(10)), *map(str, range(7))]


def test_text_beside_results_is_a_message_of_its_own() -> None:
    messages = [say("go"), *turn("a", "b")]
    messages[-1]["content"].append({"type": "text", "text": "and now?"})
    assert results_of(viewed(messages, max_messages=4, keep_recent=0)) == [CLEARED] * 2
    assert results_of(viewed(messages, max_messages=5, keep_recent=0)) == ["a", "b"]


def test_system_prompts_are_not_counted() -> None:
    system = {"type": "system", "content": [{"type": "text", "text": "You help."}]}
    messages = [say("go"), *turn("a")]
    assert results_of(viewed([system, *messages], max_messages=3, keep_recent=0)) == ["a"]
    assert results_of(viewed([system, *messages], max_messages=2, keep_recent=0)) == [CLEARED]


@pytest.mark.parametrize("tool", ["Echo", "Read", "mcp__x", ""])
def test_any_tool_and_any_size_an_orphan_too(tool: str) -> None:
    orphan = {"type": "user", "content": [{"type": "tool_result", "tool_use_id": "none", "content": "o"}]}
    messages = [say("go"), orphan, *turn("", tool=tool), *turn("x" * 9999, tool=tool), *turn("last", tool=tool)]
    assert results_of(viewed(messages, max_messages=0, keep_recent=1)) == [CLEARED] * 3 + ["last"]


def test_a_cleared_one_is_left_and_still_takes_a_place() -> None:
    messages = [*turn("a"), *turn(CLEARED), *turn("b"), *turn(CLEARED)]
    view = viewed(messages, max_messages=0, keep_recent=2)
    assert results_of(view) == [CLEARED, CLEARED, "b", CLEARED]
    assert view.counts == {"cleared": 1}
    assert view.outcome(3, 0).reason is Reason.ALREADY_CLEARED
    assert view.outcome(7, 0).reason is Reason.RECENT_WINDOW


def test_the_verdict_of_many_messages_with_few_results() -> None:
    view = viewed([say("x")] * 21 + turn("a"))
    assert view.verdict("clear") == "23 messages with 1 result, keepRecent is 6: nothing cleared"
    assert view.trace == []


def test_switched_off() -> None:
    view = viewed(turn("a"), max_messages=0, keep_recent=0, disabled_stages=("clear",))
    assert results_of(view) == ["a"]
    assert view.outcome(1, 0).reason is Reason.DISABLED
    assert view.verdict("clear") == "clear is switched off"


def test_options() -> None:
    assert {knob.name: knob.default for knob in TinyClawOptions.knobs()} == {"keep_recent": 6, "max_messages": 20}
    assert (TinyClawOptions().line, TinyClawOptions().cut, TinyClawOptions().tools) == (None, None, None)
    with pytest.raises(OptionError, match="keep_recent is -1"):
        TinyClawOptions(keep_recent=-1)
