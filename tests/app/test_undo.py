"""Undo and redo of the options: what one step is, and that all that shows the options follows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.widgets import Checkbox, DataTable

from tests.app.helpers import Running, main_screen, opened, screen_of, text_of
from tests.app.talk import CLEARING, FILLER, talk
from tui.app.screens.main import MainScreen
from tui.app.screens.tools import ToolsScreen
from tui.app.widgets.controls import OptionsRow
from tui.model import Session
from tui.pipeline.options import CompactOptions


class Rest:
    """The timer after which the next move is a step of its own; it is due when a test says so, and never otherwise."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._due: Callable[[], Any] | None = None
        real = MainScreen.set_timer

        def set_timer(screen: MainScreen, delay: float, callback: Any = None, **more: Any) -> Any:
            if callback != screen._history.commit:
                return real(screen, delay, callback, **more)
            self._due = callback
            return self

        monkeypatch.setattr(MainScreen, "set_timer", set_timer)

    def stop(self) -> None:
        self._due = None

    def over(self) -> None:
        """So much time has passed that a running timer is due."""
        due, self._due = self._due, None
        if due is not None:
            due()


@pytest.fixture(autouse=True)
def rest(monkeypatch: pytest.MonkeyPatch) -> Rest:
    return Rest(monkeypatch)


def session() -> Session:
    return talk(*[FILLER] * 6, tools=("Read", "Bash", "mcp__x__get"))


def cleared(running: Running) -> int:
    return running.scene.view.counts["cleared"]


async def drag(running: Running, name: str, *parts: float) -> None:
    """Drags a slider's thumb over parts of its track, and lets it go at the last."""
    slider = running.slider(name)
    first, track = slider._columns.track_at, slider._columns.track
    places = [(first + round(part * (track - 1)), 0) for part in parts]
    await running.pilot.mouse_down(slider, offset=places[0])
    for place in places[1:]:
        await running.pilot.hover(slider, offset=place)
        await running.settle()
    await running.pilot.mouse_up(slider, offset=places[-1])
    await running.settle()


async def test_a_drag_is_one_step() -> None:
    async with main_screen(opened(session(), CLEARING)) as running:
        assert cleared(running) == 4
        await drag(running, "keep_recent", 0.5, 0.9, 0.2, 1.0)
        assert running.options.keep_recent == running.slider("keep_recent").greatest
        assert cleared(running) == 0
        await running.press("u")
        assert running.options.keep_recent == running.slider("keep_recent").value == 2
        assert cleared(running) == 4
        await running.press("ctrl+r")
        assert (
            running.options.keep_recent == running.slider("keep_recent").value == running.slider("keep_recent").greatest
        )
        assert cleared(running) == 0
        await running.press("u", "u")
        assert running.notices == ["nothing to undo"]


