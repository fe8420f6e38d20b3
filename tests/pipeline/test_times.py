from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from tui import session_from_messages
from tui.model import Boundary
from tui.pipeline.index import SessionIndex, index_of
from tui.pipeline.times import call_times, cold, duration, on_sidechain


def index(*spoken: tuple[str, float | None], cuts: tuple[int, ...] = (), sides: tuple[int, ...] = ()) -> SessionIndex:
    """Messages as who and when."""
    dicts: list[dict[str, Any]] = [
        {"type": who, "content": [{"type": "text", "text": "x"}], "timestamp": when} for who, when in spoken
    ]
    session = session_from_messages(dicts)
    messages = tuple(replace(one, sidechain=at in sides) for at, one in enumerate(session.messages))
    return index_of(replace(session, messages=messages, boundaries=tuple(map(Boundary, cuts))))


def nan_as_none(values: Any) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values.tolist()]


TALK = (("user", 100.0), ("assistant", 110.0), ("user", 700.0), ("assistant", 705.0))


def test_a_calls_time_is_that_of_the_newest_message_and_its_gap_runs_from_the_assistants() -> None:
    times = call_times(index(*TALK), False)
    assert times.newest.tolist() == [0, 2, 3]
    assert times.spoke.tolist() == [-1, 1, 3]
    assert nan_as_none(times.time) == [100, 700, 705]
    assert nan_as_none(times.gap) == [None, 590, 0]
    assert not times.declared


def test_the_next_calls_time_is_a_now() -> None:
    times = call_times(index(*TALK), False, now_minutes=2)
    assert nan_as_none(times.time) == [100, 700, 825]
    assert nan_as_none(times.gap) == [None, 590, 120]


def test_what_has_no_timestamp_is_unknown_and_a_gap_may_be_negative() -> None:
    times = call_times(
        index(("user", 5.0), ("assistant", None), ("user", 9.0), ("assistant", 20.0), ("user", 8.0)), False
    )
    assert nan_as_none(times.time) == [5, 9, 8]
    assert nan_as_none(times.gap) == [None, None, -12]
    times = call_times(index(("user", 5.0), ("assistant", 6.0), ("user", None)), False)
    assert nan_as_none(times.time) == [5, None]
    assert nan_as_none(times.gap) == [None, None]


def test_without_any_timestamp_a_message_lasts_a_declared_step() -> None:
    talk = [(who, None) for who, _ in TALK]
    times = call_times(index(*talk), False, step_seconds=40)
    assert times.declared
    assert nan_as_none(times.time) == [0, 80, 120]
    assert nan_as_none(times.gap) == [None, 40, 0]


def test_what_stands_before_a_boundary_is_not_seen() -> None:
    found = index(*TALK, cuts=(2, 4))
    assert nan_as_none(call_times(found, False).gap) == [None, None, None]
    assert call_times(found, False).newest.tolist() == [0, 2, -1]
    assert nan_as_none(call_times(found, True).gap) == [None, 590, 0]


def test_cold_are_the_first_call_and_those_after_idle_minutes() -> None:
    times = call_times(index(*TALK), False)
    assert cold(times).tolist() == [True, True, False]
    assert cold(times, 10).tolist() == [True, False, False]
    assert cold(times, 0).tolist() == [True, True, True]
    unknown = call_times(index(("user", 5.0), ("assistant", None), ("user", 9.0)), False)
    assert cold(unknown).tolist() == [True, False]


def test_a_call_on_a_sidechain_is_one_whose_newest_message_is() -> None:
    found = index(*TALK, sides=(2,))
    assert on_sidechain(found, call_times(found, False)).tolist() == [False, True, False]


def test_an_empty_session_has_one_call_of_unknown_time() -> None:
    times = call_times(index(), False, now_minutes=3)
    assert nan_as_none(times.time) == [None]
    assert cold(times).tolist() == [True]
    assert on_sidechain(index(), times).tolist() == [False]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (192, "3 min 12 s"), (300, "5 min"), (299.999, "4 min 59 s"), (3_600, "1 h"), (3_605, "1 h"),
     (183_700, "2 d 3 h"), (-61, "-1 min 1 s"), (-0.4, "0 s")],
)  # fmt: skip
def test_durations(seconds: float, words: str) -> None:
    assert duration(seconds) == words
