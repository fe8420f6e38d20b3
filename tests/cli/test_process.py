"""Real processes: encodings, pipes, standard input, what is imported."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
OUTBOUND = (sys.executable, "-m", "tui")

TEXT = "naïve 读 😀"


@pytest.fixture
def long_file(tmp_path: Path) -> Path:
    """More output than a pipe holds."""
    messages = [{"type": "user", "content": [{"type": "text", "text": f"{TEXT} {n} " * 40}]} for n in range(3000)]
    path = tmp_path / "long.json"
    path.write_text(json.dumps(messages), encoding="utf-8")
    return path


def process(*args: object, env: dict[str, str] | None = None, **how: Any) -> subprocess.CompletedProcess[bytes]:
    environ = {key: value for key, value in os.environ.items() if not key.startswith(("COMPACT", "TRACE", "PYTHON"))}
    return subprocess.run(
        [*OUTBOUND, *map(str, args)], cwd=ROOT, env=environ | (env or {}), check=False, timeout=60, **how
    )


@pytest.mark.parametrize(
    "args", [("show",), ("show", "--format", "json"), ("show", "--format", "messages"), ("timeline",)]
)
def test_a_reader_that_goes_away_is_no_error(long_file: Path, args: tuple[str, ...]) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = process(*args, long_file, stdout=write, stderr=subprocess.PIPE)
    finally:
        os.close(write)
    assert done.stderr == b""
    assert done.returncode == 0


def test_a_reader_that_reads_a_little(long_file: Path) -> None:
    with subprocess.Popen(
        [*OUTBOUND, "show", str(long_file)], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as program:
        assert program.stdout and program.stderr
        assert program.stdout.read(10) == b"file      "
        program.stdout.close()
        assert program.stderr.read() == b""
    assert program.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_said(long_file: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = process("timeline", long_file, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert done.stderr.startswith(b"outbound: cannot write the output: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"},
    ],
)
@pytest.mark.parametrize("form", ["text", "messages"])
def test_output_is_utf_8_whatever_the_locale(tmp_path: Path, environment: dict[str, str], form: str) -> None:
    path = tmp_path / "session.json"
    path.write_text(json.dumps([{"type": "user", "content": [{"type": "text", "text": TEXT}]}]), encoding="utf-8")
    done = process("show", path, "--format", form, env=environment, capture_output=True)
    assert done.returncode == 0
    assert done.stderr == b""
    assert TEXT in done.stdout.decode("utf-8")
    missing = process("show", tmp_path / "读", env=environment, capture_output=True)
    assert missing.returncode == 1
    missing.stderr.decode("utf-8")


def test_standard_input(long_file: Path) -> None:
    done = process("timeline", "-", input=long_file.read_bytes(), capture_output=True)
    assert done.returncode == 0
    assert done.stdout == process("timeline", long_file, capture_output=True).stdout


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_ctrl_c_while_reading_is_quiet() -> None:
    with subprocess.Popen(
        [*OUTBOUND, "show", "-"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as program:
        assert program.stdin and program.stdout and program.stderr
        # More than a pipe holds: when it is written, the program is reading.
        program.stdin.write(b'{"type": "user", "content": [{"type": "text", "text": "x"}]}\n' * 20_000)
        program.stdin.flush()
        program.send_signal(signal.SIGINT)
        assert program.stderr.read().strip() == b""
        assert program.stdout.read() == b""
    assert program.returncode == 130


def test_without_a_terminal_the_app_does_not_start() -> None:
    done = process(stdin=subprocess.DEVNULL, capture_output=True)
    assert done.returncode == 2
    assert b"outbound show FILE" in done.stderr


def imported(*args: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "tui", *args], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}


@pytest.mark.parametrize("args", [("--help",), ("--version",)])
def test_the_help_imports_nothing_heavy(args: tuple[str, ...]) -> None:
    modules = imported(*args)
    assert "click" in modules
    assert not modules & {"numpy", "pydantic", "textual", "rich"}


@pytest.mark.parametrize("command", ["show", "trace", "timeline"])
def test_printing_imports_nothing_that_draws(command: str, tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    path.write_text('[{"type": "user", "content": []}]')
    modules = imported(command, str(path))
    assert "numpy" in modules
    assert not modules & {"textual", "rich"}
