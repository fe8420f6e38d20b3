"""The one list of strategies. A new one is a module of its name with a ``STRATEGY``, and a line here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from tui.model import OptionError, Session
from tui.pipeline.evaluation import Evaluation
from tui.pipeline.index import index_of
from tui.pipeline.strategy_options import StrategyOptions
from tui.strategies.strategy import Strategy

DEFAULT = "react-agent-mini-v4"
"""The strategy where none is named."""

_NAMES = (
    DEFAULT,
    "react-agent-mini-v3",
    "tiny-claw",
    "claude-code-time",
    "claude-code-cached",
    "claude-code",
    "claude-code-l1",
    "anthropic-clear-tool-uses",
    "langchain-clear-tool-uses",
    "opencode-prune",
    "swe-agent-last-n",
    "openhands-masking",
    "openclaw-pruning",
    "custom",
)


class _Strategies(Mapping[str, Strategy]):
    """The strategies by name; each module is imported when its strategy is first asked for."""

    def __getitem__(self, name: str) -> Strategy:
        if name not in _NAMES:
            raise KeyError(name)
        found: Strategy = import_module(f"tui.strategies.{name.replace('-', '_')}").STRATEGY
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)

    def __contains__(self, name: object) -> bool:
        return name in _NAMES


STRATEGIES: Mapping[str, Strategy] = _Strategies()


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
