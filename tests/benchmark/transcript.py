"""A large Claude Code transcript: first screen, whole load, memory, and how soon a cancel is heard."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from tests.benchmark.tables import best, ms, table
from tests.generate import write
from tui.app.app import OutboundApp
from tui.app.opened import Start
from tui.app.screens.loading import LoadingScreen
from tui.app.screens.main import MainScreen
from tui.app.screens.picker import PickerScreen
from tui.export.settings import Settings
from tui.formats import load_session

_MESSAGE = 2_000
"""Bytes of a message, on average."""


def _parse(path: Path) -> None:
    with path.open("rb") as file:
        for line in file:
            json.loads(line)


async def _first_screen(path: Path) -> tuple[float, float]:
    """Seconds to the head of the session on the screen, and from Escape to the picker while the rest is read."""
    app = OutboundApp(str(path), Start(Settings()))
    begin = perf_counter()
    async with app.run_test(size=(120, 40)) as pilot:
        while not isinstance(app.screen, MainScreen) or app.screen.scene is None:
            await asyncio.sleep(0.001)
        shown = perf_counter() - begin
        await pilot.pause(0.05)
        begin = perf_counter()
        await pilot.press("escape")
        while not isinstance(app.screen, PickerScreen):
            await asyncio.sleep(0.001)
        return shown, perf_counter() - begin


async def _quit_time(path: Path) -> float:
    """Seconds from q to the end of the app while a file is read."""
    app = OutboundApp(str(path), Start(Settings()))
    async with app.run_test(size=(120, 40)) as pilot:
        while not isinstance(app.screen, (LoadingScreen, MainScreen)):
            await asyncio.sleep(0.001)
        await pilot.pause(0.05)
        begin = perf_counter()
        await pilot.press("q")
    return perf_counter() - begin


def _peak(path: Path) -> int:
    """Bytes by which the peak memory of a process grows when it reads a file."""
    code = (
        "import resource, sys\n"
        "from tui.formats import load_session\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "session = load_session(sys.argv[1])\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=True, capture_output=True, text=True)
    return int(done.stdout) * (1 if sys.platform == "darwin" else 1024)


def show_transcript(megabytes: int) -> None:
    """Prints the figures for a generated transcript of about so many megabytes."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "transcript.jsonl")
        with path.open("wb") as file:
            write(file, megabytes * 1_000_000 // _MESSAGE, _MESSAGE, "claude-code")
        size = path.stat().st_size
        peak = _peak(path)
        parse, load = best(lambda: _parse(path), 2), best(lambda: load_session(path), 2)
        shown, cancelled = asyncio.run(_first_screen(path))
        left = asyncio.run(_quit_time(path))
    table(
        (f"Claude Code transcript of {size / 1e6:,.0f} MB", "time or size", "ratio"),
        [
            ("first screen: the head, a progress bar", ms(shown), ""),
            ("`json.loads` of its lines", ms(parse), "1"),
            ("load, to that", ms(load), f"{load / parse:.2f}"),
            ("peak memory, to the file", f"{peak / 1e6:,.0f} MB", f"{peak / size:.2f}"),
            ("Escape to the picker while it is read", ms(cancelled), ""),
            ("q to the end while it is read", ms(left), ""),
        ],
    )
