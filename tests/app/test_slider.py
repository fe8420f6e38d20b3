"""The slider: real keys, real mouse events at exact cells, and what is drawn."""

from __future__ import annotations

import unicodedata
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal

import pytest
from rich._emoji_codes import EMOJI
from rich.cells import cell_len
from textual import events
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import Button

from tui.app.widgets.slider import ASCII, UNICODE, Mark, Slider

MICRO = Mark(96_210, "micro starts below 96,210")


class SliderApp(App[None]):
    """One slider, something else to focus, and a list of all that was posted."""

    CSS = "Button { dock: bottom; }"

    def __init__(self, slider: Slider) -> None:
        super().__init__()
        self.slider = slider
        self.posted: list[tuple[str, Any]] = []
        self.keys: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.slider
        yield Button("other")

    def on_slider_changed(self, message: Slider.Changed) -> None:
        assert message.control is self.slider
        self.posted.append(("changed", message.value))

    def on_slider_committed(self, message: Slider.Committed) -> None:
        assert message.control is self.slider
        self.posted.append(("committed", message.value))

    def on_slider_rejected(self, message: Slider.Rejected) -> None:
        assert message.control is self.slider
        self.posted.append(("rejected", (message.text, message.reason)))

    def on_key(self, event: events.Key) -> None:
        self.keys.append(event.key)

    def of(self, kind: str) -> list[Any]:
        return [what for name, what in self.posted if name == kind]


def threshold(value: int = 80_000, **options: Any) -> Slider:
    settings: dict[str, Any] = {"greatest": 200_000, "default": 80_000, "step": 1_000, "marks": (MICRO,)}
    return Slider("threshold", value, **(settings | options))


@asynccontextmanager
async def running(slider: Slider, width: int = 100) -> AsyncIterator[tuple[SliderApp, Pilot[None]]]:
    app = SliderApp(slider)
    async with app.run_test(size=(width, 6)) as pilot:
        slider.focus()
        await pilot.pause()
        yield app, pilot


def row(slider: Slider) -> str:
    return slider.render_line(0).text


def track_of(slider: Slider) -> tuple[int, int]:
    """The first column of the track and its cells, read from what is drawn."""
    text, glyphs = row(slider), slider.glyphs
    shown = [column for column, character in enumerate(text) if character in {*glyphs[1:8]}]
    first = shown[0]  # signs occur in the hint too; the track is the first run
    length = 1
    while first + length in shown:
        length += 1
    return first, length


# Keys


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        (["right"], 81_000),
        (["l"], 81_000),
        (["+"], 81_000),
        (["left"], 79_000),
        (["h"], 79_000),
        (["-"], 79_000),
        (["shift+right"], 80_001),
        (["shift+left"], 79_999),
        (["pageup"], 100_000),
        (["pagedown"], 60_000),
        (["home"], 0),
        (["end"], 200_000),
        (["m"], 96_210),
        (["M"], 96_210),
        (["right"] * 50, 130_000),
        (["right"] * 50 + ["left"] * 20, 110_000),
        (["end", "right"], 200_000),
        (["home", "left"], 0),
        (["home", "right", "right", "shift+left"], 1_999),
        (["end", "left", "pageup"], 200_000),
    ],
)
async def test_a_key_moves_the_value(keys: list[str], value: int) -> None:
    async with running(threshold(page=20_000)) as (app, pilot):
        await pilot.press(*keys)
        assert app.slider.value == value
        assert app.of("changed")[-1] == app.of("committed")[-1] == value


@pytest.mark.parametrize("key", ["backspace", "delete", "d"])
async def test_back_to_the_default(key: str) -> None:
    async with running(threshold(12_345)) as (app, pilot):
        await pilot.press(key)
        assert app.posted == [("changed", 80_000), ("committed", 80_000)]


async def test_without_a_default_the_initial_value_is_it() -> None:
    async with running(Slider("keepRecent", 4, greatest=24)) as (app, pilot):
        await pilot.press("end", "d")
        assert app.slider.value == 4


