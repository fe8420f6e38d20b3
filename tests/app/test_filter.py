"""The filter: what is shown, what folds into counted gaps, and that the page stays one page."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.widgets import OptionList

from tests.app.helpers import Running, generated, header_line, main_screen, opened, screen_of, screen_text, text_of
from tests.app.talk import CLEARING, FILLER, talk
from tests.strategy_data import conversations, option_values
from tui import CompactOptions, evaluate, session_from_messages
from tui.app.filtering import CHANGED, Filter, filtered
from tui.app.layout import Kind, page_of
from tui.app.scene import Scene
from tui.app.screens.filter import FilterScreen
from tui.model import Boundary, Session, Sidechain, TextBlock
from tui.model.session import Message
from tui.pipeline.outcomes import Outcome

Places = list[tuple[int, int]]


def five() -> Session:
    """Five calls of Read and Bash in turn; the first three results are cleared with ``CLEARING``."""
    return talk(*[FILLER] * 5, tools=("Read", "Bash"))


CLEARED = [(2, 0), (4, 0), (6, 0)]


def blocks(running: Running) -> Places:
    """The blocks on the page."""
    return [(m, b) for kind, m, b in map(running.page.entry, range(len(running.page))) if kind is Kind.BLOCK]


def hidden(running: Running) -> int:
    """How many entries the page's gaps say they hide; both sides say the same, in one row each."""
    total = 0
    folded = range(*running.rows.gap) if running.rows.gap else ()
    for number in range(len(running.page)):
        kind, _, count = running.page.entry(number)
        if kind is Kind.HIDDEN:
            total += count
        if kind is Kind.HIDDEN and number not in folded:
            words = f" {count} {'block' if count == 1 else 'blocks'} filtered out "
            assert words in header_line(running.left, running.rows, number)
            assert words in header_line(running.right, running.rows, number)
            assert running.rows.height(number) == 1
    return total


def line_under_cursor(listed: OptionList) -> str:
    assert listed.highlighted is not None
    return str(listed.get_option_at_index(listed.highlighted).prompt)


async def choose(running: Running, *options: str) -> None:
    """Opens the filter, switches options by their names with the keyboard, and closes it."""
    await running.press("f")
    screen = await screen_of(running.pilot, FilterScreen)
    listed = screen.query_one(OptionList)
    for option in options:
        await running.press("home")
        while line_under_cursor(listed)[4:] != option:
            before = listed.highlighted
            await running.press("j")
            assert listed.highlighted != before, f"{option} is not offered"
            assert listed.highlighted != 0, f"{option} is not offered"
        await running.press("space")
    await running.press("escape")
    assert running.on_top


async def test_by_outcome() -> None:
    async with main_screen(opened(five(), CLEARING)) as running:
        assert hidden(running) == 0
        await choose(running, "outcome: cleared")
        assert blocks(running) == CLEARED
        assert hidden(running) == 12 - 3
        assert "filter (f): cleared" in screen_text(running.app)
        await choose(running, "outcome: kept")
        assert len(blocks(running)) == 12
        assert hidden(running) == 0


async def test_by_role() -> None:
    async with main_screen(five()) as running:
        await choose(running, "role: user")
        assert blocks(running) == [(message, 0) for message in range(0, 12, 2)]
        assert hidden(running) == 6
        assert "filter (f): user" in screen_text(running.app)


async def test_by_tool_shows_its_calls_and_results() -> None:
    async with main_screen(five()) as running:
        await choose(running, "tool: Bash")
        assert blocks(running) == [(3, 0), (4, 0), (7, 0), (8, 0)]
        assert hidden(running) == 8


async def test_all_groups_must_agree_and_one_of_each_will_do() -> None:
    async with main_screen(opened(five(), CLEARING)) as running:
        await choose(running, "outcome: cleared", "tool: Bash")
        assert blocks(running) == [(4, 0)]
        await choose(running, "outcome: kept")
        assert blocks(running) == [(3, 0), (4, 0), (7, 0), (8, 0)]
        await choose(running, "role: user", "tool: Read")
        assert blocks(running) == [(message, 0) for message in range(2, 11, 2)]
        assert "filter (f): cleared, kept, user, Bash, Read" in screen_text(running.app)


async def test_c_shows_changed_blocks_only_and_a_all() -> None:
    async with main_screen("micro-then-retain") as running:
        whole = running.page
        for digit in "01234":
            await running.press(digit, "f", "c", "escape")
            scene = running.scene
            fates = [scene.view.up_to(scene.stage).outcomes][0]
            assert blocks(running) == [(f.message, f.block) for f in fates if f.outcome in CHANGED]
            assert hidden(running) == len(whole) - len(blocks(running))
        await running.press("f", "a", "escape")
        assert running.page is whole


