"""What a strategy declares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tui.pipeline.evaluation import RunStages
from tui.pipeline.strategy_options import StrategyOptions

Persistence = Literal["outbound", "written back", "server-side"]
Fidelity = Literal["exact", "reconstructed", "label-only"]


@dataclass(frozen=True, slots=True)
class Strategy:
    """A named, ordered set of stages.

    Attributes:
        name: What it is called on the command line and in the library.
        title: What the screen shows.
        options: The model of its options, with their defaults.
        run: Evaluates its stages at some calls.
        placeholder: What stands in place of a cleared result; empty when nothing does.
        persistence: Whether its effect is on a copy for one call (``outbound``), stays in the conversation
            (``written back``) or happens at the provider (``server-side``).
        fidelity: How faithful it is to its source.
        explanation: Two sentences on what it does.
        source: Where the rule is from.
    """

    name: str
    title: str
    options: type[StrategyOptions]
    run: RunStages
    placeholder: str
    persistence: Persistence
    fidelity: Fidelity
    explanation: str
    source: str
