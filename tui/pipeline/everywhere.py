"""The stages at all calls of a session."""

from __future__ import annotations

from tui.pipeline.evaluation import Evaluation
from tui.pipeline.stage import Stage


def stages_everywhere(evaluation: Evaluation) -> tuple[Stage, ...]:
    """The stages evaluated at every call; ``at`` is the call's number less one in their methods."""
    calls = evaluation.index.calls(evaluation.across)
    return evaluation._run(evaluation.index, calls, evaluation.options)
