"""Keys held down never queue up behind slow frames: the screen follows the last value."""

from __future__ import annotations

import pytest

from tests.app.helpers import Running, generated, main_screen, opened
from tui.app.scene import Scene
from tui.app.screens.main import MainScreen

PRESSES = 200


@pytest.fixture
def scenes(monkeypatch: pytest.MonkeyPatch) -> list[Scene]:
    """Every scene that a main screen makes."""
    made: list[Scene] = []
    real = MainScreen._new_scene

    def count(self: MainScreen) -> Scene:
        made.append(real(self))
        return made[-1]

    monkeypatch.setattr(MainScreen, "_new_scene", count)
    return made


async def until_quiet(running: Running, scenes: list[Scene]) -> None:
    """Waits until what was posted is handled: twice in a row, nothing new came."""
    before = -1
    while before != len(scenes):
        before = len(scenes)
        await running.settle()


async def test_a_slider_key_held_down(scenes: list[Scene]) -> None:
    async with main_screen(opened(generated(80), {"threshold": 9_000})) as running:
        await running.press("s")
        scenes.clear()
        running.post_keys(["shift+right"] * PRESSES)
        await until_quiet(running, scenes)
        assert running.options.threshold == 9_000 + PRESSES
        assert running.slider("threshold").value == 9_000 + PRESSES
        assert 1 <= len(scenes) < PRESSES
        assert scenes[-1].evaluation.options.line == 9_000 + PRESSES


async def test_n_held_down(scenes: list[Scene]) -> None:
    async with main_screen(opened(generated(300, 3_000), {"threshold": 10**9})) as running:
        await running.press("1", "<")
        view = running.scene.view
        changed = sorted(view.changed_contents("budget"))
        assert len(changed) > 20
        scenes.clear()
        running.post_keys(["n"] * 20)
        await until_quiet(running, scenes)
        assert running.place == changed[19]
        running.post_keys(["n"] * PRESSES)
        await until_quiet(running, scenes)
        assert running.place == changed[-1]
        assert len({id(scene.evaluation) for scene in scenes}) <= 1  # nothing is evaluated anew


async def test_a_change_and_n_right_after_it_go_by_the_new_picture(scenes: list[Scene]) -> None:
    async with main_screen(opened(generated(80, 1500), {"threshold": 10**9})) as running:
        await running.press("<")
        running.post_keys(["O", "O", "1", "n"])
        await until_quiet(running, scenes)
        assert running.place == min(running.scene.view.changed_contents("budget"))


async def test_calls_stepped_through_quickly(scenes: list[Scene]) -> None:
    async with main_screen(generated(700)) as running:
        last = running.scene.call
        assert last > PRESSES
        scenes.clear()
        running.post_keys(["["] * PRESSES)
        await until_quiet(running, scenes)
        assert running.scene.call == last - PRESSES
        assert len(scenes) < PRESSES
