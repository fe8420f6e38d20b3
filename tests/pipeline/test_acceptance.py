"""Whether an API would accept a view: against a naive checker, and each rule on its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategy_data import conversations, option_values, text_block, use_block
from tui import CompactOptions, evaluate, session_from_messages
from tui.model import Boundary, Message, Session, TextBlock, ToolResultBlock, ToolUseBlock
from tui.pipeline.acceptance import Problem, acceptance
from tui.pipeline.evaluation import View

Dicts = list[dict[str, Any]]


def naive(messages: tuple[Message, ...], start: int, end: int) -> set[Problem]:
    """The rules in the module's docstring, read message by message over the view ``start <= message < end``."""
    found: set[Problem] = set()
    seen = [(number, messages[number]) for number in range(start, end) if messages[number].role != "other"]
    if seen and seen[0][1].role == "assistant":
        found.add(Problem("first-role", seen[0][0], None))
    for number, message in seen:
        if not message.blocks and not (number == seen[-1][0] and message.role == "assistant"):
            found.add(Problem("empty", number, None))
        for place, block in enumerate(message.blocks):
            if isinstance(block, TextBlock) and not block.text.strip():
                found.add(Problem("empty", number, place))
            if isinstance(block, ToolUseBlock) and message.role != "assistant":
                found.add(Problem("misplaced-use", number, place))
            if isinstance(block, ToolResultBlock) and message.role != "user":
                found.add(Problem("misplaced-result", number, place))
    uses: dict[tuple[int, int], str | None] = {}  # of the assistant turn just before, in order
    answered: set[tuple[int, int]] = set()
    before = ""

    def close_turn() -> None:
        found.update(Problem("orphan-use", *place) for place in uses if place not in answered)
        uses.clear()

    # The nearest earlier tool_use of an id is the one that a result answers, wherever it stands.
    nearest: dict[str, tuple[int, int]] = {}
    for number, message in seen:
        if message.role == "assistant" and before != "assistant":
            close_turn()
        before = message.role
        for place, block in enumerate(message.blocks):
            if isinstance(block, ToolUseBlock):
                if block.id is not None:
                    nearest[block.id] = (number, place)
                if message.role == "assistant":
                    uses[number, place] = block.id
            elif isinstance(block, ToolResultBlock) and message.role == "user":
                use = nearest.get(block.tool_use_id or "")
                if use not in uses:
                    found.add(Problem("orphan-result", number, place))
                elif use in answered:
                    found.add(Problem("duplicate-result", number, place))
                else:
                    answered.add(use)
    close_turn()
    return found


def in_order(problems: set[Problem]) -> list[Problem]:
    return sorted(problems, key=lambda p: (p.message, -1 if p.block is None else p.block, p.kind))


odd_messages = st.one_of(
    st.lists(text_block, max_size=2).map(lambda blocks: {"type": "system", "content": blocks}),
    st.lists(st.one_of(text_block, use_block), max_size=2).map(lambda blocks: {"type": "user", "content": blocks}),
    st.just({"type": "assistant", "content": []}),
)


@settings(max_examples=400, deadline=None)
@given(
    conversations,
    st.lists(st.tuples(st.integers(0, 20), odd_messages), max_size=3),
    option_values,
    st.lists(st.integers(0, 20), max_size=2),
    st.sets(st.integers(0, 20), max_size=3),
)
def test_every_call_is_judged_as_the_naive_checker_judges_it(
    messages: Dicts, odd: list[tuple[int, dict[str, Any]]], values: dict[str, Any], cuts: list[int], others: set[int]
) -> None:
    for place, message in odd:
        messages.insert(place, message)
    session = session_from_messages(messages)
    outside = [replace(m, role="other") if i in others else m for i, m in enumerate(session.messages)]
    size = len(outside)
    boundaries = tuple(Boundary(cut) for cut in sorted({min(cut, size) for cut in cuts}))
    session = replace(session, messages=tuple(outside), boundaries=boundaries)
    evaluation = evaluate(session, "react-agent-mini-v4", CompactOptions(**values))
    for call in evaluation.calls:
        view = evaluation.at(call)
        expected = in_order(naive(session.messages, view.kept_from, view.end))
        found = acceptance(view, evaluation.index, most=1000)
        assert in_order(set(found.first)) == expected
        assert found.count == len(found.first) == len(expected)
        few = acceptance(view, evaluation.index, most=2)
        assert (few.count, few.first) == (found.count, found.first[:2])


def text(words: str, role: str = "user") -> dict[str, Any]:
    return {"type": role, "content": [{"type": "text", "text": words}]}


def call(*ids: str, role: str = "assistant") -> dict[str, Any]:
    return {"type": role, "content": [{"type": "tool_use", "id": one, "name": "Read", "input": {}} for one in ids]}


def answer(*ids: str, role: str = "user") -> dict[str, Any]:
    return {"type": role, "content": [{"type": "tool_result", "tool_use_id": one, "content": "x"} for one in ids]}


