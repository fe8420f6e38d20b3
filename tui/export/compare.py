"""Where, and by how much, two ways to compact one session differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tui.pipeline.compare import Comparison
from tui.pipeline.evaluation import Evaluation
from tui.pipeline.events import last_stage


def comparison_rows(comparison: Comparison) -> Iterator[dict[str, Any]]:
    """One row for each call whose outbound views differ in size: its number, both sizes, what differs in blocks."""
    for call in comparison.differing_calls.tolist():
        found = comparison.at(call)
        one, other = found.estimates
        yield {"call": call, "a": one, "b": other, "difference": other - one, "blocks": found.blocks}


def comparison_text(comparison: Comparison, names: tuple[str, str]) -> Iterator[str]:
    """The same to read: what each does over all calls, then the calls at which they differ."""
    evaluations = (comparison.one, comparison.other)
    width = max(len(name) for name in names)
    for label, name, evaluation in zip("AB", names, evaluations, strict=True):
        yield f"{label}  {name:<{width}}  {_overall(evaluation)}"
    calls = comparison.differing_calls
    yield ""
    total = len(comparison.one.calls)
    if not len(calls):
        yield f"the outbound views are of the same size at all {total:,} calls"
        return
    yield f"they differ at {len(calls):,} of {total:,} calls, first at call {int(calls[0]):,}"
    yield ""
    yield f"{'call':>8}  {'A':>12}  {'B':>12}  {'B - A':>12}  {'blocks':>8}"
    for row in comparison_rows(comparison):
        yield f"{row['call']:>8,}  {row['a']:>12,}  {row['b']:>12,}  {row['difference']:>+12,}  {row['blocks']:>8,}"


def _overall(evaluation: Evaluation) -> str:
    timeline = evaluation.timeline
    acting = {stage: int(np.count_nonzero(count)) for stage, count in timeline.count.items()}
    parts = [f"{stage} acts at {calls:,}" for stage, calls in acting.items() if calls]
    largest = int(timeline.estimate[last_stage(timeline)].max())
    done = ", ".join(parts) if parts else "changes nothing"
    return f"{done}; largest view {largest:,} chars"
