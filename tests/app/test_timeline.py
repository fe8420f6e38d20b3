"""The timeline: nothing is hidden, its numbers are those of `outbound timeline`, and it leads to any call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual import events as textual_events
from textual.strip import Strip

from tests.app.helpers import Running, generated, main_screen
from tests.app.waiting import drawn_timeline
from tui import session_from_messages
from tui.app.widgets.timeline import TimelineBar, fold
from tui.export.timeline import timeline_rows
from tui.pipeline.evaluation import Timeline
from tui.pipeline.prompt_cache import reused_shares

GUTTER = 12
"""Cells of the labels, before the first column."""

STAGES = ("budget", "micro", "retain")


@st.composite
def timelines(draw: st.DrawFn) -> Timeline:
    calls = draw(st.integers(1, 40))
    numbers = st.lists(st.integers(0, 3), min_size=calls, max_size=calls)

    def ints() -> np.ndarray[Any, np.dtype[np.int64]]:
        return np.array(draw(numbers), np.int64)

    estimate = {name: ints() for name in ("original", *STAGES)}
    return Timeline(ints(), estimate, {stage: ints() for stage in STAGES})


@settings(max_examples=100, deadline=None)
@given(timelines(), st.integers(1, 60))
def test_folding_hides_no_firing_and_no_extreme(timeline: Timeline, width: int) -> None:
    columns = fold(timeline, width)
    calls = len(timeline.messages)
    assert len(columns) == width
    shown_by: list[list[int]] = [[] for _ in range(width)]
    for call in range(1, calls + 1):
        found = columns.columns_of(call)
        assert 0 <= found.start < found.stop <= width
        for column in found:
            shown_by[column].append(call)
    for column, shown in enumerate(shown_by):
        assert shown == list(range(shown[0], shown[-1] + 1))
        at = np.array(shown) - 1
        assert columns.original[column] == timeline.estimate["original"][at].max()
        assert columns.outbound[column] == timeline.estimate["retain"][at].max()
        acted = {stage: bool(timeline.count[stage][at].any()) for stage in STAGES}
        assert {stage: flags[column] for stage, flags in columns.acted} == acted
    # In order, and evenly: as many columns a call, or calls a column, give or take one.
    assert [shown[0] for shown in shown_by] == sorted(shown[0] for shown in shown_by)
    sizes = (
        {len(shown) for shown in shown_by} if calls >= width else {len(columns.columns_of(c + 1)) for c in range(calls)}
    )
    assert max(sizes) - min(sizes) <= 1


def bar_of(running: Running) -> TimelineBar:
    return running.main.query_one(TimelineBar)


def strips(bar: TimelineBar) -> list[Strip]:
    """The rows of the timeline, without its padding."""
    return [bar.render_line(y) for y in range(bar.size.height)]


def text_of(bar: TimelineBar) -> str:
    return "\n".join(strip.text for strip in strips(bar))


def dots_of(running: Running) -> str:
    """The row of dots: the one that says which call is shown."""
    rows = text_of(bar_of(running)).split("\n")
    return next(row for row in rows if row.lstrip().startswith("call "))[GUTTER:]


async def test_the_numbers_are_those_of_the_timeline_command() -> None:
    async with main_screen("micro-then-retain") as running:
        for key in ("", "O", "O", "B", "R"):
            await running.press(*key)
            columns = await drawn_timeline(running)
            for row in timeline_rows(running.scene.evaluation):
                for column in columns.columns_of(row["call"]):
                    assert columns.original[column] == row["original"]
                    assert columns.outbound[column] == row["retain"]
                    acted = {stage: flags[column] for stage, flags in columns.acted}
                    counts = (row["truncated"], row["cleared"], row["dropped"])
                    assert list(acted.values()) == [count > 0 for count in counts]
            assert text_of(bar_of(running)).split()[0] == f"{max(columns.original + columns.outbound):,}"


async def test_a_dot_stands_for_each_stage_that_acted() -> None:
    async with main_screen("micro-then-retain") as running:
        columns = await drawn_timeline(running)
        timeline = running.scene.evaluation.timeline
        dots = dots_of(running)
        for call in running.scene.evaluation.calls:
            bits = sum(1 << n for n, stage in enumerate(STAGES) if timeline.count[stage][call - 1])
            for column in columns.columns_of(call):
                assert dots[column] == (chr(0x2800 + bits) if bits else " ")


async def test_moving_a_slider_redraws_the_timeline() -> None:
    async with main_screen("micro-then-retain") as running:
        await drawn_timeline(running)
        before = dots_of(running)
        await running.press("s", "end")
        columns = await drawn_timeline(running)
        assert not any(columns.acted[1][1])
        assert dots_of(running) != before
        assert bar_of(running).threshold == running.options.threshold
        await running.press("home")
        columns = await drawn_timeline(running)
        assert columns.acted[1][1][columns.columns_of(6).start]


async def click(running: Running, column: int) -> None:
    await running.pilot.click(bar_of(running), offset=(1 + GUTTER + column, 1))
    await running.settle()


async def test_a_click_goes_to_the_call_of_its_column() -> None:
    async with main_screen("micro-then-retain") as running:
        columns = await drawn_timeline(running)
        last = running.scene.evaluation.calls[-1]
        for call in (7, last):
            for column in (columns.columns_of(call).start, columns.columns_of(call).stop - 1):
                await click(running, column)
                assert running.scene.call == call
        await running.pilot.click(bar_of(running), offset=(3, 1))  # the labels belong to the first call
        await running.settle()
        assert running.scene.call == 1


async def test_a_click_on_a_column_of_several_calls_goes_to_one_of_them_and_the_last_to_the_next_call() -> None:
    async with main_screen(generated(900)) as running:
        columns = await drawn_timeline(running)
        last = running.scene.evaluation.calls[-1]
        assert last > 2 * len(columns)
        for column in (1, len(columns) - 2):
            await click(running, column)
            assert column in columns.columns_of(running.scene.call)
        await click(running, len(columns) - 1)
        assert running.scene.call == last


async def test_dragging_follows_the_pointer_also_beyond_the_ends_until_it_is_let_go() -> None:
    async with main_screen("micro-then-retain") as running:
        columns = await drawn_timeline(running)
        bar, last = bar_of(running), running.scene.evaluation.calls[-1]
        await running.pilot.mouse_down(bar, offset=(1 + GUTTER + columns.columns_of(3).start, 1))
        await running.settle()
        assert running.scene.call == 3
        for call in (9, 4):
            await running.pilot.hover(bar, offset=(1 + GUTTER + columns.columns_of(call).start, 1))
            await running.settle()
            assert running.scene.call == call
        await running.pilot.hover(bar, offset=(0, 1))
        await running.settle()
        assert running.scene.call == 1
        await running.pilot.hover(bar, offset=(bar.outer_size.width - 1, 1))
        await running.settle()
        assert running.scene.call == last
        await running.pilot.mouse_up(bar, offset=(bar.outer_size.width - 1, 1))
        await running.pilot.hover(bar, offset=(1 + GUTTER, 1))
        await running.settle()
        assert running.scene.call == last


async def test_the_wheel_steps() -> None:
    async with main_screen("micro-then-retain") as running:
        await drawn_timeline(running)
        start = running.scene.call
        for kind, by in ((textual_events.MouseScrollDown, 1), (textual_events.MouseScrollUp, 0)):
            await running.pilot._post_mouse_events([kind], bar_of(running), offset=(20, 1), button=0)
            await running.settle()
            assert running.scene.call == start + by


async def test_keys_on_the_timeline() -> None:
    async with main_screen(generated(120)) as running:
        await drawn_timeline(running)
        bar_of(running).focus()
        last = running.scene.evaluation.calls[-1]
        tenth = last // 10
        assert tenth > 1
        for key, call in (
            ("home", 1),
            ("left", 1),
            ("right", 2),
            ("l", 3),
            ("h", 2),
            ("pagedown", 2 + tenth),
            ("pageup", 2),
            ("pageup", 1),
            ("end", last),
            ("pagedown", last),
            ("]", last),
            ("[", last - 1),
        ):
            await running.press(key)
            assert running.scene.call == call, key


async def test_keys_held_down_on_the_timeline_step_as_often_as_pressed() -> None:
    async with main_screen(generated(300)) as running:
        await drawn_timeline(running)
        bar_of(running).focus()
        await running.press("home")
        running.post_keys(["right"] * 20)
        for _ in range(5):
            await running.settle()
        assert running.scene.call == 21


async def test_the_cursor_marks_all_columns_of_the_call() -> None:
    async with main_screen("micro-then-retain") as running:
        columns = await drawn_timeline(running)
        for call in (1, 8, running.scene.evaluation.calls[-1]):
            running.main.go_to_call(call)
            await running.settle()
            marked = bar_of(running).get_component_rich_style("timeline--cursor").bgcolor
            row = strips(bar_of(running))[-1].crop(GUTTER)
            backgrounds = [segment.style and segment.style.bgcolor for segment in row for _ in segment.text]
            assert [n for n, colour in enumerate(backgrounds) if colour == marked] == list(columns.columns_of(call))
            assert f"call {call}" in text_of(bar_of(running))


async def test_a_line_stands_at_the_threshold_where_bars_are_lower() -> None:
    # The first call's size is 716 of 26,926: its bar is in the lowest row, where it hides the line.
    async with main_screen("micro-then-retain") as running:
        for threshold, rows in ((100, []), (9_000, [1]), (18_000, [0]), (26_925, [0]), (27_000, [])):
            running.main.set_options(threshold=threshold)
            await drawn_timeline(running)
            column = [strip.text[GUTTER] for strip in strips(bar_of(running))]
            assert [row for row, cell in enumerate(column) if cell == "─"] == rows, threshold


async def test_what_is_over_the_threshold_has_the_colour_of_too_much() -> None:
    async with main_screen("micro-then-retain") as running:
        running.main.set_options(enabled=False, threshold=10_000)
        columns = await drawn_timeline(running)
        bar = bar_of(running)
        over = bar.get_component_rich_style("timeline--over").color
        for call in running.scene.evaluation.calls:
            column = columns.columns_of(call).start
            cells = [list(strip.crop(GUTTER + column, GUTTER + column + 1)) for strip in strips(bar)[:3]]
            red = any(cell[0].style and cell[0].style.color == over for cell in cells)
            assert red == (columns.outbound[column] > 10_000), call


async def test_ascii_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTBOUND_ASCII", "1")
    async with main_screen("micro-then-retain") as running:
        columns = await drawn_timeline(running)
        assert text_of(bar_of(running)).isascii()
        timeline = running.scene.evaluation.timeline
        for call in running.scene.evaluation.calls:
            bits = sum(1 << n for n, stage in enumerate(STAGES) if timeline.count[stage][call - 1])
            assert dots_of(running)[columns.columns_of(call).start] == (str(bits) if bits else " ")


async def test_without_colour_the_cursor_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with main_screen("micro-then-retain") as running:
        columns = await drawn_timeline(running)
        row = strips(bar_of(running))[-1].crop(GUTTER)
        reversed_ = [bool(segment.style and segment.style.reverse) for segment in row for _ in segment.text]
        cursor = columns.columns_of(running.scene.call)
        assert [n for n, yes in enumerate(reversed_) if yes] == list(cursor)


async def test_an_empty_session_has_one_call_and_no_bar() -> None:
    async with main_screen(session_from_messages([])) as running:
        columns = await drawn_timeline(running)
        assert set(columns.original) == {0}
        assert not dots_of(running).strip()
        await click(running, 40)
        bar_of(running).focus()
        await running.press("right", "left", "pagedown", "home", "end")
        assert running.scene.call == 1


async def test_the_narrowest_terminals() -> None:
    async with main_screen(generated(60), size=(1, 24)) as running:
        bar = bar_of(running)
        for width in (1, 12, 14, 15, 16, 100):
            await running.pilot.resize_terminal(width, 24)
            columns = await drawn_timeline(running)
            assert len(columns) == max(1, width - 2 - GUTTER)
            assert all(strip.cell_length == bar.size.width for strip in strips(bar))
            running.main.action_step(-1)
            await running.settle()
        assert running.scene.call == running.scene.evaluation.calls[-1] - 6


async def test_the_cache_row_is_low_where_the_prefix_is_rewritten_and_rings_where_it_is_cold() -> None:
    async with main_screen("micro-is-enough") as running:
        columns = await drawn_timeline(running)
        row = strips(bar_of(running))[-1].text
        assert row.split()[0] == "cache"
        shares = reused_shares(running.scene.evaluation)
        assert shares.min() < 0.5
        for call in range(2, len(shares) + 1):
            column = columns.columns_of(call).start
            assert columns.reused[column] == int(shares[call - 1] * 8)
            assert row[GUTTER + column] == " ▁▂▃▄▅▆▇█"[max(int(shares[call - 1] * 8), 1)]
        assert row[GUTTER] == "○"
