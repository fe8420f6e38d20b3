"""Parity with the original program, whose outcomes the vectors hold."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import vectors
from tui import CompactOptions, evaluate, session_from_messages

NAMES = {
    "enabled": "enabled",
    "maxOutboundChars": "threshold",
    "maxToolResultChars": "max_tool_result_chars",
    "microKeepRecent": "keep_recent",
    "microMinChars": "min_chars",
    "maxMessages": "max_messages",
}
STAGES = {"input": "original", "after_budget": "budget", "after_micro": "micro", "after_retain": "retain"}
LINES = [*vectors("pipeline-handmade.jsonl"), *vectors("pipeline-random.jsonl")]


@pytest.mark.parametrize("keep_counts", ["compactable", "all"])
@pytest.mark.parametrize("vector", LINES, ids=[line["name"] for line in LINES])
def test_the_outcome_is_the_originals(vector: dict[str, Any], keep_counts: str) -> None:
    expected = vector.get("v4_keep_all", vector["v4"]) if keep_counts == "all" else vector["v4"]
    options = {NAMES[name]: value for name, value in vector["options"].items()}
    session = session_from_messages(vector["messages"])
    view = evaluate(session, "react-agent-mini-v4", CompactOptions(**options | {"keep_counts": keep_counts})).at()

    assert view.estimate == {stage: expected["estimate"][key] for key, stage in STAGES.items()}
    assert view.kept_from == expected["kept_from"]
    assert view.trace == expected["trace"]
    after_budget, after_micro = view.changed_contents("budget"), view.changed_contents("micro")
    assert after_budget == _located(expected["budget"])
    changed_by_micro = {key: text for key, text in after_micro.items() if after_budget.get(key) != text}
    assert changed_by_micro == _located(expected["micro"])


def _located(contents: dict[str, str]) -> dict[tuple[int, int], str]:
    return {(int(m), int(b)): text for key, text in contents.items() for m, b in [key.split(".")]}
