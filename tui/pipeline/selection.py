"""Which blocks of a view fared how: one flag a block, for all blocks at once."""

from __future__ import annotations

import numpy as np

from tui.pipeline.evaluation import View
from tui.pipeline.index import Bools, SessionIndex
from tui.pipeline.outcomes import Outcome


def blocks_by_outcome(view: View, index: SessionIndex, stage: str) -> dict[Outcome, Bools]:
    """For each outcome, which blocks have it after ``stage``; blocks that the call does not see have none.

    Args:
        view: The call's view.
        index: The session's index.
        stage: ``original``, a stage's name, or ``outbound``.
    """
    total = len(index.block_chars)
    first, kept, last = (int(index.first_block[m]) for m in (view.start, view.kept_from_after(stage), view.end))
    found = {outcome: np.zeros(total, np.bool_) for outcome in Outcome}
    changed = np.zeros(total, np.bool_)
    for step in view.stages_until(stage):
        for outcome, numbers in (
            (step.effect, index.results.block[step.changed_rows(0)]),
            (Outcome.INPUT_CLEARED, step.changed_uses(0)),
        ):
            for earlier in found.values():
                earlier[numbers] = False
            found[outcome][numbers] = True
            changed[numbers] = True
    for mask in (*found.values(), changed):
        mask[:kept] = False
    found[Outcome.DROPPED][first:kept] = True
    found[Outcome.KEPT][kept:last] = ~changed[kept:last]
    return found
