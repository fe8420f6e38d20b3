"""When each call was made, and how long after the assistant last spoke (SPEC.md, section 3).

A call's time is the timestamp of the newest message that it sees: the prompt or the tool result that caused it. The
next call's is that plus a "now" that the user sets. The clock is never read.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tui.pipeline.index import Bools, Ints, SessionIndex
from tui.pipeline.stage import within

Floats = npt.NDArray[np.float64]

STEP_SECONDS = 30
"""What a message is taken to last where the session has no timestamps at all, unless the user says otherwise."""

_MINUTE = 60.0


@dataclass(frozen=True, slots=True, eq=False)
class CallTimes:
    """The times of all calls of a session, one an entry.

    Attributes:
        newest: The newest message that each call sees, -1 where it sees none.
        spoke: The newest assistant message among them, -1 for none.
        time: When it was made, in seconds since 1970 UTC; nan where the newest message has no timestamp.
        gap: How long after that assistant message, in seconds, less than 0 where the timestamps say so; nan where one
            of the two has no timestamp or there is no assistant message.
        declared: Whether the session has no timestamps at all, so that every message lasts a declared step.
    """

    newest: Ints
    spoke: Ints
    time: Floats
    gap: Floats
    declared: bool


def call_times(index: SessionIndex, across: bool, step_seconds: int = STEP_SECONDS, now_minutes: int = 0) -> CallTimes:
    """The times of all calls; remembered by the index.

    Args:
        index: The session's index.
        across: Whether messages before a compact boundary are counted in.
        step_seconds: How long a message lasts in a session without timestamps.
        now_minutes: How long after the newest message the next call is made.
    """
    key = ("times", across, step_seconds, now_minutes)
    return index.remembered(key, lambda: _call_times(index, across, step_seconds, now_minutes))


def cold(times: CallTimes, minutes: int = 5) -> Bools:
    """The calls that find no prompt cache: the first, and those after at least so many idle minutes.

    A call whose gap is unknown counts as warm.
    """
    found = times.gap >= within(minutes) * _MINUTE
    found[:1] = True
    return found


def on_sidechain(index: SessionIndex, times: CallTimes) -> Bools:
    """The calls of a subagent: those whose newest message belongs to a sidechain."""
    return np.append(sidechain_messages(index), False)[times.newest]


def sidechain_messages(index: SessionIndex) -> Bools:
    """Which messages belong to a sidechain; remembered by the index."""

    def make() -> Bools:
        return np.array([message.sidechain for message in index.session.messages], np.bool_)

    return index.remembered(("sidechain",), make)


def duration(seconds: float) -> str:
    """A span in words, in its two largest units, rounded down: ``3 min 12 s``, ``2 d 4 h``, ``0 s``, ``-5 min``."""
    rest = int(abs(seconds))
    parts: list[tuple[int, str]] = []
    for unit, name in ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")):
        count, rest = divmod(rest, unit)
        if count or parts:
            parts.append((count, name))
    words = [f"{count:,} {name}" for count, name in parts[:2] if count] or ["0 s"]
    return ("-" if seconds <= -1 else "") + " ".join(words)


def _stamps(index: SessionIndex) -> Floats:
    """Each message's timestamp, nan for none."""

    def make() -> Floats:
        return np.array([message.timestamp for message in index.session.messages], np.float64)

    return index.remembered(("timestamps",), make)


def _call_times(index: SessionIndex, across: bool, step_seconds: int, now_minutes: int) -> CallTimes:
    calls = index.calls(across)
    stamps = _stamps(index)
    declared = bool(np.isnan(stamps[index.view_messages]).all())
    if declared:
        stamps = index.rank[:-1].astype(np.float64) * within(step_seconds)
    seen = index.rank[calls.end]
    newest = np.append(index.view_messages, -1)[np.where(seen > index.rank[calls.start], seen - 1, -1)]
    places = np.where(index.assistant, np.arange(len(index.assistant)), -1)
    latest = np.append(-1, np.maximum.accumulate(places))[calls.end]
    spoke = np.where(latest >= calls.start, latest, -1)
    stamps = np.append(stamps, np.nan)
    time = stamps[newest]
    time[-1] += within(now_minutes) * _MINUTE
    return CallTimes(newest, spoke, time, time - stamps[spoke], declared)
