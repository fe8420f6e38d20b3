"""JSON that is safe to print and can be read back as it was."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tui.model import OutboundError
from tui.model.visible import visible

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def json_text(value: Any) -> str:
    r"""``value`` as JSON on one line.

    Letters stay as they are; lone surrogates and characters that could steer a terminal are written ``\uXXXX``.
    Numbers that JSON has not, such as NaN, are ``null``.

    Raises:
        OutboundError: It is nested too deeply.
    """
    try:
        try:
            text = _encode(value)
        except ValueError:
            text = _encode(_finite(value))
    except RecursionError:
        raise OutboundError("a value in this session is nested too deeply to be written as JSON") from None
    unsafe = {ord(char): _escaped(char) for char in set(text) if visible(char) != char}
    return text.translate(unsafe) if unsafe else text


def _escaped(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def json_document(value: Mapping[str, Any] | Sequence[Any]) -> Iterator[str]:
    """A document in pieces, its entries, and the items of lists of objects right in it, on a line each."""
    if isinstance(value, Mapping):
        yield "{"
        for number, (key, item) in enumerate(value.items()):
            yield f"{',' if number else ''}\n{json_text(key)}: "
            yield from _rows(item) if _is_rows(item) else [json_text(item)]
        yield "\n}\n"
    else:
        yield from _rows(value)
        yield "\n"


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _rows(items: Sequence[Any]) -> Iterator[str]:
    yield "["
    for number, item in enumerate(items):
        yield f"{',' if number else ''}\n{json_text(item)}"
    yield "\n]" if items else "]"
