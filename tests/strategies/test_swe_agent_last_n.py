from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import oracle
from tests.strategies.properties import Dicts, Expected, assert_every_call_is, assert_properties
from tests.strategy_data import conversations
from tui import evaluate, session_from_messages
from tui.model import OptionError
from tui.pipeline.evaluation import View
from tui.pipeline.outcomes import Outcome, Reason
from tui.strategies.swe_agent_last_n import NAME, LastNOptions

LINES = st.one_of(
    st.text(alphabet="a\n\r\x0b\x0c\x1c\x85\u2028 é", max_size=30),
    st.sampled_from([1, 9, 10, 11, 99, 100, 101]).map(lambda n: "x\n" * n),
    st.integers(0, 2).map(lambda n: f"Old environment output: ({n} lines omitted)"),
)
OPTIONS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"keep_recent": st.integers(1, 5)},
    optional={"enabled": st.booleans(), "disabled_stages": st.sampled_from([(), ("elide",)])},
)


def results(*texts: str) -> Dicts:
    """A user message with as many results, and the assistant message that asks for them."""
    ids = [f"id{number}" for number in range(len(texts))]
    return [
        {"type": "assistant", "content": [{"type": "tool_use", "id": one, "name": "Bash", "input": {}} for one in ids]},
        {
            "type": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": one, "content": text}
                for one, text in zip(ids, texts, strict=True)
            ],
        },
    ]


observed = st.lists(st.lists(LINES, min_size=1, max_size=3).map(lambda texts: results(*texts)), max_size=8).map(
    lambda parts: [message for part in parts for message in part]
)


def naive(messages: Dicts, values: dict[str, Any]) -> Expected:
    """Changes ``messages``."""
    size, n = oracle.estimate(messages), values["keep_recent"]
    found = [b for m in messages if m["type"] == "user" for b in m["content"] if b["type"] == "tool_result"]
    if not values.get("enabled", True) or values.get("disabled_stages") or len(found) < n + 2:
        return Expected(messages, trace=[])
    elided = found[1 : len(found) - n]
    for block in elided:
        block["content"] = f"Old environment output: ({len(block['content'].splitlines())} lines omitted)"
    count = len(messages)
    line = f"[trace] swe-agent-last-n.elide before={count} after={count} cleared={len(elided)} estimated={size}"
    return Expected(messages, trace=[line])


@settings(max_examples=200, deadline=None)
@given(st.one_of(conversations, observed), OPTIONS, st.lists(st.integers(0, 20), max_size=2))
def test_every_call_is_what_the_rule_gives(messages: Dicts, values: dict[str, Any], cuts: list[int]) -> None:
    assert_every_call_is(messages, NAME, LastNOptions(**values), lambda seen: naive(seen, values))
    cuts = [min(cut, len(messages)) for cut in cuts]
    assert_every_call_is(messages, NAME, LastNOptions(**values), lambda seen: naive(seen, values), cuts)


@settings(max_examples=60, deadline=None)
@given(st.one_of(conversations, observed), OPTIONS)
def test_properties(messages: Dicts, values: dict[str, Any]) -> None:
    assert_properties(messages, NAME, LastNOptions(**values))


def viewed(messages: Dicts, **values: Any) -> View:
    return evaluate(session_from_messages(messages), NAME, LastNOptions(**values)).at()


def contents(view: View) -> list[str]:
    return [b["content"] for m in view.messages() for b in m["content"] if b["type"] == "tool_result"]


def test_the_first_and_the_last_five_are_left() -> None:
    view = viewed(results(*"abcdefgh"))
    note = "Old environment output: (1 lines omitted)"
    assert contents(view) == ["a", note, note, *"defgh"]
    assert view.outcome(1, 0).reason is Reason.EXCLUDED
    assert view.outcome(1, 0).explanation == "kept: the first result is never elided"
    assert view.outcome(1, 1).outcome is Outcome.CLEARED
    assert view.outcome(1, 1).explanation == "elided: 7th newest result, n is 5"
    assert view.outcome(1, 3).explanation == "kept: 5th newest result, n is 5"
    assert view.verdict("elide") == "8 results, n is 5: cleared 2 results"
    size = view.estimate["original"]
    assert view.trace == [f"[trace] swe-agent-last-n.elide before=2 after=2 cleared=2 estimated={size}"]


def test_fewer_than_n_and_two_change_nothing() -> None:
    view = viewed(results(*"abcdef"))
    assert contents(view) == [*"abcdef"]
    assert view.trace == []
    assert view.outcome(1, 0).reason is view.outcome(1, 3).reason is Reason.TOO_FEW
    assert view.verdict("elide") == "6 results, the first and the last 5 are never elided: nothing cleared"
    assert contents(viewed(results(*"abcdefg")))[1] == "Old environment output: (1 lines omitted)"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", 0),
        ("a", 1),
        ("a\n", 1),
        ("a\n\n", 2),
        ("a\r\nb", 2),
        ("a\x0bb\x0cc\x1cd\x85e\u2028f", 6),
        ("x\n" * 9, 9),
        ("x\n" * 10, 10),
        ("x\n" * 1000, 1000),
        ("Old environment output: (7 lines omitted)", 1),
    ],
)
def test_lines_are_counted_as_python_splits_them(text: str, lines: int) -> None:
    view = viewed(results("first", text, "last"), keep_recent=1)
    note = f"Old environment output: ({lines} lines omitted)"
    assert contents(view) == ["first", note, "last"]
    assert view.outcome(1, 1).chars_after == len(note)


def test_a_note_that_would_be_the_same_is_unchanged_though_counted() -> None:
    note = "Old environment output: (1 lines omitted)"
    view = viewed(results("first", note, "last"), keep_recent=1)
    assert view.outcome(1, 1).outcome is Outcome.KEPT
    assert view.outcome(1, 1).reason is Reason.ALREADY_CLEARED
    assert view.counts == {"cleared": 1}


def test_results_in_assistant_messages_are_no_observations() -> None:
    odd = {"type": "assistant", "content": [{"type": "tool_result", "tool_use_id": "id0", "content": "odd"}]}
    view = viewed([*results("a"), odd, *results("b"), *results("c")], keep_recent=1)
    assert contents(view) == ["a", "odd", "Old environment output: (1 lines omitted)", "c"]
    assert view.outcome(2, 0).reason is Reason.TOOL_NOT_ELIGIBLE


def test_lines_of_a_result_that_was_offloaded_are_those_of_what_is_left_of_it() -> None:
    session = session_from_messages(results("first", "x\n" * 30_000, "last"))
    view = evaluate(session, NAME, LastNOptions(keep_recent=1), offload=True).at()
    preview = view.messages("offload")[1]["content"][1]["content"]
    assert len(preview) < 3000
    note = f"Old environment output: ({len(preview.splitlines())} lines omitted)"
    assert contents(view) == ["first", note, "last"]
    assert view.estimate["elide"] == oracle.estimate(view.messages())


def test_switched_off() -> None:
    view = viewed(results(*"abc"), keep_recent=1, disabled_stages=("elide",))
    assert contents(view) == [*"abc"]
    assert view.outcome(1, 1).reason is Reason.DISABLED
    assert view.verdict("elide") == "elide is switched off"


def test_options() -> None:
    (knob,) = LastNOptions.knobs()
    assert (knob.name, knob.label, knob.default, knob.least) == ("keep_recent", "n", 5, 1)
    with pytest.raises(OptionError, match="a whole number, 1 or more"):
        LastNOptions(keep_recent=0)
