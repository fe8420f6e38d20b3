from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import oracle
from tests.conftest import vectors
from tests.strategies.properties import Dicts, Expected, assert_every_call_is, assert_properties
from tests.strategy_data import conversations
from tui import evaluate, session_from_messages
from tui.model import OptionError
from tui.pipeline.evaluation import View
from tui.pipeline.outcomes import Outcome, Reason
from tui.pipeline.trace import trace_until
from tui.strategies.react_agent_mini_v3 import NAME, MiniV3Options

LINES = [*vectors("pipeline-handmade.jsonl"), *vectors("pipeline-random.jsonl")]
NAMES = {"enabled": "enabled", "maxToolResultChars": "max_tool_result_chars", "maxMessages": "max_messages"}

OPTIONS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "enabled": st.booleans(),
        "max_messages": st.integers(0, 12),
        "max_tool_result_chars": st.integers(0, 60),
        "disabled_stages": st.lists(st.sampled_from(["retain", "budget"]), unique=True).map(tuple),
    },
)


@pytest.mark.parametrize("vector", LINES, ids=[line["name"] for line in LINES])
def test_the_outcome_is_the_originals(vector: dict[str, Any]) -> None:
    expected = vector["v3"]
    values = {NAMES[name]: value for name, value in vector["options"].items() if name in NAMES}
    view = evaluate(session_from_messages(vector["messages"]), NAME, MiniV3Options(**values)).at()
    changed = {f"{message}.{block}": text for (message, block), text in view.changed_contents().items()}
    assert changed == expected["changed"]
    assert view.kept_from == expected["kept_from"]
    assert (view.estimate["original"], view.estimate["budget"]) == (
        expected["estimate"]["input"],
        expected["estimate"]["final"],
    )
    assert view.trace == expected["trace"]


def naive(messages: Dicts, values: dict[str, Any]) -> Expected:
    options = oracle.Options(**{"max_messages": 40, "max_tool_result_chars": 4000} | values)
    on = {s: options.enabled and s not in options.disabled_stages for s in ("retain", "budget")}
    kept_from = truncated = 0
    if on["retain"] and len(messages) > options.max_messages:
        kept_from = oracle.retain_point(messages, options)
    rest = messages[kept_from:]
    if on["budget"]:
        rest, truncated = oracle.budget(rest, options)
    trace = []
    if kept_from or truncated:
        trace = [
            f"[trace] compact.run before={len(messages)} after={len(rest)} droppedMessages={kept_from} "
            f"truncatedBlocks={truncated}"
        ]
    return Expected(rest, kept_from, trace)


@settings(max_examples=200, deadline=None)
@given(conversations, OPTIONS, st.lists(st.integers(0, 20), max_size=2))
def test_every_call_is_what_the_rule_gives(messages: Dicts, values: dict[str, Any], cuts: list[int]) -> None:
    assert_every_call_is(messages, NAME, MiniV3Options(**values), lambda seen: naive(seen, values))
    cuts = [min(cut, len(messages)) for cut in cuts]
    assert_every_call_is(messages, NAME, MiniV3Options(**values), lambda seen: naive(seen, values), cuts)


@settings(max_examples=60, deadline=None)
@given(conversations, OPTIONS)
def test_properties(messages: Dicts, values: dict[str, Any]) -> None:
    assert_properties(messages, NAME, MiniV3Options(**values))


@settings(max_examples=60, deadline=None)
@given(conversations, OPTIONS)
def test_the_lines_of_all_calls_are_those_of_each(messages: Dicts, values: dict[str, Any]) -> None:
    ev = evaluate(session_from_messages(messages), NAME, MiniV3Options(**values))
    until = trace_until(ev, len(ev.calls))
    expected = [(call, line) for call in ev.calls for line in ev.at(call).trace]
    assert [(until[number].call, until[number].text) for number in range(len(until))] == expected


def said(role: str, text: str) -> dict[str, Any]:
    return {"type": role, "content": [{"type": "text", "text": text}]}


def talk(count: int) -> Dicts:
    return [said("user" if number % 2 == 0 else "assistant", "hi") for number in range(count)]