@pytest.mark.parametrize("key", ["up", "down", "left_square_bracket", "right_square_bracket", "escape", "enter", "n"])
async def test_other_keys_are_left_to_the_screen(key: str) -> None:
    async with running(threshold()) as (app, pilot):
        await pilot.press(key)
        assert app.keys == [key]
        assert not app.posted
        assert app.slider.value == 80_000


async def test_a_key_that_changes_nothing_posts_nothing() -> None:
    async with running(threshold()) as (app, pilot):
        await pilot.press("d", "end", "end", "right")
        assert app.of("changed") == app.of("committed") == [200_000]


async def test_marks_in_order_and_round_the_end() -> None:
    marks = (Mark(300), Mark(20), Mark(60))
    async with running(Slider("minChars", 50, greatest=100, marks=marks)) as (app, pilot):
        await pilot.press("m", "m", "m", "m", "M", "M")
        assert app.of("changed") == [60, 300, 20, 60, 20, 300]


async def test_without_marks_there_is_nowhere_to_jump() -> None:
    async with running(threshold(marks=())) as (app, pilot):
        await pilot.press("m", "M")
        assert not app.of("changed")


async def test_from_beyond_the_track_a_key_leads_back_but_not_further() -> None:
    async with running(threshold(500_000)) as (app, pilot):
        await pilot.press("right", "pageup", "shift+right")
        assert not app.posted
        await pilot.press("left", "end")
        assert app.of("changed") == [499_000, 200_000]


async def test_a_slider_without_focus_gets_no_keys() -> None:
    async with running(threshold()) as (app, pilot):
        app.query_one(Button).focus()
        await pilot.press("right", "5")
        assert app.slider.value == 80_000


# Values from the program


async def test_setting_the_value_posts_nothing() -> None:
    async with running(threshold()) as (app, pilot):
        app.slider.value = 1_234
        await pilot.pause()
        assert not app.posted
        assert "1,234" in row(app.slider)


def test_the_value_stays_between_least_and_limit() -> None:
    slider = Slider("maxMessages", 0, least=1, greatest=900, limit=500)
    assert (slider.value, slider.greatest) == (1, 500)
    slider.value = 501
    assert slider.value == 500
    slider.value = -3
    assert slider.value == 1


async def test_the_track_can_reach_further_later() -> None:
    async with running(threshold()) as (app, pilot):
        app.slider.greatest = 1_000_000
        await pilot.press("end")
        assert app.slider.value == 1_000_000
        assert "1,000,000 " in row(app.slider)


# Typing


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        ("96210", 96_210),
        ("96,210", 96_210),
        ("96_210", 96_210),
        ("0", 0),
        ("007", 7),
        ("3000000", 3_000_000),
        ("9" * 18, 10**18 - 1),
    ],
)
async def test_a_typed_value(keys: str, value: int) -> None:
    async with running(threshold()) as (app, pilot):
        await pilot.press(*keys)
        assert not app.posted
        await pilot.press("enter")
        assert app.posted == [("changed", value), ("committed", value)]
        assert f" {value:,} " in row(app.slider)


@pytest.mark.parametrize(
    ("keys", "text", "reason"),
    [
        ([*"5", "backspace"], "", "must be a whole number"),
        ([*"80k"], "80k", "must be a whole number"),
        ([*"5-3"], "5-3", "must be a whole number"),
        ([*"5.5"], "5.5", "must be a whole number"),
        ([*"5²"], "5²", "must be a whole number"),
        ([*"9"], "9", "must be at least 10"),
        ([*"501"], "501", "must be at most 500"),
        ([*"1" * 19], "1" * 19, "must have at most 18 digits"),
    ],
)
async def test_a_typed_text_that_is_no_valid_value(keys: list[str], text: str, reason: str) -> None:
    async with running(Slider("maxMessages", 40, least=10, greatest=120, limit=500)) as (app, pilot):
        await pilot.press(*keys, "enter")
        assert app.posted == [("rejected", (text, f"maxMessages {reason}"))]
        assert app.slider.value == 40
        # The entry can be put right, or left.
        await pilot.press("escape")
        assert " 40 " in row(app.slider)


