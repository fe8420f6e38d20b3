"""How much of each call's outbound view repeats the call before: what the provider's prompt cache can reuse.

A prompt cache holds a prefix. So a stage that rewrites an old result makes all that follows it new, however much it
saved. The prefix is measured in whole blocks, as far as they are the same from the first message on; system prompts are
not counted. What a provider deletes on its own side (``rewrites_prefix`` is false) leaves the prefix as it was.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt

from tui.pipeline.draft import Draft
from tui.pipeline.evaluation import Evaluation
from tui.pipeline.index import Bools, Ints, SessionIndex, next_true, prefix_sum
from tui.pipeline.stage import Stage
from tui.pipeline.variant import Variant

Floats = npt.NDArray[np.float64]


def reused_chars(evaluation: Evaluation) -> Ints:
    """For each call, how many chars of what is sent stand in the same prefix as at the call before; 0 for the first."""
    return _reused(_sent(evaluation.everywhere))


def reused_at(evaluation: Evaluation, call: int) -> tuple[int, int]:
    """The same for one call, and how many chars it sends, at a cost that does not grow with the number of calls."""
    draft = _sent(evaluation.stages_between(max(call - 1, 1), call))
    return int(_reused(draft)[-1]), int(draft.estimate[-1])


def reused_shares(evaluation: Evaluation) -> Floats:
    """For each call, the share of what the call before sent that is sent again as a prefix; 1 for the first."""
    sent = _sent(evaluation.everywhere).estimate
    shares = np.ones(len(sent))
    np.divide(reused_chars(evaluation)[1:], sent[:-1], out=shares[1:], where=sent[:-1] > 0)
    return shares


def _sent(stages: tuple[Stage, ...]) -> Draft:
    """What is sent: the outbound view, without what only the provider's copy loses."""
    for stage in reversed(stages):
        if stage.rewrites_prefix:
            return stage.after
    return stages[0].before


def _reused(draft: Draft) -> Ints:
    index, calls = draft.index, draft.calls
    reused = np.zeros(len(calls), np.int64)
    if len(calls) < 2:
        return reused
    total = len(index.results)
    first = np.full(len(calls) - 1, total, np.int64)
    for before, after in product(draft.pieces, draft.pieces):
        if before.variant is after.variant:
            continue
        low = np.maximum(before.first[:-1], after.first[1:])
        high = np.minimum(before.last[:-1], after.last[1:])
        following = _next_difference(index, before.variant, after.variant)[low]
        first = np.where(following < high, np.minimum(first, following), first)
    prefix = _chars_until(draft, first)
    whole = draft.estimate[:-1]
    same_start = draft.kept_from[1:] == draft.kept_from[:-1]
    reused[1:] = np.where(same_start, np.where(first < total, prefix, whole), 0)
    return reused


def _next_difference(index: SessionIndex, one: Variant, other: Variant) -> Ints:
    """For each row, the first from it on whose text differs between two variants."""
    key = ("difference", one.key, other.key)
    return index.remembered(key, lambda: next_true(_differ(one, other)))


def _differ(one: Variant, other: Variant) -> Bools:
    shared = 0
    while one.key[shared : shared + 1] == other.key[shared : shared + 1] and shared < len(one.key):
        shared += 1
    found = np.zeros(len(one.chars), np.bool_)
    for variant in (one, other):
        step: Variant | None = variant
        while step is not None and len(step.key) > shared:
            found |= step.changed
            step = step.before
    return found


def _chars_until(draft: Draft, row: Ints) -> Ints:
    """Chars of each call but the first, from its first message to result ``row``, or to the tool_use emptied for it."""
    index = draft.index
    results = index.results
    rest = index.remembered(("rest by block",), lambda: _rest_before(index))
    place = np.append(results.block, len(index.block_chars))[row]
    # Where tool_use blocks were emptied, the prefix ends at the call already.
    for piece in draft.pieces:
        if (
            piece.variant.weight is not piece.variant.chars
            and (emptied := piece.variant.weight < piece.variant.chars).any()
        ):
            uses = np.append(np.where(emptied, results.use, results.block), len(index.block_chars))
            inside = (piece.first[1:] <= row) & (row < piece.last[1:])
            place = np.where(inside, uses[row], place)
    total: Ints = rest[place] - rest[index.first_block[draft.kept_from[1:]]]
    for piece in draft.pieces:
        first = piece.first[1:]
        total = total + piece.variant.sum(first, np.clip(row, first, np.maximum(piece.last[1:], first)))
    return total


def _rest_before(index: SessionIndex) -> Ints:
    chars = index.block_chars.copy()
    chars[index.results.block] = 0
    return prefix_sum(chars)
