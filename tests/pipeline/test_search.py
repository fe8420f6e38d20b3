"""The search against the plain `re` module over every block's text, on both sides."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pipeline.test_tools import eager_values
from tests.strategy_data import conversations, option_values
from tui import CompactOptions, evaluate, session_from_messages
from tui.model import Boundary, OutboundError, Session
from tui.model.ecma_json import stringify
from tui.pipeline.index import index_of
from tui.pipeline.search import Query, search, sent_hits

Dicts = list[dict[str, Any]]
STAGES = ("original", "budget", "micro", "retain", "outbound")

LITERALS = ["a", "x", "xx", "X", "read", "Read", "old tool", "Old", "😀", "é", "É", ".", "a.py", "\n", "读", "[", "\\"]
PATTERNS = ["x+y", "^x", "y$", "[ab] ", "Old|Read", "old|read", "\\d", "x{3,}", "\\bpy\\b", "(?i)READ", "😀y"]
queries = st.one_of(
    st.sampled_from(LITERALS).map(Query),
    st.text(alphabet="abxyR .😀é\n", min_size=1, max_size=3).map(Query),
    st.sampled_from(PATTERNS).map(lambda text: Query(text, regex=True)),
)


def shown(block: dict[str, Any]) -> str:
    """The text of a block as the page shows it."""
    if block["type"] == "tool_use":
        lines = [f"{k}: {v if isinstance(v, str) else stringify(v)}" for k, v in block["input"].items()]
        return "\n".join([block["name"], *lines])
    if block["type"] == "thinking":
        return str(block["thinking"]) or "(redacted)"
    return str(block["content"] if block["type"] == "tool_result" else block["text"])


def naive_matches(query: Query, text: str) -> bool:
    capital = any(char.isupper() for char in query.text)
    pattern = query.text if query.regex else re.escape(query.text)
    return re.search(pattern, text, re.MULTILINE | (re.NOFLAG if capital else re.IGNORECASE)) is not None


def numbered(messages: Dicts) -> dict[tuple[int, int], int]:
    """The number of each block, by message and place."""
    places = [(m, b) for m, message in enumerate(messages) for b in range(len(message["content"]))]
    return {place: number for number, place in enumerate(places)}


def found(session: Session, query: Query, first: int = 0) -> list[int]:
    batches = list(search(index_of(session), query, first, lambda: False))
    return [number for batch in batches for number in batch]


@settings(max_examples=200, deadline=None)
@given(conversations, queries, st.integers(-1, 50))
def test_hits_in_the_conversation_are_those_of_re(messages: Dicts, query: Query, first: int) -> None:
    numbers = numbered(messages)
    expected = [number for (m, b), number in numbers.items() if naive_matches(query, shown(messages[m]["content"][b]))]
    start = min(max(first, 0), len(numbers))
    order = [n for n in expected if n >= start] + [n for n in expected if n < start]
    assert found(session_from_messages(messages), query, first) == order


@settings(max_examples=150, deadline=None)
@given(conversations, option_values | eager_values, queries, st.lists(st.integers(0, 20), max_size=2))
def test_hits_in_what_is_sent_are_those_of_re_over_the_messages_of_each_stage(
    messages: Dicts, values: dict[str, Any], query: Query, cuts: list[int]
) -> None:
    cuts = sorted({min(cut, len(messages)) for cut in cuts})
    session = replace(session_from_messages(messages), boundaries=tuple(map(Boundary, cuts)))
    evaluation = evaluate(session, "react-agent-mini-v4", CompactOptions(**values))
    numbers = numbered(messages)
    hits = found(session, query)
    for call in evaluation.calls:
        view = evaluation.at(call)
        for stage in STAGES:
            first = view.kept_from_after(stage)
            expected = [
                numbers[m, b]
                for m, message in enumerate(view.messages(stage), first)
                for b, block in enumerate(message["content"])
                if naive_matches(query, shown(block))
            ]
            assert sent_hits(view, evaluation.index, query, hits, stage) == expected


def texts(*texts: str) -> Session:
    return session_from_messages([{"type": "user", "content": [{"type": "text", "text": text}]} for text in texts])


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (Query("error"), [0, 1, 2]),
        (Query("Error"), [1]),
        (Query("ERROR"), [2]),
        (Query("e.ror"), []),
        (Query("e.ror", regex=True), [0, 1, 2]),
        (Query("E.ror", regex=True), [1]),
        (Query("^error", regex=True), [0, 1, 2]),
        (Query("a(b"), [3]),
        (Query("ÉTÉ"), [4]),
        (Query("été"), [4, 5]),
    ],
)
def test_case_counts_where_a_capital_is_typed_and_plain_text_stands_for_itself(
    query: Query, expected: list[int]
) -> None:
    session = texts("error", "Error", "line\nERROR", "a(b", "ÉTÉ", "été")
    assert found(session, query) == expected


@pytest.mark.parametrize("text", ["(", "[a", "*", "a{2,1}", "(?P<x>", "\\", "(?<=a+)b", "x{99999999999999999999}"])
def test_what_is_no_regular_expression_is_said_so(text: str) -> None:
    with pytest.raises(OutboundError, match="this is no regular expression: "):
        found(texts("a"), Query(text, regex=True))
    assert found(texts("a", f"<{text}>"), Query(text)) == [1]


def test_the_nearest_come_first_and_at_once() -> None:
    session = texts(*["hit"] * 10_000)
    batches = search(index_of(session), Query("hit"), 5_000, lambda: False)
    first = next(batches)
    assert first == list(range(5_000, 5_000 + len(first)))
    assert 0 < len(first) <= 100
    rest = list(batches)
    assert max(map(len, rest)) <= 2_000
    assert first + [number for batch in rest for number in batch] == [*range(5_000, 10_000), *range(5_000)]


def test_it_stops_when_told_to() -> None:
    session = texts(*["hit"] * 10_000)
    batches: list[list[int]] = []
    batches.extend(search(index_of(session), Query("hit"), 0, lambda: bool(batches)))
    assert 0 < sum(map(len, batches)) < 200
    ev = evaluate(session_from_messages([]), "react-agent-mini-v4", CompactOptions())
    assert list(search(ev.index, Query("hit"), 0, lambda: True)) == []


def test_messages_without_blocks_do_not_shift_the_numbers() -> None:
    messages: Dicts = [{"type": "user", "content": []} for _ in range(3)]
    messages += [{"type": "user", "content": [{"type": "text", "text": "hit"}]}]
    messages[1:1] = [{"type": "user", "content": [{"type": "text", "text": "miss"}]}]
    messages += [{"type": "user", "content": []}]
    assert found(session_from_messages(messages), Query("hit")) == [1]
    assert found(session_from_messages(messages), Query("hit"), 1) == [1]
