"""The search: what it counts on both sides, where its keys lead, and what it shows on the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from threading import Event

import pytest
from rich.style import Style
from textual.widgets import Checkbox, Input

from tests.app.helpers import Running, main_screen, number, opened, strips, text_of
from tests.app.talk import CLEARING, FILLER, talk
from tests.app.waiting import searched, until
from tui.app.filtering import Filter
from tui.app.layout import Kind
from tui.app.widgets.pane import Pane
from tui.app.widgets.search_bar import SearchBar
from tui.model import Boundary, Session, TextBlock
from tui.model.session import Message
from tui.pipeline.index import SessionIndex
from tui.pipeline.search import Query, search


def five() -> Session:
    """Five results, each with a needle; the first three are cleared with ``CLEARING``."""
    return talk(*(f"needle {number}\n{FILLER}" for number in range(5)))


def bar_of(running: Running) -> SearchBar:
    return running.main.query_one(SearchBar)


def gap_is_folded(running: Running) -> bool:
    return running.rows.gap is not None


async def look_for(running: Running, text: str) -> str:
    """Types a search and says what the line counts in the end."""
    await running.press("/", *text)
    return await searched(running)


def count_of(running: Running) -> str:
    """What the line says now."""
    return str(bar_of(running).query_one(".count").render())


def matches(pane: Pane) -> list[str]:
    """What is marked as a match in a pane, in order."""
    style: Style = pane.get_component_rich_style("pane--match")
    return [
        segment.text
        for strip in strips(pane)
        for segment in strip
        if segment.style and (segment.style.bgcolor, segment.style.color) == (style.bgcolor, style.color)
    ]


async def test_slash_opens_it_and_escape_ends_it() -> None:
    async with main_screen(five()) as running:
        assert not bar_of(running).display
        await running.press("/")
        assert bar_of(running).display
        assert bar_of(running).query_one(Input).has_focus
        await running.press(*"needle", "enter")
        assert bar_of(running).active
        assert running.left.has_focus
        await running.press("escape")
        assert not bar_of(running).display
        assert not bar_of(running).active
        assert running.left.has_focus
        assert running.on_top


async def test_escape_in_the_line_ends_it_too_and_the_next_search_begins_with_the_last_text() -> None:
    async with main_screen(five()) as running:
        await running.press("/", *"needle", "escape")
        assert not bar_of(running).display
        assert not bar_of(running).active
        await running.press("/")
        assert await searched(running) == "5 in the conversation, 5 sent"
        await running.press(*"go")  # typed over the selected text
        assert await searched(running) == "1 in the conversation, 1 sent"


@pytest.mark.parametrize(
    ("text", "stage", "counts"),
    [
        ("needle", "4", (5, 2)),
        ("needle", "2", (5, 2)),
        ("needle", "1", (5, 5)),
        ("needle", "0", (5, 5)),
        ("cleared", "4", (0, 3)),
        ("cleared", "0", (0, 0)),
        ("2.py", "4", (1, 2)),  # the call; the placeholder of its result names the path too
        ("go", "4", (1, 1)),
        ("[/x]", "4", (0, 0)),
    ],
)
async def test_hits_are_counted_on_both_sides(text: str, stage: str, counts: tuple[int, int]) -> None:
    async with main_screen(opened(five(), CLEARING)) as running:
        await running.press(stage)
        assert await look_for(running, text) == f"{counts[0]} in the conversation, {counts[1]} sent"


async def test_what_is_sent_follows_stage_call_and_sliders() -> None:
    async with main_screen(opened(five(), CLEARING)) as running:
        assert await look_for(running, "needle") == "5 in the conversation, 2 sent"
        await running.press("enter", "0")
        assert await searched(running) == "5 in the conversation, 5 sent"
        await running.press("4", "s")
        running.slider("keep_recent").focus()
        await running.press("right")
        assert await searched(running) == "5 in the conversation, 3 sent"
        await running.press("home")
        assert await searched(running) == "5 in the conversation, 0 sent"
        await running.press("end")
        assert await searched(running) == "5 in the conversation, 5 sent"
        await running.press("[", "[")
        assert running.scene.view.end == 9  # after the fourth result
        assert await searched(running) == "5 in the conversation, 4 sent"


async def test_n_walks_the_hits_round_the_end_and_capital_n_back_until_escape() -> None:
    async with main_screen(opened(five(), CLEARING)) as running:
        await running.press("<")
        await look_for(running, "needle")
        await running.press("enter")
        seen = [running.place[0]]
        for _ in range(6):
            await running.press("n")
            seen.append(running.place[0])
        assert seen == [2, 4, 6, 8, 10, 2, 4]
        for _ in range(4):
            await running.press("N")
            seen.append(running.place[0])
        assert seen[-4:] == [2, 10, 8, 6]
        await running.press("escape", "<", "n")
        assert running.place[0] == 2  # n means changed blocks again: 2, 4 and 6 are
        await running.press("n", "n", "n")
        assert running.place[0] == 6
        assert "no further block changed" in running.notices[-1]
        await running.press("N")
        assert running.place[0] == 6
        assert running.notices[-1] == "nothing is searched for: / starts a search"


@pytest.mark.parametrize(("start", "first", "then"), [(4, 4, 6), (5, 6, 8), (11, 2, 4)])
async def test_enter_goes_to_the_nearest_hit_from_the_cursor_on(start: int, first: int, then: int) -> None:
    async with main_screen(five()) as running:
        running.panes.go_to(start)
        await look_for(running, "needle")
        assert running.place[0] == start  # typing alone moves nothing
        await running.press("enter")
        assert running.place[0] == first
        await running.press("n")
        assert running.place[0] == then


async def test_hits_only_in_what_is_sent_are_walked_too() -> None:
    async with main_screen(opened(five(), CLEARING)) as running:
        await running.press("<")
        assert await look_for(running, "1.py") == "1 in the conversation, 2 sent"
        await running.press("enter")
        assert running.place[0] == 3
        await running.press("n")
        assert running.place[0] == 4
        assert matches(running.right)
        await running.press("n", "N")
        assert running.place[0] == 4


async def test_from_between_two_messages_the_next_block_comes_first() -> None:
    plain = talk("needle", "needle", ask="needle")
    prompt = Message("system", (TextBlock("be brief"),))
    session = replace(plain, system=(prompt,), boundaries=(Boundary(2), Boundary(6)))
    async with main_screen(session) as running:
        assert [running.page.entry(number).kind for number in (0, 3)] == [Kind.SYSTEM, Kind.BOUNDARY]
        await running.press("<")
        await look_for(running, "needle")
        await running.press("enter")
        assert running.place == (0, 0)
        await running.press("<", "n")
        assert running.place == (0, 0)
        await running.press("down", "down", "n")
        assert running.place == (2, 0)
        await running.press("up", "N")
        assert running.place == (0, 0)
        await running.press(">", "n")
        assert running.place == (0, 0)
        await running.press(">", "N")
        assert running.place == (4, 0)


async def test_case_counts_only_where_a_capital_is_typed() -> None:
    async with main_screen(talk("Error one", "error two", "ERROR three", "éa", "Éa")) as running:
        for text, count in (("error", 3), ("Error", 1), ("ERROR", 1), ("eRror", 0), ("é", 2), ("É", 1)):
            assert await look_for(running, text) == f"{count} in the conversation, {count} sent", text
            await running.press("escape")


async def test_plain_text_or_regular_expression() -> None:
    async with main_screen(talk("a.b", "axb", "a.b axb", "none")) as running:
        assert await look_for(running, "a.b") == "2 in the conversation, 2 sent"
        await running.press("alt+r")
        assert bar_of(running).query_one(Checkbox).value
        assert await searched(running) == "3 in the conversation, 3 sent"
        assert bar_of(running).query_one(Input).has_focus
        await running.press("alt+r")
        assert await searched(running) == "2 in the conversation, 2 sent"


async def test_the_switch_can_be_clicked() -> None:
    async with main_screen(talk("a.b", "axb")) as running:
        assert await look_for(running, "a.b") == "1 in the conversation, 1 sent"
        await running.pilot.click(bar_of(running).query_one(Checkbox))
        assert await searched(running) == "2 in the conversation, 2 sent"
        await running.pilot.click(bar_of(running).query_one(Checkbox))
        assert await searched(running) == "1 in the conversation, 1 sent"


async def test_what_is_no_regular_expression_is_said_so_and_can_be_put_right() -> None:
    async with main_screen(five(), size=(160, 40)) as running:
        bar = bar_of(running)
        await running.press("/", "alt+r", *"needle (0|")
        assert "this is no regular expression" in count_of(running)
        assert bar.query_one(".count").has_class("-wrong")
        await running.press("enter")  # nothing to go to, and nothing breaks
        assert running.on_top
        assert matches(running.left) == []
        await running.press("/", "end", *"1)")
        assert await searched(running) == "2 in the conversation, 2 sent"
        assert not bar.query_one(".count").has_class("-wrong")
        assert "no regular expression" not in count_of(running)
        await running.press("alt+r")
        assert await searched(running) == "0 in the conversation, 0 sent"


async def test_matches_are_marked_on_both_sides_while_it_lasts() -> None:
    session = talk(f"needle 0\n{FILLER}", "a needle, NEEDLE", "hay", ask="needle?")
    async with main_screen(opened(session, CLEARING | {"keep_recent": 0})) as running:
        await running.press("<")
        await look_for(running, "needle")
        # The first result is cleared, so that only the conversation has it.
        assert matches(running.left) == ["needle", "needle", "needle", "NEEDLE"]
        assert matches(running.right) == ["needle", "needle", "NEEDLE"]
        await running.press("enter", "escape")
        assert matches(running.left) == matches(running.right) == []
        await look_for(running, "NEEDLE")
        assert matches(running.left) == matches(running.right) == ["NEEDLE"]
        await running.press(*["backspace"] * 6)
        assert matches(running.left) == []
        assert count_of(running) == ""


async def test_a_hit_in_a_folded_block_is_unfolded_and_put_in_sight() -> None:
    rows = [f"row {number}" for number in range(90)]
    rows[70] = "the needle is here"
    async with main_screen(talk("hay", "\n".join(rows), "hay"), size=(100, 24)) as running:
        await running.press("<")
        await look_for(running, "needle")
        assert matches(running.left) == []
        await running.press("enter")
        assert running.place[0] == 4
        assert running.rows.is_unfolded(running.panes.cursor)
        assert matches(running.left) == matches(running.right) == ["needle"]


async def test_a_hit_that_a_folded_block_shows_leaves_it_folded() -> None:
    async with main_screen(five()) as running:
        await running.press("<")
        await look_for(running, "needle")
        await running.press("enter")
        assert matches(running.left)[0] == "needle"
        assert not running.rows.unfolded


async def test_a_call_that_is_found_by_its_tool_stays_folded() -> None:
    async with main_screen(talk("hay", "hay", tools=("Read", "Bash"))) as running:
        await running.press("<")
        assert await look_for(running, "bash") == "1 in the conversation, 1 sent"
        await running.press("enter")
        assert running.place == (3, 0)
        assert not running.rows.unfolded


async def test_the_tool_in_the_header_of_a_result_is_not_taken_for_its_hit() -> None:
    async with main_screen(talk(f"{FILLER}\nBash and so on", tools=("Bash",)), size=(100, 24)) as running:
        running.panes.go_to(2)
        assert await look_for(running, "Bash") == "2 in the conversation, 2 sent"
        await running.press("enter")
        assert running.place == (2, 0)
        assert "Bash and so on" in text_of(running.left)


async def test_a_hit_in_the_part_that_is_cut_off_is_put_in_sight() -> None:
    text = "\n".join(f"row {number}" for number in range(400)) + "\nthe needle is here\n" + FILLER
    options = {"max_tool_result_chars": 200, "threshold": 10**9}
    async with main_screen(opened(talk(text), options), size=(100, 24)) as running:
        await running.press("<")
        assert await look_for(running, "needle") == "1 in the conversation, 0 sent"
        await running.press("enter")
        assert matches(running.left) == ["needle"]
        assert matches(running.right) == []


async def test_a_hit_that_wraps_over_two_rows_is_put_in_sight() -> None:
    rows = [f"row {number}" for number in range(90)]
    async with main_screen(talk("\n".join(rows)), size=(100, 24)) as running:
        width = running.rows.width
    rows[70] = "x" * (width - 3) + "needle"
    async with main_screen(talk("\n".join(rows)), size=(100, 24)) as running:
        await running.press("<")
        await look_for(running, "needle")
        await running.press("enter")
        assert "x" * (width - 3) + "nee" in text_of(running.left)


async def test_a_hit_among_dropped_messages_unfolds_their_gap() -> None:
    session = talk(*(f"needle {number} {FILLER}" for number in range(5)), again=3)
    async with main_screen(opened(session, {"threshold": 0, "max_messages": 8})) as running:
        assert running.scene.kept_from == 7
        await running.press("z", ">")
        assert gap_is_folded(running)
        await look_for(running, "needle 1")
        await running.press("enter")
        assert running.place[0] == 4
        assert not gap_is_folded(running)
        assert matches(running.left)[0] == "needle 1"
        assert matches(running.right) == []


async def test_no_match_is_said_and_moves_nothing() -> None:
    async with main_screen(five()) as running:
        await running.press("<")
        place = running.place
        assert await look_for(running, "nowhere") == "0 in the conversation, 0 sent"
        await running.press("enter")
        assert running.notices[-1] == "no match"
        await running.press("n", "N")
        assert running.notices == ["no match"] * 3
        assert running.place == place


@pytest.mark.parametrize("text", ["a*", "^", "$", "\\b", "(?=x)"])
async def test_a_pattern_that_matches_nothing_everywhere_does_no_harm(text: str) -> None:
    async with main_screen(talk("xaax", "bb")) as running:
        await running.press("<", "/", "alt+r", *text)
        words = await searched(running)
        await running.press("enter", "n", "N")
        assert "in the conversation" in words
        assert set(matches(running.left)) <= {"a", "aa"}


async def test_an_empty_session_can_be_searched() -> None:
    async with main_screen(talk().__class__(format="empty", messages=())) as running:
        assert await look_for(running, "x") == "0 in the conversation, 0 sent"
        await running.press("enter", "n", "N", "escape")
        assert running.on_top


# On a filtered page


async def test_what_the_filter_hides_is_counted_and_its_gap_is_gone_to_once() -> None:
    session = talk(*["needle"] * 6, tools=("Read", "Read", "Bash"))
    async with main_screen(session) as running:
        running.panes.filter(Filter(tools=frozenset({"Bash"})))
        await running.press("<")
        assert await look_for(running, "needle") == "6 in the conversation, 6 sent"
        await running.press("enter")
        seen = [running.page.entry(running.panes.cursor)]
        for _ in range(4):
            await running.press("n")
            seen.append(running.page.entry(running.panes.cursor))
        # Two results of Read before each of Bash: they share a gap.
        assert [(entry.kind, entry.message) for entry in seen] == [
            (Kind.HIDDEN, 0),
            (Kind.BLOCK, 6),
            (Kind.HIDDEN, 7),
            (Kind.BLOCK, 12),
            (Kind.HIDDEN, 0),
        ]
        back = []
        for _ in range(4):
            await running.press("N")
            back.append(running.page.entry(running.panes.cursor))
        assert back == seen[3::-1]
        running.panes.filter(Filter())
        await running.settle()
        assert running.place == (4, 0)  # the hit for which N went to the gap


async def test_on_a_filtered_page_a_hit_in_a_folded_block_is_unfolded() -> None:
    session = talk("hay", f"{FILLER}\nneedle", "hay", tools=("Read", "Bash", "Read"))
    async with main_screen(session) as running:
        running.panes.filter(Filter(tools=frozenset({"Bash"})))
        await running.press("<")
        await look_for(running, "needle")
        await running.press("enter")
        assert running.place == (4, 0)
        assert matches(running.left) == ["needle"]


# In a worker


class Gate:
    """A search that stops after its first batch until it is opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.waiting = Event()
        self._open = Event()
        monkeypatch.setattr("tui.app.widgets.search_bar.search", self._search)

    def open(self) -> None:
        self._open.set()

    def _search(
        self, index: SessionIndex, query: Query, first: int, cancelled: Callable[[], bool]
    ) -> Iterator[list[int]]:
        for batch in search(index, query, first, cancelled):
            yield batch
            self.waiting.set()
            while not self._open.wait(0.002) and not cancelled():
                pass


