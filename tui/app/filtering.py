"""The filter: which blocks the page shows; the others fold into counted gaps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.app.layout import Kind, Page
from tui.app.scene import Scene
from tui.pipeline.by_tool import blocks_by_tool
from tui.pipeline.index import Bools
from tui.pipeline.outcomes import Outcome
from tui.pipeline.selection import blocks_by_outcome


@dataclass(frozen=True, slots=True)
class Filter:
    """What a block must be to be shown; an empty set asks for nothing.

    Attributes:
        outcomes: What became of it by the stage that is shown.
        roles: Whose message it is in.
        tools: The tool that it calls or answers.
    """

    outcomes: frozenset[Outcome] = frozenset()
    roles: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.outcomes or self.roles or self.tools)

    def __str__(self) -> str:
        outcomes = ["changed"] if self.outcomes == CHANGED else sorted(map(str, self.outcomes))
        return ", ".join(outcomes + sorted(self.roles) + sorted(self.tools))

    @property
    def follows_the_call(self) -> bool:
        """Whether what it shows depends on call, stage and options."""
        return bool(self.outcomes)


CHANGED = frozenset(outcome for outcome in Outcome if outcome is not Outcome.KEPT)
"""The outcomes of blocks that a stage acted on."""


def filtered(page: Page, scene: Scene, wanted: Filter) -> Page:
    """The page with only what the filter lets through; compact boundaries always stay."""
    if not wanted:
        return page
    index = scene.evaluation.index
    blocks = np.ones(len(index.block_chars), np.bool_)
    if wanted.outcomes:
        by_outcome = blocks_by_outcome(scene.view, index, scene.stage)
        blocks &= np.logical_or.reduce([by_outcome[outcome] for outcome in wanted.outcomes])
    if wanted.roles:
        messages = np.fromiter(
            (message.role in wanted.roles for message in page.session.messages), np.bool_, len(page.session.messages)
        )
        blocks &= messages[index.block_message]
    if wanted.tools:
        blocks &= _of_tools(scene, wanted.tools)
    keep = page.kind == Kind.BOUNDARY
    shown = page.kind == Kind.BLOCK
    keep[shown] = blocks[index.first_block[page.message[shown]] + page.block[shown]]
    return page.only(keep)


def _of_tools(scene: Scene, tools: frozenset[str]) -> Bools:
    index = scene.evaluation.index
    table = blocks_by_tool(index)
    # The last code is that of results without a tool, which no name stands for: a tool may be called "".
    wanted = np.array([*(name in tools for name in table.names), False], np.bool_)
    mask = np.zeros(len(index.block_chars), np.bool_)
    mask[table.uses] = wanted[table.use_tool]
    mask[table.results] = wanted[table.result_tool]
    return mask
