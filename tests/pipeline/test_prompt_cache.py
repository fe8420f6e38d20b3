"""What of a call's view the prompt cache can reuse, against the views themselves."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given, settings

from tests.strategy_data import conversations, option_values
from tui import CompactOptions, evaluate, session_from_messages
from tui.pipeline.evaluation import Evaluation, View
from tui.pipeline.prompt_cache import reused_at, reused_chars, reused_shares


def blocks(view: View) -> list[tuple[Any, int]]:
    """Every message of the outbound view, without a size, and its blocks with their counted sizes."""
    out: list[tuple[Any, int]] = []
    for number in range(view.kept_from, view.end):
        message = view.session.messages[number]
        out.append((number, 0))
        for place, block in enumerate(message.blocks):
            text = view.content(number, place)
            out.append(((number, place, block if text is None else text), view.outcome(number, place).chars_after))
    return out


def naive(evaluation: Evaluation) -> list[int]:
    found = [0]
    views = [blocks(evaluation.at(call)) for call in evaluation.calls]
    for before, after in pairwise(views):
        size = 0
        for (one, _), (other, chars) in zip(before, after, strict=False):
            if one != other:
                break
            size += chars
        found.append(size)
    return found


@settings(max_examples=200, deadline=None)
@given(conversations, option_values)
def test_it_is_the_common_beginning_of_both_views(messages: list[dict[str, Any]], values: dict[str, Any]) -> None:
    evaluation = evaluate(session_from_messages(messages), "react-agent-mini-v4", CompactOptions(**values))
    assert reused_chars(evaluation).tolist() == naive(evaluation)
    sizes = [evaluation.at(call).estimate["retain"] for call in evaluation.calls]
    assert [reused_at(evaluation, call) for call in evaluation.calls] == list(
        zip(naive(evaluation), sizes, strict=True)
    )
    assert all(0 <= share <= 1 for share in reused_shares(evaluation).tolist())


def test_clearing_an_old_result_makes_all_after_it_new() -> None:
    messages: list[dict[str, Any]] = [{"type": "user", "content": "go"}]
    for number in range(4):
        use = {"type": "tool_use", "id": f"t{number}", "name": "Read", "input": {}}
        messages.append({"type": "assistant", "content": [use]})
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "x" * 1000}
        messages.append({"type": "user", "content": [result]})
    options = CompactOptions(threshold=2500, keep_recent=2, min_chars=0)
    evaluation = evaluate(session_from_messages(messages), "react-agent-mini-v4", options)
    call, cleared = len("Read{}"), len("[Old tool result content cleared] tool=Read")
    assert reused_chars(evaluation).tolist() == [0, 2, 2 + call + 1000, 2 + call, 2 + call + cleared + call]


def test_a_session_of_one_call_reuses_nothing() -> None:
    assert reused_chars(evaluate(session_from_messages([]), "react-agent-mini-v4")).tolist() == [0]
