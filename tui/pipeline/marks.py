"""Where a slider would change this call's picture: the values that its marks stand at (see ``mark_values``)."""

from __future__ import annotations

from dataclasses import dataclass

from tui.pipeline.evaluation import Evaluation, View
from tui.pipeline.mark_values import mark_values
from tui.pipeline.placeholder import TRUNCATION_NOTE_CHARS


@dataclass(frozen=True, slots=True)
class OptionMark:
    """A value at which one call's picture changes.

    Attributes:
        option: The option's field name.
        value: The smallest value from which on the stage stays idle; at one lower it acts.
        stage: Which stage.
        label: The same in words, for the slider's hint.
    """

    option: str
    value: int
    stage: str
    label: str


_WORDS = {
    ("max_tool_result_chars", "budget"): "budget cuts below",
    ("threshold", "micro"): "micro starts below",
    ("keep_recent", "micro"): "micro clears below",
    ("min_chars", "micro"): "micro clears below",
    ("threshold", "retain"): "retain starts below",
    ("max_messages", "retain"): "retain drops below",
}


def marks(view: View) -> dict[str, tuple[OptionMark, ...]]:
    """The marks of one call by option, greatest first.

    An option has no mark for a stage that acts at none of the option's values.
    """
    found: dict[str, list[OptionMark]] = {}
    for one in mark_values(view.stages):
        if value := int(one.values[0]):
            label = f"{_WORDS[one.option, one.stage]} {value:,}"
            found.setdefault(one.option, []).append(OptionMark(one.option, value, one.stage, label))
    return {option: tuple(sorted(group, key=lambda mark: -mark.value)) for option, group in found.items()}


def track_reach(evaluation: Evaluation) -> dict[str, int]:
    """For each whole-number option, a value that no mark of any call exceeds, whatever the other options.

    So a slider's track keeps its length while other sliders move.
    """
    index, calls = evaluation.index, evaluation.index.calls(evaluation.across)
    results = index.results_before[calls.end] - index.results_before[calls.start]
    # A cut takes away one char at least and adds the note.
    growth = TRUNCATION_NOTE_CHARS - 1
    longest = int(index.results.chars.max(initial=0))
    return {
        "threshold": int((index.chars_before[calls.end] - index.chars_before[calls.start] + growth * results).max()),
        "max_tool_result_chars": longest,
        "keep_recent": int(results.max()),
        "min_chars": longest + growth,
        "max_messages": int((index.rank[calls.end] - index.rank[calls.start]).max()),
    }
