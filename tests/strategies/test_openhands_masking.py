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
from tui.strategies.openhands_masking import NAME, MaskingOptions

OPTIONS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"attention_window": st.integers(1, 14)},
    optional={"enabled": st.booleans(), "disabled_stages": st.sampled_from([(), ("mask",)])},
)


def naive(messages: Dicts, values: dict[str, Any]) -> Expected:
    """Changes ``messages``."""
    size, masked, n = oracle.estimate(messages), 0, len(messages)
    if values.get("enabled", True) and not values.get("disabled_stages"):
        for message in messages[: max(0, n - values["attention_window"])]:
            for block in message["content"]:
                if block["type"] == "tool_result" and message["type"] == "user":
                    block["content"] = "<MASKED>"
                    masked += 1
    line = f"[trace] openhands-masking.mask before={n} after={n} cleared={masked} estimated={size}"
    return Expected(messages, trace=[line] if masked else [])


@settings(max_examples=200, deadline=None)
@given(conversations, OPTIONS, st.lists(st.integers(0, 20), max_size=2))
def test_every_call_is_what_the_rule_gives(messages: Dicts, values: dict[str, Any], cuts: list[int]) -> None:
    assert_every_call_is(messages, NAME, MaskingOptions(**values), lambda seen: naive(seen, values))
    cuts = [min(cut, len(messages)) for cut in cuts]
    assert_every_call_is(messages, NAME, MaskingOptions(**values), lambda seen: naive(seen, values), cuts)


@settings(max_examples=60, deadline=None)
@given(conversations, OPTIONS)
def test_properties(messages: Dicts, values: dict[str, Any]) -> None:
    assert_properties(messages, NAME, MaskingOptions(**values))


def exchange(text: str) -> Dicts:
    return [
        {"type": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "Bash", "input": {"n": 1}}]},
        {"type": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": text}]},
    ]


def viewed(messages: Dicts, **values: Any) -> View:
    return evaluate(session_from_messages(messages), NAME, MaskingOptions(**values)).at()


def contents(view: View) -> list[str]:
    return [b["content"] for m in view.messages() for b in m["content"] if b["type"] == "tool_result"]


def test_the_last_hundred_messages_are_left_calls_included() -> None:
    messages = [message for number in range(51) for message in exchange(str(number))]
    view = viewed(messages)
    assert contents(view) == ["<MASKED>", *map(str, range(1, 51))]
    assert view.outcome(1, 0).outcome is Outcome.CLEARED
    assert view.outcome(1, 0).explanation == "masked: in the 101st newest message, attention_window is 100"
    assert view.outcome(3, 0).reason is Reason.RECENT_WINDOW
    assert view.outcome(3, 0).explanation == "kept: in the 99th newest message, attention_window is 100"
    assert view.verdict("mask") == "102 messages, attention_window is 100: cleared 1 result"
    size = view.estimate["original"]
    assert view.trace == [f"[trace] openhands-masking.mask before=102 after=102 cleared=1 estimated={size}"]
    assert view.messages()[0] == messages[0]  # the call stays as it was


def test_a_result_in_the_oldest_message_of_the_window_is_left() -> None:
    messages = [*exchange("a"), *exchange("b")]
    assert contents(viewed(messages, attention_window=3)) == ["a", "b"]
    assert contents(viewed(messages, attention_window=2)) == ["<MASKED>", "b"]
    assert viewed(messages, attention_window=1).outcome(3, 0).explanation == (
        "kept: in the newest message, attention_window is 1"
    )


def test_verdicts_where_nothing_is_masked() -> None:
    say = {"type": "user", "content": [{"type": "text", "text": "x"}]}
    few = viewed(exchange("a"))
    assert few.verdict("mask") == "2 messages, attention_window is 100: nothing cleared"
    no_result = viewed([say, say, *exchange("a")], attention_window=2)
    assert no_result.verdict("mask") == "4 messages, attention_window is 2, but no result before it: nothing cleared"
    assert (few.trace, no_result.trace) == ([], [])


def test_a_masked_one_is_unchanged_though_counted() -> None:
    view = viewed([*exchange("<MASKED>"), *exchange("b")], attention_window=1)
    assert view.outcome(1, 0).reason is Reason.ALREADY_CLEARED
    assert view.counts == {"cleared": 1}


def test_switched_off() -> None:
    view = viewed([*exchange("a"), *exchange("b")], attention_window=1, enabled=False)
    assert contents(view) == ["a", "b"]
    assert view.outcome(1, 0).reason is Reason.DISABLED
    assert view.verdict("mask") == "mask is switched off"


def test_options() -> None:
    (knob,) = MaskingOptions.knobs()
    assert (knob.name, knob.default, knob.least) == ("attention_window", 100, 1)
    with pytest.raises(OptionError, match="a whole number, 1 or more"):
        MaskingOptions(attention_window=0)
