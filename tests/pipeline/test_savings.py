"""What the stages saved: parts that add up exactly to the differences of the naive pipeline's estimates."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import oracle
from tests.pipeline.test_tools import block_chars, eager_values, ends, tools_of
from tests.strategy_data import conversations, option_values
from tui import CompactOptions, evaluate, session_from_messages
from tui.model import Boundary
from tui.pipeline.savings import savings, tokens

Dicts = list[dict[str, Any]]
STAGES = ("original", "budget", "micro", "retain")


def naive_parts(before: Dicts, after: Dicts, tools: list[list[str | None]]) -> dict[tuple[str, str], list[int]]:
    """What became of each block between two stages, by kind and name: chars saved and blocks changed."""
    gone = len(before) - len(after)
    parts: dict[tuple[str, str], list[int]] = {}
    for place, message in enumerate(before):
        for number, block in enumerate(message["content"]):
            left = after[place - gone]["content"][number] if place >= gone else None
            if left == block or block["type"] == "thinking":
                continue
            if block["type"] == "text":
                key, size = ("text", message["type"]), oracle.units(block["text"])
            else:
                name = tools[place][number]
                key, size = ("no-tool", "") if name is None else ("tool", name), block_chars(block)
            part = parts.setdefault(key, [0, 0])
            part[0] += size - (0 if left is None else block_chars(left))
            part[1] += 1
    return parts


@settings(max_examples=200, deadline=None)
@given(conversations, option_values | eager_values, st.lists(st.integers(0, 20), max_size=2), st.integers(1, 4))
def test_parts_are_what_the_naive_pipeline_saved_and_add_up(
    messages: Dicts, values: dict[str, Any], cuts: list[int], most: int
) -> None:
    cuts = sorted({min(cut, len(messages)) for cut in cuts})
    session = replace(session_from_messages(messages), boundaries=tuple(map(Boundary, cuts)))
    evaluation = evaluate(session, "react-agent-mini-v4", CompactOptions(**values))
    for call, end in zip(evaluation.calls, ends(messages), strict=True):
        start = max((cut for cut in cuts if cut <= end), default=0)
        result = oracle.run(messages[start:end], oracle.Options(**values))
        view = evaluation.at(call)
        found = savings(evaluation.index, view)
        assert [stage.stage for stage in found] == list(STAGES[1:])
        for stage, (before, after) in zip(found, pairwise(STAGES), strict=True):
            assert (stage.before, stage.after) == (result.estimate[before], result.estimate[after])
            assert (
                sum(part.saved for part in stage.parts) == stage.saved == view.estimate[before] - view.estimate[after]
            )
            tools = tools_of(messages)[start:end]
            expected = naive_parts(result.stages[before], result.stages[after], tools)
            assert {(part.kind, part.name): [part.saved, part.blocks] for part in stage.parts} == expected
            assert [part.saved for part in stage.parts] == sorted((p.saved for p in stage.parts), reverse=True)

            largest = stage.largest(most)
            assert len(largest) == min(most, len(stage.parts))
            assert sum(part.saved for part in largest) == stage.saved
            assert sum(part.blocks for part in largest) == sum(part.blocks for part in stage.parts)
            assert sum(part.parts for part in largest) == len(stage.parts)


def test_a_placeholder_that_is_longer_than_its_result_saves_less_than_nothing() -> None:
    messages: Dicts = [
        {"type": "user", "content": [{"type": "text", "text": "q"}]},
        {"type": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "Read", "input": {}}]},
        {"type": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "xy"}]},
    ]
    options = CompactOptions(threshold=0, keep_recent=0, min_chars=0)
    evaluation = evaluate(session_from_messages(messages), "react-agent-mini-v4", options)
    micro = savings(evaluation.index, evaluation.at())[1]
    assert micro.saved == 2 - len("[Old tool result content cleared] tool=Read")
    assert [(part.name, part.saved, part.blocks) for part in micro.parts] == [("Read", micro.saved, 1)]


@pytest.mark.parametrize(("chars", "expected"), [(0, 0), (80_000, 20_000), (61_004, 15_251), (-8, -2)])
def test_a_token_is_about_four_chars(chars: int, expected: int) -> None:
    assert tokens(chars) == expected
