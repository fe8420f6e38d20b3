"""Whether a messages API would accept an outbound view, and which block it would refuse.

The rules are those of the Anthropic Messages API. An assistant turn is a run of assistant messages; all else stands on
the user's side, system messages too.

- The first message is from the user's side.
- A tool_use stands in an assistant message and is answered before the next assistant turn.
- A tool_result stands in a user message and answers a tool_use of the assistant turn just before it, the nearest one
  of its id; no other result before it does.
- No text is empty, nor white space alone. A message has a block; only an assistant message at the end of the view
  needs none, since the API takes it as the beginning of the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from tui.pipeline.evaluation import View
from tui.pipeline.index import Bools, Ints, SessionIndex, slice_between

Kind = Literal[
    "first-role", "orphan-result", "orphan-use", "empty", "duplicate-result", "misplaced-result", "misplaced-use"
]

_WORDS: dict[Kind, str] = {
    "first-role": "the first message is not from the user",
    "orphan-result": "tool_result without its tool_use just before it",
    "orphan-use": "tool_use without a tool_result after it",
    "empty": "empty text",
    "duplicate-result": "second tool_result for one tool_use",
    "misplaced-result": "tool_result in a message that is not from the user",
    "misplaced-use": "tool_use in a message that is not from the assistant",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that an API would refuse.

    Attributes:
        kind: What it is.
        message: Index into ``session.messages``.
        block: Index into that message's blocks; None when it is about the whole message.
    """

    kind: Kind
    message: int
    block: int | None

    def __str__(self) -> str:
        if self.kind == "empty" and self.block is None:
            return f"message {self.message}: no content"
        where = f"message {self.message}" + (f", block {self.block}" if self.block is not None else "")
        return f"{where}: {_WORDS[self.kind]}"


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The answer for one view.

    Attributes:
        count: How many problems there are; 0 means that an API would accept the view.
        first: The first few, in the order of the conversation.
    """

    count: int
    first: tuple[Problem, ...]

    def __str__(self) -> str:
        if not self.count:
            return "an API would accept it"
        more = f" (and {self.count - 1:,} more)" if self.count > 1 else ""
        return f"an API would refuse it: {self.first[0]}{more}"


def acceptance(view: View, index: SessionIndex, most: int = 5) -> Acceptance:
    """Checks the outbound view; names at most ``most`` problems.

    What is wrong wherever the view begins and ends is found once a session; a view adds only what its two ends break,
    so the cost does not grow with the session.
    """
    start, end = view.kept_from, view.end
    seen = index.view_messages[index.rank[start] : index.rank[end]]
    if not len(seen):
        return Acceptance(0, ())
    count = 0
    problems: list[Problem] = []

    def add(kind: Kind, blocks: Ints) -> None:
        nonlocal count
        count += len(blocks)
        problems.extend(Problem(kind, *index.locate(int(number))) for number in blocks[:most])

    def add_messages(kind: Kind, messages: Ints) -> None:
        nonlocal count
        count += len(messages)
        problems.extend(Problem(kind, int(number), None) for number in messages[:most])

    add_messages("first-role", seen[:1][index.assistant[seen[:1]]])
    first, last = index.first_block[[start, end]]
    lost = _lost_calls(index, start, end)
    add("orphan-result", lost)
    for kind, numbers in _standing(index).items():
        inside = slice_between(numbers, first, last)
        if kind == "duplicate-result" and len(lost):  # without its call, a second result is an orphan too
            kept = np.searchsorted(inside, lost[-1], side="right")
            add(kind, np.setdiff1d(inside[:kept], lost))
            inside = inside[kept:]
        add(kind, inside)
    cut_turn = max(first, index.first_block[_turn_start(index, end)])
    add("orphan-use", slice_between(_answered(index), cut_turn, last))
    empty = slice_between(_empty_messages(index), start, end)
    if len(empty) and empty[-1] == seen[-1] and index.assistant[seen[-1]]:
        empty = empty[:-1]
    add_messages("empty", empty)
    problems.sort(key=lambda problem: (problem.message, -1 if problem.block is None else problem.block))
    return Acceptance(count, tuple(problems[:most]))


def _lost_calls(index: SessionIndex, start: int, end: int) -> Ints:
    """Blocks of the results whose tool_use is of the right turn, but stands before the view's start."""
    results = index.results
    next_turn = int(np.searchsorted(index.turn, index.turn[start], side="right"))
    rows = slice(index.results_before[start], index.results_before[min(end, next_turn)])
    lost: Ints = results.block[rows][_answers(index)[rows] & (results.use_message[rows] < start)]
    return lost


def _turn_start(index: SessionIndex, end: int) -> int:
    """Where the assistant turn begins that the message after the view goes on with, ``end`` if it begins one.

    What such a turn's calls are answered by comes after the view.
    """
    return end if end == len(index.turn) else int(np.searchsorted(index.turn, index.turn[end]))


def _answers(index: SessionIndex) -> Bools:
    """Which results answer a tool_use of the assistant turn just before them, as far as the whole session goes."""
    results = index.results

    def make() -> Bools:
        right_turn = index.turn[results.use_message] == index.turn[results.message]
        answers: Bools = (results.use >= 0) & index.assistant[results.use_message] & right_turn
        return answers

    return index.remembered("answers", make)


def _answered(index: SessionIndex) -> Ints:
    """Block numbers of the tool_use blocks that a result answers, ascending."""
    return index.remembered("answered", lambda: np.unique(index.results.use[_answers(index)]))


def _standing(index: SessionIndex) -> dict[Kind, Ints]:
    """Block numbers of what is wrong in every view that holds them, ascending."""

    def make() -> dict[Kind, Ints]:
        results = index.results
        answers = _answers(index)
        first = np.unique(results.use[answers], return_index=True)[1]
        return {
            "orphan-result": results.block[~answers],
            "duplicate-result": np.delete(results.block[answers], first),
            "orphan-use": np.setdiff1d(index.uses, _answered(index), assume_unique=True),
            "misplaced-result": index.misplaced_results,
            "misplaced-use": index.misplaced_uses,
            "empty": index.blank_texts,
        }

    return index.remembered("problems", make)


def _empty_messages(index: SessionIndex) -> Ints:
    """The messages of the view that have no block."""

    def make() -> Ints:
        return np.flatnonzero((np.diff(index.first_block) == 0) & (np.diff(index.rank) > 0)).astype(np.int64)

    return index.remembered("empty messages", make)
