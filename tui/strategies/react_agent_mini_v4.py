"""react-agent-mini v4: budget, then micro if still over the threshold, then retain if still over it."""

from __future__ import annotations

from tui.pipeline.budget import budget
from tui.pipeline.draft import Draft
from tui.pipeline.micro import micro
from tui.pipeline.options import CompactOptions
from tui.pipeline.retain import retain
from tui.pipeline.stage import Stage
from tui.strategies.strategy import Strategy

NAME = "react-agent-mini-v4"


def run(draft: Draft, options: CompactOptions) -> tuple[Stage, ...]:
    """The three stages."""
    first = budget(draft, options)
    second = micro(first.after, options)
    third = retain(second.after, options)
    return first, second, third


STRATEGY = Strategy(
    name=NAME,
    title="react-agent-mini v4",
    options=CompactOptions,
    run=run,
    placeholder="[Old tool result content cleared] tool=NAME PATH",
    persistence="outbound",
    fidelity="exact",
    explanation=(
        "Long results are always cut; over the threshold, old results of clearable tools become placeholders; still "
        "over it, the oldest messages are dropped. Every call starts again from the whole conversation."
    ),
    source="react-agent-mini v4, its compact pipeline",
)
