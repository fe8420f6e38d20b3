"""Anthropic's clear_tool_uses_20250919 as reconstructed, against a naive one at every call."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests import oracle
from tests.strategies.properties import Dicts, Expected, assert_every_call_is, assert_properties
from tests.strategies.test_langchain_clear_tool_uses import assistant, result, sent, use, user
from tests.strategy_data import conversations
from tui import evaluate, session_from_messages
from tui.pipeline.evaluation import View
from tui.pipeline.outcomes import Outcome, Reason
from tui.strategies.anthropic_clear_tool_uses import NAME, Options

PLACEHOLDER = "[cleared by the API]"

OPTIONS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"trigger_tokens": st.integers(0, 60)},
    optional={
        "enabled": st.booleans(),
        "trigger_tool_uses": st.integers(0, 4),
        "keep": st.integers(0, 5),
        "clear_at_least": st.integers(0, 20),
        "clear_tool_inputs": st.booleans(),
        "exclude_tools": st.sampled_from([("Read",), ("mcp__*", "Bash"), ("",)]),
        "disabled_stages": st.sampled_from([(), ("clear",)]),
    },
)


def naive(messages: Dicts, options: Options) -> Expected:
    estimated = oracle.estimate(messages)
    uses = [b for m in messages if m["type"] == "assistant" for b in m["content"] if b["type"] == "tool_use"]
    many = options.trigger_tool_uses and len(uses) > options.trigger_tool_uses
    if not options.runs("clear") or not (estimated > options.trigger_tokens * 4 or many):
        return Expected(messages, trace=[])
    mine = [b for b in uses if not oracle.compactable(b["name"], options.exclude_tools)]
    kept = {id(b) for b in mine[max(0, len(mine) - options.keep) :]}
    latest: dict[str, dict[str, Any]] = {}
    old = []
    done = False
    for message in messages:
        for block in message["content"]:
            if block["type"] == "tool_use":
                latest[block["id"]] = block
            elif block["type"] == "tool_result" and message["type"] == "user":
                call = latest.get(block["tool_use_id"])
                if call is None or oracle.compactable(call["name"], options.exclude_tools):
                    continue
                done = done or id(call) in kept
                if not done:
                    old.append((block, call))
    before = [(block["content"], call["input"]) for block, call in old]
    for block, call in old:
        block["content"] = PLACEHOLDER
        if options.clear_tool_inputs:
            call["input"] = {}
    if options.clear_at_least and estimated - oracle.estimate(messages) < options.clear_at_least * 4:
        for (block, call), (content, given_input) in reversed(list(zip(old, before, strict=True))):
            block["content"], call["input"] = content, given_input
        return Expected(messages, trace=[])
    n = len(messages)
    line = f"[trace] {NAME}.clear before={n} after={n} cleared={len(old)} estimated={estimated}"
    return Expected(messages, trace=[line] if old else [])


@settings(max_examples=300, deadline=None)
@given(conversations, OPTIONS, st.lists(st.integers(0, 20), max_size=2))
def test_every_call_is_what_the_naive_rule_gives(messages: Dicts, values: dict[str, Any], cuts: list[int]) -> None:
    options = Options(**values)
    cuts = [min(cut, len(messages)) for cut in cuts]
    assert_every_call_is(messages, NAME, options, lambda seen: naive(seen, options), cuts)


@settings(max_examples=60, deadline=None)
@given(conversations, OPTIONS)
def test_nothing_is_changed_in_place_and_every_way_to_a_call_gives_the_same(
    messages: Dicts, values: dict[str, Any]
) -> None:
    # What the messages hold is what the model sees: the server's copy, with its placeholders.
    assert_properties(messages, NAME, Options(**values))


def view_of(*messages: dict[str, Any], **values: Any) -> View:
    return evaluate(session_from_messages(list(messages)), NAME, Options(**values)).at()


FOUR = (
    assistant(use("a", path="one"), use("b", path="two")),
    user(result("a"), result("b")),
    assistant(use("c", "Bash", command="ls"), use("d")),
    user(result("c"), result("d")),
)
SIZE = 36 + 80 + 26 + 80 + 2


def test_more_tokens_than_the_trigger_fire_it_and_so_do_more_tool_uses() -> None:
    messages = [*FOUR, user({"type": "text", "text": "ok"})]
    assert view_of(*messages).estimate["original"] == SIZE == 224
    quiet = view_of(*messages, trigger_tokens=56)
    assert quiet.counts == {"cleared": 0}
    assert quiet.outcome(1, 0).explanation == "kept: ~56 tokens, the trigger is 56"
    assert view_of(*messages, trigger_tokens=55).counts == {"cleared": 1}
    assert view_of(*messages, trigger_tool_uses=3).counts == {"cleared": 1}
    assert view_of(*messages, trigger_tool_uses=4).counts == {"cleared": 0}


def test_keep_counts_the_tool_uses_that_are_not_excluded() -> None:
    view = view_of(*FOUR, trigger_tokens=0, keep=2, exclude_tools=("Bash",))
    assert sent(view) == [PLACEHOLDER, "x" * 40, "x" * 40, "x" * 40]
    assert view.outcome(1, 1).explanation == "kept: of 2nd newest tool use, keep is 2"
    assert view.outcome(3, 0).reason is Reason.EXCLUDED
    assert sent(view_of(*FOUR, trigger_tokens=0, keep=0)) == [PLACEHOLDER] * 4


def test_clearing_is_all_or_nothing() -> None:
    # Three results and their inputs save 3 * 20 + 2 * 12 + 14 = 98 chars, 24 tokens and a half.
    values = {"trigger_tokens": 0, "keep": 1, "clear_tool_inputs": True}
    assert view_of(*FOUR, **values, clear_at_least=24).counts == {"cleared": 3}
    nothing = view_of(*FOUR, **values, clear_at_least=25)
    assert nothing.messages() == list(FOUR)
    why = "clearing saves ~24 tokens, clear_at_least is 25"
    assert nothing.outcome(1, 0).explanation == f"kept: {why}"
    assert nothing.verdict("clear") == f"~55 tokens, the trigger is 0, but {why}: nothing cleared"


def test_inputs_are_emptied_with_their_results() -> None:
    view = view_of(*FOUR, trigger_tokens=0, keep=2, clear_tool_inputs=True)
    assert view.messages()[0] == assistant(use("a"), use("b"))
    assert view.outcome(0, 1).outcome is Outcome.INPUT_CLEARED
    assert view.messages()[2] == FOUR[2]


def test_a_tool_use_without_a_result_takes_its_place_among_those_that_stay() -> None:
    view = view_of(*FOUR, assistant(use("e")), trigger_tokens=0, keep=2)
    assert sent(view) == [PLACEHOLDER, PLACEHOLDER, PLACEHOLDER, "x" * 40]


def test_a_late_result_of_an_old_tool_use_stays_when_it_follows_one_that_stays() -> None:
    view = view_of(assistant(use("a"), use("b")), user(result("b"), result("a")), trigger_tokens=0, keep=1)
    assert sent(view) == ["x" * 40, "x" * 40]
    late = "kept: of 2nd newest tool use, but after a result that is kept, keep is 1"
    assert view.outcome(1, 1).explanation == late
