"""The threshold finder's table: what it shows, and what a chosen value leads to."""

from __future__ import annotations

import pytest
from textual.widgets import DataTable

from tests.app.modal import modal, sample_scene, scene_of
from tui import session_from_messages
from tui.app.screens.finder import FinderScreen
from tui.pipeline.finder import OPTIONS, found_at, found_everywhere

SAMPLE = "micro-then-retain"


async def test_every_option_stands_with_its_value_now_this_calls_and_the_sessions() -> None:
    scene = sample_scene(SAMPLE)
    async with modal(FinderScreen(scene)) as shown:
        table = shown.screen.query_one(DataTable)
        assert table.row_count == len(OPTIONS)
        for number, (here, everywhere) in enumerate(
            zip(found_at(scene.view), found_everywhere(scene.evaluation), strict=True)
        ):
            now = getattr(scene.evaluation.options, here.option)
            cells = [str(cell) for cell in table.get_row_at(number)]
            assert here.place is not None and everywhere.place is not None
            assert cells[1].startswith(here.stage)
            assert cells[2:] == [f"{now:,}", f"{here.place.value:,}", f"{everywhere.place.value:,}"]


@pytest.mark.parametrize("row", range(len(OPTIONS)))
async def test_enter_returns_the_value_of_this_call_and_right_of_it_the_sessions(row: int) -> None:
    scene = sample_scene(SAMPLE)
    here, everywhere = found_at(scene.view)[row], found_everywhere(scene.evaluation)[row]
    assert here.place is not None and everywhere.place is not None
    async with modal(FinderScreen(scene)) as shown:
        await shown.press(*["j"] * row, "enter")
        assert shown.result == (here.option, here.place.value)
    async with modal(FinderScreen(scene)) as shown:
        await shown.press(*["down"] * row, "right", "enter")
        assert shown.result == (here.option, everywhere.place.value)
    async with modal(FinderScreen(scene)) as shown:
        await shown.press(*["j"] * row, "h", "h", "h", "enter")
        assert shown.result == (here.option, here.place.value)


async def test_a_click_on_a_value_returns_it() -> None:
    scene = sample_scene(SAMPLE)
    async with modal(FinderScreen(scene)) as shown:
        heading = next(line for line in shown.text.splitlines() if "whole session" in line)
        table = shown.screen.query_one(DataTable)
        await shown.pilot.click(offset=(heading.index("session"), table.region.y + 3))
        await shown.pilot.pause()
        everywhere = found_everywhere(scene.evaluation)[2]
        assert everywhere.place is not None
        assert shown.result == ("keep_recent", everywhere.place.value)


async def test_the_value_under_the_cursor_is_explained() -> None:
    scene = sample_scene(SAMPLE)
    here, everywhere = found_at(scene.view)[0].place, found_everywhere(scene.evaluation)[0].place
    assert here is not None and everywhere is not None
    async with modal(FinderScreen(scene)) as shown:
        assert f"threshold {here.value:,}: micro clears nothing at call {scene.call}" in shown.text
        await shown.press("right")
        words = " ".join(line.strip("│ ") for line in shown.text.splitlines())  # it may take two rows
        assert f"At {everywhere.value - 1:,} it acts, at call {everywhere.call} first." in words


async def test_where_there_is_no_value_enter_says_why_and_stays() -> None:
    async with modal(FinderScreen(scene_of(session_from_messages([])))) as shown:
        assert shown.text.count("idle at any") == 2 * len(OPTIONS)
        await shown.press("enter")
        assert not shown.closed
        assert shown.notices == ["micro clears nothing at call 1, whatever threshold is"]
        await shown.press("F")
        assert shown.result is None
    async with modal(FinderScreen(sample_scene(SAMPLE, disabled_stages=("micro",)))) as shown:
        await shown.press("enter")
        assert shown.notices == ["micro is switched off"]


async def test_at_80_columns_all_columns_are_on_the_screen() -> None:
    scene = sample_scene(SAMPLE)
    async with modal(FinderScreen(scene), size=(80, 24)) as shown:
        assert "whole session" in shown.text
        assert "micro idle" in shown.text
