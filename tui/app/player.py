"""Playing: stepping through the calls by itself, at a chosen speed."""

from __future__ import annotations

from collections.abc import Callable

from textual.message_pump import MessagePump
from textual.timer import Timer

SPEEDS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""Calls a second."""


class Player:
    """A timer that steps.

    Attributes:
        pausing: Whether it stops at a call where a stage newly acts.
        looping: Whether it starts again at the end.
    """

    def __init__(self, owner: MessagePump, step: Callable[[], None]) -> None:
        """Initialise the player, pausing.

        Args:
            owner: Whose timer it is.
            step: Goes on by one call.
        """
        self.pausing = False
        self.looping = False
        self._owner = owner
        self._step = step
        self._timer: Timer | None = None
        self._speed = SPEEDS.index(2)

    @property
    def playing(self) -> bool:
        """Whether it steps."""
        return self._timer is not None

    @property
    def speed(self) -> float:
        """Calls a second."""
        return SPEEDS[self._speed]

    def start(self) -> None:
        """Plays."""
        self.stop()
        self._timer = self._owner.set_interval(1 / self.speed, self._step)

    def stop(self) -> None:
        """Pauses."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def faster(self, by: int) -> None:
        """Plays faster, or slower for a negative number."""
        self._speed = min(max(self._speed + by, 0), len(SPEEDS) - 1)
        if self.playing:
            self.start()
