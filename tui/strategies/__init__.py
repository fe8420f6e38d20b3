"""Named strategies: an ordered set of stages with their declared options."""

from tui.strategies.registry import STRATEGIES, Strategy, evaluate, strategy_named

__all__ = ["STRATEGIES", "Strategy", "evaluate", "strategy_named"]
