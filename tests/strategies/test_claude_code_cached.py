from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import oracle
from tests.strategies.claude_code_oracle import (
    CLEARED,
    Call,
    Options,
    bounded,
    cached_values,
    cuts,
    replay,
    session_of,
    talks,
    within,
)
from tests.strategies.properties import Dicts, assert_properties
from tui import evaluate
from tui.model import OptionError
from tui.pipeline.evaluation import Evaluation, View
from tui.pipeline.outcomes import Outcome, Reason
from tui.pipeline.prompt_cache import reused_chars
from tui.strategies.claude_code_cached import NAME, CachedOptions, CachedState, cached_state, wire_edits

VALUES = st.fixed_dictionaries({}, optional=cached_values)


def assert_tables(view: View, ev: Evaluation, there: Call) -> None:
    """The tables at a view are those of the replayed rule."""
    state = cached_state(view)
    assert state is not None
    place = ev.index.locate
    assert [place(ref.block) for ref in state.tool_order] == there.state.registered
    assert {place(ref.block) for ref in state.registered_tools} == set(there.state.registered)
    assert {place(ref.block) for ref in state.deleted_refs} == set(there.state.deleted)
    pinned = [(edits.message, [place(ref.block) for ref in edits.refs]) for edits in state.pinned_edits]
    assert pinned == there.state.pinned
    new = [place(ref.block) for ref in state.new_edits.refs] if state.new_edits else []
    assert new == there.newly_deleted
    assert state.cache_deleted_input_tokens == there.state.tokens
    blocks = view.session.messages
    for ref in state.tool_order:
        message, block = place(ref.block)
        assert getattr(blocks[message].blocks[block], "tool_use_id", None) == ref.id


@settings(max_examples=300, deadline=None)
@given(talks, VALUES, cuts)
def test_every_call_is_what_the_replayed_rule_gives(messages: Dicts, values: dict[str, Any], places: list[int]) -> None:
    places = within(places, messages)
    ev = evaluate(bounded(messages, places), NAME, CachedOptions(**values))
    expected = replay(messages, Options(time=False, **values), places)
    assert len(ev.calls) == len(expected)
    for call, there in zip(reversed(ev.calls), reversed(expected), strict=True):
        view = ev.at(call)
        assert view.messages() == there.server
        assert view.messages("original") == there.local
        # The estimate is the size of the provider's copy.
        assert view.estimate["cached"] == oracle.estimate(there.server) == ev.timeline.estimate["cached"][call - 1]
        gone = there.state.deleted if values.get("resend_pinned", True) else there.newly_deleted
        assert view.counts == {"deleted-server-side": len(gone)}
        assert_tables(view, ev, there)
        n, size, new = len(there.local), view.estimate["original"], len(there.newly_deleted)
        line = f"[trace] claude-code-cached.cached before={n} after={n} deleted={new} "
        line += f"estimated={size} cacheDeletedInputTokens={there.state.tokens}"
        assert view.trace == ([line] if new else [])


@settings(max_examples=60, deadline=None)
@given(talks, VALUES)
def test_properties(messages: Dicts, values: dict[str, Any]) -> None:
    # What is read again is the provider's copy: the messages of a view are those that it answers from.
    assert_properties(messages, NAME, CachedOptions(**values), make=session_of)


def turn(number: int, text: str = "", tool: str = "Read", id: str = "") -> Dicts:
    use = {"type": "tool_use", "id": id or f"t{number}", "name": tool, "input": {}}
    result = {"type": "tool_result", "tool_use_id": use["id"], "content": text or f"result {number}"}
    return [{"type": "assistant", "content": [use]}, {"type": "user", "content": [result]}]


def turns(count: int, first: int = 1) -> Dicts:
    return [message for number in range(first, first + count) for message in turn(number)]


def say(text: str = "go") -> dict[str, Any]:
    return {"type": "user", "content": [{"type": "text", "text": text}]}


