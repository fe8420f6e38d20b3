"""Claude Code's tool result budget as a strategy of its own: see ``tui.pipeline.offload`` for the rule."""

from __future__ import annotations

from tui.pipeline.draft import Draft
from tui.pipeline.offload import OffloadOptions, offload
from tui.pipeline.stage import Stage
from tui.strategies.strategy import Strategy

NAME = "claude-code-l1"


def run(draft: Draft, options: OffloadOptions) -> tuple[Stage, ...]:
    """The one stage."""
    return (offload(draft, options),)


STRATEGY = Strategy(
    name=NAME,
    title="Claude Code L1, tool result budget",
    options=OffloadOptions,
    run=run,
    placeholder="<persisted-output> ... </persisted-output>",
    persistence="written back",
    fidelity="reconstructed",
    explanation=(
        "A result that is too long by itself, or one of the largest of a user message that is too long, is saved to a "
        "file; its size, the file's name and a preview stay. It is decided once, when the result first is sent."
    ),
    source="Claude Code's tool result budget, the first of its five levels",
)