async def test_a_rejected_entry_can_be_put_right() -> None:
    async with running(Slider("keepRecent", 4, greatest=24, limit=100)) as (app, pilot):
        await pilot.press(*"160", "enter", "backspace", "enter")
        assert app.of("changed") == [16]


async def test_an_entry_is_drawn_with_a_cursor() -> None:
    async with running(threshold()) as (app, pilot):
        await pilot.press(*"1234567890123", "backspace")
        strip = app.slider.render_line(0)
        reversed_at = [i for i, segment in enumerate(strip) if segment.style is not None and segment.style.reverse]
        assert len(reversed_at) == 1
        assert list(strip)[reversed_at[0] - 1].text == " 56789012"
        assert "Enter sets, Escape leaves" in strip.text
        assert strip.cell_length == 100


async def test_letters_belong_to_an_open_entry_and_bindings_to_a_closed_one() -> None:
    async with running(threshold()) as (app, pilot):
        await pilot.press("1", "d", "m", "space", "plus", "delete")
        assert app.slider.value == 80_000
        assert not app.posted
        assert not app.keys
        assert app.slider.check_consume_key("q", "q")
        await pilot.press("escape", "m")
        assert app.slider.value == 96_210
        assert not app.slider.check_consume_key("q", "q")
        assert app.slider.check_consume_key("1", "1")


async def test_only_ascii_digits_open_an_entry() -> None:
    async with running(threshold()) as (app, pilot):
        await pilot.press("²", "٣")
        assert app.keys == ["²", "٣"]


@pytest.mark.parametrize(("key", "value"), [("right", 81_000), ("home", 0), ("tab", 80_000)])
async def test_moving_or_leaving_abandons_an_entry(key: str, value: int) -> None:
    async with running(threshold()) as (app, pilot):
        await pilot.press("5", key)
        app.slider.focus()
        await pilot.press("enter")
        assert app.slider.value == value
        assert not app.of("rejected")


async def test_an_entry_outlives_a_look_into_another_window() -> None:
    async with running(threshold()) as (app, pilot):
        await pilot.press("5")
        app.post_message(events.AppBlur())
        await pilot.pause()
        assert not app.slider.has_focus
        app.post_message(events.AppFocus())
        await pilot.pause()
        await pilot.press("0", "enter")
        assert app.slider.value == 50


@pytest.mark.parametrize(
    ("pasted", "value", "rejected"),
    [
        (" 96,210\n", 96_210, 0),
        ("1\n2", 80_000, 1),
        ("[/x]\x1b]52;c;\x07", 80_000, 1),
        ("7" * 1_000_000, 80_000, 1),
        (" \n", 80_000, 0),
    ],
    ids=["number", "lines", "hostile", "huge", "blank"],
)
async def test_a_paste_is_an_entry(pasted: str, value: int, rejected: int) -> None:
    async with running(threshold()) as (app, pilot):
        app.post_message(events.Paste(pasted))
        await pilot.pause()
        assert "\x1b" not in row(app.slider)
        await pilot.press("enter")
        assert app.slider.value == value
        assert len(app.of("rejected")) == rejected


# The mouse


async def test_a_click_on_the_track_jumps_there() -> None:
    async with running(threshold()) as (app, pilot):
        start, cells = track_of(app.slider)
        assert cells == 32
        await pilot.click(Slider, offset=(start + 20, 0))
        # 20/31 of 200,000 is 129,032: rounded to the step.
        assert app.posted == [("changed", 129_000), ("committed", 129_000)]
        assert row(app.slider)[start + 20] == UNICODE.thumb


async def test_the_ends_the_default_and_the_marks_are_reached_exactly() -> None:
    slider = threshold(12_345, marks=(Mark(150_123), Mark(40_001)))
    async with running(slider) as (app, pilot):
        start, cells = track_of(slider)
        text = row(slider)
        stops = [start, text.index(UNICODE.default), text.index(UNICODE.mark), text.rindex(UNICODE.mark)]
        for column in [*stops, start + cells - 1]:
            await pilot.click(Slider, offset=(column, 0))
        assert app.of("committed") == [0, 80_000, 40_001, 150_123, 200_000]


