"""Every key of the command table, of the panes and of the sliders does what the help says."""

from __future__ import annotations

import pytest
from textual.command import CommandPalette
from textual.widgets import Checkbox, Input

from tests.app.helpers import (
    Running,
    generated,
    main_screen,
    opened,
    opened_sample,
    screen_of,
    screen_text,
    settle,
    text_of,
)
from tui.app.commands import COMMANDS, PANE_KEYS, SLIDER_KEYS
from tui.app.content import body_text
from tui.app.screens.inspector import Inspector
from tui.app.screens.prompt import Prompt
from tui.app.screens.text import TextScreen
from tui.app.widgets.stage_tabs import StageTabs
from tui.formats.dicts import session_from_messages
from tui.pipeline.outcomes import Outcome

STAGES = ("original", "budget", "micro", "retain", "outbound")


def changed_blocks(running: Running, stage: str) -> list[tuple[int, int]]:
    """Blocks that a stage changed (any, for outbound), in order; all that is dropped counts as its first block."""
    found: list[tuple[int, int]] = []
    dropped = False
    for outcome in running.scene.view.outcomes:
        steps = [step for step in outcome.trail if stage in ("outbound", step.stage)]
        acted = [step.outcome for step in steps if step.outcome is not Outcome.KEPT]
        if Outcome.DROPPED in acted:
            if not dropped:
                found.append((outcome.message, outcome.block))
            dropped = True
        elif acted:
            found.append((outcome.message, outcome.block))
    return found


async def to_sliders(running: Running, name: str = "threshold") -> None:
    running.slider(name).focus()
    await running.settle()


async def test_digits_choose_the_stage() -> None:
    async with main_screen("micro-then-retain") as running:
        for digit, stage in [*enumerate(STAGES)][::-1]:
            await running.press(str(digit))
            assert running.scene.stage == stage


async def test_o_switches_the_stage_shown_and_capital_o_all() -> None:
    async with main_screen("micro-then-retain") as running:
        await running.press("2", "o")
        assert not running.options.runs("micro")
        assert not running.main.query_one("#switch-micro", Checkbox).value
        await running.press("o")
        assert running.options.runs("micro")
        await running.press("O")
        assert not running.options.runs("budget")
        assert running.scene.view.estimate["retain"] == running.scene.view.estimate["original"]
        await running.press("O")
        assert running.options.runs("budget")
        await running.press("4", "o")
        assert running.options.disabled_stages == ()
        assert "choose a stage first" in running.notices[-1]


async def test_brackets_step_and_stop_at_the_ends() -> None:
    async with main_screen("micro-then-retain") as running:
        last = running.scene.evaluation.calls[-1]
        start = running.scene.call
        await running.press("[")
        assert running.scene.call == start - 1
        await running.press("]", "]")
        assert running.scene.call == start + 1
        await running.press(*"]" * (last + 1))
        assert running.scene.call == last
        running.main.go_to_call(1)
        await running.press("[")
        assert running.scene.call == 1


async def test_g_asks_for_a_call_and_says_what_is_wrong() -> None:
    async with main_screen("micro-then-retain") as running:
        await running.press("g")
        prompt = await screen_of(running.pilot, Prompt)
        for wrong in ("0", "999", "x", "-1", "²", ""):
            prompt.query_one(Input).value = wrong
            await running.press("enter")
            assert running.app.screen is prompt
        assert "a whole number from 1 to" in screen_text(running.app)
        prompt.query_one(Input).value = "3"
        await running.press("enter")
        assert running.on_top
        assert running.scene.call == 3
        await running.press("g", "escape")
        assert running.scene.call == 3


async def test_capital_b_counts_across_a_boundary() -> None:
    async with main_screen("after-compact") as running:
        before = running.scene.view
        assert before.start > 0
        await running.press("B")
        assert running.scene.view.start == 0
        assert running.scene.view.estimate["original"] > before.estimate["original"]
        assert running.main.query_one("#switch-across", Checkbox).value
        await running.press("B")
        assert running.scene.view.start == before.start


async def test_capital_b_without_a_boundary_says_so() -> None:
    async with main_screen("one-bomb") as running:
        scene = running.scene
        await running.press("B")
        assert running.notices[-1] == "this session has no compact boundary"
        assert running.scene is scene


@pytest.mark.parametrize("name", ["micro-then-retain", "unicode"])
async def test_n_and_p_walk_exactly_the_changed_blocks(name: str) -> None:
    async with main_screen(name) as running:
        for digit, stage in enumerate(STAGES):
            await running.press(str(digit), "<")
            expected = changed_blocks(running, stage)
            seen = [running.place] if running.place in expected else []
            for _ in range(len(expected) + 1):
                await running.press("n")
                if running.place not in seen and running.place in expected:
                    seen.append(running.place)
            assert seen == expected, stage
            assert "no further block changed" in running.notices[-1]
            if not expected:
                continue
            back = [running.place]
            for _ in range(len(expected) - 1):
                await running.press("p")
                back.append(running.place)
            assert back == expected[::-1], stage


