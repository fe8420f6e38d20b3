from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests import oracle
from tests.strategies.claude_code_oracle import (
    CLEARED,
    Options,
    bounded,
    cached_values,
    cuts,
    replay,
    session_of,
    talks,
    time_values,
    within,
)
from tests.strategies.properties import Dicts, assert_properties
from tests.strategies.test_claude_code_cached import assert_tables
from tests.strategies.test_claude_code_time import done, say, turn
from tui import evaluate
from tui.pipeline.evaluation import Evaluation, View
from tui.pipeline.outcomes import Outcome, Reason
from tui.strategies.claude_code import NAME, ClaudeCodeOptions
from tui.strategies.claude_code_cached import cached_state, wire_edits

VALUES = st.fixed_dictionaries({}, optional=time_values | cached_values | {"reset": st.booleans()})


@settings(max_examples=500, deadline=None)
@given(talks, VALUES, cuts, st.lists(st.sampled_from(["time", "cached"]), max_size=1))
def test_every_call_is_what_the_replayed_rule_gives(
    messages: Dicts, values: dict[str, Any], places: list[int], off: list[str]
) -> None:
    places = within(places, messages)
    options = ClaudeCodeOptions(**values, disabled_stages=tuple(off))
    ev = evaluate(bounded(messages, places), NAME, options)
    expected = replay(messages, Options(time="time" not in off, cached="cached" not in off, **values), places)
    assert len(ev.calls) == len(expected)
    for call, there in zip(reversed(ev.calls), reversed(expected), strict=True):
        view = ev.at(call)
        assert view.messages("time") == there.local
        assert view.messages() == there.server
        assert view.estimate["time"] == oracle.estimate(there.local) == ev.timeline.estimate["time"][call - 1]
        assert view.estimate["cached"] == oracle.estimate(there.server) == ev.timeline.estimate["cached"][call - 1]
        assert_tables(view, ev, there)
        assert [line.split()[1] for line in view.trace] == (
            ["claude-code.time"] * bool(there.fresh) + ["claude-code.cached"] * bool(there.newly_deleted)
        )
        stale = sum(place in there.state.cleared for place in there.state.registered)
        if "cached" not in off:
            words = f"; {stale} {'ref points' if stale == 1 else 'refs point'} at content already cleared"
            assert view.verdict("cached").endswith(words) == bool(stale)


@settings(max_examples=60, deadline=None)
@given(talks, VALUES)
def test_properties(messages: Dicts, values: dict[str, Any]) -> None:
    assert_properties(messages, NAME, ClaudeCodeOptions(**values), make=session_of)


def ev_of(messages: Dicts, **values: Any) -> Evaluation:
    defaults = {"keep_recent": 1, "trigger": 2, "keep": 1}
    return evaluate(session_of(messages), NAME, ClaudeCodeOptions(**defaults | values))


def results(view: View) -> list[str]:
    return [b["content"] for m in view.messages() for b in m["content"] if b["type"] == "tool_result"]


def story() -> Dicts:
    """Three results while the cache is warm; a pause; three more."""
    warm = [say(0), *turn(1, 1, 1), *turn(2, 1, 1), *turn(3, 1, 1), done(1)]
    return [*warm, say(31), *turn(4, 31, 31), *turn(5, 31, 31), *turn(6, 31, 31)]


def test_a_call_does_one_or_the_other() -> None:
    ev = ev_of(story())
    assert results(ev.at(4)) == ["", "", "result 3"]
    assert ev.at(4).verdict("time") == "gap 0 s < 5 min"
    assert ev.at(4).verdict("cached") == "3 active, trigger is 2: deleted 2 results"
    view = ev.at(5)
    assert results(view) == [CLEARED, CLEARED, "result 3"]
    assert view.verdict("time") == "gap 30 min >= 5 min: cleared 2 results"
    assert view.verdict("cached") == (
        "time-based clearing acted: cached does nothing at this call, its tables are empty again"
    )
    state = cached_state(view)
    assert state is not None
    assert (state.tool_order, state.pinned_edits, state.cache_deleted_input_tokens) == ((), (), 0)
    assert wire_edits(state) == []
    assert view.outcome(2, 0).outcome is Outcome.CLEARED
    assert [step.outcome for step in view.outcome(2, 0).trail] == [Outcome.CLEARED, Outcome.KEPT]
    kept = view.outcome(6, 0)
    assert [step.reason for step in kept.trail] == [Reason.RECENT_WINDOW, Reason.EXCLUDED]


def test_what_was_cleared_never_registers_again_and_what_was_kept_does() -> None:
    ev = ev_of(story())
    state = cached_state(ev.at(6))
    assert state is not None
    assert [ref.id for ref in state.tool_order] == ["t3", "t4"]
    assert results(ev.at()) == [CLEARED, CLEARED, "", "", "result 5", "result 6"]
    assert ev.at(8).verdict("time").endswith("; 2 results cleared before")


def test_firing_without_clearing_anything_gives_cached_its_turn() -> None:
    ev = ev_of(story(), keep_recent=9)
    assert ev.at(5).verdict("time") == "gap 30 min >= 5 min, but nothing left to clear"
    assert ev.at(5).verdict("cached") == ("1 active, trigger is 2: nothing to delete; 2 deleted again by pinned edits")
    assert results(ev.at(5)) == ["", "", "result 3"]


def test_without_the_reset_the_tables_name_what_is_gone() -> None:
    ev = ev_of(story(), reset=False)
    view = ev.at(5)
    assert results(view) == [CLEARED, CLEARED, "result 3"]
    assert view.verdict("cached") == (
        "time-based clearing acted: cached does nothing at this call, its tables stay as they were; "
        "2 refs point at content already cleared"
    )
    state = cached_state(view)
    assert state is not None
    assert [edits.message for edits in state.pinned_edits] == [6]
    assert [ref.id for ref in state.tool_order] == ["t1", "t2", "t3"]
    assert results(ev.at()) == [CLEARED, CLEARED, "", "", "result 5", "result 6"]


def test_a_stale_ref_saves_nothing_when_it_is_deleted() -> None:
    messages = [say(0), *turn(1, 1, 1), *turn(2, 1, 1), done(1), say(31), *turn(3, 31, 31)]
    ev = ev_of(messages, reset=False)
    state = cached_state(ev.at())
    assert state is not None
    assert {ref.id for ref in state.deleted_refs} == {"t1", "t2"}
    assert state.cache_deleted_input_tokens == 2  # "result 2" alone: "result 1" was cleared
    assert results(ev.at()) == [CLEARED, "", "result 3"]
    assert ev.at().verdict("cached") == (
        "3 active, trigger is 2: deleted 2 results; 1 ref points at content already cleared"
    )


def test_both_have_their_options_and_the_time_ones_come_first() -> None:
    assert [knob.name for knob in ClaudeCodeOptions.knobs()] == [
        "gap_minutes",
        "keep_recent",
        "now_minutes",
        "step_seconds",
        "trigger",
        "keep",
    ]
    assert list(ClaudeCodeOptions.switches()) == ["resend_pinned", "reset"]
    assert ClaudeCodeOptions().stages == ("time", "cached")
