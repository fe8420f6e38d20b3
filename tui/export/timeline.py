"""The numbers of every call, a row a call."""

from __future__ import annotations

from collections.abc import Iterator

from tui.pipeline.evaluation import Evaluation
from tui.pipeline.prompt_cache import reused_chars


def timeline_rows(evaluation: Evaluation) -> Iterator[dict[str, int]]:
    """One row for each call, by column.

    That is its number, the messages it sees, its estimates, its counts, and how many chars repeat the call before.
    """
    names, columns = _columns(evaluation)
    for row in zip(*columns, strict=True):
        yield dict(zip(names, row, strict=True))


def timeline_csv(evaluation: Evaluation) -> Iterator[str]:
    """The same as lines of CSV, the columns' names first."""
    names, columns = _columns(evaluation)
    yield ",".join(names) + "\n"
    for row in zip(*columns, strict=True):
        yield ",".join(map(str, row)) + "\n"


def _columns(evaluation: Evaluation) -> tuple[list[str], list[list[int]]]:
    timeline = evaluation.timeline
    names = ["call", "messages", *timeline.estimate, *evaluation.at().counts, "reused"]
    columns = [timeline.messages, *timeline.estimate.values(), *timeline.count.values(), reused_chars(evaluation)]
    return names, [list(evaluation.calls), *(column.tolist() for column in columns)]
