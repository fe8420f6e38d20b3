"""Whatever a file holds, it is drawn as plain text: it steers no terminal, moves no cell and crashes nothing."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import pytest
from rich.cells import cell_len
from textual.app import App
from textual.widgets import Input

from tests.app.helpers import Running, main_screen, opened, screen_of
from tui.app.screens.inspector import Inspector
from tui.app.screens.text import TextScreen
from tui.model import (
    Boundary,
    ImageBlock,
    Message,
    Note,
    OtherBlock,
    Session,
    Sidechain,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)

MARKUP = ("[/x] [/] [bold", "[@click=app.quit]q[/]", "$primary $(id) %s {0} {x} \\[ \\")
HOSTILE = {
    "markup": " ".join(MARKUP),
    "controls": (
        "\x1b[2J\x1b[31mred\x1b[0m\x9b1m \x1b]52;c;aGVsbG8=\x07\x1b]8;;http://x\x1b\\link"
        "nul\0bell\a\b\v\f\x7f\x85 \ta\tbb\r\n\tccc\rd\n"
    ),
    "unicode": (
        "\ud83d lone \udc00\udfff \u202e\u2066txet\u2069\u200f\u061cabc👩‍👩‍👧‍👦 ❤️ 🏳️‍🌈 🇨🇭 e\u0301 \u200b\u00ad\ufeff"
    ),
    "long": "x" * 1_500 + "读取文件結果" * 250,
}


def session_of(text: str) -> Session:
    """A session with ``text`` in every field that can hold any."""
    one_line = text[:200]
    use = {"file_path": text, text: text, "nested": {text: [text, None, 1.5]}}
    results = [
        Message("user", (ToolResultBlock(f"{text}{n}", text * (1 + 5_000 // len(text)), is_error=n == 1, images=n),))
        for n in range(3)
    ]
    uses = [Message("assistant", (TextBlock(text), ToolUseBlock(f"{text}{n}", text, use))) for n in range(3)]
    blocks = (
        ThinkingBlock(text),
        ImageBlock(text, 3, text),
        OtherBlock(text, {text: text}),
        ToolUseBlock(None, "Read", {"path": text}),
        ToolUseBlock("read", "Read", {"file_path": text}),
    )
    messages = (
        Message("user", (TextBlock(text),)),
        *(message for pair in zip(uses, results, strict=True) for message in pair),
        Message("assistant", blocks),
        Message("user", (ToolResultBlock("read", text * (1 + 2_000 // len(text))), ToolResultBlock(text, text))),
        Message("user", (TextBlock(text),), meta=True),
        Message("other", (TextBlock(text),)),
        Message("assistant", (), error=True),
        Message("user", (TextBlock(text),), summary=True),
    )
    return Session(
        format="test",
        messages=messages,
        system=(Message("system", (TextBlock(text),)),),
        title=one_line,
        source=f"/tmp/{one_line}",
        notes=(Note(one_line, 3, (1, 2)), Note(one_line, kind="repaired")),
        boundaries=(Boundary(1, one_line, 5),),
        sidechains=(Sidechain(one_line, 2, messages[:1]),),
    )


def unsafe(text: str) -> Iterator[str]:
    """Characters that a terminal acts on, that have no sure width, or that cannot be encoded."""
    for character in text:
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
            yield f"U+{ord(character):04X}"


def check_screen(app: App[Any]) -> None:
    """All that goes to the terminal now: safe, each row as wide as the terminal."""
    for strip in app.screen._compositor.render_strips():
        assert not [*unsafe(strip.text)], strip.text
        assert strip.cell_length == cell_len(strip.text) == app.size.width, strip.text
    ElementTree.fromstring(app.export_screenshot())


def check_pages(running: Running) -> None:
    """All rows of both panes, on the screen or not."""
    for pane in (running.left, running.right):
        width = pane.scrollable_content_region.width
        for row in range(-pane.scroll_offset.y, running.rows.rows - pane.scroll_offset.y):
            strip = pane.render_line(row)
            assert not [*unsafe(strip.text)], strip.text
            assert strip.cell_length == cell_len(strip.text) == width, (strip.text, width)


@pytest.mark.parametrize("name", HOSTILE)
async def test_hostile_text_in_every_field_is_only_drawn(name: str) -> None:
    session = session_of(HOSTILE[name])
    options = {"threshold": 10, "keep_recent": 0, "max_messages": 6, "compactable_tools": ("*",)}
    async with main_screen(opened(session, options), size=(100, 33)) as running:
        check_screen(running.app)
        check_pages(running)
        await running.press("B", "4", "<", "n", "enter")
        check_pages(running)
        check_screen(running.app)
        await running.press("w")
        await screen_of(running.pilot, TextScreen)
        check_screen(running.app)
        await running.press("escape", "y")
        for entry in range(1, len(running.page), 4):
            running.panes.cursor = entry
            await running.press("i")
            if isinstance(running.app.screen, Inspector):
                check_screen(running.app)
                await running.press("escape")
        await running.pilot.resize_terminal(41, 20)
        await running.settle()
        check_pages(running)
        check_screen(running.app)
        assert running.on_top


async def test_what_looks_like_markup_is_shown_as_it_stands() -> None:
    words = HOSTILE["markup"]
    session = Session(format="test", messages=(Message("user", (TextBlock(words),)),), title=words, source=words)
    async with main_screen(opened(session), size=(180, 34)) as running:
        shown = "\n".join(strip.text for strip in running.main._compositor.render_strips())
        assert shown.count(words) >= 3  # the title and both panes
        await running.pilot.click(offset=(14, 0))
        await running.settle()
        assert not running.app._exit


async def test_what_is_typed_is_only_drawn_too() -> None:
    async with main_screen("one-bomb", size=(100, 33)) as running:
        await running.press("g")
        running.app.screen.query_one(Input).value = MARKUP[1]
        await running.press("enter")
        check_screen(running.app)
        await running.press("escape", "s", *"1[/x]", "enter")
        check_screen(running.app)
