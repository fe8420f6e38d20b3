"""Whether a messages API would accept an outbound view, and which block it would refuse.

The rules are those of the Anthropic Messages API: the first message is from the user, every tool_result answers a
tool_use of the assistant turn just before it, every tool_use is answered in the turn after it, and no text is empty
(a text of white space counts as empty).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from tui.pipeline.evaluation import View
from tui.pipeline.index import Ints, SessionIndex

Kind = Literal["first-role", "orphan-result", "orphan-use", "empty", "duplicate-result", "misplaced-result"]

_WORDS: dict[Kind, str] = {
    "first-role": "the first message is not from the user",
    "orphan-result": "tool_result without its tool_use just before it",
    "orphan-use": "tool_use without a tool_result after it",
    "empty": "empty text",
    "duplicate-result": "second tool_result for one tool_use",
    "misplaced-result": "tool_result in a message that is not from the user",
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
            return "an API would accept this view"
        more = f" (and {self.count - 1:,} more)" if self.count > 1 else ""
        return f"an API would refuse this view: {self.first[0]}{more}"


def acceptance(view: View, index: SessionIndex, most: int = 5) -> Acceptance:
    """Checks the outbound view; names at most ``most`` problems.

    What is wrong whatever the view begins with is found once a session; a view adds only what its cut breaks, so
    the cost does not grow with the session.
    """
    start, end = view.kept_from, view.end
    problems: list[Problem] = []
    first = _first_in_view(index, start)
    if first < end and index.session.messages[first].role == "assistant":
        problems.append(Problem("first-role", first, None))
    # Results right after the cut, before the next assistant message, may have lost their call.
    results = index.results
    row = int(index.results_before[start])
    stop = (
        int(index.results_before[min(end, int(np.searchsorted(index.turn, index.turn[start], side="right")))])
        if (start < end)
        else row
    )
    for number in range(row, stop):
        at = int(results.use_message[number])
        if 0 <= at < start and index.turn[at] == index.turn[results.message[number]]:
            problems.append(Problem("orphan-result", *index.locate(int(results.block[number]))))
    count = len(problems)
    for kind, numbers in _standing(index).items():
        low, high = np.searchsorted(numbers, index.first_block[[start, end]])
        count += int(high - low)
        problems += [Problem(kind, *index.locate(int(n))) for n in numbers[low : min(high, low + most)]]
    empty = _empty_messages(index)
    low, high = np.searchsorted(empty, [start, end])
    count += int(high - low)
    problems += [Problem("empty", int(n), None) for n in empty[low : min(high, low + most)]]
    problems.sort(key=lambda problem: (problem.message, -1 if problem.block is None else problem.block))
    return Acceptance(count, tuple(problems[:most]))


def _first_in_view(index: SessionIndex, start: int) -> int:
    rank = int(index.rank[start])
    return int(index.view_messages[rank]) if rank < len(index.view_messages) else len(index.session.messages)


def _standing(index: SessionIndex) -> dict[Kind, Ints]:
    """Block numbers of what is wrong in every view that holds them, ascending."""

    def make() -> dict[Kind, Ints]:
        results = index.results
        paired = results.use >= 0
        same_turn = (
            paired & (index.turn[results.use_message] == index.turn[results.message]) if len(results) else paired
        )
        answered, first = np.unique(results.use[same_turn], return_index=True)
        again = np.ones(int(same_turn.sum()), np.bool_)
        again[first] = False
        return {
            "orphan-result": results.block[~same_turn],
            "duplicate-result": results.block[same_turn][again],
            "orphan-use": np.setdiff1d(index.uses, answered),
            "misplaced-result": index.misplaced_results,
            "empty": index.blank_texts,
        }

    return index.remembered("problems", make)


def _empty_messages(index: SessionIndex) -> Ints:
    def make() -> Ints:
        return np.flatnonzero((np.diff(index.first_block) == 0) & (np.diff(index.rank) > 0)).astype(np.int64)

    return index.remembered("empty messages", make)
