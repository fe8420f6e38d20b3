"""Where a slider would change this call's picture: the values that its marks stand at.

Each stage acts, with the other options as they are, at some values of an option and at no greater ones: the mark is
the first of those no greater ones. A stage acts when its trace line would say so: where micro writes a placeholder
over an equal one, it acts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tui.pipeline.budget import Budget
from tui.pipeline.evaluation import Evaluation, View
from tui.pipeline.micro import Micro
from tui.pipeline.placeholder import TRUNCATION_NOTE_CHARS
from tui.pipeline.retain import Retain


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


def marks(view: View) -> dict[str, tuple[OptionMark, ...]]:
    """The marks of one call by option, greatest first.

    An option has no mark for a stage that acts at none of the option's values.
    """
    found: dict[str, list[OptionMark]] = {}
    for stage in view.stages:
        match stage:
            case Budget():
                stage_marks = _budget_marks(stage)
            case Micro():
                stage_marks = _micro_marks(stage)
            case Retain():
                stage_marks = _retain_marks(stage)
            case _:
                continue
        for mark in stage_marks:
            found.setdefault(mark.option, []).append(mark)
    return {option: tuple(sorted(group, key=lambda mark: -mark.value)) for option, group in found.items()}


def _budget_marks(budget: Budget) -> Iterator[OptionMark]:
    first, last = budget.index.results_before[[budget.calls.start[0], budget.calls.end[0]]]
    longest = int(budget.index.results.chars[first:last].max(initial=0))
    if longest and budget.options.runs(budget.name):
        yield OptionMark("max_tool_result_chars", longest, budget.name, f"budget cuts below {longest:,}")


def _micro_marks(micro: Micro) -> Iterator[OptionMark]:
    if not micro.options.runs(micro.name):
        return
    first, last = micro.index.results_before[[micro.calls.start[0], micro.calls.end[0]]]
    until = int(micro.until[0])
    before = int(micro.before.estimate[0])
    long_before = micro.table.long_before
    if long_before[until] > long_before[first]:
        yield OptionMark("threshold", before, micro.name, f"micro starts below {before:,}")
    if not micro.over[0]:
        return
    if long_before[last] > long_before[first]:
        oldest = int(micro.table.long_rows[long_before[first]])
        rank = micro.newest_rank(0, oldest)
        yield OptionMark("keep_recent", rank, micro.name, f"micro clears below {rank:,}")
    older = slice(first, until)
    longest = int(micro.before.table.chars[older].max(initial=0, where=micro.clearable.mask[older]))
    if longest:
        yield OptionMark("min_chars", longest, micro.name, f"micro clears below {longest:,}")


def _retain_marks(retain: Retain) -> Iterator[OptionMark]:
    if not retain.options.runs(retain.name):
        return
    index, micro = retain.index, retain.before
    start, end = int(retain.calls.start[0]), int(retain.calls.end[0])
    messages = int(index.rank[end] - index.rank[start])
    if _can_drop(retain, retain.options.max_messages):
        # Below the estimate before micro, micro runs too: what it makes must still be over. At or above it, retain
        # sees an estimate that fits, even where placeholders would have made it larger.
        before = int(micro.before.estimate[0])
        value = min(before, before - _would_save(micro))
        if value > 0:
            yield OptionMark("threshold", value, retain.name, f"retain starts below {value:,}")
    # The more messages are wanted, the more of them may be the boundary: if any value drops, the largest does.
    if retain.over[0] and _can_drop(retain, messages - 1):
        yield OptionMark("max_messages", messages, retain.name, f"retain drops below {messages:,}")


def _would_save(micro: Micro) -> int:
    """What micro would save if the view were over the threshold, in chars; less than 0 where it would add."""
    if not micro.options.runs(micro.name):
        return 0
    first = micro.index.results_before[micro.calls.start[0]]
    return int(micro.table.saved_before[micro.until[0]] - micro.table.saved_before[first])


def _can_drop(retain: Retain, max_messages: int) -> bool:
    """Whether retain would drop messages down to ``max_messages`` if the view were over the threshold."""
    index, end = retain.index, int(retain.calls.end[0])
    place = int(index.rank[end]) - max_messages
    if place <= index.rank[retain.calls.start[0]] or place >= index.rank[end]:
        return False
    return bool(index.next_plain_user[index.view_messages[place]] < end)


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
