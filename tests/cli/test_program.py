"""The program as a whole: help, the default command, exit codes, what is said when something is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Outbound
from tui.cli import entry
from tui.export.settings import Settings
from tui.pipeline.options import CompactOptions

COMMANDS = ("open", "show", "trace", "timeline", "compare", "strategies")
OTHER_FLAGS = (
    "--keep-counts",
    "--compactable-tools",
    "--disable-stage",
    "--no-compact",
    "--whole-history",
    "--offload",
    "--help",
)


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_the_help_lists_every_command_and_how_to_begin(outbound: Outbound, flag: str) -> None:
    result = outbound(flag)
    assert result.exit_code == 0
    assert result.output.startswith("Usage: outbound [FILE|DIR] | COMMAND ...")
    listed = result.output.split("Commands:")[1].split("Examples:")[0]
    assert tuple(line.split()[0] for line in listed.strip().splitlines()) == COMMANDS
    for word in ("--version", "COMPACT=0", "COMPACT_THRESHOLD_CHARS", "TRACE=1", "./show", "Exit codes"):
        assert word in result.output


@pytest.mark.parametrize(
    ("command", "own"),
    [
        ("open", ("--call", "--stage")),
        ("show", ("--call", "--stage", "--format")),
        ("trace", ("--call", "--all-calls")),
        ("timeline", ("--format",)),
    ],
)
def test_the_help_of_a_command_lists_its_options_and_their_defaults(
    outbound: Outbound, command: str, own: tuple[str, ...]
) -> None:
    result = outbound(command, "--help")
    assert result.exit_code == 0
    words = result.output.split()
    for flag in (*own, *OTHER_FLAGS, *(knob.flag for knob in CompactOptions.knobs())):
        assert flag in words
    for knob in CompactOptions.knobs():
        assert f"[{knob.default:,}]" in result.output
    assert "\b" not in result.output
    assert "\\b" not in result.output


def test_the_version(outbound: Outbound) -> None:
    result = outbound("--version")
    assert result.exit_code == 0
    assert result.output.startswith("outbound ")


class App:
    """Stands in for the app; remembers how it was started."""

    def __init__(self) -> None:
        self.started: list[tuple[Any, ...]] = []

    def run(self, *args: Any) -> int:
        self.started.append(args)
        return 7


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> App:
    app = App()
    monkeypatch.setattr("tui.app.run", app.run, raising=False)
    return app


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.cli.open._is_terminal", lambda stream: True)


@pytest.mark.parametrize("args", [(), ("open",)])
@pytest.mark.usefixtures("terminal")
def test_without_an_argument_the_app_opens_with_the_defaults(
    outbound: Outbound, app: App, args: tuple[str, ...]
) -> None:
    assert outbound(*args).exit_code == 7
    assert app.started == [(None, Settings(), None, None)]


@pytest.mark.parametrize("args", [("a/b.json",), ("./show",), ("--", "show"), ("open", "show")])
@pytest.mark.usefixtures("terminal")
def test_what_is_no_command_is_a_file(outbound: Outbound, app: App, args: tuple[str, ...]) -> None:
    assert outbound(*args).exit_code == 7
    assert app.started[0][0] == args[-1]


@pytest.mark.usefixtures("terminal")
def test_the_app_begins_with_the_options_given_before_or_after_the_file(outbound: Outbound, app: App) -> None:
    assert outbound("--threshold", "5", "x.json", "--call", "3", "--stage", "micro", "--whole-history").exit_code == 7
    assert app.started == [
        ("x.json", Settings(options=CompactOptions(threshold=5), across_boundaries=True), 3, "micro")
    ]


def test_without_a_terminal_it_says_how_to_print(outbound: Outbound, app: App, session_file: Path) -> None:
    result = outbound(session_file)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("outbound: the app needs a terminal")
    assert "outbound show FILE" in result.stderr.splitlines()[1]
    assert app.started == []


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        (("show",), "Missing argument 'FILE'."),
        (("show", "FILE", "more"), "unexpected extra argument"),
        (("show", "FILE", "--wrong"), "No such option"),
        (("show", "FILE", "--stage", "later"), "'later' is not one of original, budget, micro, retain"),
        (("show", "FILE", "--format", "xml"), "'xml' is not one of 'text', 'json', 'messages'."),
        (("timeline", "FILE", "--format", "text"), "'text' is not one of 'csv', 'json'."),
        (("show", "FILE", "--keep-counts", "some"), "'some' is not one of 'compactable', 'all'."),
        (("show", "FILE", "--disable-stage", "four"), "a list of stage names: budget, micro, retain"),
        (("show", "FILE", "--call", "0"), "Invalid value for '--call': '0' is not a whole number, 1 or more."),
        (("trace", "FILE", "--call", "11"), "there is no call 11: this session has calls 1 to 10"),
        (("trace", "FILE", "--call", "1", "--all-calls"), "--call and --all-calls exclude each other."),
        (("show", "FILE", "--threshold"), "'--threshold' requires an argument."),
    ],
)
def test_usage_errors_exit_2_and_say_what_is_wrong(
    outbound: Outbound, session_file: Path, args: tuple[str, ...], problem: str
) -> None:
    result = outbound(*(session_file if arg == "FILE" else arg for arg in args))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("outbound: ")
    assert problem in result.stderr


@pytest.mark.parametrize("knob", CompactOptions.knobs(), ids=lambda knob: knob.name)
@pytest.mark.parametrize("value", ["-1", "1.5", "many", "", "٣", "1" * 5000])
def test_a_value_out_of_its_range_names_the_option_and_the_range(
    outbound: Outbound, session_file: Path, knob: Any, value: str
) -> None:
    result = outbound("timeline", session_file, knob.flag, value)
    assert result.exit_code == 2
    assert f"Invalid value for '{knob.flag}': " in result.stderr
    assert "is not a whole number, 0 or more." in result.stderr
    assert result.stderr.splitlines()[1] == "Try: outbound timeline --help"
    assert len(result.stderr) < 300


@pytest.mark.parametrize("command", ["show", "trace", "timeline"])
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "there is no such file"),
        (
            b'{"level":"info","msg":"x"}\n{"level":"info","msg":"y"}\n',
            "The keys of its first record are: 'level', 'msg'",
        ),
        (b"42\n", "not a known session"),
        (b'{"type":"session_meta","payload":{}}\n{"type":"response_item","payload":{}}\n', "Codex CLI"),
    ],
)
def test_a_file_that_cannot_be_read_exits_1_and_says_what_was_seen(
    outbound: Outbound, tmp_path: Path, command: str, content: bytes | None, said: str
) -> None:
    path = tmp_path / "file"
    if content is not None:
        path.write_bytes(content)
    result = outbound(command, path)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith(f"outbound: {path}")
    assert said in result.stderr


def test_a_directory_is_no_file(outbound: Outbound, tmp_path: Path) -> None:
    result = outbound("show", tmp_path)
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        f"outbound: {tmp_path}: this is a directory",
        "Name one session file in it.",
    ]


@pytest.mark.parametrize("content", [b"", b"\n\n \n"])
def test_an_empty_file_is_an_empty_session(outbound: Outbound, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "empty"
    path.write_bytes(content)
    assert outbound("show", path).exit_code == 0
    assert json.loads(outbound("show", path, "--format", "json").stdout)["blocks"] == []
    assert json.loads(outbound("show", path, "--format", "messages").stdout) == []
    assert outbound("timeline", path).stdout.splitlines()[1:] == ["1,0,0,0,0,0,0,0,0,0"]
    assert outbound("trace", path, "--all-calls").stdout == ""


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, EOFError])
def test_an_interruption_exits_130_and_says_nothing(
    outbound: Outbound, session_file: Path, monkeypatch: pytest.MonkeyPatch, interruption: type[BaseException]
) -> None:
    def interrupted(*args: Any, **values: Any) -> None:
        raise interruption

    monkeypatch.setattr("tui.cli.evaluating.load_session", interrupted)
    result = outbound("show", session_file)
    assert result.exit_code == entry.INTERRUPTED == 130
    assert result.output.strip() == ""


@pytest.mark.parametrize(
    "args",
    [
        ("show", "no\x1b]52;c;eA==\x07such\u202efile\udcff"),
        ("show", "FILE", "--\x1b[2J"),
        ("show", "FILE", "--call", "\x1b[2J\x9b"),
        ("show", "FILE", "\x1b[2J"),
    ],
)
def test_hostile_arguments_are_made_visible(outbound: Outbound, session_file: Path, args: tuple[str, ...]) -> None:
    result = outbound(*(session_file if arg == "FILE" else arg for arg in args))
    assert result.exit_code in (1, 2)
    said = result.stderr_bytes.decode("utf-8")
    assert not set(said) & set("\x1b\x07\x9b\u202e")
    assert "no␛]52;c;eA==␇such␦file\ufffd" in said or "2J" in said
