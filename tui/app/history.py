"""Undo and redo."""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

T = TypeVar("T")


class History(Generic[T]):
    """The values that something had, one after the other; they must be frozen.

    A slider that is dragged gives hundreds of values. Values pushed with the same tag are one entry, until
    ``commit``.
    """

    def __init__(self, first: T, most: int = 500) -> None:
        """Initialise the history.

        Args:
            first: The value at the start.
            most: How many steps can be undone, at least 1; older ones are forgotten.
        """
        self._current = first
        self._past: deque[T] = deque(maxlen=most)
        self._future: list[T] = []
        self._tag: str | None = None

    @property
    def current(self) -> T:
        """The value now."""
        return self._current

    def push(self, value: T, tag: str | None = None) -> None:
        """Takes a new value; what was undone can then not be redone. A value that is the current one is no change.

        Args:
            value: The value.
            tag: What the change belongs to, such as a slider's name; None for a change of its own.
        """
        if value == self._current:
            return
        if tag is None or tag != self._tag:
            self._past.append(self._current)
            self._future.clear()
            self._tag = tag
        elif value == self._past[-1]:  # back where it began: nothing to undo
            self._past.pop()
            self._tag = None
        self._current = value

    def commit(self) -> None:
        """Ends the entry: the next value is an entry of its own, whatever its tag."""
        self._tag = None

    def undo(self) -> T | None:
        """Goes back by an entry and returns the value there; None when there is none."""
        return self._move(self._past, self._future)

    def redo(self) -> T | None:
        """Goes forward again and returns the value there; None when there is none."""
        return self._move(self._future, self._past)

    def _move(self, source: deque[T] | list[T], target: deque[T] | list[T]) -> T | None:
        self.commit()
        if not source:
            return None
        target.append(self._current)
        self._current = source.pop()
        return self._current
