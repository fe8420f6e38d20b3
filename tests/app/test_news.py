"""What is new at a call: the calls that braces lead to, the marked blocks, the line that sums it up."""

from __future__ import annotations

import pytest

from tests.app.helpers import header_line, main_screen
from tui.app.layout import Kind
from tui.pipeline.events import events
from tui.pipeline.outcomes import Outcome


@pytest.mark.parametrize("name", ["micro-then-retain", "after-compact"])
async def test_braces_walk_exactly_the_events(name: str) -> None:
    async with main_screen(name) as running:
        expected = events(running.scene.evaluation.timeline).tolist()
        running.main.go_to_call(1)
        await running.settle()
        seen = [1] if 1 in expected else []
        for _ in range(len(expected) - len(seen)):
            await running.press("}")
            seen.append(running.scene.call)
        assert seen == expected
        here = running.scene.call
        await running.press("}")
        assert (running.scene.call, running.notices[-1]) == (here, "nothing new after this call")
        running.main.go_to_call(running.scene.evaluation.calls[-1])
        await running.settle()
        back = [running.scene.call] if running.scene.call in expected else []
        for _ in range(len(expected) - len(back)):
            await running.press("{")
            back.append(running.scene.call)
        assert back == expected[::-1]
        await running.press("{")
        assert running.notices[-1] == "nothing new before this call"


async def test_braces_go_by_options_that_are_not_drawn_yet() -> None:
    async with main_screen("micro-then-retain") as running:
        running.main.go_to_call(1)
        await running.settle()
        running.post_keys(["O", "}"])
        await running.settle()
        assert running.scene.call == 1
        assert "nothing new after this call" in running.notices


@pytest.mark.parametrize("name", ["micro-then-retain", "after-compact"])
async def test_the_mark_of_news_is_on_exactly_the_blocks_that_fare_differently(name: str) -> None:
    async with main_screen(name) as running:
        evaluation = running.scene.evaluation
        before: dict[tuple[int, int], Outcome] = {}
        marked = 0
        for call in evaluation.calls:
            running.main.go_to_call(call)
            await running.settle()
            now = {(fate.message, fate.block): fate.outcome for fate in evaluation.at(call).outcomes}
            for entry in range(len(running.page)):
                kind, message, block = running.page.entry(entry)
                news = header_line(running.right, running.rows, entry).startswith("»")
                place = (message, block)
                seen = kind is Kind.BLOCK and place in now
                assert news == (seen and now[place] is not before.get(place, Outcome.KEPT)), (call, place)
                assert not header_line(running.left, running.rows, entry).startswith("»")
                marked += news
            before = now
        assert marked > 0


async def test_the_subtitle_sums_up_what_changed() -> None:
    async with main_screen("micro-then-retain") as running:
        for call, words in (
            (5, "1 result cleared; 9,261 of 10,000"),
            (6, "2 more results cleared; 6,422 of 10,000"),
            (9, "6 messages dropped; 11,268 of 10,000"),
            (1, "+716 chars; 716 of 10,000"),
        ):
            running.main.go_to_call(call)
            await running.settle()
            assert str(running.right.border_subtitle) == f"call {call}: {words}"
    async with main_screen("micro-then-retain", size=(80, 24)) as running:
        assert len(str(running.right.border_subtitle)) <= 38 or not str(running.right.border_subtitle).startswith(
            "call"
        )
