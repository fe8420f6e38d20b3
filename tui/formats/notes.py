"""Counting what was skipped or repaired, so that nothing is lost in silence."""

from __future__ import annotations

from typing import Literal, TypeAlias

from tui.model import Note

Kind: TypeAlias = Literal["skipped", "repaired", "info"]

LINES_KEPT = 3
"""How many lines a note names."""


class Notes:
    """A tally of notes, in the order in which each was first made."""

    def __init__(self) -> None:
        self._tally: dict[tuple[str, Kind], tuple[list[int], list[int]]] = {}

    def add(self, text: str, line: int | None = None, kind: Kind = "skipped") -> None:
        """Count one more ``text``, seen on ``line`` (counted from 1) if that is known."""
        found = self._tally.get((text, kind))
        if found is None:
            found = self._tally[text, kind] = ([0], [])
        found[0][0] += 1
        if line is not None and len(found[1]) < LINES_KEPT:
            found[1].append(line)

    def skip_record(self, kind: object, line: int) -> None:
        """Count a whole record that is no message, by its type."""
        self.add(f"records skipped: {kind if isinstance(kind, str) else 'no type'}", line)

    def __contains__(self, text: str) -> bool:
        return any(text == noted for noted, _ in self._tally)

    def freeze(self) -> tuple[Note, ...]:
        """What was counted so far."""
        return tuple(Note(text, count[0], tuple(lines), kind) for (text, kind), (count, lines) in self._tally.items())
