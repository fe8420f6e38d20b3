r"""Bytes -> records: JSON lines and JSON documents, read piece by piece and repaired where they are damaged.

One reader for every format. A *record* is a JSON object: one line of a JSON lines file, one item of a top-level
list, or one item of the list ``messages`` in a top-level object (whose other values are its *fields*). Lines end
at ``\n`` only: U+2028 and its like are legal inside JSON strings.
"""

from __future__ import annotations

import codecs
import io
import json
import re
from collections import deque
from collections.abc import Generator, Iterator
from typing import Any, Literal, TypeAlias

from tui.formats.notes import Notes

Record: TypeAlias = dict[str, Any]
Place: TypeAlias = int
"""A line counted from 1, or in a document the place in its list counted from 1."""

NO_OBJECT = "items that are no JSON objects"
"""The note on an item of a document's list that is no record."""

UNREADABLE = "items unreadable"
"""The note on an item of a document's list that is damaged."""

Shape: TypeAlias = Literal["lines", "list", "object"]

_BLANK = b" \t\r\n\0"
_BLANKS = " \t\r\n\0"
_LOOK_AHEAD = 1 << 20
"""Bytes looked at to tell whether a file whose first line is no whole object is lines or a document."""

_REFILL = 1 << 18
_PASSED = 1 << 16
"""Characters of passed text that are let go: an error looks for its line from the start of the text."""

_EDGE = 16
"""A decoding error this close to the end of the buffer, in characters, may be only that more is to come."""

_BROKEN: Any = object()
"""In the place of a value that cannot be decoded."""

_decode = json.JSONDecoder(strict=False).raw_decode
_OPENING = re.compile(r'\{\s*"')
_STRUCTURE = re.compile(r'\\.|["{}\[\]]', re.DOTALL)
_SPACE = re.compile(r"[ \t\r\n\0]*")


def _lenient_int(digits: str) -> int | float:
    # ECMAScript reads every number as a double; Python refuses to convert more than 4,300 digits.
    return int(digits) if len(digits) < 400 else float(digits)


_decode_leniently = json.JSONDecoder(strict=False, parse_int=_lenient_int).raw_decode