def ev_of(messages: Dicts, **values: Any) -> Evaluation:
    return evaluate(session_of(messages), NAME, CachedOptions(**values))


def results(view: View) -> list[str]:
    return [b["content"] for m in view.messages() for b in m["content"] if b["type"] == "tool_result"]


def state_of(ev: Evaluation, call: int | None = None) -> CachedState:
    state = cached_state(ev.at(call))
    assert state is not None
    return state


def test_eleven_are_more_than_ten_and_all_but_five_go() -> None:
    ev = ev_of([say(), *turns(11)])
    assert ev.at(11).verdict("cached") == "10 active, trigger is 10: nothing to delete"
    assert ev.at(11).outcome(2, 0).reason is Reason.UNDER_THRESHOLD
    view = ev.at(12)
    assert results(view) == [""] * 6 + [f"result {number}" for number in range(7, 12)]
    assert view.verdict("cached") == "11 active, trigger is 10: deleted 6 results"
    outcome = view.outcome(2, 0)
    assert outcome.outcome is Outcome.DELETED
    assert outcome.explanation == (
        "deleted in the provider's copy at call 12: 11th newest registered result, keep is 5"
    )
    assert view.outcome(14, 0).reason is Reason.RECENT_WINDOW
    assert view.outcome(14, 0).explanation == "kept: 5th newest registered result, keep is 5"
    state = state_of(ev)
    assert [ref.id for ref in state.tool_order] == [f"t{number}" for number in range(1, 12)]
    assert {ref.id for ref in state.deleted_refs} == {f"t{number}" for number in range(1, 7)}
    assert state.cache_deleted_input_tokens == 6 * 2  # ceil(8 / 4) each


def test_the_edits_are_pinned_to_the_last_user_message_and_sent_again() -> None:
    ev = ev_of([say(), *turns(18)])
    assert wire_edits(state_of(ev, 11)) == []
    first = {"message": 22, "block": _edits(*range(1, 7))}
    second = {"message": 34, "block": _edits(*range(7, 13))}
    for call in range(12, 18):
        assert wire_edits(state_of(ev, call)) == [first]
    assert ev.at(13).verdict("cached") == "6 active, trigger is 10: nothing to delete; 6 deleted again by pinned edits"
    assert wire_edits(state_of(ev, 18)) == [first, second]
    assert state_of(ev, 18).cache_deleted_input_tokens == 6 * 2 + 3 * 2 + 3 * 3
    assert wire_edits(state_of(ev, 19)) == [first, second]
    assert state_of(ev, 19).new_edits is None


def _edits(*numbers: int) -> dict[str, Any]:
    return {
        "type": "cache_edits",
        "edits": [{"type": "delete", "cache_reference": f"t{number}"} for number in numbers],
    }


def test_without_sending_them_again_what_was_deleted_comes_back_at_the_next_call() -> None:
    ev = ev_of([say(), *turns(18)], resend_pinned=False)
    assert results(ev.at(12))[:7] == [""] * 6 + ["result 7"]
    assert results(ev.at(13))[:2] == ["result 1", "result 2"]
    assert ev.at(13).outcome(2, 0).explanation == "came back: deleted at call 12, but the edit was not sent again"
    assert wire_edits(state_of(ev, 13)) == []
    assert ev.at(13).verdict("cached").endswith("6 came back, no pinned edit was sent")
    assert results(ev.at(18)) == [f"result {n}" for n in range(1, 7)] + [""] * 6 + [
        f"result {n}" for n in range(13, 18)
    ]
    assert wire_edits(state_of(ev, 18)) == [{"message": 34, "block": _edits(*range(7, 13))}]


def test_the_local_messages_and_the_cached_prefix_stay_as_they_were() -> None:
    messages = [say(), *turns(11)]
    ev = ev_of(messages)
    assert ev.at().messages("original") == messages
    sizes = ev.timeline.estimate["original"]
    assert list(reused_chars(ev)) == [0, *sizes[:-1]]


