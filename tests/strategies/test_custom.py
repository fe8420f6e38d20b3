from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import oracle
from tests.strategies.properties import Dicts, Expected, assert_every_call_is, assert_properties
from tests.strategy_data import conversations, option_values
from tui import CompactOptions, evaluate, session_from_messages
from tui.model import OptionError
from tui.pipeline.evaluation import View
from tui.pipeline.marks import marks
from tui.pipeline.outcomes import Outcome
from tui.strategies.custom import NAME, CustomOptions

ORDERS = list(permutations(("budget", "micro", "retain")))


def emptied(message: dict[str, Any]) -> dict[str, Any]:
    blocks = [{**block, "content": ""} if block["type"] == "tool_result" else block for block in message["content"]]
    return {**message, "content": blocks}


def naive(messages: Dicts, values: dict[str, Any], order: tuple[str, ...]) -> Expected:
    """The oracle's stages in an order.

    Dropped messages stay before the others, for the sake of their calls, but without results that a stage would count.
    """
    options = oracle.Options(**values)
    current, start, trace = messages, 0, []
    for stage in order:
        size, n = oracle.estimate(current[start:]), len(messages) - start
        head = f"[trace] compact.run stage={stage} before={n}"
        tail = f"estimated={size} overThreshold=true strategy={stage}"
        if not options.enabled or stage in options.disabled_stages:
            continue
        if stage == "budget":
            current, count = oracle.budget(current, options)
            if count:
                trace.append(f"{head} after={n} truncatedBlocks={count} strategy=truncate")
        elif stage == "micro" and size > options.threshold:
            current, count = oracle.micro(current, options)
            if count:
                trace += [f"[trace] compact.micro replaced={count}", f"{head} after={n} {tail}"]
        elif stage == "retain" and size > options.threshold and n > options.max_messages:
            start = oracle.retain_point(current, options)
            current = [*map(emptied, current[:start]), *current[start:]]
            if start:
                trace.append(f"{head} after={n - start} droppedMessages={start} {tail}")
    return Expected(current[start:], start, trace)


@settings(max_examples=400, deadline=None)
@given(conversations, option_values, st.sampled_from(ORDERS))
def test_every_call_is_what_the_stages_give_in_this_order(
    messages: Dicts, values: dict[str, Any], order: tuple[str, ...]
) -> None:
    options = CustomOptions(**values, order=order)
    assert_every_call_is(messages, NAME, options, lambda seen: naive(seen, values, order))


@settings(max_examples=100, deadline=None)
@given(conversations, option_values, st.sampled_from(ORDERS), st.lists(st.integers(0, 20), max_size=2))
def test_boundaries(messages: Dicts, values: dict[str, Any], order: tuple[str, ...], cuts: list[int]) -> None:
    cuts = [min(cut, len(messages)) for cut in cuts]
    options = CustomOptions(**values, order=order)
    assert_every_call_is(messages, NAME, options, lambda seen: naive(seen, values, order), cuts)


@settings(max_examples=100, deadline=None)
@given(conversations, option_values, st.sampled_from(ORDERS))
def test_properties(messages: Dicts, values: dict[str, Any], order: tuple[str, ...]) -> None:
    assert_properties(messages, NAME, CustomOptions(**values, order=order))


@settings(max_examples=60, deadline=None)
@given(conversations, option_values)
def test_in_the_order_of_v4_it_is_v4(messages: Dicts, values: dict[str, Any]) -> None:
    session = session_from_messages(messages)
    custom = evaluate(session, NAME, CustomOptions(**values))
    v4 = evaluate(session, "react-agent-mini-v4", CompactOptions(**values))
    for call in v4.calls:
        mine, original = custom.at(call), v4.at(call)
        assert mine.messages() == original.messages()
        assert (mine.estimate, mine.trace, mine.outcomes) == (original.estimate, original.trace, original.outcomes)
        assert marks(mine) == marks(original)


