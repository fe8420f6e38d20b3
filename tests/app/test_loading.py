"""From a path to a screen: the picker, loading with progress, cancelling, and what is wrong said in words."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from textual.widgets import Input, OptionList

from tests.app.helpers import app_on, screen_of, screen_text, settle, write_messages
from tui.app import loader
from tui.app.opened import Opened, Progress, Start, open_session
from tui.app.screens.loading import LoadingScreen
from tui.app.screens.main import MainScreen
from tui.app.screens.picker import PickerScreen
from tui.demos.samples import sample, samples
from tui.model import LoadCancelled

MESSAGES = [{"type": "user", "content": [{"type": "text", "text": "hello"}]}]


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return write_messages(tmp_path / "session.jsonl", MESSAGES)


@pytest.fixture
def stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of which half is read, and no more until loading is cancelled."""

    def half(path: str, start: Start, progress: Progress, cancelled: Callable[[], bool]) -> Opened:
        progress("reading", 0, None)
        sleep(2 * loader.TELL_EVERY)
        progress("reading", 1_500_000, 3_000_000)
        while not cancelled():
            sleep(0.002)
        raise LoadCancelled("cancelled", source=path)

    monkeypatch.setattr(loader, "open_session", half)


def squeezed(text: str) -> str:
    """Without white space: where lines break depends on how long a path is."""
    return "".join(text.split())


async def wait_for(pilot: Any, words: str) -> None:
    for _ in range(300):
        if squeezed(words) in squeezed(screen_text(pilot.app)):
            return
        await pilot.pause(0.01)
    raise AssertionError(screen_text(pilot.app))


@pytest.mark.usefixtures("stuck")
async def test_progress_is_shown_and_escape_cancels() -> None:
    async with app_on("some.jsonl") as pilot:
        await wait_for(pilot, "reading 1.5 MB of 3.0 MB")
        assert "50%" in screen_text(pilot.app)
        assert "some.jsonl" in screen_text(pilot.app)
        assert "Escape cancels" in screen_text(pilot.app)
        await pilot.press("escape")
        await settle(pilot)
        assert isinstance(pilot.app.screen, PickerScreen)


@pytest.mark.usefixtures("stuck")
async def test_quitting_and_resizing_while_loading() -> None:
    async with app_on("some.jsonl") as pilot:
        await wait_for(pilot, "reading 1.5 MB")
        for size in ((20, 6), (1, 1), (200, 60)):
            await pilot.resize_terminal(*size)
            await settle(pilot)
        assert isinstance(pilot.app.screen, LoadingScreen)
        await pilot.press("q")
        assert pilot.app._exit


async def test_a_file_that_arrives_after_escape_is_not_shown(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    finished: list[Opened] = []

    def slow(path: str, start: Start, progress: Progress, cancelled: Callable[[], bool]) -> Opened:
        while not cancelled():
            sleep(0.002)
        finished.append(open_session(path, start, progress, lambda: False))
        return finished[0]

    monkeypatch.setattr(loader, "open_session", slow)
    async with app_on(session) as pilot:
        await screen_of(pilot, LoadingScreen)
        await pilot.press("escape")
        while not finished:
            await pilot.pause(0.005)
        await settle(pilot)
        assert isinstance(pilot.app.screen, PickerScreen)


def _missing(folder: Path) -> Path:
    return folder / "nowhere.jsonl"


def _text(folder: Path) -> Path:
    path = folder / "prose.txt"
    path.write_text("Once upon a time\nthere was no JSON.\n")
    return path


def _other_json(folder: Path) -> Path:
    path = folder / "package.json"
    path.write_text(json.dumps({"name": "x", "version": "1"}))
    return path


def _zip(folder: Path) -> Path:
    path = folder / "log.eval"
    path.write_bytes(b"PK\x03\x04 and so on")
    return path


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (_missing, "there is no such file"),
        (_text, "not a known session"),
        (_other_json, "not a known session"),
        (_zip, "Inspect .eval"),
    ],
)
async def test_what_is_wrong_is_said_and_escape_leads_to_the_picker(
    make: Callable[[Path], Path], words: str, tmp_path: Path
) -> None:
    path = make(tmp_path)
    async with app_on(path, size=(200, 24)) as pilot:
        await wait_for(pilot, words)
        assert path.name in squeezed(screen_text(pilot.app))
        assert "Escape chooses another file" in screen_text(pilot.app)
        assert "Traceback" not in screen_text(pilot.app)
        await pilot.press("escape")
        await screen_of(pilot, PickerScreen)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read anything")
async def test_a_file_that_may_not_be_read(session: Path) -> None:
    session.chmod(0)
    async with app_on(session) as pilot:
        await wait_for(pilot, "this file may not be read")