async def test_f_again_shows_what_is_chosen_and_any_of_its_keys_closes_it() -> None:
    async with main_screen(opened(five(), CLEARING)) as running:
        await choose(running, "outcome: cleared", "role: user", "tool: Read")
        for close in ("f", "q", "escape"):
            await running.press("f")
            shown = text_of((await screen_of(running.pilot, FilterScreen)).query_one(OptionList))
            assert shown.count("[x]") == 3
            for option in ("outcome: cleared", "role: user", "tool: Read"):
                assert f"[x] {option} " in shown
            assert "[ ] tool: Bash " in shown
            await running.press(close)
            assert running.on_top
        assert blocks(running) == [(2, 0), (6, 0)]


async def test_each_switch_is_shown_at_once_behind_the_list() -> None:
    async with main_screen(opened(five(), CLEARING)) as running:
        await running.press("f", "c")
        assert blocks(running) == CLEARED
        await running.press("a")
        assert len(blocks(running)) == 12
        await running.press("space")  # the first line: kept
        assert len(blocks(running)) == 9
        assert not running.on_top


async def test_the_mouse_switches_and_the_status_line_says_what_is_shown() -> None:
    async with main_screen(opened(five(), CLEARING)) as running:
        await running.press("f")
        listed = (await screen_of(running.pilot, FilterScreen)).query_one(OptionList)
        lines = [str(option.prompt) for option in listed.options]
        await running.pilot.click(listed, offset=(8, lines.index("[ ] tool: Bash")))
        await running.settle()
        assert "[x] tool: Bash" in screen_text(running.app)
        assert blocks(running) == [(3, 0), (4, 0), (7, 0), (8, 0)]
        await running.press("escape")
        assert "filter (f): Bash" in screen_text(running.app)
        await running.press("f", "c", "escape")
        assert "filter (f): changed" in screen_text(running.app)
        await running.press("f", "a", "escape")
        assert "filter (f)" not in screen_text(running.app)


async def test_names_too_long_for_a_row_shift_no_sign() -> None:
    names = ("mcp__a_calendar_with_a_long_name__list_all_events", "Read", "Bash")
    async with main_screen(talk(*[FILLER] * 3, tools=names)) as running:
        await choose(running, f"tool: {names[0]}", "tool: Bash")
        await running.press("f")
        shown = screen_text(running.app)
        assert "[x] tool: mcp__a_calendar" in shown
        assert "[ ] tool: Read" in shown
        assert "[x] tool: Bash" in shown


async def test_both_sides_stay_aligned() -> None:
    async with main_screen(opened(five(), CLEARING), size=(120, 24)) as running:
        await choose(running, "outcome: cleared")
        await running.press("<", "down", "enter")
        assert running.rows.is_unfolded(running.panes.cursor)
        for key in (">", "pageup", "down", "enter", "+", "<"):
            await running.press(key)
            assert running.left.scroll_offset.y == running.right.scroll_offset.y
            assert running.left.virtual_size.height == running.right.virtual_size.height == running.rows.rows
        for number in range(len(running.page)):
            left = header_line(running.left, running.rows, number)
            right = header_line(running.right, running.rows, number)
            assert left.split()[0] == right.split()[0]


async def test_the_cursor_stays_on_its_block_and_comes_back_to_one_that_was_hidden() -> None:
    # Long enough that the page reaches beyond the pane on both ends, whatever is hidden.
    async with main_screen(talk(*[FILLER] * 60, tools=("Read", "Bash")), size=(120, 24)) as running:
        running.panes.go_to(63)
        await running.settle()
        row = running.screen_row
        await choose(running, "tool: Bash")
        assert running.place == (63, 0)
        assert running.screen_row == row
        await choose(running, "tool: Bash", "tool: Read")
        kind, message, count = running.page.entry(running.panes.cursor)
        assert (kind, message, count) == (Kind.HIDDEN, 63, 2)
        await choose(running, "tool: Read")
        assert running.place == (63, 0)
        assert running.screen_row == row


async def test_what_is_unfolded_stays_so() -> None:
    async with main_screen(five()) as running:
        running.panes.go_to(8)
        await running.press("enter")
        height = running.rows.height(running.panes.cursor)
        await choose(running, "tool: Bash")
        assert running.rows.unfolded == {running.page.entry_of(8, 0): height - 1}
        assert running.place == (8, 0)
        await choose(running, "tool: Bash")
        assert list(running.rows.unfolded) == [8]


