from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import oracle
from tests.strategies.claude_code_oracle import (
    CLEARED,
    Options,
    bounded,
    cuts,
    replay,
    session_of,
    talks,
    time_values,
    within,
)
from tests.strategies.properties import Dicts, assert_properties
from tui import evaluate
from tui.model import OptionError
from tui.pipeline.evaluation import Evaluation
from tui.pipeline.outcomes import Outcome, Reason
from tui.pipeline.trace import trace_until
from tui.strategies.claude_code_time import NAME, TimeOptions

VALUES = st.fixed_dictionaries({}, optional=time_values)
LOW = {"keep_recent": 1}


@settings(max_examples=300, deadline=None)
@given(talks, VALUES, cuts)
def test_every_call_is_what_the_replayed_rule_gives(messages: Dicts, values: dict[str, Any], places: list[int]) -> None:
    places = within(places, messages)
    ev = evaluate(bounded(messages, places), NAME, TimeOptions(**values))
    expected = replay(messages, Options(cached=False, **values), places)
    assert len(ev.calls) == len(expected)
    for call, there in zip(reversed(ev.calls), reversed(expected), strict=True):
        view = ev.at(call)
        assert view.messages() == there.local
        assert view.kept_from == there.start
        assert view.estimate["time"] == oracle.estimate(there.local) == ev.timeline.estimate["time"][call - 1]
        standing = sum(there.start <= place[0] < there.end for place in there.state.cleared)
        assert view.counts == {"cleared": standing}
        assert ev.timeline.count["time"][call - 1] == standing
        n, size = len(there.local), view.estimate["original"]
        line = f"[trace] claude-code-time.time before={n} after={n} cleared={there.fresh} estimated={size}"
        assert view.trace == ([line] if there.fresh else [])


@settings(max_examples=60, deadline=None)
@given(talks, VALUES)
def test_properties(messages: Dicts, values: dict[str, Any]) -> None:
    assert_properties(messages, NAME, TimeOptions(**values), make=session_of)


def at(minutes: float, message: dict[str, Any]) -> dict[str, Any]:
    return {**message, "timestamp": 1_700_000_000 + 60 * minutes}


def turn(number: int, called: float, answered: float, tool: str = "Read", text: str = "") -> Dicts:
    use = {"type": "tool_use", "id": f"t{number}", "name": tool, "input": {}}
    result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": text or f"result {number}"}
    return [
        at(called, {"type": "assistant", "content": [use]}),
        at(answered, {"type": "user", "content": [result]}),
    ]


def say(minutes: float, text: str = "go") -> dict[str, Any]:
    return at(minutes, {"type": "user", "content": [{"type": "text", "text": text}]})


def ev_of(messages: Dicts, **values: Any) -> Evaluation:
    return evaluate(session_of(messages), NAME, TimeOptions(**LOW | values))


def results(ev: Evaluation, call: int | None = None) -> list[str]:
    return [b["content"] for m in ev.at(call).messages() for b in m["content"] if b["type"] == "tool_result"]


def done(minutes: float) -> dict[str, Any]:
    return at(minutes, {"type": "assistant", "content": [{"type": "text", "text": "done"}]})


def busy_then(gap: float) -> Dicts:
    """Three results, an answer, and a prompt so many minutes after it."""
    return [say(0), *turn(1, 1, 2), *turn(2, 3, 4), *turn(3, 5, 6), done(7), say(7 + gap)]


def test_it_fires_at_the_gap_and_not_a_second_before() -> None:
    ev = ev_of(busy_then(5))
    assert results(ev) == [CLEARED, CLEARED, "result 3"]
    assert ev.at().verdict("time") == "gap 5 min >= 5 min: cleared 2 results"
    ev = ev_of(busy_then(5 - 1 / 60))
    assert results(ev) == ["result 1", "result 2", "result 3"]
    assert ev.at().verdict("time") == "gap 4 min 59 s < 5 min"
    outcome = ev.at().outcome(2, 0)
    assert (outcome.reason, outcome.explanation) == (Reason.NOT_IDLE, "kept: gap 4 min 59 s < 5 min")


