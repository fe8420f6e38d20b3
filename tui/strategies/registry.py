"""The one list of strategies. A new one is a module with a ``STRATEGY``, and a line here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tui.model import OptionError, Session
from tui.pipeline.evaluation import Evaluation
from tui.pipeline.index import index_of
from tui.pipeline.strategy_options import StrategyOptions
from tui.strategies import (
    anthropic_clear_tool_uses,
    claude_code,
    claude_code_cached,
    claude_code_l1,
    claude_code_time,
    custom,
    langchain_clear_tool_uses,
    openclaw_pruning,
    opencode_prune,
    openhands_masking,
    react_agent_mini_v3,
    react_agent_mini_v4,
    swe_agent_last_n,
    tiny_claw,
)
from tui.strategies.strategy import Strategy

DEFAULT = react_agent_mini_v4.NAME
"""The strategy where none is named."""

_MODULES = (
    react_agent_mini_v4,
    react_agent_mini_v3,
    tiny_claw,
    claude_code_time,
    claude_code_cached,
    claude_code,
    claude_code_l1,
    anthropic_clear_tool_uses,
    langchain_clear_tool_uses,
    opencode_prune,
    swe_agent_last_n,
    openhands_masking,
    openclaw_pruning,
    custom,
)

STRATEGIES: dict[str, Strategy] = {module.STRATEGY.name: module.STRATEGY for module in _MODULES}


def strategy_named(name: str) -> Strategy:
    """The strategy called ``name``.

    Raises:
        OptionError: There is none.
    """
    if name not in STRATEGIES:
        raise OptionError(f"there is no strategy {name!r}", hint=f"The strategies are {', '.join(STRATEGIES)}.")
    return STRATEGIES[name]


def with_own_options(value: Any) -> Any:
    """``value``, whose ``options`` are made into those of the strategy that its ``strategy`` names.

    For validators of published JSON; what is no such mapping is given back as it is.

    Raises:
        OptionError: There is no such strategy, or an option is unknown or out of its range.
    """
    if not isinstance(value, Mapping) or not isinstance(name := value.get("strategy", DEFAULT), str):
        return value
    given = value.get("options", {})
    if not isinstance(given, Mapping):  # made already, or nothing that could be made into any
        return value
    return {**value, "options": strategy_named(name).options(**given)}


def evaluate(
    session: Session,
    strategy: str,
    options: StrategyOptions | None = None,
    *,
    across_boundaries: bool = False,
    offload: bool = False,
) -> Evaluation:
    """Evaluates ``session`` under a strategy at every call.

    Args:
        session: What to evaluate.
        strategy: A strategy's name, such as ``react-agent-mini-v4``.
        options: Its options; the defaults when None.
        across_boundaries: Count in what stands before a compact boundary of the file.
        offload: Leave previews of big results first, as Claude Code's tool result budget does by default.

    Raises:
        OptionError: There is no such strategy, or the options are another strategy's.
    """
    found = strategy_named(strategy)
    options = found.options() if options is None else options
    if type(options) is not found.options:
        raise OptionError(
            f"{type(options).__name__} are not the options of {strategy}", hint=f"They are {found.options.__name__}."
        )
    return Evaluation(index_of(session), found.name, found.run, options, across_boundaries, offload)
