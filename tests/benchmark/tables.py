"""Timing and printing: what all measurements share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any


def seconds(work: Callable[[], Any]) -> float:
    """How long ``work`` takes, once."""
    start = perf_counter()
    work()
    return perf_counter() - start


def best(work: Callable[[], Any], times: int = 3) -> float:
    """The shortest of some runs: the one that other processes disturbed least."""
    return min(seconds(work) for _ in range(times))


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints a Markdown table."""
    for row in (head, ("---", *["---:"] * (len(head) - 1)), *rows):
        print(f"| {' | '.join(row)} |")
    print(flush=True)


def ms(time: float) -> str:
    """Seconds as milliseconds."""
    return f"{time * 1000:,.2f} ms" if time < 0.1 else f"{time * 1000:,.0f} ms"
