"""The values of the options from which on each stage stays idle, for any number of calls at once.

A stage acts, with the other options as they are, at some values of an option and at no
greater ones: the value for a call is one more than the greatest at which it acts there. A stage acts when its trace
line would say so.

Nothing here asks for a stage to act at *all* lower values: budget and micro do, but retain may stay idle at a low
maxMessages for want of a boundary and act at a higher one. Yet the greatest over some calls of such values is exact for
all of them together: from it on no call acts, and at one lower the call that it comes from does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from tui.pipeline.budget import Budget
from tui.pipeline.index import Bools, Ints, SessionIndex
from tui.pipeline.micro import Micro
from tui.pipeline.retain import Retain
from tui.pipeline.stage import Stage, within


@dataclass(frozen=True, slots=True)
class MarkValues:
    """Where one stage stays idle, at some calls.

    Attributes:
        option: The option's field name.
        stage: The stage's name.
        values: For each call the smallest value from which on the stage stays idle; 0 where it acts at no value.
    """

    option: str
    stage: str
    values: Ints


def mark_values(stages: Iterable[Stage]) -> Iterator[MarkValues]:
    """The values of all options at the calls that the stages were evaluated at; none of stages switched off."""
    for stage in stages:
        match stage:
            case Budget() if stage.options.runs(stage.name):
                yield from _of_budget(stage)
            case Micro() if stage.options.runs(stage.name):
                yield from _of_micro(stage)
            case Retain() if stage.options.runs(stage.name):
                yield from _of_retain(stage)
            case _:
                continue


def _of_budget(budget: Budget) -> Iterator[MarkValues]:
    index, calls = budget.index, budget.calls
    first, last = index.results_before[calls.start], index.results_before[calls.end]
    longest = _largest(index.results.chars, index, calls.across, first, last)
    yield MarkValues("max_tool_result_chars", budget.name, longest)


def _of_micro(micro: Micro) -> Iterator[MarkValues]:
    index, calls, table, able = micro.index, micro.calls, micro.table, micro.clearable
    first, last = index.results_before[calls.start], index.results_before[calls.end]
    has_old = table.long_before[micro.until] > table.long_before[first]
    yield MarkValues("threshold", micro.name, np.where(has_old, micro.before.estimate, 0))

    has_long = micro.over & (table.long_before[last] > table.long_before[first])
    # The oldest result that could be cleared; any row will do where there is none.
    oldest = np.append(table.long_rows, 0)[np.where(has_long, table.long_before[first], 0)]
    before = np.arange(len(index.results) + 1) if micro.options.keep_counts == "all" else able.before
    yield MarkValues("keep_recent", micro.name, np.where(has_long, before[last] - before[oldest], 0))

    chars = np.where(able.mask, micro.before.table.chars, 0)
    longest = _largest(chars, index, calls.across, first, micro.until)
    yield MarkValues("min_chars", micro.name, np.where(micro.over, longest, 0))


def _of_retain(retain: Retain) -> Iterator[MarkValues]:
    index, calls, micro = retain.index, retain.calls, retain.before
    messages = index.rank[calls.end] - index.rank[calls.start]
    estimate = micro.before.estimate
    would_save = np.zeros_like(estimate)
    if micro.options.runs(micro.name):
        saved = micro.table.saved_before
        would_save = saved[micro.until] - saved[index.results_before[calls.start]]
    # Below the estimate before micro, micro runs too: what it makes must still be over. At or above it, retain
    # sees an estimate that fits, even where placeholders would have made it larger.
    value = np.maximum(np.minimum(estimate, estimate - would_save), 0)
    drops = _can_drop(retain, np.minimum(messages, within(retain.options.max_messages)))
    yield MarkValues("threshold", retain.name, np.where(drops, value, 0))

    # The more messages are wanted, the more of them may be the boundary: if any value drops, the largest does.
    drops = retain.over & _can_drop(retain, messages - 1)
    yield MarkValues("max_messages", retain.name, np.where(drops, messages, 0))


def _can_drop(retain: Retain, max_messages: Ints) -> Bools:
    """Where retain would drop messages down to ``max_messages`` if the view were over the threshold."""
    index, end = retain.index, retain.calls.end
    place = index.rank[end] - max_messages
    inside = (place > index.rank[retain.calls.start]) & (place < index.rank[end])
    message = np.append(index.view_messages, 0)[np.where(inside, place, 0)]
    drops: Bools = inside & (index.next_plain_user[message] < end)
    return drops


def _largest(values: Ints, index: SessionIndex, across: bool, first: Ints, last: Ints) -> Ints:
    """The largest of ``values[first:last]`` (0 or more) for each pair; 0 where there are none.

    One value a result; each ``first`` is where the window that holds the results begins.
    """
    if len(first) == 1:  # one call: no need to look at the whole session
        return np.array([values[first[0] : last[0]].max(initial=0)], np.int64)
    if not len(values):
        return np.zeros(len(first), np.int64)
    # Running maxima that begin anew with each window: later windows are lifted above all earlier ones.
    windows = index.window_starts(across)
    lift = np.append(0, np.cumsum(windows[1:] != windows[:-1])) * (int(values.max()) + 1)
    running = np.maximum.accumulate(values + lift) - lift
    largest: Ints = np.where(last > first, running[np.maximum(last, 1) - 1], 0)
    return largest
