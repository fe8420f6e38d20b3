"""The threshold finder, exact: at a value no call acts, at one lower the call that it names does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.generate import messages as generated
from tests.pipeline.test_marks import NOT_IN_VIEW, acts, candidates, ends, evaluated
from tests.pipeline.test_tools import eager_values
from tests.strategy_data import conversations, option_values
from tui import evaluate, session_from_messages
from tui.model import Boundary
from tui.pipeline.evaluation import Evaluation
from tui.pipeline.finder import OPTIONS, Place, found_at, found_everywhere
from tui.pipeline.mark_values import mark_values
from tui.pipeline.marks import marks

Dicts = list[dict[str, Any]]


def check(evaluation: Evaluation, windows: list[Dicts], values: dict[str, Any], above: int) -> None:
    """Compares what is found over all calls, each of which sees one of ``windows``, with the naive pipeline."""
    found = found_everywhere(evaluation)
    assert tuple((finding.option, finding.stage) for finding in found) == OPTIONS
    for finding in found:

        def acting(value: int, option: str = finding.option, stage: str = finding.stage) -> list[int]:
            return [call for call, seen in enumerate(windows, 1) if acts(seen, values, option, value, stage)]

        if finding.place is None:
            for call, seen in enumerate(windows, 1):
                tried = candidates(seen, values, finding.option)
                assert not any(call in acting(value) for value in tried), f"{finding} at call {call}"
            continue
        value = finding.place.value
        assert acting(value) == []
        assert acting(value + above) == []
        assert acting(value - 1)[0] == finding.place.call


@settings(max_examples=100, deadline=None)
@given(conversations, option_values, st.integers(1, 500))
def test_at_the_value_no_call_acts_and_at_one_lower_the_named_call_is_the_first_that_does(
    messages: Dicts, values: dict[str, Any], above: int
) -> None:
    evaluation = evaluated(session_from_messages(messages), values)
    check(evaluation, [messages[:end] for end in ends(messages)], values, above)


@settings(max_examples=80, deadline=None)
@given(
    conversations,
    option_values,
    st.lists(st.integers(0, 20), max_size=3),
    st.lists(st.integers(0, 20), max_size=4),
    st.booleans(),
)
def test_values_hold_behind_and_across_boundaries_and_beside_messages_outside_the_view(
    messages: Dicts, values: dict[str, Any], cuts: list[int], others: list[int], across: bool
) -> None:
    cuts = sorted({min(cut, len(messages)) for cut in cuts})
    session = session_from_messages(messages)
    inserted = list(session.messages)
    places = sorted(min(place, len(messages)) for place in others)
    for place in reversed(places):
        inserted.insert(place, NOT_IN_VIEW)
    moved = tuple(Boundary(cut + sum(place < cut for place in places)) for cut in cuts)
    evaluation = evaluated(replace(session, messages=tuple(inserted), boundaries=moved), values)
    if across:
        evaluation = evaluate(evaluation.session, evaluation.strategy, evaluation.options, across_boundaries=True)
    starts = [0 if across else max((cut for cut in cuts if cut <= end), default=0) for end in ends(messages)]
    windows = [messages[start:end] for start, end in zip(starts, ends(messages), strict=True)]
    check(evaluation, windows, values, 1)


@settings(max_examples=150, deadline=None)
@given(conversations, option_values)
def test_what_is_found_at_one_call_are_the_marks_of_the_sliders(messages: Dicts, values: dict[str, Any]) -> None:
    evaluation = evaluated(session_from_messages(messages), values)
    for call in evaluation.calls:
        view = evaluation.at(call)
        found = {(one.option, one.stage): one.place.value for one in found_at(view) if one.place}
        assert found == {(mark.option, mark.stage): mark.value for group in marks(view).values() for mark in group}
        assert {one.place.call for one in found_at(view) if one.place} <= {call}


@settings(max_examples=150, deadline=None)
@given(conversations, option_values | eager_values, st.lists(st.integers(0, 20), max_size=3))
def test_the_values_of_all_calls_at_once_are_those_of_each_alone(
    messages: Dicts, values: dict[str, Any], cuts: list[int]
) -> None:
    boundaries = tuple(Boundary(cut) for cut in sorted({min(cut, len(messages)) for cut in cuts}))
    evaluation = evaluated(replace(session_from_messages(messages), boundaries=boundaries), values)
    at_once = {(one.option, one.stage): one.values.tolist() for one in mark_values(evaluation.everywhere)}
    one_by_one: dict[tuple[str, str], list[int]] = {}
    for call in evaluation.calls:
        for one in mark_values(evaluation.at(call).stages):
            one_by_one.setdefault((one.option, one.stage), []).extend(one.values.tolist())
    assert at_once == one_by_one


def test_a_placeholder_that_is_longer_than_the_result_moves_no_value_beyond_the_estimate() -> None:
    messages: Dicts = [
        {"type": "user", "content": [{"type": "text", "text": "q"}]},
        {"type": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "Read", "input": {}}]},
        {"type": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "xy"}]},
        {"type": "user", "content": [{"type": "text", "text": "more"}]},
    ]
    values = {"threshold": 0, "keep_recent": 0, "min_chars": 0, "max_messages": 1}
    evaluation = evaluated(session_from_messages(messages), values)
    check(evaluation, [messages[:end] for end in ends(messages)], values, 1)
    found = {(one.option, one.stage): one.place for one in found_everywhere(evaluation)}
    assert found["threshold", "micro"] == found["threshold", "retain"] == Place(1 + 6 + 2 + 4, 2)


def test_over_a_long_session_values_are_the_greatest_of_all_calls() -> None:
    evaluation = evaluated(session_from_messages(list(generated(400, 600))), {"threshold": 20_000, "max_messages": 50})
    greatest: dict[tuple[str, str], int] = {}
    for call in evaluation.calls:
        for finding in found_at(evaluation.at(call)):
            if finding.place:
                key = finding.option, finding.stage
                greatest[key] = max(greatest.get(key, 0), finding.place.value)
    assert greatest.keys() == set(OPTIONS)
    found = {(one.option, one.stage): one.place.value for one in found_everywhere(evaluation) if one.place}
    assert found == greatest
