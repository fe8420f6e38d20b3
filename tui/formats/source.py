"""A file or stream as UTF-8 bytes: opened read-only, decompressed, UTF-16 recoded, the BOM dropped."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from tui.formats.notes import Notes
from tui.model import SessionError, UnsupportedFormatError

CHUNK = 256 * 1024
"""Bytes read at a time: also how often progress is told and cancelling is noticed."""


class _Chunks(io.RawIOBase):
    """An iterator of bytes as a raw file, so that the standard library's buffered reader can cut it into lines."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


@contextmanager
def opened(
    path: str | os.PathLike[str] | BinaryIO, source: str, notes: Notes, tick: Callable[[int, int | None], None]
) -> Iterator[io.BufferedReader]:
    """The plain UTF-8 bytes of ``path``.

    Args:
        path: A path, or a stream open for reading bytes, which is left open.
        source: How errors call it.
        notes: Where repairs are counted.
        tick: Called after each chunk with the bytes read so far and the file's size, if known. It may raise.

    Raises:
        SessionError: It cannot be opened or read.
        UnsupportedFormatError: It is a zip archive.
    """
    try:
        if isinstance(path, (str, os.PathLike)):
            if "\0" in os.fsdecode(path):
                raise FileNotFoundError
            with Path(path).open("rb", buffering=0) as file:
                total = os.fstat(file.fileno()).st_size
                yield _plain(_read(file, total or None, tick), source, notes)
        else:
            yield _plain(_read(path, None, tick), source, notes)
    except FileNotFoundError:
        raise SessionError("there is no such file", source=source) from None
    except IsADirectoryError:
        raise SessionError("this is a directory", hint="Name one session file in it.", source=source) from None
    except PermissionError:
        raise SessionError("this file may not be read", hint="Check its permissions.", source=source) from None
    except OSError as error:
        raise SessionError(f"cannot read it: {error.strerror or error}", source=source) from None


def source_name(path: str | os.PathLike[str] | BinaryIO) -> str:
    """How to call ``path`` in titles and errors."""
    if isinstance(path, (str, os.PathLike)):
        return os.fsdecode(path)
    name = getattr(path, "name", "")
    return name if isinstance(name, str) else ""


def _read(file: BinaryIO | io.FileIO, total: int | None, tick: Callable[[int, int | None], None]) -> Iterator[bytes]:
    # A pipe's read(n) waits for n bytes, read1 gives what is there.
    read = getattr(file, "read1", file.read)
    done = 0
    while data := read(CHUNK):
        done += len(data)
        tick(done, total)
        yield data


def _plain(chunks: Iterator[bytes], source: str, notes: Notes, compressed: bool = False) -> io.BufferedReader:
    head = b""
    for chunk in chunks:
        head += chunk
        if len(head) >= 4:
            break
    if head.startswith(b"PK\x03\x04"):
        raise UnsupportedFormatError(
            "Inspect .eval",
            hint="It is a zip archive. Open a .json log made with `inspect log convert`.",
            source=source,
        )
    if head.startswith(b"\x1f\x8b") and not compressed:
        return _plain(_gunzipped(chain([head], chunks), notes), source, notes, compressed=True)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        chunks, head = _recoded(chain([head], chunks), notes), b""
    head = head.removeprefix(codecs.BOM_UTF8)
    return io.BufferedReader(_Chunks(chain([head], chunks) if head else chunks), CHUNK)


def _gunzipped(chunks: Iterator[bytes], notes: Notes) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=io.BufferedReader(_Chunks(chunks), CHUNK)) as file:
        try:
            while data := file.read1(CHUNK):
                yield data
        except (EOFError, zlib.error, gzip.BadGzipFile):
            notes.add("compressed files that end before their end: read up to there", kind="repaired")


def _recoded(chunks: Iterator[bytes], notes: Notes) -> Iterator[bytes]:
    notes.add("files in UTF-16, read as such", kind="info")
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    for chunk in chunks:
        yield decoder.decode(chunk).encode("utf-8", "replace")
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")
