"""react-agent-mini v4: budget, then micro if still over the threshold, then retain if still over it."""

from __future__ import annotations

from tui.pipeline.budget import budget
from tui.pipeline.index import Calls, SessionIndex
from tui.pipeline.micro import micro
from tui.pipeline.options import CompactOptions
from tui.pipeline.retain import retain
from tui.pipeline.stage import Stage

NAME = "react-agent-mini-v4"


def run(index: SessionIndex, calls: Calls, options: CompactOptions) -> tuple[Stage, ...]:
    """The three stages at ``calls``."""
    first = budget(index, calls, options)
    second = micro(index, calls, options, first)
    third = retain(index, calls, options, second)
    return first, second, third