async def test_n_and_p_visit_what_is_shown_and_each_gap_with_changes_once() -> None:
    async with main_screen(opened(talk(*[FILLER] * 8, tools=("Read", "Read", "Bash")), CLEARING)) as running:
        await choose(running, "tool: Bash")  # results 2 and 5 of the cleared 0 to 5
        await running.press("<")
        seen = []
        for key in "nnnnn":
            await running.press(key)
            seen.append(running.page.entry(running.panes.cursor)[:2])
        gap, block = Kind.HIDDEN, Kind.BLOCK
        # The gap at the top is where the cursor starts: what it hides is behind it already.
        assert seen == [(block, 6), (gap, 7), (block, 12), (block, 12), (block, 12)]
        assert "no further block changed" in running.notices[-1]
        back = []
        for key in "pppp":
            await running.press(key)
            back.append(running.page.entry(running.panes.cursor)[:2])
        assert back == [(gap, 7), (block, 6), (gap, 0), (gap, 0)]
        assert "no earlier block changed" in running.notices[-1]


async def test_nothing_is_left() -> None:
    async with main_screen(five()) as running:
        await choose(running, "outcome: cleared")
        assert blocks(running) == []
        assert len(running.page) == 1
        assert hidden(running) == 12
        await running.press("enter", "i", "y", "n", "p", "j", "k", "<", ">", "z", "+")
        assert running.on_top
        assert "there is no block under the cursor" in running.notices
        await choose(running, "outcome: cleared")
        assert len(blocks(running)) == 12


async def test_an_empty_session_can_be_filtered() -> None:
    async with main_screen(session_from_messages([])) as running:
        await running.press("f", "c", "space", "j", "space", "escape", "n", "p", "enter")
        assert len(running.page) == 0
        assert running.on_top


async def test_it_follows_sliders_stages_and_calls() -> None:
    async with main_screen(opened(five(), CLEARING)) as running:
        await choose(running, "outcome: cleared")
        running.slider("keep_recent").focus()
        await running.press("left")
        assert blocks(running) == [*CLEARED, (8, 0)]
        await running.press("right", "right")
        assert blocks(running) == CLEARED[:2]
        await running.press("end")
        assert (blocks(running), hidden(running)) == ([], 12)
        await running.press("home", "escape", "0")
        assert blocks(running) == []
        await running.press("4", "[", "[")
        assert blocks(running) == [*CLEARED, (8, 0)]
        await running.press("]")
        assert blocks(running) == [*CLEARED, (8, 0), (10, 0)]


async def test_a_slider_there_and_back_puts_the_cursor_back() -> None:
    async with main_screen(opened(five(), CLEARING)) as running:
        await choose(running, "outcome: cleared")
        running.panes.go_to(6)
        running.slider("keep_recent").focus()
        await running.press("end")
        assert blocks(running) == []
        await running.press("2", "enter")
        assert running.place == (6, 0)


async def test_by_role_or_tool_a_slider_changes_no_row() -> None:
    async with main_screen(opened(generated(60, 900), {"threshold": 9_000})) as running:
        await choose(running, "role: user")
        page = running.page
        running.slider("threshold").focus()
        for key in ("home", "end", "pagedown"):
            await running.press(key)
            assert running.page is page


async def test_dropped_messages_fold_on_a_filtered_page_too() -> None:
    session = talk(*[FILLER] * 5, tools=("Read", "Bash"), again=3)
    async with main_screen(opened(session, {"threshold": 0, "max_messages": 8})) as running:
        assert running.scene.kept_from == 7
        await choose(running, "role: user")
        assert blocks(running) == [(message, 0) for message in (0, 2, 4, 6, 7, 9, 11)]
        rows = running.rows.rows
        await running.press("z")
        assert running.rows.gap is not None
        assert running.rows.rows < rows
        assert "7 messages dropped" in screen_text(running.app)
        await choose(running, "role: user")
        assert "7 messages dropped" in screen_text(running.app)
        await running.press("z")
        assert running.rows.gap is None


@pytest.mark.parametrize("name", ["after-compact", "micro-then-retain", "unicode"])
async def test_any_filter_on_any_sample_at_any_call(name: str) -> None:
    async with main_screen(name) as running:
        tools = running.scene.evaluation.index.results.tools
        for wanted in (
            Filter(outcomes=CHANGED),
            Filter(roles=frozenset({"assistant"})),
            Filter(tools=frozenset(tools)),
        ):
            running.panes.filter(wanted)
            for call in running.scene.evaluation.calls[::3]:
                running.main.go_to_call(call)
                await running.press("n", "z", ">", "p", "<")
                whole = page_of(running.scene.evaluation.session)
                assert hidden(running) + int((running.page.kind != Kind.HIDDEN).sum()) == len(whole)
                assert running.left.virtual_size.height == running.right.virtual_size.height


