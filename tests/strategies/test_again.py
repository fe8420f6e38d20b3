"""Strategies run on their own output."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings

from tests.generate import messages as generated
from tests.strategy_data import conversations, option_values
from tui import CompactOptions, evaluate, session_from_messages
from tui.strategies.again import run_again

V4 = "react-agent-mini-v4"


@settings(max_examples=150, deadline=None)
@given(conversations, option_values)
def test_the_second_run_is_a_run_on_the_first_one_s_messages(
    messages: list[dict[str, Any]], values: dict[str, Any]
) -> None:
    options = CompactOptions(**values)
    evaluation = evaluate(session_from_messages(messages), V4, options)
    for call in evaluation.calls:
        view = evaluation.at(call)
        found = run_again(evaluation, view)
        second = evaluate(session_from_messages(view.messages()), V4, options).at()
        assert found.estimates == (view.estimate["original"], view.estimate["retain"], second.estimate["retain"])
        assert found.is_idempotent == (second.messages() == second.messages("original"))
        for message, block in found.changed:
            assert message >= view.kept_from
            assert block < len(view.session.messages[message].blocks)


def test_a_cut_result_is_cut_again_to_the_same_text() -> None:
    evaluation = evaluate(
        session_from_messages(list(generated(40, 900))), V4, CompactOptions(max_tool_result_chars=100)
    )
    found = run_again(evaluation, evaluation.at())
    assert found.estimates[0] > found.estimates[1] == found.estimates[2]
    assert found.is_idempotent


def test_a_placeholder_that_is_cut_and_made_whole_again_is_no_change() -> None:
    messages: list[dict[str, Any]] = [{"type": "user", "content": "go"}]
    for number in range(3):
        use = {"type": "tool_use", "id": f"t{number}", "name": "Read", "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "x" * 30}
        messages += [{"type": "assistant", "content": [use]}, {"type": "user", "content": [result]}]
    options = CompactOptions(threshold=0, max_tool_result_chars=40, keep_recent=0, min_chars=0)
    evaluation = evaluate(session_from_messages(messages), V4, options)
    assert run_again(evaluation, evaluation.at()).is_idempotent


def test_a_second_run_drops_more_where_the_cut_had_moved_forward() -> None:
    messages = [{"type": role, "content": "x" * 10} for role in ("user", "assistant", "user", "assistant", "user")]
    options = CompactOptions(threshold=0, max_messages=2)
    evaluation = evaluate(session_from_messages(messages), V4, options)
    found = run_again(evaluation, evaluation.at())
    assert found.estimates == (50, 10, 10)
    assert found.is_idempotent
    v3 = evaluate(session_from_messages(messages), "react-agent-mini-v3")
    assert run_again(v3, v3.at()).estimates == (50, 50, 50)
