from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import oracle
from tests.strategies.properties import Dicts, Expected, assert_every_call_is, assert_properties, with_boundaries
from tests.strategy_data import conversations, exchange, result_block, user
from tui import evaluate, session_from_messages
from tui.model import OptionError
from tui.pipeline.evaluation import View
from tui.pipeline.marks import marks
from tui.pipeline.offload import OffloadOptions, file_size, offloaded, preview
from tui.pipeline.outcomes import Outcome, Reason
from tui.strategies import STRATEGIES
from tui.strategies.claude_code_l1 import NAME

OPTIONS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "max_result_chars": st.integers(0, 60),
        "max_message_chars": st.integers(0, 400),
        "preview_chars": st.integers(0, 40),
        "disabled_stages": st.sampled_from([(), ("offload",)]),
    },
)
many = st.lists(result_block, min_size=1, max_size=5).map(lambda blocks: [{"type": "user", "content": blocks}])
talks: st.SearchStrategy[Dicts] = st.one_of(
    conversations,
    st.lists(st.one_of(many, exchange, user.map(lambda m: [m])), max_size=10).map(
        lambda parts: [message for part in parts for message in part]
    ),
)


def size_words(chars: int) -> str:
    """As the original: toFixed(1) without a trailing .0."""
    if chars < 1024:
        return f"{chars} bytes"
    text = f"{math.floor(chars / 1024 * 10 + 0.5) / 10:.1f}"
    return text.removesuffix(".0") + "KB"


def replaced(block: dict[str, Any], limit: int) -> str:
    text = block["content"]
    shown = text if oracle.units(text) <= limit else oracle.cut(text, limit)
    more = shown != text
    if more and "\n" in shown and oracle.units(shown[: shown.rindex("\n")]) > limit * 0.5:
        shown = shown[: shown.rindex("\n")]
    lines = ["<persisted-output>"]
    lines.append(
        f"Output too large ({size_words(oracle.units(text))}). "
        f"Full output saved to: tool-results/{block['tool_use_id']}.txt"
    )
    lines += ["", f"Preview (first {size_words(limit)}):", shown, *["..."] * more, "</persisted-output>"]
    return "\n".join(lines)


def naive(messages: Dicts, values: dict[str, Any]) -> Expected:
    """Changes ``messages``."""
    if values.get("disabled_stages"):
        return Expected(messages, trace=[])
    limit, most = values.get("max_result_chars", 50_000), values.get("max_message_chars", 200_000)
    shown = values.get("preview_chars", 2_000)
    size, count = oracle.estimate(messages), 0
    groups: list[list[dict[str, Any]]] = [[]]
    for message in messages:
        if message["type"] == "assistant":
            groups.append([])
        else:
            groups[-1] += [block for block in message["content"] if block["type"] == "tool_result"]
    for group in groups:
        whole = list(group)
        for block in group:
            if oracle.units(block["content"]) > limit:
                block["content"] = replaced(block, shown)
                whole = [other for other in whole if other is not block]
                count += 1
        while whole and sum(oracle.units(block["content"]) for block in group) > most:
            largest = max(whole, key=lambda block: oracle.units(block["content"]))  # the first of equals
            whole = [other for other in whole if other is not largest]
            largest["content"] = replaced(largest, shown)
            count += 1
    n = len(messages)
    line = f"[trace] claude-code-l1.offload before={n} after={n} offloaded={count} estimated={size}"
    return Expected(messages, trace=[line] if count else [])


@settings(max_examples=300, deadline=None)
@given(talks, OPTIONS, st.lists(st.integers(0, 20), max_size=2))
def test_every_call_is_what_the_rule_gives(messages: Dicts, values: dict[str, Any], cuts: list[int]) -> None:
    assert_every_call_is(messages, NAME, OffloadOptions(**values), lambda seen: naive(seen, values))
    cuts = [min(cut, len(messages)) for cut in cuts]
    assert_every_call_is(messages, NAME, OffloadOptions(**values), lambda seen: naive(seen, values), cuts)


