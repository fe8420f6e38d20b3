"""Writing to stdout and stderr: always UTF-8, quiet when the reader has gone."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import TextIO

from tui.model import OutboundError
from tui.model.visible import visible_line


class OutputClosed(Exception):  # noqa: N818 (it is not a fault)
    """Whoever read the output has closed it."""


def write(pieces: Iterable[str]) -> None:
    """Writes ``pieces`` to stdout, whatever the locale's encoding is; nothing happens when there is no stdout.

    Raises:
        OutputClosed: The other end of the pipe is closed.
        OutboundError: It cannot be written, such as to a full disk.
    """
    stream: TextIO | None = sys.stdout
    if stream is None:
        return
    out = stream.buffer
    for piece in pieces:
        data = piece.encode("utf-8", "replace")
        try:
            out.write(data)
        except OSError as error:
            raise _failed(error) from None
    try:
        out.flush()
    except OSError as error:
        raise _failed(error) from None


def _failed(error: OSError) -> Exception:
    # What is still buffered is written when the interpreter ends; nobody may hear of that.
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return OutputClosed()
    return OutboundError(f"cannot write the output: {error.strerror}")


def write_error(text: str) -> None:
    """Writes ``text`` to stderr in UTF-8; nothing happens when there is no stderr."""
    stream: TextIO | None = sys.stderr
    if stream is not None:
        with suppress(OSError):
            stream.flush()
            stream.buffer.write(text.encode("utf-8", "replace"))
            stream.buffer.flush()


def complain(problem: str, hint: str = "") -> None:
    """Says on stderr what is wrong, and on the next line what to do about it."""
    lines = [f"outbound: {visible_line(problem)}", *map(visible_line, hint.split("\n") if hint else [])]
    write_error("".join(f"{line}\n" for line in lines))
