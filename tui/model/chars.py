"""Chars: the one unit of size here, UTF-16 code units, as the original program counts them.

A Python string is a sequence of code points; an astral character (most emoji) is one code point but two
units. Lone surrogates are legal in what agents write, and count one unit.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def units(text: str) -> int:
    """Length of ``text`` in UTF-16 code units."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def pair_positions(text: str) -> npt.NDArray[np.int64]:
    """Offsets, in units, of the first half of each surrogate pair in ``text``, ascending."""
    if text.isascii():
        return np.empty(0, np.int64)
    code = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), "<u2")
    high = (code[:-1] & 0xFC00) == 0xD800
    low = (code[1:] & 0xFC00) == 0xDC00
    return np.flatnonzero(high & low).astype(np.int64)


def head(text: str, limit: int) -> str:
    """The first ``limit`` units of ``text``; a character that the limit would halve is left out whole."""
    if len(text) <= limit and units(text) <= limit:
        return text
    # No character before ``limit`` is astral exactly when that many code points are that many units.
    first = text[:limit]
    if units(first) == limit:
        following = text[limit : limit + 1]
        if not (first and "\ud800" <= first[-1] <= "\udbff" and "\udc00" <= following <= "\udfff"):
            return first
        return first[:-1]
    code = text.encode("utf-16-le", "surrogatepass")[: 2 * limit + 2]
    cut = limit
    if limit and 0xD8 <= code[2 * limit - 1] <= 0xDB and 0xDC <= code[2 * limit + 1] <= 0xDF:
        cut -= 1
    return code[: 2 * cut].decode("utf-16-le", "surrogatepass")
