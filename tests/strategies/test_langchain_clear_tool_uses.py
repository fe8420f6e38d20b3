"""LangChain's ClearToolUsesEdit: what its released package does, and a naive one at every call."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import oracle
from tests.conftest import vectors
from tests.strategies.properties import Dicts, Expected, assert_every_call_is, assert_properties
from tests.strategy_data import conversations
from tui import evaluate, session_from_messages
from tui.model import OptionError, ToolUseBlock
from tui.pipeline.evaluation import View
from tui.pipeline.index import index_of
from tui.pipeline.outcomes import Outcome, Reason
from tui.pipeline.selection import blocks_by_outcome
from tui.strategies.clear_tool_uses import ClearToolUsesOptions
from tui.strategies.langchain_clear_tool_uses import NAME, tokens_before

LINES = list(vectors("peer-langchain.jsonl"))

OPTIONS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"trigger_tokens": st.integers(0, 120)},
    optional={
        "enabled": st.booleans(),
        "keep": st.integers(0, 5),
        "clear_at_least": st.integers(0, 40),
        "clear_tool_inputs": st.booleans(),
        "exclude_tools": st.sampled_from([("Read",), ("mcp__*", "Bash"), ("",)]),
        "disabled_stages": st.sampled_from([(), ("clear",)]),
    },
)


@pytest.mark.parametrize("vector", LINES, ids=[line["name"] for line in LINES])
def test_the_outcome_is_that_of_the_released_package(vector: dict[str, Any]) -> None:
    values = dict(vector["options"])
    options = ClearToolUsesOptions(
        trigger_tokens=values.pop("trigger"), exclude_tools=tuple(values.pop("exclude_tools")), **values
    )
    session = session_from_messages(vector["messages"])
    index = index_of(session)
    view = evaluate(session, NAME, options).at()
    (stage,) = view.stages
    cleared = [row for row in range(len(index.results)) if stage.acting_variant(0, row)]
    assert [".".join(map(str, index.locate(int(index.results.block[row])))) for row in cleared] == vector["cleared"]
    emptied = {use.id for row in cleared if (use := index.use_of_row(row))} if options.clear_tool_inputs else set()
    assert emptied == set(vector["cleared_inputs"])
    for number in index.uses:
        block = index.block(int(number))
        assert isinstance(block, ToolUseBlock)
        gone = view.content(*index.locate(int(number))) == "{}"
        assert gone == (block.id in emptied and bool(block.input))
    after = index_of(session_from_messages(view.messages()))
    assert int(tokens_before(index)[-1]) == vector["tokens_before"]
    assert int(tokens_before(after)[-1]) == vector["tokens_after"]


def ceil(chars: int) -> int:
    return -(-chars // 4)


def tokens(messages: Dicts) -> int:
    total = 0
    for message in messages:
        if message["type"] == "assistant":
            total += ceil(oracle.estimate([message])) + 3
        else:
            total += sum(ceil(oracle.estimate([{"content": [block]}])) + 3 for block in message["content"])
    return total


def naive(messages: Dicts, options: ClearToolUsesOptions) -> Expected:
    before = tokens(messages)
    estimated = oracle.estimate(messages)
    if not options.runs("clear") or before <= options.trigger_tokens:
        return Expected(messages, trace=[])
    places = [
        (number, block)
        for number, message in enumerate(messages)
        if message["type"] == "user"
        for block in message["content"]
        if block["type"] == "tool_result"
    ]
    cleared = 0
    for number, block in places[: max(0, len(places) - options.keep)]:
        asking: Dicts = next((m["content"] for m in reversed(messages[:number]) if m["type"] == "assistant"), [])
        calls = [b for b in asking if b["type"] == "tool_use" and b["id"] == block["tool_use_id"]]
        if not calls or oracle.compactable(calls[-1]["name"], options.exclude_tools):
            continue
        block["content"] = "[cleared]"
        cleared += 1
        if options.clear_tool_inputs:
            calls[-1]["input"] = {}
        if options.clear_at_least and before - tokens(messages) >= options.clear_at_least:
            break
    n = len(messages)
    line = f"[trace] {NAME}.clear before={n} after={n} cleared={cleared} estimated={estimated}"
    return Expected(messages, trace=[line] if cleared else [])


@settings(max_examples=300, deadline=None)
@given(conversations, OPTIONS, st.lists(st.integers(0, 20), max_size=2))
def test_every_call_is_what_the_naive_rule_gives(messages: Dicts, values: dict[str, Any], cuts: list[int]) -> None:
    options = ClearToolUsesOptions(**values)
    cuts = [min(cut, len(messages)) for cut in cuts]
    assert_every_call_is(messages, NAME, options, lambda seen: naive(seen, options), cuts)


@settings(max_examples=60, deadline=None)
@given(conversations, OPTIONS)
def test_nothing_is_changed_in_place_and_every_way_to_a_call_gives_the_same(
    messages: Dicts, values: dict[str, Any]
) -> None:
    assert_properties(messages, NAME, ClearToolUsesOptions(**values))


def use(id: str, name: str = "Read", **values: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": values}


def result(id: str, text: str = "x" * 40) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": text}


def assistant(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"type": "assistant", "content": list(blocks)}


def user(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"type": "user", "content": list(blocks)}


def view_of(*messages: dict[str, Any], **values: Any) -> View:
    return evaluate(session_from_messages(list(messages)), NAME, ClearToolUsesOptions(**values)).at()


def sent(view: View) -> list[str]:
    return [b["content"] for m in view.messages() for b in m["content"] if b["type"] == "tool_result"]


FOUR = (
    assistant(use("a", path="one"), use("b", path="two")),
    user(result("a"), result("b")),
    assistant(use("c", "Bash", command="ls"), use("d")),
    user(result("c"), result("d")),
)


def test_the_trigger_itself_does_not_fire() -> None:
    # ceil((18 + 18) / 4) + 3 for the first message, 13 for each result, ceil((20 + 6) / 4) + 3 for the other message.
    size = 12 + 2 * 13 + 10 + 2 * 13
    quiet = view_of(*FOUR, trigger_tokens=size, keep=0)
    assert sent(quiet) == ["x" * 40] * 4
    assert quiet.outcome(1, 0).reason is Reason.UNDER_THRESHOLD
    assert quiet.verdict("clear") == f"~{size} tokens, the trigger is {size}: nothing cleared"
    assert sent(view_of(*FOUR, trigger_tokens=size - 1, keep=0)) == ["[cleared]"] * 4


def test_keep_counts_excluded_tool_messages_too() -> None:
    view = view_of(*FOUR, trigger_tokens=0, keep=2, exclude_tools=("Bash",))
    assert sent(view) == ["[cleared]", "[cleared]", "x" * 40, "x" * 40]
    assert view.outcome(3, 1).explanation == "kept: the newest tool result, keep is 2"
    assert view.outcome(3, 0).reason is Reason.EXCLUDED
    assert view_of(*FOUR, trigger_tokens=0, keep=3).counts == {"cleared": 1}
    assert view_of(*FOUR, trigger_tokens=0, keep=4).counts == {"cleared": 0}


def test_it_stops_once_enough_is_saved_and_emptied_inputs_count() -> None:
    # A result saves 10 - 3 tokens; emptying the first message's inputs saves 3 (9 to 6), then 3 more.
    assert view_of(*FOUR, trigger_tokens=0, keep=0, clear_at_least=7).counts == {"cleared": 1}
    assert view_of(*FOUR, trigger_tokens=0, keep=0, clear_at_least=8).counts == {"cleared": 2}
    view = view_of(*FOUR, trigger_tokens=0, keep=0, clear_at_least=10, clear_tool_inputs=True)
    assert view.counts == {"cleared": 1}
    assert view.outcome(1, 1).explanation == "kept: the older results saved clear_at_least, 10 tokens"
    assert view_of(*FOUR, trigger_tokens=0, keep=0, clear_at_least=11, clear_tool_inputs=True).counts == {"cleared": 2}


def test_an_emptied_input_has_an_outcome_of_its_own_and_is_sent_empty() -> None:
    view = view_of(*FOUR, trigger_tokens=0, keep=2, clear_tool_inputs=True)
    assert view.messages()[0] == assistant(use("a"), use("b"))
    assert view.messages()[2] == FOUR[2]
    fate = view.outcome(0, 0)
    assert (fate.outcome, fate.chars_before, fate.chars_after) == (Outcome.INPUT_CLEARED, 18, 6)
    assert view.content(0, 0) == "{}"
    assert view.content(2, 0) is None
    index = index_of(view.session)
    assert blocks_by_outcome(view, index, "clear")[Outcome.INPUT_CLEARED].tolist() == [True] * 2 + [False] * 6
    assert not blocks_by_outcome(view, index, "clear")[Outcome.KEPT][:4].any()
    assert view.next_changed(0, -1, 1) == (0, 0)
    assert view.next_changed(1, 0, -1) == (0, 1)
    assert view.changed_contents() == {(1, 0): "[cleared]", (1, 1): "[cleared]", (0, 0): "{}", (0, 1): "{}"}
    assert view.verdict("clear") == "~74 tokens, the trigger is 0, 2 inputs to empty: cleared 2 results"


def test_an_input_is_emptied_with_the_first_result_and_an_empty_one_is_left() -> None:
    twice = (assistant(use("a", path="one"), use("b")), user(result("a"), result("a"), result("b")))
    view = view_of(*twice, trigger_tokens=0, keep=0, clear_tool_inputs=True)
    assert view.estimate["clear"] == 6 + 6 + 3 * 9
    assert view.outcome(0, 1).outcome is Outcome.KEPT


def test_a_result_needs_its_call_in_the_nearest_earlier_assistant_message() -> None:
    late = (assistant(use("a")), user(result("a")), assistant({"type": "text", "text": "hm"}), user(result("a")))
    view = view_of(*late, trigger_tokens=0, keep=0)
    assert sent(view) == ["[cleared]", "x" * 40]
    fate = view.outcome(3, 0)
    assert fate.reason is Reason.ORPHAN
    assert fate.explanation == "not cleared: its tool_use is not in the nearest earlier assistant message"


def test_what_is_the_placeholder_already_is_left_but_counted() -> None:
    view = view_of(assistant(use("a")), user(result("a", "[cleared]")), trigger_tokens=0, keep=0)
    assert view.outcome(1, 0).reason is Reason.ALREADY_CLEARED
    assert view.trace == [f"[trace] {NAME}.clear before=2 after=2 cleared=1 estimated=15"]


def test_options_out_of_their_range_are_refused() -> None:
    with pytest.raises(OptionError, match="keep"):
        ClearToolUsesOptions(keep=-1)
    assert ClearToolUsesOptions().line == 400_000
    assert ClearToolUsesOptions().tools is None
