"""Rows drawn with the line API whose text can be selected with the mouse."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rich.segment import Segment
from rich.style import Style
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from tui.app.styles import laid_over
from tui.app.wrap import cells

_MOST_ROWS = 100_000
"""Rows that a selection copies at most."""


class SelectableRows(ScrollView):
    """A view whose rows know their text. A selection counts rows of the whole content, characters in a row."""

    def row_text(self, row: int) -> str:
        """The text of a row of the content, as drawn."""
        raise NotImplementedError

    def to_strip(self, segments: Sequence[Segment], row: int, width: int, base: Style) -> Strip:
        """A row's segments as a strip of exactly ``width`` cells, with what is selected marked."""
        strip = Strip(segments).adjust_cell_length(width, base)
        selection = self.text_selection
        if selection is not None and (span := selection.get_span(row)) is not None:
            strip = self._marked(strip, span, width)
        return strip.simplify().apply_offsets(0, row)

    def _marked(self, strip: Strip, span: tuple[int, int], width: int) -> Strip:
        shown = strip.text
        start, end = span
        cuts = sorted({0, cells(shown[:start]), width if end == -1 else cells(shown[:end]), width})
        style = laid_over(self.screen.get_component_rich_style("screen--selection"))
        first = cells(shown[:start])
        parts = [
            Strip(Segment(text, (own or Style()) + style) for text, own, _ in part) if low == first else part
            for (low, _), part in zip(pairwise(cuts), strip.divide(cuts[1:]), strict=False)
        ]
        return Strip.join(parts)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text, its rows as they are drawn."""
        last = self.virtual_size.height - 1
        first_row = selection.start.y if selection.start is not None else 0
        last_row = min(selection.end.y if selection.end is not None else last, last, first_row + _MOST_ROWS)
        rows = []
        for row in range(first_row, last_row + 1):
            text = self.row_text(row)
            stop = selection.end.x if selection.end is not None and row == selection.end.y else len(text)
            start = selection.start.x if selection.start is not None and row == first_row else 0
            rows.append(text[start:stop].rstrip())
        return "\n".join(rows), "\n"
