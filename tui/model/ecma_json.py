"""Compact JSON in the form that ECMAScript's ``JSON.stringify`` gives, because sizes are counted on it.

Differences from Python's own compact form: ``1.0`` is ``1``, ``1e-7`` has no leading zero in its exponent,
whole numbers pass through a double (``2**63`` is ``9223372036854776000``), NaN and infinities are ``null``,
lone surrogates are escaped.
"""

from __future__ import annotations

import json
import re
from typing import Any

_MAX_SAFE = 2**53
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def stringify(value: Any) -> str:
    """``value`` (what a JSON parser returns) as ``JSON.stringify`` would write it.

    Raises:
        RecursionError: ``value`` is nested too deeply.
    """
    text = _write(value) if _has_special_number(value) else _encode(value)
    if not text.isascii() and _LONE_SURROGATE.search(text):
        # Adjacent halves are one character to ECMAScript; only what is left alone is escaped.
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        text = _LONE_SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
    return text


def _has_special_number(value: Any) -> bool:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend(item.values())
        elif isinstance(item, (list, tuple)):
            waiting.extend(item)
        elif isinstance(item, float) or (type(item) is int and not -_MAX_SAFE <= item <= _MAX_SAFE):
            return True
    return False


def _write(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(f"{_encode(str(key))}:{_write(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(_write, value)) + "]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number(value)
    return _encode(value)


def number(value: int | float) -> str:
    """A number as ECMAScript's ``String(value)`` writes it, ``null`` where JSON has no such number."""
    try:
        double = float(value)
    except OverflowError:
        return "null"
    if double != double or double in (float("inf"), float("-inf")):
        return "null"
    if double == 0:
        return "0"
    # repr gives the shortest digits that round-trip, as ECMAScript asks; only the layout differs.
    mantissa, _, exponent = repr(abs(double)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len((whole + fraction).lstrip("0")))
    digits = digits.rstrip("0")
    size = len(digits)
    if size <= point <= 21:
        body = digits + "0" * (point - size)
    elif 0 < point <= 21:
        body = f"{digits[:point]}.{digits[point:]}"
    elif -6 < point <= 0:
        body = "0." + "0" * -point + digits
    else:
        power = point - 1
        rest = f".{digits[1:]}" if size > 1 else ""
        body = f"{digits[0]}{rest}e{'+' if power >= 0 else '-'}{abs(power)}"
    return f"-{body}" if double < 0 else body
