"""What each stage saved at one call, and from which tools and texts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from tui.pipeline.by_tool import ROLES, BlocksByTool, blocks_by_tool, result_sizes, sums, within_blocks
from tui.pipeline.evaluation import View
from tui.pipeline.index import Ints, SessionIndex


@dataclass(frozen=True, slots=True)
class Part:
    """What a stage saved of one kind of block; sizes in chars as counted by the estimate.

    Attributes:
        kind: ``tool`` (its calls and results), ``no-tool`` (results that belong to no call), ``text`` (texts of one
            role) or ``others`` (several of these, taken together).
        name: The tool's name, the role, or empty.
        saved: What it saved; less than 0 where a note or a placeholder is longer than what it stands for.
        blocks: How many blocks it changed or dropped; of ``others``, all of them together.
        parts: How many parts this one stands for; 1 but for ``others``.
    """

    kind: str
    name: str
    saved: int
    blocks: int
    parts: int = 1


@dataclass(frozen=True, slots=True)
class StageSavings:
    """What one stage saved at a call.

    Attributes:
        stage: Its name.
        before: The estimate before it.
        after: The estimate after it.
        parts: Where the difference comes from, the largest first; their ``saved`` add up to it exactly.
    """

    stage: str
    before: int
    after: int
    parts: tuple[Part, ...]

    @property
    def saved(self) -> int:
        """What it saved in all; less than 0 where it added."""
        return self.before - self.after

    def largest(self, most: int) -> tuple[Part, ...]:
        """At most ``most`` parts: the largest, and what is left taken together as ``others``."""
        if len(self.parts) <= most:
            return self.parts
        rest = self.parts[most - 1 :]
        others = Part("others", "", sum(part.saved for part in rest), sum(part.blocks for part in rest), len(rest))
        return (*self.parts[: most - 1], others)


def tokens(chars: int) -> int:
    """About how many tokens ``chars`` are: a quarter. A rule of thumb, to be shown with a ``~``."""
    return round(chars / 4)


def savings(index: SessionIndex, view: View) -> tuple[StageSavings, ...]:
    """What each stage saved at the call, in the order of the stages."""
    table = blocks_by_tool(index)
    first, last = index.results_before[[view.start, view.end]]
    codes = table.result_tool[first:last]
    sizes = result_sizes(view, index)
    found = []
    kept_from = view.start
    for stage, (before, after) in zip(view.stages, pairwise(sizes), strict=True):
        saved = table.tool_sums(codes, sizes[before] - sizes[after])
        blocks = table.tool_sums(table.result_tool[stage.changed_rows(0)])
        texts: list[Part] = []
        if (cut := view.kept_from_after(stage.name)) > kept_from:
            gone_saved, gone_blocks = _gone(index, table, kept_from, cut)
            saved += gone_saved
            blocks += gone_blocks
            texts = _texts(index, table, kept_from, cut)
            kept_from = cut
        tools = [
            Part("tool", table.names[code], int(saved[code]), int(blocks[code]))
            for code in range(len(table.names))
            if blocks[code]
        ]
        if blocks[-1]:
            tools.append(Part("no-tool", "", int(saved[-1]), int(blocks[-1])))
        parts = sorted([*tools, *texts], key=lambda part: (-part.saved, part.kind, part.name))
        found.append(StageSavings(stage.name, view.estimate[before], view.estimate[after], tuple(parts)))
    return tuple(found)


def _gone(index: SessionIndex, table: BlocksByTool, start: int, end: int) -> tuple[Ints, Ints]:
    """Chars of calls and of misplaced results of the messages ``start <= message < end``, and all blocks, by tool.

    The chars of the results in user messages are left to the caller, who knows what earlier stages made of them.
    """
    first, last = index.first_block[[start, end]]
    uses = within_blocks(table.uses, first, last)
    results = within_blocks(table.results, first, last)
    misplaced = within_blocks(table.misplaced, first, last)
    chars = table.tool_sums(table.use_tool[uses], index.block_chars[table.uses[uses]])
    blocks = table.tool_sums(table.use_tool[uses]) + table.tool_sums(table.result_tool[results])
    chars[-1] += index.block_chars[table.misplaced[misplaced]].sum()
    blocks[-1] += misplaced.stop - misplaced.start
    return chars, blocks


def _texts(index: SessionIndex, table: BlocksByTool, start: int, end: int) -> list[Part]:
    """The texts of the messages ``start <= message < end``, by role."""
    texts = within_blocks(table.texts, *index.first_block[[start, end]])
    roles = table.text_role[texts]
    chars = sums(roles, index.block_chars[table.texts[texts]], len(ROLES))
    blocks = sums(roles, None, len(ROLES))
    return [Part("text", role, int(chars[code]), int(blocks[code])) for code, role in enumerate(ROLES) if blocks[code]]