@pytest.mark.parametrize(("scale", "first"), [("linear", 0), ("log", 6)])
async def test_the_thumb_follows_the_pointer_to_each_cell(scale: Literal["linear", "log"], first: int) -> None:
    async with running(threshold(marks=(), scale=scale)) as (app, pilot):
        start, cells = track_of(app.slider)
        await pilot.mouse_down(Slider, offset=(start, 0))
        # The first cells of a log track lie closer together than whole numbers do.
        for column in range(start + first, start + cells):
            await pilot.hover(Slider, offset=(column, 0))
            assert row(app.slider)[column] == UNICODE.thumb
        assert app.of("changed") == sorted(set(app.of("changed")))
        assert app.of("changed")[-1] == 200_000
        if scale == "linear":
            assert all(value % 1_000 == 0 for value in app.of("changed"))


async def test_a_drag_is_live_commits_once_and_may_leave_the_row() -> None:
    async with running(threshold()) as (app, pilot):
        start, _ = track_of(app.slider)
        await pilot.mouse_down(Slider, offset=(start + 5, 0))
        await pilot.hover(Slider, offset=(start + 6, 0))
        await pilot.hover(Slider, offset=(start + 20, 2))
        assert len(app.of("changed")) == 3
        assert not app.of("committed")
        await pilot.hover(offset=(99, 3))
        assert app.slider.value == 200_000
        await pilot.hover(offset=(0, 3))
        assert app.slider.value == 0
        await pilot.hover(offset=(start + 20, 3))
        await pilot.mouse_up(offset=(start + 20, 3))
        assert app.of("committed") == [129_000]
        await pilot.hover(Slider, offset=(start + 3, 0))
        assert app.slider.value == 129_000
        assert app.mouse_captured is None


async def test_taking_hold_of_the_thumb_keeps_an_exact_value() -> None:
    async with running(threshold(123_456)) as (app, pilot):
        column = row(app.slider).index(UNICODE.thumb)
        await pilot.mouse_down(Slider, offset=(column, 0))
        await pilot.hover(Slider, offset=(column, 2))
        await pilot.mouse_up(Slider, offset=(column, 0))
        assert not app.posted
        assert app.slider.value == 123_456


async def test_a_drag_that_ends_where_it_began_commits_nothing() -> None:
    async with running(threshold(80_000)) as (app, pilot):
        column = row(app.slider).index(UNICODE.thumb)
        await pilot.mouse_down(Slider, offset=(column, 0))
        await pilot.hover(Slider, offset=(column + 3, 0))
        await pilot.hover(Slider, offset=(column, 0))
        await pilot.mouse_up(Slider, offset=(column, 0))
        assert len(app.of("changed")) == 2
        assert not app.of("committed")


async def test_a_drag_that_something_interrupts_is_complete() -> None:
    async with running(threshold()) as (app, pilot):
        start, _ = track_of(app.slider)
        await pilot.mouse_down(Slider, offset=(start + 20, 0))
        app.capture_mouse(None)
        await pilot.hover(Slider, offset=(start + 3, 0))
        assert app.of("committed") == [129_000]
        assert app.slider.value == 129_000


async def test_a_late_release_of_an_earlier_press_does_not_end_a_drag() -> None:
    async with running(threshold()) as (app, pilot):
        start, _ = track_of(app.slider)
        await pilot.mouse_down(Slider, offset=(start + 20, 0))
        app.slider.post_message(events.MouseRelease(app.mouse_position))
        await pilot.hover(Slider, offset=(start + 21, 0))
        assert len(app.of("changed")) == 2
        assert not app.of("committed")


async def test_a_click_beside_the_track_only_takes_the_focus() -> None:
    async with running(threshold(12_345)) as (app, pilot):
        start, cells = track_of(app.slider)
        for column in (0, start - 1, start + cells, 99):
            app.query_one(Button).focus()
            await pilot.click(Slider, offset=(column, 0), times=2)
            assert app.slider.has_focus
        assert not app.posted


async def test_other_buttons_do_not_move_it() -> None:
    async with running(threshold()) as (app, pilot):
        start, _ = track_of(app.slider)
        await pilot.click(Slider, offset=(start + 20, 0), button=3)
        assert not app.posted


