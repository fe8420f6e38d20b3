"""The one list of strategies."""

from __future__ import annotations

from dataclasses import dataclass

from tui.model import OptionError, Session
from tui.pipeline.evaluation import Evaluation, RunStages
from tui.pipeline.index import index_of
from tui.pipeline.options import STAGES, CompactOptions
from tui.strategies import react_agent_mini_v4


@dataclass(frozen=True, slots=True)
class Strategy:
    """A named, ordered set of stages.

    Attributes:
        name: What it is called on the command line and in the library.
        title: What the screen shows.
        stages: Its stages' names, in order.
        run: Evaluates them at some calls.
    """

    name: str
    title: str
    stages: tuple[str, ...]
    run: RunStages


STRATEGIES = {
    react_agent_mini_v4.NAME: Strategy(
        name=react_agent_mini_v4.NAME,
        title="react-agent-mini v4",
        stages=STAGES,
        run=react_agent_mini_v4.run,
    )
}


def strategy_named(name: str) -> Strategy:
    """The strategy called ``name``.

    Raises:
        OptionError: There is none.
    """
    if name not in STRATEGIES:
        raise OptionError(f"there is no strategy {name!r}", hint=f"The strategies are {', '.join(STRATEGIES)}.")
    return STRATEGIES[name]


def evaluate(
    session: Session, strategy: str, options: CompactOptions | None = None, *, across_boundaries: bool = False
) -> Evaluation:
    """Evaluates ``session`` under a strategy at every call.

    Args:
        session: What to evaluate.
        strategy: A strategy's name, such as ``react-agent-mini-v4``.
        options: Its options; the defaults when None.
        across_boundaries: Count in what stands before a compact boundary of the file.

    Raises:
        OptionError: There is no such strategy.
    """
    found = strategy_named(strategy)
    return Evaluation(
        index_of(session), found.name, found.stages, found.run, options or CompactOptions(), across_boundaries
    )
