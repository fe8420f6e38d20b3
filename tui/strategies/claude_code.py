"""Claude Code's microcompact as a whole: time-based first, cached where that cleared nothing (SPEC.md, section 3).

Where the time-based path cleared something, it empties the tables of the cached path, which does nothing more at that
call: the ids in the tables name content of a cache that has expired. What was cleared never registers again.
"""

from __future__ import annotations

from typing import ClassVar

from tui.pipeline.draft import Draft
from tui.pipeline.placeholder import CLEARED
from tui.pipeline.stage import Stage
from tui.pipeline.strategy_options import Switch, switch
from tui.strategies import claude_code_cached, claude_code_time
from tui.strategies.claude_code_cached import CachedOptions, cached
from tui.strategies.claude_code_time import TimeOptions, time
from tui.strategies.strategy import Strategy

NAME = "claude-code"


class ClaudeCodeOptions(CachedOptions, TimeOptions):
    """Options of both paths.

    Raises:
        OptionError: A value is out of its range or an option is unknown; the error names both.
    """

    STAGES: ClassVar[tuple[str, ...]] = (claude_code_time.STAGE, claude_code_cached.STAGE)

    reset: Switch = switch(
        True,
        "reset on clearing",
        "without, the tables go on naming results whose content is gone",
    )


def run(draft: Draft, options: ClaudeCodeOptions) -> tuple[Stage, ...]:
    """The two stages."""
    first = time(draft, options, NAME)
    second = cached(first.after, options, NAME, draft.only_variant, first.clearing, options.reset)
    return first, second


STRATEGY = Strategy(
    name=NAME,
    title="Claude Code, microcompact",
    options=ClaudeCodeOptions,
    run=run,
    placeholder=CLEARED,
    persistence="written back",
    fidelity="reconstructed",
    explanation=(
        "While the prompt cache is warm, old results are deleted in the provider's cached copy only; after idle "
        "minutes, when it has expired, they are cleared in the conversation itself. A call does one or the other."
    ),
    source="Claude Code's microcompact; the numbers of its cached path and the form of the edits are reconstructed",
)
