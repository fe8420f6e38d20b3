"""The two panes, aligned: one layout, one cursor, one scroll position."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.reactive import reactive

from tui.app.drawing import Painter
from tui.app.filtering import Filter, filtered
from tui.app.layout import MOST_BODY_ROWS, Kind, Layout, Page
from tui.app.scene import Scene
from tui.app.widgets.pane import Pane
from tui.model import Block, ToolUseBlock


class AlignedPanes(Horizontal):
    """The conversation beside its outbound view, block for block.

    Whatever changes the rows (a width, a fold, a call) keeps the block under the cursor where it is on the screen.
    """

    DEFAULT_CSS = """
    AlignedPanes { height: 1fr; min-height: 4; }
    """

    scene: reactive[Scene | None] = reactive(None)
    """What is drawn."""

    cursor: reactive[int] = reactive(0)
    """The entry under the cursor."""

    gap_folded: reactive[bool] = reactive(False)
    """Whether the dropped messages are folded into one row."""

    body_rows: reactive[int] = reactive(3)
    """Rows of a folded body."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self.page: Page | None = None
        self.wanted = Filter()
        self._whole: Page | None = None
        self.rows: Layout | None = None
        self._painter: Painter | None = None
        self._base = 0
        self._height = 0
        self._left = Pane("conversation", id="conversation")
        self._right = Pane("outbound", id="outbound")
        self._following = False
        self._placing = False
        self.touched = False
        """Whether the user has moved, scrolled, folded or filtered anything since it was opened."""

    def compose(self) -> ComposeResult:
        """The two panes."""
        yield self._left
        yield self._right

    def on_mount(self) -> None:
        """Ties the scroll positions together."""
        self.watch(self._left, "scroll_y", self._scrolled_left, init=False)
        self.watch(self._right, "scroll_y", self._scrolled_right, init=False)

    def _scrolled_left(self, y: float) -> None:
        self._follow(self._right, y)

    def _scrolled_right(self, y: float) -> None:
        self._follow(self._left, y)

    def _follow(self, other: Pane, y: float) -> None:
        # The watcher of the other pane runs inside scroll_to, so the guard holds.
        self.touched |= not self._placing
        if not self._following:
            self._following = True
            try:
                other.scroll_to(y=y, animate=False, force=True, immediate=True)
            finally:
                self._following = False

    def open(self, page: Page, scene: Scene, entry: int) -> None:
        """Shows another session."""
        self.page = self._whole = page
        self.wanted = Filter()
        self.rows = None
        self.cursor = entry
        self.scene = scene
        self._relayout(keep=False)
        self._put_cursor_in_view(entry)
        self.touched = False

    def extend(self, page: Page, scene: Scene) -> None:
        """Shows more of the same session; what is looked at, unfolded and filtered stays as it is."""
        y = self._left.scroll_offset.y
        self._whole = page
        self.set_reactive(AlignedPanes.scene, scene)
        self._turn_to(filtered(page, scene, self.wanted))
        self.watch_scene()
        self._scroll(y)  # also where the cursor is out of sight

    @property
    def source(self) -> Block | None:
        """The block under the cursor, None where something else stands."""
        return self.page.source(self.cursor) if self.page is not None and len(self.page) else None

    @property
    def place(self) -> tuple[int, int] | None:
        """Message and block under the cursor, None where something else stands."""
        if self.page is None or not len(self.page):
            return None
        kind, message, block = self.page.entry(self.cursor)
        return (message, block) if kind is Kind.BLOCK else None

    def filter(self, wanted: Filter) -> None:
        """Shows only some blocks; the others fold into gaps that count them."""
        self.wanted = wanted
        self._filter_again()

    def _filter_again(self) -> None:
        """Applies the filter to the whole page."""
        whole, before, scene = self._whole, self.page, self.scene
        if whole is None or before is None or scene is None:
            return
        page = filtered(whole, scene, self.wanted)
        # Which entries are shown follows from the kinds and from how many each gap hides.
        if page is before or (np.array_equal(page.kind, before.kind) and np.array_equal(page.block, before.block)):
            return
        self._turn_to(page)

    def _turn_to(self, page: Page) -> None:
        """Shows another page of the session; the cursor stays on its block, or on what hides it."""
        before, whole = self.page, self._whole
        assert before is not None and whole is not None
        anchor = self._anchor()
        unfolded = [before.base_entry(entry) for entry in self.rows.unfolded] if self.rows else []
        if len(before) and before.entry_at(self._base) != self.cursor:
            self._base = before.base_entry(self.cursor)
        # What was read further may turn out to be less: another branch of a conversation.
        last = len(whole) - 1
        self._base = max(0, min(self._base, last))
        self.page = page
        self.cursor = page.entry_at(self._base) if len(page) else 0
        self.rows = None
        self._relayout(keep=False)
        for entry in (page.entry_at(base) for base in unfolded if base <= last):
            if page.kind[entry] in (Kind.BLOCK, Kind.SYSTEM):
                self._unfold(entry)
        self._layout_moved(anchor)

    def _unfold(self, entry: int) -> None:
        if self.rows is not None and self._painter is not None:
            self.rows.unfold(entry, self._painter.unfolded_rows(entry))

    def watch_scene(self) -> None:
        """Draws the new picture; the page moves only by the user's own folds and filters."""
        scene = self.scene
        if scene is None or self.page is None:
            return
        if self.wanted.follows_the_call and self.rows is not None:
            self._filter_again()
        self._left.scene = self._right.scene = scene
        self._titles(scene)
        if self.rows is None:
            self._relayout(keep=False)
            return
        anchor = self._anchor()
        if self._mark_rows(scene):
            self._layout_moved(anchor)

    def _titles(self, scene: Scene) -> None:
        view = scene.view
        total = len(scene.evaluation.session.messages)
        seen = f"{view.message_count:,} of {total:,}" if view.message_count != total else f"{total:,}"
        plural = "message" if total == 1 else "messages"
        self._left.border_title = Content(f"conversation: {seen} {plural}")
        names = {"original": "before any stage", "outbound": "as sent"}
        stage = names.get(scene.stage, f"after {scene.stage}")
        index = scene.evaluation.index
        sent = int(index.rank[view.end] - index.rank[scene.kept_from])
        self._right.border_title = Content(f"outbound {stage}: {sent:,} {'message' if sent == 1 else 'messages'}")
        news = f"call {scene.call:,}: {scene.summary}"
        fits = len(news) <= self._right.content_width - 2
        self._right.border_subtitle = Content(news if fits else scene.summary)

    def _mark_rows(self, scene: Scene) -> bool:
        """Puts the rule and the folded gap where the scene has them; whether rows moved."""
        rows, page = self.rows, self.page
        if rows is None or page is None:
            return False
        view = scene.view
        before = (rows.rule, rows.gap)
        last = len(page.session.messages)
        rows.rule = int(page.first_entry[view.end]) if view.end < last else len(page)
        first, until = int(page.first_entry[view.start]), int(page.first_entry[scene.kept_from])
        rows.gap = (first, until) if self.gap_folded and until > first else None
        return before != (rows.rule, rows.gap)

    def _relayout(self, keep: bool = True) -> None:
        """Rows for the present width."""
        if self.page is None or self.scene is None or not self._right.scrollable_content_region.width:
            return
        anchor = self._anchor() if keep and self.rows else None
        width = min(self._left.content_width, self._right.content_width)
        unfolded = self.rows.unfolded if self.rows else {}
        self.rows = Layout(self.page, width, self.body_rows)
        self._painter = Painter(self.page, width, self.body_rows, self._left.glyphs)
        for entry in unfolded:
            self._unfold(entry)
        self._mark_rows(self.scene)
        for pane in (self._left, self._right):
            pane.show(self.rows, self._painter)
        if anchor is not None:
            self._restore(anchor)

    def on_resize(self) -> None:
        """Takes the new width once the panes have it."""
        self.call_after_refresh(self._resized)

    def _resized(self) -> None:
        width = min(self._left.content_width, self._right.content_width)
        height, self._height = self._height, self._left.scrollable_content_region.height
        if self.rows is None or self.rows.width != width:
            first = self.rows is None
            self._relayout()
            if first and self.rows is not None:
                self._put_cursor_in_view(self.cursor)
        else:
            for pane in (self._left, self._right):
                pane.layout_changed()
            # Not when the wheel has left the cursor behind.
            if len(self.rows.page) and -self.rows.height(self.cursor) < self._anchor() < height:
                self._keep_in_sight()

    def _anchor(self) -> int:
        """Screen row of the cursor's block."""
        return self.rows.start(self.cursor) - self._left.scroll_offset.y if self.rows else 0

    def _restore(self, anchor: int) -> None:
        height = max(1, self._left.scrollable_content_region.height)
        self._put_cursor(self.cursor, min(max(anchor, 0), height - 1))

    def _layout_moved(self, anchor: int) -> None:
        self.touched = True
        for pane in (self._left, self._right):
            pane.layout_changed()
        self._restore(anchor)

    def _scroll(self, y: int) -> None:
        self._placing = True
        try:
            for pane in (self._left, self._right):
                pane.scroll_to(y=y, animate=False, force=True, immediate=True)
        finally:
            self._placing = False

    def _put_cursor(self, entry: int, screen_row: int | None) -> None:
        """Moves the cursor; its block goes to a row of the screen, or just into sight."""
        if self.rows is None or self.page is None or not len(self.page):
            return
        entry = min(max(entry, 0), len(self.page) - 1)
        self.cursor = entry
        if screen_row is None:
            self._keep_in_sight()
        else:
            self._scroll(self.rows.start(entry) - screen_row)

    def _keep_in_sight(self) -> None:
        if self.rows is None or self.page is None or not len(self.page):
            return
        height = self._left.scrollable_content_region.height
        top, size = self.rows.start(self.cursor), self.rows.height(self.cursor)
        y = self._left.scroll_offset.y
        if top < y:
            self._scroll(top)
        elif top + size > y + height:
            self._scroll(top + min(size, height) - height)

    def watch_cursor(self, entry: int) -> None:
        """Draws the cursor on both sides."""
        self._left.cursor = self._right.cursor = entry
        self.touched = True

    def watch_gap_folded(self) -> None:
        """Folds or unfolds the dropped messages on both sides."""
        if self.scene is None or self.rows is None:
            return
        anchor = self._anchor()
        if self._mark_rows(self.scene):
            self._layout_moved(anchor)

    def watch_body_rows(self) -> None:
        """Rows for the new height of a folded body."""
        self.touched = True
        self._relayout()

    @on(Pane.Moved)
    def _moved(self, event: Pane.Moved) -> None:
        event.stop()
        if self.rows is None or self.page is None or not len(self.page):
            return
        height = self._left.scrollable_content_region.height
        y = self._left.scroll_offset.y
        if event.edge:
            self._put_cursor(0 if event.edge < 0 else len(self.page) - 1, None)
            self._scroll(0 if event.edge < 0 else self.rows.rows)
        elif event.rows:
            self._scroll(y + event.rows)
            self._cursor_into_sight(event.rows > 0)
        else:
            self._step(event.blocks, y, height)

    def _step(self, by: int, y: int, height: int) -> None:
        assert self.rows is not None and self.page is not None
        top = self.rows.start(self.cursor)
        bottom = top + self.rows.height(self.cursor)
        if by > 0 and top < y + height < bottom:
            self._scroll(y + 1)
        elif by < 0 and top < y < bottom:
            self._scroll(y - 1)
        else:
            target = self.cursor + by
            if self.rows.gap:
                first, last = self.rows.gap
                if first <= self.cursor < last:
                    target = last if by > 0 else first - 1
            self._put_cursor(target, None)

    def _cursor_into_sight(self, down: bool) -> None:
        """Takes the cursor along when the page scrolls away under it."""
        assert self.rows is not None
        height = self._left.scrollable_content_region.height
        y = self._left.scroll_offset.y
        top = self.rows.start(self.cursor)
        if y <= top < y + height:
            return
        rows = range(y, y + height) if down else range(y + height - 1, y - 1, -1)
        for row in rows:
            spot = self.rows.at(row)
            if spot.entry >= 0 and spot.row == 0:
                self.cursor = spot.entry
                return
        spot = self.rows.at(y if down else y + height - 1)
        if spot.entry >= 0:
            self.cursor = spot.entry

    @on(Pane.Picked)
    def _picked(self, event: Pane.Picked) -> None:
        event.stop()
        if event.spot.mark == "gap":
            self.gap_folded = False
            return
        if event.spot.entry < 0:
            return
        self.cursor = event.spot.entry
        if event.again:
            self.toggle_fold()

    @on(Pane.FoldToggled)
    def _fold_toggled(self, event: Pane.FoldToggled) -> None:
        event.stop()
        self.toggle_fold()

    def change_rows(self, by: int) -> None:
        """Shows more or fewer rows of a folded block."""
        self.body_rows = min(max(self.body_rows + by, 1), MOST_BODY_ROWS)

    def toggle_fold(self) -> None:
        """Unfolds or folds the block under the cursor; unfolds the gap when the cursor is in it."""
        if self.rows is None or self._painter is None or self.page is None or not len(self.page):
            return
        if self.rows.gap and self.rows.gap[0] <= self.cursor < self.rows.gap[1]:
            self.gap_folded = False
            return
        if self.page.kind[self.cursor] not in (Kind.BLOCK, Kind.SYSTEM):
            return
        anchor = self._anchor()
        if self.rows.is_unfolded(self.cursor):
            self.rows.fold(self.cursor)
        else:
            self._unfold(self.cursor)
        self._layout_moved(anchor)

    def go_to(self, message: int, block: int = 0) -> None:
        """Puts the cursor on a message's block, a third down the screen unless it is in sight already."""
        if self.page is None or self.rows is None or self._whole is None:
            return
        self._base = self._whole.entry_of(message, block)  # where it is hidden now, a wider filter leads to it
        self._put_cursor_in_view(self.page.entry_at(self._base))

    def _put_cursor_in_view(self, entry: int) -> None:
        """Moves the cursor; its block goes a third down the screen unless it is in sight already."""
        if self.rows is None or self.page is None or not len(self.page):
            return
        height = self._left.scrollable_content_region.height
        y, top = self._left.scroll_offset.y, self.rows.start(entry)
        in_sight = y <= top and top + min(self.rows.height(entry), height) <= y + height
        self._put_cursor(entry, top - y if in_sight else height // 3)

    def search(self, pattern: re.Pattern[str] | None) -> None:
        """Marks a search on both sides."""
        self._left.pattern = self._right.pattern = pattern

    def reveal(self, message: int, block: int, pattern: re.Pattern[str]) -> None:
        """Puts the cursor on a block and a match of the pattern into sight, unfolding what hides it.

        What a filter hides stays hidden: the cursor then goes to the gap.
        """
        if self.page is None or self.rows is None:
            return
        entry = self.page.entry_of(message, block)
        if self.rows.gap and self.rows.gap[0] <= entry < self.rows.gap[1]:
            self.gap_folded = False
        self.go_to(message, block)
        if self.page.kind[entry] != Kind.BLOCK:
            return
        row = self._row_with(entry, pattern)
        if row is None and not self.rows.is_unfolded(entry):
            self.toggle_fold()
            row = self._row_with(entry, pattern)
        line = self.rows.start(entry) + (row or 0)
        height = self._left.scrollable_content_region.height
        if not self._left.scroll_offset.y <= line < self._left.scroll_offset.y + height:
            self._scroll(line - height // 3)

    def _row_with(self, entry: int, pattern: re.Pattern[str]) -> int | None:
        """The row of an entry, folded or not, that shows a match on either side; where a match is broken, its first."""
        rows, painter, scene = self.rows, self._painter, self.scene
        assert self.page is not None and rows is not None and painter is not None and scene is not None
        height, unfolded = rows.height(entry) - 1, rows.is_unfolded(entry)
        sides: list[list[str]] = []
        for pane in (self._left, self._right):
            drawn = painter.body(scene, entry, pane.side, height, unfolded)
            # The header of a result names the call's tool, which is no text of its own.
            head = pane.header_row(rows, scene, entry, painter.width)
            drawn = [head if isinstance(self.page.source(entry), ToolUseBlock) else [], *drawn]
            sides.append(["".join(text for text, _ in row) for row in drawn])
        for texts in sides:
            for row, text in enumerate(texts):
                if text and pattern.search(text):
                    return row
        for texts in sides:
            for row, (text, further) in enumerate(pairwise(texts)):
                if pattern.search(text + further) or pattern.search(f"{text} {further}"):
                    return row
        return None