async def test_resting_in_the_middle_of_a_drag_does_not_split_it(rest: Rest) -> None:
    async with main_screen(opened(session(), CLEARING)) as running:
        slider = running.slider("keep_recent")
        first, track = slider._columns.track_at, slider._columns.track
        await running.pilot.mouse_down(slider, offset=(first + track // 2, 0))
        await running.settle()
        rest.over()
        await running.pilot.hover(slider, offset=(first + track - 1, 0))
        await running.settle()
        rest.over()
        await running.pilot.mouse_up(slider, offset=(first + track - 1, 0))
        await running.settle()
        assert running.options.keep_recent == slider.greatest
        await running.press("u")
        assert running.options.keep_recent == 2


async def test_two_drags_with_a_rest_between_are_two_steps(rest: Rest) -> None:
    async with main_screen(opened(session(), CLEARING)) as running:
        await drag(running, "keep_recent", 0.5, 0.0)
        rest.over()
        await drag(running, "keep_recent", 0.5, 1.0)
        await running.press("u")
        assert running.options.keep_recent == 0
        await running.press("u")
        assert running.options.keep_recent == 2


async def test_keys_one_after_the_other_are_one_step_until_a_rest_or_another_slider(rest: Rest) -> None:
    async with main_screen(opened(session(), CLEARING)) as running:
        running.slider("keep_recent").focus()
        await running.press("right", "right", "right")
        rest.over()
        await running.press("right")
        running.slider("min_chars").focus()
        await running.press("end")
        running.slider("keep_recent").focus()
        await running.press("left", "left")
        assert (running.options.keep_recent, running.options.min_chars) == (4, running.slider("min_chars").greatest)
        seen = []
        for _ in range(4):
            await running.press("u")
            seen.append((running.options.keep_recent, running.options.min_chars))
        greatest = running.slider("min_chars").greatest
        assert seen == [(6, greatest), (6, 500), (5, 500), (2, 500)]
        for _ in range(4):
            await running.press("ctrl+r")
        assert (running.options.keep_recent, running.options.min_chars) == (4, greatest)
        await running.press("ctrl+r")
        assert running.notices == ["nothing to redo"]


async def test_a_slider_moved_there_and_back_is_nothing_to_undo() -> None:
    async with main_screen(opened(session(), CLEARING)) as running:
        running.slider("keep_recent").focus()
        await running.press("right", "left", "u")
        assert running.notices == ["nothing to undo"]
        assert running.options.keep_recent == 2


async def test_switches_are_steps_of_their_own() -> None:
    async with main_screen("after-compact") as running:
        first = running.options

        def switches() -> list[bool]:
            names = ("all", "budget", "micro", "retain", "across")
            return [running.main.query_one(f"#switch-{name}", Checkbox).value for name in names]

        shown = [switches()]
        await running.press("2", "o")
        shown.append(switches())
        await running.pilot.click("#switch-budget")
        await running.settle()
        shown.append(switches())
        await running.press("B")
        shown.append(switches())
        await running.press("O")
        shown.append(switches())
        assert shown[-1] == [False, False, False, True, True]
        for expected in shown[-2::-1]:
            await running.press("u")
            assert switches() == expected
        assert running.options == first
        assert running.scene.view.start > 0
        for expected in shown[1:]:
            await running.press("ctrl+r")
            assert switches() == expected
        assert running.scene.view.start == 0


async def test_adopted_tools_are_a_step() -> None:
    async with main_screen(opened(session(), CLEARING | {"keep_recent": 0})) as running:
        tools, count = running.options.compactable_tools, cleared(running)
        await running.press("T")
        screen = await screen_of(running.pilot, ToolsScreen)
        table = screen.query_one(DataTable)
        table.move_cursor(row=[row.name for row in screen.rows].index("Bash"))
        await running.press("space", "escape")
        assert running.options.compactable_tools != tools
        assert cleared(running) < count
        await running.press("u")
        assert running.options.compactable_tools == tools
        assert cleared(running) == count
        await running.press("ctrl+r")
        assert running.options.compactable_tools != tools


async def test_a_reset_can_be_undone() -> None:
    async with main_screen(opened(session(), CLEARING)) as running:
        running.slider("keep_recent").focus()
        await running.press("end", "escape", "O", "R")
        assert (running.options.keep_recent, running.options.enabled) == (2, True)
        await running.press("u")
        assert (running.options.keep_recent, running.options.enabled) == (running.slider("keep_recent").greatest, False)


async def test_a_new_change_forgets_what_was_undone() -> None:
    async with main_screen(opened(session(), CLEARING)) as running:
        await running.press("O", "u", "2", "o", "ctrl+r")
        assert running.notices == ["nothing to redo"]
        assert running.options.enabled
        assert running.options.disabled_stages == ("micro",)
        await running.press("u", "u")
        assert running.notices == ["nothing to redo", "nothing to undo"]
        assert running.options == CompactOptions(**CLEARING)


async def test_calls_stages_and_the_cursor_are_no_steps() -> None:
    async with main_screen(opened(session(), CLEARING)) as running:
        await running.press("O", "[", "2", "n", "u")
        assert running.options.enabled
        assert running.scene.stage == "micro"
        call = running.scene.call
        await running.press("u")
        assert running.notices[-1] == "nothing to undo"
        assert running.scene.call == call


async def test_what_is_not_accepted_is_no_step() -> None:
    async with main_screen(opened(session(), CLEARING)) as running:
        running.slider("threshold").focus()
        await running.press(*"80k", "enter", "escape")
        assert "must be a whole number" in running.notices[-1]
        await running.press("u")
        assert running.notices[-1] == "nothing to undo"


async def test_everything_that_shows_the_options_goes_back_too() -> None:
    async with main_screen(opened(session(), CLEARING), size=(80, 24)) as running:
        row = running.main.query_one(OptionsRow)
        before = text_of(row)
        assert "keep 2" in before
        headers = text_of(running.right)
        await running.press("s")
        running.slider("keep_recent").focus()
        await running.press("end", "escape", "O")
        assert "compaction off" in text_of(row)
        assert text_of(running.right) != headers
        await running.press("u", "u")
        assert text_of(row) == before
        assert text_of(running.right) == headers


async def test_u_works_on_a_slider_too() -> None:
    async with main_screen(opened(session(), CLEARING)) as running:
        running.slider("keep_recent").focus()
        await running.press("right", "u")
        assert running.slider("keep_recent").has_focus
        assert running.slider("keep_recent").value == 2
        await running.press("ctrl+r")
        assert running.slider("keep_recent").value == 3