def test_a_tool_that_ran_long_is_idle_time_too() -> None:
    ev = ev_of([say(0), *turn(1, 1, 2), *turn(2, 3, 9), done(10)])
    assert results(ev, 3) == [CLEARED, "result 2"]


def test_what_was_cleared_stays_cleared_at_every_later_call_and_is_traced_once() -> None:
    messages = [*busy_then(20), done(28), *turn(4, 29, 30), done(31)]
    ev = ev_of(messages)
    assert results(ev, 5) == [CLEARED, CLEARED, "result 3"]
    assert results(ev) == [CLEARED, CLEARED, "result 3", "result 4"]
    assert ev.at().verdict("time") == "gap 0 s < 5 min; 2 results cleared before"
    assert ev.at().outcome(2, 0).outcome is Outcome.CLEARED
    assert ev.at().outcome(2, 0).explanation == (
        "cleared at call 5 after 20 min: 3rd newest compactable result, keepRecent is 1"
    )
    lines = trace_until(ev, len(ev.calls))
    assert [(lines[i].call, lines[i].text) for i in range(len(lines))] == [
        (5, f"[trace] claude-code-time.time before=9 after=9 cleared=2 estimated={ev.at(5).estimate['original']}")
    ]


def test_cleared_results_still_count_in_keep_recent() -> None:
    messages = [*busy_then(20), done(28), *turn(4, 29, 30), done(31), say(60)]
    ev = ev_of(messages, keep_recent=2)
    assert results(ev, 5) == [CLEARED, "result 2", "result 3"]
    assert results(ev) == [CLEARED, CLEARED, "result 3", "result 4"]
    assert ev.at().verdict("time") == "gap 29 min >= 5 min: cleared 1 result, 2 in all"
    assert ev.at().outcome(6, 0).reason is Reason.RECENT_WINDOW
    assert ev.at().outcome(6, 0).explanation == "kept: 2nd newest compactable result, keepRecent is 2"


def test_one_stays_even_where_none_should_be_kept() -> None:
    assert results(ev_of(busy_then(9), keep_recent=0)) == [CLEARED, CLEARED, "result 3"]


def test_nothing_left_to_clear_is_said() -> None:
    ev = ev_of([*busy_then(9), done(17), say(30)])
    assert ev.at().verdict("time") == "gap 13 min >= 5 min, but nothing left to clear"
    assert ev.at().trace == []


@pytest.mark.parametrize("tool", ["mcp__x", "Echo", "read", "Task", ""])
def test_other_tools_are_left_and_take_no_place(tool: str) -> None:
    messages = [say(0), *turn(1, 1, 1), *turn(2, 1, 1), *turn(3, 1, 1, tool), done(1), say(9)]
    ev = ev_of(messages)
    assert results(ev) == [CLEARED, "result 2", "result 3"]
    assert ev.at().outcome(6, 0).reason is Reason.TOOL_NOT_ELIGIBLE


@pytest.mark.parametrize("tool", ["Read", "Bash", "Grep", "Glob", "WebSearch", "WebFetch", "Edit", "Write"])
def test_the_eight_tools(tool: str) -> None:
    assert results(ev_of([say(0), *turn(1, 1, 1, tool), *turn(2, 1, 1), done(1), say(9)])) == [CLEARED, "result 2"]


def test_the_placeholder_has_no_tool_and_no_path_and_one_that_has_is_cleared() -> None:
    v4 = f"{CLEARED} tool=Read a.py"
    messages = [say(0), *turn(1, 1, 1, text=CLEARED), *turn(2, 1, 1, text=v4), *turn(3, 1, 1), done(1), say(9)]
    ev = ev_of(messages)
    assert results(ev) == [CLEARED, CLEARED, "result 3"]
    assert ev.at().counts == {"cleared": 1}
    assert ev.at().outcome(2, 0).reason is Reason.ALREADY_CLEARED


def test_a_sidechain_call_never_fires() -> None:
    messages = busy_then(60)
    messages[-1]["side"] = True
    ev = ev_of(messages)
    assert results(ev) == ["result 1", "result 2", "result 3"]
    assert ev.at().verdict("time") == "sidechain: it fires on the main thread only"
    assert ev.at().outcome(2, 0).reason is Reason.SIDECHAIN


