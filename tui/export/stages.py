"""A call's view as it is when a stage has run and the later ones have not."""

from __future__ import annotations

from tui.pipeline.evaluation import ORIGINAL, OUTBOUND, Evaluation, View


def view_after(evaluation: Evaluation, view: View, stage: str) -> View:
    """``view`` with the stages up to ``stage`` only, so that outcomes and counts end there.

    Args:
        evaluation: Where the view is from.
        view: A call's view.
        stage: ``original``, a stage's name, or ``outbound`` for the last.

    Raises:
        ValueError: There is no such stage.
    """
    if stage == OUTBOUND:
        return view
    count = [ORIGINAL, *(step.name for step in view.stages)].index(stage)
    calls = evaluation.index.calls(evaluation.across).only(view.call)
    return View(evaluation.index, view.call, calls, view.stages[:count])