async def test_every_changed_block_that_n_goes_to_is_in_sight() -> None:
    async with main_screen("micro-is-enough", size=(80, 24)) as running:
        await running.press("<")
        for _ in range(8):
            await running.press("n")
            assert 0 <= running.screen_row < running.left.scrollable_content_region.height


async def test_enter_unfolds_and_folds() -> None:
    async with main_screen("one-bomb") as running:
        entry = running.panes.cursor
        folded, row = running.rows.height(entry), running.screen_row
        await running.press("enter")
        assert running.rows.height(entry) > folded
        assert running.screen_row == row
        await running.press("enter")
        assert running.rows.height(entry) == folded
        assert running.screen_row == row


async def test_an_unfolded_block_has_the_same_rows_whatever_the_options() -> None:
    async with main_screen("one-bomb") as running:
        await running.press("enter")
        entry = running.panes.cursor
        height = running.rows.height(entry)
        for limit in (0, 10, 4_000, 30_000):
            running.main.set_options(max_tool_result_chars=limit)
            await running.settle()
            assert running.rows.height(entry) == height


async def test_z_folds_the_gap_on_both_sides_and_keeps_the_row() -> None:
    async with main_screen("micro-then-retain") as running:
        await running.press("end", "up", "up", "up")
        row, rows = running.screen_row, running.rows.rows
        await running.press("z")
        assert running.rows.rows < rows
        assert running.screen_row == row
        top = running.rows.start(running.page.entry_of(0, 0))
        for pane in (running.left, running.right):
            assert "20 messages dropped" in pane.render_line(top - pane.scroll_offset.y).text
            assert pane.virtual_size.height == running.rows.rows
        await running.press("z")
        assert (running.rows.rows, running.screen_row) == (rows, row)


async def test_z_says_so_when_nothing_is_dropped() -> None:
    async with main_screen("one-bomb") as running:
        rows = running.rows.rows
        await running.press("z")
        assert running.notices[-1] == "nothing is dropped here"
        assert running.rows.rows == rows


async def test_a_folded_gap_is_one_step_and_enter_opens_it() -> None:
    async with main_screen("micro-then-retain") as running:
        first_kept = running.page.entry_of(running.scene.kept_from, 0)
        await running.press("z", "<")  # the top is the system prompt, above the gap
        await running.press("down", "down")
        assert running.panes.cursor == first_kept
        await running.press("up", "up")
        assert running.panes.cursor == 0
        await running.press("down", "enter")
        assert not running.panes.gap_folded


async def test_n_goes_to_the_folded_gap() -> None:
    async with main_screen("micro-then-retain") as running:
        await running.press("z", "p")
        assert running.place == (0, 0)
        assert running.rows.at(running.rows.start(running.panes.cursor)).mark == "gap"


async def test_y_copies_the_block_as_the_stage_leaves_it() -> None:
    async with main_screen("one-bomb") as running:
        await running.press("1")
        message, block = running.place
        await running.press("y")
        assert running.app.clipboard == running.scene.view.content(message, block, "budget")
        assert running.notices[-1] == "copied 4,028 chars"
        await running.press("0", "y")
        source = running.scene.view.session.messages[message].blocks[block]
        assert running.app.clipboard == body_text(source)


async def test_y_copies_even_what_no_clipboard_can_hold() -> None:
    session = session_from_messages([{"type": "user", "content": [{"type": "text", "text": "half \ud83d, 😀"}]}])
    async with main_screen(opened(session)) as running:
        await running.press("y")
        assert running.app.clipboard == "half \ufffd, 😀"


async def test_i_opens_the_inspector_and_n_p_walk_in_it() -> None:
    async with main_screen("micro-then-retain") as running:
        await running.press("2", "<", "n")
        first = running.place
        await running.press("i")
        await screen_of(running.pilot, Inspector)
        assert f"message {first[0]}, block {first[1]}" in screen_text(running.app)
        await running.press("n")
        second = running.place
        assert second > first
        assert isinstance(running.app.screen, Inspector)
        assert f"message {second[0]}, block {second[1]}" in screen_text(running.app)
        await running.press("p")
        assert running.place == first
        await running.press("p")
        assert isinstance(running.app.screen, Inspector)
        assert running.place == first
        await running.press("y")
        source = running.scene.view.session.messages[first[0]].blocks[first[1]]
        assert running.app.clipboard == (running.scene.view.content(*first) or body_text(source))
        await running.press("Y")
        assert running.app.clipboard == body_text(source)
        await running.press("escape")
        assert running.on_top


