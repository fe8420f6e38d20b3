"""Where every block stands: one row layout that both panes share.

A block's height depends on the session, the width and what is unfolded, never on the options, the call or the stage,
so moving a slider never moves the page. Heights for a width are a few array operations over shapes that are taken
once per session; finding the block at a row is a binary search.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right, insort
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tui.app.content import body_text, first_lines, is_prose
from tui.app.wrap import cells
from tui.model import Block, Session, ToolResultBlock
from tui.pipeline.index import Ints, next_true, prefix_sum

MOST_BODY_ROWS = 9
"""A folded body shows at most this many rows, whatever the setting."""

_WIDEST = 400
_PROSE_SLACK = 8
"""Cells that breaking between words may waste a row; enough that a folded body rarely needs one row more."""


class Kind(IntEnum):
    """What an entry of the page is."""

    BLOCK = 0
    SYSTEM = 1
    EMPTY = 2
    BOUNDARY = 3
    SIDECHAIN = 4
    HIDDEN = 5


class Entry(NamedTuple):
    """One thing on the page.

    Attributes:
        kind: What it is.
        message: Index into the session's messages (into ``system`` for a system prompt).
        block: Index into that message's blocks; into the session's boundaries or sidechains for those; -1 for a
            message without blocks; how many entries a filter hides here.
    """

    kind: Kind
    message: int
    block: int


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """The entries of a session, in order, with the shapes of their bodies.

    Attributes:
        session: The session.
        kind: Each entry's kind.
        message: Each entry's message index.
        block: Each entry's block index.
        widths: Cells of the first lines of each body, -1 where there is no such line; a row an entry.
        prose: Whether the body is wrapped between words.
        result: Whether it is a tool result in a user message, whose body options can change.
        first_entry: Each message's first entry, and the number of entries at the end.
        whole: The page that a filter made this one of; None on a whole page itself.
    """

    session: Session
    kind: npt.NDArray[np.int8]
    message: Ints
    block: Ints
    widths: npt.NDArray[np.int16]
    prose: npt.NDArray[np.bool_]
    result: npt.NDArray[np.bool_]
    first_entry: Ints
    whole: Whole | None = None

    def __len__(self) -> int:
        return len(self.kind)

    def entry(self, number: int) -> Entry:
        """Entry ``number``."""
        return Entry(Kind(int(self.kind[number])), int(self.message[number]), int(self.block[number]))

    def entry_of(self, message: int, block: int) -> int:
        """The number of the entry that shows a message's block, or hides it."""
        if self.whole is not None:
            return self.entry_at(self.whole.page.entry_of(message, block))
        number = int(self.first_entry[message])
        while self.kind[number] in (Kind.BOUNDARY, Kind.SIDECHAIN):
            number += 1
        return number + max(block, 0)

    def entry_at(self, base: int) -> int:
        """Where an entry of the whole page stands on this one, or what hides it."""
        return base if self.whole is None else int(self.whole.place[base])

    def base_entry(self, number: int) -> int:
        """Which entry of the whole page an entry is; the first that it hides."""
        return number if self.whole is None else int(np.searchsorted(self.whole.place, number))

    def end_of(self, number: int, step: int) -> Entry:
        """The entry of the whole page that an entry is; of those that it hides the last for ``step`` 1, first for -1.

        From there a walk goes on, so that it visits a gap once.
        """
        if self.whole is None:
            return self.entry(number)
        return self.whole.page.entry(self.base_entry(number + 1) - 1 if step > 0 else self.base_entry(number))

    def only(self, keep: npt.NDArray[np.bool_]) -> Page:
        """This page with the entries that ``keep`` marks; each run of others becomes one entry that counts them."""
        opens = ~keep & np.concatenate(([True], keep[:-1]))
        chosen = np.flatnonzero(keep | opens)
        hidden = ~keep[chosen]
        kind, block, widths = self.kind[chosen], self.block[chosen], self.widths[chosen]
        kind[hidden] = Kind.HIDDEN
        block[hidden] = next_true(keep)[chosen[hidden]] - chosen[hidden]
        widths[hidden] = -1
        place = np.cumsum(keep | opens) - 1
        return Page(
            session=self.session,
            kind=kind,
            message=self.message[chosen],
            block=block,
            widths=widths,
            prose=self.prose[chosen],
            result=self.result[chosen] & ~hidden,
            first_entry=np.append(place, len(chosen))[self.first_entry],
            whole=Whole(self, place),
        )

    def source(self, number: int) -> Block | None:
        """The block that an entry shows, None for an entry of another kind."""
        kind, message, block = self.entry(number)
        if kind is Kind.BLOCK:
            return self.session.messages[message].blocks[block]
        return self.session.system[message].blocks[block] if kind is Kind.SYSTEM else None

    def heights(self, width: int, body_rows: int) -> Ints:
        """Rows of every entry when folded: its header and at most ``body_rows`` rows of body."""
        room = np.full(len(self), width)
        room[self.prose] -= _PROSE_SLACK
        lines = self.widths[:, :body_rows].astype(np.int32)
        rows = -(-lines // np.maximum(room, 1)[:, None])
        rows[lines == 0] = 1
        rows[(lines > 0) & (lines <= width)] = 1
        rows[lines < 0] = 0
        rows = np.minimum(rows.sum(axis=1), body_rows)
        # A result may become a cut text or a placeholder; it has the same rows whichever it is.
        rows[self.result] = body_rows
        heights: Ints = 1 + rows
        return heights


class Whole(NamedTuple):
    """What a filtered page was made of.

    Attributes:
        page: The whole page.
        place: Where each of its entries stands on the filtered one: its own number, or that of the gap that hides it.
    """

    page: Page
    place: Ints


def page_of(session: Session) -> Page:
    """Reads the shapes of a session's bodies; takes time in proportion to the session."""
    kinds: list[int] = []
    owners: list[int] = []
    blocks: list[int] = []
    widths = array("h")
    prose: list[bool] = []
    results: list[bool] = []
    first_entry: list[int] = []
    boundaries: dict[int, list[int]] = {}
    for number, boundary in enumerate(session.boundaries):
        boundaries.setdefault(boundary.message, []).append(number)
    sidechains: dict[int, list[int]] = {}
    for number, sidechain in enumerate(session.sidechains):
        sidechains.setdefault(sidechain.before, []).append(number)

    def add(kind: Kind, message: int, block: int, source: Block | None = None, user: bool = False) -> None:
        kinds.append(kind)
        owners.append(message)
        blocks.append(block)
        widths.extend(_shape(source) if source is not None else _NO_BODY)
        prose.append(source is not None and is_prose(source))
        results.append(user and isinstance(source, ToolResultBlock) and bool(source.content))

    def add_between(message: int) -> None:
        first_entry.append(len(kinds))
        for number in sidechains.get(message, ()):
            add(Kind.SIDECHAIN, message, number)
        for number in boundaries.get(message, ()):
            add(Kind.BOUNDARY, message, number)

    for place, prompt in enumerate(session.system):
        for number, block in enumerate(prompt.blocks):
            add(Kind.SYSTEM, place, number, block)
    for place, message in enumerate(session.messages):
        add_between(place)
        for number, block in enumerate(message.blocks):
            add(Kind.BLOCK, place, number, block, message.role == "user")
        if not message.blocks:
            add(Kind.EMPTY, place, -1)
    add_between(len(session.messages))
    return Page(
        session=session,
        kind=np.array(kinds, np.int8),
        message=np.array(owners, np.int64),
        block=np.array(blocks, np.int64),
        widths=np.frombuffer(widths, np.int16).reshape(len(kinds), MOST_BODY_ROWS).copy(),
        prose=np.array(prose, np.bool_),
        result=np.array(results, np.bool_),
        first_entry=np.array(first_entry, np.int64),
    )


_NO_BODY = [-1] * MOST_BODY_ROWS


def _shape(block: Block) -> list[int]:
    text = body_text(block)
    if not text:
        return _NO_BODY
    text = text[: MOST_BODY_ROWS * _WIDEST]
    if text.isascii() and "\t" not in text and "\r" not in text:  # widths are lengths then: most of a session
        sizes = list(map(len, text.split("\n", MOST_BODY_ROWS)[:MOST_BODY_ROWS]))
    else:
        sizes = [cells(line) for line in first_lines(text, MOST_BODY_ROWS)]
    return sizes + _NO_BODY[len(sizes) :]


class Spot(NamedTuple):
    """What stands at a row of the page.

    Attributes:
        entry: The entry, or -1.
        row: The row within it, 0 for its header.
        mark: ``rule`` for the line below the last message seen, ``gap`` for the folded dropped messages, else empty.
    """

    entry: int
    row: int
    mark: str = ""


class Layout:
    """Rows of a page at one width.

    What a call does to the page (the rule below what it sees, the gap of what is dropped) is two numbers on top of
    the rows, so that stepping and sliding cost the same for any session.

    Attributes:
        page: The page.
        width: Cells of a body row.
        body_rows: Rows of a folded body.
        rule: The entry before which the rule stands; ``len(page)`` for none.
        gap: First and last-plus-one entry folded into one row, or None.
    """

    def __init__(self, page: Page, width: int, body_rows: int) -> None:
        self.page = page
        self.width = width
        self.body_rows = body_rows
        self.rule = len(page)
        self.gap: tuple[int, int] | None = None
        self._heights = page.heights(width, body_rows)
        self._starts = prefix_sum(self._heights)
        self._unfolded: dict[int, int] = {}
        self._extra_entries: list[int] = []
        self._extra_before: list[int] = [0]

    def is_unfolded(self, entry: int) -> bool:
        """Whether the entry's whole body is shown."""
        return entry in self._unfolded

    @property
    def unfolded(self) -> dict[int, int]:
        """The unfolded entries with the rows of their bodies."""
        return dict(self._unfolded)

    def unfold(self, entry: int, body_rows: int) -> None:
        """Shows the entry's whole body in ``body_rows`` rows."""
        if entry not in self._unfolded:
            insort(self._extra_entries, entry)
        self._unfolded[entry] = max(body_rows, int(self._heights[entry]) - 1)
        self._sum_extras()

    def fold(self, entry: int) -> None:
        """Shows the first rows of the entry's body only."""
        if self._unfolded.pop(entry, None) is not None:
            self._extra_entries.remove(entry)
            self._sum_extras()

    def _sum_extras(self) -> None:
        total, sums = 0, [0]
        for entry in self._extra_entries:
            total += self._unfolded[entry] + 1 - int(self._heights[entry])
            sums.append(total)
        self._extra_before = sums

    def height(self, entry: int) -> int:
        """Rows of an entry, its header included."""
        return self._unfolded[entry] + 1 if entry in self._unfolded else int(self._heights[entry])

    def _plain_start(self, entry: int) -> int:
        """First row of an entry, were there no rule and no folded gap."""
        return int(self._starts[entry]) + self._extra_before[bisect_right(self._extra_entries, entry - 1)]

    def start(self, entry: int) -> int:
        """First row of an entry; that of the gap for an entry folded into it."""
        row = self._plain_start(entry)
        if self.gap:
            first, last = self.gap
            if entry >= last:
                row -= self._plain_start(last) - self._plain_start(first) - 1
            elif entry >= first:
                row = self._plain_start(first)
        return row + (self.rule <= entry and self.rule < len(self.page))

    @property
    def rows(self) -> int:
        """Rows of the whole page."""
        return self.start(len(self.page))

    def at(self, row: int) -> Spot:
        """What stands at a row."""
        if not 0 <= row < self.rows:
            return Spot(-1, 0)
        if self.rule < len(self.page):
            line = self.start(self.rule) - 1
            if row == line:
                return Spot(-1, 0, "rule")
            if row > line:
                row -= 1
        if self.gap:
            first, last = self.gap
            top = self._plain_start(first)
            if row == top:
                return Spot(first, 0, "gap")
            if row > top:
                row += self._plain_start(last) - top - 1
        low, high = 0, len(self.page)
        while high - low > 1:
            middle = (low + high) // 2
            if self._plain_start(middle) <= row:
                low = middle
            else:
                high = middle
        return Spot(low, row - self._plain_start(low))
