"""What a format is: how its files are recognised, and what reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from tui.formats.notes import Notes
from tui.formats.records import Record, Shape
from tui.model import Session


@dataclass(frozen=True, slots=True)
class Sample:
    """The first records of a file, on which its format is decided.

    Attributes:
        shape: Lines, the items of a list, or the ``messages`` of an object.
        records: The first few hundred records.
        fields: The other fields of the object, as far as they are read.
    """

    shape: Shape
    records: Sequence[Record]
    fields: Mapping[str, Any]

    def types(self) -> set[str]:
        """The values of ``type`` that are strings."""
        return set(self.strings("type"))

    def roles(self) -> set[str]:
        """The values of ``role`` that are strings."""
        return set(self.strings("role"))

    def strings(self, key: str) -> Iterator[str]:
        """The values of ``key`` that are strings."""
        return (value for record in self.records if isinstance(value := record.get(key), str))

    def has(self, *keys: str) -> bool:
        """Whether any record has one of ``keys``."""
        return any(key in record for record in self.records for key in keys)

    def any(self, test: Callable[[Record], object]) -> bool:
        """Whether any record passes ``test``."""
        return any(map(test, self.records))


class Reader(Protocol):
    """Builds a session record by record."""

    def feed(self, record: Record, place: int, text: str) -> None:
        """Take the next record, which stands at ``place`` (a line, or a place in a list) and reads ``text``."""

    def fields(self, fields: Mapping[str, Any]) -> None:
        """Take the other fields of a document, once all its records are fed."""

    def count(self) -> int:
        """How many messages there are so far."""

    def snapshot(self) -> Session:
        """The session so far; what is fed later does not change it. Costs time in proportion to its messages."""


Open: TypeAlias = Callable[[str, Notes], Reader]
"""Makes a reader from the name of the source and where to count what is skipped."""


@dataclass(frozen=True, slots=True)
class Format:
    """One known format.

    Attributes:
        name: Its name in ``Session.format``, in help and in errors.
        description: One line about it.
        document: Whether a document is of this format.
        lines: Whether JSON lines are of this format.
        open: Makes its reader; None when it is recognised only.
        evidence: For a format that is recognised only: what it is recognised by.
        hint: For such a format: what to do instead, if there is anything.
    """

    name: str
    description: str
    document: Callable[[Sample], bool] = lambda _: False
    lines: Callable[[Sample], bool] = lambda _: False
    open: Open | None = None
    evidence: str = ""
    hint: str = ""
