"""The threshold finder: from which values of the options on each stage stays idle, at one call and at all of them.

Over all calls, a value is the greatest of the calls' own: at it and above, no call acts; at one lower, one does. So it
needs no search, and no stage that acts at all lower values (see ``mark_values``).
"""

from __future__ import annotations

from dataclasses import dataclass

from tui.pipeline.evaluation import Evaluation, View
from tui.pipeline.mark_values import mark_values


@dataclass(frozen=True, slots=True)
class Place:
    """A value that an option can jump to.

    Attributes:
        value: The smallest value from which on the stage stays idle; at one lower it acts.
        call: The first call at which it then acts.
    """

    value: int
    call: int


@dataclass(frozen=True, slots=True)
class Finding:
    """Where one stage stays idle, as one option varies and the others stay as they are.

    Attributes:
        option: The option's field name.
        stage: The stage's name.
        place: None when the stage acts at no value of the option, or is switched off.
    """

    option: str
    stage: str
    place: Place | None


OPTIONS = (
    ("threshold", "micro"),
    ("threshold", "retain"),
    ("keep_recent", "micro"),
    ("min_chars", "micro"),
    ("max_messages", "retain"),
    ("max_tool_result_chars", "budget"),
)
"""What is looked for, in the order of the sliders: options, and the stages that they hold back."""


def found_at(view: View) -> tuple[Finding, ...]:
    """What is found at one call alone, at a cost that does not grow with the number of calls."""
    places = {(marks.option, marks.stage): int(marks.values[0]) for marks in mark_values(view.stages)}
    return tuple(
        Finding(option, stage, Place(value, view.call) if (value := places.get((option, stage), 0)) else None)
        for option, stage in OPTIONS
    )


def found_everywhere(evaluation: Evaluation) -> tuple[Finding, ...]:
    """What is found over all calls of the session: each stage stays idle at every one of them."""
    places = {}
    for marks in mark_values(evaluation.everywhere):
        first = int(marks.values.argmax())
        places[marks.option, marks.stage] = Place(int(marks.values[first]), first + 1)
    return tuple(
        Finding(option, stage, place if (place := places.get((option, stage))) and place.value else None)
        for option, stage in OPTIONS
    )
