"""Two evaluations of one session, compared block for block."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from tests.strategy_data import conversations, option_values
from tui import CompactOptions, evaluate, session_from_messages
from tui.model import ToolResultBlock
from tui.pipeline.compare import Comparison, differing_blocks
from tui.pipeline.evaluation import View

V4 = "react-agent-mini-v4"


def sent(view: View) -> dict[tuple[int, int], Any]:
    """What is sent of each block, by message and block; nothing for a dropped one."""
    out: dict[tuple[int, int], Any] = {}
    for number in range(view.kept_from, view.end):
        for place, block in enumerate(view.session.messages[number].blocks):
            text = view.content(number, place)
            own = block.content if isinstance(block, ToolResultBlock) else block
            out[number, place] = own if text is None else text
    return out


@settings(max_examples=150, deadline=None)
@given(conversations, option_values, option_values)
def test_the_blocks_that_are_sent_differently(
    messages: list[dict[str, Any]], values: dict[str, Any], others: dict[str, Any]
) -> None:
    session = session_from_messages(messages)
    one = evaluate(session, V4, CompactOptions(**values))
    other = evaluate(session, V4, CompactOptions(**others))
    comparison = Comparison(one, other)
    for call in one.calls:
        index = one.index
        found = [index.locate(number) for number in differing_blocks(index, one.at(call), other.at(call)).tolist()]
        a, b = sent(one.at(call)), sent(other.at(call))
        assert found == [place for place in sorted(a.keys() | b.keys()) if a.get(place) != b.get(place)]
        difference = comparison.at(call)
        assert difference.blocks == len(found)
        assert difference.estimates == (one.at(call).estimate["retain"], other.at(call).estimate["retain"])
        assert (call in comparison.differing_calls.tolist()) == (len(set(difference.estimates)) == 2)
        walked = []
        here = -1
        while (following := comparison.next_difference(call, here, 1)) is not None:
            walked.append(index.locate(following))
            here = following
        assert walked == found
        assert comparison.next_difference(call, 0, -1) is None


def test_only_evaluations_of_one_session_can_be_compared() -> None:
    one = evaluate(session_from_messages([]), V4)
    other = evaluate(session_from_messages([]), V4)
    with pytest.raises(ValueError, match="one session"):
        Comparison(one, other)
