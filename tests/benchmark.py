"""Measures what must stay quick, as ratios, in Markdown. Not a test: nothing here can fail.

    python -m tests.benchmark
    python -m tests.benchmark --messages 20000 --bytes 500 --format claude-code

The yardstick is reading the same JSON with ``json.loads`` on the same machine, so that its speed cancels out.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from itertools import count
from time import perf_counter
from typing import Any

from tests.generate import FORMATS, session_bytes
from tui import CompactOptions, evaluate, load_session
from tui.model import Session
from tui.pipeline.acceptance import acceptance
from tui.pipeline.evaluation import Evaluation
from tui.pipeline.index import index_of
from tui.pipeline.marks import marks

STRATEGY = "react-agent-mini-v4"
MOVES = 30
SCREEN = 40
"""Blocks that a screen shows."""


def seconds(work: Callable[[], Any]) -> float:
    """How long ``work`` takes, once."""
    start = perf_counter()
    work()
    return perf_counter() - start


def best(work: Callable[[], Any], times: int = 3) -> float:
    """The shortest of some runs: the one that other processes disturbed least."""
    return min(seconds(work) for _ in range(times))


@dataclass(frozen=True)
class Measured:
    """One session and how long it takes to read.

    Attributes:
        title: What it is, in words.
        session: What was read.
        parse: Seconds that ``json.loads`` takes for the same bytes.
        load: Seconds to a session.
        index: Seconds from the session to its arrays.
    """

    title: str
    session: Session
    parse: float
    load: float
    index: float

    def row(self) -> tuple[str, ...]:
        """The times as a row of the table."""
        ratio = f"{self.load / self.parse:.2f}"
        return self.title, ms(self.parse), ms(self.load), ratio, ms(self.index)


def measured(messages: int, size: int, format: str) -> Measured:
    """Makes a session and reads it."""
    data = session_bytes(messages, size, format)
    texts = data.splitlines() if format in ("react-agent-mini", "claude-code") else [data]

    def parse() -> None:
        for text in texts:
            json.loads(text)

    parse_time = best(parse)
    load_time = best(lambda: load_session(BytesIO(data), name="benchmark"))
    session = load_session(BytesIO(data), name="benchmark")
    return Measured(
        title=f"{messages:,} messages, {len(data) / 1e6:,.1f} MB, {format}",
        session=session,
        parse=parse_time,
        load=load_time,
        index=best(lambda: index_of(replace(session))),
    )


def moves(session: Session) -> Iterator[tuple[str, float]]:
    """For each option, the median time from a new value to the numbers of all calls."""
    for knob in CompactOptions.knobs():
        values = count(knob.default + 1, knob.step)

        def move(name: str = knob.name, values: Iterator[int] = values) -> None:
            options = CompactOptions(**{name: next(values)})
            assert evaluate(session, STRATEGY, options).timeline.count

        yield knob.label, statistics.median(seconds(move) for _ in range(MOVES))


def screen(evaluation: Evaluation, call: int) -> None:
    """What a screen needs of one call."""
    view = evaluation.at(call)
    blocks = [
        (number, block)
        for number in range(max(view.start, view.end - SCREEN), view.end)
        for block in range(len(view.session.messages[number].blocks))
    ]
    for number, block in blocks[:SCREEN]:
        view.outcome(number, block)


def views(session: Session) -> Iterator[tuple[str, float]]:
    """Median times of what a person waits for at one call."""
    evaluation = evaluate(session, STRATEGY)
    calls = [len(evaluation.calls) - number for number in range(MOVES)]
    sizes = count(501)

    def dragged(call: int) -> None:
        screen(evaluate(session, STRATEGY, CompactOptions(min_chars=next(sizes))), call)

    def extras(call: int) -> None:
        view = evaluation.at(call)
        marks(view)
        acceptance(view, evaluation.index)

    def median(work: Callable[[int], None]) -> float:
        return statistics.median(seconds(partial(work, call)) for call in calls)

    yield f"step to a call, {SCREEN} blocks", median(partial(screen, evaluation))
    yield f"new minChars, {SCREEN} blocks", median(dragged)
    yield "marks and acceptance of a call", median(extras)


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """Prints a Markdown table."""
    for row in (head, ("---", *["---:"] * (len(head) - 1)), *rows):
        print(f"| {' | '.join(row)} |")
    print()


def ms(time: float) -> str:
    """Seconds as milliseconds."""
    return f"{time * 1000:,.2f} ms" if time < 0.1 else f"{time * 1000:,.0f} ms"


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmark", description="Measure, and print ratios.")
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--bytes", type=int, default=1_000, help="bytes a message, on average")
    parser.add_argument("--short", type=int, default=100, help="bytes a message of the session of short ones")
    parser.add_argument("--format", choices=FORMATS, default="react-agent-mini")
    arguments = parser.parse_args()

    print(
        f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, gc on: {gc.isenabled()}\n"
    )
    rows = []
    small = measured(min(1_000, arguments.messages), arguments.bytes, arguments.format)
    rows.append(small.row())
    # The short ones are forgotten before the large session is read, so that it has the heap for itself.
    rows.append(measured(arguments.messages, arguments.short, arguments.format).row())
    large = measured(arguments.messages, arguments.bytes, arguments.format)
    rows.append(large.row())
    table(("Reading", "json.loads", "load", "load / json.loads", "index"), rows)
    timed = list(moves(large.session))
    table(
        (f"All calls after a slider moved: {large.title}", "time", "json.loads / time"),
        [(label, ms(time), f"{large.parse / time:,.0f}") for label, time in timed],
    )
    table(
        ("One call", *(f"{len(m.session.messages):,} messages" for m in (small, large))),
        [
            (label, ms(few), ms(many))
            for (label, few), (_, many) in zip(views(small.session), views(large.session), strict=True)
        ],
    )


if __name__ == "__main__":
    main()
