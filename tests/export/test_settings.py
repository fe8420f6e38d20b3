"""Settings out and back: JSON, the environment, errors that say where and what to do."""

from __future__ import annotations

import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategy_data import option_values
from tui import CompactOptions
from tui.export.settings import Settings, as_environment, as_flags, read_settings, settings_json, write_settings
from tui.model import OptionError, OutboundError
from tui.model.visible import visible_line
from tui.strategies.react_agent_mini_v4 import NAME

names = st.lists(st.text(st.characters(), max_size=6), max_size=3).map(tuple)
any_options = st.builds(
    lambda values, tools, threshold: CompactOptions(**{"compactable_tools": tools, "threshold": threshold} | values),
    option_values,
    names,
    st.integers(0, 10**40),
)
any_settings = st.builds(
    lambda options, across, offload: Settings(options=options, across_boundaries=across, offload=offload),
    any_options,
    st.booleans(),
    st.booleans(),
)


@given(any_settings)
def test_json_gives_the_same_settings_back(settings: Settings) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "settings.json"
        write_settings(settings, path)
        assert read_settings(path) == settings


def test_the_published_json_says_everything_an_option_a_line() -> None:
    assert settings_json(Settings(options=CompactOptions(threshold=5), across_boundaries=True)) == (
        "{\n"
        f'  "strategy": "{NAME}",\n'
        '  "options": {\n'
        '    "enabled": true,\n'
        '    "disabled_stages": [],\n'
        '    "threshold": 5,\n'
        '    "keep_recent": 4,\n'
        '    "min_chars": 500,\n'
        '    "max_messages": 40,\n'
        '    "max_tool_result_chars": 4000,\n'
        '    "compactable_tools": ["Read", "Write", "Edit", "Bash", "Grep", "Glob", "mcp__*"],\n'
        '    "keep_counts": "compactable"\n'
        "  },\n"
        '  "across_boundaries": true,\n'
        '  "offload": false\n'
        "}\n"
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "settings.json"


@pytest.mark.parametrize(
    ("text", "options", "across"),
    [
        ("{}", {}, False),
        ('{"threshold": 7, "keep_recent": 0}', {"threshold": 7, "keep_recent": 0}, False),
        ('\ufeff{"options": {"threshold": 7}}\r\n', {"threshold": 7}, False),
        ('{"across_boundaries": true}', {}, True),
        (f'{{"strategy": "{NAME}"}}', {}, False),
    ],
)
def test_a_part_of_the_settings_or_an_object_of_options_will_do(
    path: Path, text: str, options: dict[str, Any], across: bool
) -> None:
    path.write_text(text, encoding="utf-8")
    found = read_settings(path)
    assert found == Settings(options=CompactOptions(**options), across_boundaries=across)
    assert found.options.model_fields_set == options.keys()


@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        (b'{\n  "threshold": 5,\n}\n', 3, "not JSON"),
        (b'{"type": "user"}\n{"type": "user"}\n', 2, "not JSON"),
        (b"", 1, "not JSON"),
        (b'{"threshold": "\xff"}', None, "not JSON"),
        (b"[" * 200_000, None, "not JSON"),
        (b'{"threshold": ' + b"1" * 5000 + b"}", None, "not JSON"),
        (b" " * 1_000_001, None, "too long to be settings"),
        (b"[]", None, "settings are a JSON object"),
        (b'{"treshold": 3}', None, 'there is no option "treshold"'),
        (b'{"options": {"keep": 3, "self": 1}}', None, 'there is no option "keep", "self"'),
        (b'{"strategy": "x", "threshold": 3}', None, 'there is no setting "threshold"'),
        (b'{"strategy": "other"}', None, "there is no strategy 'other'"),
        (b'{"strategy": 4}', None, "strategy: Input should be a valid string"),
        (b'{"across_boundaries": 1}', None, "across_boundaries: Input should be a valid boolean"),
        (b'{"options": null}', None, "options: Input should be a valid dictionary"),
        (b'{"threshold": -1}', None, "threshold is -1, but must be a whole number, 0 or more"),
        (b'{"options": {"threshold": NaN}}', None, "threshold is nan, but must be a whole number"),
        (b'{"keep_counts": "some"}', None, "keep_counts is 'some', but must be 'compactable' or 'all'"),
    ],
)
def test_what_is_wrong_names_the_file_the_place_and_what_to_do(
    path: Path, content: bytes, line: int | None, said: str
) -> None:
    path.write_bytes(content)
    with pytest.raises(OutboundError) as caught:
        read_settings(path)
    error = caught.value
    assert said in error.problem
    assert (error.source, error.line) == (str(path), line)
    assert error.hint
    assert len(str(error)) < 600


