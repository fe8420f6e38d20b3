"""Text from files made safe to draw: controls become visible symbols, so that no byte of a file steers a terminal.

C0 controls (except newline and tab) become the symbols of U+2400.., DEL U+2421, C1 controls, bidi controls and
other invisible format characters a visible stand-in, lone surrogates U+FFFD. Terminals disagree on how wide joined
emoji are, so a zero-width joiner becomes a visible tie and variation selectors are left out. A raw tab has no width
of its own, so tabs are expanded here too. Nothing else in the project looks at control characters.
"""

from __future__ import annotations

import re

TAB = 4
"""Columns between tab stops."""

_STAND_IN = "\u2426"  # symbol for substitute form two
_TIE = "\u2040"
_BIDI = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_INVISIBLE = (0x00AD, 0x200B, 0x200C, 0x2028, 0x2029, *range(0x2060, 0x2065), 0xFEFF, *range(0xFFF9, 0xFFFC))
_TAGS = (0xE0001, *range(0xE0020, 0xE0080))

_SYMBOLS: dict[int, str] = {code: chr(0x2400 + code) for code in range(0x20) if code not in (0x09, 0x0A)}
_SYMBOLS[0x7F] = "\u2421"
_SYMBOLS |= dict.fromkeys((*range(0x80, 0xA0), *_BIDI, *_INVISIBLE, *_TAGS), _STAND_IN)
_SYMBOLS |= dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
_SYMBOLS[0x200D] = _TIE
_SYMBOLS |= dict.fromkeys(range(0xFE00, 0xFE10), "")
_UNSAFE = re.compile("[" + "".join(re.escape(chr(code)) for code in _SYMBOLS) + "]")


def visible(text: str) -> str:
    r"""``text`` with every unsafe character replaced by a visible one; ``\n`` and ``\t`` stay."""
    return _UNSAFE.sub(lambda match: _SYMBOLS[ord(match.group())], text)


def visible_lines(text: str) -> list[str]:
    r"""The lines of ``text``, split at ``\n`` (``\r\n`` too), tabs expanded, safe to draw."""
    return [visible(line.removesuffix("\r").expandtabs(TAB)) for line in text.split("\n")]


def visible_line(text: str) -> str:
    """``text`` on one line, for titles, names and paths: newlines and tabs become visible too."""
    return visible(text).replace("\n", "\u240a").replace("\t", "\u2409")
