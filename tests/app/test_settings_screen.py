"""The settings screen: three forms, copied or written."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.containers import VerticalScroll
from textual.pilot import Pilot
from textual.widgets import Input, Static

from tui.app.screens.prompt import Prompt
from tui.app.screens.settings import SettingsScreen
from tui.export.settings import Settings, as_environment, as_flags, read_settings, settings_json
from tui.pipeline.options import CompactOptions

SETTINGS = Settings(options=CompactOptions(threshold=5, compactable_tools=("Read", "[/x]*")), across_boundaries=True)
TEXTS = {
    "e": as_environment(SETTINGS.options),
    "f": as_flags(SETTINGS),
    "j": settings_json(SETTINGS),
}


@asynccontextmanager
async def screen_on(settings: Settings = SETTINGS) -> AsyncIterator[Pilot[Any]]:
    app: App[None] = App()
    app.animation_level = "none"
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(SettingsScreen(settings))
        await pilot.pause()
        yield pilot


def notices(pilot: Pilot[Any]) -> list[str]:
    return [notice.message for notice in pilot.app._notifications]


async def answer(pilot: Pilot[Any], text: str) -> None:
    assert isinstance(pilot.app.screen, Prompt)
    pilot.app.screen.query_one(Input).value = text
    await pilot.press("enter")
    await pilot.pause()


async def test_all_three_forms_are_shown_and_can_be_selected() -> None:
    async with screen_on() as pilot:
        for key, form in (("e", "environment"), ("f", "flags"), ("j", "json")):
            shown = pilot.app.screen.query_one(f"#{form}", Static)
            assert str(shown.content) == TEXTS[key].rstrip("\n")
            assert shown.allow_select


@pytest.mark.parametrize("key", TEXTS)
async def test_a_key_copies_its_form(key: str) -> None:
    async with screen_on() as pilot:
        await pilot.press(key)
        assert pilot.app.clipboard == TEXTS[key]
        assert f"{len(TEXTS[key])} chars" in notices(pilot)[-1]


async def test_a_click_on_the_footer_copies_too() -> None:
    async with screen_on() as pilot:
        place = next(key for key in pilot.app.screen.query("FooterKey") if key.key == "f")  # type: ignore[attr-defined]
        await pilot.click(place)
        await pilot.pause()
        assert pilot.app.clipboard == TEXTS["f"]


async def test_a_short_screen_scrolls_to_the_end_of_the_json() -> None:
    async with screen_on() as pilot:
        view = pilot.app.screen.query_one(VerticalScroll)
        assert view.max_scroll_y > 0
        await pilot.press("end")
        await pilot.pause(0.1)
        assert view.scroll_y == view.max_scroll_y


async def test_the_defaults_need_no_flag() -> None:
    async with screen_on(Settings()) as pilot:
        assert "the defaults" in str(pilot.app.screen.query_one("#flags", Static).content)
        await pilot.press("j", "f")
        assert pilot.app.clipboard == settings_json(Settings())
        assert "the defaults" in notices(pilot)[-1]


async def test_what_no_flag_can_carry_is_said() -> None:
    async with screen_on(Settings(options=CompactOptions(compactable_tools=("a,b\x1b",)))) as pilot:
        assert "cannot be written in a flag" in str(pilot.app.screen.query_one("#flags", Static).content)
        await pilot.press("f")
        assert pilot.app.clipboard == ""
        assert "cannot be written in a flag" in notices(pilot)[-1]


async def test_the_json_is_written_to_a_path(tmp_path: Path) -> None:
    async with screen_on() as pilot:
        await pilot.press("w")
        await answer(pilot, "")
        assert isinstance(pilot.app.screen, Prompt)
        await answer(pilot, str(tmp_path / "[b]s.json"))
        assert isinstance(pilot.app.screen, SettingsScreen)
        assert read_settings(tmp_path / "[b]s.json") == SETTINGS
        assert "[b]s.json" in notices(pilot)[-1]


@pytest.mark.parametrize(("said", "replaced"), [("yes", True), ("Y", True), ("no", False), (None, False)])
async def test_a_file_is_overwritten_only_after_a_yes(tmp_path: Path, said: str | None, replaced: bool) -> None:
    path = tmp_path / "s.json"
    path.write_text("mine")
    async with screen_on() as pilot:
        await pilot.press("w")
        await answer(pilot, str(path))
        assert path.read_text() == "mine"
        await answer(pilot, "perhaps")
        assert isinstance(pilot.app.screen, Prompt)
        if said is None:
            await pilot.press("escape")
            await pilot.pause()
        else:
            await answer(pilot, said)
        assert isinstance(pilot.app.screen, SettingsScreen)
        assert path.read_text() == (settings_json(SETTINGS) if replaced else "mine")
        assert ("nothing was written" in notices(pilot)[-1]) is not replaced


async def test_escape_writes_nothing_and_then_closes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with screen_on() as pilot:
        await pilot.press("w", *"s.json", "escape")
        await pilot.pause()
        screen = pilot.app.screen
        assert isinstance(screen, SettingsScreen)
        await pilot.press("escape")
        assert screen.is_attached is False
        assert list(tmp_path.iterdir()) == []
        assert notices(pilot) == []


async def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    async with screen_on() as pilot:
        await pilot.press("w")
        await answer(pilot, str(tmp_path))
        assert f"{tmp_path}: this is not a file" in notices(pilot)[-1]
        await pilot.press("w")
        await answer(pilot, str(tmp_path / "none" / "s.json"))
        assert "cannot write the settings: No such file" in notices(pilot)[-1]
