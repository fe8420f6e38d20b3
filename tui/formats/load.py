"""Reading a session from a file or stream."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO

from tui.formats.format import Format, Reader, Sample
from tui.formats.notes import Notes
from tui.formats.records import NO_OBJECT, UNREADABLE, Place, Record, Records
from tui.formats.registry import SAMPLE_SIZE, detect, detect_by_fields, formats
from tui.formats.source import opened, source_name
from tui.model import LoadCancelled, Session, SessionError, UnsupportedFormatError

_KEYS_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Progress:
    """How far loading has come.

    Attributes:
        done: Bytes of the file read.
        total: Its size in bytes; None when it is unknown.
        messages: Messages so far.
        snapshot: Makes the session as it is so far, in time proportional to its messages. To be called while
            progress is being told, in the thread that loads. None before the format is known.
    """

    done: int
    total: int | None
    messages: int
    snapshot: Callable[[], Session] | None


def load_session(
    path: str | os.PathLike[str] | BinaryIO,
    *,
    name: str | None = None,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Session:
    """Read the session in ``path``, whatever its format; what is damaged in it is repaired or skipped, and noted.

    Args:
        path: A file, or a stream of bytes. Compressed (gzip) and UTF-16 ones are read too.
        name: How to call it in titles and errors; by default its path.
        progress: Told how far it is, every 256 KB.
        cancelled: Asked as often whether to stop.

    Raises:
        UnsupportedFormatError: Its format is recognised, but there is no reader for it.
        SessionError: It cannot be opened, or is no known session.
        LoadCancelled: ``cancelled`` said so.
    """
    source = source_name(path) if name is None else name
    notes = Notes()
    loading = _Loading(source, notes)

    def tick(done: int, total: int | None) -> None:
        if cancelled is not None and cancelled():
            raise LoadCancelled("loading was cancelled", source=source)
        if progress is not None:
            reader = loading.reader
            progress(Progress(done, total, reader.count() if reader else 0, reader.snapshot if reader else None))

    with opened(path, source, notes, tick) as stream, _no_collecting():
        return loading.load(Records(stream, notes))


@contextmanager
def _no_collecting() -> Iterator[None]:
    """Keep the cycle collector away: reading makes no cycles, and looking for them takes a third of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class _Loading:
    """One run of loading.

    Attributes:
        reader: The reader in charge, once the format is known.
    """

    def __init__(self, source: str, notes: Notes) -> None:
        self.reader: Reader | None = None
        self._source = source
        self._notes = notes

    def load(self, records: Records) -> Session:
        stream = iter(records)
        head = list(islice(stream, SAMPLE_SIZE))
        shape = records.shape
        fields = records.fields
        if shape == "lines" and len(head) == 1:
            # One line alone may be a whole document.
            fields = dict(head[0][0])
            if isinstance(fields.get("messages"), list):
                shape = "object"
                head = list(self._items(fields.pop("messages")))
        begun = [records.torn] if records.torn and not head else [record for record, _, _ in head]
        found = detect(Sample(shape, begun, fields))
        if found is None:
            damaged = NO_OBJECT in self._notes or UNREADABLE in self._notes
            if records.anything and (begun or shape == "lines" or damaged):
                raise self._unknown(begun, head[0][1] if head and shape == "lines" else None)
            return Session(format="empty", messages=(), source=self._source, notes=self._notes.freeze())
        self.reader = reader = self._open(found)
        begun.clear()
        for record, place, text in head:
            reader.feed(record, place, text)
        head.clear()
        feed = reader.feed
        for record, place, text in stream:
            feed(record, place, text)
        if shape == "object":
            # Fields that stand after the messages may tell that it is something else.
            other = detect_by_fields(Sample(shape, (), fields))
            if other is not None:
                self._open(other)
            reader.fields(fields)
        return reader.snapshot()

    def _items(self, items: list[object]) -> Iterator[tuple[Record, Place, str]]:
        for place, item in enumerate(items, 1):
            if isinstance(item, dict):
                yield item, place, str(place)
            else:
                self._notes.add(NO_OBJECT, place)

    def _open(self, found: Format) -> Reader:
        if found.open is None:
            hint = found.hint or f"outbound reads {', '.join(formats())}."
            hint = f"It has {found.evidence}. {hint}"
            raise UnsupportedFormatError(found.name, hint=hint, source=self._source or None)
        return found.open(self._source, self._notes)

    def _unknown(self, records: Sequence[Record], line: int | None) -> SessionError:
        if not records:
            hint = "Nothing in it is a whole JSON object."
        else:
            keys = ", ".join(map(repr, islice(records[0], _KEYS_SHOWN))) or "none"
            hint = f"The keys of its first record are: {keys}."
        return SessionError("not a known session", hint=hint, source=self._source or None, line=line)
