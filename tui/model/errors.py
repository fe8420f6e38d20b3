"""The one family of errors meant for people."""

from __future__ import annotations


class OutboundError(Exception):
    """Something a person can act on.

    Attributes:
        problem: What is wrong, in a sentence.
        hint: What to do about it, or an empty string.
        source: The file (or ``-``) it is about, or None.
        line: The line in that file, counted from 1, or None.
    """

    def __init__(self, problem: str, *, hint: str = "", source: str | None = None, line: int | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.hint = hint
        self.source = source
        self.line = line

    def __str__(self) -> str:
        where = ""
        if self.source is not None:
            where = self.source if self.line is None else f"{self.source}, line {self.line}"
            where += ": "
        return f"{where}{self.problem}" + (f"\n{self.hint}" if self.hint else "")


class SessionError(OutboundError):
    """A file that cannot be read as a session."""


class UnsupportedFormatError(SessionError):
    """A file whose format is recognised but has no reader here.

    Attributes:
        format: The name of that format.
    """

    def __init__(self, format: str, *, hint: str = "", source: str | None = None) -> None:
        super().__init__(
            f"its format is {format}, which outbound recognises but cannot read yet",
            hint=hint,
            source=source,
        )
        self.format = format


class OptionError(OutboundError, ValueError):
    """An option with a value out of its range; names the option and the range."""


class LoadCancelled(OutboundError):  # noqa: N818 (it is not a fault)
    """Loading was cancelled by the one who asked for it."""
