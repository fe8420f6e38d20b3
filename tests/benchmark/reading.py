"""Reading, and evaluating all calls, beside ``json.loads`` of the same bytes."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from itertools import count

from tests.benchmark.tables import best, ms, seconds, table
from tests.generate import session_bytes
from tui import CompactOptions, evaluate, load_session
from tui.model import Session
from tui.pipeline.acceptance import acceptance
from tui.pipeline.evaluation import Evaluation
from tui.pipeline.index import index_of
from tui.pipeline.marks import marks
from tui.strategies import STRATEGIES

STRATEGY = "react-agent-mini-v4"
MOVES = 30
SCREEN = 40
"""Blocks that a screen shows."""


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


def show_reading(messages: int, size: int) -> None:
    """Prints the figures for a session of so many messages of ``size`` bytes, and for a small one."""
    small_size = min(1_000, messages)
    small = measured(small_size, size, "react-agent-mini")
    large = measured(messages, size, "react-agent-mini")
    table(("Reading", "json.loads", "load", "load / json.loads", "index"), [small.row(), large.row()])
    table(
        (f"All calls after a slider moved: {large.title}", "time", "json.loads / time"),
        [(label, ms(time), f"{large.parse / time:,.0f}") for label, time in moves(large.session)],
    )
    table(
        ("One call", *(f"{len(one.session.messages):,} messages" for one in (small, large))),
        [
            (label, ms(few), ms(many))
            for (label, few), (_, many) in zip(views(small.session), views(large.session), strict=True)
        ],
    )
    table(
        ("All calls, other strategies", "first", "again, an option changed", "json.loads / again"),
        [
            (name, ms(first), ms(again), f"{large.parse / again:,.0f}")
            for name, first, again in strategies(large.session)
        ],
    )


def evaluated(session: Session, strategy: str) -> None:
    """Evaluates all calls with the defaults."""
    assert evaluate(session, strategy).timeline.count


def strategies(session: Session) -> Iterator[tuple[str, float, float]]:
    """For each strategy, the time to the numbers of all calls, at first and after an option's move."""
    for name, strategy in STRATEGIES.items():
        knob = strategy.options.knobs()[0]
        first = seconds(partial(evaluated, session, name))
        values = count(knob.default + 1, knob.step)

        def move(name: str = name, option: str = knob.name, values: Iterator[int] = values) -> None:
            assert evaluate(session, name, STRATEGIES[name].options(**{option: next(values)})).timeline.count

        yield name, first, statistics.median(seconds(move) for _ in range(5))