@pytest.mark.parametrize("error", [MemoryError, RecursionError, ValueError("boom")])
async def test_no_error_takes_the_screen_down(
    error: Exception | type[Exception], session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Opened:
        raise error

    monkeypatch.setattr(loader, "open_session", fail)
    async with app_on(session) as pilot:
        if error is MemoryError:
            await wait_for(pilot, "not enough memory")
        else:
            await wait_for(pilot, "Escape chooses another file")
        await pilot.press("escape")
        await screen_of(pilot, PickerScreen)


@pytest.mark.parametrize("content", [b"", b"\n\n \n", b"[]", b'{"messages": []}'])
async def test_an_empty_session_opens(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "empty.json"
    path.write_bytes(content)
    async with app_on(path) as pilot:
        await screen_of(pilot, MainScreen)
        shown = screen_text(pilot.app)
        assert "0 messages" in shown
        assert "call 1 of 1" in shown


async def test_a_compressed_file_opens(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(MESSAGES).encode()))
    async with app_on(path) as pilot:
        main = await screen_of(pilot, MainScreen)
        assert main.scene is not None
        assert main.scene.view.message_count == 1


# The picker


async def test_every_sample_is_offered_and_opens_where_its_story_is() -> None:
    async with app_on(None, size=(120, 60)) as pilot:
        await screen_of(pilot, PickerScreen)
        shown = screen_text(pilot.app)
        for one in samples():
            assert one.title in shown
        await pilot.press("j", "down", "k", "enter")
        main = await screen_of(pilot, MainScreen)
        assert main.scene is not None
        assert main.scene.stage == samples()[1].stage
        await pilot.press("ctrl+o")
        await screen_of(pilot, PickerScreen)


async def test_a_sample_named_by_its_path_opens_where_its_story_is() -> None:
    one = sample("micro-then-retain")
    async with app_on(one.path) as pilot:
        main = await screen_of(pilot, MainScreen)
        assert main.scene is not None
        assert (main.scene.call, main.scene.stage) == (one.call, one.stage)
        assert main.scene.evaluation.options.line == one.options["threshold"]


async def test_a_typed_path(session: Path) -> None:
    async with app_on(None) as pilot:
        await screen_of(pilot, PickerScreen)
        await pilot.press("slash")
        line = pilot.app.screen.query_one(Input)
        assert line.has_focus
        for wrong in ("/no/such/file", "~nosuchuser/x.jsonl", "nul\0byte", "x" * 5_000, "[/x]", "\udcff"):
            line.value = wrong
            await pilot.press("enter")
            assert isinstance(pilot.app.screen, PickerScreen), wrong
        assert "there is no such file" in screen_text(pilot.app)
        await pilot.press("escape")
        assert pilot.app.screen.query_one(OptionList).has_focus
        await pilot.press("slash")
        line.value = f"  {session} "
        await pilot.press("enter")
        await screen_of(pilot, MainScreen)


async def test_a_typed_directory_is_listed(session: Path) -> None:
    async with app_on(None, size=(160, 30)) as pilot:
        await screen_of(pilot, PickerScreen)
        pilot.app.screen.query_one(Input).focus()
        pilot.app.screen.query_one(Input).value = str(session.parent)
        await pilot.press("enter")
        await wait_for(pilot, "session.jsonl")
        assert "sessions in" in screen_text(pilot.app)
        await pilot.press("enter")
        await screen_of(pilot, MainScreen)


async def test_an_empty_directory(tmp_path: Path) -> None:
    async with app_on(tmp_path) as pilot:
        await screen_of(pilot, PickerScreen)
        assert "no sessions here" in screen_text(pilot.app)
        await pilot.press("enter", "down", "j")
        assert isinstance(pilot.app.screen, PickerScreen)


async def test_hostile_names_in_a_directory(tmp_path: Path) -> None:
    names = ["[x].jsonl", "[@click=app.quit]q[bold].json", "\x1b]52;c;eA==\x07.jsonl", "a\nb.json", "\u202egpj.jsonl"]
    for name in names:
        write_messages(tmp_path / name, MESSAGES)
    raw = os.fsencode(tmp_path) + b"/\xff\xfe.jsonl"
    Path(os.fsdecode(raw)).write_bytes(json.dumps(MESSAGES).encode())
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    (tmp_path / "loop").symlink_to(tmp_path)
    async with app_on(tmp_path, size=(120, 40)) as pilot:
        await screen_of(pilot, PickerScreen)
        shown = screen_text(pilot.app)
        assert "[x].jsonl" in shown
        assert "[@click=app.quit]q[bold].json" in shown
        assert shown.count(".json") >= len(names) + 1
        assert "gone" not in shown
        assert not any(character in shown for character in "\x1b\x07\u202e\udcff")
        count = pilot.app.screen.query_one(OptionList).option_count
        for place in (0, 2, count - 1):
            await screen_of(pilot, PickerScreen)
            pilot.app.screen.query_one(OptionList).highlighted = place
            await pilot.press("enter")
            await screen_of(pilot, MainScreen)
            await pilot.press("w", "escape", "ctrl+o")
