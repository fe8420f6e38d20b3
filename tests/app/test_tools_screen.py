"""The tool table: what it shows, and that a switch changes the options and the numbers at once."""

from __future__ import annotations

from typing import Any

from textual.widgets import DataTable

from tests.app.modal import Shown, modal, sample_scene, scene_of
from tui import session_from_messages
from tui.app.screens.tools import ToolsScreen
from tui.model import Session
from tui.pipeline.options import DEFAULT_TOOLS

Dict = dict[str, Any]


def exchange(id: str, name: str, content: str) -> list[Dict]:
    return [
        {"type": "assistant", "content": [{"type": "tool_use", "id": id, "name": name, "input": {}}]},
        {"type": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": content}]},
    ]


def session(*tools: str) -> Session:
    """A session with a result for each tool, each smaller than the one before, and one that answers no call."""
    messages: list[Dict] = [{"type": "user", "content": [{"type": "text", "text": "q"}]}]
    for place, name in enumerate(tools):
        messages += exchange(f"call{place}", name, "x" * (9_000 - 1_000 * place))
    orphan = {"type": "tool_result", "tool_use_id": "gone", "content": "y" * 90}
    return session_from_messages([*messages, {"type": "user", "content": [orphan]}])


TOOLS = ("shell", "Read", "mcp__x__put", "mcp__x__get_it", "apply_patch")
EAGER = {"threshold": 0, "keep_recent": 0, "max_tool_result_chars": 10_000}


def tools_screen(*tools: str) -> tuple[ToolsScreen, list[tuple[str, ...]]]:
    changes: list[tuple[str, ...]] = []
    return ToolsScreen(scene_of(session(*tools), **EAGER), changes.append), changes


def line_of(shown: Shown[None], name: str) -> str:
    (line,) = [line for line in shown.text.splitlines() if f" {name} " in line]
    return line


async def test_each_tool_has_a_row_with_its_numbers_and_what_makes_it_clearable() -> None:
    screen, _ = tools_screen(*TOOLS)
    async with modal(screen) as shown:
        assert [row.name for row in screen.rows] == [
            "shell",
            "apply_patch",
            None,
            "mcp__x__get_it",
            "mcp__x__put",
            "Read",
        ]
        for row in screen.rows:
            line = line_of(shown, "no call" if row.name is None else row.name)
            for number in (row.calls, row.results, row.chars, row.sent):
                assert f" {number:,} " in line
            assert f"{row.share:.1%}" in line
        assert "[ ] no" in line_of(shown, "shell")
        assert "[x] yes" in line_of(shown, "Read")
        assert "[x] by mcp__*" in line_of(shown, "mcp__x__put")
        assert "never" in line_of(shown, "no call")
        assert "3 of 5 tools clearable" in shown.text


async def test_space_and_enter_switch_the_row_under_the_cursor_and_its_numbers_follow() -> None:
    screen, changes = tools_screen(*TOOLS)
    async with modal(screen) as shown:
        before = screen.rows[0]
        await shown.press("space")
        assert changes == [(*DEFAULT_TOOLS, "shell")]
        assert screen.rows[0].name == "shell"  # no row moves under the hand
        assert screen.rows[0].sent < before.sent
        assert "[x] yes" in line_of(shown, "shell")
        assert "4 of 5 tools clearable" in shown.text
        await shown.press("enter")
        assert changes[1:] == [DEFAULT_TOOLS]
        assert screen.rows[0] == before


async def test_a_tool_that_a_pattern_covers_can_be_switched_off_alone() -> None:
    screen, changes = tools_screen(*TOOLS)
    async with modal(screen) as shown:
        place = [row.name for row in screen.rows].index("mcp__x__put")
        await shown.press(*["j"] * place, "space")
        assert changes == [(*DEFAULT_TOOLS[:-1], "mcp__x__get_it")]
        assert "[ ] no" in line_of(shown, "mcp__x__put")
        assert "[x] yes" in line_of(shown, "mcp__x__get_it")


async def test_a_click_switches_the_row_and_a_click_on_a_heading_sorts() -> None:
    screen, changes = tools_screen(*TOOLS)
    async with modal(screen) as shown:
        await shown.pilot.click(DataTable, offset=(5, 2))  # below the heading and the first row
        await shown.pilot.pause()
        assert changes == [(*DEFAULT_TOOLS, "apply_patch")]
        await shown.pilot.click(DataTable, offset=(2, 0))
        await shown.pilot.pause()
        assert [row.name for row in screen.rows] == [
            "apply_patch",
            "mcp__x__get_it",
            "mcp__x__put",
            "Read",
            "shell",
            None,
        ]
        assert len(changes) == 1


async def test_s_sorts_by_one_column_after_the_other() -> None:
    screen, _ = tools_screen(*TOOLS)
    async with modal(screen) as shown:
        await shown.press("s")  # clearable
        assert [row.cleared_by is None for row in screen.rows] == [False] * 3 + [True] * 3
        await shown.press("s", "s")  # tool, calls
        assert [row.calls for row in screen.rows] == [1] * 5 + [0]
        await shown.press("s", "s")  # results, session
        chars = [row.chars for row in screen.rows]
        assert chars == sorted(chars, reverse=True)


async def test_a_adopts_what_only_reads_or_runs_and_d_goes_back() -> None:
    screen, changes = tools_screen(*TOOLS)
    async with modal(screen) as shown:
        await shown.press("a")
        assert changes == [(*DEFAULT_TOOLS, "shell")]
        assert shown.notices == ["1 tool adopted"]
        await shown.press("a")
        assert len(changes) == 1
        assert "no further tool" in shown.notices[-1]
        await shown.press("d")
        assert changes[1:] == [DEFAULT_TOOLS]
        assert screen.compactable_tools == DEFAULT_TOOLS


async def test_results_without_a_call_cannot_be_switched() -> None:
    screen, changes = tools_screen(*TOOLS)
    async with modal(screen) as shown:
        await shown.press("down", "down", "space")
        assert changes == []
        assert shown.notices == ["results without a call are never cleared"]


async def test_without_tools_it_says_so_and_no_key_fails() -> None:
    screen = ToolsScreen(scene_of(session_from_messages([])), lambda tools: None)
    async with modal(screen) as shown:
        assert "no tools in this session" in shown.text
        await shown.press("space", "enter", "s", "a", "d", "j", "escape")
        assert shown.closed


async def test_names_from_files_are_neither_markup_nor_controls() -> None:
    hostile = "[/b][@click=app.quit]x[/]\x1b[31m"
    screen, changes = tools_screen(hostile)
    async with modal(screen) as shown:
        assert "[/b][@click=app.quit]x" in shown.text
        assert "\x1b" not in shown.text
        await shown.press("space")
        assert changes == [(*DEFAULT_TOOLS, hostile)]


async def test_on_a_narrow_terminal_every_column_is_on_the_screen() -> None:
    scene = sample_scene("echo-and-mcp")
    async with modal(ToolsScreen(scene, lambda tools: None), size=(80, 24)) as shown:
        heading = next(line for line in shown.text.splitlines() if "clearable" in line and "share" in line)
        assert heading.index("clearable") < 78
        assert "[x] mcp__*" in shown.text
