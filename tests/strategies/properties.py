"""What holds for every strategy, whatever it clears."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tests import oracle
from tests.pipeline.test_every_call import prefixes
from tui import evaluate, session_from_messages
from tui.model import Boundary, Session
from tui.pipeline.evaluation import ORIGINAL, Evaluation, View
from tui.pipeline.outcomes import Outcome
from tui.pipeline.strategy_options import StrategyOptions

Dicts = list[dict[str, Any]]


@dataclass
class Expected:
    """What an oracle makes of the messages that one call sees; ``trace`` None where it says nothing of it."""

    messages: Dicts
    kept_from: int = 0
    trace: list[str] | None = field(default=None)


def with_boundaries(messages: Dicts, cuts: Sequence[int]) -> Session:
    """The messages with compact boundaries before some of them."""
    places = sorted({min(cut, len(messages)) for cut in cuts})
    return replace(session_from_messages(messages), boundaries=tuple(map(Boundary, places)))


def assert_every_call_is(
    messages: Dicts,
    strategy: str,
    options: StrategyOptions,
    naive: Callable[[Dicts], Expected],
    boundaries: Sequence[int] = (),
) -> None:
    """At every call: contents, first message, estimate and trace are what ``naive`` makes of what the call sees."""
    ev = evaluate(with_boundaries(messages, boundaries), strategy, options)
    last = options.stages[-1]
    for call, end in zip(ev.calls, prefixes(messages), strict=True):
        start = max((cut for cut in boundaries if cut <= end), default=0)
        expected = naive(copy.deepcopy(messages[start:end]))
        view = ev.at(call)
        assert (view.start, view.end) == (start, end)
        assert view.messages() == expected.messages
        assert view.kept_from == start + expected.kept_from
        assert view.estimate[last] == oracle.estimate(expected.messages)
        if expected.trace is not None:
            assert view.trace == expected.trace


def assert_properties(
    messages: Dicts,
    strategy: str,
    options: StrategyOptions,
    *,
    make: Callable[[Dicts], Session] = session_from_messages,
    local: bool = True,
) -> None:
    """Nothing is changed in place, pairs stay, and every way to come to a call gives the same.

    Args:
        messages: The conversation.
        strategy: The strategy's name.
        options: Its options.
        make: How the messages become a session.
        local: Whether what the strategy does is seen in the messages; not so for what a server deletes.
    """
    before = copy.deepcopy(messages)
    session = make(messages)
    ev = evaluate(session, strategy, options)
    timeline = ev.timeline
    seen = {}
    for call in ev.calls:  # stepping one by one
        view = ev.at(call)
        seen[call] = _all_of(view)
        _assert_is_in_timeline(view, ev)
        _assert_well_formed(view)
        if local:
            again = evaluate(session_from_messages(view.messages()), "react-agent-mini-v4").at()
            assert again.estimate[ORIGINAL] == view.estimate[options.stages[-1]]
    for call in reversed(ev.calls):  # back again, and straight to it
        assert _all_of(ev.at(call)) == seen[call]
        assert _all_of(evaluate(make(messages), strategy, options).at(call)) == seen[call]
    second = evaluate(session, strategy, options)
    for stage in (ORIGINAL, *options.stages):
        assert (second.timeline.estimate[stage] == timeline.estimate[stage]).all()
    assert messages == before
    assert session.messages == make(before).messages


def _all_of(view: View) -> tuple[Any, ...]:
    stages = view.stages
    return (
        view.messages(),
        view.kept_from,
        view.estimate,
        view.counts,
        view.trace,
        view.outcomes,
        [view.verdict(stage.name) for stage in stages],
    )


def _assert_is_in_timeline(view: View, ev: Evaluation) -> None:
    at, timeline = view.call - 1, ev.timeline
    assert {stage: int(sizes[at]) for stage, sizes in timeline.estimate.items()} == view.estimate
    for here, everywhere in zip(view.stages, ev.everywhere, strict=True):
        assert here.name == everywhere.name
        assert int(timeline.count[here.name][at]) == here.count[0]
        assert int(everywhere.kept_from[at]) == here.kept_from[0]
        assert everywhere.trace(at) == here.trace(0)
        assert everywhere.verdict(at) == here.verdict(0)
        assert list(everywhere.changed_rows(at)) == list(here.changed_rows(0))


def _assert_well_formed(view: View) -> None:
    """Only texts of results and inputs of calls differ, no result loses its call, and the outcomes say what differs."""
    sent, original = view.messages(), view.messages(ORIGINAL)[view.kept_from - view.start :]
    assert _bones(sent) == _bones(original)
    if view.kept_from > view.start:
        cut = view.messages(ORIGINAL)[view.kept_from - view.start - 1 :]
        calls = {block.get("id") for block in cut[0]["content"] if block["type"] == "tool_use"}
        assert not [b for b in cut[1]["content"] if b["type"] == "tool_result" and b["tool_use_id"] in calls]
    for outcome in view.outcomes:
        assert outcome.explanation
        assert (outcome.reason is None) == (outcome.outcome is not Outcome.KEPT)
        assert (outcome.outcome is Outcome.DROPPED) == (outcome.message < view.kept_from)
        if outcome.outcome is Outcome.KEPT:
            number = outcome.message - view.kept_from
            assert sent[number]["content"][outcome.block] == original[number]["content"][outcome.block]


def _bones(messages: Dicts) -> Dicts:
    """The messages without what a strategy may rewrite."""
    rewritten = {"tool_result": ("content", "images"), "tool_use": ("input",)}
    return [
        {
            **message,
            "content": [
                {key: value for key, value in block.items() if key not in rewritten.get(block["type"], ())}
                for block in message["content"]
            ],
        }
        for message in messages
    ]