def exchange(id: str, content: str) -> Dicts:
    return [
        {"type": "assistant", "content": [{"type": "tool_use", "id": id, "name": "Read", "input": {}}]},
        {"type": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": content}]},
    ]


def viewed(messages: Dicts, **values: Any) -> View:
    return evaluate(session_from_messages(messages), NAME, MiniV3Options(**values)).at()


def test_fifty_short_messages_that_fit_easily_lose_ten() -> None:
    view = viewed(talk(50))
    assert view.kept_from == 10
    assert view.trace == ["[trace] compact.run before=50 after=40 droppedMessages=10 truncatedBlocks=0"]
    assert view.verdict("retain") == "50 messages of 100 chars: dropped 10 messages, whatever the size"
    assert view.verdict("budget") == "no result over 4,000: nothing cut"
    v4 = evaluate(session_from_messages(talk(50)), "react-agent-mini-v4").at()
    assert v4.kept_from == 0


def test_as_many_messages_as_allowed_are_left() -> None:
    view = viewed(talk(40))
    assert (view.kept_from, view.trace) == (0, [])
    assert view.verdict("retain") == "40 messages, maxMessages is 40: nothing dropped"
    assert view.outcome(0, 0).trail[0].explanation == "kept: 40 messages, maxMessages is 40"


def test_the_cut_moves_forward_to_a_plain_user_message() -> None:
    messages = [*talk(2), *exchange("a", "x"), *talk(2)]
    view = viewed(messages, max_messages=3)  # three from the end is the result
    assert view.kept_from == 4
    assert view.outcome(0, 0).outcome is Outcome.DROPPED
    assert view.outcome(4, 0).explanation


def test_without_a_boundary_nothing_is_dropped_and_the_view_says_so() -> None:
    messages = [said("user", "go"), *exchange("a", "x"), *exchange("b", "y")]
    view = viewed(messages, max_messages=2)
    assert (view.kept_from, view.trace) == (0, [])
    assert view.verdict("retain") == "5 messages, maxMessages is 2, but no boundary: nothing dropped"
    assert view.outcome(0, 0).trail[0].reason is Reason.NO_BOUNDARY


def test_only_what_is_left_is_cut_and_counted() -> None:
    messages = [said("user", "go"), *exchange("a", "x" * 50), said("user", "on"), *exchange("b", "y" * 50)]
    view = viewed(messages, max_messages=4, max_tool_result_chars=10)
    assert view.trace == ["[trace] compact.run before=6 after=3 droppedMessages=3 truncatedBlocks=1"]
    assert [(o.message, o.outcome) for o in view.outcomes if o.outcome is Outcome.TRUNCATED] == [(5, Outcome.TRUNCATED)]
    assert [step.stage for step in view.outcome(2, 0).trail] == ["retain"]


def test_stages_switched_off() -> None:
    messages = [said("user", "go"), *exchange("a", "x" * 50), said("user", "on"), *exchange("b", "y" * 50)]
    only_cut = viewed(messages, max_messages=4, max_tool_result_chars=10, disabled_stages=("retain",))
    assert only_cut.trace == ["[trace] compact.run before=6 after=6 droppedMessages=0 truncatedBlocks=2"]
    assert only_cut.verdict("retain") == "retain is switched off"
    only_drop = viewed(messages, max_messages=4, max_tool_result_chars=10, disabled_stages=("budget",))
    assert only_drop.trace == ["[trace] compact.run before=6 after=3 droppedMessages=3 truncatedBlocks=0"]
    assert viewed(messages, max_messages=4, enabled=False).outcome(2, 0).trail[0].reason is Reason.DISABLED


def test_options() -> None:
    options = MiniV3Options()
    assert (options.stages, options.line, options.cut) == (("retain", "budget"), None, 4000)
    assert {knob.name: knob.default for knob in options.knobs()} == {"max_messages": 40, "max_tool_result_chars": 4000}
    with pytest.raises(OptionError, match="max_messages is -1"):
        MiniV3Options(max_messages=-1)
