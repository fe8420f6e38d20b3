"""The app under test: a main screen opened directly, and what is drawn on it as plain text."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from textual import events, work
from textual.app import App
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from tests.generate import messages as generated_messages
from tui.app.app import OutboundApp
from tui.app.layout import Kind, Layout, Page, page_of
from tui.app.opened import Opened, Start
from tui.app.scene import Scene
from tui.app.screens.main import MainScreen
from tui.app.widgets.pane import Pane
from tui.app.widgets.panes import AlignedPanes
from tui.app.widgets.slider import Slider
from tui.demos.samples import sample
from tui.export.settings import Settings
from tui.formats import load_session
from tui.formats.dicts import session_from_messages
from tui.model import Session
from tui.pipeline.options import CompactOptions

Dict = dict[str, Any]
AnyScreen = TypeVar("AnyScreen", bound=Screen[Any])
_LAST_NUMBER = re.compile(r"([\d,]+)\s*$")


class Running:
    """A running app with a main screen on top when it started."""

    def __init__(self, app: OutboundApp, pilot: Pilot[Any], main: MainScreen) -> None:
        self.app = app
        self.pilot = pilot
        self.main = main

    @property
    def scene(self) -> Scene:
        assert self.main.scene is not None
        return self.main.scene

    @property
    def options(self) -> CompactOptions:
        options = self.scene.evaluation.options
        assert isinstance(options, CompactOptions)
        return options

    @property
    def panes(self) -> AlignedPanes:
        return self.main.query_one(AlignedPanes)

    @property
    def left(self) -> Pane:
        return self.main.query_one("#conversation", Pane)

    @property
    def right(self) -> Pane:
        return self.main.query_one("#outbound", Pane)

    @property
    def page(self) -> Page:
        assert self.panes.page is not None
        return self.panes.page

    @property
    def rows(self) -> Layout:
        assert self.panes.rows is not None
        return self.panes.rows

    @property
    def place(self) -> tuple[int, int]:
        """Message and block under the cursor."""
        _, message, block = self.page.entry(self.panes.cursor)
        return message, block

    @property
    def screen_row(self) -> int:
        """Row of the cursor's block, counted from the top of the panes."""
        return self.rows.start(self.panes.cursor) - self.left.scroll_offset.y

    @property
    def on_top(self) -> bool:
        """Whether the main screen is what the user sees."""
        return self.app.screen is self.main

    @property
    def notices(self) -> list[str]:
        """All that notifications said so far."""
        return [notice.message for notice in self.app._notifications]

    def slider(self, name: str) -> Slider:
        return self.main.query_one(f"#slider-{name}", Slider)

    async def press(self, *keys: str) -> None:
        """Presses keys, each once all that the one before led to is done."""
        for key in keys:
            self.post_keys([key])
            await settle(self.pilot)

    def post_keys(self, keys: Iterable[str]) -> None:
        """Presses keys without waiting for anything, as a held key does."""
        for key in keys:
            character = " " if key == "space" else key if len(key) == 1 else None
            self.app.post_message(events.Key(_character_to_key(key) if len(key) == 1 else key, character))

    async def settle(self) -> None:
        await settle(self.pilot)


async def settle(pilot: Pilot[Any]) -> None:
    """Lets messages, and those that they lead to, be handled."""
    for _ in range(4):
        await pilot.pause(0)


async def screen_of(pilot: Pilot[Any], kind: type[AnyScreen]) -> AnyScreen:
    """Waits until a screen of a kind is on top."""
    for _ in range(400):
        await pilot.pause(0.01)
        screen = pilot.app.screen
        if isinstance(screen, kind):
            await settle(pilot)
            return screen
    raise AssertionError(f"{type(pilot.app.screen).__name__} is on top, not {kind.__name__}")


def opened(session: Session, options: Dict | None = None, **start: Any) -> Opened:
    """A session as it is handed to the main screen."""
    return Opened(session, page_of(session), Start(Settings(options=CompactOptions(**(options or {}))), **start))


def opened_sample(name: str) -> Opened:
    """A sample, as the picker opens it."""
    found = sample(name)
    session = load_session(found.path)
    return Opened(session, page_of(session), Start.of_sample(found))


def generated(count: int, size: int = 400, seed: int = 0) -> Session:
    """A session of so many messages of about so many bytes."""
    return session_from_messages(list(generated_messages(count, size, seed)))


class _DirectApp(OutboundApp):
    """The app with a session that is open already."""

    def __init__(self, opened: Opened) -> None:
        super().__init__(None, opened.start)
        self.main = MainScreen(opened)
        self.animation_level = "none"

    @work
    async def begin(self) -> None:
        await self.push_screen_wait(self.main)


@asynccontextmanager
async def main_screen(what: Opened | Session | str, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Running]:
    """The main screen on a session, or on the sample of a name."""
    if isinstance(what, str):
        what = opened_sample(what)
    elif isinstance(what, Session):
        what = opened(what)
    app = _DirectApp(what)
    async with app.run_test(size=size) as pilot:
        await screen_of(pilot, MainScreen)
        yield Running(app, pilot, app.main)
        await settle(pilot)


@asynccontextmanager
async def app_on(path: str | Path | None, size: tuple[int, int] = (100, 30)) -> AsyncIterator[Pilot[Any]]:
    """The whole app, as the command starts it."""
    app = OutboundApp(None if path is None else str(path), Start(Settings()))
    app.animation_level = "none"
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        yield pilot


def header_line(pane: Pane, rows: Layout, entry: int) -> str:
    """The header row of an entry, as the pane draws it, on the screen or off it."""
    return pane.render_line(rows.start(entry) - pane.scroll_offset.y).text


def drawn_chars(running: Running) -> int:
    """The sum of the sizes in the headers of the outbound pane, over all blocks that the call sees."""
    total = 0
    for entry in range(len(running.page)):
        kind, message, _ = running.page.entry(entry)
        if kind is Kind.BLOCK and running.scene.sees(message):
            found = _LAST_NUMBER.search(header_line(running.right, running.rows, entry))
            total += number(found.group(1)) if found else 0
    return total


def number(text: str) -> int:
    """A number as the screen writes it."""
    return int(text.replace(",", ""))


def strips(widget: Widget) -> list[Strip]:
    """The rows of a widget, as they go to the terminal."""
    return widget.render_lines(widget.size.region)


def text_of(widget: Widget) -> str:
    """What a widget shows."""
    return "\n".join(strip.text for strip in strips(widget))


def screen_text(app: App[Any]) -> str:
    """All that is on the terminal."""
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


def write_messages(path: Path, messages: Sequence[Dict]) -> Path:
    """Writes messages in react-agent-mini's shape."""
    path.write_text("".join(json.dumps(one) + "\n" for one in messages), encoding="utf-8")
    return path