def viewed(session: Session, number: int | None = None, **options: Any) -> View:
    return evaluate(session, "react-agent-mini-v4", CompactOptions(**options)).at(number)


def problems(messages: Dicts, number: int | None = None, boundary: int = 0, **options: Any) -> list[tuple[Any, ...]]:
    session = session_from_messages(messages)
    session = replace(session, boundaries=(Boundary(boundary),))
    evaluation = evaluate(session, "react-agent-mini-v4", CompactOptions(**options))
    found = acceptance(evaluation.at(number), evaluation.index)
    assert found.count == len(found.first)
    return [(problem.kind, problem.message, problem.block) for problem in found.first]


PARALLEL = [text("q"), call("a", "b"), answer("a"), text("wait"), answer("b"), text("done", "assistant"), text("more")]


def test_a_whole_conversation_is_accepted() -> None:
    assert problems(PARALLEL) == []


def test_a_drop_in_the_middle_of_the_answers_to_one_turn_leaves_an_orphan() -> None:
    assert problems(PARALLEL, threshold=0, max_messages=4) == [("orphan-result", 4, 0)]


def test_a_drop_between_two_results_for_one_call_leaves_one_orphan_and_no_duplicate() -> None:
    messages = [text("q"), call("a"), answer("a"), text("wait"), answer("a", "a"), text("more")]
    assert problems(messages) == [("duplicate-result", 4, 0), ("duplicate-result", 4, 1)]
    assert problems(messages, threshold=0, max_messages=3) == [("orphan-result", 4, 0), ("orphan-result", 4, 1)]


def test_a_call_at_the_end_is_unanswered() -> None:
    assert problems([text("q"), call("a", "b"), answer("b"), call("c")]) == [("orphan-use", 1, 0), ("orphan-use", 3, 0)]


def test_a_view_that_ends_within_an_assistant_turn_has_not_seen_the_answers() -> None:
    messages = [text("q"), call("a"), call("b"), answer("a", "b")]
    assert problems(messages, number=2) == [("orphan-use", 1, 0)]
    assert problems(messages) == []


def test_an_answer_after_the_next_turn_comes_too_late() -> None:
    messages = [text("q"), call("a"), text("and"), text("hm", "assistant"), answer("a")]
    assert problems(messages) == [("orphan-use", 1, 0), ("orphan-result", 4, 0)]


def test_a_view_cut_at_a_boundary_may_begin_with_the_assistant_and_with_orphans() -> None:
    messages = [text("q"), call("a"), answer("a"), text("so", "assistant"), text("more")]
    assert problems(messages, boundary=3) == [("first-role", 3, None)]
    assert problems(messages, boundary=2) == [("orphan-result", 2, 0)]


def test_empty_and_white_space_texts_are_named() -> None:
    message = {"type": "user", "content": [{"type": "text", "text": words} for words in ("a", "", " \n\t", "\u3000")]}
    assert problems([message]) == [("empty", 0, 1), ("empty", 0, 2), ("empty", 0, 3)]


def test_a_message_without_blocks_is_refused_but_for_the_assistants_at_the_end() -> None:
    nothing: Dicts = [{"type": "user", "content": []}, {"type": "assistant", "content": []}]
    assert problems(nothing) == [("empty", 0, None)]
    assert problems([*nothing, text("more")]) == [("empty", 0, None), ("empty", 1, None)]
    assert problems([text("q"), text(" ", "assistant")]) == [("empty", 1, 0)]


def test_blocks_on_the_wrong_side_are_named() -> None:
    messages = [text("q"), call("a"), answer("a"), answer("a", role="assistant"), call("b", role="user"), answer("b")]
    assert problems(messages) == [("misplaced-result", 3, 0), ("misplaced-use", 4, 0), ("orphan-result", 5, 0)]


def test_a_message_outside_the_view_has_no_problems() -> None:
    session = session_from_messages([text("q"), text(" "), answer("a", role="assistant"), text("more")])
    hidden = [replace(m, role="other") if 0 < i < 3 else m for i, m in enumerate(session.messages)]
    view = viewed(replace(session, messages=tuple(hidden)))
    assert acceptance(view, evaluate(view.session, "react-agent-mini-v4").index).count == 0


def test_the_answer_names_the_first_block_in_words() -> None:
    session = session_from_messages([text("q"), call("a"), text(""), {"type": "user", "content": []}])
    index = evaluate(session, "react-agent-mini-v4").index
    found = acceptance(viewed(session), index, most=1)
    assert str(found) == (
        "an API would refuse it: message 1, block 0: tool_use without a tool_result after it (and 2 more)"
    )
    last = acceptance(viewed(session), index).first[-1]
    assert str(last) == "message 3: no content"
    fine = session_from_messages([text("q")])
    assert str(acceptance(viewed(fine), evaluate(fine, "react-agent-mini-v4").index)) == "an API would accept it"
