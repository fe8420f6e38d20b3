from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests import oracle
from tui import CompactOptions, evaluate, load_session
from tui.demos.samples import INDEX, folder, sample, samples
from tui.model import OutboundError, Session, TextBlock, ToolResultBlock, ToolUseBlock
from tui.model.chars import units
from tui.pipeline.evaluation import View
from tui.pipeline.outcomes import BlockOutcome, Outcome, Reason

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
}


def opened(name: str, call: int | None = None) -> tuple[Session, View]:
    """A sample as the picker opens it, or at another call."""
    chosen = sample(name)
    session = load_session(chosen.path)
    return session, evaluate(session, V4, CompactOptions(**chosen.options)).at(call or chosen.call)


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
    assert sum(sizes) < 300_000
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
    calls = evaluate(load_session(chosen.path), V4, CompactOptions(**chosen.options)).calls
    assert chosen.call is None or chosen.call in calls


@pytest.mark.parametrize("name", FORMATS)
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
