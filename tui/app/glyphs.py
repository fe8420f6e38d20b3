"""The few symbols that the screen uses: one cell wide in every terminal, none with an emoji form.

Each has an ASCII fallback, for terminals and fonts that have nothing else.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from tui.pipeline.outcomes import Outcome


@dataclass(frozen=True, slots=True)
class Glyphs:
    """One set of symbols.

    Attributes:
        truncated: Sign of a cut block.
        cleared: Sign of a block that became a placeholder.
        dropped: Sign of a dropped block.
        hatch: Fills the gap that a dropped block leaves.
        dash: Draws the line at a cut.
        rule: Draws the line below what a call sees.
        bar: Marks the block under the cursor.
        news: Marks a block that fares differently than at the call before.
        full: A filled cell of a gauge.
        empty: An empty cell of a gauge.
        limit: The threshold on a gauge.
        ellipsis: Stands for text left out.
        dot: Separates items.
    """

    truncated: str
    cleared: str
    dropped: str
    hatch: str
    dash: str
    rule: str
    bar: str
    news: str
    full: str
    empty: str
    limit: str
    ellipsis: str
    dot: str

    def of(self, outcome: Outcome) -> str:
        """The sign of what became of a block; a space for a kept one."""
        match outcome:
            case Outcome.TRUNCATED | Outcome.TRIMMED | Outcome.OFFLOADED:
                return self.truncated
            case Outcome.CLEARED | Outcome.INPUT_CLEARED | Outcome.DELETED:
                return self.cleared
            case Outcome.DROPPED:
                return self.dropped
            case _:
                return " "


UNICODE = Glyphs("⋯", "⊘", "✕", "░", "╌", "─", "▌", "»", "█", "░", "│", "…", "·")
ASCII = Glyphs("~", "o", "x", ".", "-", "-", "|", ">", "#", ".", "|", "~", "-")


def wants_ascii() -> bool:
    """Whether the terminal is known to show little else than ASCII, or OUTBOUND_ASCII=1 asks for it."""
    if os.environ.get("OUTBOUND_ASCII", "") not in ("", "0"):
        return True
    encoding = (getattr(sys.__stdout__, "encoding", None) or "utf-8").lower().replace("-", "")
    return os.environ.get("TERM") == "linux" or not encoding.startswith("utf")


def glyphs(ascii_only: bool) -> Glyphs:
    """The set to draw with."""
    return ASCII if ascii_only else UNICODE
