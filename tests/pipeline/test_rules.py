"""Rules that the vectors do not hold, each on its own (SPEC.md, section 2)."""

from __future__ import annotations

from typing import Any

from tui import CompactOptions, evaluate, session_from_messages
from tui.pipeline.evaluation import View
from tui.pipeline.outcomes import Outcome, Reason

NOTE = "\n…[tool_result 已截断（compact）]"
Message = dict[str, Any]


def say(text: str) -> Message:
    return {"type": "user", "content": [{"type": "text", "text": text}]}


def use(id: str, name: str = "Read", **arguments: Any) -> Message:
    return {"type": "assistant", "content": [{"type": "tool_use", "id": id, "name": name, "input": arguments}]}


def result(id: str, content: str, role: str = "user") -> Message:
    return {"type": role, "content": [{"type": "tool_result", "tool_use_id": id, "content": content}]}


def view(messages: list[Message], **options: Any) -> View:
    return evaluate(session_from_messages(messages), "react-agent-mini-v4", CompactOptions(**options)).at()


def text(view: View, message: int) -> str:
    content: str = view.messages()[message]["content"][0]["content"]
    return content


def test_a_character_that_the_cut_would_halve_is_left_out_whole() -> None:
    found = view([use("a"), result("a", "abc😀def")], max_tool_result_chars=4)
    assert text(found, 1) == "abc" + NOTE
    assert found.estimate["budget"] == found.estimate["original"] - len("abc😀def") - 1 + 3 + 28


def test_a_cut_after_a_whole_character_keeps_it() -> None:
    assert text(view([use("a"), result("a", "abc😀def")], max_tool_result_chars=5), 1) == "abc😀" + NOTE


def test_a_lone_surrogate_at_the_cut_is_a_character_of_its_own() -> None:
    assert text(view([use("a"), result("a", "abc\ud83dxyz")], max_tool_result_chars=4), 1) == "abc\ud83d" + NOTE


def test_cutting_again_gives_the_same_text_and_shows_as_unchanged_though_the_trace_counts_it() -> None:
    found = view([use("a"), result("a", "x" * 10 + NOTE)], max_tool_result_chars=10)
    assert found.outcome(1, 0).outcome is Outcome.KEPT
    assert found.counts["truncated"] == 1
    assert "truncatedBlocks=1" in found.trace[0]
    assert found.content(1, 0) is None


def test_a_result_pairs_with_the_nearest_earlier_call_of_its_id() -> None:
    messages = [
        use("a", file_path="first.py"),
        result("a", "x" * 600),
        use("a", file_path="second.py"),
        result("a", "y" * 600),
    ]
    found = view(messages, threshold=0, keep_recent=0)
    assert text(found, 1).endswith(" first.py")
    assert text(found, 3).endswith(" second.py")


def test_a_result_before_its_call_is_an_orphan() -> None:
    found = view([say("q"), result("a", "x" * 600), use("a")], threshold=0, keep_recent=0)
    outcome = found.outcome(1, 0)
    assert (outcome.outcome, outcome.reason) == (Outcome.KEPT, Reason.ORPHAN)


def test_a_result_in_an_assistant_message_counts_but_is_neither_cut_nor_cleared_nor_recent() -> None:
    messages = [use("a"), result("a", "x" * 5000), use("b"), result("b", "y" * 9000, role="assistant")]
    found = view(messages, threshold=0, keep_recent=1)
    assert found.estimate["original"] == 14_000 + 2 * len("Read{}")
    assert found.outcome(3, 0).reason is Reason.TOOL_NOT_ELIGIBLE
    assert found.counts["truncated"] == 1
    # The user's result is the newest counted one, so the window of one keeps it.
    assert found.outcome(1, 0).outcome is Outcome.TRUNCATED
    assert found.counts["cleared"] == 0


def test_content_that_already_is_the_placeholder_says_so_whether_or_not_the_trace_counts_it() -> None:
    placeholder = "[Old tool result content cleared] tool=Read a.py"
    messages = [use("a", file_path="a.py"), result("a", placeholder)]
    small = view(messages, threshold=0, keep_recent=0)
    assert small.outcome(1, 0).reason is Reason.ALREADY_CLEARED
    assert small.counts["cleared"] == 0
    again = view(messages, threshold=0, keep_recent=0, min_chars=0)
    assert (again.outcome(1, 0).outcome, again.outcome(1, 0).reason) == (Outcome.KEPT, Reason.ALREADY_CLEARED)
    assert again.counts["cleared"] == 1
    assert again.content(1, 0) is None


def test_an_estimate_equal_to_the_threshold_after_micro_drops_nothing() -> None:
    messages = [say("q" * 100), use("a"), result("a", "x" * 900), say("more"), say("and more")]
    after_micro = view(messages, threshold=0, keep_recent=0).estimate["micro"]
    exactly = view(messages, threshold=after_micro, keep_recent=0, max_messages=2)
    assert (exactly.counts["cleared"], exactly.counts["dropped"]) == (1, 0)
    below = view(messages, threshold=after_micro - 1, keep_recent=0, max_messages=2)
    assert below.counts["dropped"] == 3


def test_the_inspectors_sentences_carry_the_margin() -> None:
    messages = [say("q")]
    for name in "abcdef":
        messages += [use(name), result(name, "x" * (412 if name == "a" else 700))]
    found = view(messages, threshold=100, keep_recent=4)
    assert found.outcome(2, 0).explanation == "not cleared: 412 chars, minChars is 500"
    assert found.outcome(4, 0).explanation == "cleared: 5th newest clearable result, keepRecent is 4"
    assert found.outcome(8, 0).explanation == "kept: 3rd newest clearable result, keepRecent is 4"


def test_a_block_keeps_its_trail_through_all_stages() -> None:
    messages = [say("q"), use("a"), result("a", "x" * 900), use("b"), result("b", "y" * 900), say("go on")]
    found = view(messages, threshold=10, keep_recent=1, max_tool_result_chars=600, max_messages=1)
    trail = [(step.stage, step.outcome) for step in found.outcome(2, 0).trail]
    assert trail == [("budget", "truncated"), ("micro", "cleared"), ("retain", "dropped")]
    assert found.outcome(2, 0).chars_after == 0


def test_switching_a_stage_off_skips_it_and_says_so() -> None:
    messages = [say("q"), use("a"), result("a", "x" * 5000)]
    found = view(messages, threshold=10, keep_recent=0, disabled_stages=("budget",))
    assert [step.outcome for step in found.outcome(2, 0).trail] == ["kept", "cleared", "kept"]
    off = view(messages, threshold=10, keep_recent=0, enabled=False)
    assert off.messages() == messages
    assert {off.verdict(stage) for stage in ("budget", "micro", "retain")} == {
        "budget is switched off",
        "micro is switched off",
        "retain is switched off",
    }


def test_leading_system_prompts_are_no_messages_and_a_later_one_is_never_a_boundary() -> None:
    system = {"type": "system", "content": [{"type": "text", "text": "be brief"}]}
    session = session_from_messages([system, say("hello"), use("a"), result("a", "z"), system, say("bye")])
    assert len(session.system) == 1
    found = evaluate(session, "react-agent-mini-v4", CompactOptions(threshold=0, max_messages=2)).at()
    assert found.estimate["original"] == len("hello") + len("Read{}") + 1 + len("be brief") + len("bye")
    assert found.kept_from == 4


def test_a_very_large_option_is_valid() -> None:
    assert view([say("q")], threshold=10**30, keep_recent=10**30, min_chars=10**30).trace == []
