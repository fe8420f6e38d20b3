"""Arrays made once per session, from which every call is evaluated at once (SPEC.md, section 4)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from tui.model import Session, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from tui.model.chars import pair_positions, units
from tui.model.ecma_json import stringify
from tui.pipeline.placeholder import CLEARED, TRUNCATION_NOTE, placeholder

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
T = TypeVar("T")

_MEMO_SIZE = 16


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


@dataclass(frozen=True, slots=True)
class Calls:
    """Some calls of a session, as the messages each one sees: ``start[i] <= message < end[i]``.

    Attributes:
        start: First message seen: 0, or where the newest compact boundary stands.
        end: The message it is answered by; the number of messages for the next call.
        across: Whether messages before a compact boundary are counted in.
    """

    start: Ints
    end: Ints
    across: bool

    def __len__(self) -> int:
        return len(self.end)

    def only(self, call: int) -> Calls:
        """Just call number ``call``, counted from 1."""
        return Calls(self.start[call - 1 : call], self.end[call - 1 : call], self.across)


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
        rank: How many messages that belong to a model view stand before message ``i``.
        view_messages: The messages that belong to a model view (all but role ``other``).
        next_plain_user: First user message whose blocks are all text, from message ``i`` on; their number for none.
        results_before: Number of results (see ``Results``) in messages before message ``i``.
        turn: Which assistant turn each message belongs to or follows; 0 before the first.
        blank_texts: Block numbers of text blocks without a visible character.
        uses: Block numbers of tool_use blocks in assistant messages.
        misplaced_results: Block numbers of tool_result blocks outside user messages.
        results: The tool results in user messages.
        memo: Tables that stages derived from this index, by their options.
    """

    session: Session
    first_block: Ints
    block_message: Ints
    block_chars: Ints
    uncounted: Ints
    chars_before: Ints
    rank: Ints
    view_messages: Ints
    next_plain_user: Ints
    results_before: Ints
    turn: Ints
    blank_texts: Ints
    uses: Ints
    misplaced_results: Ints
    results: Results
    memo: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def block_number(self, message: int, block: int) -> int:
        """The number of a message's block, both counted from 0."""
        return int(self.first_block[message]) + block

    def locate(self, number: int) -> tuple[int, int]:
        """Message and block of a block number."""
        message = int(self.block_message[number])
        return message, number - int(self.first_block[message])

    def remembered(self, key: Hashable, make: Callable[[], T]) -> T:
        """``make()``, made once for ``key``; the oldest of a few is forgotten."""
        if key in self.memo:
            found: T = self.memo[key]
            return found
        value = make()
        if len(self.memo) >= _MEMO_SIZE:
            self.memo.pop(next(iter(self.memo)), None)
        self.memo[key] = value
        return value

    def calls(self, across: bool) -> Calls:
        """All calls; ``across`` counts in what stands before a compact boundary."""
        return self.remembered(("calls", across), lambda: self._calls(across))

    def _calls(self, across: bool) -> Calls:
        roles = [message.role == "assistant" for message in self.session.messages]
        answers = np.flatnonzero(np.array(roles, np.bool_) & (self.rank[:-1] > 0))
        end = np.append(answers, len(roles)).astype(np.int64)
        start = np.zeros(len(end), np.int64)
        if not across and self.session.boundaries:
            cuts = np.array([boundary.message for boundary in self.session.boundaries], np.int64)
            newest = np.searchsorted(cuts, end, side="right") - 1
            start = np.where(newest >= 0, cuts[np.maximum(newest, 0)], 0)
        return Calls(start, end, across)

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
    sizes: list[int] = []
    uncounted: list[int] = []
    owners: list[int] = []
    first_block: list[int] = [0]
    in_view: list[bool] = []
    plain_user: list[bool] = []
    turns: list[int] = []
    blank: list[int] = []
    use_numbers: list[int] = []
    misplaced: list[int] = []
    results_before: list[int] = [0]
    latest_use: dict[str, tuple[int, int, ToolUseBlock]] = {}
    rows: list[tuple[int, int, ToolResultBlock, tuple[int, int, ToolUseBlock] | None]] = []
    turn = 0
    previous_role = ""
    for number, message in enumerate(session.messages):
        role = message.role
        counts = role != "other"
        plain = role == "user"
        if role == "assistant" and previous_role != "assistant":
            turn += 1
        previous_role = role if counts else previous_role
        for block in message.blocks:
            here = len(sizes)
            size = hidden = 0
            if isinstance(block, TextBlock):
                size = units(block.text)
                if not size or block.text.isspace():
                    blank.append(here)
            else:
                plain = False
                if isinstance(block, ToolResultBlock):
                    size = units(block.content)
                    if role == "user":
                        use = latest_use.get(block.tool_use_id) if block.tool_use_id is not None else None
                        rows.append((here, number, block, use))
                    else:
                        misplaced.append(here)
                elif isinstance(block, ToolUseBlock):
                    size = units(block.name) + _input_chars(block)
                    if counts:
                        use_numbers.append(here)
                        if block.id is not None:
                            latest_use[block.id] = (here, number, block)
                elif isinstance(block, ThinkingBlock):
                    hidden = units(block.text)
            sizes.append(size if counts else 0)
            uncounted.append(hidden if counts else size + hidden)
            owners.append(number)
        first_block.append(len(sizes))
        in_view.append(counts)
        plain_user.append(plain)
        turns.append(turn)
        results_before.append(len(rows))
    block_chars = _ints(sizes)
    first = _ints(first_block)
    view_mask = np.array(in_view, np.bool_)
    return SessionIndex(
        session=session,
        first_block=first,
        block_message=_ints(owners),
        block_chars=block_chars,
        uncounted=_ints(uncounted),
        chars_before=prefix_sum(block_chars)[first],
        rank=prefix_sum(view_mask),
        view_messages=np.flatnonzero(view_mask).astype(np.int64),
        next_plain_user=next_true(np.array(plain_user, np.bool_)),
        results_before=_ints(results_before),
        turn=_ints(turns),
        blank_texts=_ints(blank),
        uses=_ints(use_numbers),
        misplaced_results=_ints(misplaced),
        results=_results(rows),
    )


