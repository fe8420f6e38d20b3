"""Any terminal size works, and resizing keeps the block under the eye."""

from __future__ import annotations

import pytest

from tests.app.helpers import generated, main_screen, opened, screen_text
from tui.app.widgets.gauge import Gauge

SIZES = ((80, 24), (120, 40), (40, 15), (200, 60), (80, 24), (120, 40))


async def test_the_cursors_block_stays_in_sight() -> None:
    async with main_screen(opened(generated(60), {"threshold": 9_000}), size=SIZES[-1]) as running:
        for start in ("n", ">"):
            await running.press(start, "up")
            cursor = running.panes.cursor
            for size in SIZES:
                await running.pilot.resize_terminal(*size)
                await running.settle()
                assert running.panes.cursor == cursor
                height = running.left.scrollable_content_region.height
                assert 0 <= running.screen_row < height, (start, size)
                assert running.left.scroll_offset.y == running.right.scroll_offset.y
                assert running.rows.width == min(running.left.content_width, running.right.content_width)


async def test_an_unfolded_block_stays_unfolded_and_in_sight() -> None:
    async with main_screen("one-bomb") as running:
        await running.press("enter")
        entry = running.panes.cursor
        for size in SIZES:
            await running.pilot.resize_terminal(*size)
            await running.settle()
            assert running.rows.is_unfolded(entry)
            assert 0 <= running.screen_row < running.left.scrollable_content_region.height


async def test_no_size_is_too_small() -> None:
    async with main_screen("micro-then-retain") as running:
        for size in ((20, 6), (1, 1), (7, 3), (300, 2), (3, 80)):
            await running.pilot.resize_terminal(*size)
            await running.press(
                "n", "1", "enter", "s", "right", "s", "z", "4", "p", "enter", "i", "escape", "?", "escape"
            )
        await running.pilot.resize_terminal(120, 40)
        await running.settle()
        assert running.on_top
        assert "outbound" in screen_text(running.app)


@pytest.mark.parametrize("name", ["micro-then-retain", "after-compact"])
async def test_ten_rows_of_panes_at_80x24_also_beside_the_sliders(name: str) -> None:
    async with main_screen(name, size=(80, 24)) as running:
        assert running.left.scrollable_content_region.height >= 10
        assert running.left.scrollable_content_region.width >= 36
        await running.press("s")
        sliders = running.main.query_one("#controls").region
        assert sliders.y - running.panes.region.y >= 10
        for knob in [knob.name for knob in running.options.knobs()]:
            slider = running.slider(knob)
            assert slider.region.height == 1
            assert running.main.region.contains_region(slider.region)
            assert f"{slider.value:,}" in slider.render_line(0).text


async def test_a_short_screen_has_one_gauge_a_tall_one_three() -> None:
    async with main_screen("micro-then-retain", size=(80, 24)) as running:
        shown = [gauge.id for gauge in running.main.query(Gauge) if gauge.display]
        assert shown == ["gauge-current"]
        await running.pilot.resize_terminal(120, 40)
        await running.settle()
        shown = [gauge.id for gauge in running.main.query(Gauge) if gauge.display]
        assert shown == ["gauge-budget", "gauge-micro", "gauge-retain"]


async def test_as_many_widgets_for_20_000_messages_as_for_100() -> None:
    counts = []
    for count in (100, 20_000):
        async with main_screen(generated(count, 100)) as running:
            await running.press("n", "enter", "pagedown")
            counts.append(len([*running.main.walk_children(with_self=True)]))
    assert counts[0] == counts[1]