def test_hundreds_of_unknown_keys_are_not_all_named(path: Path) -> None:
    path.write_text(json.dumps(dict.fromkeys(map(str, range(300)), 1)))
    with pytest.raises(OutboundError, match="and 295 more"):
        read_settings(path)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for wrong in (tmp_path, tmp_path / "none.json", f"{tmp_path}/a\0b"):
        with pytest.raises(OutboundError, match="cannot read the settings") as caught:
            read_settings(wrong)
        assert caught.value.source == str(wrong)


def test_writing_leaves_a_file_alone_unless_it_may_be_replaced(path: Path) -> None:
    path.write_text("mine")
    with pytest.raises(FileExistsError):
        write_settings(Settings(), path)
    assert path.read_text() == "mine"
    write_settings(Settings(), path, replace=True)
    assert read_settings(path) == Settings()


@pytest.mark.parametrize("replace", [True, False])
def test_what_cannot_be_written_is_said(tmp_path: Path, replace: bool) -> None:
    os.mkfifo(tmp_path / "pipe")
    for wrong in (
        tmp_path,
        tmp_path / "none" / "x.json",
        f"{tmp_path}/a\0b",
        "~nobody-of-this-name/x",
        tmp_path / "pipe",
    ):
        with pytest.raises(OutboundError) as caught:
            write_settings(Settings(), wrong, replace=replace)
        assert caught.value.source == str(wrong)


def test_a_path_may_begin_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    write_settings(Settings(), "~/s.json")
    assert (tmp_path / "s.json").exists()


@given(any_options)
def test_the_environment_carries_what_it_can_and_comments_carry_the_rest(options: CompactOptions) -> None:
    text = as_environment(options)
    lines = text.split("\n")
    assert lines.pop() == ""
    assert all(visible_line(line) == line for line in lines)
    variables = dict(line.split("=") for line in lines if not line.startswith("#"))
    assert all(re.fullmatch(r"[0-9]+", value) for value in variables.values())
    found = CompactOptions.from_env(variables)
    assert (found.enabled, found.threshold) == (options.enabled, options.threshold)
    # What is lost is exactly what the comments name.
    rows = dict(line.removeprefix("#   ").split(": ", 1) for line in lines if line.startswith("#   "))
    assert found.changed(**{name: json.loads(value) for name, value in rows.items()}) == options
    assert bool(rows) == (found != options)


def test_the_environment_of_the_defaults() -> None:
    assert as_environment(CompactOptions()) == "COMPACT_THRESHOLD_CHARS=80000\n"
    assert as_environment(CompactOptions(enabled=False, threshold=0, keep_recent=1)) == (
        "COMPACT=0\n"
        "COMPACT_THRESHOLD_CHARS=0\n"
        "# Not the defaults either, but there is no variable for them:\n"
        "#   keep_recent: 1\n"
    )


def test_flags_are_only_what_differs_quoted_for_a_shell() -> None:
    assert as_flags(Settings()) == ""
    options = CompactOptions(
        threshold=5, compactable_tools=("Read", "mcp__*"), disabled_stages=("retain", "budget"), enabled=False
    )
    assert as_flags(Settings(options=options, across_boundaries=True, offload=True)) == (
        "--disable-stage budget --disable-stage retain --no-compact --threshold 5 "
        "--compactable-tools 'Read,mcp__*' --whole-history --offload"
    )


@pytest.mark.parametrize("name", ["a,b", "", " a", "a\n", "a\x1b[201~", "\u202ea", "\ud800"])
def test_a_tool_name_that_no_flag_can_carry_is_refused(name: str) -> None:
    with pytest.raises(OptionError, match="cannot be written in a flag") as caught:
        as_flags(Settings(options=CompactOptions(compactable_tools=("Read", name))))
    assert visible_line(caught.value.problem) == caught.value.problem
