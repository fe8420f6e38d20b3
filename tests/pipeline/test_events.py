"""Where something new happens, against the naive pipeline at every call; and the sentence on what changed."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests import oracle
from tests.pipeline.test_tools import eager_values, ends
from tests.strategy_data import conversations, option_values
from tui import CompactOptions, evaluate, session_from_messages
from tui.model import Boundary, Session
from tui.pipeline.evaluation import Evaluation
from tui.pipeline.events import events, last_stage, newly_acting, what_changed

Dicts = list[dict[str, Any]]
STAGES = ("budget", "micro", "retain")
_COUNTS = {"budget": "truncatedBlocks", "micro": "replaced", "retain": "droppedMessages"}


def evaluation(session: Session, **values: Any) -> Evaluation:
    return evaluate(session, "react-agent-mini-v4", CompactOptions(**values))


def naive(messages: Dicts, values: dict[str, Any], cuts: list[int]) -> list[oracle.Result]:
    """The naive pipeline's result at every call."""
    found = []
    for end in ends(messages):
        start = max((cut for cut in cuts if cut <= end), default=0)
        found.append(oracle.run(messages[start:end], oracle.Options(**values)))
    return found


def count(result: oracle.Result, stage: str) -> int:
    """What a stage's trace line counts; 0 where it wrote none."""
    found = re.search(rf"{_COUNTS[stage]}=(\d+)", "\n".join(result.trace))
    return int(found.group(1)) if found else 0


@settings(max_examples=150, deadline=None)
@given(conversations, option_values | eager_values, st.lists(st.integers(0, 20), max_size=2))
def test_events_are_where_the_naive_pipeline_says_something_new(
    messages: Dicts, values: dict[str, Any], cuts: list[int]
) -> None:
    cuts = sorted({min(cut, len(messages)) for cut in cuts})
    session = replace(session_from_messages(messages), boundaries=tuple(map(Boundary, cuts)))
    timeline = evaluation(session, **values).timeline
    results = naive(messages, values, cuts)
    expected = set()
    newly: dict[str, list[int]] = {stage: [] for stage in STAGES}
    before: oracle.Result | None = None
    for call, result in enumerate(results, 1):
        for stage in STAGES:
            if count(result, stage) and not (before and count(before, stage)):
                newly[stage].append(call)
                expected.add(call)
        if before and result.estimate["retain"] < before.estimate["retain"]:
            expected.add(call)
        before = result
    assert events(timeline).tolist() == sorted(expected)
    found = newly_acting(timeline)
    assert {stage: (mask.nonzero()[0] + 1).tolist() for stage, mask in found.items()} == newly
    assert last_stage(timeline) == "retain"


@settings(max_examples=100, deadline=None)
@given(conversations, option_values | eager_values)
def test_the_sentence_tells_the_differences_of_the_trace_lines(messages: Dicts, values: dict[str, Any]) -> None:
    whole = evaluation(session_from_messages(messages), **values)
    results = naive(messages, values, [])
    threshold = whole.options.line
    words = dict(zip(STAGES, ("truncated", "cleared", "dropped"), strict=True))
    for call, result in zip(whole.calls, results, strict=True):
        before = results[call - 2] if call > 1 else None
        said = what_changed(whole.at(call), whole.at(call - 1) if before else None, threshold)
        assert said.endswith(f"; {result.estimate['retain']:,} of {threshold:,}")
        told = 0
        for stage, word in words.items():
            difference = count(result, stage) - (count(before, stage) if before else 0)
            more = re.search(rf"(\d+) (?:more )?(?:result|message)s? {word}", said)
            fewer = re.search(rf"(\d+) (?:result|message)s? no longer {word}", said)
            assert (int(more.group(1)) if more else 0) == max(difference, 0)
            assert (int(fewer.group(1)) if fewer else 0) == max(-difference, 0)
            told += difference != 0
        if not told:
            grown = result.estimate["original"] - (before.estimate["original"] if before else 0)
            assert said.startswith(f"{grown:+,} chars;" if grown else "nothing new;")


def _exchanges(*sizes: int) -> Dicts:
    messages: Dicts = [{"type": "user", "content": [{"type": "text", "text": "q"}]}]
    for number, size in enumerate(sizes):
        use = {"type": "tool_use", "id": str(number), "name": "Read", "input": {}}
        result = {"type": "tool_result", "tool_use_id": str(number), "content": "x" * size}
        messages += [{"type": "assistant", "content": [use]}, {"type": "user", "content": [result]}]
    return messages


def _said(ev: Evaluation, call: int) -> str:
    return what_changed(ev.at(call), ev.at(call - 1) if call > 1 else None, ev.options.line)


def test_words_are_singular_and_plural_and_more_only_when_there_were_some() -> None:
    ev = evaluation(session_from_messages(_exchanges(900, 900, 900, 4_100)), threshold=1_000, keep_recent=1)
    # "Read" and "{}" of each call are counted too.
    assert _said(ev, 1) == "+1 chars; 1 of 1,000"
    assert _said(ev, 2) == "+906 chars; 907 of 1,000"
    assert _said(ev, 3).startswith("1 result cleared; ")
    assert _said(ev, 4).startswith("1 more result cleared; ")
    assert _said(ev, 5).startswith("1 result truncated, 1 more result cleared; ")
    several = evaluation(session_from_messages(_exchanges(900, 900)), threshold=0, keep_recent=0)
    assert _said(several, 3).startswith("1 more result cleared; ")
    assert what_changed(several.at(3), None, 0).startswith("2 results cleared; ")


def test_what_a_boundary_takes_away_is_no_longer_done() -> None:
    session = replace(session_from_messages(_exchanges(900, 900, 5)), boundaries=(Boundary(5),))
    ev = evaluation(session, threshold=0, keep_recent=0)
    assert _said(ev, 3).startswith("1 result no longer cleared; 0 of 0")
    assert events(ev.timeline).tolist() == [2, 3]


def test_an_empty_session_has_no_event() -> None:
    ev = evaluation(session_from_messages([]))
    assert events(ev.timeline).tolist() == []
    assert _said(ev, 1) == "nothing new; 0 of 80,000"