@pytest.mark.parametrize("missing", [-1, -2])
def test_a_missing_timestamp_never_fires(missing: int) -> None:
    messages = busy_then(60)
    del messages[missing]["timestamp"]
    ev = ev_of(messages)
    assert results(ev) == ["result 1", "result 2", "result 3"]
    assert ev.at().verdict("time") == "no timestamp"
    assert ev.at().outcome(2, 0).reason is Reason.NO_TIMESTAMP


def test_a_negative_gap_never_fires() -> None:
    first, second = turn(1, 9, 8), turn(2, 9, 8)
    both = [{**one, "content": one["content"] + two["content"]} for one, two in zip(first, second, strict=True)]
    ev = ev_of([say(0), *both], gap_minutes=0)
    assert results(ev) == ["result 1", "result 2"]
    assert ev.at().verdict("time") == "negative gap: by the timestamps the assistant spoke after the call"
    assert ev.at().outcome(2, 0).reason is Reason.NOT_IDLE


def test_the_first_call_has_no_gap() -> None:
    ev = ev_of([say(0), done(1)])
    assert ev.at(1).verdict("time") == "no assistant message before this call"
    assert ev.at(1).outcome(0, 0).reason is Reason.NEVER_TOUCHED


def test_the_next_call_is_made_at_a_now_that_the_user_sets() -> None:
    messages = busy_then(1)
    assert results(ev_of(messages))[0] == "result 1"
    assert results(ev_of(messages, now_minutes=3))[0] == "result 1"
    ev = ev_of(messages, now_minutes=4)
    assert results(ev)[0] == CLEARED
    assert results(ev, 4)[0] == "result 1"


def test_without_timestamps_every_message_lasts_a_declared_step() -> None:
    messages = [{key: value for key, value in m.items() if key != "timestamp"} for m in busy_then(1)]
    ev = ev_of(messages)
    assert ev.at().verdict("time") == "gap 30 s < 5 min (30 s a message declared)"
    ev = ev_of(messages, step_seconds=300)
    assert results(ev) == [CLEARED, CLEARED, "result 3"]
    assert ev.at().verdict("time") == "gap 5 min >= 5 min (300 s a message declared), but nothing left to clear"


def test_what_a_boundary_hides_is_neither_counted_nor_an_idle_assistant() -> None:
    messages = [*busy_then(60), *turn(4, 70, 71), *turn(5, 72, 73), done(80), say(99)]
    ev = evaluate(bounded(messages, [8]), NAME, TimeOptions(keep_recent=1))
    assert ev.at(5).verdict("time") == "no assistant message before this call"
    assert results(ev) == [CLEARED, "result 5"]
    assert ev.at().counts == {"cleared": 1}


def test_two_results_of_one_id_are_two_blocks() -> None:
    messages = [say(0), *turn(1, 1, 1), *turn(1, 1, 1, text="again"), done(1), say(9)]
    assert results(ev_of(messages)) == [CLEARED, "again"]


def test_switched_off() -> None:
    ev = ev_of(busy_then(60), disabled_stages=("time",))
    assert results(ev) == ["result 1", "result 2", "result 3"]
    assert ev.at().verdict("time") == "time is switched off"
    assert ev.at().outcome(2, 0).reason is Reason.DISABLED


def test_options() -> None:
    assert {knob.name: knob.default for knob in TimeOptions.knobs()} == {
        "gap_minutes": 5,
        "keep_recent": 5,
        "now_minutes": 0,
        "step_seconds": 30,
    }
    assert TimeOptions().tools == ("Read", "Bash", "Grep", "Glob", "WebSearch", "WebFetch", "Edit", "Write")
    assert TimeOptions().line is None
    with pytest.raises(OptionError, match="gap_minutes is -1"):
        TimeOptions(gap_minutes=-1)
    huge = ev_of(busy_then(60), gap_minutes=10**30, keep_recent=10**30, now_minutes=10**30, step_seconds=10**30)
    assert huge.at().counts == {"cleared": 0}
