"""Lines of text wrapped to a width in cells."""

from __future__ import annotations

from itertools import pairwise

from rich._wrap import divide_line
from rich.cells import cell_len, chop_cells


def cells(text: str) -> int:
    """Width of one line in terminal cells."""
    return len(text) if text.isascii() else cell_len(text)


def wrap(line: str, width: int, words: bool) -> list[str]:
    """``line`` (safe to draw, no newline) as rows of at most ``width`` cells; at least one row.

    Args:
        line: The line.
        width: Cells a row, at least 1.
        words: Break between words where possible, for prose; code is broken at the width.
    """
    if cells(line) <= width:
        return [line]
    if width < 2:  # a wide character would not fit a single cell
        return [line[:1]]
    if not words:
        if line.isascii():
            return [line[start : start + width] for start in range(0, len(line), width)]
        return chop_cells(line, width)
    if line.isascii():
        return _wrap_ascii_words(line, width)
    cuts = [0, *divide_line(line, width), len(line)]
    return [line[start:stop].rstrip() for start, stop in pairwise(cuts)]


def _wrap_ascii_words(line: str, width: int) -> list[str]:
    rows = []
    start, size = 0, len(line)
    while size - start > width:
        stop = line.rfind(" ", start, start + width + 1)
        if stop <= start:
            stop = start + width
            rows.append(line[start:stop])
            start = stop
        else:
            rows.append(line[start:stop].rstrip())
            start = stop + 1
    rows.append(line[start:])
    return rows


def row_count(lines: list[str], width: int) -> int:
    """How many rows ``lines`` take when broken at ``width`` (a lower bound where words or wide text break early)."""
    return sum(max(1, -(-cells(line) // width)) for line in lines)


def fit(text: str, width: int, ellipsis: str = "…") -> str:
    """``text`` cut to ``width`` cells, its last one an ellipsis where something is left out."""
    if cells(text) <= width:
        return text
    if width < 1:
        return ""
    short = text[: width - 1] if text.isascii() else (chop_cells(text, width - 1) or [""])[0] if width > 1 else ""
    return short + ellipsis