async def test_screens_of_text_open_scroll_and_close() -> None:
    async with main_screen("micro-then-retain") as running:
        for key, words in (
            ("w", "Skipped or repaired while reading"),
            ("?", "outbound: keys"),
            ("f1", "Switch the stage"),
        ):
            await running.press(key)
            assert isinstance(running.app.screen, TextScreen)
            assert words in screen_text(running.app)
            await running.press("j", "k", "pagedown", "escape")
            assert running.on_top


async def test_the_help_names_every_key() -> None:
    async with main_screen("one-bomb", size=(120, 100)) as running:
        await running.press("?")
        shown = " ".join(text_of(running.app.screen.query_one("VerticalScroll > Static")).split())
        for command in COMMANDS:
            if command.shown:
                assert f"{command.shown} {command.help}" in shown
        for keys, words in (*PANE_KEYS, *SLIDER_KEYS):
            assert f"{keys} {words}" in shown


async def test_the_palette_lists_the_commands_and_runs_one() -> None:
    async with main_screen("micro-then-retain") as running:
        titles = {command.title for command in running.app.get_system_commands(running.app.screen)}
        assert {command.help for command in COMMANDS if command.action != "app.command_palette"} <= titles
        await running.press("ctrl+p")
        await screen_of(running.pilot, CommandPalette)
        running.app.screen.query_one(Input).value = "the second stage (micro"
        for _ in range(50):
            await running.pilot.pause(0.02)
            if "the second stage (micro" in screen_text(running.app).replace("the second stage (micro", "", 1):
                break
        await running.press("enter")
        if isinstance(running.app.screen, CommandPalette):
            await running.press("enter")
        await screen_of(running.pilot, type(running.main))
        await running.settle()
        assert running.scene.stage == "micro"


async def test_s_goes_to_the_sliders_and_back() -> None:
    for size in ((80, 24), (120, 40)):
        async with main_screen("one-bomb", size=size) as running:
            for leave in ("s", "escape"):
                await running.press("s")
                assert running.slider("threshold").has_focus
                assert running.slider("threshold").region.height == 1
                await running.press(leave)
                assert running.left.has_focus


async def test_capital_r_puts_options_back_to_the_start() -> None:
    async with main_screen("micro-then-retain") as running:
        start = running.options
        await running.press("s", "end", "tab", "right", "O", "R")
        assert running.options == start
        assert running.slider("threshold").value == start.threshold


async def test_t_switches_the_theme_and_back() -> None:
    async with main_screen("one-bomb") as running:
        dark = running.app.current_theme.dark
        name = running.app.theme
        await running.press("t")
        assert running.app.current_theme.dark is not dark
        await running.press("t")
        assert running.app.theme == name


@pytest.mark.parametrize("key", ["q", "ctrl+q"])
async def test_q_quits(key: str) -> None:
    async with main_screen("one-bomb") as running:
        await running.pilot.press(key)
        await running.pilot.pause(0)
        assert running.app._exit


# Panes


async def test_arrows_and_letters_move_by_blocks() -> None:
    async with main_screen(generated(60)) as running:
        await running.press("<")
        assert running.panes.cursor == 0
        await running.press("down", "j", "down", "up", "k")
        assert running.panes.cursor == 1
        await running.press("end")
        assert running.panes.cursor == len(running.page) - 1
        await running.press("down")
        assert running.panes.cursor == len(running.page) - 1
        await running.press("home", "up")
        assert running.panes.cursor == 0


async def test_top_and_bottom() -> None:
    async with main_screen(generated(60)) as running:
        last = running.rows.rows - running.left.scrollable_content_region.height
        for top, bottom in (("home", "end"), ("<", ">"), ("<", "G")):
            await running.press("down", "pagedown", top)
            assert (running.panes.cursor, running.left.scroll_offset.y) == (0, 0)
            await running.press(bottom)
            assert (running.panes.cursor, running.left.scroll_offset.y) == (len(running.page) - 1, last)


async def test_pages() -> None:
    async with main_screen(generated(60)) as running:
        height = running.left.scrollable_content_region.height
        for down, up in (("pagedown", "pageup"), ("ctrl+f", "ctrl+b"), ("ctrl+d", "ctrl+u")):
            step = height // 2 if down == "ctrl+d" else height - 1
            await running.press("<", down, down)
            assert running.left.scroll_offset.y == running.right.scroll_offset.y == 2 * step
            assert 0 <= running.screen_row < height
            await running.press(up)
            assert running.left.scroll_offset.y == step
            assert 0 <= running.screen_row < height


async def test_down_scrolls_inside_a_block_taller_than_the_pane() -> None:
    async with main_screen("one-bomb", size=(80, 24)) as running:
        entry = running.panes.cursor
        await running.press("enter")
        y = running.left.scroll_offset.y
        await running.press("down", "down")
        assert running.panes.cursor == entry
        assert running.left.scroll_offset.y == y + 2


