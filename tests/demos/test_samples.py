from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests import oracle
from tui import CompactOptions, evaluate, load_session
from tui.demos.samples import INDEX, folder, sample, samples
from tui.model import OutboundError, Session, TextBlock, ToolResultBlock, ToolUseBlock
from tui.model.chars import units
from tui.pipeline.evaluation import Evaluation, View
from tui.pipeline.outcomes import BlockOutcome, Outcome, Reason
from tui.strategies.claude_code_cached import cached_state, wire_edits

V4 = "react-agent-mini-v4"
FORMATS = {
    "fits-but-many": "react-agent-mini",
    "one-bomb": "openai-chat",
    "micro-is-enough": "claude-code",
    "micro-then-retain": "anthropic-messages",
    "echo-and-mcp": "react-agent-mini",
    "no-boundary": "openai-chat",
    "truncation-grows": "anthropic-messages",
    "unicode": "react-agent-mini",
    "after-compact": "claude-code",
    "idle-gap": "claude-code",
    "long-steady-work": "claude-code",
    "count-driven": "react-agent-mini",
    "subagent": "claude-code",
}
OTHERS = {
    "idle-gap": "claude-code-time",
    "long-steady-work": "claude-code-cached",
    "count-driven": "tiny-claw",
    "subagent": "claude-code-time",
}
"""Samples that open with another strategy than v4."""


def evaluated(name: str) -> Evaluation:
    """A sample under its strategy, at every call."""
    chosen = sample(name)
    return evaluate(load_session(chosen.path), chosen.strategy, chosen.strategy_options)


def opened(name: str, call: int | None = None) -> tuple[Session, View]:
    """A sample as the picker opens it, or at another call."""
    evaluation = evaluated(name)
    return evaluation.session, evaluation.at(call or sample(name).call)


def results(session: Session, view: View) -> list[tuple[str | None, str, BlockOutcome]]:
    """Tool, path and outcome of each tool result that the call sees, oldest first; the tool is None for an orphan."""
    uses: dict[str | None, ToolUseBlock] = {}
    found = []
    outcomes = {(each.message, each.block): each for each in view.outcomes}
    for number, message in enumerate(session.messages):
        for place, block in enumerate(message.blocks):
            if isinstance(block, ToolUseBlock):
                uses[block.id] = block
            elif isinstance(block, ToolResultBlock) and (number, place) in outcomes:
                use = uses.get(block.tool_use_id)
                path = str(use.input.get("file_path", "")) if use else ""
                found.append((use.name if use else None, path, outcomes[number, place]))
    return found


def tools(session: Session, view: View, outcome: Outcome) -> list[str | None]:
    return [tool for tool, _, result in results(session, view) if result.outcome is outcome]


def text_of(session: Session, message: int) -> str:
    return "\n".join(block.text for block in session.messages[message].blocks if isinstance(block, TextBlock))


def result_text(session: Session, outcome: BlockOutcome) -> str:
    block = session.messages[outcome.message].blocks[outcome.block]
    assert isinstance(block, ToolResultBlock)
    return block.content


# The index


def test_the_index_lists_every_file_and_nothing_else() -> None:
    listed = [each.file for each in samples()]
    assert sorted([*listed, INDEX]) == sorted(path.name for path in folder().iterdir())
    assert [each.name for each in samples()] == list(FORMATS)


def test_samples_are_small_and_fit_a_line() -> None:
    sizes = [each.path.stat().st_size for each in samples()]
    assert min(sizes) > 5_000
    assert max(sizes) <= 60 * 1024
    assert sum(sizes) < 400_000
    assert all(len(each.title) <= 50 and len(each.look_for) <= 90 for each in samples())


def test_a_sample_is_found_by_name_and_an_unknown_name_lists_the_known() -> None:
    assert sample("one-bomb").path.name == "one-bomb.json"
    with pytest.raises(OutboundError, match="no sample is called 'two-bombs'") as caught:
        sample("two-bombs")
    assert "one-bomb" in caught.value.hint


