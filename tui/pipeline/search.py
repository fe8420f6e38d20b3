"""Searching a session's blocks, on both sides: what stands in the conversation, and what of it is sent."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tui.model import Block, OutboundError, ToolUseBlock
from tui.model.readable import body_text
from tui.pipeline.evaluation import View
from tui.pipeline.index import Ints, SessionIndex

_BATCH = 2_000


@dataclass(frozen=True, slots=True)
class Query:
    """What is searched for. Case counts only where the text has a capital letter (smart case).

    Attributes:
        text: As typed.
        regex: Whether it is a regular expression; otherwise it stands for itself.
    """

    text: str
    regex: bool = False

    @property
    def pattern(self) -> re.Pattern[str]:
        """The compiled pattern.

        Raises:
            OutboundError: It is no regular expression.
        """
        flags = 0 if any(char.isupper() for char in self.text) else re.IGNORECASE
        try:
            return re.compile(self.text if self.regex else re.escape(self.text), flags | re.MULTILINE)
        except (re.error, RecursionError, OverflowError) as error:
            raise OutboundError(f"this is no regular expression: {error}") from None

    def matcher(self) -> Callable[[str], bool]:
        """A test whether a text holds a match; faster than the pattern for plain text.

        Raises:
            OutboundError: It is no regular expression.
        """
        text = self.text
        if not self.regex and text.isascii():
            if any(char.isupper() for char in text):
                return lambda body: text in body
            return lambda body: text in body.lower()
        search = self.pattern.search
        return lambda body: search(body) is not None


def searched_text(block: Block) -> str:
    """The text of a block that a search looks at: what its header and body show."""
    body = body_text(block)
    if isinstance(block, ToolUseBlock):
        return f"{block.name}\n{body}" if body else block.name
    return body


def search(index: SessionIndex, query: Query, first: int, cancelled: Callable[[], bool]) -> Iterator[list[int]]:
    """Block numbers whose text matches, in batches: from block ``first`` to the end, then from the start.

    A batch is given every few thousand blocks, so the nearest hits come at once whatever the session's size.

    Raises:
        OutboundError: The query is no regular expression.
    """
    matches = query.matcher()
    messages = index.session.messages
    total = len(index.block_chars)
    first = min(max(first, 0), total)
    size = 64  # the first batch comes at once
    for start, stop in ((first, total), (0, first)):
        at = start
        while at < stop:
            if cancelled():
                return
            end = min(at + size, stop)
            found = []
            message = int(index.block_message[at])
            offset = at - int(index.first_block[message])
            for number in range(at, end):
                while offset >= len(messages[message].blocks):
                    message, offset = message + 1, 0
                if matches(searched_text(messages[message].blocks[offset])):
                    found.append(number)
                offset += 1
            at, size = end, min(size * 4, _BATCH)
            yield found


def sent_hits(
    view: View,
    index: SessionIndex,
    query: Query,
    hits: Sequence[int],
    stage: str,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[int]:
    """The block numbers that match in the view after ``stage``, ascending.

    What no stage changed matches as it does in the conversation; only changed results are looked at again.

    Args:
        view: The call's view.
        index: The session's index.
        query: What is searched for.
        hits: The blocks that match in the conversation, ascending.
        stage: ``original``, a stage's name, or ``outbound``.
        cancelled: Asked now and then whether to stop; what is found by then is returned.
    """
    low = int(index.first_block[view.kept_from_after(stage)])
    high = int(index.first_block[view.end])
    inside = set(hits[bisect_left(hits, low) : bisect_left(hits, high)])
    matches = query.matcher()
    for number in changed_blocks(view, index, stage):
        if cancelled():
            break
        message, block = index.locate(int(number))
        text = view.content(message, block, stage)
        if text is not None and matches(text):
            inside.add(int(number))
        else:
            inside.discard(int(number))
    return sorted(inside)


def changed_blocks(view: View, index: SessionIndex, stage: str) -> Ints:
    """Block numbers of what is sent with another text, or an emptied input, after ``stage``, ascending."""
    steps = view.stages_until(stage)
    if not steps:
        return np.empty(0, np.int64)
    results = index.results.block[np.concatenate([step.changed_rows(0) for step in steps])]
    numbers = np.unique(np.concatenate([results, *(step.changed_uses(0) for step in steps)]))
    first: Ints = numbers[np.searchsorted(numbers, index.first_block[view.kept_from_after(stage)]) :]
    return first
