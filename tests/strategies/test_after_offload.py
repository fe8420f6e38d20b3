"""What the tool result budget left is to a strategy as a conversation that holds just that."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from tests.strategies.properties import Dicts
from tests.strategies.test_opencode_prune import with_skills
from tests.strategy_data import conversations
from tui import session_from_messages
from tui.pipeline.draft import Draft
from tui.pipeline.evaluation import View
from tui.pipeline.index import index_of
from tui.pipeline.offload import OffloadOptions, offload
from tui.strategies import STRATEGIES

BUDGET = OffloadOptions(max_result_chars=30, preview_chars=12)
VALUES: dict[str, list[dict[str, Any]]] = {
    "anthropic-clear-tool-uses": [{"trigger_tokens": 20, "keep": 1, "clear_at_least": 30, "clear_tool_inputs": True}],
    "langchain-clear-tool-uses": [
        {"trigger_tokens": 50, "keep": 1},
        {"trigger_tokens": 50, "keep": 0, "clear_at_least": 30, "clear_tool_inputs": True},
    ],
    "opencode-prune": [{"protect_tokens": 20, "minimum_tokens": 10}, {"protect_tokens": 0, "minimum_tokens": 0}],
    "openclaw-pruning": [
        {"idle_minutes": 0, "window_tokens": 100, "min_prunable_chars": 0, "soft_trim_chars": 25}
        | {"head_chars": 7, "tail_chars": 15},
    ],
}
CASES = [(name, values) for name, some in VALUES.items() for values in some]


@pytest.mark.parametrize(("name", "values"), CASES, ids=[f"{name}-{len(values)}" for name, values in CASES])
@settings(max_examples=100, deadline=None)
@given(messages=conversations.map(with_skills))
def test_offloaded_results_count_as_they_are_sent(name: str, values: dict[str, Any], messages: Dicts) -> None:
    strategy = STRATEGIES[name]
    options = strategy.options(**values)
    index = index_of(session_from_messages(messages))
    calls = index.calls(False)
    budget = offload(Draft.of(index, calls), BUDGET)
    stages = strategy.run(budget.after, options)
    last = calls.only(len(calls))
    left = View(index, len(calls), last, (offload(Draft.of(index, last), BUDGET),))
    again = index_of(session_from_messages(left.messages()))
    expected = strategy.run(Draft.of(again, again.calls(False)), options)
    for one, other in zip(stages, expected, strict=True):
        assert one.estimate.tolist() == other.estimate.tolist()
        assert one.count.tolist() == other.count.tolist()
        for at in range(len(calls)):
            assert (one.trace(at), one.verdict(at)) == (other.trace(at), other.verdict(at))
    for call in range(1, len(calls) + 1):
        here = calls.only(call)
        first = offload(Draft.of(index, here), BUDGET)
        view = View(index, call, here, (first, *strategy.run(first.after, options)))
        there = again.calls(False).only(call)
        assert view.messages() == View(again, call, there, strategy.run(Draft.of(again, there), options)).messages()
