"""The trace lines of every call."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tui.pipeline.evaluation import Evaluation


def every_trace(evaluation: Evaluation) -> Iterator[str]:
    """The lines of each call that has any, in order, after a line ``# call N``."""
    traced = [stage.traced for stage in evaluation.everywhere]
    for at in np.flatnonzero(np.any(traced, axis=0)):
        call = evaluation.calls[int(at)]
        yield f"# call {call}"
        yield from evaluation.at(call).trace
