from __future__ import annotations

from typing import Any

import pytest

from tests.formats.files import Transcript, call, describe, lines, load, notes, text, texts
from tui.formats.load import Progress
from tui.model import Boundary, ThinkingBlock, ToolResultBlock, ToolUseBlock


def test_calls_come_first_when_results_stand_between_the_lines_of_one_answer() -> None:
    made = Transcript()
    made.user("go")
    made.assistant("m1", call("a"))
    made.result("a")
    made.assistant("m1", call("b"))
    made.result("b")
    made.assistant("m2", text("done"))
    session = made.load()
    assert texts(session) == ["go", ">Read(a) >Read(b)", "<a:ok", "<b:ok", "done"]
    merged = session.messages[1]
    assert merged.source_lines == (2, 4)
    assert merged.timestamp is not None
    assert session.messages[0].timestamp is not None
    assert merged.timestamp - session.messages[0].timestamp == 3, "the time of its last line"


@pytest.mark.parametrize(
    "between",
    [
        lambda made: made.user("stop"),
        lambda made: made.user([{"type": "tool_result", "tool_use_id": "a", "content": "x"}, text("and this")]),
        lambda made: made.assistant("other", text("x")),
        lambda made: made.assistant(None, text("x")),
        lambda made: made.add("system", subtype="compact_boundary"),
        lambda made: made.user(None),
    ],
)
def test_answers_of_one_id_stay_apart_when_more_than_results_lies_between(between: Any) -> None:
    made = Transcript()
    made.assistant("m1", call("a"))
    between(made)
    made.assistant("m1", call("b"))
    answers = [describe(message) for message in made.load().messages if message.role == "assistant"]
    assert answers[0] == ">Read(a)"
    assert answers[-1] == ">Read(b)"


@pytest.mark.parametrize("id", ["", None, 7])
def test_answers_without_a_usable_id_are_not_merged(id: Any) -> None:
    made = Transcript()
    made.assistant(id, text("one"))
    made.assistant(id, text("two"))
    assert texts(made.load()) == ["one", "two"]


def test_one_id_for_everything_is_told_apart_by_the_requests() -> None:
    made = Transcript()
    made.assistant("same", call("a"), requestId="r1")
    made.result("a")
    made.assistant("same", call("b"), requestId="r2")
    made.assistant("same", text("more"), requestId="r2")
    assert texts(made.load()) == [">Read(a)", "<a:ok", ">Read(b) more"]


def test_progress_and_skipped_records_do_not_end_an_answer() -> None:
    made = Transcript()
    made.assistant("m1", text("one"))
    made.add("progress", data={})
    made.add("attachment", attachment={"type": "todo"})
    made.assistant("m1", text("two"))
    session = made.load()
    assert texts(session) == ["one two"]
    assert notes(session) == [
        (1, "records skipped: progress", (2,), "skipped"),
        (1, "records skipped: attachment", (3,), "skipped"),
    ]


def test_an_error_in_any_line_of_an_answer_marks_it() -> None:
    made = Transcript()
    made.assistant("m1", text("API Error: 529"), isApiErrorMessage=True)
    made.assistant("m2", text("fine"))
    assert [message.error for message in made.load().messages] == [True, False]


@pytest.mark.parametrize(
    "content",
    [
        "<command-name>/compact</command-name>",
        "<command-message>x</command-message>",
        "<local-command-stdout>\x1b[2mCompacted\x1b[22m</local-command-stdout>",
        "<local-command-caveat>Caveat: …",
        "<bash-input>ls</bash-input>",
        "<bash-stdout>a</bash-stdout>",
        "<task-notification>done</task-notification>",
        "\n<system-reminder>be good</system-reminder>",
        "Caveat: The messages below",
        "[Request interrupted by user for tool use]",
        [text("[Request interrupted by user]")],
    ],
)
def test_what_the_user_did_not_type_is_marked(content: Any) -> None:
    made = Transcript()
    made.user(content)
    made.user("typed <system-reminder> by hand")
    assert [message.meta for message in made.load().messages] == [True, False]


