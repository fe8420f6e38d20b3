"""The awkward inputs through every command: no traceback, nothing raw, numbers that agree."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Outbound
from tests.export.anthropic_shape import check
from tui.export.report import CallReport
from tui.model.visible import visible

CASES = sorted(path for path in (Path(__file__).parents[1] / "cases").glob("*") if path.suffix != ".md")


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_a_case_is_shown_or_refused_in_words(outbound: Outbound, path: Path) -> None:
    text = outbound("show", path)
    said = text.stdout_bytes.decode("utf-8") + text.stderr_bytes.decode("utf-8")
    assert visible(said) == said
    if text.exit_code:
        assert text.exit_code == 1
        assert text.stdout == ""
        assert text.stderr.startswith(f"outbound: {path}")
        return
    report = CallReport.model_validate(json.loads(outbound("show", path, "--format", "json").stdout_bytes))
    assert sum(block.chars_after for block in report.blocks) == report.estimate["retain"]
    last = outbound("timeline", path).stdout.splitlines()[-1].split(",")
    numbers = (*report.estimate.values(), *report.counts.values())
    assert [last[0], *last[2:-1]] == [str(number) for number in (report.calls, *numbers)]
    check(json.loads(outbound("show", path, "--format", "messages").stdout_bytes))
