"""A screen over an empty app, and what it returned."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Generic, TypeVar

from textual.pilot import Pilot
from textual.screen import ModalScreen

from tests.app.helpers import screen_text, settle
from tui.app.app import OutboundApp
from tui.app.opened import Start
from tui.app.scene import Scene
from tui.demos.samples import sample, samples
from tui.formats import load_session
from tui.model import Session
from tui.pipeline.options import CompactOptions
from tui.strategies import evaluate

Result = TypeVar("Result")
UNSET: Any = object()


class _EmptyApp(OutboundApp):
    """The app before anything is opened."""

    def begin(self) -> None:  # type: ignore[override]
        self.animation_level = "none"


class Shown(Generic[Result]):
    """A running app with a modal screen on top when it started."""

    def __init__(self, app: OutboundApp, pilot: Pilot[Any], screen: ModalScreen[Result]) -> None:
        self.app = app
        self.pilot = pilot
        self.screen = screen
        self.result: Result | None = UNSET

    @property
    def closed(self) -> bool:
        return self.result is not UNSET

    @property
    def notices(self) -> list[str]:
        return [notice.message for notice in self.app._notifications]

    @property
    def text(self) -> str:
        return screen_text(self.app)

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
            await settle(self.pilot)


@asynccontextmanager
async def modal(screen: ModalScreen[Result], size: tuple[int, int] = (120, 40)) -> AsyncIterator[Shown[Result]]:
    """The screen, opened."""
    app = _EmptyApp(None, Start.of_sample(samples()[0]))
    async with app.run_test(size=size) as pilot:
        shown = Shown(app, pilot, screen)

        def returned(result: Result | None) -> None:
            shown.result = result

        await app.push_screen(screen, returned)
        await settle(pilot)
        yield shown
        await settle(pilot)


def scene_of(session: Session, call: int | None = None, **options: Any) -> Scene:
    """One picture of a session."""
    evaluation = evaluate(session, "react-agent-mini-v4", CompactOptions(**options))
    return Scene(evaluation, call or evaluation.calls[-1], "outbound")


def sample_scene(name: str, **options: Any) -> Scene:
    """One picture of a sample, where its story is."""
    found = sample(name)
    evaluation = evaluate(load_session(found.path), "react-agent-mini-v4", CompactOptions(**found.options | options))
    return Scene(evaluation, found.call or evaluation.calls[-1], "outbound")