def say(text: str) -> dict[str, Any]:
    return {"type": "user", "content": [{"type": "text", "text": text}]}


def exchange(id: str, content: str) -> Dicts:
    call = {"type": "tool_use", "id": id, "name": "Read", "input": {"path": f"{id}.py"}}
    return [
        {"type": "assistant", "content": [call]},
        {"type": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": content}]},
    ]


def viewed(messages: Dicts, order: tuple[str, ...], **values: Any) -> View:
    return evaluate(session_from_messages(messages), NAME, CustomOptions(order=order, **values)).at()


LONG = [say("one"), *exchange("a", "x" * 2000), say("two"), *exchange("b", "y" * 2000)]


def test_dropping_first_loses_what_a_placeholder_would_have_kept() -> None:
    values = {"threshold": 3000, "max_messages": 4, "keep_recent": 1}
    clears = viewed(LONG, ("micro", "retain", "budget"), **values)
    assert (clears.kept_from, clears.counts) == (0, {"cleared": 1, "dropped": 0, "truncated": 0})
    drops = viewed(LONG, ("retain", "micro", "budget"), **values)
    assert (drops.kept_from, drops.counts) == (3, {"dropped": 3, "cleared": 0, "truncated": 0})
    assert list(drops.estimate) == ["original", "retain", "micro", "budget"]
    assert drops.verdict("micro").startswith("fits with")


def test_a_placeholder_that_is_longer_than_the_limit_is_cut() -> None:
    view = viewed(LONG, ("micro", "budget", "retain"), threshold=0, keep_recent=0, max_tool_result_chars=40)
    text = "[Old tool result content cleared] tool=R\n…[tool_result 已截断（compact）]"
    assert view.messages()[2]["content"][0]["content"] == text
    assert [step.outcome for step in view.outcome(2, 0).trail][:2] == [Outcome.CLEARED, Outcome.TRUNCATED]


def test_a_result_whose_call_was_dropped_keeps_its_tool() -> None:
    call, result = exchange("a", "x" * 900)
    view = viewed([say("one"), call, say("wait"), result], ("retain", "micro", "budget"), threshold=0, max_messages=2,
                  keep_recent=0)  # fmt: skip
    assert view.kept_from == 2
    assert view.messages()[1]["content"][0]["content"] == "[Old tool result content cleared] tool=Read a.py"


def test_a_stage_switched_off_keeps_its_place() -> None:
    view = viewed(LONG, ("retain", "micro", "budget"), threshold=0, keep_recent=0, disabled_stages=("retain",))
    assert [stage.name for stage in view.stages] == ["retain", "micro", "budget"]
    assert (view.kept_from, view.counts["cleared"]) == (0, 2)
    assert view.verdict("retain") == "retain is switched off"


@pytest.mark.parametrize(
    "order", [(), ("budget", "micro"), ("budget", "micro", "micro"), ("budget", "micro", "drop"), "retain", 3, None]
)
def test_an_order_must_name_each_stage_once(order: Any) -> None:
    with pytest.raises(OptionError, match="must name budget, micro, retain, each of them once"):
        CustomOptions(order=order)


def test_options() -> None:
    options = CustomOptions(order=["retain", "budget", "micro"], threshold=7)
    assert options.stages == options.order == ("retain", "budget", "micro")
    assert (options.line, options.cut, CustomOptions().stages) == (7, 4000, ("budget", "micro", "retain"))
    assert options.changed(threshold=8).order == options.order
    assert CustomOptions(**options.model_dump()) == options
    with pytest.raises(OptionError, match="each of them once"):
        options.changed(order=("budget",))
    with pytest.raises(OptionError, match="threshold is -1"):
        CustomOptions(threshold=-1)
    environment = {"COMPACT_THRESHOLD_CHARS": "9"}
    assert CustomOptions.from_env(environment, order=("micro", "budget", "retain")).threshold == 9
