"""The sparks on the sliders: what each value would lead to, as if the slider had been moved there."""

from __future__ import annotations

from asyncio import sleep
from collections.abc import Callable, Sequence
from threading import Event, Timer
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.app.helpers import Running, main_screen, opened
from tests.app.modal import sample_scene, scene_of
from tests.app.talk import CLEARING, FILLER, talk
from tests.app.waiting import until
from tests.strategy_data import conversations, option_values
from tui import CompactOptions, evaluate, session_from_messages
from tui.app.scene import Scene
from tui.app.spark import spark
from tui.app.widgets.slider import UNICODE

KNOBS = tuple(knob.name for knob in CompactOptions().knobs())


def never() -> bool:
    return False


def estimate(scene: Scene, **values: Any) -> int:
    """The outbound estimate of the scene's call with other options, evaluated from nothing."""
    evaluation = scene.evaluation
    options = CompactOptions(**evaluation.options.model_dump() | values)
    again = evaluate(evaluation.session, evaluation.strategy, options, across_boundaries=evaluation.across)
    return again.at(scene.call).estimate["retain"]


def expected(scene: Scene, option: str, values: Sequence[int]) -> tuple[float, ...]:
    sizes = [estimate(scene, **{option: value}) for value in values]
    return tuple(size / max(sizes) for size in sizes) if len(set(sizes)) > 1 else ()


@pytest.mark.parametrize("option", KNOBS)
@pytest.mark.parametrize("name", ["micro-then-retain", "after-compact", "unicode"])
def test_each_height_is_the_estimate_at_that_value(name: str, option: str) -> None:
    scene = sample_scene(name)
    values = [*range(30), *range(30, 20_000, 397), 10**9]
    assert spark(scene, option, values, never) == expected(scene, option, values)


@settings(max_examples=60, deadline=None)
@given(conversations, option_values, st.sampled_from(KNOBS), st.lists(st.integers(0, 500)), st.data())
def test_so_it_is_at_any_call_of_any_session(
    messages: list[dict[str, Any]], values: dict[str, Any], option: str, track: list[int], data: st.DataObject
) -> None:
    session = session_from_messages(messages)
    calls = evaluate(session, "react-agent-mini-v4", CompactOptions()).calls
    scene = scene_of(session, data.draw(st.sampled_from(list(calls))), **values)
    assert spark(scene, option, track, never) == expected(scene, option, track)


def test_where_no_value_makes_a_difference_there_is_none() -> None:
    scene = scene_of(talk(*[FILLER] * 5), threshold=10**9)
    for option in KNOBS:
        assert spark(scene, option, range(2_000, 3_000, 100), never) == ()
    assert spark(scene, "threshold", [], never) == ()
    assert spark(scene, "threshold", [5], never) == ()
    assert spark(scene_of(session_from_messages([])), "threshold", [0, 5], never) == ()


def test_it_stops_when_told_to() -> None:
    scene = scene_of(talk(*[FILLER] * 5), **CLEARING)
    asked = 0

    def after_three() -> bool:
        nonlocal asked
        asked += 1
        return asked > 3

    assert len(spark(scene, "keep_recent", range(8), never)) == 8
    assert spark(scene, "keep_recent", range(8), after_three) == ()
    assert asked == 4


# On the screen


def shown(running: Running) -> dict[str, tuple[float, ...]]:
    return {name: running.slider(name).spark for name in KNOBS}


def direct(running: Running) -> dict[str, tuple[float, ...]]:
    """What the sparks must be, from what is shown."""
    scene = running.scene
    return {name: expected(scene, name, running.slider(name).track_values()) for name in KNOBS}


async def rested(running: Running) -> None:
    """Waits until the worker has nothing left to do."""
    await running.settle()
    await until(running, lambda: not running.main._following)


