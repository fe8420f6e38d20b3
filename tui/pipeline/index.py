"""Arrays made once per session, from which every call is evaluated at once (SPEC.md, section 4)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from tui.model import Block, Session, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from tui.model.chars import pair_positions, units
from tui.model.ecma_json import stringify
from tui.pipeline.placeholder import CLEARED, TRUNCATION_NOTE, placeholder

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
T = TypeVar("T")

_MEMO_SIZE = 24


def prefix_sum(values: npt.NDArray[Any]) -> Ints:
    """``out[i]`` is the sum of the first ``i`` values."""
    out = np.zeros(len(values) + 1, np.int64)
    np.cumsum(values, out=out[1:])
    return out


def next_true(mask: Bools) -> Ints:
    """``out[i]`` is the first index from ``i`` on where ``mask`` holds, ``len(mask)`` where there is none."""
    size = len(mask)
    out = np.full(size + 1, size, np.int64)
    if size:
        at = np.where(mask, np.arange(size), size)
        out[:-1] = np.minimum.accumulate(at[::-1])[::-1]
    return out


def slice_between(ascending: Ints, low: int | np.signedinteger, high: int | np.signedinteger) -> Ints:
    """The part of ``ascending`` whose values lie in ``low <= value < high``, without a copy."""
    first, last = np.searchsorted(ascending, [int(low), int(high)])
    return ascending[first:last]


@dataclass(frozen=True, slots=True)
class Calls:
    """Some calls of a session, as the messages each one sees: ``start[i] <= message < end[i]``.

    Attributes:
        number: The calls' numbers, counted from 1.
        start: First message seen: 0, or where the newest compact boundary stands.
        end: The message it is answered by; the number of messages for the next call.
        across: Whether messages before a compact boundary are counted in.
    """

    number: Ints
    start: Ints
    end: Ints
    across: bool

    def __len__(self) -> int:
        return len(self.end)

    def only(self, call: int) -> Calls:
        """Just call number ``call``, counted from 1."""
        return self.between(call, call)

    def between(self, first: int, last: int) -> Calls:
        """The calls from number ``first`` to ``last``."""
        part = slice(first - 1, last)
        return Calls(self.number[part], self.start[part], self.end[part], self.across)


@dataclass(frozen=True, slots=True)
class Results:
    """The tool results in user messages, in order: all that budget and micro can ever change.

    Attributes:
        block: Each one's block number in the session.
        message: Its message.
        chars: Its size in UTF-16 code units.
        use: Block number of the nearest earlier tool_use of its id, -1 for an orphan.
        use_message: That block's message, -1 for an orphan.
        tool: Index into ``tools`` of that block's tool name, -1 for an orphan.
        tools: The distinct tool names.
        placeholder_chars: Size of the placeholder that micro would write.
        has_note: Whether the content ends with the truncation note.
        is_cleared: Whether the content begins as a placeholder does.
        is_own_placeholder: Whether the content is the very placeholder that micro would write.
        pairs: For all surrogate pairs of all results, ``offset[result] + position of its first half``, ascending.
        offset: Where each result's units begin if all are laid end to end.
    """

    block: Ints
    message: Ints
    chars: Ints
    use: Ints
    use_message: Ints
    tool: Ints
    tools: tuple[str, ...]
    placeholder_chars: Ints
    has_note: Bools
    is_cleared: Bools
    is_own_placeholder: Bools
    pairs: Ints
    offset: Ints

    def __len__(self) -> int:
        return len(self.block)


@dataclass(frozen=True, slots=True, eq=False)
class SessionIndex:
    """A session's arrays. Blocks are numbered through the whole session, in order.

    Attributes:
        session: What is indexed.
        first_block: Block number of each message's first block, and their total at the end.
        block_message: Each block's message.
        block_chars: Each block's counted size in UTF-16 code units.
        uncounted: Each block's size that no estimate counts (thinking).
        chars_before: Counted chars of all messages before message ``i``.
        rest_before: The same without the results (see ``Results``), which alone a stage can rewrite.
        rank: How many messages that belong to a model view stand before message ``i``.
        view_messages: The messages that belong to a model view (all but role ``other``).
        assistant: Which messages are from the assistant.
        next_plain_user: First user message whose blocks are all text, from message ``i`` on; their number for none.
        results_before: Number of results (see ``Results``) in messages before message ``i``.
        turn: Which assistant turn each message belongs to or follows; 0 before the first.
        blank_texts: Block numbers of text blocks without a visible character.
        uses: Block numbers of tool_use blocks in assistant messages.
        misplaced_uses: Block numbers of tool_use blocks in messages of others.
        misplaced_results: Block numbers of tool_result blocks in messages that are not from the user.
        results: The tool results in user messages.
        memo: Tables that stages derived from this index, by their options.
        lock: Guards ``memo``: a worker evaluates all calls while the screen evaluates one.
    """

    session: Session
    first_block: Ints
    block_message: Ints
    block_chars: Ints
    uncounted: Ints
    chars_before: Ints
    rest_before: Ints
    rank: Ints
    view_messages: Ints
    assistant: Bools
    next_plain_user: Ints
    results_before: Ints
    turn: Ints
    blank_texts: Ints
    uses: Ints
    misplaced_uses: Ints
    misplaced_results: Ints
    results: Results
    memo: dict[Hashable, Any] = field(default_factory=dict, repr=False)
    lock: Lock = field(default_factory=Lock, repr=False)

    def block_number(self, message: int, block: int) -> int:
        """The number of a message's block, both counted from 0."""
        return int(self.first_block[message]) + block

    def locate(self, number: int) -> tuple[int, int]:
        """Message and block of a block number."""
        message = int(self.block_message[number])
        return message, number - int(self.first_block[message])

    def block(self, number: int) -> Block:
        """The block with a number."""
        message, block = self.locate(number)
        return self.session.messages[message].blocks[block]

    def result(self, row: int) -> ToolResultBlock:
        """The tool result of a row of ``results``."""
        block = self.block(int(self.results.block[row]))
        assert isinstance(block, ToolResultBlock)
        return block

    def row(self, number: int) -> int | None:
        """The row of ``results`` that block ``number`` is; None when it is another block."""
        blocks = self.results.block
        row = int(np.searchsorted(blocks, number))
        return row if row < len(blocks) and blocks[row] == number else None

    def use_of_row(self, row: int) -> ToolUseBlock | None:
        """The tool_use that the result of a row answers; None for an orphan."""
        if self.results.use[row] < 0:
            return None
        use = self.block(int(self.results.use[row]))
        return use if isinstance(use, ToolUseBlock) else None

    def remembered(self, key: Hashable, make: Callable[[], T]) -> T:
        """``make()``, made once for ``key``; of many, the one that was not asked for the longest is forgotten."""
        with self.lock:
            found = self.memo.pop(key, None)
        value: T = make() if found is None else found
        with self.lock:
            if len(self.memo) >= _MEMO_SIZE:
                self.memo.pop(next(iter(self.memo)), None)
            self.memo[key] = value
        return value

    def calls(self, across: bool) -> Calls:
        """All calls; ``across`` counts in what stands before a compact boundary."""
        return self.remembered(("calls", across), lambda: self._calls(across))

    def _calls(self, across: bool) -> Calls:
        answers = np.flatnonzero(self.assistant & (self.rank[:-1] > 0))
        end = np.append(answers, len(self.assistant)).astype(np.int64)
        start = np.zeros(len(end), np.int64)
        if not across and self.session.boundaries:
            cuts = np.array([boundary.message for boundary in self.session.boundaries], np.int64)
            newest = np.searchsorted(cuts, end, side="right") - 1
            start = np.where(newest >= 0, cuts[np.maximum(newest, 0)], 0)
        return Calls(np.arange(1, len(end) + 1), start, end, across)

    def window_starts(self, across: bool) -> Ints:
        """For each result, the first message of the only windows that can hold it."""
        if across or not self.session.boundaries:
            return np.zeros(len(self.results), np.int64)
        cuts = np.array([0, *(boundary.message for boundary in self.session.boundaries)], np.int64)
        newest: Ints = cuts[np.searchsorted(cuts, self.results.message, side="right") - 1]
        return newest


