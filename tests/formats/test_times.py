from __future__ import annotations

from typing import Any

import pytest

from tui.formats.times import seconds


@pytest.mark.parametrize(
    ("stamp", "expected"),
    [
        ("2026-01-01T00:00:00Z", 1767225600.0),
        ("2026-01-01T00:00:00.250Z", 1767225600.25),
        ("2026-01-01 00:00:00", 1767225600.0),
        ("2026-01-01T05:30:00+05:30", 1767225600.0),
        (1767225600, 1767225600.0),
        (1767225600.5, 1767225600.5),
        (1767225600000, 1767225600.0),
        (1767225600000000, 1767225600.0),
        (1767225600000000000, 1767225600.0),
        (0, 0.0),
        (None, None),
        ("", None),
        ("yesterday", None),
        ("\ud83d", None),
        ("0001-01-01T00:00:00", -62135596800.0),
        (-1, None),
        (True, None),
        (float("nan"), None),
        (float("inf"), None),
        (10**400, None),
        ([], None),
    ],
)
def test_seconds(stamp: Any, expected: float | None) -> None:
    assert seconds(stamp) == expected
