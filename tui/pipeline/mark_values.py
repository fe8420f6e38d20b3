"""The values of the options from which on each stage stays idle, for any number of calls at once.

A stage acts, with the other options as they are, at some values of an option and at no
greater ones: the value for a call is one more than the greatest at which it acts there. A stage acts when its trace
line would say so.

Nothing here asks for a stage to act at *all* lower values: budget and micro do, but retain may stay idle at a low
maxMessages for want of a boundary and act at a higher one. Yet the greatest over some calls of such values is exact for
all of them together: from it on no call acts, and at one lower the call that it comes from does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tui.pipeline.budget import Budget
from tui.pipeline.draft import Draft
from tui.pipeline.index import Bools, Ints
from tui.pipeline.micro import Micro
from tui.pipeline.retain import Retain
from tui.pipeline.stage import Stage, within
from tui.pipeline.variant import Variant


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


def mark_values(stages: Sequence[Stage]) -> Iterator[MarkValues]:
    """The values of all options at the calls that the stages were evaluated at; none of stages switched off.

    Only stages in the order of the v4 pipeline have any, whatever was done to the results before them.
    """
    match stages:
        case (*_, Budget() as budget, Micro() as micro, Retain() as retain):
            if budget.options.runs(budget.name):
                yield from _of_budget(budget)
            if micro.options.runs(micro.name):
                yield from _of_micro(micro)
            if retain.options.runs(retain.name):
                yield from _of_retain(retain, micro)
        case _:
            return


def _of_budget(budget: Budget) -> Iterator[MarkValues]:
    draft = budget.before
    longest = _largest(draft.only_variant.chars, draft, draft.first_row, draft.last_row)
    yield MarkValues("max_tool_result_chars", budget.name, longest)


def _of_micro(micro: Micro) -> Iterator[MarkValues]:
    draft, able = micro.before, micro.able
    first, last = draft.first_row, draft.last_row
    # As if the stage acted at every call.
    variant = draft.only_variant.then(micro.rule)
    has_old = variant.count(first, micro.until) > 0
    yield MarkValues("threshold", micro.name, np.where(has_old, draft.estimate, 0))

    has_long = micro.over & (variant.count(first, last) > 0)
    # The oldest result that could be cleared; any row will do where there is none.
    oldest = _first_from(variant.acts, variant, first, has_long)
    counted = last - oldest if micro.options.keep_counts == "all" else able.before[last] - able.before[oldest]
    yield MarkValues("keep_recent", micro.name, np.where(has_long, counted, 0))

    longest = _largest(np.where(able.mask, draft.only_variant.chars, 0), draft, first, micro.until)
    yield MarkValues("min_chars", micro.name, np.where(micro.over, longest, 0))


def _first_from(mask: Bools, variant: Variant, first: Ints, wanted: Bools) -> Ints:
    """The first row from ``first`` on where ``mask`` holds; ``first`` where it is not wanted."""
    if len(first) == 1:
        return first + int(mask[first[0] :].argmax()) if wanted[0] else first
    return np.where(wanted, np.append(variant.acting_rows, 0)[np.where(wanted, variant.acts_before[first], 0)], first)


def _of_retain(retain: Retain, micro: Micro) -> Iterator[MarkValues]:
    draft = retain.before
    estimate = micro.before.estimate
    would_be = estimate
    if micro.options.runs(micro.name):
        first, variant = draft.first_row, micro.before.only_variant
        cleared = variant.then(micro.rule)
        would_be = estimate - variant.sum(first, micro.until) + cleared.sum(first, micro.until)
    # Below the estimate before micro, micro runs too: what it makes must still be over. At or above it, retain
    # sees an estimate that fits, even where placeholders would have made it larger.
    value = np.maximum(np.minimum(estimate, would_be), 0)
    drops = _can_drop(draft, np.minimum(draft.messages, within(retain.options.max_messages)))
    yield MarkValues("threshold", retain.name, np.where(drops, value, 0))

    # The more messages are wanted, the more of them may be the boundary: if any value drops, the largest does.
    drops = retain.over & _can_drop(draft, draft.messages - 1)
    yield MarkValues("max_messages", retain.name, np.where(drops, draft.messages, 0))


def _can_drop(draft: Draft, max_messages: Ints) -> Bools:
    """Where retain would drop messages down to ``max_messages`` if the view were over the threshold."""
    index, end = draft.index, draft.calls.end
    place = index.rank[end] - max_messages
    inside = (place > index.rank[draft.kept_from]) & (place < index.rank[end])
    message = np.append(index.view_messages, 0)[np.where(inside, place, 0)]
    drops: Bools = inside & (index.next_plain_user[message] < end)
    return drops


def _largest(values: Ints, draft: Draft, first: Ints, last: Ints) -> Ints:
    """The largest of ``values[first:last]`` (0 or more) for each pair; 0 where there are none.

    One value a result; each ``first`` is where the window that holds the results begins.
    """
    if len(first) == 1:  # one call: no need to look at the whole session
        return np.array([values[first[0] : last[0]].max(initial=0)], np.int64)
    if not len(values):
        return np.zeros(len(first), np.int64)
    # Running maxima that begin anew with each window: later windows are lifted above all earlier ones.
    windows = draft.index.window_starts(draft.calls.across)
    lift = np.append(0, np.cumsum(windows[1:] != windows[:-1])) * (int(values.max()) + 1)
    running = np.maximum.accumulate(values + lift) - lift
    largest: Ints = np.where(last > first, running[np.maximum(last, 1) - 1], 0)
    return largest