def parse(text: str) -> Any:
    """The one JSON value that ``text`` is.

    Raises:
        ValueError: It is not one JSON value, or nested too deeply.
    """
    text = text.strip(_BLANKS)
    try:
        try:
            value, end = _decode(text)
        except ValueError as error:
            if isinstance(error, json.JSONDecodeError):
                raise
            value, end = _decode_leniently(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if end != len(text):
        raise ValueError("more than one value")
    return value


class Records:
    """Iterates over the records of a stream as ``(record, place, text)``; ``text`` is the record as it was written.

    The text of a line always ends with its line end, so that equal lines have equal texts.

    Attributes:
        shape: What the file turned out to be, known from the first record on.
        fields: The fields of an object document so far, its list ``messages`` excepted.
        anything: Whether there was anything but blanks.
        torn: The fields read of a first record that is cut off, when there is no other.
    """

    def __init__(self, stream: io.BufferedReader, notes: Notes) -> None:
        self.shape: Shape = "lines"
        self.fields: Record = {}
        self.anything = False
        self.torn: Record = {}
        self._stream = stream
        self._notes = notes

    def __iter__(self) -> Iterator[tuple[Record, Place, str]]:
        line = 1
        while not (first := self._stream.readline(_LOOK_AHEAD)).strip(_BLANK):
            if not first:
                return
            line += first.endswith(b"\n")
        self.anything = True
        head = [first]
        start = first.lstrip(_BLANK)
        if start.startswith(b"[") or (start.startswith(b"{") and not self._is_lines(head)):
            yield from self._document(head, line)
        else:
            yield from self._lines(head, line)

    def _is_lines(self, head: list[bytes]) -> bool:
        """Whether a file that begins with ``{`` is JSON lines; reads on into ``head`` as far as it must."""
        first = head[0]
        if first.endswith(b"\n") or len(first) < _LOOK_AHEAD:
            values, rest, _ = _salvage(_text(first)[0].strip(_BLANKS), None)
            if values and rest is None:
                return True
            size = len(first)
            while size < _LOOK_AHEAD and (line := self._stream.readline(_LOOK_AHEAD)):
                head.append(line)
                size += len(line)
                if line.startswith(b'{"') or (line.startswith(b"{") and head[-2].startswith(b"}")):
                    return True
        return False

    # JSON lines

    def _lines(self, head: list[bytes], number: int) -> Iterator[tuple[Record, Place, str]]:
        """Records of the lines ``head``, the first of which is ``number``, and of the rest of the stream."""
        notes = self._notes
        if head and not head[-1].endswith(b"\n"):
            head[-1] += self._stream.readline()
        waiting = deque(head)
        head.clear()
        readline = self._stream.readline
        joinable_from = number
        number -= 1
        record: Any = None
        while raw := waiting.popleft() if waiting else readline():
            number += 1
            previous = record
            try:
                text = raw.decode()
                record, end = _decode(text)
                blank = text[end:]
                if blank == "\n" or not blank.strip(_BLANKS):
                    if type(record) is dict:
                        yield record, number, text if blank == "\n" else text[:end] + "\n"
                    else:
                        notes.add("lines that hold no JSON object", number)
                    continue
            except (ValueError, RecursionError):
                pass
            stripped = raw.strip(_BLANK)
            if not stripped:
                record = previous
                continue
            record = previous
            text, replaced = _text(stripped)
            if replaced:
                notes.add("lines with bytes that are not UTF-8, shown as U+FFFD", number, "repaired")
            values, rest, lost = _salvage(text, next(iter(record), None) if type(record) is dict else None)
            if rest is not None and text.startswith("{") and number >= joinable_from:
                following: list[bytes] = []
                joined = self._join(raw, waiting, following)
                if joined is not None:
                    record, text = joined
                    notes.add("records broken over several lines", number, "repaired")
                    yield record, number, text
                    number += len(following)
                    continue
                waiting.extendleft(reversed(following))
                joinable_from = number + len(following) + 1
            if lost or rest is not None:
                notes.add("torn records" if values else "lines unreadable", number)
            elif len(values) > 1:
                notes.add("lines with several records", number, "repaired")
            elif not replaced:
                notes.add("lines with a number too large, read as infinite", number, "repaired")
            for record, text in values:
                if type(record) is dict:
                    yield record, number, text + "\n"
                else:
                    notes.add("lines that hold no JSON object", number)

    def _join(self, raw: bytes, waiting: deque[bytes], following: list[bytes]) -> tuple[Record, str] | None:
        """The record that begins on ``raw`` and goes on over the next lines, which are moved to ``following``."""
        pieces: list[str] = []
        depth = 0
        in_string = False
        while True:
            text = _text(raw)[0]
            pieces.append(text)
            for match in _STRUCTURE.finditer(text):
                token = match.group()
                if token == '"':
                    in_string = not in_string
                elif not in_string:
                    if token in "{[":
                        depth += 1
                    elif token in "}]":
                        depth -= 1
            if depth <= 0 and not in_string:
                whole = "".join(pieces).strip(_BLANKS)
                try:
                    record = parse(whole)
                except ValueError:
                    return None
                return (record, whole) if isinstance(record, dict) else None
            raw = waiting.popleft() if waiting else self._stream.readline()
            if not raw:
                return None
            if raw.startswith(b'{"'):
                waiting.appendleft(raw)
                return None
            following.append(raw)

    # One JSON document

    def _document(self, head: list[bytes], line: int) -> Iterator[tuple[Record, Place, str]]:
        """Records of a document that begins in ``head``, whose first line is ``line``."""
        text = _Buffer(b"".join(head), self._stream, self._notes)
        if text.peek() == "[":
            self.shape = "list"
            text.keep = False
            yield from self._items(text)
            found = True
        else:
            found = yield from self._object(text)
        if found:
            if text.peek():
                self._notes.add("documents with text after their end, which is left out")
            return
        # No document after all, but lines whose first is damaged, or that are pretty-printed.
        self.shape = "lines"
        whole, before, rest = text.restart()
        if whole:
            record, self.fields = self.fields, {}
            yield record, line, whole
        else:
            self.torn, self.fields = self.fields, {}
            self._notes.add("lines unreadable", line)
        yield from self._lines(io.BytesIO(rest).readlines(), line + before)

    def _object(self, text: _Buffer) -> Generator[tuple[Record, Place, str], None, bool]:
        """Records of the list ``messages`` of the object at ``text``; returns whether there was such a list."""
        found = False
        text.mark()
        text.skip()
        while True:
            # What follows a value proves that the value is whole; a torn one may have run into the next line.
            following = text.peek()
            if following == ",":
                text.mark()
                text.skip()
            elif following == "}":
                text.skip()
                text.mark(whole=True)
                return found
            else:
                key = text.value()
                if not isinstance(key, str) or text.peek() != ":":
                    break
                text.skip()
                if key == "messages" and text.peek() == "[":
                    found = True
                    self.shape = "object"
                    text.keep = False
                    yield from self._items(text)
                else:
                    value = text.value()
                    if value is _BROKEN:
                        break
                    self.fields[key] = value
        if found and text.peek():
            self._notes.add("documents damaged after their messages")
            text.exhaust()
        return found

    def _items(self, text: _Buffer) -> Iterator[tuple[Record, Place, str]]:
        """The objects in the list at ``text``, up to its end or the end of the file."""
        notes = self._notes
        text.skip()
        place = 0
        damaged = False
        first_key: str | None = None
        while following := text.peek():
            if following == ",":
                text.skip()
                continue
            if following == "]":
                text.skip()
                # After damage this may be the end of an inner list only.
                if not damaged or text.peek() == ("" if self.shape == "list" else "}"):
                    return
                text.resync(first_key)
                continue
            place += 1
            value = text.value()
            if value is _BROKEN:
                notes.add(UNREADABLE, place)
                damaged = True
                text.resync(first_key)
            elif isinstance(value, dict):
                first_key = next(iter(value), None)
                yield value, place, text.last()
            else:
                notes.add(NO_OBJECT, place)
        notes.add(
            "documents whose end was not found, after damage" if damaged else "documents cut off before their end"
        )


class _Buffer:
    """A window of text that moves over a stream, from which JSON values are taken one by one.

    Attributes:
        keep: Whether text that was passed stays, so that reading can be restarted.
    """

    def __init__(self, head: bytes, stream: io.BufferedReader, notes: Notes) -> None:
        self.keep = True
        self._stream = stream
        self._notes = notes
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._text = ""
        self._position = 0
        self._ended = False
        self._span = (0, 0)
        self._mark = 0
        self._whole = False
        self._append(head)

    def _append(self, data: bytes) -> None:
        more = self._decoder.decode(data, final=not data)
        if "\ufffd" in more and more.count("\ufffd") > data.count(b"\xef\xbf\xbd"):
            self._notes.add("pieces of the file with bytes that are not UTF-8, shown as U+FFFD", kind="repaired")
        if self.keep:
            self._text += more
        else:
            self._text = self._text[self._position :] + more
            self._position = 0

    def _refill(self) -> bool:
        """Read as much again as is waiting, so that a long value is not decoded too often."""
        if self._ended:
            return False
        data = self._stream.read(max(_REFILL, len(self._text) // 2 if self.keep else len(self._text) - self._position))
        self._ended = not data
        self._append(data)
        return True

    def peek(self) -> str:
        """The next character that is not blank, or an empty string at the end."""
        while True:
            match = _SPACE.match(self._text, self._position)
            self._position = match.end() if match else self._position
            if self._position < len(self._text):
                return self._text[self._position]
            if not self._refill():
                return ""

    def skip(self) -> None:
        """Pass over the character that ``peek`` gave."""
        self._position += 1

    def value(self) -> Any:
        """The JSON value that begins here, or ``_BROKEN``, and then nothing is passed over."""
        decode = _decode
        if not self.keep and self._position > _PASSED:
            self._text = self._text[self._position :]
            self._position = 0
        while self.peek():
            try:
                value, end = decode(self._text, self._position)
            except json.JSONDecodeError as error:
                near_the_end = error.pos >= len(self._text) - _EDGE or error.msg.startswith("Unterminated")
                if near_the_end and self._refill():
                    continue
                return _BROKEN
            except RecursionError:
                return _BROKEN
            except ValueError:
                if decode is _decode_leniently:
                    return _BROKEN
                decode = _decode_leniently
                continue
            # A number may go on in what is not read yet.
            if end == len(self._text) and self._refill():
                continue
            self._span = (self._position, end)
            self._position = end
            return value
        return _BROKEN

    def last(self) -> str:
        """The text of the value just taken."""
        return self._text[slice(*self._span)]

    def resync(self, first_key: str | None) -> None:
        """Move on to the next object that begins with ``first_key`` and is followed as an item of a list is."""
        keep, self.keep = self.keep, True
        effort = 4 * len(self._text) + 1_000_000
        search_from = self._position + 1
        while effort > 0:
            match = _OPENING.search(self._text, search_from)
            if match is None:
                search_from = max(search_from, len(self._text) - _EDGE)
                if not self._refill():
                    break
                continue
            search_from = match.start() + 1
            self._position = match.start()
            value = self.value()
            effort -= self._span[1] - match.start() if value is not _BROKEN else len(self._text) - match.start()
            fits = isinstance(value, dict) and (first_key is None or next(iter(value)) == first_key)
            if fits and self.peek() in (",", "]"):
                self._position = match.start()
                self.keep = keep
                return
        self.keep = keep
        self.exhaust()

    def exhaust(self) -> None:
        """Pass over everything."""
        self.keep = False
        self._position = len(self._text)
        while self._refill():
            self._position = len(self._text)

    def mark(self, whole: bool = False) -> None:
        """Remember this position as where reading may have to be restarted; ``whole``: a value ends here."""
        self._mark = self._position
        self._whole = whole

    def restart(self) -> tuple[str, int, bytes]:
        """What to do from the mark on when this is no document.

        Returns:
            The text of the whole object before the mark, if it ends there, how many line ends are passed
            over, and what was read after them. If no object ends there, the rest of the line is passed over too.
        """
        mark = self._mark
        if not self._whole:
            newline = self._text.find("\n", mark)
            mark = newline + 1 if newline >= 0 else len(self._text)
        before = self._text.count("\n", 0, mark)
        return self._text[:mark] if self._whole else "", before, self._text[mark:].encode("utf-8", "surrogatepass")


def _text(raw: bytes) -> tuple[str, bool]:
    """``raw`` decoded, and whether bytes had to be replaced."""
    try:
        return raw.decode(), False
    except UnicodeDecodeError:
        return raw.decode("utf-8", "replace"), True


def _salvage(text: str, first_key: str | None) -> tuple[list[tuple[Any, str]], int | None, bool]:
    """The whole values in a damaged line.

    Returns:
        The values, each with its text; where what cannot be read begins, if it goes on to the end of the line;
        and whether a torn record before a whole one was lost.
    """
    values, rest = _run(text, 0)
    if rest is None:
        return values, None, False
    # What is inside a torn record looks like a whole one too. So an object that stands where a value may
    # stand must begin with the key that the record before it began with.
    effort = len(text) + 100_000
    for match in _OPENING.finditer(text, rest + 1):
        begin = match.start()
        tail, broken = _run(text, begin)
        if broken is None:
            if text[:begin].rstrip(_BLANKS)[-1:] not in ":,[" or next(iter(tail[0][0])) == first_key:
                return [*values, *tail], None, True
            broken = len(text)
        effort -= broken - begin + 100 + broken // 16
        if effort < 0:
            break
    return values, rest, False


def _run(text: str, begin: int) -> tuple[list[tuple[Any, str]], int | None]:
    """The whole values from ``begin`` on, one after the other, and where what is no value begins, if it does."""
    values: list[tuple[Any, str]] = []
    while True:
        try:
            value, end = _decode(text, begin)
        except RecursionError:
            return values, begin
        except json.JSONDecodeError:
            return values, begin
        except ValueError:
            try:
                value, end = _decode_leniently(text, begin)
            except (ValueError, RecursionError):
                return values, begin
        values.append((value, text[begin:end]))
        blank = _SPACE.match(text, end)
        begin = blank.end() if blank else end
        if begin == len(text):
            return values, None