def _input_chars(block: ToolUseBlock) -> int:
    try:
        return units(stringify(block.input))
    except RecursionError:  # as the original: an input that cannot be written counts nothing
        return 0


def _results(rows: list[tuple[int, int, ToolResultBlock, tuple[int, int, ToolUseBlock] | None]]) -> Results:
    names: dict[str, int] = {}
    tool: list[int] = []
    placeholder_chars: list[int] = []
    own: list[bool] = []
    pairs: list[Ints] = []
    chars = _ints(units(block.content) for _, _, block, _ in rows)
    offset = prefix_sum(chars)
    for row, (_, _, block, use) in enumerate(rows):
        if use is None:
            tool.append(-1)
            placeholder_chars.append(0)
            own.append(False)
        else:
            call = use[2]
            text = placeholder(call.name, call.input)
            tool.append(names.setdefault(call.name, len(names)))
            placeholder_chars.append(units(text))
            own.append(text == block.content)
        if not block.content.isascii():
            pairs.append(pair_positions(block.content) + offset[row])
    return Results(
        block=_ints(block for block, *_ in rows),
        message=_ints(message for _, message, *_ in rows),
        chars=chars,
        use=_ints(use[0] if use else -1 for *_, use in rows),
        use_message=_ints(use[1] if use else -1 for *_, use in rows),
        tool=_ints(tool),
        tools=tuple(names),
        placeholder_chars=_ints(placeholder_chars),
        has_note=np.fromiter((block.content.endswith(TRUNCATION_NOTE) for _, _, block, _ in rows), np.bool_),
        is_cleared=np.fromiter((block.content.startswith(CLEARED) for _, _, block, _ in rows), np.bool_),
        is_own_placeholder=np.array(own, np.bool_),
        pairs=np.concatenate(pairs) if pairs else np.empty(0, np.int64),
        offset=offset[:-1],
    )