@settings(max_examples=60, deadline=None)
@given(talks, OPTIONS)
def test_properties(messages: Dicts, values: dict[str, Any]) -> None:
    assert_properties(messages, NAME, OffloadOptions(**values))


def turn(*contents: str) -> Dicts:
    """An assistant message with as many calls, and a user message for each result."""
    ids = [f"t{number}" for number in range(len(contents))]
    uses = [{"type": "tool_use", "id": one, "name": "Bash", "input": {}} for one in ids]
    results = [
        {"type": "user", "content": [{"type": "tool_result", "tool_use_id": one, "content": text}]}
        for one, text in zip(ids, contents, strict=True)
    ]
    return [{"type": "assistant", "content": uses}, *results]


def say(text: str = "go") -> dict[str, Any]:
    return {"type": "user", "content": [{"type": "text", "text": text}]}


def viewed(messages: Dicts, **values: Any) -> View:
    return evaluate(session_from_messages(messages), NAME, OffloadOptions(**values)).at()


def results_of(view: View) -> list[str]:
    return [b["content"] for m in view.messages() for b in m["content"] if b["type"] == "tool_result"]


def test_the_text_is_claude_codes() -> None:
    text = "\n".join(["line " + "x" * 94] * 611)[:61_133]
    (found,) = results_of(viewed([say(), *turn(text)]))
    shown = text[:2000].rsplit("\n", 1)[0]
    assert found == (
        "<persisted-output>\n"
        "Output too large (59.7KB). Full output saved to: tool-results/t0.txt\n"
        "\n"
        f"Preview (first 2KB):\n{shown}\n"
        "...\n"
        "</persisted-output>"
    )


@pytest.mark.parametrize(
    ("chars", "words"),
    [
        (0, "0 bytes"),
        (1023, "1023 bytes"),
        (1024, "1KB"),
        (1280, "1.3KB"),  # a tie, rounded up as toFixed does
        (2000, "2KB"),
        (50_001, "48.8KB"),
        (61_133, "59.7KB"),
        (1_048_575, "1024KB"),
        (1_048_576, "1MB"),
        (1_600_000, "1.5MB"),
        (2**30, "1GB"),
    ],
)
def test_sizes(chars: int, words: str) -> None:
    assert file_size(chars) == words


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("abcdef\nghijkl", "abcdef"),  # past half of 10
        ("abcde\nfghijkl", "abcde\nfghi"),  # at half
        ("abcdefghijkl", "abcdefghij"),
        ("abcdefghi😀l", "abcdefghi"),
        ("😀😀😀\nabcdefg", "😀😀😀"),
        ("abcdefghij", "abcdefghij"),
    ],
)
def test_the_preview_is_cut_at_a_line_end_past_half(text: str, shown: str) -> None:
    assert preview(text, 10) == shown
    assert ("\n...\n" in offloaded(text, "a", 10)) == (text != shown)


def test_fifty_thousand_stay_and_one_more_goes() -> None:
    view = viewed([say(), *turn("x" * 50_000)])
    assert results_of(view) == ["x" * 50_000]
    assert view.verdict("offload") == "no result over 50,000, no user message over 200,000: nothing offloaded"
    assert view.outcome(2, 0).explanation == "not offloaded: 50,000 chars, maxResultChars is 50,000"
    view = viewed([say(), *turn("x" * 50_001)])
    assert results_of(view)[0].startswith("<persisted-output>\nOutput too large (48.8KB).")
    assert view.outcome(2, 0).outcome is Outcome.OFFLOADED
    assert view.outcome(2, 0).explanation == "offloaded: 50,001 chars, maxResultChars is 50,000"
    assert view.verdict("offload") == "offloaded 1 result, 2,000 chars of each are left to see"


def which(view: View) -> list[int]:
    return [number for number, text in enumerate(results_of(view)) if text.startswith("<persisted-output>")]


