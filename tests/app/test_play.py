"""Playing: one timer that steps, told here when it is due."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from textual.message_pump import MessagePump
from textual.widgets import Input

from tests.app.helpers import Running, generated, main_screen, screen_of, screen_text
from tests.app.waiting import until
from tui import session_from_messages
from tui.app.player import SPEEDS, Player
from tui.app.screens.main import MainScreen
from tui.app.screens.prompt import Prompt
from tui.pipeline.events import newly_acting


@dataclass
class FakeTimer:
    interval: float
    step: Callable[[], None]
    running: bool = True

    def stop(self) -> None:
        self.running = False


@dataclass
class Clock:
    """Hands out timers that are due when a test says so."""

    timers: list[FakeTimer] = field(default_factory=list)

    def set_interval(self, interval: float, step: Callable[[], None]) -> FakeTimer:
        self.timers.append(FakeTimer(interval, step))
        return self.timers[-1]

    @property
    def running(self) -> list[FakeTimer]:
        return [timer for timer in self.timers if timer.running]

    def tick(self) -> None:
        """Every timer is due once."""
        for timer in self.running:
            timer.step()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    real = MainScreen.set_interval

    def set_interval(self: MainScreen, interval: float, callback: Callable[[], None], **more: Any) -> Any:
        if callback == self._play_on:
            return made.set_interval(interval, callback)
        return real(self, interval, callback, **more)

    monkeypatch.setattr(MainScreen, "set_interval", set_interval)
    return made


def title(running: Running) -> str:
    return screen_text(running.app).split("\n")[0]


async def at_call(running: Running, call: int) -> None:
    running.main.go_to_call(call)
    await running.settle()


async def test_space_plays_and_pauses(clock: Clock) -> None:
    async with main_screen("micro-then-retain") as running:
        await at_call(running, 2)
        await running.press("space")
        assert [timer.interval for timer in clock.running] == [0.5]
        assert "playing 2 a second" in title(running)
        for call in (3, 4):
            clock.tick()
            await running.settle()
            assert running.scene.call == call
        await running.press("space")
        assert not clock.running
        assert not running.main.player.playing
        assert "playing" not in title(running)
        await running.press("space", "space", "space")
        assert len(clock.running) == 1
        clock.tick()
        await running.settle()
        assert running.scene.call == 5


async def test_a_late_screen_is_not_overtaken_by_steps(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    scenes: list[int] = []
    real = MainScreen._renew

    def renew(self: MainScreen) -> None:
        real(self)
        assert self.scene is not None
        scenes.append(self.scene.call)

    monkeypatch.setattr(MainScreen, "_renew", renew)
    async with main_screen(generated(200)) as running:
        await at_call(running, 1)
        scenes.clear()
        await running.press("space")
        for _ in range(30):
            clock.tick()
        await running.settle()
        # However many steps fell due, one picture: the last.
        assert scenes == [31]


async def test_playing_stops_at_the_end_and_starts_again_from_the_first_call(clock: Clock) -> None:
    async with main_screen("micro-then-retain") as running:
        last = running.scene.evaluation.calls[-1]
        await at_call(running, last - 1)
        await running.press("space")
        clock.tick()
        await running.settle()
        assert running.scene.call == last
        assert not clock.running
        assert "playing" not in title(running)
        await running.press("space")
        assert running.scene.call == 1
        clock.tick()
        await running.settle()
        assert running.scene.call == 2


async def test_the_only_call_is_played_at_once(clock: Clock) -> None:
    async with main_screen(session_from_messages([])) as running:
        await running.press("space")
        clock.tick()
        await running.settle()
        assert running.scene.call == 1
        assert not clock.running


async def test_plus_and_minus_mean_the_speed_while_playing_and_rows_otherwise(clock: Clock) -> None:
    async with main_screen("micro-then-retain") as running:
        await at_call(running, 1)
        rows = running.panes.body_rows
        await running.press("space")
        for key, speed in (("+", 4), ("=", 8), ("-", 4), ("-", 2), ("-", 1)):
            await running.press(key)
            assert [timer.interval for timer in clock.running] == [1 / speed]
            assert f"playing {speed} a second" in title(running)
        assert running.panes.body_rows == rows
        await running.press("space", "+", "+", "-")
        assert running.panes.body_rows == rows + 1
        assert running.main.player.speed == 1
        assert not clock.running


async def test_the_speed_has_a_least_and_a_greatest(clock: Clock) -> None:
    async with main_screen("micro-then-retain") as running:
        await at_call(running, 1)
        await running.press("space", *"+" * 9)
        assert [timer.interval for timer in clock.running] == [1 / SPEEDS[-1]]
        await running.press(*"-" * 9)
        assert [timer.interval for timer in clock.running] == [1 / SPEEDS[0]]
        assert "playing 0.5 a second" in title(running)


async def test_the_speed_can_be_chosen_before_playing_outside_the_panes(clock: Clock) -> None:
    async with main_screen("micro-then-retain") as running:
        await at_call(running, 1)
        running.main.query_one("#timeline").focus()
        await running.press("+")
        assert running.notices[-1] == "speed: 4 calls a second"
        await running.press("space")
        assert [timer.interval for timer in clock.running] == [0.25]


async def by_the_palette(running: Running, action: str) -> None:
    """Runs a command that has no key, as the palette does."""
    words = {"pausing": "Stop playing at calls where a stage newly acts", "looping": "Start again at the end"}
    found = [c for c in running.app.get_system_commands(running.app.screen) if c.title.startswith(words[action])]
    assert len(found) == 1
    found[0].callback()
    await running.settle()


async def test_it_loops_when_asked_to(clock: Clock) -> None:
    async with main_screen("micro-then-retain") as running:
        last = running.scene.evaluation.calls[-1]
        await by_the_palette(running, "looping")
        assert running.notices[-1] == "playing loops"
        await at_call(running, last - 1)
        await running.press("space")
        seen = []
        for _ in range(3):
            clock.tick()
            await running.settle()
            seen.append(running.scene.call)
        assert seen == [last, 1, 2]
        assert clock.running
        await by_the_palette(running, "looping")
        assert running.notices[-1] == "playing stops at the end"
        for _ in range(last):
            clock.tick()
        await running.settle()
        assert running.scene.call == last
        assert not clock.running


async def test_it_stops_where_a_stage_newly_acts_when_asked_to(clock: Clock) -> None:
    async with main_screen("micro-then-retain") as running:
        masks = newly_acting(running.scene.evaluation.timeline).values()
        last = running.scene.evaluation.calls[-1]
        expected = sorted({int(at) + 1 for mask in masks for at in mask.nonzero()[0]} - {1})
        assert expected
        await by_the_palette(running, "pausing")
        assert running.notices[-1] == "playing stops at calls where a stage newly acts"
        await at_call(running, 1)
        stops = []
        while running.scene.call < last:
            await running.press("space")
            while clock.running:
                clock.tick()
                await running.settle()
            stops.append(running.scene.call)
            assert "playing" not in title(running)
        assert stops == sorted({*expected, last})
        await by_the_palette(running, "pausing")
        assert running.notices[-1] == "playing does not stop at such calls"
        await running.press("space")
        while clock.running:
            clock.tick()
        await running.settle()
        assert running.scene.call == last


async def test_stops_follow_a_slider_that_is_moved_while_playing(clock: Clock) -> None:
    async with main_screen("micro-then-retain") as running:
        await by_the_palette(running, "pausing")
        await at_call(running, 1)
        await running.press("space")
        running.main.set_options(threshold=1_000, keep_recent=0)
        await running.settle()
        acting = newly_acting(running.scene.evaluation.timeline)["micro"].nonzero()[0] + 1
        assert acting[0] < 5  # where it starts with the sample's own options
        for _ in range(4):
            clock.tick()
        await running.settle()
        assert running.scene.call == int(acting[0])
        assert not clock.running


async def test_stepping_by_hand_and_going_to_a_call_do_not_stop_it(clock: Clock) -> None:
    async with main_screen("micro-then-retain") as running:
        await at_call(running, 1)
        await running.press("space", "]", "]", "[")
        assert running.scene.call == 2
        assert len(clock.running) == 1
        await running.press("g")
        prompt = await screen_of(running.pilot, Prompt)
        prompt.query_one(Input).value = "9"
        await running.press("enter")
        clock.tick()
        await running.settle()
        assert running.scene.call == 10


async def test_a_real_timer_steps_too() -> None:
    async with main_screen("micro-then-retain") as running:
        await at_call(running, 1)
        await running.press("space", *"+" * 9)
        await until(running, lambda: running.scene.call >= 3)
        await running.press("space")
        here = running.scene.call
        await running.pilot.pause(0.1)
        assert running.scene.call == here


def test_a_player_alone() -> None:
    clock = Clock()
    steps: list[int] = []
    player = Player(cast(MessagePump, clock), lambda: steps.append(1))
    player.faster(1)
    assert not clock.timers
    player.start()
    player.start()
    assert len(clock.running) == 1
    clock.tick()
    player.stop()
    player.stop()
    clock.tick()
    assert steps == [1]
