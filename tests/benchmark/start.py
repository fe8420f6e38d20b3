"""Starting: the help beside the command-line library alone, the first frame of a sample beside that of an empty app."""

from __future__ import annotations

import statistics
import subprocess
import sys

from tests.benchmark.tables import ms, seconds, table

RUNS = 9

_IMPORT = "import click"
_HELP = "import sys; sys.argv = ['outbound', '--help']; from tui.cli import main; main()"

_FIRST_FRAME = """
import asyncio
from time import perf_counter
begin = perf_counter()
{app}
async def run():
    async with app.run_test(size=(120, 40)) as pilot:
        while not ready():
            await asyncio.sleep(0)
    print(perf_counter() - begin)
asyncio.run(run())
"""

_EMPTY = _FIRST_FRAME.format(
    app="""
from textual.app import App
from textual.screen import Screen
from textual.widgets import Footer, Header
painted = []
class Empty(App):
    def compose(self):
        yield Header()
        yield Footer()
    def _display(self, screen, renderable):
        super()._display(screen, renderable)
        painted.append(screen)
app = Empty()
ready = lambda: bool(painted)
"""
)

_SAMPLE = _FIRST_FRAME.format(
    app="""
from tui.app.app import OutboundApp
from tui.app.opened import Start
from tui.demos.samples import sample
painted = []
class Watched(OutboundApp):
    def _display(self, screen, renderable):
        super()._display(screen, renderable)
        if type(screen).__name__ == "MainScreen":
            painted.append(screen)
found = sample("micro-is-enough")
app = Watched(str(found.path), Start.of_sample(found))
ready = lambda: bool(painted)
"""
)


def _process(code: str) -> float:
    """Seconds that a new interpreter takes to run ``code``."""
    return seconds(lambda: subprocess.run([sys.executable, "-c", code], check=True, capture_output=True))


def _printed(code: str) -> float:
    """The seconds that ``code`` prints, measured in its own process from before its first import."""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return float(done.stdout.split()[-1])


def show_start() -> None:
    """Prints both, each a median of runs that take turns."""
    imports, helps, empties, samples = zip(
        *((_process(_IMPORT), _process(_HELP), _printed(_EMPTY), _printed(_SAMPLE)) for _ in range(RUNS)), strict=True
    )
    rows = []
    for what, times, yardstick in (
        ("`outbound --help`, to importing click", helps, imports),
        ("first frame of a sample, to that of an app with header and footer", samples, empties),
    ):
        time, least = statistics.median(times), statistics.median(yardstick)
        rows.append((what, ms(least), ms(time), f"{time / least:.2f}"))
    table(("Start, median", "yardstick", "time", "ratio"), rows)
