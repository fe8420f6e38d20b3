"""The progress line: only on a terminal, only when loading takes a while, gone at the end."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from tui.cli import evaluating
from tui.export.settings import Settings


class Terminal(io.TextIOWrapper):
    def __init__(self, is_terminal: bool) -> None:
        self.written = io.BytesIO()
        super().__init__(self.written, encoding="ascii")
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal


def said(monkeypatch: pytest.MonkeyPatch, path: Path, *, terminal: bool, patience: float) -> str:
    stream = Terminal(terminal)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(evaluating, "_PATIENCE", patience)
    evaluating.evaluation_of(str(path), Settings())
    return stream.written.getvalue().decode("utf-8")


def test_a_slow_load_is_told_and_the_line_is_gone_at_the_end(
    monkeypatch: pytest.MonkeyPatch, session_file: Path
) -> None:
    text = said(monkeypatch, session_file, terminal=True, patience=-1)
    lines = text.split("\r")
    assert lines[0] == ""
    assert lines[1].startswith("reading ")
    assert lines[1].endswith("session.json: 100 %, 0 messages")
    assert lines[-1] == ""
    assert set(lines[-2]) == {" "}
    assert len(lines[-2]) >= len(lines[1].rstrip())


@pytest.mark.parametrize(("terminal", "patience"), [(True, 1e9), (False, -1.0)])
def test_otherwise_nothing_is_said(
    monkeypatch: pytest.MonkeyPatch, session_file: Path, terminal: bool, patience: float
) -> None:
    assert said(monkeypatch, session_file, terminal=terminal, patience=patience) == ""


def test_a_hostile_name_is_made_visible(monkeypatch: pytest.MonkeyPatch, session_file: Path) -> None:
    hostile = session_file.with_name("a\x1b]0;x\x07.json")
    session_file.rename(hostile)
    text = said(monkeypatch, hostile, terminal=True, patience=-1)
    assert "a␛]0;x␇.json" in text
    assert "\x1b" not in text
