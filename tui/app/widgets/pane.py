"""One side of the page: a list of blocks drawn line by line, however many there are."""

from __future__ import annotations

import re
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message as TextualMessage
from textual.reactive import reactive
from textual.strip import Strip

from tui.app.drawing import Painter, Row, Side, header, marked, role_label
from tui.app.glyphs import Glyphs, glyphs, wants_ascii
from tui.app.layout import Kind, Layout, Spot
from tui.app.scene import Scene
from tui.app.styles import laid_over
from tui.app.widgets.selectable import SelectableRows
from tui.app.wrap import cells, fit
from tui.model.visible import visible_line
from tui.pipeline.outcomes import Outcome

_CACHE_SIZE = 2_000
BAR = 1
"""Cells at the left edge of a pane that mark the block under the cursor; as many stay free at the right edge."""


class Pane(SelectableRows, can_focus=True):
    """The conversation, or the outbound view beside it.

    Both panes share one ``Layout``, so that a block stands at the same row on both sides. A pane holds no rule: it
    draws what the scene says of the blocks that are on the screen, and posts what the user asked for.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Previous block", show=False),
        Binding("down,j", "move(1)", "Next block", show=False),
        Binding("pageup,ctrl+b", "page(-1)", "Page up", show=False),
        Binding("pagedown,ctrl+f", "page(1)", "Page down", show=False),
        Binding("ctrl+u", "half_page(-1)", "Half a page up", show=False),
        Binding("ctrl+d", "half_page(1)", "Half a page down", show=False),
        Binding("home,less_than_sign", "edge(-1)", "Top", show=False),
        Binding("end,greater_than_sign,G", "edge(1)", "Bottom", show=False),
        Binding("enter", "fold", "Unfold", show=False),
        Binding("plus,equals_sign", "rows(1)", "More rows a block", show=False),
        Binding("minus", "rows(-1)", "Fewer rows a block", show=False),
    ]
    """
    | Key(s) | Description |
    | :- | :- |
    | up,k | Move to the previous block; scroll a row while the block is taller than the pane. |
    | down,j | Move to the next block. |
    | pageup,ctrl+b | A page up. |
    | pagedown,ctrl+f | A page down. |
    | ctrl+u | Half a page up. |
    | ctrl+d | Half a page down. |
    | home,< | The top. |
    | end,>,G | The bottom. |
    | enter | Unfold or fold the block under the cursor. |
    | +,- | More or fewer rows of a folded block. |
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "pane--header",
        "pane--unseen",
        "pane--size",
        "pane--body",
        "pane--thinking",
        "pane--system",
        "pane--lost",
        "pane--cut",
        "pane--note",
        "pane--more",
        "pane--hatch",
        "pane--placeholder",
        "pane--placeholder-quiet",
        "pane--truncated",
        "pane--truncated-quiet",
        "pane--cleared",
        "pane--cleared-quiet",
        "pane--dropped",
        "pane--dropped-quiet",
        "pane--rule",
        "pane--cursor",
        "pane--cursor-bar",
        "pane--news",
        "pane--match",
    }
    """
    | Class | Description |
    | :- | :- |
    | `pane--header` | The header row of a block that was left alone. |
    | `pane--size` | Its size. |
    | `pane--unseen` | A message that the call does not see. |
    | `pane--body` | The text of a block. |
    | `pane--thinking` | Text that no estimate counts. |
    | `pane--system` | A system prompt, above the conversation. |
    | `pane--lost` | Text of the conversation that the outbound view lost. |
    | `pane--cut` | The line at a cut. |
    | `pane--note` | The note that budget adds. |
    | `pane--more` | How many rows are folded away. |
    | `pane--hatch` | The gap that a dropped block leaves. |
    | `pane--placeholder` | The placeholder of a cleared result (`-quiet`: of an earlier stage). |
    | `pane--truncated` | Header of a cut block (`-quiet`: by an earlier stage). |
    | `pane--cleared` | Header of a cleared block (`-quiet`: by an earlier stage). |
    | `pane--dropped` | Header of a dropped block (`-quiet`: by an earlier stage). |
    | `pane--rule` | Lines between messages: what the call sees, compact boundaries, folded threads. |
    | `pane--cursor` | Added to the header under the cursor. |
    | `pane--cursor-bar` | The bar beside the block under the cursor. |
    | `pane--news` | The mark of a block that fares differently than at the call before. |
    | `pane--match` | What is searched for. |
    """

    DEFAULT_CSS = """
    Pane {
        width: 1fr;
        height: 1fr;
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
        border: round $foreground 30%;
        border-title-color: $text;
        border-subtitle-color: $text;
        background: $background;
        &:focus { border: round $primary; }
        &.-left { scrollbar-size-vertical: 0; }
        & > .pane--header { color: $foreground; text-style: bold; }
        & > .pane--size { color: $foreground; }
        & > .pane--unseen { color: $foreground 40%; }
        & > .pane--body { color: $foreground 85%; }
        & > .pane--thinking { color: $foreground 55%; text-style: italic; }
        & > .pane--system { color: $foreground 55%; }
        & > .pane--lost { color: $foreground 38%; }
        & > .pane--cut { color: $truncated; }
        & > .pane--note { color: $truncated; text-style: bold; }
        & > .pane--more { color: $foreground 50%; }
        & > .pane--hatch { color: $dropped 45%; }
        & > .pane--placeholder { color: $cleared; }
        & > .pane--placeholder-quiet { color: $foreground 55%; }
        & > .pane--truncated { color: $truncated; background: $truncated 18%; text-style: bold; }
        & > .pane--truncated-quiet { color: $truncated 75%; }
        & > .pane--cleared { color: $cleared; background: $cleared 18%; text-style: bold; }
        & > .pane--cleared-quiet { color: $cleared 75%; }
        & > .pane--dropped { color: $dropped; background: $dropped 18%; text-style: bold; }
        & > .pane--dropped-quiet { color: $dropped 75%; }
        & > .pane--rule { color: $foreground 60%; }
        & > .pane--cursor { background: $primary 45%; text-style: bold; }
        &:nocolor > .pane--cursor { text-style: bold reverse; }
        & > .pane--cursor-bar { color: $primary; }
        & > .pane--match { color: $background; background: $text-warning; text-style: bold; }
        & > .pane--news { color: $text-warning; text-style: bold; }
    }
    """

    scene: reactive[Scene | None] = reactive(None)
    """What is drawn."""

    cursor: reactive[int] = reactive(0)
    """The entry under the cursor."""

    pattern: reactive[re.Pattern[str] | None] = reactive(None)
    """What is searched for, marked wherever it is shown."""

    class Moved(TextualMessage):
        """The user asked to move: the cursor by blocks, or the page by rows."""

        def __init__(self, pane: Pane, blocks: int = 0, rows: int = 0, edge: int = 0) -> None:
            super().__init__()
            self.pane = pane
            self.blocks = blocks
            self.rows = rows
            self.edge = edge

        @property
        def control(self) -> Pane:
            """The pane."""
            return self.pane

    class Picked(TextualMessage):
        """The user clicked something."""

        def __init__(self, pane: Pane, spot: Spot, again: bool) -> None:
            super().__init__()
            self.pane = pane
            self.spot = spot
            self.again = again
            """Whether it was a double click."""

        @property
        def control(self) -> Pane:
            """The pane."""
            return self.pane

    class FoldToggled(TextualMessage):
        """The user asked to unfold or fold the block under the cursor."""

    class RowsChanged(TextualMessage):
        """The user asked for more or fewer rows of a folded block."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    def __init__(self, side: Side, id: str) -> None:
        super().__init__(id=id, classes="-left" if side == "conversation" else "-right")
        self.side: Side = side
        self.glyphs: Glyphs = glyphs(wants_ascii())
        self._layout_rows: Layout | None = None
        self._painter: Painter | None = None
        self._bodies: dict[tuple[object, ...], list[Row]] = {}
        self._styles: dict[str, Style] = {}

    @property
    def content_width(self) -> int:
        """Cells of a row of text: what is left beside the bar."""
        return max(1, self.scrollable_content_region.width - 2 * BAR)

    def show(self, layout: Layout | None, painter: Painter | None) -> None:
        """Draws by another layout; the page's height follows it."""
        self._layout_rows = layout
        self._painter = painter
        self._bodies.clear()
        self.layout_changed()

    def layout_changed(self) -> None:
        """Takes over the height of the layout after something was folded, unfolded or moved in it."""
        rows = self._layout_rows.rows if self._layout_rows else 0
        self.virtual_size = Size(self.scrollable_content_region.width, rows)
        self.refresh()

    def watch_scene(self) -> None:
        """Draws the new picture."""
        self.refresh()

    def watch_cursor(self, before: int, after: int) -> None:
        """Draws the blocks that the cursor left and reached."""
        for entry in (before, after):
            self._refresh_entry(entry)

    def _refresh_entry(self, entry: int) -> None:
        layout = self._layout_rows
        if layout is None or not 0 <= entry < len(layout.page):
            return
        top = layout.start(entry)
        size = self.scrollable_content_region.size
        first = max(top, self.scroll_offset.y)
        last = min(top + layout.height(entry), self.scroll_offset.y + size.height)
        if last > first:
            self.refresh(Region(0, first, size.width, last - first))

    def notify_style_update(self) -> None:
        """Forgets styles that belong to another theme."""
        self._styles.clear()
        super().notify_style_update()

    def _style(self, name: str) -> Style:
        if name not in self._styles:
            self._styles[name] = self.get_component_rich_style(f"pane--{name}")
        return self._styles[name]

    def render_line(self, y: int) -> Strip:
        """Draws one row of the screen."""
        width = self.scrollable_content_region.width
        base = self.rich_style
        layout, scene, painter = self._layout_rows, self.scene, self._painter
        if layout is None or scene is None or painter is None:
            return Strip.blank(width, base)
        spot = layout.at(y + self.scroll_offset.y)
        row, under_cursor = self._row(layout, scene, painter, spot)
        bar, bar_style = (self.glyphs.bar, "cursor-bar") if under_cursor else (" ", "body")
        if self._is_news(layout, scene, spot):
            bar, bar_style = self.glyphs.news, "news"
        segments = [Segment(bar, base + self._style(bar_style))]
        for text, name in row if self.pattern is None else marked(row, self.pattern):
            style = self._style(name)
            if under_cursor and spot.row == 0 and not spot.mark:
                style += laid_over(self._style("cursor"))
            segments.append(Segment(text, base + style))
        return self.to_strip(segments, y + self.scroll_offset.y, width, base)

    def row_text(self, row: int) -> str:
        """The text of a row of the page, as this side shows it; the cell of the bar is blank."""
        if self._layout_rows is None or self.scene is None or self._painter is None:
            return ""
        drawn, _ = self._row(self._layout_rows, self.scene, self._painter, self._layout_rows.at(row))
        return " " * BAR + "".join(text for text, _ in drawn)

    def _is_news(self, layout: Layout, scene: Scene, spot: Spot) -> bool:
        if spot.mark or spot.row or spot.entry < 0 or self.side == "conversation":
            return False
        kind, place, number = layout.page.entry(spot.entry)
        return kind is Kind.BLOCK and scene.sees(place) and scene.is_news(place, number)

    def _row(self, layout: Layout, scene: Scene, painter: Painter, spot: Spot) -> tuple[Row, bool]:
        width = painter.width
        if spot.mark == "rule":
            words = "what this call does not see" if self.side == "conversation" else ""
            return [(self._ruled(words, width), "rule")], False
        if spot.mark == "gap" and layout.gap:
            count = scene.view.counts.get("dropped", 0)
            words = f"{count:,} {'message' if count == 1 else 'messages'} dropped"
            return [(self._ruled(words, width, self.glyphs.hatch), "dropped")], layout.gap[
                0
            ] <= self.cursor < layout.gap[1]
        if spot.entry < 0:
            return [], False
        under_cursor = spot.entry == self.cursor
        if spot.row == 0:
            return self.header_row(layout, scene, spot.entry, width), under_cursor
        rows = layout.height(spot.entry) - 1
        body = self._body(layout, scene, painter, spot.entry, rows)
        return body[spot.row - 1], under_cursor

    def _body(self, layout: Layout, scene: Scene, painter: Painter, entry: int, rows: int) -> list[Row]:
        kind, place, number = layout.page.entry(entry)
        unfolded = layout.is_unfolded(entry)
        look: tuple[object, ...] = ()
        if kind is Kind.BLOCK and scene.sees(place):
            fate = scene.fate(place, number)
            look = (fate.outcome, fate.bright, fate.sizes)
            if fate.outcome is Outcome.TRUNCATED:
                look += (scene.evaluation.options.cut,)
        key = (entry, rows, unfolded, look)
        if (body := self._bodies.get(key)) is None:
            if len(self._bodies) >= _CACHE_SIZE:
                self._bodies.clear()
            body = self._bodies[key] = painter.body(scene, entry, self.side, rows, unfolded)
        return body

    def header_row(self, layout: Layout, scene: Scene, entry: int, width: int) -> Row:
        """The header of an entry, as this side shows it."""
        page = layout.page
        kind, place, number = page.entry(entry)
        digits = max(2, len(str(len(page.session.messages))))
        if kind is Kind.BLOCK:
            return header(page, scene, entry, self.side, width, self.glyphs, digits)
        if kind is Kind.EMPTY and self.side == "outbound" and not scene.sees(place):
            return []
        if kind is Kind.EMPTY:
            style = "header" if scene.sees(place) else "unseen"
            label = f"{place:>{digits}} {role_label(page.session.messages[place])} (no content)"
            return [(fit(label, width), style)]
        if kind is Kind.SYSTEM:
            words = f"{'':>{digits}} system prompt, not counted, never dropped"
            return [(fit(words, width), "system")]
        if kind is Kind.BOUNDARY:
            boundary = page.session.boundaries[number]
            details = [visible_line(boundary.trigger)] if boundary.trigger else []
            if boundary.pre_tokens is not None:
                details.append(f"{boundary.pre_tokens:,} tokens before")
            words = "compact boundary" + (f" ({', '.join(details)})" if details else "")
            return [(self._ruled(words, width), "rule")]
        if kind is Kind.HIDDEN:
            words = f"{number:,} {'block' if number == 1 else 'blocks'} filtered out"
            return [(self._ruled(words, width), "more")]
        chain = page.session.sidechains[number]
        count = len(chain.messages)
        words = f"{count:,} {'message' if count == 1 else 'messages'} of a subagent, not part of this thread"
        return [(self._ruled(words, width), "rule")]

    def _ruled(self, words: str, width: int, fill: str = "") -> str:
        fill = fill or self.glyphs.rule
        words = fit(f" {words} ", max(1, width - 4)) if words else ""
        left = min(2, width)
        return (fill * left + words + fill * max(0, width - left - cells(words)))[: max(width, 1)]

    def action_move(self, by: int) -> None:
        """Moves the cursor by blocks."""
        self.post_message(self.Moved(self, blocks=by))

    def action_page(self, by: int) -> None:
        """Moves by a page, keeping a row in sight."""
        self.post_message(self.Moved(self, rows=by * max(1, self.scrollable_content_region.height - 1)))

    def action_half_page(self, by: int) -> None:
        """Moves by half a page."""
        self.post_message(self.Moved(self, rows=by * max(1, self.scrollable_content_region.height // 2)))

    def action_edge(self, to: int) -> None:
        """Moves to the top or the bottom."""
        self.post_message(self.Moved(self, edge=to))

    def action_fold(self) -> None:
        """Unfolds or folds the block under the cursor."""
        self.post_message(self.FoldToggled())

    def action_rows(self, by: int) -> None:
        """Changes the rows of a folded block."""
        self.post_message(self.RowsChanged(by))

    def on_click(self, event: events.Click) -> None:
        """Moves the cursor to what was clicked; a double click unfolds it."""
        if self._layout_rows is None:
            return
        offset = event.get_content_offset(self)
        if offset is None:
            return
        spot = self._layout_rows.at(offset.y + self.scroll_offset.y)
        self.post_message(self.Picked(self, spot, again=event.chain > 1))
