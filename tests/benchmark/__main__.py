"""Runs the measurements that were asked for."""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Callable

from tests.benchmark import __doc__ as about
from tests.benchmark.frames import show_frames
from tests.benchmark.reading import show_reading
from tests.benchmark.start import show_start
from tests.benchmark.transcript import show_transcript


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmark", description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--full", action="store_true", help="a million messages, a file of 100 MB")
    parser.add_argument(
        "what", nargs="*", metavar="WHAT", help="frames, reading, transcript, start; all when none is named"
    )
    arguments = parser.parse_args()
    full = bool(arguments.full)
    measurements: dict[str, Callable[[], None]] = {
        "start": show_start,
        "reading": lambda: show_reading(100_000, 1_000 if full else 200),
        "transcript": lambda: show_transcript(100 if full else 20),
        "frames": lambda: show_frames([1_000, 100_000, 1_000_000] if full else [1_000, 100_000], 120),
    }
    if unknown := set(arguments.what) - set(measurements):
        parser.error(f"there is no {unknown.pop()!r}; there are {', '.join(measurements)}")
    print(f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}\n", flush=True)
    for name, show in measurements.items():
        if not arguments.what or name in arguments.what:
            show()


if __name__ == "__main__":
    main()