def test_flags_of_records_mark_what_the_user_did_not_type() -> None:
    made = Transcript()
    made.user("skill text", isMeta=True)
    made.user("from a hook", origin={"kind": "hook"})
    made.user("from a person", origin={"kind": "human"})
    made.user("This session is being continued", isCompactSummary=True)
    made.result("a")
    session = made.load()
    assert [message.meta for message in session.messages] == [True, True, False, True, False]
    assert [message.summary for message in session.messages] == [False, False, False, True, False]


def test_boundaries_say_what_the_file_says() -> None:
    made = Transcript()
    made.user("a")
    made.add("system", subtype="compact_boundary", compactMetadata={"trigger": "manual", "preTokens": 155})
    made.user("b")
    made.add("system", subtype="microcompact_boundary")
    made.add("system", subtype="compact_boundary", compactMetadata="?")
    session = made.load()
    assert session.boundaries == (Boundary(1, "manual", 155), Boundary(2, "", None))
    assert notes(session) == [(1, "records skipped: system (microcompact_boundary)", (4,), "skipped")]


def test_sidechains_are_told_apart_by_agent_or_by_parent() -> None:
    made = Transcript()
    made.user("main")
    first = made.user("first", isSidechain=True, parentUuid=None)
    second = made.user("second", isSidechain=True, parentUuid=None)
    made.assistant("f", text("of first"), isSidechain=True, parentUuid=first)
    made.assistant("s", text("of second"), isSidechain=True, parentUuid=second)
    made.user("named", isSidechain=True, agentId="ag7")
    made.user("main again")
    made.user("named too", isSidechain=True, agentId="ag7")
    session = made.load()
    assert texts(session) == ["main", "main again"]
    assert [(side.agent, side.before, list(map(describe, side.messages))) for side in session.sidechains] == [
        ("", 1, ["first", "of first"]),
        ("", 1, ["second", "of second"]),
        ("ag7", 1, ["named", "named too"]),
    ]


def test_a_file_of_sidechains_only_is_a_session_of_its_own() -> None:
    made = Transcript()
    made.user("do it", isSidechain=True, agentId="ag1")
    made.assistant("m", call("a"), isSidechain=True, agentId="ag1")
    made.add("system", subtype="compact_boundary", isSidechain=True, agentId="ag1")
    made.result("a", isSidechain=True, agentId="ag1")
    session = made.load()
    assert texts(session) == ["do it", ">Read(a)", "<a:ok"]
    assert all(message.sidechain for message in session.messages)
    assert session.boundaries == (Boundary(2),)
    assert not session.sidechains


def test_two_agents_without_a_main_thread_stand_in_the_order_of_the_file() -> None:
    made = Transcript()
    made.user("one", isSidechain=True, agentId="a")
    made.user("two", isSidechain=True, agentId="b")
    made.user("three", isSidechain=True, agentId="a")
    assert texts(made.load()) == ["one", "two", "three"]


def test_a_prompt_on_an_abandoned_branch_stays_and_is_said() -> None:
    made = Transcript()
    made.user("start")
    answer = made.assistant("m", text("hello"))
    made.add("progress", data={})
    made.user("first wording")
    made.user("second wording", parentUuid=answer)
    made.assistant("n", text("good"))
    session = made.load()
    assert texts(session) == ["start", "hello", "first wording", "second wording", "good"]
    assert notes(session)[1:] == [
        (
            1,
            "prompts on a branch that was left by an edit or a rewind; they stand in the order of the file",
            (4,),
            "info",
        )
    ]