async def test_the_first_hits_can_be_walked_while_the_rest_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(monkeypatch)
    async with main_screen(talk(*["needle"] * 400)) as running:
        running.panes.go_to(200)
        await running.press("/", *"needle")
        await until(running, lambda: "so far" in count_of(running) and gate.waiting.is_set())
        words = count_of(running)
        found = number(words.split()[0])
        assert 0 < found < 400
        assert words == f"{found} in the conversation so far"
        await running.press("enter", "n", "n")
        assert running.place[0] == 204
        assert len(matches(running.left)) > 3
        gate.open()
        assert await searched(running) == "400 in the conversation, 400 sent"
        running.panes.go_to(0)
        await running.press("n")
        assert running.place[0] == 2


async def test_before_anything_is_found_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(monkeypatch)
    async with main_screen(talk(*["hay"] * 400, end="needle")) as running:
        running.panes.go_to(0)
        await running.press("/", *"needle", "enter")
        assert running.notices == ["no match yet"]
        gate.open()
        assert await searched(running) == "1 in the conversation, 1 sent"
        await running.press("n")
        assert running.place[0] == 801


async def test_what_is_typed_further_ends_the_search_before(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(monkeypatch)
    async with main_screen(talk(*(f"needle {number}" for number in range(400)))) as running:
        await running.press("<", "/", *"needle")
        await until(running, gate.waiting.is_set)
        await running.press(*" 39")
        gate.open()
        assert await searched(running) == "11 in the conversation, 11 sent"
        await running.press("escape")
        for _ in range(20):
            await running.settle()
        assert not bar_of(running).active
        assert matches(running.left) == []


async def test_what_an_ended_search_or_a_picture_before_still_brings_is_not_counted() -> None:
    async with main_screen(opened(five(), CLEARING)) as running:
        bar = bar_of(running)
        await look_for(running, "needle")
        before, scene = bar._query, running.scene
        await running.press(*" 1", "enter", "0")
        now = await searched(running)
        assert now == "1 in the conversation, 1 sent"
        assert before is not None
        assert bar._query is not None
        bar.post_message(SearchBar.Found(before, [0, 1], done=True))
        bar.post_message(SearchBar.Sent(before, running.scene, [0, 1], [0, 1]))
        bar.post_message(SearchBar.Sent(bar._query, scene, [], []))
        await running.settle()
        assert count_of(running) == now
        await running.press("<", "n")
        assert running.place == (4, 0)


async def test_leaving_while_it_searches_waits_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(monkeypatch)
    async with main_screen(talk(*["needle"] * 400)) as running:
        await running.press("/", *"needle")
        await until(running, gate.waiting.is_set)
        await running.press("enter", "q")
        assert running.app._exit