_indexes: WeakKeyDictionary[Session, SessionIndex] = WeakKeyDictionary()


def index_of(session: Session) -> SessionIndex:
    """The session's index, made at the first call and kept as long as the session is."""
    if (index := _indexes.get(session)) is None:
        index = _indexes[session] = _build(session)
    return index


def _ints(values: Iterable[int]) -> Ints:
    return np.fromiter(values, np.int64)


def _build(session: Session) -> SessionIndex:
    # One pass over the blocks collects plain numbers, numpy does the rest. Nothing else is made for each block: a
    # hundred thousand new containers would set the garbage collector to work on the whole session.
    roles = np.array([message.role for message in session.messages], "U9")
    in_view, user, assistant = roles != "other", roles == "user", roles == "assistant"
    first_block = prefix_sum(_ints(len(message.blocks) for message in session.messages))
    block_message = np.repeat(np.arange(len(roles)), np.diff(first_block)).astype(np.int64)
    sizes: list[int] = []
    blank: list[int] = []
    no_text: list[int] = []
    thinking: list[int] = []
    misplaced_results: list[int] = []
    uses = _Uses()
    rows = _Rows()
    for message in session.messages:
        role = message.role
        for block in message.blocks:
            number = len(sizes)
            if isinstance(block, TextBlock):
                sizes.append(units(block.text))
                if not block.text or block.text.isspace():
                    blank.append(number)
                continue
            no_text.append(number)
            if isinstance(block, ToolResultBlock):
                sizes.append(units(block.content))
                if role == "user":
                    rows.add(number, block, uses)
                else:
                    misplaced_results.append(number)
            elif isinstance(block, ToolUseBlock):
                sizes.append(units(block.name) + _input_chars(block))
                if role != "other":
                    uses.add(number, block)
            elif isinstance(block, ThinkingBlock):
                thinking.append(number)
                sizes.append(units(block.text))
            else:
                sizes.append(0)
    chars = _ints(sizes)
    counts = in_view[block_message]
    counts[thinking] = False
    block_chars = np.where(counts, chars, 0)
    user[block_message[no_text]] = False
    use_blocks = _ints(uses.numbers)
    by_assistant = assistant[block_message[use_blocks]]

    def seen(numbers: list[int]) -> Ints:
        blocks = _ints(numbers)
        found: Ints = blocks[in_view[block_message[blocks]]]
        return found

    results = rows.results(uses, block_message, chars)
    chars_before = prefix_sum(block_chars)[first_block]
    results_before = np.searchsorted(results.message, np.arange(len(roles) + 1)).astype(np.int64)
    return SessionIndex(
        session=session,
        first_block=first_block,
        block_message=block_message,
        block_chars=block_chars,
        uncounted=chars - block_chars,
        chars_before=chars_before,
        rest_before=chars_before - prefix_sum(results.chars)[results_before],
        rank=prefix_sum(in_view),
        view_messages=np.flatnonzero(in_view).astype(np.int64),
        assistant=assistant,
        next_plain_user=next_true(user),
        results_before=results_before,
        turn=_turns(in_view, assistant),
        blank_texts=seen(blank),
        uses=use_blocks[by_assistant],
        misplaced_uses=use_blocks[~by_assistant],
        misplaced_results=seen(misplaced_results),
        results=results,
    )