async def test_plus_and_minus_change_the_rows_of_a_folded_body() -> None:
    async with main_screen("micro-then-retain") as running:
        entry, row = running.panes.cursor, running.screen_row
        height = running.rows.height(entry)
        await running.press("+")
        assert running.panes.body_rows == 4
        assert running.rows.height(entry) == height + 1
        await running.press("-", "-")
        assert running.rows.height(entry) == height - 1
        assert running.screen_row == row
        await running.press(*"-" * 5)
        assert running.panes.body_rows == 1
        await running.press(*"=" * 12)
        assert running.panes.body_rows == 9


# Focus and sliders


async def test_tab_moves_the_focus_round_and_nothing_else() -> None:
    async with main_screen("micro-then-retain") as running:
        scene, cursor = running.scene, running.panes.cursor
        seen = []
        for _ in range(30):
            await running.press("tab")
            assert running.main.focused is not None
            if running.main.focused.id in seen:
                break
            seen.append(running.main.focused.id)
        assert {"conversation", "outbound", "tabs", "slider-threshold", "switch-all"} <= set(seen)
        await running.press("shift+tab")
        assert running.scene is scene
        assert running.panes.cursor == cursor


async def test_a_focused_tab_row_takes_arrows() -> None:
    async with main_screen("micro-then-retain") as running:
        running.main.query_one(StageTabs).focus()
        await running.press("left", "h")
        assert running.scene.stage == "budget"
        await running.press("right", "l", "l", "l", "l")
        assert running.scene.stage == "outbound"


async def test_digits_on_a_focused_slider_are_a_value_not_a_stage() -> None:
    async with main_screen("micro-then-retain") as running:
        stage = running.scene.stage
        await to_sliders(running)
        await running.press(*"1234", "enter")
        assert running.options.threshold == 1234
        assert running.scene.stage == stage
        await running.press(*"99", "escape")
        assert running.options.threshold == 1234
        assert running.main.focused is running.slider("threshold")


async def test_slider_keys_change_the_options() -> None:
    moves: list[tuple[str, int]] = [
        ("right", 11_000),
        ("l", 11_000),
        ("+", 11_000),
        ("left", 9_000),
        ("h", 9_000),
        ("-", 9_000),
        ("shift+right", 10_001),
        ("shift+left", 9_999),
        ("pageup", 20_000),
        ("pagedown", 0),
        ("home", 0),
        ("end", 200_000),
        ("m", 13_852),
        ("m m", 24_522),
        ("m m M", 13_852),
        ("backspace", 80_000),
        ("d", 80_000),
    ]
    async with main_screen("micro-then-retain", size=(100, 24)) as running:
        await running.press("s")
        for keys, value in moves:
            await running.press("R", *keys.split())
            assert running.options.threshold == value, keys
            assert running.slider("threshold").value == value


async def test_a_value_that_is_no_number_changes_nothing_and_says_so() -> None:
    async with main_screen("micro-then-retain") as running:
        scene = running.scene
        await to_sliders(running)
        await running.press(*"12x", "enter")
        assert "must be a whole number" in running.notices[-1]
        assert running.scene is scene


async def test_a_mark_is_where_the_picture_changes() -> None:
    async with main_screen("micro-then-retain") as running:
        await to_sliders(running)
        await running.press("m", "m")
        assert running.scene.view.counts["cleared"] == 0
        await running.press("shift+left")
        assert running.scene.view.counts["cleared"] > 0


async def test_a_switch_switches_its_stage() -> None:
    async with main_screen("micro-then-retain") as running:
        running.main.query_one("#switch-retain", Checkbox).focus()
        await running.press("space")
        assert running.options.disabled_stages == ("retain",)
        running.main.query_one("#switch-all", Checkbox).focus()
        await running.press("enter")
        assert not running.options.enabled


async def test_keys_are_harmless_on_an_empty_session() -> None:
    session = session_from_messages([])
    async with main_screen(opened(session), size=(80, 24)) as running:
        keys = (
            "n p i enter z y [ ] B o O R w escape ? escape g escape up down pageup pagedown home end + - < > s s 0 1 2"
        )
        await running.press(*keys.split())
        assert running.on_top
        assert running.scene.view.estimate["retain"] == 0


async def test_keys_are_harmless_on_a_session_of_a_system_prompt_only() -> None:
    loaded = opened_sample("unicode").session
    prompt = loaded.messages[:1]
    session = type(loaded)(format="test", messages=(), system=prompt)
    async with main_screen(opened(session)) as running:
        await running.press(
            *["n", "p", "i", "escape", "enter", "z", "y", "[", "]", "up", "down", "0", "n", "p", "4", "n", "p"]
        )
        await settle(running.pilot)
        assert "system prompt" in screen_text(running.app)
