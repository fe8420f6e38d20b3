"""Named strategies: an ordered set of stages with their declared options."""

from tui.strategies.registry import DEFAULT, STRATEGIES, evaluate, strategy_named, with_own_options
from tui.strategies.strategy import Strategy

__all__ = ["DEFAULT", "STRATEGIES", "Strategy", "evaluate", "strategy_named", "with_own_options"]
