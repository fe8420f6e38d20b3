"""The trace pane: exact lines, copied exactly, each leading to its call and stage."""

from __future__ import annotations

from tests.app.helpers import generated
from tests.app.modal import modal, sample_scene, scene_of
from tui import session_from_messages
from tui.app.scene import Scene
from tui.app.screens.trace import TraceLines, TraceScreen


def all_lines(scene: Scene) -> list[str]:
    return [line for call in range(1, scene.call + 1) for line in scene.evaluation.at(call).trace]


async def test_the_lines_of_the_call_are_shown_and_the_one_under_the_cursor_in_full() -> None:
    scene = sample_scene("micro-then-retain")
    async with modal(TraceScreen(scene), size=(80, 24)) as shown:
        lines = scene.view.trace
        assert len(lines) == 3
        assert lines[0] in shown.text
        await shown.press("down", "down")
        assert f"3 retain: {scene.view.verdict('retain')}" in shown.text
        joined = " ".join(line.strip("│ ") for line in shown.text.splitlines())
        assert lines[2] in joined  # over two rows


async def test_enter_returns_the_call_and_stage_that_the_line_speaks_of() -> None:
    scene = sample_scene("micro-then-retain")
    for keys, stage in (([], "micro"), (["down"], "micro"), (["down", "j"], "retain"), (["end", "k"], "micro")):
        async with modal(TraceScreen(scene)) as shown:
            await shown.press(*keys, "enter")
            assert shown.result == (scene.call, stage)


async def test_a_shows_all_calls_up_to_this_one_and_goes_back() -> None:
    scene = sample_scene("micro-then-retain")
    async with modal(TraceScreen(scene)) as shown:
        await shown.press("a")
        expected = all_lines(scene)
        assert f"{len(expected):,} lines" in shown.text
        await shown.press("home", "enter")
        first = next(call for call in scene.evaluation.calls if scene.evaluation.at(call).trace)
        assert first < scene.call
        assert shown.result == (first, "micro")
    async with modal(TraceScreen(scene)) as shown:
        await shown.press("a", "a")
        assert f"trace of call {scene.call}" in shown.text
        assert "3 lines" in shown.text


async def test_a_click_chooses_a_line() -> None:
    scene = sample_scene("micro-then-retain")
    async with modal(TraceScreen(scene)) as shown:
        await shown.pilot.click(TraceLines, offset=(12, 2))
        await shown.pilot.pause()
        assert shown.result == (scene.call, "retain")


async def test_y_copies_the_call_and_capital_y_all_that_is_shown() -> None:
    scene = sample_scene("micro-then-retain")
    async with modal(TraceScreen(scene)) as shown:
        exact = "".join(f"{line}\n" for line in scene.view.trace)
        await shown.press("y")
        assert shown.app.clipboard == exact
        await shown.press("a", "Y")
        assert shown.app.clipboard == "".join(f"{line}\n" for line in all_lines(scene))
        await shown.press("y")  # the cursor is on the newest call's last line
        assert shown.app.clipboard == exact


async def test_of_very_many_lines_the_newest_are_copied() -> None:
    scene = scene_of(generated(7_000, 400), threshold=0, min_chars=0)
    async with modal(TraceScreen(scene)) as shown:
        await shown.press("a", "Y")
        expected = all_lines(scene)
        assert len(expected) > 10_000
        assert shown.app.clipboard == "".join(f"{line}\n" for line in expected[-10_000:])
        assert f"copied 10,000 lines, the newest of {len(expected):,}" in shown.notices


async def test_the_cursor_stays_in_sight_whatever_the_key() -> None:
    scene = scene_of(generated(2_000, 200), threshold=0)
    async with modal(TraceScreen(scene), size=(80, 24)) as shown:
        await shown.press("a")
        lines = shown.screen.query_one(TraceLines)
        total = len(all_lines(scene))
        assert lines.cursor == total - 1
        for key in ("pageup", "pageup", "up", "home", "pagedown", "end", "down"):
            await shown.press(key)
            top = lines.scroll_offset.y
            assert top <= lines.cursor < top + lines.size.height
        assert lines.cursor == total - 1
        await shown.pilot.resize_terminal(80, 16)
        await shown.press("x")
        assert shown.result is None


async def test_where_nothing_was_compacted_it_says_that_the_original_prints_nothing() -> None:
    for scene in (sample_scene("micro-then-retain", enabled=False), scene_of(session_from_messages([]))):
        async with modal(TraceScreen(scene)) as shown:
            assert "nothing was compacted at this call: the original prints nothing" in shown.text
            await shown.press("enter", "y", "Y", "a")
            assert "nothing was compacted up to this call: the original prints nothing" in shown.text
            await shown.press("escape")
            assert shown.result is None


async def test_a_call_without_lines_among_others_leads_to_those() -> None:
    scene = sample_scene("micro-then-retain")
    early = Scene(scene.evaluation, 1, "outbound")
    async with modal(TraceScreen(early)) as shown:
        assert "prints nothing" in shown.text
    later = next(c for c in scene.evaluation.calls if scene.evaluation.at(c).trace)
    async with modal(TraceScreen(Scene(scene.evaluation, later, "outbound"))) as shown:
        await shown.press("a", "enter")
        assert shown.result is not None and shown.result[0] == later
