"""Which tool or role each block belongs to, and how large each result is after each stage at one call."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from tui.model import Session, TextBlock, ToolUseBlock
from tui.pipeline.evaluation import ORIGINAL, View
from tui.pipeline.index import Ints, SessionIndex

ROLES = ("user", "assistant", "system")
"""The roles of messages that belong to a model view."""


@dataclass(frozen=True, slots=True)
class BlocksByTool:
    """All counted blocks of a session, as block numbers: calls and results by their tools, texts by their roles.

    Codes of tools are indices into ``names``; one more, ``len(names)``, stands for no tool. That is the code of results
    that answer no tool_use before them and of those that stand in messages that are not from the user.

    Attributes:
        names: The tools' names, in the order of their first calls.
        uses: The tool_use blocks of messages that belong to a model view, ascending.
        use_tool: Their tools.
        results: The tool_result blocks in user messages, ascending: the rows of ``index.results``.
        result_tool: Their tools.
        misplaced: The tool_result blocks in other messages of a model view, ascending; they all belong to no tool.
        texts: The text blocks of messages that belong to a model view, ascending.
        text_role: The roles they are from, as indices into ``ROLES``.
    """

    names: tuple[str, ...]
    uses: Ints
    use_tool: Ints
    results: Ints
    result_tool: Ints
    misplaced: Ints
    texts: Ints
    text_role: Ints

    def tool_sums(self, codes: Ints, values: Ints | None = None) -> Ints:
        """The sum of ``values`` (or how many there are, for None) for each tool; the last is for no tool."""
        return sums(codes, values, len(self.names) + 1)


def sums(codes: Ints, values: Ints | None, count: int) -> Ints:
    """The sum of ``values`` (or how many there are, for None) for each of ``count`` codes."""
    # Sums of floats are exact up to 2**53 chars.
    counted: Ints = np.bincount(codes, values, count).astype(np.int64)
    return counted


def within_blocks(ascending: Ints, first: int, last: int) -> slice:
    """Where in ``ascending`` the block numbers ``first <= number < last`` stand."""
    return slice(*(int(place) for place in np.searchsorted(ascending, [first, last])))


_tables: WeakKeyDictionary[Session, BlocksByTool] = WeakKeyDictionary()


def blocks_by_tool(index: SessionIndex) -> BlocksByTool:
    """The session's table, made at the first call and kept as long as the session is."""
    if (table := _tables.get(index.session)) is None:
        table = _tables[index.session] = _build(index)
    return table


def _build(index: SessionIndex) -> BlocksByTool:
    names = index.results.tools
    codes = {name: code for code, name in enumerate(names)}
    use_tool: list[int] = []
    texts: list[int] = []
    text_role: list[int] = []
    number = 0
    for message in index.session.messages:
        if message.role == "other":
            number += len(message.blocks)
            continue
        role = ROLES.index(message.role)
        for block in message.blocks:
            if isinstance(block, TextBlock):
                texts.append(number)
                text_role.append(role)
            elif isinstance(block, ToolUseBlock):
                use_tool.append(codes[block.name])
            number += 1
    tool = index.results.tool
    return BlocksByTool(
        names=names,
        uses=np.sort(np.concatenate((index.uses, index.misplaced_uses))),
        use_tool=np.array(use_tool, np.int64),
        results=index.results.block,
        result_tool=np.where(tool < 0, len(names), tool),
        misplaced=index.misplaced_results,
        texts=np.array(texts, np.int64),
        text_role=np.array(text_role, np.int64),
    )


def result_sizes(view: View, index: SessionIndex) -> dict[str, Ints]:
    """What each result that the call sees adds, before any stage (``original``) and after each, by name, in chars.

    That is its size, less what was saved in the tool_use that it answers; 0 where it was dropped. An entry a row of
    ``index.results`` from ``results_before[view.start]`` on.
    """
    first, last = index.results_before[[view.start, view.end]]
    sizes = {ORIGINAL: index.results.chars[first:last]}
    for stage in view.stages:
        now = np.zeros(last - first, np.int64)
        for low, high, variant in stage.after.at(0):
            now[low - first : high - first] = variant.weight[low:high]
        sizes[stage.name] = now
    return sizes
