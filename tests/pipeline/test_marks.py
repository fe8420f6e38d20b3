"""Every mark against the naive pipeline: idle from the mark on, at work one lower, none where none is due."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import oracle
from tests.strategy_data import conversations, option_values
from tui import CompactOptions, evaluate, session_from_messages
from tui.model import Boundary, Message, OtherBlock, Session
from tui.pipeline.evaluation import Evaluation
from tui.pipeline.marks import marks, track_reach

Dicts = list[dict[str, Any]]

ACTS = {
    "budget": re.compile("truncatedBlocks=[1-9]"),
    "micro": re.compile("replaced=[1-9]"),
    "retain": re.compile("droppedMessages=[1-9]"),
}
PAIRS = [
    ("max_tool_result_chars", "budget"),
    ("threshold", "micro"),
    ("keep_recent", "micro"),
    ("min_chars", "micro"),
    ("threshold", "retain"),
    ("max_messages", "retain"),
]
NOT_IN_VIEW = Message("other", (OtherBlock("event", {"type": "event"}),))


def acts(messages: Dicts, values: dict[str, Any], option: str, value: int, stage: str) -> bool:
    trace = oracle.run(messages, oracle.Options(**values | {option: value})).trace
    return any(ACTS[stage].search(line) for line in trace)


def candidates(messages: Dicts, values: dict[str, Any], option: str) -> Iterable[int]:
    """Values among which every change of what a stage does lies."""
    if option == "threshold":
        runs = (oracle.run(messages, oracle.Options(**values | {option: value})) for value in (0, 10**9))
        estimates = [size for run in runs for size in run.estimate.values()]
        return sorted({near for size in estimates for near in (size - 1, size, size + 1) if near >= 0} | {0})
    if option in ("keep_recent", "max_messages"):
        return range(sum(len(message["content"]) for message in messages) + len(messages) + 2)
    sizes = {oracle.units(b["content"]) for m in messages for b in m["content"] if b["type"] == "tool_result"}
    sizes |= {values.get("max_tool_result_chars", 4000) + len(oracle.NOTE) - less for less in (0, 1)}
    return sorted({near for size in sizes for near in (size - 1, size, size + 1) if near >= 0} | {0})


def check(evaluation: Evaluation, call: int, messages: Dicts, values: dict[str, Any], above: int = 1) -> None:
    """Compares the marks of ``call``, which sees ``messages``, with what the naive pipeline does."""
    view = evaluation.at(call)
    assert view.trace == oracle.run(messages, oracle.Options(**values)).trace  # they speak of the same call
    found = {(mark.option, mark.stage): mark.value for group in marks(view).values() for mark in group}
    assert set(found) <= set(PAIRS)
    reach = track_reach(evaluation)
    for option, stage in PAIRS:
        working = [v for v in candidates(messages, values, option) if acts(messages, values, option, v, stage)]
        if (mark := found.get((option, stage))) is None:
            assert working == [], f"{stage} acts, but {option} has no mark"
            continue
        assert not acts(messages, values, option, mark, stage)
        assert acts(messages, values, option, mark - 1, stage)
        assert not acts(messages, values, option, mark + above, stage)
        assert max(working) < mark
        assert mark <= reach[option]


def ends(messages: Dicts) -> list[int]:
    return [i for i, m in enumerate(messages) if m["type"] == "assistant" and i > 0] + [len(messages)]


def evaluated(session: Session, values: dict[str, Any]) -> Evaluation:
    return evaluate(session, "react-agent-mini-v4", CompactOptions(**values))


@settings(max_examples=200, deadline=None)
@given(conversations, option_values, st.integers(1, 500))
def test_every_mark_is_the_first_value_at_which_the_stage_stays_idle(
    messages: Dicts, values: dict[str, Any], above: int
) -> None:
    evaluation = evaluated(session_from_messages(messages), values)
    for call, end in zip(evaluation.calls, ends(messages), strict=True):
        check(evaluation, call, messages[:end], values, above)


@settings(max_examples=150, deadline=None)
@given(conversations, option_values, st.lists(st.integers(0, 20), max_size=2), st.lists(st.integers(0, 20), max_size=4))
def test_marks_hold_behind_boundaries_and_beside_messages_outside_the_view(
    messages: Dicts, values: dict[str, Any], cuts: list[int], others: list[int]
) -> None:
    cuts = sorted({min(cut, len(messages)) for cut in cuts})
    session = session_from_messages(messages)
    inserted = list(session.messages)
    places = sorted(min(place, len(messages)) for place in others)
    for place in reversed(places):
        inserted.insert(place, NOT_IN_VIEW)
    moved = tuple(Boundary(cut + sum(place < cut for place in places)) for cut in cuts)
    evaluation = evaluated(replace(session, messages=tuple(inserted), boundaries=moved), values)
    for call, end in zip(evaluation.calls, ends(messages), strict=True):
        start = max((cut for cut in cuts if cut <= end), default=0)
        check(evaluation, call, messages[start:end], values)


def say(text: str) -> dict[str, Any]:
    return {"type": "user", "content": [{"type": "text", "text": text}]}


def exchange(id: str, content: str, name: str = "Read") -> Dicts:
    return [
        {"type": "assistant", "content": [{"type": "tool_use", "id": id, "name": name, "input": {}}]},
        {"type": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": content}]},
    ]


def values_of(messages: Dicts, **options: Any) -> dict[str, list[tuple[str, int]]]:
    found = marks(evaluated(session_from_messages(messages), options).at())
    return {option: [(mark.stage, mark.value) for mark in group] for option, group in found.items()}


def test_the_marks_of_a_plain_conversation() -> None:
    messages = [say("q" * 100), *exchange("a", "x" * 1000), *exchange("b", "y" * 700), say("more")]
    before = 100 + 2 * len("Read{}") + 1000 + 700 + 4
    saved = 1000 - len("[Old tool result content cleared] tool=Read")
    assert values_of(messages, threshold=100, keep_recent=1, max_messages=2) == {
        "max_tool_result_chars": [("budget", 1000)],
        "threshold": [("micro", before), ("retain", before - saved)],
        "keep_recent": [("micro", 2)],
        "min_chars": [("micro", 1000)],
        "max_messages": [("retain", 6)],
    }


def test_a_placeholder_that_is_longer_than_the_result_moves_no_mark_beyond_the_estimate() -> None:
    messages = [say("q"), *exchange("a", "xy"), say("more")]
    before = 1 + 6 + 2 + 4
    found = values_of(messages, threshold=0, keep_recent=0, min_chars=0, max_messages=1)
    assert found["threshold"] == [("micro", before), ("retain", before)]


def test_a_result_that_budget_made_longer_counts_with_its_note() -> None:
    messages = [say("q"), *exchange("a", "x" * 11)]
    evaluation = evaluated(
        session_from_messages(messages), {"threshold": 0, "keep_recent": 0, "max_tool_result_chars": 10}
    )
    (mark,) = marks(evaluation.at())["min_chars"]
    assert mark.value == 10 + 28
    assert track_reach(evaluation)["min_chars"] >= mark.value


def test_clearing_a_placeholder_again_is_work_as_in_the_trace() -> None:
    placeholder = "[Old tool result content cleared] tool=Read"
    found = values_of([say("q"), *exchange("a", placeholder)], threshold=0, keep_recent=0, min_chars=0)
    assert found["min_chars"] == [("micro", len(placeholder))]
    assert found["keep_recent"] == [("micro", 1)]


@pytest.mark.parametrize("stage", ["budget", "micro", "retain"])
def test_a_stage_that_is_switched_off_has_no_marks(stage: str) -> None:
    messages = [say("q"), *exchange("a", "x" * 1000), say("more")]
    options = {"threshold": 0, "keep_recent": 0, "max_messages": 1}
    assert stage in {name for group in values_of(messages, **options).values() for name, _ in group}
    off = values_of(messages, **options, disabled_stages=(stage,))
    assert stage not in {name for group in off.values() for name, _ in group}


def test_without_a_boundary_to_cut_at_retain_has_no_marks() -> None:
    messages = [say("q"), *exchange("a", "x" * 1000), *exchange("b", "y" * 1000)]
    found = values_of(messages, threshold=0, keep_recent=0, max_messages=1)
    assert found["threshold"] == [("micro", 2000 + 12 + 1)]
    assert "max_messages" not in found


def test_a_message_outside_the_view_is_not_the_first_of_it() -> None:
    session = session_from_messages([say("q"), *exchange("a", "x" * 1000)])
    session = replace(session, messages=(NOT_IN_VIEW, *session.messages))
    assert "max_messages" not in marks(evaluated(session, {"threshold": 0}).at())


def test_an_empty_session_has_no_marks() -> None:
    assert values_of([]) == {}
    assert min(track_reach(evaluated(session_from_messages([]), {})).values()) >= 0
