"""Every awkward file of ``tests/cases`` behaves as it should: see each test's name."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tests.formats.files import CASES, case, notes, texts
from tui.formats import load_session
from tui.model import (
    Boundary,
    OtherBlock,
    OutboundError,
    SessionError,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnsupportedFormatError,
)
from tui.model.chars import units

PRICES = [
    "Question 0 about the price list.",
    "Looking. >Read(t0)",
    "<t0:item,price\nlamp,10\n",
    "The lamp costs 10.",
    "Question 1 about the price list.",
    "Looking. >Read(t1)",
    "<t1:item,price\nlamp,11\n",
    "The lamp costs 11.",
]


def changed(*changes: tuple[int, str]) -> list[str]:
    out = list(PRICES)
    for index, value in changes:
        out[index] = value
    return out


@pytest.mark.parametrize(
    ("name", "expected", "noted"),
    [
        ("01", PRICES[:7], [(1, "lines unreadable", (8,), "skipped")]),
        ("03", PRICES, [(1, "lines with several records", (4,), "repaired")]),
        (
            "05",
            changed((2, "<t0:LINE-A\nLINE-B\nLINE-C")),
            [(1, "records broken over several lines", (3,), "repaired")],
        ),
        ("06", changed((2, "<t0:tab\tbell\x07end")), []),
        ("07", PRICES, []),
        ("09", PRICES, [(5, "lines that hold no JSON object", (1, 2, 3), "skipped")]),
        ("10", changed((3, "Cut in the middle of an emoji: \ud83d… and on.")), []),
        ("11", changed((2, "<t0:caf\udce9,price\nlamp,10\n")), []),
        ("13", PRICES, []),
        (
            "15",
            changed((2, "<t0:item,price\nlamp \ufffdt\ufffd \ufffd\ufffd,10\n")),
            [(1, "lines with bytes that are not UTF-8, shown as U+FFFD", (3,), "repaired")],
        ),
        ("71", PRICES, []),
    ],
)
def test_the_price_list_survives(name: str, expected: list[str], noted: list[Any]) -> None:
    session = case(name)
    assert session.format == "claude-code"
    assert texts(session) == expected
    assert notes(session) == noted


def test_unknown_records_are_skipped_and_counted_by_type() -> None:
    session = case("17")
    assert texts(session) == PRICES[:4]
    assert [note.text for note in session.notes] == [
        "records skipped: atis-latch",
        "records skipped: mode",
        "records skipped: last-prompt",
        "records skipped: progress",
        "records skipped: system (away_summary)",
        "records skipped: something-from-next-year",
        "records skipped: no type",
    ]
    assert [note.lines for note in session.notes] == [(line,) for line in range(1, 8)]


def test_content_of_every_shape() -> None:
    session = case("19")
    assert [message.blocks for message in session.messages] == [
        (TextBlock("plain string"),),
        (TextBlock("list of one"),),
        (),
        (),
        (TextBlock("a bare block, not in a list"),),
        (TextBlock("a bare string in a list"), TextBlock("and a block")),
        (TextBlock("assistant content as a string"),),
        (),
        (
            TextBlock(""),
            TextBlock(""),
            TextBlock("no type"),
            OtherBlock("brand_new_block", {"type": "brand_new_block", "x": 1}),
        ),
    ]
    assert notes(session) == [(1, "records skipped: assistant without a message", (9,), "skipped")]


def test_one_response_over_many_lines_is_one_message_before_its_results() -> None:
    session = case("21")
    assert texts(session)[0] == "Compare three files."
    answer = session.messages[1]
    assert [type(block) for block in answer.blocks] == [
        ThinkingBlock,
        TextBlock,
        ToolUseBlock,
        ToolUseBlock,
        TextBlock,
        ToolUseBlock,
    ]
    assert answer.blocks[4] == TextBlock("And the visible answer comes last.")
    assert answer.source_lines == (2, 3, 4, 6, 8)
    assert [text[:4] for text in texts(session)[2:]] == ["<t1:", "<t2:", "<t3:", "They"]


def test_dangling_parents_lose_nothing_and_the_boundary_stands_before_the_summary() -> None:
    session = case("23")
    assert texts(session) == [
        "early",
        "early answer",
        "after the break",
        "reachable only from here",
        "summary text",
        "last",
    ]
    assert session.boundaries == (Boundary(4, "auto", 170000),)
    assert [message.summary for message in session.messages] == [False] * 4 + [True, False]


def test_parallel_results_stay_in_the_order_of_the_file() -> None:
    assert texts(case("25")) == [
        "Check both.",
        ">Grep(t1) >Glob(t2)",
        "<t2:two.txt",
        "<t1:one.txt",
        "Both are there.",
    ]


def test_a_line_written_four_times_counts_once() -> None:
    session = case("27")
    assert texts(session) == [*PRICES[:4], "Sent once, written four times.", "Once is enough."]
    assert notes(session) == [(3, "records written again, word for word", (6, 7, 8), "skipped")]


def test_orphans_results_before_their_call_and_second_results_all_stay() -> None:
    assert texts(case("29")) == [
        "<toolu_gone:result whose call was compacted away",
        "Continuing.",
        "<None:no id <None:no id key",
    ]
    assert texts(case("31")) == ["<t1:too early", ">Read(t1)", "<t1:in time", "<t1:again, different text"]


def test_a_sidechain_is_folded_out_and_progress_is_not_counted_again() -> None:
    session = case("33")
    assert texts(session) == [
        "Use a helper.",
        ">Task(t_task)",
        "<t_task:The helper counted 3 files.",
        "Three files.",
    ]
    (side,) = session.sidechains
    assert (side.agent, side.before) == ("ag1", 2)
    assert [message.role for message in side.messages] == ["user", "assistant", "user", "assistant"]
    assert all(message.sidechain for message in side.messages)
    assert notes(session) == [(1, "records skipped: progress", (5,), "skipped")]


def test_markup_and_control_characters_are_kept_as_they_are() -> None:
    assert "[@click=app.quit]run[/]" in texts(case("34"))[1]
    assert "\x1b[2J" in texts(case("35"))[2]
    assert "\x00nul" in texts(case("35"))[2]


def test_numbers_that_json_does_not_have() -> None:
    session = case("41")
    (block,) = session.messages[1].blocks
    assert isinstance(block, ToolUseBlock)
    assert block.input["big"] == math.inf
    assert math.isnan(block.input["nan"])
    assert texts(session)[2:] == PRICES
    assert notes(session) == [(1, "lines with a number too large, read as infinite", (2,), "repaired")]


def test_timestamps_missing_odd_and_unsorted() -> None:
    session = case("43")
    new_year = 1767225600.0
    assert [message.timestamp for message in session.messages] == [
        None,
        new_year,
        new_year + 0.5,
        new_year,
        new_year,
        None,
        1577836800.0,
        None,
    ]
    assert notes(session) == [(1, "timestamps unreadable", (6,), "info")]


@pytest.mark.parametrize("name", ["45", "47"])
def test_nothing_in_it_is_an_empty_session(name: str) -> None:
    session = case(name)
    assert (session.format, session.messages, session.notes) == ("empty", (), ())


def test_openai_arguments_and_results_of_every_shape() -> None:
    session = case("59")
    assert session.format == "openai-chat"
    calls = [block for block in session.messages[1].blocks if isinstance(block, ToolUseBlock)]
    assert [call.id for call in calls] == [f"k{number}" for number in range(7)]
    assert [call.input for call in calls] == [
        {"a": 1},
        {"_raw": ""},
        {"_raw": "{"},
        {"_value": "SELECT 1"},
        {"_value": None},
        {"a": 1},
        {},
    ]
    results = [block for message in session.messages for block in message.blocks if isinstance(block, ToolResultBlock)]
    assert [result.content for result in results] == ["ok", "", "", "parts", "", "5", '{"x":1}', "old style"]
    assert [result.images for result in results] == [0, 0, 0, 0, 1, 0, 0, 0]
    assert [message.role for message in session.messages[-3:]] == ["system", "assistant", "assistant"]
    assert session.messages[-2].blocks[0] == TextBlock("no", {"refusal": True})
    assert session.messages[-1].blocks[-1] == ToolUseBlock(None, "q", {})
    assert not session.system


def test_tool_tags_in_plain_text_are_plain_text() -> None:
    session = case("69")
    assert session.format == "anthropic-messages"
    assert [type(block) for block in session.messages[1].blocks] == [TextBlock, TextBlock]
    assert texts(session)[1].startswith("<tool_calls><invoke")


def test_results_around_the_cut_keep_their_length() -> None:
    session = case("73")
    lengths = [
        units(block.content)
        for message in session.messages
        for block in message.blocks
        if isinstance(block, ToolResultBlock)
    ]
    assert lengths == [4019, 5000, 4000, 4001]


def test_react_agent_mini_one_to_one() -> None:
    session = case("75")
    assert session.format == "react-agent-mini"
    assert texts(session) == [
        "How big is a.txt?",
        "Let me look. >Bash(t1) >mcp__fs__stat(t2)",
        "<t1:12 a.txt",
        "<t2:no such tool",
        "[compact boundary]",
        "Conversation summary (compacted):\nasked for a size",
        "12 bytes.",
    ]
    assert [message.meta for message in session.messages] == [False] * 4 + [True, True, False]
    (result,) = session.messages[3].blocks
    assert isinstance(result, ToolResultBlock)
    assert result.is_error is True


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("53", "Codex CLI rollout"),
        ("55", "Codex CLI rollout"),
        ("57", "Codex CLI rollout"),
        ("61", "fine-tuning"),
        ("63", "ATIF"),
        ("65", "Gemini CLI"),
        ("67", "Inspect .eval"),
    ],
)
def test_other_formats_are_named(name: str, format: str) -> None:
    with pytest.raises(UnsupportedFormatError) as caught:
        case(name)
    assert caught.value.format == format
    assert caught.value.hint
    assert caught.value.source is not None
    assert f"{name}-" in caught.value.source


def test_what_is_no_session_is_refused_with_what_was_seen() -> None:
    with pytest.raises(SessionError, match="not a known session") as caught:
        case("51")
    assert "'level', 'msg', 'time'" in caught.value.hint
    assert caught.value.line == 1
    with pytest.raises(SessionError, match="not a known session"):
        case("49")


def test_no_case_raises_anything_else() -> None:
    for path in CASES.iterdir():
        try:
            load_session(path)
        except OutboundError as error:
            assert str(path) in str(error)
