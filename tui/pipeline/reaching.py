"""How far clearing goes that stops as soon as enough is saved, at many calls at once."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from tui.pipeline.index import Ints


def first_reaching(saved: Ints, first: Ints, last: Ints, wanted: Ints) -> Ints:
    """For each call, the least ``first <= i <= last`` with ``saved[i] - saved[first] >= wanted``; ``last`` for none.

    Args:
        saved: What all results before result ``i`` save together. A placeholder may be longer than what it stands
            for, so this may fall as well as rise.
        first: The first result that may be cleared, one a call: the same for all calls of a window, and never less
            than ``last`` of an earlier window.
        last: One past the last result that may be cleared, one a call, ascending within a window.
        wanted: What is to be saved, one a call.
    """
    reached = last.copy()
    edges = [0, *(np.flatnonzero(np.diff(first)) + 1).tolist(), len(first)]
    for low, high in pairwise(edges):
        start, end = int(first[low]), int(last[low:high].max())
        most = np.maximum.accumulate(saved[start : end + 1] - saved[start])
        reached[low:high] = start + np.searchsorted(most, wanted[low:high])
    found: Ints = np.minimum(reached, last)
    return found
