"""What the two kinds of Claude Code's microcompact share: which results they may touch, and why they leave others."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from tui.model import ToolResultBlock
from tui.pipeline.draft import Draft
from tui.pipeline.micro import Clearable
from tui.pipeline.outcomes import Reason
from tui.pipeline.strategy_options import StrategyOptions, ToolNames

COMPACTABLE = ("Read", "Bash", "Grep", "Glob", "WebSearch", "WebFetch", "Edit", "Write")
"""The tools whose results can be had again by calling them again; none of an MCP server's."""


class MicrocompactOptions(StrategyOptions):
    """The options of both kinds."""

    TOOLS: ClassVar = "compactable_tools"

    compactable_tools: ToolNames = Field(
        default=COMPACTABLE, description="tools whose results may be cleared; a trailing * makes a prefix"
    )


def why_never(draft: Draft, able: Clearable, at: int, number: int, row: int | None) -> tuple[Reason, str] | None:
    """Why a block of a call can never be cleared, in a word and in a sentence; None for a compactable result."""
    index = draft.index
    if row is None:
        if isinstance(index.block(number), ToolResultBlock):
            return Reason.TOOL_NOT_ELIGIBLE, "kept: it stands in an assistant message"
        return Reason.NEVER_TOUCHED, "microcompact touches only tool results"
    if able.mask[row]:
        return None
    results = index.results
    if results.tool[row] < 0:
        return Reason.ORPHAN, "kept: no tool_use of its id stands before it"
    if results.use_message[row] < draft.calls.start[at]:
        return Reason.ORPHAN, "kept: its tool_use stands before the compact boundary"
    tool = results.tools[int(results.tool[row])]
    return Reason.TOOL_NOT_ELIGIBLE, f"kept: {tool or 'a tool without a name'} is not compactable"
