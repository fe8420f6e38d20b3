"""The files of a directory that may be sessions."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SUFFIXES = (".jsonl", ".json", ".traj", ".eval", ".gz")
"""How the names of session files end. What a file really is, its content tells when it is opened."""

MOST = 2_000
"""Files listed at most, the newest."""

_MOST_SEEN = 200_000


@dataclass(frozen=True, slots=True)
class SessionFile:
    """A file that may be a session.

    Attributes:
        path: Where it is.
        size: In bytes.
        modified: Seconds since 1970 UTC.
    """

    path: str
    size: int
    modified: float


def session_files(directory: Path, cancelled: Callable[[], bool]) -> tuple[list[SessionFile], str]:
    """The files below a directory that may be sessions, newest first, and what could not be looked at, in words.

    Links are not followed. A file or folder that cannot be read never costs the others.
    """
    found: list[SessionFile] = []
    unreadable: list[OSError] = []
    seen = 0
    for folder, folders, names in os.walk(directory, onerror=unreadable.append):
        folders.sort()
        for name in names:
            seen += 1
            if not name.endswith(SUFFIXES):
                continue
            try:
                path = Path(folder, name)
                stat = path.stat()
            except FileNotFoundError:  # a link to nothing
                continue
            except OSError as error:
                unreadable.append(error)
                continue
            found.append(SessionFile(str(path), stat.st_size, stat.st_mtime))
        if cancelled() or seen > _MOST_SEEN:
            break
    found.sort(key=lambda file: (-file.modified, file.path))
    problems = []
    if unreadable:
        first = f"{unreadable[0].filename} ({unreadable[0].strerror})"
        more = f" and {len(unreadable) - 1:,} more" if len(unreadable) > 1 else ""
        problems.append(f"cannot be read: {first}{more}")
    if seen > _MOST_SEEN:
        problems.append(f"only the first {seen:,} files were looked at: open a smaller directory")
    if len(found) > MOST:
        problems.append(f"only the newest {MOST:,} of {len(found):,} are listed")
    return found[:MOST], "\n".join(problems)
