"""One evaluation, one number: headers, gauge, tab, timeline, estimate and the messages themselves agree."""

from __future__ import annotations

import re

import pytest

from tests import oracle
from tests.app.helpers import Running, drawn_chars, main_screen, number, opened_sample, text_of
from tui.app.widgets.gauge import Gauge
from tui.app.widgets.stage_tabs import StageTabs
from tui.demos.samples import samples

_MOST_CALLS = 3
_STAGES = ("original", "budget", "micro", "retain", "outbound")


def some_calls(calls: range) -> list[int]:
    """All calls of a small sample, else some from the first to the last."""
    if len(calls) <= _MOST_CALLS:
        return list(calls)
    return sorted({calls[(len(calls) - 1) * step // (_MOST_CALLS - 1)] for step in range(_MOST_CALLS)})


def gauge_number(running: Running, stage: str) -> int:
    """The size after a stage (empty for the one gauge of a short screen), as drawn behind the bar."""
    gauge = f"#gauge-{stage or 'current'}"
    behind = text_of(running.main.query_one(gauge, Gauge)).split("]", 1)[1]
    found = re.match(r"\s*(?:[\d,]+ > )?([\d,]+)(?:\s|$)", behind)
    assert found, behind
    return number(found.group(1))


def tab_number(running: Running, stage: str) -> int:
    found = re.search(rf" \d {stage} ([\d,]+) ", text_of(running.main.query_one(StageTabs)))
    assert found
    return number(found.group(1))


@pytest.mark.parametrize("name", [sample.name for sample in samples()])
async def test_all_numbers_on_the_screen_agree(name: str) -> None:
    async with main_screen(opened_sample(name), size=(180, 34)) as running:
        for call in some_calls(running.scene.evaluation.calls):
            running.main.go_to_call(call)
            stages = running.scene.evaluation.stages
            for place, stage in enumerate(("original", *stages, "outbound")):
                running.main.action_stage(place)
                await running.settle()
                view, timeline = running.scene.view, running.scene.evaluation.timeline
                assert (view.call, running.scene.stage) == (call, stage)
                after = stages[-1] if stage == "outbound" else stage
                expected = oracle.estimate(view.messages(stage))
                assert view.estimate[after] == expected
                assert timeline.estimate[after][call - 1] == expected
                assert drawn_chars(running) == expected
                assert tab_number(running, after) == expected
                # Original and outbound have a gauge on a short screen only; see below.
                if stage in stages:
                    assert gauge_number(running, stage) == expected


@pytest.mark.parametrize("name", ["micro-then-retain", "unicode"])
async def test_the_gauge_of_a_short_screen_agrees_too(name: str) -> None:
    async with main_screen(name, size=(200, 24)) as running:
        for place, stage in enumerate(_STAGES):
            running.main.action_stage(place)
            await running.settle()
            expected = oracle.estimate(running.scene.view.messages(stage))
            assert gauge_number(running, "") == running.scene.estimate == expected


async def test_the_message_count_in_the_title_is_what_is_sent() -> None:
    async with main_screen("micro-then-retain") as running:
        for call in running.scene.evaluation.calls:
            running.main.go_to_call(call)
            running.main.action_stage(4)
            await running.settle()
            sent = len(running.scene.view.messages())
            assert f"{sent} message" in str(running.right.border_title)
            dropped = running.scene.view.message_count - sent
            assert dropped == running.scene.view.counts["dropped"]
