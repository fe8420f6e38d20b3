"""opencode's prune: replayed naively over the turns, and sentence by sentence."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests import oracle
from tests.strategies.properties import Dicts, Expected, assert_every_call_is, assert_properties
from tests.strategies.test_langchain_clear_tool_uses import assistant, result, use, user
from tests.strategy_data import conversations
from tui import evaluate, session_from_messages
from tui.pipeline.evaluation import Evaluation
from tui.pipeline.outcomes import Reason
from tui.strategies.opencode_prune import NAME, Options

PLACEHOLDER = "[Old tool result content cleared]"

OPTIONS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"protect_tokens": st.integers(0, 25), "minimum_tokens": st.integers(0, 15)},
    optional={"enabled": st.booleans(), "disabled_stages": st.sampled_from([(), ("prune",)])},
)


def with_skills(messages: Dicts) -> Dicts:
    """The tool ``Echo`` by the name of the protected one."""
    return [
        {
            **message,
            "content": [{**b, "name": "skill"} if b.get("name") == "Echo" else b for b in message["content"]],
        }
        for message in messages
    ]


def is_prompt(message: dict[str, Any]) -> bool:
    return message["type"] == "user" and all(block["type"] != "tool_result" for block in message["content"])


def prune(messages: Dicts, pruned: list[int], tools: dict[int, str], options: Options) -> None:
    total = prunable = users = 0
    found: list[int] = []
    for message in reversed(messages):
        users += is_prompt(message)
        if users < 2 or message["type"] != "user":
            continue
        for block in reversed(message["content"]):
            if block["type"] != "tool_result" or tools[id(block)] == "skill":
                continue
            if id(block) in pruned:
                if prunable > options.minimum_tokens:
                    pruned += found
                return
            tokens = (oracle.units(block["content"]) + 2) // 4
            total += tokens
            if total > options.protect_tokens:
                prunable += tokens
                found.append(id(block))
    if prunable > options.minimum_tokens:
        pruned += found


def naive(messages: Dicts, options: Options) -> Expected:
    tools: dict[int, str] = {}
    latest: dict[str, str] = {}
    for message in messages:
        for block in message["content"]:
            if block["type"] == "tool_use":
                latest[block["id"]] = block["name"]
            elif block["type"] == "tool_result":
                tools[id(block)] = latest.get(block["tool_use_id"], "")
    pruned: list[int] = []
    spoke = False
    if options.runs("prune"):
        for end, message in enumerate(messages):
            if is_prompt(message):
                if spoke:
                    prune(messages[:end], pruned, tools, options)
                spoke = False
            if message["type"] == "assistant":
                if end and messages[end - 1]["type"] == "assistant":
                    prune(messages[:end], pruned, tools, options)
                spoke = True
        if messages and messages[-1]["type"] == "assistant":
            prune(messages, pruned, tools, options)
    for message in messages:
        for block in message["content"]:
            if id(block) in pruned:
                block["content"] = PLACEHOLDER
    return Expected(messages)


@settings(max_examples=300, deadline=None)
@given(conversations.map(with_skills), OPTIONS, st.lists(st.integers(0, 20), max_size=2))
def test_every_call_is_what_a_naive_replay_gives(messages: Dicts, values: dict[str, Any], cuts: list[int]) -> None:
    options = Options(**values)
    # Across a compact boundary a result is no orphan to opencode, which keeps call and result in one part.
    known = {b["id"] for m in messages for b in m["content"] if b["type"] == "tool_use" and b["name"] == "skill"}
    cuts = [] if known else [min(cut, len(messages)) for cut in cuts]
    assert_every_call_is(messages, NAME, options, lambda seen: naive(seen, options), cuts)


@settings(max_examples=60, deadline=None)
@given(conversations.map(with_skills), OPTIONS)
def test_nothing_is_changed_in_place_and_every_way_to_a_call_gives_the_same(
    messages: Dicts, values: dict[str, Any]
) -> None:
    assert_properties(messages, NAME, Options(**values))


def prompt(text: str = "go") -> dict[str, Any]:
    return user({"type": "text", "text": text})


def turn(id: str, chars: int, tool: str = "Read") -> list[dict[str, Any]]:
    """A prompt, a call with its result, and an answer."""
    return [
        prompt(),
        assistant(use(id, tool)),
        user(result(id, "x" * chars)),
        assistant({"type": "text", "text": "done"}),
    ]


def evaluation(*parts: list[dict[str, Any]], **values: Any) -> Evaluation:
    messages = [message for part in parts for message in part]
    return evaluate(session_from_messages(messages), NAME, Options(**values))


def pruned_at_each_call(ev: Evaluation) -> list[int]:
    return [int(count) for count in ev.timeline.count["prune"]]


def test_it_runs_after_a_turn_shows_from_the_next_call_and_stays() -> None:
    ev = evaluation(*(turn(name, 400) for name in "abcd"), protect_tokens=0, minimum_tokens=99)
    # After the second turn there are two user messages: what stood before the first, nothing, could be pruned. After
    # the third, the first turn's result is prunable; that shows at the first call of the fourth.
    assert pruned_at_each_call(ev) == [0, 0, 0, 0, 0, 0, 1, 1, 2]
    assert [bool(ev.at(call).trace) for call in ev.calls] == [False] * 6 + [True, False, True]
    assert ev.at(7).trace == [f"[trace] {NAME}.prune before=13 after=13 cleared=1 estimated=1238"]
    assert ev.at(8).outcome(2, 0).explanation.startswith("pruned since call 7")
    assert ev.at(8).verdict("prune").endswith("; 1 result cleared in all")


def test_the_result_that_crosses_the_line_is_prunable_and_only_more_than_the_minimum_is_pruned() -> None:
    parts = [turn("a", 400), turn("b", 400), turn("c", 4), turn("d", 4)]
    assert pruned_at_each_call(evaluation(*parts, protect_tokens=99, minimum_tokens=199))[-1] == 2
    assert pruned_at_each_call(evaluation(*parts, protect_tokens=100, minimum_tokens=99))[-1] == 1
    assert pruned_at_each_call(evaluation(*parts, protect_tokens=100, minimum_tokens=100))[-1] == 0
    kept = evaluation(*parts, protect_tokens=100, minimum_tokens=100).at()
    assert kept.outcome(2, 0).explanation == "kept: ~100 tokens are prunable, PRUNE_MINIMUM is 100"
    assert kept.outcome(6, 0).explanation == "kept: in the newest 100 tokens of output, PRUNE_PROTECT is 100"
    assert kept.outcome(14, 0).reason is Reason.RECENT_WINDOW


def test_tokens_are_rounded_half_up() -> None:
    parts = [turn("a", 2), turn("b", 4), turn("c", 4)]
    assert pruned_at_each_call(evaluation(*parts, protect_tokens=0, minimum_tokens=0))[-1] == 1
    parts = [turn("a", 1), turn("b", 4), turn("c", 4)]
    assert pruned_at_each_call(evaluation(*parts, protect_tokens=0, minimum_tokens=0))[-1] == 0


def test_the_scan_stops_at_what_is_pruned_already() -> None:
    # By the fifth turn's end, a and b are pruned; c alone is not enough, though a, b and c together would be.
    parts = [turn("a", 400), turn("b", 400), turn("c", 40), turn("d", 4), turn("e", 4)]
    assert pruned_at_each_call(evaluation(*parts, protect_tokens=0, minimum_tokens=50))[-1] == 2


def test_the_tool_skill_is_neither_pruned_nor_counted() -> None:
    parts = [turn("a", 400), turn("b", 4000, "skill"), turn("c", 400), turn("d", 4), turn("e", 4)]
    ev = evaluation(*parts, protect_tokens=100, minimum_tokens=0)
    assert pruned_at_each_call(ev)[-1] == 1
    fate = ev.at().outcome(6, 0)
    assert (fate.reason, fate.explanation) == (Reason.TOOL_NOT_ELIGIBLE, "not pruned: the tool skill is protected")


def test_a_user_message_with_a_tool_result_ends_no_turn() -> None:
    mixed = [assistant(use("z")), user(result("z"), {"type": "text", "text": "and"}), assistant()]
    parts = [turn("a", 400), mixed, turn("b", 4), mixed]
    assert pruned_at_each_call(evaluation(*parts, protect_tokens=0, minimum_tokens=0))[-1] == 0


def test_switched_off_it_says_so() -> None:
    ev = evaluation(*(turn(name, 400) for name in "abc"), protect_tokens=0, minimum_tokens=0, enabled=False)
    assert pruned_at_each_call(ev)[-1] == 0
    assert ev.at().verdict("prune") == "prune is switched off"
    assert ev.at().outcome(2, 0).reason is Reason.DISABLED
