"""A large session: its head is shown, and all keys work, while the rest is still read."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Event
from time import sleep

import pytest
from textual.events import MouseScrollDown
from textual.widgets import OptionList

from tests.app.helpers import Running, app_on, main_screen, number, screen_of, screen_text, text_of, write_messages
from tests.app.waiting import searched, until
from tests.generate import messages
from tui.app import loader, opened
from tui.app.app import OutboundApp
from tui.app.layout import Kind
from tui.app.opened import Opened, Progress, Start, open_session
from tui.app.screens.filter import FilterScreen
from tui.app.screens.inspector import Inspector
from tui.app.screens.main import MainScreen
from tui.app.screens.picker import PickerScreen
from tui.app.widgets.search_bar import SearchBar
from tui.formats import load_session
from tui.model import SessionError

COUNT = 700
HEAD = 120


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that is read in several parts."""
    return write_messages(tmp_path_factory.mktemp("large") / "large.jsonl", list(messages(COUNT, 1_000)))


class Reading:
    """Reading a file, which waits once its head is shown until a test lets it go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._fault: Exception | None = None
        self._instead: Path | None = None
        self.ended = Event()
        self._go_on = Event()
        monkeypatch.setattr(loader, "HEAD_AFTER", 0.0)
        monkeypatch.setattr(loader, "open_session", self._open)
        monkeypatch.setattr(opened, "HEAD", HEAD)

    def go_on(self, fault: Exception | None = None, instead: Path | None = None) -> None:
        """Lets it read the rest, or come upon a fault, or end with what another file holds."""
        self._fault, self._instead = fault, instead
        self._go_on.set()

    def _open(self, path: str, start: Start, progress: Progress, cancelled: Callable[[], bool]) -> Opened:
        def told(doing: str, done: int, total: int | None, head: Callable[[], Opened] | None = None) -> None:
            progress(doing, done, total, head)
            if head is not None:
                while not self._go_on.wait(0.002) and not cancelled():
                    progress(doing, done, total)
                if self._fault is not None:
                    raise self._fault

        try:
            found = open_session(path, start, told, cancelled)
            return found if self._instead is None else open_session(str(self._instead), start, progress, cancelled)
        finally:
            self.ended.set()


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> Reading:
    return Reading(monkeypatch)


@asynccontextmanager
async def head_shown(path: Path, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Running]:
    """The app once it shows the head of a file."""
    async with app_on(path, size) as pilot:
        main = await screen_of(pilot, MainScreen)
        assert isinstance(pilot.app, OutboundApp)
        yield Running(pilot.app, pilot, main)


def count(running: Running) -> int:
    return len(running.scene.evaluation.session.messages)


async def whole(running: Running, reading: Reading) -> None:
    """Lets the rest be read and waits until all is shown."""
    reading.go_on()
    await until(running, lambda: count(running) == COUNT)


def counted(running: Running) -> int:
    """How many messages the left pane says there are."""
    return number(re.findall(r"([\d,]+) messages", str(running.left.border_title))[-1])


def look(running: Running) -> tuple[int, ...]:
    """What is looked at: call, block under the cursor, its row of the screen, and the topmost row of the page."""
    return running.scene.call, *running.place, running.screen_row, running.left.scroll_offset.y


def drawn(running: Running) -> list[str]:
    """The rows of the left pane, without its border."""
    return text_of(running.left).splitlines()[1:-1]


async def test_the_head_is_shown_and_then_the_whole(path: Path, reading: Reading) -> None:
    async with head_shown(path) as running:
        assert count(running) == counted(running) == HEAD
        await until(running, lambda: "its head is shown, Escape cancels" in screen_text(running.app))
        assert (running.scene.call, running.place) == (1, (0, 0))
        await whole(running, reading)
        assert counted(running) == COUNT
        assert "its head is shown" not in screen_text(running.app)
        assert not running.main.query("#loading")
        # Nothing was touched: it opens as it would have, had it been read at once.
        async with main_screen(load_session(path)) as other:
            assert (look(running), drawn(running)) == (look(other), drawn(other))
            assert other.scene.call == other.scene.evaluation.calls[-1]


async def test_keys_work_while_the_rest_is_read(path: Path, reading: Reading) -> None:
    async with head_shown(path) as running:
        await running.press("]", "j", "enter", "2")
        assert (running.scene.call, running.scene.stage) == (2, "micro")
        assert running.rows.is_unfolded(1)
        await running.press("i")
        await screen_of(running.pilot, Inspector)
        await running.press("escape", "4", "s", "home", "s")
        assert running.options.threshold == 0
        await running.press("/", *"the")
        assert "in the conversation" in await searched(running)
        await running.press("enter", "n", "escape")
        assert not running.main.query_one(SearchBar).active
        await running.press("f", "c", "a", "escape", "T", "escape", "W", "escape", "x", "escape", "?", "escape")
        assert running.on_top
        assert count(running) == HEAD
        await whole(running, reading)
        assert running.options.threshold == 0
        await running.press("u")
        assert running.options.threshold == 80_000


@pytest.mark.parametrize("keys", ["jjj", "<down>", "]]]]", "G", "jj<enter>", "<pagedown>", "<enter>", "+", "<wheel>"])
async def test_what_the_user_looks_at_stays(path: Path, reading: Reading, keys: str) -> None:
    async with head_shown(path) as running:
        if keys == "<wheel>":
            for _ in range(3):
                await running.pilot._post_mouse_events([MouseScrollDown], running.left, offset=(9, 5), button=0)
                await running.settle()
            assert running.left.scroll_offset.y > 0
        else:
            await running.press(*(key.strip("<>") for key in re.findall("<.*?>|.", keys)))
        before, rows, unfolded = look(running), drawn(running), running.rows.unfolded
        await whole(running, reading)
        assert look(running) == before
        assert running.rows.unfolded == unfolded
        if keys != "G":  # below the last of the head there is more now
            assert drawn(running)[: len(rows)] == rows  # one more has room where the progress was
        assert running.left.scroll_offset == running.right.scroll_offset
        assert counted(running) == COUNT


async def test_a_filter_and_a_search_go_on(path: Path, reading: Reading) -> None:
    async with head_shown(path) as running:
        await running.press("f")
        screen = await screen_of(running.pilot, FilterScreen)
        await running.press("end", "space", "escape")
        assert isinstance(screen, FilterScreen)
        wanted = running.panes.wanted
        assert wanted.tools
        await running.press("<", "down", "down", "/", *"path")
        first = await searched(running)
        await running.press("enter")
        place = running.place
        await whole(running, reading)
        assert running.panes.wanted == wanted
        assert (running.page.kind == Kind.HIDDEN).any()
        assert running.place == place
        assert len(running.page) > HEAD
        second = await searched(running)
        assert number(second.split()[0]) > number(first.split()[0])


async def test_a_filter_screen_that_is_open_meanwhile_still_filters(path: Path, reading: Reading) -> None:
    async with head_shown(path) as running:
        await running.press("f")
        await whole(running, reading)
        await running.press("c", "escape")
        assert running.on_top
        assert counted(running) == COUNT
        assert (running.page.kind == Kind.BLOCK).any()
        assert (running.page.kind == Kind.HIDDEN).any()


async def test_escape_cancels_and_leads_to_the_picker(path: Path, reading: Reading) -> None:
    async with head_shown(path) as running:
        await running.press("j", "escape")
        await screen_of(running.pilot, PickerScreen)
        await until_ended(running, reading)
        for _ in range(5):
            await running.settle()
        assert isinstance(running.app.screen, PickerScreen)


async def until_ended(running: Running, reading: Reading) -> None:
    """Waits until the thread that reads has ended, without being let go on."""
    await until(running, reading.ended.is_set)


async def test_escape_first_ends_what_is_nearer(path: Path, reading: Reading) -> None:
    async with head_shown(path) as running:
        await running.press("/", *"the", "enter", "escape")
        assert running.on_top
        await running.press("s", "escape")
        assert running.on_top
        assert not reading.ended.is_set()
        await running.press("escape")
        await screen_of(running.pilot, PickerScreen)


@pytest.mark.parametrize("key", ["q", "ctrl+q"])
async def test_quitting_waits_for_nothing(path: Path, reading: Reading, key: str) -> None:
    async with head_shown(path) as running:
        await running.press(key)
        assert running.app._exit
    for _ in range(600):
        if reading.ended.is_set():
            break
        sleep(0.005)
    assert reading.ended.is_set()


async def test_any_size_while_the_rest_is_read(path: Path, reading: Reading) -> None:
    async with head_shown(path) as running:
        await running.press("j", "j", "j")
        place = running.place
        for size in ((80, 24), (20, 6), (1, 1), (200, 60), (100, 30)):
            await running.pilot.resize_terminal(*size)
            await running.settle()
        await whole(running, reading)
        assert running.place == place
        assert 0 <= running.screen_row < running.left.scrollable_content_region.height
        assert "its head is shown" not in screen_text(running.app)


async def test_a_fault_in_the_middle_is_said_by_the_picker(path: Path, reading: Reading) -> None:
    async with head_shown(path) as running:
        await running.press("j")
        reading.go_on(SessionError("the file is cut off here", source="large.jsonl", line=123))
        picker = await screen_of(running.pilot, PickerScreen)
        shown = screen_text(running.app)
        assert "the file is cut off here" in shown
        assert "123" in shown
        assert picker.query_one(OptionList).has_focus


async def test_a_rest_that_makes_the_session_shorter(path: Path, reading: Reading, tmp_path: Path) -> None:
    short = write_messages(tmp_path / "short.jsonl", list(messages(8, 1_000)))
    async with head_shown(path) as running:
        await running.press("G", "enter", *"]" * 12)
        assert running.place[0] > 8
        assert running.scene.call > 8
        reading.go_on(instead=short)
        await until(running, lambda: count(running) == 8)
        assert running.scene.call == running.scene.evaluation.calls[-1]
        assert running.place[0] <= 7
        await running.press("n", "p", "k", "enter", "[")
        assert running.on_top


async def test_a_small_file_has_no_head(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loader, "HEAD_AFTER", 0.0)
    small = write_messages(tmp_path / "small.jsonl", list(messages(10, 500)))
    async with app_on(small) as pilot:
        main = await screen_of(pilot, MainScreen)
        assert not main.query("#loading")
