"""Blocks by outcome, for all blocks at once, against the fate of each block of the view cut off after the stage."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pipeline.test_tools import eager_values
from tests.strategy_data import conversations, option_values
from tui import CompactOptions, evaluate, session_from_messages
from tui.model import Boundary
from tui.pipeline.outcomes import Outcome
from tui.pipeline.selection import blocks_by_outcome

STAGES = ("original", "budget", "micro", "retain", "outbound")


@settings(max_examples=150, deadline=None)
@given(conversations, option_values | eager_values, st.lists(st.integers(0, 20), max_size=2))
def test_each_block_has_the_outcome_that_its_trail_ends_with(
    messages: list[dict[str, Any]], values: dict[str, Any], cuts: list[int]
) -> None:
    cuts = sorted({min(cut, len(messages)) for cut in cuts})
    session = replace(session_from_messages(messages), boundaries=tuple(map(Boundary, cuts)))
    evaluation = evaluate(session, "react-agent-mini-v4", CompactOptions(**values))
    index = evaluation.index
    for call in evaluation.calls:
        view = evaluation.at(call)
        for stage in STAGES:
            expected: dict[Outcome, set[int]] = {outcome: set() for outcome in Outcome}
            for fate in view.up_to(stage).outcomes:
                expected[fate.outcome].add(index.block_number(fate.message, fate.block))
            found = blocks_by_outcome(view, index, stage)
            assert {outcome: set(mask.nonzero()[0].tolist()) for outcome, mask in found.items()} == expected