def _package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty package folder that stands in for the installed one."""
    package = tmp_path / "site" / "tui"
    package.mkdir(parents=True)
    monkeypatch.setattr("tui.demos.samples.files", lambda _: package)
    return package


def _entry(**changes: Any) -> dict[str, Any]:
    entry: dict[str, Any] = {"file": "a.json", "title": "A", "look_for": "a thing", "call": None, "stage": "outbound"}
    return entry | {"options": {}} | changes


@pytest.mark.parametrize("installed", [True, False])
def test_the_folder_is_found_inside_a_wheel_and_beside_a_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed: bool
) -> None:
    package = _package(tmp_path, monkeypatch)
    place = (package if installed else package.parent) / "sample_sessions"
    place.mkdir()
    (place / "a.json").write_text("[]")
    (place / INDEX).write_text(json.dumps([_entry(call=3, options={"threshold": 100})]))
    (found,) = samples()
    assert found.path == place / "a.json"
    assert (found.name, found.call, found.options) == ("a", 3, {"threshold": 100})


def test_a_missing_folder_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _package(tmp_path, monkeypatch)
    with pytest.raises(OutboundError, match="the sample sessions are missing"):
        samples()


@pytest.mark.parametrize(
    ("entries", "field"),
    [
        ([_entry(), _entry(file="../a.json")], "1.file"),
        ([_entry(), _entry()], "1.file"),
        ([_entry(file="b.json")], "0.file"),
        ([_entry(stage="macro")], "0.stage"),
        ([_entry(strategy="tiny-claw", stage="micro")], "0.stage"),
        ([_entry(strategy="huge-claw")], "0.strategy"),
        ([_entry(strategy="tiny-claw", options={"threshold": 1})], "0.options"),
        ([_entry(call="3")], "0.call"),
        ([_entry(call=0)], "0.call"),
        ([_entry(look_for="two\nlines")], "0.look_for"),
        ([_entry(colour="red")], "0.colour"),
        ([_entry(options={"threshold": -1})], "0.options"),
        ([_entry(options={"treshold": 1})], "0.options"),
        ([{"file": "a.json"}], "0.title"),
    ],
)
def test_a_wrong_index_is_refused_by_file_and_field(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entries: list[dict[str, Any]], field: str
) -> None:
    place = _package(tmp_path, monkeypatch) / "sample_sessions"
    place.mkdir()
    (place / "a.json").write_text("[]")
    (place / INDEX).write_text(json.dumps(entries))
    with pytest.raises(OutboundError) as caught:
        samples()
    assert caught.value.source == str(place / INDEX)
    assert caught.value.problem.startswith(field + ":")


def test_an_index_that_is_no_json_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = _package(tmp_path, monkeypatch) / "sample_sessions"
    place.mkdir()
    (place / INDEX).write_text("[{")
    with pytest.raises(OutboundError, match="Invalid JSON") as caught:
        samples()
    assert caught.value.source == str(place / INDEX)


# Every sample


@pytest.mark.parametrize("name", FORMATS)
def test_it_opens_in_its_format(name: str) -> None:
    session, _ = opened(name)
    assert session.format == FORMATS[name]
    assert session.messages
    # A transcript's progress lines, snapshots and durations are no messages; nothing else may be left out.
    intended = ("progress", "file-history-snapshot", "system (turn_duration)")
    skipped = [note.text.removeprefix("records skipped: ") for note in session.notes if note.kind == "skipped"]
    assert set(skipped) <= set(intended if session.format == "claude-code" else ())
    assert not [note for note in session.notes if note.kind == "repaired"]


@pytest.mark.parametrize("name", FORMATS)
def test_its_call_is_one_of_its_calls(name: str) -> None:
    chosen = sample(name)
    assert chosen.call is None or chosen.call in evaluated(name).calls


@pytest.mark.parametrize("name", FORMATS)
def test_it_opens_with_its_strategy(name: str) -> None:
    assert sample(name).strategy == OTHERS.get(name, V4)


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in OTHERS])
def test_the_naive_pipeline_agrees(name: str) -> None:
    chosen = sample(name)
    _, view = opened(name)
    expected = oracle.run(view.messages(stage="original"), oracle.Options(**chosen.options))
    assert view.estimate == expected.estimate
    assert view.trace == expected.trace
    assert view.kept_from == view.start + expected.kept_from


# What each one shows


def test_fits_but_many_loses_nothing_though_it_has_fifty_messages() -> None:
    session, view = opened("fits-but-many")
    assert len(session.messages) == 50
    assert view.trace == []
    assert view.kept_from == 0
    assert view.counts == {"truncated": 0, "cleared": 0, "dropped": 0}
    # v3 would start at the first plain user text of the last forty, and the promise at the top would be gone.
    assert session.messages[10].role == "user"
    assert text_of(session, 10)
    assert "red-green colour-blind" in text_of(session, 0)
    assert "what I told you at the start" in text_of(session, 48)


def test_one_bomb_is_cut_and_all_else_stays() -> None:
    session, view = opened("one-bomb")
    assert view.counts == {"truncated": 1, "cleared": 0, "dropped": 0}
    (bomb,) = [each for _, _, each in results(session, view) if each.outcome is Outcome.TRUNCATED]
    assert (bomb.chars_before, bomb.chars_after) == (16_491, 4_028)
    assert "CREATE TABLE public.invoices" in result_text(session, bomb)
    assert "CREATE TABLE public.invoices" not in (view.content(bomb.message, bomb.block) or "")
    assert view.estimate["budget"] == view.estimate["retain"] < 10_000


def test_micro_is_enough_and_what_was_cleared_is_read_again() -> None:
    session, view = opened("micro-is-enough")
    estimate = view.estimate
    assert estimate["budget"] > 16_000 >= estimate["micro"] == estimate["retain"]
    assert len(session.messages) > 40, "more than maxMessages, and still nothing is dropped"
    assert view.counts == {"truncated": 0, "cleared": 8, "dropped": 0}
    first, again = [
        outcome
        for tool, path, outcome in results(session, view)
        if tool == "Read" and path.endswith("courier/retry.py")
    ]
    assert (first.outcome, again.outcome, again.reason) == (Outcome.CLEARED, Outcome.KEPT, Reason.RECENT_WINDOW)
    # It lies in the last third, and the call that asked for it saw only the placeholder.
    assert again.message > len(session.messages) * 2 / 3
    asked = 1 + sum(message.role == "assistant" for message in session.messages[: again.message - 1])
    _, before = opened("micro-is-enough", asked)
    assert before.content(first.message, first.block) == (
        "[Old tool result content cleared] tool=Read /home/mara/courier/courier/retry.py"
    )


def test_micro_then_retain_loses_the_rule_that_the_next_answer_breaks() -> None:
    session, view = opened("micro-then-retain")
    estimate = view.estimate
    assert estimate["budget"] > estimate["micro"] > 10_000 >= estimate["retain"]
    assert view.counts == {"truncated": 0, "cleared": 8, "dropped": 20}
    start = view.end - 12
    assert view.kept_from == 20 > start, "the cut moved forward to a user text"
    assert [type(block) for block in session.messages[20].blocks] == [TextBlock]
    assert "no match statements" in text_of(session, 0)
    answer = session.messages[view.end]
    assert answer.role == "assistant"
    edits = [block for block in answer.blocks if isinstance(block, ToolUseBlock) and block.name == "Edit"]
    assert "match scope:" in edits[0].input["new_string"]


def test_echo_and_mcp_shows_what_is_clearable() -> None:
    session, view = opened("echo-and-mcp")
    assert tools(session, view, Outcome.CLEARED) == ["mcp__github__get_issue", "Read", "Bash", "Read"]
    kept = [(tool, each.reason) for tool, _, each in results(session, view) if each.outcome is Outcome.KEPT]
    assert kept == [
        (None, Reason.ORPHAN),
        ("WebFetch", Reason.TOOL_NOT_ELIGIBLE),
        ("TodoWrite", Reason.TOOL_NOT_ELIGIBLE),
        ("Bash", Reason.TOO_SMALL),
        ("Echo", Reason.TOOL_NOT_ELIGIBLE),
        ("Edit", Reason.TOO_SMALL),
        ("Edit", Reason.RECENT_WINDOW),
        ("Bash", Reason.RECENT_WINDOW),
    ]
    assert view.estimate["micro"] <= 8_000 < view.estimate["budget"]


def test_no_boundary_stays_over_and_drops_nothing() -> None:
    session, view = opened("no-boundary")
    assert len(session.messages) > 40
    assert view.counts == {"truncated": 0, "cleared": 7, "dropped": 0}
    assert view.estimate["micro"] == view.estimate["retain"] > 10_000
    assert view.kept_from == 0
    users = [number for number, message in enumerate(session.messages) if message.role == "user"]
    texts = [number for number in users if text_of(session, number)]
    assert texts == [0]
    assert "no boundary" in view.verdict("retain")


def test_truncation_grows_by_27_and_loses_the_last_digit() -> None:
    session, view = opened("truncation-grows")
    exact, longer = [each for _, _, each in results(session, view) if each.chars_before >= 4_000]
    assert (exact.chars_before, exact.outcome, exact.chars_after) == (4_000, Outcome.KEPT, 4_000)
    assert (longer.chars_before, longer.outcome, longer.chars_after) == (4_001, Outcome.TRUNCATED, 4_028)
    assert view.estimate["budget"] == view.estimate["original"] + 27
    assert result_text(session, longer).endswith("exit status=137")
    assert "exit status=13\n…[" in (view.content(longer.message, longer.block) or "")


def test_unicode_leaves_out_the_emoji_at_the_cut() -> None:
    session, view = opened("unicode")
    (cut,) = [each for _, _, each in results(session, view) if each.outcome is Outcome.TRUNCATED]
    assert cut.chars_after == 3_999 + 28
    text = result_text(session, cut)
    after = (view.content(cut.message, cut.block) or "").partition("\n…[tool_result")[0]
    assert text.startswith(after)
    assert units(after) == 3_999
    assert text[len(after)] == "\N{GRINNING FACE}"
    assert "[Old tool result content cleared] tool=Read 预览/预览.py" in view.changed_contents().values()
    everything = "".join(
        block.text if isinstance(block, TextBlock) else block.content if isinstance(block, ToolResultBlock) else ""
        for message in session.messages
        for block in message.blocks
    )
    for needed in ("\ud83d…", "\u200d", "e\u0301", "\u202b", "שלום", "\x1b[31m", "\x1b]0;", "\x07", "\x00", "表情"):
        assert needed in everything


def test_after_compact_counts_only_what_follows_the_boundary() -> None:
    session, view = opened("after-compact")
    (boundary,) = session.boundaries
    assert (boundary.message, boundary.trigger) == (14, "manual")
    assert session.messages[boundary.message].summary
    assert any(message.meta for message in session.messages[boundary.message :])
    (side,) = session.sidechains
    assert len(side.messages) == 6
    assert side.before < boundary.message
    assert view.trace == []
    chosen = sample("after-compact")
    across = evaluate(session, V4, CompactOptions(**chosen.options), across_boundaries=True).at()
    assert across.estimate["original"] > 6_000 >= view.estimate["original"]
    assert across.counts["cleared"] > 0


def test_idle_gap_clears_after_lunch_and_not_before() -> None:
    session, view = opened("idle-gap")
    assert view.verdict("time") == "gap 47 min 8 s >= 5 min: cleared 8 results"
    assert tools(session, view, Outcome.CLEARED) == ["Glob", "Bash", "Read", "Read", "Read", "Grep", "Read", "Read"]
    kept = [(tool, each.reason) for tool, _, each in results(session, view) if each.outcome is Outcome.KEPT]
    assert kept == [
        ("Bash", Reason.RECENT_WINDOW),
        ("TodoWrite", Reason.TOOL_NOT_ELIGIBLE),
        ("Edit", Reason.RECENT_WINDOW),
        ("Bash", Reason.RECENT_WINDOW),
        ("Edit", Reason.RECENT_WINDOW),
        ("Bash", Reason.RECENT_WINDOW),
    ]
    assert view.estimate["time"] * 2 < view.estimate["original"] < 20_000, "it would have fitted easily"
    evaluation = evaluated("idle-gap")
    before = [evaluation.at(call) for call in range(1, view.call)]
    assert not any(each.changed_contents() or each.trace for each in before)
    short = [each.call for each in before if "gap 4 min 12 s < 5 min" in each.verdict("time")]
    assert len(short) == 1, "a shorter pause, which the cache outlives"


def test_idle_gap_keeps_cleared_what_was_cleared_and_reads_again_what_it_needs() -> None:
    session, view = opened("idle-gap")
    cleared = view.changed_contents()
    assert set(cleared.values()) == {"[Old tool result content cleared]"}
    evaluation = evaluated("idle-gap")
    later = [evaluation.at(call) for call in evaluation.calls if call > view.call]
    assert len(later) == 6
    for each in later:
        assert each.changed_contents() == cleared
        assert "< 5 min; 8 results cleared before" in each.verdict("time")
        assert each.trace == []
    for end in ("shelf/calendar.py", "data/closed.toml"):
        first, again = [each for _, path, each in results(session, later[0]) if path.endswith(end)]
        assert (first.outcome, again.outcome) == (Outcome.CLEARED, Outcome.KEPT)
        assert again.message > view.end, "the answer to this very call asks for it"


def test_long_steady_work_deletes_four_times_and_sends_every_edit_again() -> None:
    session, view = opened("long-steady-work")
    said = "11 active, trigger is 10: deleted 6 results; 13 deleted again by pinned edits"
    assert view.verdict("cached") == said
    evaluation = evaluated("long-steady-work")
    views = [evaluation.at(call) for call in evaluation.calls]
    assert [each.call for each in views if each.trace] == [9, 14, view.call, 25]
    state = cached_state(view)
    assert state is not None
    assert [len(edits.refs) for edits in state.pinned_edits] == [7, 6, 6]
    assert state.new_edits == state.pinned_edits[-1]
    assert tools(session, view, Outcome.DELETED) == tools(session, views[-1], Outcome.DELETED)[:19]
    for each, following in pairwise(views):
        now, then = cached_state(each), cached_state(following)
        assert now is not None
        assert then is not None
        # An edit stays on the message that it was put in.
        assert wire_edits(then)[: len(now.pinned_edits)] == wire_edits(now)


def test_long_steady_work_has_no_pause_and_needs_nothing_again() -> None:
    session, view = opened("long-steady-work")
    stamps = [message.timestamp or 0.0 for message in session.messages]
    assert max(then - now for now, then in pairwise(stamps)) < 60
    time = evaluate(session, "claude-code-time")
    assert not any(time.at(call).trace for call in time.calls)
    assert view.estimate["cached"] * 2 < view.estimate["original"] < 20_000
    seen = results(session, evaluated("long-steady-work").at())
    assert {tool for tool, _, _ in seen} == {"Read", "Grep", "Bash"}
    files = [path for _, path, _ in seen if path]
    assert len(files) == len(set(files)), "no file is read twice"
    # The table at the end is made from the notes between the calls; no deletion touches those.
    notes = "\n".join(text_of(session, number) for number in range(len(session.messages)))
    for flag in ("new-plot-map", "water-meter-v2", "compost-poll", "key-deposit", "seed-swap", "harvest-log"):
        assert f"| {flag} |" in text_of(session, len(session.messages) - 1)
        assert f". {flag}**: " in notes


def test_count_driven_clears_tiny_results_and_grows() -> None:
    session, view = opened("count-driven")
    assert view.verdict("clear") == "34 messages with 17 results, keepRecent is 6: cleared 11 results"
    assert (view.estimate["original"], view.estimate["clear"]) == (2_021, 2_330)
    found = results(session, view)
    assert [each.outcome for _, _, each in found] == [Outcome.CLEARED] * 11 + [Outcome.KEPT] * 6
    assert max(each.chars_before for _, _, each in found) < 40
    clearable = set(CompactOptions().compactable_tools)
    assert clearable.isdisjoint(str(tool) for tool, _, _ in found), "none is a file's or a command's"
    # Twenty messages are not more than twenty.
    _, before = opened("count-driven", 9)
    assert "20 messages" in before.verdict("clear")
    assert before.changed_contents() == {}
    assert evaluate(session, V4).at().trace == []


def test_count_driven_loses_the_code_that_is_asked_for() -> None:
    session, view = opened("count-driven")
    assert "what is the code?" in text_of(session, view.end - 1)
    assert "QV7-TT2K" in json.dumps(view.messages("original"))
    assert "QV7-TT2K" not in json.dumps(view.messages())
    assert "M4C-9RWA" in json.dumps(view.messages()), "that of the way back is there, which tempts to a wrong answer"


def test_subagent_is_idle_long_enough_but_a_sidechain() -> None:
    session, view = opened("subagent")
    assert all(message.sidechain for message in session.messages)
    assert session.sidechains == (), "it is the session, not a part of one"
    asked, came = session.messages[view.end - 2 : view.end]
    assert (asked.role, came.role) == ("assistant", "user")
    assert 18 <= ((came.timestamp or 0.0) - (asked.timestamp or 0.0)) / 60 < 19
    assert view.verdict("time") == "sidechain: it fires on the main thread only"
    found = results(session, view)
    assert len(found) > 5, "more than keepRecent"
    assert {each.reason for _, _, each in found} == {Reason.SIDECHAIN}
    evaluation = evaluated("subagent")
    assert not any(evaluation.at(call).changed_contents() for call in evaluation.calls)


def test_subagent_would_lose_results_on_the_main_thread(tmp_path: Path) -> None:
    chosen = sample("subagent")
    text = chosen.path.read_text(encoding="utf-8")
    main = tmp_path / "main.jsonl"
    main.write_text(text.replace('"isSidechain": true', '"isSidechain": false'), encoding="utf-8")
    view = evaluate(load_session(main), chosen.strategy, chosen.strategy_options).at(chosen.call)
    assert view.verdict("time") == "gap 18 min 22 s >= 5 min: cleared 4 results"
