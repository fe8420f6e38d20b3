"""Blocks as rows of styled text: the same block, drawn for either side of the page.

A row is a list of (text, style) pairs; a style is the name of a component class of the pane. All text that comes in
is already safe to draw.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, TypeAlias

from tui.app.content import body_text, first_lines, is_prose, lines, target
from tui.app.glyphs import Glyphs
from tui.app.layout import Page
from tui.app.scene import Fate, Scene
from tui.app.wrap import cells, fit, row_count, wrap
from tui.model import Block, ImageBlock, Message, ThinkingBlock, ToolResultBlock, ToolUseBlock
from tui.model.chars import head, units
from tui.model.visible import visible_line
from tui.pipeline.evaluation import block_type, use_of
from tui.pipeline.outcomes import Outcome
from tui.pipeline.placeholder import TRUNCATION_NOTE
from tui.pipeline.stage import within

_UNSPOKEN = ("under-threshold", "disabled", "never-touched")
"""Reasons that hold for the whole view, and so are not repeated in every header."""

LOOK = {
    Outcome.TRUNCATED: "truncated",
    Outcome.TRIMMED: "truncated",
    Outcome.OFFLOADED: "truncated",
    Outcome.CLEARED: "cleared",
    Outcome.INPUT_CLEARED: "cleared",
    Outcome.DELETED: "cleared",
    Outcome.DROPPED: "dropped",
}
"""The colour of each outcome; its sign and its word tell it from others of the same colour."""

Side = Literal["conversation", "outbound"]
Row: TypeAlias = list[tuple[str, str]]


def role_label(message: Message) -> str:
    """Who a message is from, and what kind of message it is."""
    for flag in ("summary", "error", "meta"):
        if getattr(message, flag):
            return f"{message.role} {flag}"
    return message.role


def header(page: Page, scene: Scene, entry: int, side: Side, width: int, glyphs: Glyphs, digits: int) -> Row:
    """The header row of a block: index, role, kind, tool and path; on the right its size and what became of it."""
    _, place, number = page.entry(entry)
    message = page.session.messages[place]
    block = message.blocks[number]
    seen = scene.sees(place)
    if not seen and side == "outbound":
        return []
    index = f"{place:>{digits}}" if number == 0 else f"{'.' + str(number):>{digits}}"
    use = block if isinstance(block, ToolUseBlock) else use_of(scene.evaluation.index, place, number)
    name = visible_line(use.name) if use else ""
    about = target(use.input) if use else ""
    kind = visible_line(block_type(block))
    fate = scene.fate(place, number) if seen else None
    if side == "outbound" and fate and fate.outcome is not Outcome.KEPT:
        return _acted(index, role_label(message), fate, name, width, glyphs)
    size = _size(block, scene.evaluation.index.block_chars[scene.evaluation.index.block_number(place, number)])
    reason = ""
    if side == "outbound" and fate and isinstance(block, ToolResultBlock):
        reason = "" if fate.reason in _UNSPOKEN or scene.stage == "budget" else fate.reason
    tail = f"{reason}  {size}" if reason else size
    flags = "error " if isinstance(block, ToolResultBlock) and block.is_error else ""
    candidates = [
        f"{index} {role_label(message):<9} {flags}{kind} {name} {about}",
        f"{index} {role_label(message):<9} {flags}{kind} {name}",
        f"{index} {role_label(message)} {kind} {name}",
        f"{index} {kind} {name}",
    ]
    if side == "conversation" and fate and fate.outcome is not Outcome.KEPT:
        style = _style(fate)
    else:
        style = "header" if seen else "unseen"
    left = _first_that_fits([part.rstrip() for part in candidates], width - cells(tail) - 2)
    if reason and width - cells(tail) - 2 < cells(left):
        tail = size
    gap = " " * max(1, width - cells(left) - cells(tail))
    if style not in ("header", "unseen"):
        return [(left + gap + tail, style)]
    return [(left + gap, style), (tail, "size" if seen else "unseen")]


def _acted(index: str, role: str, fate: Fate, name: str, width: int, glyphs: Glyphs) -> Row:
    sign = glyphs.of(fate.outcome)
    sizes = list(map("{:,}".format, fate.sizes))
    tails = [" > ".join(sizes), f"{sizes[0]} > {sizes[-1]}", sizes[-1]]
    did = f"{sign} {fate.outcome} by {fate.stage}"
    lefts = [f"{index} {role:<9} {did}", f"{index} {did}", f"{index} {sign} {fate.outcome}"]
    if name:
        lefts.insert(0, f"{index} {role:<9} {did}: {name}")
    for tail in tails:
        for left in lefts:
            if cells(left) + cells(tail) + 2 <= width:
                gap = " " * (width - cells(left) - cells(tail))
                return [(left + gap + tail, _style(fate))]
    return [(fit(lefts[-1], width, glyphs.ellipsis), _style(fate))]


def _style(fate: Fate) -> str:
    name = LOOK[fate.outcome]
    return name if fate.bright else f"{name}-quiet"


def _first_that_fits(candidates: Sequence[str], width: int) -> str:
    """A whole candidate, or the first of them cut where it still says something of what the next leaves out."""
    for longer, shorter in pairwise(candidates):
        if cells(longer) <= width:
            return longer
        if width - cells(shorter) >= 8 and longer.startswith(shorter):
            return fit(longer, width)
    return fit(candidates[-1], max(width, 1))


def _size(block: Block, counted: int) -> str:
    match block:
        case ThinkingBlock():
            return f"({len(block.text):,})" if not block.redacted else "(redacted)"
        case ImageBlock():
            return f"({fit(visible_line(block.media_type), 24) or 'image'}, {block.bytes_len:,} B)"
        case ToolResultBlock() if block.images:
            return f"(+{block.images} img) {counted:,}"
    return f"{counted:,}"


class Painter:
    """Draws bodies at one width; remembers how many rows a body takes when whole.

    Attributes:
        width: Cells of a body row.
        body_rows: Rows of a folded body.
    """

    def __init__(self, page: Page, width: int, body_rows: int, glyphs: Glyphs) -> None:
        self.page = page
        self.width = max(1, width)
        self.body_rows = body_rows
        self.glyphs = glyphs
        self._totals: dict[int, int] = {}

    def total_rows(self, entry: int) -> int:
        """Rows of the whole body of an entry, as it stands in the conversation."""
        if entry not in self._totals:
            source = self.page.source(entry)
            text = body_text(source) if source else ""
            if source and is_prose(source):
                total = sum(len(wrap(line, self.width, True)) for line in lines(text))
            else:
                total = row_count(lines(text), self.width)
            self._totals[entry] = total
        return self._totals[entry]

    def unfolded_rows(self, entry: int) -> int:
        """Rows that the whole body takes on the larger side, whatever the options: the text, its cut and one more."""
        return self.total_rows(entry) + 2

    def body(self, scene: Scene, entry: int, side: Side, rows: int, unfolded: bool) -> list[Row]:
        """The body of an entry in exactly ``rows`` rows."""
        source = self.page.source(entry)
        if source is None or rows < 1:
            return [[] for _ in range(rows)]
        _, place, number = self.page.entry(entry)
        is_block = self.page.kind[entry] == 0
        drawn = self._drawn(scene, entry, source, side, place, number, is_block, rows, unfolded)
        return (drawn + [[] for _ in range(rows - len(drawn))])[:rows]

    def _drawn(
        self,
        scene: Scene,
        entry: int,
        source: Block,
        side: Side,
        place: int,
        number: int,
        is_block: bool,
        rows: int,
        unfolded: bool,
    ) -> list[Row]:
        text = body_text(source)
        prose = is_prose(source)
        if not is_block or not scene.sees(place):
            if side == "outbound" and is_block:
                return []
            style = "system" if not is_block else "unseen"
            return self._plain(entry, text, prose, style, rows, unfolded)
        fate = scene.fate(place, number)
        if fate.outcome is Outcome.DROPPED:
            if side == "outbound":
                return [[(self.glyphs.hatch * self.width, "hatch")] for _ in range(rows)]
            return self._plain(entry, text, prose, "lost", rows, unfolded)
        if fate.outcome not in (Outcome.KEPT, Outcome.TRUNCATED):
            if side == "outbound":
                content = scene.view.content(place, number, scene.stage) or ""
                return self._wrapped(lines(content), False, "placeholder" if fate.bright else "placeholder-quiet")
            return self._plain(entry, text, prose, "lost", rows, unfolded)
        if fate.outcome is Outcome.TRUNCATED:
            limit = within(scene.evaluation.options.cut or 0)
            return self._cut(text, limit, side, rows, unfolded)
        return self._plain(
            entry, text, prose, "thinking" if isinstance(source, ThinkingBlock) else "body", rows, unfolded
        )

    def _wrapped(self, content: Sequence[str], prose: bool, style: str) -> list[Row]:
        return [[(row, style)] for line in content for row in wrap(line, self.width, prose)]

    def _plain(self, entry: int, text: str, prose: bool, style: str, rows: int, unfolded: bool) -> list[Row]:
        if unfolded:
            return self._wrapped(lines(text), prose, style)
        room = (rows + 1) * (self.width + 1)
        drawn = self._wrapped(first_lines(text[:room], rows + 1), prose, style)
        if len(drawn) <= rows:
            return drawn
        left = self.total_rows(entry) - (rows - 1)
        more = f"{self.glyphs.ellipsis} {left:,} more {'row' if left == 1 else 'rows'}"
        if rows == 1:
            return [[(fit(drawn[0][0][0], max(1, self.width - 2)), style), (f" {self.glyphs.ellipsis}", "more")]]
        return [*drawn[: rows - 1], [(fit(more, self.width), "more")]]

    def _cut(self, text: str, limit: int, side: Side, rows: int, unfolded: bool) -> list[Row]:
        """A cut text: on the left all of it with the cut and what it lost, on the right what is left and the note."""
        kept = head(text, limit)
        lost = text[len(kept) :]
        note = [[(row, "note")] for row in wrap(TRUNCATION_NOTE.strip(), self.width, False)]
        if unfolded:
            before = self._wrapped(lines(kept), False, "body")
            if side == "outbound":
                return before + note
            return [*before, self._cut_line(kept, lost), *self._wrapped(lines(lost), False, "lost")]
        above = (rows - 1) // 2
        tail = self._wrapped(lines(kept[-(above + 1) * (self.width + 1) :]), False, "body")[-above:] if above else []
        if side == "outbound":
            return tail + note
        below = rows - len(tail) - 1
        after = self._wrapped(first_lines(lost.lstrip("\n")[: below * (self.width + 1)], below), False, "lost")[:below]
        return [*tail, self._cut_line(kept, lost), *after]

    def _cut_line(self, kept: str, lost: str) -> Row:
        words = f" cut at {units(kept):,}, {units(lost):,} lost "
        free = self.width - cells(words)
        if free < 2:
            return [(fit(words.strip(), self.width), "cut")]
        left = free // 2
        return [(self.glyphs.dash * left + words + self.glyphs.dash * (free - left), "cut")]


def marked(row: Row, pattern: re.Pattern[str]) -> Row:
    """``row`` with every match of a search in the style ``match``."""
    out: Row = []
    for text, style in row:
        at = 0
        for found in pattern.finditer(text):
            if found.end() > found.start():
                out += [(text[at : found.start()], style), (found.group(), "match")]
                at = found.end()
        out.append((text[at:], style))
    return [(text, style) for text, style in out if text]
