"""OpenClaw's context pruning against a naive one at every call, and sentence by sentence."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests import oracle
from tests.strategies.properties import Dicts, Expected, assert_every_call_is, assert_properties
from tests.strategies.test_langchain_clear_tool_uses import assistant, result, sent, use, user
from tests.strategies.test_opencode_prune import is_prompt, prompt
from tests.strategy_data import conversations
from tui import evaluate, session_from_messages
from tui.pipeline.evaluation import View
from tui.pipeline.outcomes import Outcome, Reason
from tui.strategies.openclaw_pruning import NAME, Options, tail

PLACEHOLDER = "[Old tool result content cleared]"

OPTIONS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "window_tokens": st.integers(0, 100),
        "min_prunable_chars": st.integers(0, 60),
        "soft_trim_chars": st.integers(0, 40),
        "head_chars": st.integers(0, 20),
        "tail_chars": st.integers(0, 20),
    },
    optional={
        "idle_minutes": st.integers(0, 5),
        "enabled": st.booleans(),
        "soft_ratio_percent": st.integers(0, 100),
        "hard_ratio_percent": st.integers(0, 100),
        "disabled_stages": st.lists(st.sampled_from(["trim", "clear"]), unique=True).map(tuple),
    },
)
GAPS = st.lists(st.one_of(st.none(), st.integers(-60, 600), st.just(300)), min_size=42, max_size=42)


def timed(messages: Dicts, gaps: list[int | None]) -> Dicts:
    """The messages with timestamps; one without where there is no gap. The first has one in any case."""
    now = 1_000_000
    out = []
    for number, (message, gap) in enumerate(zip(messages, gaps, strict=False)):
        now += gap or 0
        out.append(message if gap is None and number else {**message, "timestamp": now})
    return out


def last_units(text: str, limit: int) -> str:
    turned = "".join(reversed(text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")))
    kept = ""
    for character in turned:
        if oracle.units(kept + character) > limit:
            break
        kept += character
    return kept[::-1]


def trimmed(text: str, options: Options) -> str:
    size, first, last = oracle.units(text), options.head_chars, options.tail_chars
    if size <= options.soft_trim_chars or first + last >= size:
        return text
    note = f"[Tool result trimmed: kept first {first} chars and last {last} chars of {size} chars.]"
    return f"{oracle.cut(text, first)}\n...\n{last_units(text, last)}{note}"


def naive(stamped: Dicts, options: Options) -> Expected:
    messages = [{key: value for key, value in message.items() if key != "timestamp"} for message in stamped]
    unchanged = Expected(messages, trace=[])
    speakers = [number for number, message in enumerate(messages) if message["type"] == "assistant"]
    first = next((number for number, message in enumerate(messages) if is_prompt(message)), None)
    if len(speakers) < 3 or first is None:
        return unchanged
    said, now = stamped[speakers[-1]].get("timestamp"), stamped[-1].get("timestamp")
    window = options.window_tokens * 4
    if said is None or now is None or now - said < options.idle_minutes * 60:
        return unchanged
    before = oracle.estimate(messages)
    if before * 100 < options.soft_ratio_percent * window:
        return unchanged
    results = [
        block
        for message in messages[first : speakers[-3]]
        if message["type"] == "user"
        for block in message["content"]
        if block["type"] == "tool_result"
    ]
    n, trace = len(messages), []
    if options.runs("trim"):
        count = 0
        for block in results:
            size, ends = oracle.units(block["content"]), options.head_chars + options.tail_chars
            count += size > options.soft_trim_chars and size > ends
            block["content"] = trimmed(block["content"], options)
        if count:
            trace.append(f"[trace] {NAME}.trim before={n} after={n} trimmed={count} estimated={before}")
    total = oracle.estimate(messages)
    worth = sum(oracle.units(block["content"]) for block in results) >= options.min_prunable_chars
    if options.runs("clear") and worth:
        count = 0
        for block in results:
            if oracle.estimate(messages) * 100 < options.hard_ratio_percent * window:
                break
            block["content"] = PLACEHOLDER
            count += 1
        if count:
            trace.append(f"[trace] {NAME}.clear before={n} after={n} cleared={count} estimated={total}")
    return Expected(messages, trace=trace)


@settings(max_examples=400, deadline=None)
@given(conversations, GAPS, OPTIONS, st.lists(st.integers(0, 20), max_size=2))
def test_every_call_is_what_the_naive_rule_gives(
    messages: Dicts, gaps: list[int | None], values: dict[str, Any], cuts: list[int]
) -> None:
    options = Options(**values)
    cuts = [min(cut, len(messages)) for cut in cuts]
    assert_every_call_is(timed(messages, gaps), NAME, options, lambda seen: naive(seen, options), cuts)


@settings(max_examples=60, deadline=None)
@given(conversations, GAPS, OPTIONS)
def test_nothing_is_changed_in_place_and_every_way_to_a_call_gives_the_same(
    messages: Dicts, gaps: list[int | None], values: dict[str, Any]
) -> None:
    assert_properties(timed(messages, gaps), NAME, Options(**values))


@settings(max_examples=200, deadline=None)
@given(st.text("ab😀é\ud83d\ude00", max_size=12), st.integers(0, 20))
def test_the_tail_holds_whole_characters(text: str, limit: int) -> None:
    longer = "x" + text
    limit = min(limit, oracle.units(text))
    assert tail(longer, limit) == last_units(longer, limit)


def exchange(id: str, text: str) -> list[dict[str, Any]]:
    return [assistant(use(id)), user(result(id, text))]


def conversation(*texts: str, idle: int = 300) -> Dicts:
    """A prompt, exchanges with results of these texts, then three with short ones; all but the last at once."""
    parts = [prompt("q"), *(m for n, text in enumerate([*texts, "r", "s", "t"]) for m in exchange(f"i{n}", text))]
    return [{**m, "timestamp": 1_000 + (idle if n == len(parts) - 1 else 0)} for n, m in enumerate(parts)]


def view_of(messages: Dicts, **values: Any) -> View:
    return evaluate(session_from_messages(messages), NAME, Options(**values)).at()


LONG = "h" * 1500 + "m" * 1001 + "t" * 1500
TRIMMED = (
    "h" * 1500
    + "\n...\n"
    + "t" * 1500
    + "[Tool result trimmed: kept first 1500 chars and last 1500 chars of 4001 chars.]"
)


def test_a_long_result_keeps_its_ends_once_the_view_fills_the_soft_ratio() -> None:
    messages = conversation(LONG, LONG[1:])
    size = view_of(messages).estimate["original"]
    view = view_of(messages, window_tokens=size // 4, soft_ratio_percent=100, hard_ratio_percent=200)
    assert sent(view) == [TRIMMED, LONG[1:], "r", "s", "t"]
    assert view.outcome(2, 0).outcome is Outcome.TRIMMED
    assert view.outcome(2, 0).explanation.startswith("trimmed: first 1,500 and last 1,500 of 4,001 chars kept")
    assert view.outcome(4, 0).after("trim").explanation == "not trimmed: 4,000 chars, the limit is 4,000"  # type: ignore[union-attr]
    quiet = view_of(messages, window_tokens=size // 4 + 1, soft_ratio_percent=100)
    assert quiet.outcome(2, 0).reason is Reason.UNDER_THRESHOLD
    assert quiet.counts == {"trimmed": 0, "cleared": 0}


def test_it_runs_only_after_idle_minutes() -> None:
    full = {"window_tokens": 0, "min_prunable_chars": 0}
    assert view_of(conversation("a"), **full).counts["cleared"] == 1
    busy = view_of(conversation("a", idle=299), **full)
    assert busy.counts == {"trimmed": 0, "cleared": 0}
    assert busy.verdict("clear") == "gap 4 min 59 s < 5 min: nothing cleared"
    assert busy.outcome(2, 0).reason is Reason.NOT_IDLE
    untimed = [{k: v for k, v in m.items() if k != "timestamp" or n} for n, m in enumerate(conversation("a"))]
    untimed[-1].pop("timestamp")
    assert view_of(untimed, **full).outcome(2, 0).reason is Reason.NO_TIMESTAMP


def test_the_next_call_is_as_late_as_the_user_says_and_messages_without_any_timestamp_last_a_step() -> None:
    full = {"window_tokens": 0, "min_prunable_chars": 0}
    busy = conversation("a", idle=0)
    assert view_of(busy, **full).counts["cleared"] == 0
    assert view_of(busy, **full, now_minutes=5).counts["cleared"] == 1
    bare = [{k: v for k, v in message.items() if k != "timestamp"} for message in busy]
    assert view_of(bare, **full, step_seconds=300).counts["cleared"] == 1
    assert "declared" in view_of(bare, **full).verdict("trim")


def test_the_last_three_assistant_messages_and_all_before_the_first_user_message_are_protected() -> None:
    early = [{**m, "timestamp": 1_000} for m in exchange("e", "early")]
    view = view_of([*early, *conversation("a")], window_tokens=0, min_prunable_chars=0)
    assert sent(view) == ["early", PLACEHOLDER, "r", "s", "t"]
    assert view.outcome(1, 0).explanation == "kept: it stands before the first user message"
    assert view.outcome(6, 0).reason is Reason.RECENT_WINDOW
    few = view_of(conversation()[:5], window_tokens=0, min_prunable_chars=0, idle_minutes=0)
    assert few.outcome(2, 0).reason is Reason.TOO_FEW


def test_the_oldest_are_cleared_until_the_view_fills_less_than_the_hard_ratio() -> None:
    messages = conversation("a" * 1033, "b" * 1033, "c" * 1034)
    size = view_of(messages).estimate["original"]
    values = {"soft_ratio_percent": 0, "hard_ratio_percent": 100, "min_prunable_chars": 3100}
    # The window is exactly what is left once one is cleared: that still fills it.
    assert (size - 1000) % 4 == 0
    view = view_of(messages, window_tokens=(size - 1000) // 4, **values)
    assert sent(view)[:3] == [PLACEHOLDER, PLACEHOLDER, "c" * 1034]
    assert sent(view_of(messages, window_tokens=(size - 1000) // 4 + 1, **values))[:2] == [PLACEHOLDER, "b" * 1033]
    assert view.outcome(6, 0).reason is Reason.UNDER_THRESHOLD
    kept = view_of(messages, window_tokens=(size - 1000) // 4, **values | {"min_prunable_chars": 3101})
    assert kept.counts["cleared"] == 0
    assert "but only 3,100 chars are prunable, the least is 3,101" in kept.verdict("clear")


def test_a_result_that_is_trimmed_and_then_cleared_keeps_both_in_its_trail() -> None:
    view = view_of(conversation(LONG), window_tokens=0, min_prunable_chars=0)
    assert [step.outcome for step in view.outcome(2, 0).trail] == [Outcome.TRIMMED, Outcome.CLEARED]
    alone = view_of(conversation(LONG), window_tokens=0, min_prunable_chars=4_001, disabled_stages=("trim",))
    assert [step.outcome for step in alone.outcome(2, 0).trail] == [Outcome.KEPT, Outcome.CLEARED]
    assert alone.verdict("trim") == "trim is switched off"