async def test_a_double_click_goes_back_to_the_default() -> None:
    async with running(threshold(12_345)) as (app, pilot):
        start, _ = track_of(app.slider)
        await pilot.double_click(Slider, offset=(start + 20, 0))
        assert app.slider.value == 80_000
        assert app.of("committed") == [129_000, 80_000]


async def test_the_wheel_moves_a_step() -> None:
    async with running(threshold()) as (app, pilot):
        for kind in (events.MouseScrollUp, events.MouseScrollUp, events.MouseScrollDown):
            await pilot._post_mouse_events([kind], Slider, offset=(3, 0))
        assert app.of("committed") == [81_000, 82_000, 81_000]


async def test_a_disabled_slider_does_not_move() -> None:
    async with running(threshold(disabled=True)) as (app, pilot):
        start, _ = track_of(app.slider)
        await pilot.click(Slider, offset=(start + 20, 0))
        await pilot.press("right")
        assert app.slider.value == 80_000


# What is drawn


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (
            110,
            ">threshold    0 |=============o--^------------------|   200,000    80,000"
            "  ^ micro starts below 96,210        ",
        ),
        (
            100,
            ">threshold    0 |===========o--^---------------|   200,000    80,000  ^ micro starts below 96,210   ",
        ),
        (80, ">threshold    0 |=======o-^----------|   200,000    80,000  ^ micro starts be..."),
        (60, ">threshold    0 |========o-^-----------|   200,000    80,000"),
        (40, ">threshold    |=====o^-------|    80,000"),
        (34, ">threshold    |===o----|    80,000"),
        (30, ">threshold    |=o--|    80,000"),
        (24, ">thr... |=o--|    80,000"),
    ],
)
async def test_the_row_at_a_width(width: int, expected: str) -> None:
    async with running(threshold(ascii=True), width) as (app, _):
        assert row(app.slider) == expected
        assert app.slider.render_line(0).cell_length == width


@pytest.mark.parametrize("ascii_only", [True, False])
async def test_the_row_is_exactly_as_wide_as_the_slider(ascii_only: bool) -> None:
    slider = threshold(10**17, ascii=ascii_only, hint="漢字" * 20)
    async with running(slider, 200) as (_, pilot):
        for width in (*range(1, 60), 99, 100, 101, 200):
            await pilot.resize_terminal(width, 6)
            assert slider.render_line(0).cell_length == slider.size.width == width


async def test_tracks_below_one_another_align() -> None:
    options: list[dict[str, Any]] = [{"greatest": 24}, {"greatest": 200_000, "marks": (MICRO,)}, {"hint": "a hint"}]
    starts = set()
    for each in options:
        async with running(Slider("x", 4, **each)) as (app, _):
            starts.add(track_of(app.slider))
    assert len(starts) == 1


async def test_a_resize_keeps_the_value_and_the_mouse_finds_the_track() -> None:
    async with running(threshold(123_456)) as (app, pilot):
        for width in (40, 160, 60):
            await pilot.resize_terminal(width, 6)
            assert app.slider.value == 123_456
            start, cells = track_of(app.slider)
            await pilot.click(Slider, offset=(start + cells - 1, 0))
            assert app.slider.value == 200_000
            app.slider.value = 123_456


async def test_padding_does_not_shift_the_pointer() -> None:
    slider = threshold()
    slider.styles.padding = (0, 4)
    async with running(slider) as (app, pilot):
        start, _ = track_of(slider)
        await pilot.click(Slider, offset=(4 + start + 20, 0))
        assert row(slider)[start + 20] == UNICODE.thumb
        assert app.slider.value != 80_000


async def test_a_value_beyond_the_track_stands_at_its_end() -> None:
    async with running(threshold(3_000_000)) as (app, _):
        start, cells = track_of(app.slider)
        assert row(app.slider)[start + cells - 1] == UNICODE.thumb
        assert "3,000,000" in row(app.slider)