def _turns(in_view: Bools, assistant: Bools) -> Ints:
    speaks = assistant[in_view]
    begins = np.zeros(len(in_view), np.bool_)
    begins[in_view] = speaks & ~np.append(False, speaks[:-1])[: len(speaks)]
    turns: Ints = np.cumsum(begins, dtype=np.int64)
    return turns


def _input_chars(block: ToolUseBlock) -> int:
    try:
        return units(stringify(block.input))
    except RecursionError:  # as the original: an input that cannot be written counts nothing
        return 0


class _Uses:
    """The tool_use blocks of the view so far."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.blocks: list[ToolUseBlock] = []
        self.latest: dict[str, int] = {}

    def add(self, number: int, block: ToolUseBlock) -> None:
        if block.id is not None:
            self.latest[block.id] = len(self.blocks)
        self.numbers.append(number)
        self.blocks.append(block)


class _Rows:
    """The results so far, each with the place among the tool_use blocks of the one that it answers, or -1."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.blocks: list[ToolResultBlock] = []
        self.uses: list[int] = []

    def add(self, number: int, block: ToolResultBlock, uses: _Uses) -> None:
        self.numbers.append(number)
        self.blocks.append(block)
        self.uses.append(-1 if block.tool_use_id is None else uses.latest.get(block.tool_use_id, -1))

    def results(self, uses: _Uses, block_message: Ints, block_chars: Ints) -> Results:
        """The table of them all; ``block_chars`` counts every block."""
        contents = [block.content for block in self.blocks]
        block = _ints(self.numbers)
        chars = block_chars[block]
        offset = prefix_sum(chars)
        names: dict[str, int] = {}
        # One more stands at the end, where -1 finds it: what an orphan has in place of a tool_use.
        tool = _ints([*(names.setdefault(call.name, len(names)) for call in uses.blocks), -1])
        placeholder_chars = _ints([*(units(placeholder(call.name, call.input)) for call in uses.blocks), 0])
        place = _ints(self.uses)
        use = _ints([*uses.numbers, -1])[place]
        is_cleared = np.fromiter((content.startswith(CLEARED) for content in contents), np.bool_)
        own = np.zeros(len(contents), np.bool_)
        for row in np.flatnonzero(is_cleared & (use >= 0)):
            call = uses.blocks[place[row]]
            own[row] = contents[row] == placeholder(call.name, call.input)
        # Pairs and the note, which is not ASCII, are looked for only where they can be.
        wide = [row for row, content in enumerate(contents) if not content.isascii()]
        pairs = [pair_positions(contents[row]) + offset[row] for row in wide]
        has_note = np.zeros(len(contents), np.bool_)
        has_note[wide] = [contents[row].endswith(TRUNCATION_NOTE) for row in wide]
        return Results(
            block=block,
            message=block_message[block],
            chars=chars,
            use=use,
            use_message=np.where(use >= 0, block_message[use], -1),
            tool=tool[place],
            tools=tuple(names),
            placeholder_chars=placeholder_chars[place],
            has_note=has_note,
            is_cleared=is_cleared,
            is_own_placeholder=own,
            pairs=np.concatenate(pairs) if pairs else np.empty(0, np.int64),
            offset=offset[:-1],
        )
