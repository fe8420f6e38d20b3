"""--settings, and flags as the app writes them."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.conftest import Outbound
from tests.strategy_data import option_values
from tui import CompactOptions
from tui.cli.flags import option_flags
from tui.export.settings import Settings, as_flags, settings_json
from tui.model.visible import visible_line

LOW = {"threshold": 1000, "keep_recent": 1, "max_messages": 6}

tool_names = (
    st.text(st.characters(exclude_characters=","), min_size=1, max_size=6)
    .filter(lambda name: name == name.strip() == visible_line(name))
    .filter(bool)
)
options_of_flags = st.builds(
    lambda values, tools: CompactOptions(**{"compactable_tools": tools} | values),
    option_values,
    st.lists(tool_names, unique=True, max_size=4).map(tuple),
)


def parsed(args: list[str]) -> Settings:
    found: list[Settings] = []

    @click.command()
    @option_flags
    def command(settings: Settings) -> None:
        found.append(settings)

    command.main(args, standalone_mode=False)
    return found[0]


@pytest.fixture(autouse=True, scope="module")
def _no_environment() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("COMPACT", "COMPACT_THRESHOLD_CHARS"):
            patch.delenv(name, raising=False)
        yield


@given(options_of_flags, st.booleans(), st.booleans())
def test_the_flags_written_are_read_back_as_the_same_settings(
    options: CompactOptions, across: bool, offload: bool
) -> None:
    settings = Settings(options=options, across_boundaries=across, offload=offload)
    assert parsed(shlex.split(as_flags(settings))) == settings


@pytest.fixture
def settings_file(tmp_path: Path) -> Path:
    path = tmp_path / "settings.json"
    path.write_text(settings_json(Settings(options=CompactOptions(**LOW, disabled_stages=("budget",)))))
    return path


@pytest.mark.parametrize("command", ["show", "trace", "timeline"])
def test_a_settings_file_is_the_same_as_its_flags(
    outbound: Outbound, session_file: Path, settings_file: Path, command: str
) -> None:
    flags = ("--threshold", 1000, "--keep-recent", 1, "--max-messages", 6, "--disable-stage", "budget")
    expected = outbound(command, session_file, *flags)
    found = outbound(command, session_file, "--settings", settings_file)
    assert expected.exit_code == found.exit_code == 0
    assert found.stdout == expected.stdout
    assert found.stdout != outbound(command, session_file).stdout


def test_the_app_begins_with_the_settings(
    outbound: Outbound, settings_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[Any, ...]] = []

    def run(*args: Any) -> int:
        started.append(args)
        return 0

    monkeypatch.setattr("tui.app.run", run)
    monkeypatch.setattr("tui.cli.open._is_terminal", lambda stream: True)
    settings_file.write_text('{"options": {"threshold": 9}, "across_boundaries": true}')
    assert outbound("x.json", "--settings", settings_file, "--keep-recent", "2").exit_code == 0
    assert started == [
        ("x.json", Settings(options=CompactOptions(threshold=9, keep_recent=2), across_boundaries=True), None, None)
    ]


@pytest.mark.parametrize(
    ("file", "environment", "flags", "expected"),
    [
        ({"threshold": 5}, {"COMPACT_THRESHOLD_CHARS": "6"}, (), {"threshold": 5}),
        ({"threshold": 5}, {"COMPACT_THRESHOLD_CHARS": "6"}, ("--threshold", "7"), {"threshold": 7}),
        ({"keep_recent": 5}, {"COMPACT_THRESHOLD_CHARS": "6"}, (), {"keep_recent": 5, "threshold": 6}),
        ({"enabled": True}, {"COMPACT": "0"}, (), {}),
        ({"keep_recent": 5}, {"COMPACT": "0"}, (), {"keep_recent": 5, "enabled": False}),
        ({}, {"COMPACT": "0"}, ("--compact",), {}),
        ({"enabled": False}, {}, ("--compact",), {}),
        ({"enabled": True}, {}, ("--no-compact",), {"enabled": False}),
        ({"compactable_tools": ["a"]}, {}, ("--compactable-tools", "b"), {"compactable_tools": ("b",)}),
        ({"keep_counts": "all"}, {}, ("--keep-counts", "compactable"), {}),
    ],
)
def test_flags_beat_the_file_and_the_file_beats_the_environment(
    outbound: Outbound,
    session_file: Path,
    settings_file: Path,
    file: dict[str, Any],
    environment: dict[str, str],
    flags: tuple[str, ...],
    expected: dict[str, Any],
) -> None:
    settings_file.write_text(json.dumps(file))
    result = outbound("show", session_file, "--format", "json", "--settings", settings_file, *flags, env=environment)
    assert result.exit_code == 0, result.stderr
    assert CompactOptions(**json.loads(result.stdout)["options"]) == CompactOptions(**expected)


def test_a_flag_beats_whether_the_file_counts_the_whole_history(settings_file: Path) -> None:
    settings_file.write_text('{"across_boundaries": true}')
    file = ["--settings", str(settings_file)]
    assert parsed(file).across_boundaries
    assert not parsed([*file, "--no-whole-history"]).across_boundaries
    assert parsed(["--whole-history"]).across_boundaries


def test_a_flag_beats_whether_the_file_offloads(settings_file: Path) -> None:
    settings_file.write_text('{"offload": true}')
    file = ["--settings", str(settings_file)]
    assert parsed(file).offload
    assert not parsed([*file, "--no-offload"]).offload
    assert parsed(["--offload"]).offload


@pytest.mark.parametrize("command", ["open", "show", "trace", "timeline"])
def test_wrong_settings_exit_1_and_say_where(
    outbound: Outbound, session_file: Path, settings_file: Path, command: str
) -> None:
    assert "--settings FILE.json" in outbound(command, "--help").output
    settings_file.write_text('{\n"threshold": 5,\n\x1b[2J}')
    result = outbound(command, session_file, "--settings", settings_file)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith(f"outbound: {settings_file}, line 3: not JSON")
    assert len(result.stderr.splitlines()) == 2
    settings_file.write_text('{"no\x9b\\u001b": 5}')
    result = outbound(command, session_file, "--settings", settings_file)
    assert f'outbound: {settings_file}: there is no option "no\\u009b\\u001b"' in result.stderr
    assert "The options are enabled, disabled_stages, threshold" in result.stderr.splitlines()[1]
