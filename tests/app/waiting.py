"""Waiting for what a worker of the main screen brings."""

from __future__ import annotations

from collections.abc import Callable

from tests.app.helpers import Running
from tui.app.widgets.search_bar import SearchBar
from tui.app.widgets.timeline import Columns, TimelineBar


async def until(running: Running, condition: Callable[[], bool]) -> None:
    """Waits until something is so."""
    for _ in range(600):
        if condition():
            await running.settle()
            return
        await running.pilot.pause(0.005)
    raise AssertionError("it never came")


async def drawn_timeline(running: Running) -> Columns:
    """The timeline's columns, once they are those of the scene that is shown and as many as there is room for."""
    bar = running.main.query_one(TimelineBar)

    def ready() -> bool:
        columns = bar.columns
        return (
            columns is not None
            and columns.timeline is running.scene.evaluation.timeline
            and len(columns) == bar.room
            and not running.main._following
        )

    await until(running, ready)
    assert bar.columns is not None
    return bar.columns


async def searched(running: Running) -> str:
    """What the search bar says, once both sides are searched or there is nothing to search for."""
    bar = running.main.query_one(SearchBar)

    def ready() -> bool:
        return not bar.active or (bar._done and bar._sent is not None)

    await running.settle()
    await until(running, ready)
    return str(bar.query_one(".count").render()).strip()
