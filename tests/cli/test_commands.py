"""show, trace and timeline: every flag, the environment, standard input, numbers that agree."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Outbound, conversation
from tui import CompactOptions, evaluate, load_session
from tui.export.report import CallReport
from tui.pipeline.evaluation import Evaluation
from tui.pipeline.prompt_cache import reused_chars

STRATEGY = "react-agent-mini-v4"
STAGES = ("original", "budget", "micro", "retain", "outbound")


def evaluation(path: Path, **values: Any) -> Evaluation:
    return evaluate(load_session(path), STRATEGY, CompactOptions(**values))


def report(outbound: Outbound, *args: object, **how: Any) -> CallReport:
    result = outbound("show", *args, "--format", "json", **how)
    assert result.exit_code == 0, result.stderr
    return CallReport.model_validate(json.loads(result.stdout_bytes))


@pytest.mark.parametrize(
    ("flags", "options"),
    [
        ((), {}),
        (("--threshold", "1000"), {"threshold": 1000}),
        (("--threshold=0",), {"threshold": 0}),
        (("--threshold", "1" + "0" * 30), {"threshold": 10**30}),
        (("--max-tool-result-chars", "600"), {"max_tool_result_chars": 600}),
        (("--keep-recent", "1"), {"keep_recent": 1}),
        (("--min-chars", "4999"), {"min_chars": 4999}),
        (("--max-messages", "3"), {"max_messages": 3}),
        (("--keep-counts", "all"), {"keep_counts": "all"}),
        (("--compactable-tools", "Read"), {"compactable_tools": ("Read",)}),
        (
            ("--compactable-tools", "Echo, mcp__*", "--compactable-tools", "Bash,Echo"),
            {"compactable_tools": ("Echo", "mcp__*", "Bash")},
        ),
        (("--compactable-tools", ""), {"compactable_tools": ()}),
        (("--disable-stage", "budget"), {"disabled_stages": ("budget",)}),
        (("--disable-stage", "retain", "--disable-stage", "micro"), {"disabled_stages": ("micro", "retain")}),
        (("--no-compact",), {"enabled": False}),
    ],
)
def test_every_flag_sets_its_option_in_every_command(
    outbound: Outbound, session_file: Path, flags: tuple[str, ...], options: dict[str, Any]
) -> None:
    # A low threshold makes the other options matter.
    if "threshold" not in options and options:
        flags, options = (*flags, "--threshold", "1000"), {**options, "threshold": 1000}
    expected = evaluation(session_file, **options)
    found = report(outbound, session_file, *flags)
    assert found.options == expected.options
    assert found.estimate == expected.at().estimate
    trace = outbound("trace", session_file, *flags).stdout
    assert trace.splitlines() == expected.at().trace
    last = outbound("timeline", session_file, *flags).stdout.splitlines()[-1]
    assert last.split(",")[2:6] == [str(chars) for chars in expected.at().estimate.values()]


@pytest.mark.parametrize(
    ("environment", "flags", "options"),
    [
        ({"COMPACT": "0"}, (), {"enabled": False}),
        ({"COMPACT": "1"}, (), {}),
        ({"COMPACT_THRESHOLD_CHARS": "123"}, (), {"threshold": 123}),
        ({"COMPACT_THRESHOLD_CHARS": "12x"}, (), {}),
        ({"COMPACT_THRESHOLD_CHARS": "123"}, ("--threshold", "7"), {"threshold": 7}),
    ],
)
def test_the_environment_counts_and_flags_beat_it(
    outbound: Outbound, session_file: Path, environment: dict[str, str], flags: tuple[str, ...], options: dict[str, Any]
) -> None:
    found = report(outbound, session_file, *flags, env=environment)
    assert found.options == CompactOptions(**options)


LOW = ("--threshold", "1000", "--keep-recent", "1", "--max-messages", "6")
LOW_VALUES = {"threshold": 1000, "keep_recent": 1, "max_messages": 6}


@pytest.mark.parametrize("form", ["text", "json", "messages"])
def test_trace_1_makes_show_write_the_trace_lines_to_stderr(outbound: Outbound, session_file: Path, form: str) -> None:
    quiet = outbound("show", session_file, *LOW, "--format", form)
    traced = outbound("show", session_file, *LOW, "--format", form, env={"TRACE": "1"})
    assert quiet.stderr == ""
    assert traced.stdout == quiet.stdout
    lines = evaluation(session_file, **LOW_VALUES).at().trace
    assert len(lines) == 4
    assert traced.stderr == "".join(f"{line}\n" for line in lines)


def test_trace_prints_each_call_s_lines_exactly(outbound: Outbound, session_file: Path) -> None:
    ev = evaluation(session_file, **LOW_VALUES)
    for call in ev.calls:
        printed = outbound("trace", session_file, "--call", call, *LOW).stdout
        assert printed == "".join(f"{line}\n" for line in ev.at(call).trace)
    whole = outbound("trace", session_file, "--all-calls", *LOW).stdout
    expected = "".join(
        f"# call {call}\n" + "".join(f"{line}\n" for line in ev.at(call).trace)
        for call in ev.calls
        if ev.at(call).trace
    )
    assert whole == expected
    assert 0 < whole.count("# call") < len(ev.calls)


def test_the_timeline_s_rows_are_the_views_numbers_at_every_call(outbound: Outbound, session_file: Path) -> None:
    ev = evaluation(session_file, **LOW_VALUES)
    text = outbound("timeline", session_file, *LOW).stdout
    assert text.splitlines()[0] == "call,messages,original,budget,micro,retain,truncated,cleared,dropped,reused"
    rows = [{key: int(value) for key, value in row.items()} for row in csv.DictReader(io.StringIO(text))]
    whole = [dict(row) for row in rows]
    assert [row["call"] for row in rows] == list(ev.calls)
    assert [row.pop("reused") for row in rows] == reused_chars(ev).tolist()
    for row in rows:
        view = ev.at(row["call"])
        assert row == {"call": view.call, "messages": view.message_count} | view.estimate | view.counts
    assert json.loads(outbound("timeline", session_file, "--format", "json", *LOW).stdout) == whole


@pytest.mark.parametrize("stage", STAGES)
def test_json_is_the_published_shape_and_its_numbers_agree(outbound: Outbound, session_file: Path, stage: str) -> None:
    ev = evaluation(session_file, **LOW_VALUES)
    for call in (2, 5, None):
        view = ev.at(call)
        args = () if call is None else ("--call", call)
        found = report(outbound, session_file, *args, "--stage", stage, *LOW)
        size = view.estimate["retain" if stage == "outbound" else stage]
        assert sum(block.chars_after for block in found.blocks) == size
        assert (found.call, found.calls) == (view.call, len(ev.calls))
        assert found.estimate == view.estimate
        assert found.counts == view.counts
        assert found.kept_from == view.kept_from_after(stage)
        assert (found.format, found.strategy) == ("react-agent-mini", STRATEGY)
        steps = STAGES[1:].index(stage) + 1 if stage in STAGES[1:4] else 0 if stage == "original" else 3
        for block in found.blocks:
            assert [step.stage for step in block.trail] == list(STAGES[1 : len(block.trail) + 1])
            whole = view.outcome(block.message, block.block)
            assert len(block.trail) == min(steps, len(whole.trail))
            assert block.chars_after == (block.trail[-1].chars if block.trail else block.chars_before)
            acted = [step.outcome for step in block.trail if step.outcome != "kept"]
            assert block.outcome == (acted[-1] if acted else "kept")
            assert block.reason is None or not acted


def test_json_has_exactly_the_published_keys(outbound: Outbound, session_file: Path) -> None:
    found = json.loads(outbound("show", session_file, "--format", "json", *LOW).stdout)
    top = "file format strategy options call calls estimate counts kept_from notes blocks"
    assert list(found) == top.split()
    assert list(found["counts"]) == ["truncated", "cleared", "dropped"]
    block = "message block type tool chars_before chars_after outcome reason trail"
    assert sorted(found["blocks"][0]) == sorted(block.split())
    assert sorted(found["blocks"][0]["trail"][0]) == ["chars", "outcome", "stage"]
    assert {one["outcome"] for one in found["blocks"]} == {"kept", "dropped"}
    assert {one["tool"] for one in found["blocks"]} >= {None, "Read", "mcp__docs__get"}


@pytest.mark.parametrize("stage", STAGES)
def test_messages_hold_what_the_view_holds(outbound: Outbound, session_file: Path, stage: str) -> None:
    view = evaluation(session_file, **LOW_VALUES).at()
    sent = json.loads(outbound("show", session_file, "--format", "messages", "--stage", stage, *LOW).stdout)
    expected = [{"role": one["type"], "content": one["content"]} for one in view.messages(stage)]
    assert sent == expected


def test_standard_input_is_a_file_named_dash(outbound: Outbound, session_file: Path) -> None:
    data = session_file.read_bytes()
    found = report(outbound, "-", *LOW, input=data)
    assert found.file == "-"
    assert found.blocks == report(outbound, session_file, *LOW).blocks
    assert outbound("trace", "-", *LOW, input=data).stdout == outbound("trace", session_file, *LOW).stdout
    failed = outbound("show", "-", input=b"42")
    assert failed.exit_code == 1
    assert failed.stderr.startswith("outbound: -: not a known session")


def test_the_whole_history_counts_in_what_stands_before_a_compact_boundary(outbound: Outbound, tmp_path: Path) -> None:
    def record(kind: str, uuid: str, text: str, **more: Any) -> dict[str, Any]:
        message = {"role": kind, "content": [{"type": "text", "text": text}], "id": uuid}
        return {"type": kind, "uuid": uuid, "sessionId": "s", "message": message, **more}

    records = [
        record("user", "a", "before"),
        record("assistant", "b", "answer"),
        {"type": "system", "subtype": "compact_boundary", "uuid": "c", "compactMetadata": {"trigger": "auto"}},
        record("user", "d", "after"),
    ]
    path = tmp_path / "claude.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in records))
    assert report(outbound, path).estimate["original"] == len("after")
    assert report(outbound, path, "--whole-history").estimate["original"] == len("beforeanswerafter")
    assert "2 messages before the compact boundary" in outbound("show", path).stdout
    assert outbound("timeline", path).stdout.splitlines()[-1].startswith("2,1,5,")
    assert outbound("timeline", path, "--whole-history").stdout.splitlines()[-1].startswith("2,3,17,")


def test_text_shows_a_head_and_every_block_of_the_view(outbound: Outbound, session_file: Path) -> None:
    text = outbound("show", session_file, *LOW, "--stage", "micro").stdout
    head, *blocks = text.split("\n\n")
    view = evaluation(session_file, **LOW_VALUES).at()
    for word in (str(session_file), "react-agent-mini", STRATEGY, "10 of 10, sees 21 messages (the next call)"):
        assert word in head
    for stage in ("budget", "micro", "retain"):
        assert f"{view.estimate[stage]:,} chars   {view.verdict(stage)}" in head
    assert "an API would accept it" in head
    assert len(blocks) == len(view.outcomes)
    assert blocks[0] == "0 user · text · 10 chars · kept\n    question 0"
    assert "\n8 assistant · tool_use mcp__docs__get src/f3.py · " in text
    assert "\n9 user · tool_result mcp__docs__get src/f3.py · 5,000 > 4,028 > 63 chars · truncated by budget" in text
    assert "    [Old tool result content cleared] tool=mcp__docs__get src/f3.py" in text
    assert "\n  cleared: 4th newest clearable result, keepRecent is 1\n" in text
    assert "dropped" not in "".join(blocks)


def test_text_shows_dropped_messages_as_one_line(outbound: Outbound, session_file: Path) -> None:
    text = outbound("show", session_file, *LOW).stdout
    view = evaluation(session_file, **LOW_VALUES).at()
    assert f"\n\n… {view.counts['dropped']} messages dropped\n\n{view.kept_from} user · text" in text
    assert "question 0" not in text


def test_text_says_what_a_call_has_not_seen(outbound: Outbound, session_file: Path) -> None:
    text = outbound("show", session_file, "--call", "8").stdout
    assert text.endswith("\n\n… 3 messages later, which this call has not seen\n")
    assert "result 6" in text
    assert "result 7" not in text


def test_the_session_is_not_changed(outbound: Outbound, session_file: Path) -> None:
    before = session_file.read_bytes()
    session_file.chmod(0o444)
    for command in ("show", "trace", "timeline"):
        assert outbound(command, session_file, *LOW).exit_code == 0
    assert session_file.read_bytes() == before
    assert json.loads(before) == conversation()
