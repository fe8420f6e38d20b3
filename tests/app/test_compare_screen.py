"""The comparison, driven by keys."""

from __future__ import annotations

from tests.app.helpers import Running, main_screen, screen_of, screen_text
from tui.app.screens.compare import CompareScreen
from tui.app.screens.main import MainScreen
from tui.app.widgets.compare_panes import ComparePanes


async def compared(running: Running) -> CompareScreen:
    """Raises the threshold to the end of its track, and compares with the settings at the start."""
    running.main.set_options(None, threshold=10**6)
    await running.settle()
    await running.press("c", "enter")
    return await screen_of(running.pilot, CompareScreen)


async def test_both_views_stand_side_by_side() -> None:
    async with main_screen("micro-is-enough") as running:
        screen = await compared(running)
        left, right = screen.scenes
        assert left.differing == right.differing
        assert len(left.differing) == 8
        text = screen_text(running.app)
        assert "8 blocks are sent differently" in text
        assert "A (react-agent-mini v4) changes nothing at this call" in text
        assert f"{left.estimate:,} chars as sent" in text
        assert f"{right.estimate:,} chars as sent" in text


async def test_keys_walk_the_differences_and_the_calls() -> None:
    async with main_screen("micro-is-enough") as running:
        screen = await compared(running)
        panes = screen.query_one(ComparePanes)
        index = screen.scenes[0].evaluation.index
        await running.press("<")
        walked = []
        for _ in range(8):
            await running.press("n")
            assert panes.place is not None
            walked.append(index.block_number(*panes.place))
        assert walked == sorted(screen.scenes[0].differing)
        await running.press("n")
        await running.press("p")
        assert panes.place is not None
        assert index.block_number(*panes.place) == walked[-2]
        call = screen.scenes[0].call
        await running.press("[")
        assert screen.scenes[0].call == call - 1
        await running.press("{", "{")
        assert screen.scenes[0].call == call - 3


async def test_the_sides_swap() -> None:
    async with main_screen("micro-is-enough") as running:
        screen = await compared(running)
        left, right = screen.scenes
        await running.press("s")
        assert [scene.estimate for scene in screen.scenes] == [right.estimate, left.estimate]
        assert "B (react-agent-mini v4) changes nothing at this call" in screen_text(running.app)


async def test_escape_goes_back_to_the_session_at_the_same_call() -> None:
    async with main_screen("micro-is-enough") as running:
        screen = await compared(running)
        await running.press("[", "[")
        call = screen.scenes[0].call
        await running.press("escape")
        await screen_of(running.pilot, MainScreen)
        await running.settle()
        assert running.scene.call == call