def test_the_largest_of_consecutive_user_messages_go_until_they_fit() -> None:
    sizes = [40_000, 50_000, 45_000, 50_000, 49_000]
    view = viewed([say(), *turn(*("x" * size for size in sizes))])
    assert which(view) == [1]  # 234,000 less one of 50,000, the older of the two
    assert view.outcome(3, 0).explanation == (
        "offloaded: among the largest of a user message that is too long, maxMessageChars is 200,000"
    )
    view = viewed([say(), *turn(*("x" * size for size in sizes))], max_message_chars=150_000)
    assert which(view) == [1, 3]
    assert which(viewed([say(), *turn(*["x" * 50_000] * 4)])) == []  # just 200,000


def test_those_too_long_by_themselves_go_first() -> None:
    sizes = [90_000, 49_000, 49_000, 49_000, 49_000]
    assert which(viewed([say(), *turn(*("x" * size for size in sizes))])) == [0]


def test_an_assistant_message_parts_user_messages_and_a_boundary_does() -> None:
    half = ["x" * 40_000] * 3
    messages = [say(), *turn(*half), *turn(*half)]
    assert which(viewed(messages)) == []
    together = [say(), *turn(*half, *half)]
    assert which(viewed(together)) == [0, 1]
    session = with_boundaries(together, [5])
    assert which(evaluate(session, NAME).at()) == []
    assert which(evaluate(session, NAME, across_boundaries=True).at()) == [0, 1]


def test_a_decision_is_never_taken_back() -> None:
    messages = [say(), *turn("x" * 60_000), *turn("y"), *turn(*["z" * 49_000] * 5)]
    ev = evaluate(session_from_messages(messages), NAME)
    assert [which(ev.at(call)) for call in ev.calls] == [[], [0], [0], [0, 2]]


def test_what_the_file_holds_offloaded_already_is_left() -> None:
    text = offloaded("x" * 60_000, "t0", 2_000)
    view = viewed([say(), *turn(text)], max_result_chars=10, max_message_chars=10)
    assert results_of(view) == [text]
    assert view.outcome(2, 0).reason is Reason.ALREADY_CLEARED


def test_switched_off() -> None:
    view = viewed([say(), *turn("x" * 60_000)], disabled_stages=("offload",))
    assert results_of(view) == ["x" * 60_000]
    assert view.verdict("offload") == "offload is switched off"
    assert view.outcome(2, 0).reason is Reason.DISABLED


def test_options() -> None:
    assert {knob.name: knob.default for knob in OffloadOptions.knobs()} == {
        "max_result_chars": 50_000,
        "max_message_chars": 200_000,
        "preview_chars": 2_000,
    }
    with pytest.raises(OptionError, match="preview_chars is -1"):
        OffloadOptions(preview_chars=-1)


@pytest.mark.parametrize("strategy", list(STRATEGIES))
def test_it_can_run_before_any_strategy(strategy: str) -> None:
    messages = [say(), *turn("x" * 60_000, "y" * 3_000), *turn(*["z" * 49_000] * 5), *turn("last")]
    session = session_from_messages(messages)
    alone = evaluate(session, NAME)
    ev = evaluate(session, strategy, offload=True)
    assert ev.stages[0] == "offload"
    assert len(set(ev.stages)) == len(ev.stages)
    for call in ev.calls:
        view = ev.at(call)
        assert view.messages("offload") == alone.at(call).messages()
        assert {stage: int(sizes[call - 1]) for stage, sizes in ev.timeline.estimate.items()} == view.estimate
        assert oracle.estimate(view.messages()) == view.estimate[ev.stages[-1]]
    rest = evaluate(session_from_messages(alone.at().messages()), strategy)
    if strategy != NAME:
        assert ev.at().messages() == rest.at().messages()


def test_the_marks_of_v4_are_those_of_what_it_leaves() -> None:
    session = session_from_messages([say(), *turn("x" * 60_000), *turn(*map(str, range(5)))])
    view = evaluate(session, "react-agent-mini-v4", offload=True).at()
    (mark,) = marks(view)["max_tool_result_chars"]
    assert mark.value == len(view.messages("offload")[2]["content"][0]["content"])


def test_compact_0_turns_it_off_too() -> None:
    session = session_from_messages([say(), *turn("x" * 60_000)])
    options = STRATEGIES["tiny-claw"].options(enabled=False)
    assert which(evaluate(session, "tiny-claw", options, offload=True).at()) == []
