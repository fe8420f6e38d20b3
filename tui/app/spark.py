"""What a slider's moves would lead to, evaluated without moving it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tui.app.scene import Scene
from tui.strategies import evaluate


def spark(scene: Scene, option: str, values: Sequence[int], cancelled: Callable[[], bool]) -> tuple[float, ...]:
    """The outbound estimate of the scene's call at each of ``values``, from 0 to 1 of the largest.

    Empty where none of the values makes a difference: then there is nothing to see.
    """
    evaluation = scene.evaluation
    sizes = []
    for value in values:
        if cancelled():
            return ()
        options = evaluation.options.changed(**{option: value})
        view = evaluate(
            evaluation.session,
            evaluation.strategy,
            options,
            across_boundaries=evaluation.across,
            offload=evaluation.offload,
        ).at(scene.call)
        sizes.append(view.estimate[evaluation.stages[-1]])
    if len(set(sizes)) < 2:
        return ()
    return tuple(size / max(sizes) for size in sizes)
