"""From a key press to the painted frame that shows what it did, for sessions of any size.

A frame is painted when the compositor's update has become the characters that a terminal would get, and nothing that
shows this call waits to be painted. The timeline and the sliders' sparks come later, from a worker.
"""

from __future__ import annotations

import asyncio
import gc
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from textual import work
from textual._compositor import CompositorUpdate
from textual.screen import Screen
from textual.widget import Widget

from tests.benchmark.tables import ms, table
from tests.generate import write
from tui.app.app import OutboundApp
from tui.app.opened import Opened, Start, open_session
from tui.app.screens.main import MainScreen
from tui.app.widgets.panes import AlignedPanes
from tui.app.widgets.slider import Slider
from tui.app.widgets.timeline import TimelineBar
from tui.export.settings import Settings
from tui.pipeline.options import CompactOptions

PRESSES = 21
_SIZE = (120, 40)


class _Watched(OutboundApp):
    """The app with an open session; knows when the last frame was painted."""

    def __init__(self, opened: Opened) -> None:
        super().__init__(None, opened.start)
        self.main = MainScreen(opened)
        self.painted_at = 0.0
        self.animation_level = "none"

    @work
    async def begin(self) -> None:
        await self.push_screen_wait(self.main)

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        super()._display(screen, renderable)
        if isinstance(renderable, CompositorUpdate):
            renderable.render_segments(self.console)  # a headless driver would leave that out
        self.painted_at = perf_counter()

    @property
    def is_behind(self) -> bool:
        """Whether something of this call still waits to be drawn."""
        main = self.main
        waiting = main._waiting or main.message_queue_size or main._layout_required or main._scroll_required
        return bool(waiting or main._dirty_widgets or any(map(_waits, self._shows_the_call())))

    def _shows_the_call(self) -> list[Widget]:
        return [widget for widget in self.main._compositor.visible_widgets if not isinstance(widget, TimelineBar)]

    @property
    def is_following(self) -> bool:
        """Whether the worker still evaluates all calls, or their sparks wait to be drawn."""
        return self.main._following


def _waits(widget: Widget) -> bool:
    return bool(widget._repaint_required or widget._layout_required or widget.message_queue_size)


def opened_session(messages: int, size: int, format: str = "react-agent-mini") -> Opened:
    """A generated session, opened as the app opens it."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "session.jsonl")
        with path.open("wb") as file:
            write(file, messages, size, format)
        return open_session(str(path), Start(Settings()), lambda *_: None, lambda: False)


async def frame_times(opened: Opened) -> dict[str, float]:
    """Median seconds from key press to painted frame, by what the key does."""
    app = _Watched(opened)
    found: dict[str, float] = {}
    async with app.run_test(size=_SIZE) as pilot:

        async def rest() -> None:
            await pilot.pause()
            while app.is_following or app.is_behind:
                await asyncio.sleep(0.005)

        async def pressed(key: str) -> float:
            await rest()
            start = perf_counter()
            app.simulate_key(key)
            while app.painted_at < start or app.is_behind:
                await asyncio.sleep(0)
            return app.painted_at - start

        async def measure(what: str, key: str, before: Callable[[], object] = lambda: None) -> None:
            before()
            await pressed(key)
            found[what] = statistics.median([await pressed(key) for _ in range(PRESSES)])

        while app.screen is not app.main:
            await asyncio.sleep(0.01)
        panes = app.main.query_one("#conversation")
        await measure("step", "left_square_bracket")
        for name in [knob.name for knob in CompactOptions.knobs()]:
            await measure(f"slider {name}", "right", app.main.query_one(f"#slider-{name}", Slider).focus)
        # Cleared results all over the conversation, so that there is a next one to go to.
        app.main.set_options(**CompactOptions(max_messages=10**9).model_dump())
        panes.focus()
        await rest()
        app.main.query_one(AlignedPanes).go_to(0)
        await measure("scroll", "pagedown")
        app.main.query_one(AlignedPanes).go_to(0)
        await measure("next changed", "n")
    return found


def show_frames(sizes: list[int], size: int) -> None:
    """Prints the frame times of sessions of so many messages of ``size`` bytes, and their ratios."""
    times = []
    for messages in sizes:
        opened = opened_session(messages, size)
        times.append(asyncio.run(frame_times(opened)))
        del opened
        gc.unfreeze()
        gc.collect()
    table(
        ("Key press to painted frame, median", *(f"{count:,} messages" for count in sizes), "last / first"),
        [(what, *(ms(one[what]) for one in times), f"{times[-1][what] / times[0][what]:.2f}") for what in times[0]],
    )
