"""The mouse: dragging is live and never moves the page; clicks pick what they hit; the wheel scrolls both panes."""

from __future__ import annotations

import random
from typing import Any

import pytest
from textual import events

from tests.app.helpers import Running, generated, main_screen, opened
from tui.app.widgets.stage_tabs import StageTabs
from tui.pipeline.options import CompactOptions


def start_rows(running: Running) -> list[int]:
    return [running.rows.start(entry) for entry in range(len(running.page) + 1)]


async def test_dragging_is_live_and_the_page_stands_still() -> None:
    async with main_screen("micro-then-retain") as running:
        rows, y = start_rows(running), running.left.scroll_offset.y
        for name in [knob.name for knob in CompactOptions.knobs()]:
            slider = running.slider(name)
            first, track = slider._columns.track_at, slider._columns.track
            seen = set()
            await running.pilot.mouse_down(slider, offset=(first, 0))
            for step in range(1, 5):
                await running.pilot.hover(slider, offset=(first + step * (track - 1) // 4, 0))
                await running.settle()
                assert getattr(running.options, name) == slider.value
                seen.add(slider.value)
                assert start_rows(running) == rows
                assert running.left.scroll_offset.y == running.right.scroll_offset.y == y
            await running.pilot.mouse_up(slider, offset=(first + track - 1, 0))
            assert len(seen) == 4
            assert slider.value == slider.greatest


async def test_no_options_move_a_row_of_the_page() -> None:
    rng = random.Random(7)
    async with main_screen(opened(generated(80, 1500), {"threshold": 9_000, "max_messages": 20})) as running:
        await running.press("enter", "n", "enter")
        rows, row = start_rows(running), running.screen_row
        outcomes = set()
        for _ in range(15):
            values: dict[str, Any] = {
                "threshold": rng.choice((0, 5_000, 20_000, 90_000, 10**9)),
                "max_tool_result_chars": rng.choice((0, 1, 300, 4_000, 10**9)),
                "keep_recent": rng.randrange(30),
                "min_chars": rng.choice((0, 60, 500, 5_000)),
                "max_messages": rng.randrange(90),
                "enabled": rng.random() < 0.9,
            }
            running.main.set_options(**values)
            running.main.action_stage(rng.randrange(5))
            await running.settle()
            outcomes.add(tuple(running.scene.view.counts.values()))
            assert start_rows(running) == rows
            assert running.screen_row == row
        assert len(outcomes) > 5


async def test_a_click_on_a_tab_shows_its_stage() -> None:
    async with main_screen("micro-then-retain") as running:
        tabs = running.main.query_one(StageTabs)
        for stage in ("original", "micro", "outbound"):
            column = tabs.render_line(0).text.index(stage)
            await running.pilot.click(tabs, offset=(column, 0))
            await running.settle()
            assert running.scene.stage == stage


@pytest.mark.parametrize("side", ["conversation", "outbound"])
async def test_a_click_picks_a_block_and_a_double_click_unfolds_it(side: str) -> None:
    async with main_screen("one-bomb") as running:
        await running.press("<")
        pane = running.left if side == "conversation" else running.right
        entry = 2
        at = (6, 1 + running.rows.start(entry) - pane.scroll_offset.y)  # 1: the border
        await running.pilot.click(pane, offset=at)
        await running.settle()
        assert running.panes.cursor == running.left.cursor == running.right.cursor == entry
        assert not running.rows.is_unfolded(entry)
        await running.pilot.double_click(pane, offset=at)
        await running.settle()
        assert running.rows.is_unfolded(entry)
        assert running.left.virtual_size.height == running.right.virtual_size.height == running.rows.rows


@pytest.mark.parametrize("side", ["conversation", "outbound"])
async def test_the_wheel_scrolls_both_panes(side: str) -> None:
    async with main_screen(generated(60)) as running:
        await running.press("<")
        pane = running.main.query_one(f"#{side}")
        for kind, further in (
            (events.MouseScrollDown, True),
            (events.MouseScrollDown, True),
            (events.MouseScrollUp, 0),
        ):
            before = running.left.scroll_offset.y
            await running.pilot._post_mouse_events([kind], pane, offset=(5, 5), button=0)
            await running.settle()
            assert running.left.scroll_offset.y == running.right.scroll_offset.y
            assert (running.left.scroll_offset.y > before) is bool(further)


async def test_a_click_on_the_folded_gap_opens_it() -> None:
    async with main_screen("micro-then-retain") as running:
        await running.press("z", "<")
        top = running.rows.start(running.page.entry_of(0, 0)) - running.right.scroll_offset.y
        await running.pilot.click(running.right, offset=(6, 1 + top))
        await running.settle()
        assert not running.panes.gap_folded
        assert running.rows.gap is None


async def test_a_click_below_the_last_block_is_harmless() -> None:
    async with main_screen(generated(2), size=(120, 60)) as running:
        cursor = running.panes.cursor
        await running.pilot.click(running.right, offset=(6, running.right.size.height - 3))
        await running.settle()
        assert running.panes.cursor == cursor
