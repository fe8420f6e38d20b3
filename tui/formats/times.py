"""Timestamps in the forms that agents write, as seconds since 1970 UTC."""

from __future__ import annotations

from datetime import UTC, datetime

_LATEST = 253_402_300_800.0
"""Seconds until the year 10000."""


def seconds(stamp: object) -> float | None:
    """``stamp`` in seconds since 1970 UTC, or None when it cannot be read.

    ISO 8601 text (without an offset: UTC), and numbers, which are taken for seconds, milliseconds, microseconds
    or nanoseconds by their size.
    """
    if isinstance(stamp, str):
        try:
            moment = datetime.fromisoformat(stamp)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError):
            return None
    if isinstance(stamp, (int, float)) and not isinstance(stamp, bool):
        # A whole number too large for a double, NaN and infinity all fail one of the comparisons.
        if 0 <= stamp < 1e11:
            return float(stamp)
        for unit in (1e3, 1e6, 1e9):
            if 0 <= stamp < 1e11 * unit:
                return min(float(stamp) / unit, _LATEST)
    return None
