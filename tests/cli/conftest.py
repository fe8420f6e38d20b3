from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from tui.cli import run

Outbound = Callable[..., Result]


class Program(click.Command):
    """The whole program, from arguments to exit code, as something that CliRunner can call."""

    def main(self, args: Any = None, **extra: Any) -> Any:  # type: ignore[override]
        sys.exit(run(args))


@pytest.fixture
def outbound(monkeypatch: pytest.MonkeyPatch) -> Outbound:
    """Runs a command in this process: ``outbound("show", path, env={...}, input=b"")``."""
    for name in ("COMPACT", "COMPACT_THRESHOLD_CHARS", "TRACE"):
        monkeypatch.delenv(name, raising=False)

    def call(*args: object, env: Mapping[str, str] | None = None, input: bytes | None = None) -> Result:
        return CliRunner().invoke(Program("outbound"), [str(arg) for arg in args], env=env, input=input)

    return call


def conversation() -> list[dict[str, Any]]:
    """Calls of three tools whose results are 700 chars each, the fourth 5,000; a question before each pair."""
    messages: list[dict[str, Any]] = []
    tools = ["Read", "Bash", "Echo", "mcp__docs__get"]
    for n in range(8):
        if n % 2 == 0:
            messages.append({"type": "user", "content": [{"type": "text", "text": f"question {n}"}]})
        call = {"type": "tool_use", "id": f"t{n}", "name": tools[n % 4], "input": {"file_path": f"src/f{n}.py"}}
        messages.append({"type": "assistant", "content": [{"type": "text", "text": "looking"}, call]})
        text = f"result {n} ".ljust(5000 if n == 3 else 700, "x")
        messages.append({"type": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{n}", "content": text}]})
    messages.append({"type": "assistant", "content": [{"type": "text", "text": "done"}]})
    return messages


@pytest.fixture
def session_file(tmp_path: Path) -> Path:
    """That conversation in a file."""
    path = tmp_path / "session.json"
    path.write_text(json.dumps(conversation()), encoding="utf-8")
    return path
