"""Where along a session something new happens, and what changed from one call to the next."""

from __future__ import annotations

import numpy as np

from tui.pipeline.evaluation import ORIGINAL, Timeline, View
from tui.pipeline.index import Bools, Ints
from tui.pipeline.outcomes import Outcome


def newly_acting(timeline: Timeline) -> dict[str, Bools]:
    """For each stage, the calls at which it acts and did not at the call before."""
    found = {}
    for stage, count in timeline.count.items():
        acts = count > 0
        found[stage] = acts & ~np.concatenate(([False], acts[:-1]))
    return found


def events(timeline: Timeline) -> Ints:
    """The call numbers (from 1) where something new happens, ascending.

    New is: a stage starts to act, or the outbound view is smaller than at the call before.
    """
    outbound = timeline.estimate[last_stage(timeline)]
    falls = np.zeros(len(outbound), np.bool_)
    falls[1:] = outbound[1:] < outbound[:-1]
    for starts in newly_acting(timeline).values():
        falls |= starts
    return np.flatnonzero(falls).astype(np.int64) + 1


def last_stage(timeline: Timeline) -> str:
    """The stage after which the timeline shows the outbound view."""
    return list(timeline.estimate)[-1]


def what_changed(view: View, before: View | None, line: int | None) -> str:
    """One line on what is different from the call before: ``2 more results cleared, 61,004 of 80,000``."""
    size = view.estimate[list(view.estimate)[-1]]
    parts = []
    for what, count in view.counts.items():
        previous = before.counts.get(what, 0) if before is not None else 0
        noun = "message" if what == Outcome.DROPPED else "result"
        difference = count - previous
        if difference > 0:
            more = "more " if previous else ""
            parts.append(f"{difference:,} {more}{noun}{'' if difference == 1 else 's'} {what}")
        elif difference < 0:
            parts.append(f"{-difference:,} {noun}{'' if difference == -1 else 's'} no longer {what}")
    if not parts:
        before_size = before.estimate[ORIGINAL] if before is not None else 0
        grown = view.estimate[ORIGINAL] - before_size
        parts.append(f"{grown:+,} chars" if grown else "nothing new")
    return f"{', '.join(parts)}; {size:,}{'' if line is None else f' of {line:,}'}"
