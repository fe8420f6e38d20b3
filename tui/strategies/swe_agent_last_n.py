"""SWE-agent's LastNObservations: all observations but the first and the last n are elided (SPEC.md, section 3).

An observation is one tool_result. The first that the call sees stays, as do the last n; each between them becomes a
note of how many lines it had, counted as Python's ``str.splitlines`` counts. With fewer than n + 2 there is none
between them.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tui.model.chars import units
from tui.pipeline.draft import Draft
from tui.pipeline.index import Ints, SessionIndex
from tui.pipeline.outcomes import Reason
from tui.pipeline.replace import holding
from tui.pipeline.stage import Stage, counted, within
from tui.pipeline.strategy_options import Count, StrategyOptions, knob
from tui.pipeline.variant import Rewritten, Variant
from tui.strategies.old_results import OldResults, cleared
from tui.strategies.strategy import Strategy

NAME = "swe-agent-last-n"
ELIDE = "elide"
PLACEHOLDER = "Old environment output: (N lines omitted)"


class LastNOptions(StrategyOptions):
    """Options of LastNObservations."""

    STAGES: ClassVar = (ELIDE,)

    keep_recent: Count = knob(
        5, "n", "results", 24, 1, "elide leaves the first and this many of the newest results whole", least=1
    )


def omitted(lines: int) -> str:
    """The note for a text of so many lines."""
    return PLACEHOLDER.replace("N", str(lines))


def line_counts(index: SessionIndex) -> Ints:
    """How many lines each result has in the conversation; remembered by the index."""

    def make() -> Ints:
        rows = range(len(index.results))
        return np.fromiter((len(index.result(row).content.splitlines()) for row in rows), np.int64, len(rows))

    return index.remembered("lines of results", make)


_TENS = 10 ** np.arange(1, 19)


@dataclass(frozen=True, slots=True)
class Elide:
    """Puts a note of how many lines it had in place of every result.

    Attributes:
        index: The session's index.
    """

    index: SessionIndex

    @property
    def key(self) -> Hashable:
        """The rule; it depends on nothing."""
        return NAME

    def apply(self, before: Variant) -> Rewritten:
        """What it makes of all results."""
        lines = line_counts(self.index)
        if before.touched.any():
            lines = lines.copy()
            for row in map(int, np.flatnonzero(before.touched)):
                lines[row] = len(before.text(row, self.index.result(row).content).splitlines())
        digits = np.searchsorted(_TENS, lines, side="right") + 1
        everything = np.ones(len(lines), np.bool_)
        # A note has one line, so only the note of one line stays what it is.
        same = holding(self.index, omitted(1)) & ~before.touched
        return Rewritten(everything, ~same, units(omitted(0)) - 1 + digits)

    def text(self, row: int, text: str) -> str:
        """The note for a text."""
        return omitted(len(text.splitlines()))


@dataclass(frozen=True, eq=False, kw_only=True)
class ElideOld(OldResults):
    """Elide at some calls."""

    options: LastNOptions

    def _results(self, at: int) -> int:
        return int(self.before.last_row[at] - self.before.first_row[at])

    def _too_few(self, at: int) -> str | None:
        n = self.options.keep_recent
        if (results := self._results(at)) >= n + 2:
            return None
        return f"{counted(results, 'result')}, the first and the last {n:,} are never elided"

    def why_acted(self, at: int, row: int, before: int, after: int) -> str:
        """How old the result is."""
        return f"elided: {self.newest_rank(at, row)}, n is {self.options.keep_recent:,}"

    def why_not_old(self, at: int, row: int) -> tuple[Reason, str]:
        """Too few results, the first of all, or one of the newest."""
        if too_few := self._too_few(at):
            return Reason.TOO_FEW, f"kept: {too_few}"
        if row < self.first[at]:
            return Reason.EXCLUDED, "kept: the first result is never elided"
        return Reason.RECENT_WINDOW, f"kept: {self.newest_rank(at, row)}, n is {self.options.keep_recent:,}"

    def finding(self, at: int) -> str:
        """How many results there are."""
        return self._too_few(at) or f"{counted(self._results(at), 'result')}, n is {self.options.keep_recent:,}"


def run(draft: Draft, options: LastNOptions) -> tuple[Stage, ...]:
    """The one stage."""
    first, until = draft.first_row + 1, draft.last_row - within(options.keep_recent)
    rule = Elide(draft.index)
    return (cleared(ElideOld, draft, options, rule, strategy=NAME, name=ELIDE, first=first, until=until),)


STRATEGY = Strategy(
    name=NAME,
    title="SWE-agent LastNObservations",
    options=LastNOptions,
    run=run,
    placeholder=PLACEHOLDER,
    persistence="outbound",
    fidelity="exact",
    explanation=(
        "Every tool result but the first and the last 5 becomes a note of how many lines it had. It acts from the "
        "seventh result on whatever the size of the conversation, and moves on by one with each new result."
    ),
    source="SWE-agent, LastNObservations of its history processors",
)