@pytest.mark.parametrize("scale", ["linear", "log"])
async def test_a_track_of_one_value(scale: Literal["linear", "log"]) -> None:
    async with running(Slider("keep", 5, least=5, greatest=5, scale=scale)) as (app, pilot):
        start, cells = track_of(app.slider)
        assert row(app.slider)[start] == UNICODE.thumb
        await pilot.press("right", "left", "home", "end", "pageup")
        for cell in (0, 10, cells - 1):
            await pilot.click(Slider, offset=(start + cell, 0))
        assert not app.posted
        await pilot.press("6", "enter")
        assert row(app.slider)[start + cells - 1] == UNICODE.thumb


async def test_a_log_track_shows_zero_and_spreads_small_values() -> None:
    async with running(threshold(0, scale="log", marks=())) as (app, _):
        start, cells = track_of(app.slider)
        columns = []
        for value in (0, 10, 1_000, 200_000):
            app.slider.value = value
            columns.append(row(app.slider).index(UNICODE.thumb) - start)
        assert columns == [0, 6, 18, cells - 1]


async def test_marks_outside_the_track_are_named_but_not_drawn() -> None:
    async with running(threshold(marks=(Mark(300_000, "far"),), ascii=True)) as (app, pilot):
        assert row(app.slider).count(ASCII.mark) == 1
        assert "^ far" in row(app.slider)
        await pilot.press("m")
        assert app.slider.value == 300_000


async def test_labels_of_marks_come_before_the_hint() -> None:
    marks = (Mark(10, "micro"), Mark(20), Mark(30, "retain"))
    async with running(threshold(marks=marks, hint="chars", ascii=True)) as (app, _):
        assert row(app.slider).rstrip().endswith("  ^ micro  ^ retain  chars")


async def test_text_like_markup_is_drawn_literally() -> None:
    hostile = "[/x][@click=app.quit]q"
    async with running(threshold(marks=(), hint=hostile), 110) as (app, pilot):
        assert hostile in row(app.slider)
        assert hostile in "".join(segment.text for segment in app.screen._compositor.render_strips()[0])
        await pilot.click(Slider, offset=(row(app.slider).index("q", 60), 0))
        assert app.is_running
        assert app.return_code is None


async def test_control_characters_are_made_visible() -> None:
    slider = Slider("a\x1b[2Jb", 1, hint="c\x9b\u202e\n")
    async with running(slider):
        assert all(character.isprintable() for character in row(slider))
        assert "␛[2J" in row(slider)


async def test_ascii_can_be_switched() -> None:
    slider = threshold()
    async with running(slider) as (_, pilot):
        assert not row(slider).isascii()
        slider.ascii = True
        await pilot.pause()
        assert row(slider).isascii()


def test_glyphs_are_one_cell_and_have_no_emoji_form() -> None:
    emoji = {character for sequence in EMOJI.values() for character in sequence}
    for glyph in "".join(UNICODE):
        assert len(glyph) == cell_len(glyph) == 1
        assert unicodedata.east_asian_width(glyph) not in "WF"
        assert glyph not in emoji
    assert all(glyph.isascii() for glyph in ASCII)
    for glyphs in (UNICODE, ASCII):
        assert len({*glyphs[1:4], *glyphs[5:]}) == len(glyphs) - 2, "the parts differ without colour"


async def test_focus_shows_without_colour() -> None:
    async with running(threshold()) as (app, pilot):
        assert row(app.slider).startswith(UNICODE.focus)
        focused = next(iter(app.slider.render_line(0))).style
        assert focused is not None
        assert focused.bold
        app.query_one(Button).focus()
        await pilot.pause()
        assert row(app.slider).startswith(" threshold")
        blurred = next(iter(app.slider.render_line(0))).style
        assert blurred is not None
        assert not blurred.bold


@pytest.mark.parametrize("theme", ["textual-dark", "textual-light"])
async def test_each_part_has_a_style_of_its_own(theme: str) -> None:
    async with running(threshold()) as (app, pilot):
        app.theme = theme
        await pilot.pause()
        parts = ("track", "filled", "thumb", "mark")
        colours = {app.slider.get_component_rich_style(f"slider--{part}").color for part in parts}
        assert len(colours) == len(parts)
