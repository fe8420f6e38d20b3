"""The trace lines of all calls, each found without the others being made."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.pipeline.evaluation import Evaluation, View
from tui.pipeline.index import prefix_sum
from tui.pipeline.stage import Stage


@dataclass(frozen=True, slots=True)
class TraceLine:
    """One line that the original program writes to stderr with TRACE=1.

    Attributes:
        call: The call's number.
        stage: The name of the stage that writes it.
        text: The line, without its line end.
    """

    call: int
    stage: str
    text: str


class Trace:
    """The lines of some calls in a row, in order: a sequence that makes a line when it is asked for."""

    def __init__(self, stages: tuple[Stage, ...], first: int, calls: int) -> None:
        """Initialise the trace.

        Args:
            stages: The stages, evaluated at these calls at least, beginning with the first.
            first: Number of the first call.
            calls: How many calls.
        """
        self._stages = stages
        self._first = first
        lines = np.zeros(calls, np.int64)
        for stage in stages:
            acting = stage.traced[:calls]
            if acting.any():
                # A stage writes as many lines at one call where it acts as at any other.
                lines += acting * len(stage.trace(int(acting.argmax())))
        self._lines_before = prefix_sum(lines)

    def __len__(self) -> int:
        return int(self._lines_before[-1])

    def __getitem__(self, number: int) -> TraceLine:
        if not 0 <= number < len(self):
            raise IndexError(number)
        place = int(np.searchsorted(self._lines_before, number, side="right")) - 1
        return self.of(self._first + place)[number - int(self._lines_before[place])]

    def of(self, call: int) -> list[TraceLine]:
        """The lines of one call."""
        at = call - self._first
        return [TraceLine(call, stage.name, text) for stage in self._stages for text in stage.trace(at)]


def trace_at(view: View) -> Trace:
    """The lines of one call."""
    return Trace(view.stages, view.call, 1)


def trace_until(evaluation: Evaluation, call: int) -> Trace:
    """The lines of all calls up to ``call``."""
    return Trace(evaluation.everywhere, 1, call)
