"""What the printing commands begin with: a file read and evaluated."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from tui.cli.flags import whole_number
from tui.cli.output import write_error
from tui.export.settings import Settings
from tui.formats import Progress, load_session
from tui.model import OptionError, SessionError
from tui.model.visible import visible_line
from tui.pipeline.evaluation import Evaluation, View
from tui.strategies import evaluate

_PATIENCE = 0.5
"""Seconds before loading says how far it is."""

file_argument = click.argument("file")
call_option = click.option(
    "--call", metavar="N", type=whole_number(1), help="the call, counted from 1 [the next call, after the last message]"
)


def evaluation_of(file: str, settings: Settings) -> Evaluation:
    """The session in ``file`` (``-``: standard input) under ``settings``.

    Raises:
        SessionError: It cannot be read.
    """
    with _progress_line(file) as progress:
        if file != "-":
            session = load_session(file, progress=progress)
        elif sys.stdin is None:
            raise SessionError("standard input is closed", source="-")
        else:
            session = load_session(sys.stdin.buffer, name="-", progress=progress)
    return evaluate(
        session,
        settings.strategy,
        settings.options,
        across_boundaries=settings.across_boundaries,
        offload=settings.offload,
    )


def view_of(evaluation: Evaluation, call: int | None) -> View:
    """The view of ``call``; of the next call when None.

    Raises:
        OptionError: There is no such call.
    """
    try:
        return evaluation.at(call)
    except IndexError as error:
        raise OptionError(str(error)) from None


@contextmanager
def _progress_line(file: str) -> Iterator[Callable[[Progress], None] | None]:
    """What to tell progress to: one line on a terminal's stderr, gone at the end; None elsewhere."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    begun = time.monotonic()
    width = 0

    def tell(progress: Progress) -> None:
        nonlocal width
        if time.monotonic() - begun < _PATIENCE:
            return
        far = f"{100 * progress.done // progress.total} %" if progress.total else f"{progress.done:,} bytes"
        line = f"reading {visible_line(file)[-40:]}: {far}, {progress.messages:,} messages"
        write_error(f"\r{line.ljust(width)}")
        width = len(line)

    try:
        yield tell
    finally:
        if width:
            write_error(f"\r{' ' * width}\r")
