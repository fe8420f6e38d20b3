"""The lines of many calls, one by one, are those of the calls' own traces."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from tests import oracle
from tests.pipeline.test_marks import ends, evaluated
from tests.strategy_data import conversations, option_values
from tui import session_from_messages
from tui.pipeline.trace import trace_at, trace_until

Dicts = list[dict[str, Any]]


@settings(max_examples=150, deadline=None)
@given(conversations, option_values)
def test_lines_are_those_of_the_naive_pipeline_each_with_its_call_and_stage(
    messages: Dicts, values: dict[str, Any]
) -> None:
    evaluation = evaluated(session_from_messages(messages), values)
    expected: list[tuple[int, str]] = []
    for call, end in zip(evaluation.calls, ends(messages), strict=True):
        lines = oracle.run(messages[:end], oracle.Options(**values)).trace
        expected += [(call, line) for line in lines]
        until, here = trace_until(evaluation, call), trace_at(evaluation.at(call))
        assert [(line.call, line.text) for line in (until[n] for n in range(len(until)))] == expected
        assert [here[n].text for n in range(len(here))] == lines == [line.text for line in until.of(call)]
        for number in range(len(until)):
            assert f"stage={until[number].stage}" in until[number].text or "compact.micro" in until[number].text
        with pytest.raises(IndexError):
            until[len(until)]
