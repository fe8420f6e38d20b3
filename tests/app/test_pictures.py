"""Pictures of what a user sees. Each was looked at before it was accepted; the README shows some of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.app.pictures import PictureApp
from tui.app.app import OutboundApp
from tui.app.opened import Start
from tui.export.settings import Settings

Compare = Callable[..., bool]
SIZES = {"narrow": (80, 24), "middle": (120, 40), "wide": (200, 60)}


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch) -> None:
    """No animation, no width table of another Unicode version, no ASCII fallback of the machine's own."""
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    monkeypatch.delenv("UNICODE_VERSION", raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("OUTBOUND_ASCII", "0")
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.mark.parametrize("size", SIZES)
def test_micro_then_retain_drops_the_first_messages(snap_compare: Compare, size: str) -> None:
    assert snap_compare(PictureApp("micro-then-retain"), terminal_size=SIZES[size])


def test_micro_is_enough_on_its_micro_tab(snap_compare: Compare) -> None:
    assert snap_compare(PictureApp("micro-is-enough"), press=["2", "n", "n"], terminal_size=SIZES["middle"])


def test_a_cut_result_is_shown_around_its_cut_in_the_light_theme(snap_compare: Compare) -> None:
    app = PictureApp("one-bomb", theme="textual-light")
    assert snap_compare(app, terminal_size=SIZES["middle"])


def test_the_sliders_open_over_the_panes_of_a_short_screen(snap_compare: Compare) -> None:
    assert snap_compare(PictureApp("micro-then-retain"), press=["s", "right", "right"], terminal_size=SIZES["narrow"])


def test_the_inspector_says_why_a_block_was_kept(snap_compare: Compare) -> None:
    app = PictureApp("echo-and-mcp")
    assert snap_compare(app, press=["n", "i"], terminal_size=SIZES["middle"])


def test_strange_characters_are_visible_and_move_nothing(snap_compare: Compare) -> None:
    assert snap_compare(PictureApp("unicode"), press=["n", "enter"], terminal_size=SIZES["middle"])


def test_messages_before_a_compact_boundary_are_greyed(snap_compare: Compare) -> None:
    async def look(pilot: Pilot[Any]) -> None:
        await pilot.press("k", "k", "k", "k")

    assert snap_compare(PictureApp("after-compact"), run_before=look, terminal_size=SIZES["middle"])


def test_the_picker_says_what_each_sample_shows(snap_compare: Compare) -> None:
    async def wait(pilot: Pilot[Any]) -> None:
        await pilot.pause()

    app = OutboundApp(None, Start(Settings()))
    assert snap_compare(app, run_before=wait, terminal_size=SIZES["narrow"])
