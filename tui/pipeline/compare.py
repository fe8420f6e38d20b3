"""Two evaluations of one session side by side: which blocks fare differently at a call, and how they differ overall."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tui.pipeline.draft import Draft
from tui.pipeline.evaluation import Evaluation, View
from tui.pipeline.events import last_stage
from tui.pipeline.index import Ints, SessionIndex


@dataclass(frozen=True, slots=True)
class CallDifference:
    """How two outbound views of one call differ.

    Attributes:
        call: The call's number.
        estimates: Their sizes in chars.
        blocks: How many blocks are sent differently: other text, or by only one of them.
    """

    call: int
    estimates: tuple[int, int]
    blocks: int


class Comparison:
    """Two evaluations of the same session, which see the same calls."""

    def __init__(self, one: Evaluation, other: Evaluation) -> None:
        """Initialise the comparison.

        Raises:
            ValueError: They are of two sessions, or count compact boundaries differently.
        """
        if one.index is not other.index or one.across != other.across:
            raise ValueError("two evaluations of one session, which see the same messages, can be compared")
        self.one = one
        self.other = other

    @cached_property
    def differing_calls(self) -> Ints:
        """The numbers of the calls whose outbound views differ in size, ascending.

        Views of the same size that differ in their texts all the same are not among them.
        """
        sizes = [evaluation.timeline.estimate[last_stage(evaluation.timeline)] for evaluation in (self.one, self.other)]
        return np.flatnonzero(sizes[0] != sizes[1]).astype(np.int64) + 1

    def at(self, call: int) -> CallDifference:
        """How the two views of a call differ."""
        views = self.one.at(call), self.other.at(call)
        return CallDifference(
            call=call,
            estimates=(_size(views[0]), _size(views[1])),
            blocks=len(differing_blocks(self.one.index, *views)),
        )

    def next_difference(self, call: int, block: int, step: int) -> int | None:
        """The nearest block number after (``step`` 1) or before (-1) ``block`` that is sent differently; or None."""
        found = differing_blocks(self.one.index, self.one.at(call), self.other.at(call))
        place = int(np.searchsorted(found, block, side="right" if step > 0 else "left")) - (step < 0)
        return int(found[place]) if 0 <= place < len(found) else None


def _size(view: View) -> int:
    return list(view.estimate.values())[-1]


def differing_blocks(index: SessionIndex, one: View, other: View) -> Ints:
    """Block numbers of what is sent differently in two views of one call, ascending.

    That is a block that only one of them holds, a result with another text, or a tool_use whose input only one emptied.
    """
    first = index.first_block
    low, high = sorted((int(first[one.kept_from]), int(first[other.kept_from])))
    drafts = _last(one), _last(other)
    rows = np.union1d(_changed_rows(one), _changed_rows(other))
    rows = rows[np.searchsorted(index.results.block[rows], high) :]
    changed = [row for row in rows.tolist() if _text(index, drafts[0], row) != _text(index, drafts[1], row)]
    emptied = np.setxor1d(_changed_uses(one), _changed_uses(other))
    results = index.results.block[np.array(changed, np.int64)]
    return np.unique(np.concatenate((np.arange(low, high), results, emptied[emptied >= high])).astype(np.int64))


def _changed_rows(view: View) -> Ints:
    return np.concatenate([np.empty(0, np.int64), *(stage.changed_rows(0) for stage in view.stages)])


def _changed_uses(view: View) -> Ints:
    return np.concatenate([np.empty(0, np.int64), *(stage.changed_uses(0) for stage in view.stages)])


def _last(view: View) -> Draft | None:
    return view.stages[-1].after if view.stages else None


def _text(index: SessionIndex, draft: Draft | None, row: int) -> str:
    original = index.result(row).content
    variant = None if draft is None else draft.variant(0, row)
    return original if variant is None else variant.text(row, original)
