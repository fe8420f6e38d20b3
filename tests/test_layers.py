"""Each layer imports only those below it, and only cli and app draw."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports


def test_the_import_contracts_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parent.parent)
    assert lint_imports(no_cache=True) == EXIT_STATUS_SUCCESS


@pytest.mark.parametrize("module", ["tui", "tui.formats", "tui.strategies.compact_messages", "tui.export", "tui.demos"])
def test_nothing_below_the_app_loads_what_draws(module: str) -> None:
    code = f"import sys, {module}; print([name for name in ('textual', 'rich') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
