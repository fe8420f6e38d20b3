"""Evaluation of every call at once against the naive pipeline, run on each prefix."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import oracle
from tests.strategy_data import conversations, option_values
from tui import CompactOptions, evaluate, session_from_messages
from tui.model import Boundary, Session
from tui.pipeline.evaluation import Evaluation
from tui.pipeline.outcomes import Outcome

STAGES = ("original", "budget", "micro", "retain")


def evaluation(session: Session, values: dict[str, Any]) -> Evaluation:
    return evaluate(session, "react-agent-mini-v4", CompactOptions(**values))


def prefixes(messages: list[dict[str, Any]]) -> list[int]:
    return [i for i, m in enumerate(messages) if m["type"] == "assistant" and i > 0] + [len(messages)]


@settings(max_examples=300, deadline=None)
@given(conversations, option_values)
def test_every_call_is_what_the_naive_pipeline_gives(messages: list[dict[str, Any]], values: dict[str, Any]) -> None:
    before = copy.deepcopy(messages)
    ev = evaluation(session_from_messages(messages), values)
    ends = prefixes(messages)
    assert list(ev.calls) == list(range(1, len(ends) + 1))
    for call, end in zip(ev.calls, ends, strict=True):
        expected = oracle.run(messages[:end], oracle.Options(**values))
        view = ev.at(call)
        assert view.estimate == expected.estimate
        assert view.kept_from == expected.kept_from
        assert view.trace == expected.trace
        for stage in STAGES:
            assert view.messages(stage) == expected.stages[stage]
            assert int(ev.timeline.estimate[stage][call - 1]) == expected.estimate[stage]
    assert messages == before


@settings(max_examples=200, deadline=None)
@given(conversations, option_values)
def test_outcomes_tell_the_same_story_as_the_messages(messages: list[dict[str, Any]], values: dict[str, Any]) -> None:
    view = evaluation(session_from_messages(messages), values).at()
    outbound = {id(m): m for m in view.messages()}
    assert sum(outcome.chars_before for outcome in view.outcomes) == view.estimate["original"]
    assert sum(outcome.chars_after for outcome in view.outcomes) == view.estimate["retain"]
    assert len(outbound) == len(messages) - view.kept_from
    for outcome in view.outcomes:
        original = messages[outcome.message]["content"][outcome.block]
        assert (outcome.outcome is Outcome.DROPPED) == (outcome.message < view.kept_from)
        if outcome.outcome is not Outcome.DROPPED:
            sent = view.messages()[outcome.message - view.kept_from]["content"][outcome.block]
            assert (sent != original) == (outcome.outcome in (Outcome.TRUNCATED, Outcome.CLEARED))
        assert (outcome.reason is None) == (outcome.outcome is not Outcome.KEPT)
        assert outcome.explanation
        sizes = [outcome.chars_before, *(step.chars for step in outcome.trail)]
        assert sizes[-1] == outcome.chars_after


@settings(max_examples=100, deadline=None)
@given(conversations, option_values, st.lists(st.integers(0, 20), max_size=3))
def test_a_call_sees_only_what_follows_the_newest_boundary(
    messages: list[dict[str, Any]], values: dict[str, Any], cuts: list[int]
) -> None:
    cuts = sorted({min(cut, len(messages)) for cut in cuts})
    session = replace(session_from_messages(messages), boundaries=tuple(map(Boundary, cuts)))
    ev = evaluation(session, values)
    whole = evaluate(session, "react-agent-mini-v4", CompactOptions(**values), across_boundaries=True)
    for call, end in zip(ev.calls, prefixes(messages), strict=True):
        start = max((cut for cut in cuts if cut <= end), default=0)
        expected = oracle.run(messages[start:end], oracle.Options(**values))
        view = ev.at(call)
        assert (view.start, view.end) == (start, end)
        assert view.estimate == expected.estimate
        assert view.kept_from == start + expected.kept_from
        assert view.trace == expected.trace
        assert view.messages() == expected.stages["retain"]
        counted_in = oracle.run(messages[:end], oracle.Options(**values))
        assert whole.at(call).estimate == counted_in.estimate


def test_an_empty_session_has_one_call_the_next() -> None:
    ev = evaluation(session_from_messages([]), {})
    assert list(ev.calls) == [1]
    assert ev.at().estimate == dict.fromkeys(STAGES, 0)
    assert ev.at().messages() == []


def test_an_assistant_message_at_the_start_answers_no_call_and_each_of_several_in_a_row_answers_one() -> None:
    say = {"type": "assistant", "content": [{"type": "text", "text": "hi"}]}
    assert list(evaluation(session_from_messages([say]), {}).calls) == [1]
    assert list(evaluation(session_from_messages([say, say, say]), {}).calls) == [1, 2, 3]


def test_a_call_that_is_not_there_is_an_error_that_says_which_are() -> None:
    with pytest.raises(IndexError, match="calls 1 to 1"):
        evaluation(session_from_messages([]), {}).at(2)


def test_unknown_fields_survive() -> None:
    messages: list[dict[str, Any]] = [
        {"type": "user", "content": [{"type": "text", "text": "q", "cache_control": {"type": "ephemeral"}}], "id": 7},
        {"type": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "Read", "input": {}, "x": 1}]},
        {
            "type": "user",
            "meta": True,
            "content": [{"type": "tool_result", "tool_use_id": "a", "content": "y" * 900, "is_error": True, "z": [1]}],
        },
    ]
    view = evaluation(session_from_messages(messages), {"threshold": 0, "keep_recent": 0}).at()
    sent = view.messages()
    assert sent[:2] == messages[:2]
    expected = copy.deepcopy(messages[2])
    expected["content"][0]["content"] = "[Old tool result content cleared] tool=Read"
    assert sent[2] == expected
    json.dumps(sent)