def test_parallel_results_self_parents_and_cycles_are_no_branches() -> None:
    made = Transcript()
    made.user("start")
    one = made.assistant("m", call("a"))
    two = made.assistant("m", call("b"))
    made.result("a", parentUuid=one)
    made.result("b", parentUuid=two)
    made.user("self", parentUuid="u5")
    made.user("cycle", parentUuid="u7")
    made.user("cycle back", parentUuid="u6")
    made.add("progress", parentUuid="u8")
    made.user("below a progress that is its own parent")
    assert notes(made.load()) == [(1, "records skipped: progress", (9,), "skipped")]


def test_only_whole_copies_are_dropped() -> None:
    made = Transcript()
    made.user("yes", uuid="same", timestamp="2026-03-01T10:00:00Z", parentUuid=None)
    made.user("yes", uuid="same", timestamp="2026-03-01T10:00:00Z", parentUuid=None)
    made.user("yes", uuid="same", timestamp="2026-03-01T10:00:00Z", parentUuid=None, sessionId="resumed")
    data = lines(*made.records)
    assert texts(load(data)) == ["yes", "yes"]
    assert texts(load(data + data.splitlines()[0])) == ["yes", "yes"], "a copy without its line end is one too"


def test_lines_without_a_uuid_are_no_copies() -> None:
    line = lines({"type": "user", "sessionId": "s", "message": {"role": "user", "content": "go on"}})
    assert texts(load(line * 3)) == ["go on"] * 3


def test_what_the_tool_kept_for_itself_is_not_kept() -> None:
    made = Transcript()
    made.result("a", toolUseResult={"stdout": "secret copy"}, cwd="/home")
    (message,) = made.load().messages
    assert message.extra is None
    assert message.blocks == (ToolResultBlock("a", "ok"),)


def test_unknown_fields_of_blocks_are_kept() -> None:
    made = Transcript()
    made.assistant(
        "m",
        {"type": "thinking", "thinking": "", "signature": "sig"},
        call("a") | {"caller": {"type": "direct"}},
    )
    (message,) = made.load().messages
    assert message.blocks == (
        ThinkingBlock("", redacted=True, extra={"signature": "sig"}),
        ToolUseBlock("a", "Read", {}, {"caller": {"type": "direct"}}),
    )


def test_titles_by_preference() -> None:
    made = Transcript()
    made.user("a")
    made.records.append({"type": "custom-title", "customTitle": "My title", "sessionId": "s"})
    made.records.append({"type": "ai-title", "aiTitle": "Machine's title", "sessionId": "s"})
    made.records.append({"type": "summary", "summary": "Older title", "leafUuid": "x"})
    session = made.load()
    assert session.title == "My title"
    assert session.notes == ()


def test_records_in_a_list_and_flat_variants_are_read_too() -> None:
    records = [
        {"type": "user", "sessionId": "s", "content": "flat"},
        {"type": "tool_use", "sessionId": "s", "id": "a", "name": "Read", "input": {"file_path": "x"}},
        {"type": "tool_result", "sessionId": "s", "tool_use_id": "a", "content": "body"},
        {"type": "assistant", "sessionId": "s", "message": "a string"},
    ]
    expected = ["flat", ">Read(a)", "<a:body", "a string"]
    assert texts(load(lines(*records))) == expected
    made = Transcript()
    made.user("a")
    made.assistant("m", text("b"))
    document = b"[" + b",".join(lines(*made.records).splitlines()) + b"]"
    assert texts(load(document)) == ["a", "b"]


def test_a_snapshot_in_the_middle_of_an_answer_changes_nothing() -> None:
    made = Transcript()
    for number in range(3000):
        made.assistant(f"m{number // 7}", text("x" * 200))
    data = lines(*made.records)
    heads: list[list[str]] = []

    def take(progress: Progress) -> None:
        if progress.snapshot is not None:
            heads.append(texts(progress.snapshot()))

    whole = texts(load(data, progress=take))
    assert whole == texts(load(data))
    assert heads
    for head in heads:
        assert head[:-1] == whole[: len(head) - 1]
