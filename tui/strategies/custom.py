"""The stages of react-agent-mini v4 in an order of one's own, to see what the order is worth.

Each stage is v4's, on what the one before it left, and measures anew. Which tool_use a result answers is decided by the
conversation that the call sees: a result whose tool_use retain has dropped keeps its tool and its path.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from tui.model import OptionError
from tui.pipeline import budget, micro, retain
from tui.pipeline.draft import Draft
from tui.pipeline.options import CompactOptions
from tui.pipeline.stage import Stage
from tui.strategies.strategy import Strategy

NAME = "custom"

_RUN = {budget.NAME: budget.budget, micro.NAME: micro.micro, retain.NAME: retain.retain}


class CustomOptions(CompactOptions):
    """Options of the v4 stages, with their order.

    Raises:
        OptionError: ``order`` does not name each stage once, or another option is wrong; see ``CompactOptions``.
    """

    order: tuple[str, ...] = Field(
        default=CompactOptions.STAGES, description="the order in which the stages run: each of them once"
    )

    def __init__(self, /, **values: Any) -> None:
        order = values.get("order", self.STAGES)
        if not isinstance(order, list | tuple) or sorted(map(str, order)) != sorted(self.STAGES):
            raise OptionError(f"order is {_shown(order)}, but must name {', '.join(self.STAGES)}, each of them once")
        super().__init__(**values)

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages' names, in the order in which they run."""
        return self.order


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"


def run(draft: Draft, options: CustomOptions) -> tuple[Stage, ...]:
    """The three stages, in the order of the option."""
    stages: list[Stage] = []
    for name in options.order:
        stage = _RUN[name](draft, options)
        stages.append(stage)
        draft = stage.after
    return tuple(stages)


STRATEGY = Strategy(
    name=NAME,
    title="v4's stages in your order",
    options=CustomOptions,
    run=run,
    placeholder="[Old tool result content cleared] tool=NAME PATH",
    persistence="outbound",
    fidelity="exact",
    explanation=(
        "The stages of react-agent-mini v4 in the order that you name, any of them switched off. Dropping before "
        "clearing, say, loses whole messages where placeholders would have made room."
    ),
    source="react-agent-mini v4, its stages rearranged",
)