async def test_the_sliders_show_what_direct_evaluations_give() -> None:
    async with main_screen("micro-then-retain") as running:
        for key in ("", "[", "O", "O", "2"):
            await running.press(*key)
            await rested(running)
            assert shown(running) == direct(running)
        running.slider("keep_recent").focus()
        await running.press("right", "right")
        await rested(running)
        assert shown(running) == direct(running)
        await running.pilot.resize_terminal(150, 40)
        await running.settle()
        await rested(running)
        assert shown(running) == direct(running)
        assert all(
            len(heights) in (0, len(running.slider(name).track_values())) for name, heights in shown(running).items()
        )


async def test_each_cell_stands_as_high_as_its_height() -> None:
    async with main_screen(opened(talk(*[FILLER] * 8), CLEARING)) as running:
        await rested(running)
        slider = running.slider("keep_recent")
        columns = slider._columns
        track = slider.render_line(0).text[columns.track_at : columns.track_at + columns.track]
        assert len(slider.spark) == columns.track
        top = len(UNICODE.heights) - 1
        drawn = [(cell, UNICODE.heights[round(h * top)]) for cell, h in zip(track, slider.spark, strict=True)]
        bars = [(cell, bar) for cell, bar in drawn if cell in UNICODE.heights]
        assert len(bars) > columns.track // 2
        assert all(cell == bar for cell, bar in bars)
        assert len({cell for cell, _ in bars}) > 2


async def test_where_nothing_differs_the_plain_track_is_drawn() -> None:
    async with main_screen(opened(talk(*[FILLER] * 8), CLEARING)) as running:
        await rested(running)
        assert running.slider("keep_recent").spark
        await running.press("O")
        await rested(running)
        assert set(shown(running).values()) == {()}
        assert not set(running.slider("keep_recent").render_line(0).text) & set(UNICODE.heights)


async def test_a_move_gives_up_the_sparks_of_the_picture_before(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = Event(), Event()
    finished: list[tuple[int, str, bool]] = []

    def held(scene: Scene, option: str, values: Sequence[int], cancelled: Callable[[], bool]) -> tuple[float, ...]:
        begun.set()
        while not go_on.wait(0.002) and not cancelled():
            pass
        assert isinstance(scene.evaluation.options, CompactOptions)
        finished.append((scene.evaluation.options.keep_recent, option, cancelled()))
        return spark(scene, option, values, cancelled)

    monkeypatch.setattr("tui.app.screens.main.spark", held)
    async with main_screen(opened(talk(*[FILLER] * 8), CLEARING)) as running:
        await until(running, begun.is_set)
        assert set(shown(running).values()) == {()}
        running.slider("keep_recent").focus()
        await running.press("right", "right", "right")  # the screen goes on meanwhile
        assert running.options.keep_recent == 5
        go_on.set()
        await rested(running)
        assert shown(running) == direct(running)
        assert running.slider("keep_recent").spark
        names = list(KNOBS)
        # The first picture's worker stops within the option it was at; the newest one's goes to the end.
        assert {(name, given_up) for keep, name, given_up in finished if keep == 2} == {(names[0], True)}
        assert [name for keep, name, given_up in finished if keep == 5 and not given_up] == names


async def test_quitting_gives_up_what_is_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    let_go = Event()
    begun: list[Scene] = []
    told_to_stop: dict[Scene, bool] = {}

    def endless(scene: Scene, option: str, values: Sequence[int], cancelled: Callable[[], bool]) -> tuple[float, ...]:
        begun.append(scene)
        while not cancelled() and not let_go.wait(0.002):
            pass
        told_to_stop[scene] = cancelled()
        return ()

    monkeypatch.setattr("tui.app.screens.main.spark", endless)
    so_that_a_failing_test_ends = Timer(10, let_go.set)
    so_that_a_failing_test_ends.start()
    async with main_screen(opened(talk(*[FILLER] * 8), CLEARING)) as running:
        await running.settle()
        await until(running, lambda: begun[-1:] == [running.main._wanted])
        await running.press("q")
        assert running.app._exit
    while begun[-1] not in told_to_stop:
        await sleep(0.002)
    so_that_a_failing_test_ends.cancel()
    assert told_to_stop[begun[-1]]
