"""Where a slider would change this call's picture: the values that its marks stand at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.pipeline.evaluation import Evaluation, View
from tui.pipeline.micro import Micro
from tui.pipeline.retain import Retain


@dataclass(frozen=True, slots=True)
class OptionMark:
    """A value at which one call's picture changes.

    Attributes:
        option: The option's field name.
        value: The smallest value at which the stage stays idle; at one lower it acts.
        stage: Which stage.
        label: The same in words, for the slider's hint.
    """

    option: str
    value: int
    stage: str
    label: str


def marks(view: View) -> dict[str, tuple[OptionMark, ...]]:
    """The marks of one call by option; an option that changes nothing here has none."""
    micro = next(stage for stage in view.stages if isinstance(stage, Micro))
    retain = next(stage for stage in view.stages if isinstance(stage, Retain))
    index, calls, options = micro.index, micro.calls, micro.options
    first = int(index.results_before[calls.start[0]])
    last = int(index.results_before[calls.end[0]])
    found: list[OptionMark] = []
    after_budget = int(micro.before.estimate[0])

    longest = int(index.results.chars[first:last].max(initial=0))
    if options.runs("budget") and longest > 0:
        label = f"budget cuts below {longest:,}"
        found.append(OptionMark("max_tool_result_chars", longest, "budget", label))

    long_rows = micro.table.long_rows
    place = int(np.searchsorted(long_rows, first))
    oldest_long = int(long_rows[place]) if place < len(long_rows) and long_rows[place] < last else None
    until = int(micro.until[0])
    clears = options.runs("micro") and oldest_long is not None and oldest_long < until
    saved = int(micro.table.saved_before[until] - micro.table.saved_before[first]) if clears else 0
    if clears and after_budget > 0:
        found.append(OptionMark("threshold", after_budget, "micro", f"micro starts below {after_budget:,}"))
    if micro.over[0] and oldest_long is not None:
        value = micro.newest_rank(0, oldest_long)
        found.append(OptionMark("keep_recent", value, "micro", f"micro clears below {value:,}"))
    if micro.over[0] and until > first:
        older = slice(first, until)
        sizes = np.where(micro.clearable.mask[older], micro.before.table.chars[older], 0)
        if (value := int(sizes.max(initial=0))) > 0:
            found.append(OptionMark("min_chars", value, "micro", f"micro clears below {value:,}"))

    messages = int(index.rank[calls.end[0]] - index.rank[calls.start[0]])
    boundary = int(index.next_plain_user[min(int(calls.start[0]) + 1, int(calls.end[0]))])
    can_drop = options.runs("retain") and messages > 1 and boundary < calls.end[0]
    if can_drop and _would_drop(retain):
        value = min(after_budget, after_budget - saved)
        if value > 0:
            found.append(OptionMark("threshold", value, "retain", f"retain starts below {value:,}"))
    if can_drop and retain.over[0]:
        found.append(OptionMark("max_messages", messages, "retain", f"retain drops below {messages:,}"))
    grouped: dict[str, list[OptionMark]] = {}
    for mark in found:
        grouped.setdefault(mark.option, []).append(mark)
    return {option: tuple(sorted(group, key=lambda mark: -mark.value)) for option, group in grouped.items()}


def _would_drop(retain: Retain) -> bool:
    """Whether retain would drop messages if the view were over the threshold."""
    index, calls = retain.index, retain.calls
    start, end = int(calls.start[0]), int(calls.end[0])
    rank = int(index.rank[end]) - retain.options.max_messages
    if rank <= index.rank[start]:
        return False
    tail = end if rank >= len(index.view_messages) else int(index.view_messages[rank])
    return bool(index.next_plain_user[min(tail, end)] < end)


def track_reach(evaluation: Evaluation) -> dict[str, int]:
    """For each whole-number option, the largest mark that any call of the session could have."""
    index, calls = evaluation.index, evaluation.index.calls(evaluation.across)
    results = index.results_before[calls.end] - index.results_before[calls.start]
    longest = int(index.results.chars.max(initial=0))
    return {
        "threshold": int((index.chars_before[calls.end] - index.chars_before[calls.start]).max()),
        "max_tool_result_chars": longest,
        "keep_recent": int(results.max()),
        "min_chars": longest,
        "max_messages": int((index.rank[calls.end] - index.rank[calls.start]).max()),
    }
