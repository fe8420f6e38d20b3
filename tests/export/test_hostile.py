"""Text that would steer a terminal never leaves raw, whatever field it stands in, and never crashes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tui import CompactOptions, evaluate, session_from_messages
from tui.export.documents import json_document
from tui.export.messages import anthropic_messages
from tui.export.report import CallReport, call_report
from tui.export.text import call_text
from tui.model import Message, Note, OtherBlock, Session, TextBlock
from tui.model.visible import visible
from tui.pipeline.evaluation import Evaluation

HOSTILE = (
    "[/x][@click=app.quit]q[/]\x1b[2J\x1b]52;c;eA==\x07\x00\x08\r\x7f\x85\x9b31m\u202eabc\u2066\u2028\ud83d\udc00\ud800"
)


def evaluation(threshold: int) -> Evaluation:
    session = session_from_messages(
        [
            {"role": "system", "content": HOSTILE},
            {"role": "user", "content": HOSTILE, HOSTILE: HOSTILE},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": HOSTILE, "signature": HOSTILE},
                    {"type": "image", "source": {"media_type": HOSTILE, "url": HOSTILE}},
                    {"type": HOSTILE, HOSTILE: HOSTILE},
                    {"type": "tool_use", "id": HOSTILE, "name": HOSTILE, "input": {HOSTILE: HOSTILE, "path": HOSTILE}},
                    {"type": "tool_use", "id": "t", "name": "Read", "input": {"file_path": HOSTILE}},
                ],
            },
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": HOSTILE, "content": HOSTILE * 40}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": HOSTILE * 40}]},
        ],
        source=f"{HOSTILE}.json",
    )
    named = Session(
        format=session.format,
        messages=(*session.messages, Message("user", (OtherBlock(HOSTILE, HOSTILE), TextBlock("")))),
        system=session.system,
        title=HOSTILE,
        source=session.source,
        notes=(Note(f"records skipped: {HOSTILE}", 3, (1, 2)),),
    )
    options = CompactOptions(threshold=threshold, keep_recent=0, max_tool_result_chars=2000)
    return evaluate(named, "react-agent-mini-v4", options)


def cases() -> Iterator[tuple[Evaluation, str]]:
    for threshold in (0, 10**6):
        for stage in ("original", "budget", "micro", "retain", "outbound"):
            yield evaluation(threshold), stage


def safe(text: str) -> bool:
    text.encode("utf-8")
    return visible(text) == text


@pytest.mark.parametrize(("ev", "stage"), cases())
def test_as_text(ev: Evaluation, stage: str) -> None:
    lines = list(call_text(ev, ev.at(), stage))
    assert all(safe(line) and "\n" not in line and "\t" not in line for line in lines)
    assert "␛]52;c;eA==␇␀" in "\n".join(lines)
    # Only heads of blocks stand at the margin: no line of a file does.
    body = [line for line in lines[lines.index("") :] if line and not line.startswith("  ")]
    assert all(line[0].isdigit() or line.startswith(("system prompt", "…")) for line in body)


@pytest.mark.parametrize(("ev", "stage"), cases())
def test_as_json(ev: Evaluation, stage: str) -> None:
    report = call_report(ev, ev.at(), stage)
    text = "".join(json_document(report.model_dump(mode="python")))
    assert safe(text)
    again = CallReport.model_validate(json.loads(text))
    assert again.model_dump() == json.loads(json.dumps(report.model_dump())) | {"options": again.options.model_dump()}
    assert again.file == joined(f"{HOSTILE}.json")
    assert joined(HOSTILE) in {block.tool for block in again.blocks}


@pytest.mark.parametrize(("ev", "stage"), cases())
def test_as_messages(ev: Evaluation, stage: str) -> None:
    messages = anthropic_messages(ev.at(), stage)
    text = "".join(json_document(messages))
    assert safe(text)
    assert json.loads(text) == json.loads(json.dumps(messages))


def joined(text: str) -> str:
    again: Any = json.loads(json.dumps(text))
    return str(again)