@pytest.mark.parametrize("tool", ["mcp__x", "Echo", "Task"])
def test_other_tools_never_register(tool: str) -> None:
    ev = ev_of([say(), *turn(1, tool=tool), *turns(2, 2)], trigger=1, keep=0)
    assert results(ev.at()) == ["result 1", "", ""]
    assert ev.at().outcome(2, 0).reason is Reason.TOOL_NOT_ELIGIBLE


def test_a_sidechain_never_registers() -> None:
    messages = [say(), *turns(4)]
    messages[2]["side"] = True
    messages[8]["side"] = True
    ev = ev_of(messages, trigger=0, keep=0)
    assert results(ev.at()) == ["result 1", "", "", "result 4"]
    assert ev.at().verdict("cached") == "sidechain: nothing registers"
    assert ev.at().outcome(2, 0).reason is Reason.SIDECHAIN
    assert results(ev.at(2)) == ["result 1"]


def test_what_is_the_placeholder_already_never_registers() -> None:
    ev = ev_of([say(), *turn(1, CLEARED), *turns(2, 2)], trigger=1, keep=1)
    assert results(ev.at()) == [CLEARED, "", "result 3"]
    assert ev.at().outcome(2, 0).reason is Reason.ALREADY_CLEARED


def test_an_empty_result_is_deleted_and_stays_what_it_was() -> None:
    messages = [say(), *turn(1), *turns(2, 2)]
    messages[2]["content"][0]["content"] = ""
    ev = ev_of(messages, trigger=2, keep=1)
    assert len(state_of(ev).deleted_refs) == 2
    assert ev.at().outcome(2, 0).reason is Reason.ALREADY_CLEARED


def test_two_results_of_one_id_are_two_registrations() -> None:
    ev = ev_of([say(), *turn(1, id="x"), *turn(2, id="x"), *turn(3, id="x")], trigger=2, keep=1)
    assert [ref.id for ref in state_of(ev).tool_order] == ["x"] * 3
    assert results(ev.at()) == ["", "", "result 3"]


def test_keeping_as_many_as_are_active_deletes_none() -> None:
    ev = ev_of([say(), *turns(4)], trigger=2, keep=4)
    assert ev.at().verdict("cached") == "4 active, keep is 4: nothing to delete"
    assert ev.at().outcome(2, 0).explanation == "kept: 4 active, keep is 4"


def test_the_tables_begin_anew_after_a_boundary() -> None:
    done = {"type": "assistant", "content": [{"type": "text", "text": "done"}]}
    messages = [say(), *turns(3), done, say("summary"), *turns(3, 4)]
    ev = evaluate(bounded(messages, [8]), NAME, CachedOptions(trigger=2, keep=1))
    assert len(state_of(ev, 4).deleted_refs) == 2
    assert state_of(ev, 5).tool_order == ()
    assert [ref.id for ref in state_of(ev).tool_order] == ["t4", "t5", "t6"]


def test_other_strategies_have_no_tables() -> None:
    assert cached_state(evaluate(session_of([say()]), "tiny-claw").at()) is None


def test_switched_off() -> None:
    ev = ev_of([say(), *turns(3)], trigger=0, keep=0, disabled_stages=("cached",))
    assert results(ev.at()) == ["result 1", "result 2", "result 3"]
    assert state_of(ev).tool_order == ()
    assert ev.at().verdict("cached") == "cached is switched off"
    assert ev.at().outcome(2, 0).reason is Reason.DISABLED


def test_options() -> None:
    assert {knob.name: knob.default for knob in CachedOptions.knobs()} == {"trigger": 10, "keep": 5}
    assert CachedOptions.switches() == {"resend_pinned": "re-send pinned edits"}
    with pytest.raises(OptionError, match="keep is -1"):
        CachedOptions(keep=-1)
    assert state_of(ev_of([say(), *turns(3)], trigger=10**30, keep=10**30)).deleted_refs == frozenset()