async def test_hostile_names_are_shown_as_they_are() -> None:
    names = ("[bold]x[/]", "a\x1b]52;c;eA==\x07", "[/x]")
    async with main_screen(talk(*[FILLER] * 3, tools=names)) as running:
        await running.press("f", "end")
        shown = screen_text(running.app)
        assert "tool: [bold]x[/]" in shown
        assert "tool: [/x]" in shown
        assert "\x1b" not in shown
        assert "\x07" not in shown
        await running.press("space", "escape")
        assert blocks(running) == [(5, 0), (6, 0)]
        assert "\x1b" not in screen_text(running.app)


# The page alone


@st.composite
def sessions(draw: st.DrawFn) -> Session:
    """Sessions with system prompts, boundaries and subagents between their messages."""
    messages = draw(conversations)
    places = st.lists(st.integers(0, len(messages)), max_size=3).map(sorted)
    prompts = draw(st.lists(st.integers(0, 2), max_size=3))
    return replace(
        session_from_messages(messages),
        boundaries=tuple(map(Boundary, draw(places))),
        sidechains=tuple(Sidechain("agent", before, ()) for before in draw(places)),
        system=tuple(Message("system", tuple(TextBlock("be brief") for _ in range(count))) for count in prompts),
    )


@settings(max_examples=200, deadline=None)
@given(sessions(), st.data())
def test_a_filtered_page_keeps_the_order_and_counts_all_that_it_hides(session: Session, data: st.DataObject) -> None:
    whole = page_of(session)
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=len(whole), max_size=len(whole))), np.bool_)
    page = whole.only(keep)
    entries = [page.entry(number) for number in range(len(page))]
    assert [entry for entry in entries if entry.kind is not Kind.HIDDEN] == [
        whole.entry(number) for number in np.flatnonzero(keep).tolist()
    ]
    at = 0
    for number, entry in enumerate(entries):
        count = entry.block if entry.kind is Kind.HIDDEN else 1
        assert count > 0
        assert [page.entry_at(base) for base in range(at, at + count)] == [number] * count
        assert page.base_entry(number) == at
        assert page.end_of(number, -1) == whole.entry(at)
        assert page.end_of(number, 1) == whole.entry(at + count - 1)
        assert not keep[at : at + count].any() if entry.kind is Kind.HIDDEN else keep[at]
        at += count
    assert at == len(whole)
    assert all(one.kind is not Kind.HIDDEN or other.kind is not Kind.HIDDEN for one, other in pairwise(entries))
    # Whatever is gone to is shown, or hidden where one arrives.
    for message, one in enumerate(session.messages):
        for block in range(len(one.blocks)):
            assert page.entry_of(message, block) == page.entry_at(whole.entry_of(message, block))
    for message in range(len(session.messages) + 1):
        first = int(whole.first_entry[message])
        assert int(page.first_entry[message]) == (page.entry_at(first) if first < len(whole) else len(page))
    assert (page.heights(40, 3)[[entry.kind is Kind.HIDDEN for entry in entries]] == 1).all()


outcomes = st.frozensets(st.sampled_from(list(Outcome)), max_size=2)
roles = st.frozensets(st.sampled_from(["user", "assistant", "system"]), max_size=2)
names = st.frozensets(st.sampled_from(["Read", "Bash", "mcp_", "", "none"]), max_size=2)


def tool_of(message: dict[str, Any], block: dict[str, Any], called: dict[str, str]) -> str | None:
    """The tool that a block calls, or answers."""
    if block["type"] == "tool_use":
        return str(block["name"])
    return called.get(block["tool_use_id"]) if block["type"] == "tool_result" and message["type"] == "user" else None


@settings(max_examples=150, deadline=None)
@given(conversations, option_values, st.builds(Filter, outcomes, roles, names), st.sampled_from([0, 1, 4]))
def test_what_is_shown_is_what_the_filter_lets_through(
    messages: list[dict[str, Any]], values: dict[str, Any], wanted: Filter, stage: int
) -> None:
    session = session_from_messages(messages)
    evaluation = evaluate(session, "react-agent-mini-v4", CompactOptions(**values))
    scene = Scene(evaluation, evaluation.calls[-1], ("original", "budget", "micro", "retain", "outbound")[stage])
    whole = page_of(session)
    fates = {(f.message, f.block): f.outcome for f in scene.view.up_to(scene.stage).outcomes}
    called: dict[str, str] = {}
    expected = []
    for m, message in enumerate(messages):
        for b, block in enumerate(message["content"]):
            if block["type"] == "tool_use":
                called[block["id"]] = block["name"]
            if wanted.outcomes and fates.get((m, b)) not in wanted.outcomes:
                continue
            if wanted.roles and message["type"] not in wanted.roles:
                continue
            if wanted.tools and tool_of(message, block, called) not in wanted.tools:
                continue
            expected.append((m, b))
    page = filtered(whole, scene, wanted)
    entries = [page.entry(number) for number in range(len(page))]
    assert [(m, b) for kind, m, b in entries if kind is Kind.BLOCK] == expected
