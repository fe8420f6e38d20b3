"""One evaluation of a session: every call's numbers at once, and one call's view in detail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tui.model import Block, Session, TextBlock, ToolResultBlock, ToolUseBlock
from tui.pipeline.draft import Draft
from tui.pipeline.index import Calls, Ints, SessionIndex, slice_between
from tui.pipeline.materialise import message_dict
from tui.pipeline.offload import NAME as OFFLOAD
from tui.pipeline.offload import OffloadOptions, offload
from tui.pipeline.outcomes import BlockOutcome, Outcome, Reason, StageOutcome
from tui.pipeline.stage import Stage
from tui.pipeline.strategy_options import StrategyOptions

ORIGINAL = "original"
"""The name of the view before any stage."""

OUTBOUND = "outbound"
"""Another name for the view after the last stage."""

EMPTIED = "{}"
"""What a tool_use's input becomes where it is cleared."""

_VIEWS = 4
"""Views that an evaluation remembers: the call that is looked at, the one before, and where one comes from."""

_CLEARING = (Outcome.CLEARED, Outcome.DELETED)

RunStages = Callable[[Draft, Any], tuple[Stage, ...]]
"""Runs a strategy's stages, with options of its own model, on what the calls see."""


def block_type(block: Block) -> str:
    """The block's type as the Anthropic API names it, such as ``tool_result``."""
    names = {"TextBlock": "text", "ToolUseBlock": "tool_use", "ToolResultBlock": "tool_result"}
    names |= {"ThinkingBlock": "thinking", "ImageBlock": "image"}
    return names.get(type(block).__name__) or str(getattr(block, "kind", "other"))


@dataclass(frozen=True, slots=True)
class Timeline:
    """Numbers of all calls, one an entry; sizes in chars as counted by the estimate.

    Attributes:
        messages: How many messages each call sees.
        estimate: Size after each stage by its name, ``original`` first.
        count: What each stage's trace line counts, by its name.
    """

    messages: Ints
    estimate: dict[str, Ints]
    count: dict[str, Ints]


class View:
    """What one call receives, stage by stage.

    Attributes:
        call: Its number, counted from 1.
        start: First message that it sees, as an index into ``session.messages``.
        end: One past the last message that it sees.
    """

    def __init__(self, index: SessionIndex, call: int, calls: Calls, stages: tuple[Stage, ...]) -> None:
        self.call = call
        self.start = int(calls.start[0])
        self.end = int(calls.end[0])
        self._index = index
        self._calls = calls
        self._stages = stages

    @property
    def session(self) -> Session:
        """The session that is viewed."""
        return self._index.session

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages evaluated at this call alone (``at`` is 0 in their methods)."""
        return self._stages

    @cached_property
    def estimate(self) -> dict[str, int]:
        """Size in chars before any stage (``original``) and after each, by stage name."""
        before = self._index.chars_before
        sizes = {ORIGINAL: int(before[self.end] - before[self.start])}
        return sizes | {stage.name: int(stage.estimate[0]) for stage in self._stages}

    @cached_property
    def counts(self) -> dict[str, int]:
        """The numbers of the trace lines by what was done: blocks truncated, results cleared, messages dropped."""
        return {stage.effect.value: int(stage.count[0]) for stage in self._stages}

    @property
    def message_count(self) -> int:
        """How many messages the call sees, before any is dropped."""
        return int(self._index.rank[self.end] - self._index.rank[self.start])

    @property
    def kept_from(self) -> int:
        """First message of the outbound view, as an index into ``session.messages``."""
        return self.kept_from_after(OUTBOUND)

    def kept_from_after(self, stage: str) -> int:
        """First message of the view after ``stage``, as an index into ``session.messages``."""
        kept = self.start
        for step in self.stages_until(stage):
            kept = int(step.kept_from[0])
        return kept

    @cached_property
    def trace(self) -> list[str]:
        """The lines that the original writes to stderr with TRACE=1 at this call."""
        return [line for stage in self._stages for line in stage.trace(0)]

    @cached_property
    def uncounted(self) -> int:
        """Chars of thinking in the outbound view, which no estimate counts."""
        first = self._index.first_block
        return int(self._index.uncounted[first[self.kept_from] : first[self.end]].sum())

    def verdict(self, stage: str) -> str:
        """What ``stage`` did at this call, in words."""
        return next(step.verdict(0) for step in self._stages if step.name == stage)

    def stages_until(self, stage: str) -> tuple[Stage, ...]:
        """The stages up to ``stage``: none for ``original``, all for ``outbound``.

        Raises:
            KeyError: There is no such stage.
        """
        if stage == ORIGINAL:
            return ()
        if stage == OUTBOUND:
            return self._stages
        for number, step in enumerate(self._stages):
            if step.name == stage:
                return self._stages[: number + 1]
        raise KeyError(stage)

    def up_to(self, stage: str) -> View:
        """This view with the stages up to ``stage`` only, so that outcomes, counts and messages end there.

        Raises:
            KeyError: There is no such stage.
        """
        return View(self._index, self.call, self._calls, self.stages_until(stage))

    def outcome(self, message: int, block: int) -> BlockOutcome:
        """The fate of one block that this call sees, at a cost that does not depend on the session's size."""
        number = self._index.block_number(message, block)
        row = self._index.row(number)
        before = chars = int(self._index.block_chars[number])
        trail: list[StageOutcome] = []
        for stage in self._stages:
            step = stage.decide(0, number, row, chars)
            trail.append(step)
            chars = step.chars
            if step.outcome is Outcome.DROPPED:
                break
        acted = [step for step in trail if step.outcome is not Outcome.KEPT]
        final = acted[-1] if acted else _decisive(trail, self._stages)
        return BlockOutcome(
            message=message,
            block=block,
            outcome=final.outcome if final else Outcome.KEPT,
            chars_before=before,
            chars_after=chars,
            reason=final.reason if final else None,
            explanation=final.explanation if final else "",
            trail=tuple(trail),
        )

    @property
    def outcomes(self) -> list[BlockOutcome]:
        """The fate of every block that this call sees, in order."""
        messages = self.session.messages
        return [
            self.outcome(number, block)
            for number in range(self.start, self.end)
            if messages[number].role != "other"
            for block in range(len(messages[number].blocks))
        ]

    def content(self, message: int, block: int, stage: str = OUTBOUND) -> str | None:
        """The text of a tool result after ``stage``, or a tool_use's input where it was emptied: ``{}``.

        None when the block is unchanged by then or is of another kind.
        """
        number = self._index.block_number(message, block)
        row = self._index.row(number)
        if row is None:
            emptied = any(number in step.changed_uses(0) for step in self.stages_until(stage))
            return EMPTIED if emptied else None
        # A dropped result is as the stages before left it.
        for step in reversed(self.stages_until(stage)):
            variant = step.after.variant(0, row)
            if variant is not None:
                return variant.text(row, self._index.result(row).content) if variant.touched[row] else None
        return None

    def changed_contents(self, stage: str = OUTBOUND) -> dict[tuple[int, int], str]:
        """What ``content`` says of all blocks that differ after ``stage``, by message and block."""
        kept_from = self.kept_from_after(stage)
        first, last = self._index.results_before[[kept_from, self.end]]
        changed = {}
        for number in self._index.results.block[first:last]:
            message, block = self._index.locate(int(number))
            if (text := self.content(message, block, stage)) is not None:
                changed[message, block] = text
        first_kept, total = self._index.first_block[kept_from], len(self._index.block_chars)
        for step in self.stages_until(stage):
            for number in slice_between(step.changed_uses(0), first_kept, total):
                changed[self._index.locate(int(number))] = EMPTIED
        return changed

    def next_changed(self, message: int, block: int, step: int, stage: str = OUTBOUND) -> tuple[int, int] | None:
        """The nearest block after (``step`` 1) or before (-1) a block that ``stage`` changed.

        The dropped messages count as one: their first block. ``outbound`` asks for what any stage changed.

        Args:
            message: Where to look from; may lie outside what the call sees.
            block: Which of its blocks.
            step: 1 or -1.
            stage: ``outbound`` or a stage's name; nothing is changed before any stage.

        Returns:
            Message and block, or None where there is none in that direction.
        """
        here = self._index.block_number(message, block)
        kept_from = self.kept_from_after(stage)
        found: list[int] = []
        for number, step_ in enumerate(self.stages_until(stage)):
            if stage not in (OUTBOUND, step_.name):
                continue
            for changed in (self._index.results.block[step_.changed_rows(0)], step_.changed_uses(0)):
                if stage == OUTBOUND or number == len(self._stages) - 1:
                    first = self._index.first_block[kept_from]
                    changed = slice_between(changed, first, len(self._index.block_chars))
                place = int(np.searchsorted(changed, here + 1 if step > 0 else here)) - (step < 0)
                if 0 <= place < len(changed):
                    found.append(int(changed[place]))
        if kept_from > self.start and self.kept_from_before(stage) < kept_from:
            first = int(self._index.first_block[self.start])
            inside = here < int(self._index.first_block[kept_from])
            if (step > 0 and here < first) or (step < 0 and here > first and not (inside and here == first)):
                found.append(first)
        if not found:
            return None
        return self._index.locate(min(found) if step > 0 else max(found))

    def kept_from_before(self, stage: str) -> int:
        """First message of the view before ``stage`` acted; of the whole window for ``outbound``."""
        if stage in (ORIGINAL, OUTBOUND):
            return self.start
        names = [ORIGINAL, *(step.name for step in self._stages)]
        return self.kept_from_after(names[names.index(stage) - 1])

    def messages(self, stage: str = OUTBOUND) -> list[dict[str, Any]]:
        """The messages of the view after ``stage`` as dicts in react-agent-mini's shape, unknown fields kept.

        Args:
            stage: ``original``, a stage's name, or ``outbound`` for the last.

        Raises:
            KeyError: There is no such stage.
        """
        contents: dict[int, dict[int, str]] = {}
        for (message, block), text in self.changed_contents(stage).items():
            contents.setdefault(message, {})[block] = text
        return [
            message_dict(self.session.messages[number], contents.get(number, {}))
            for number in range(self.kept_from_after(stage), self.end)
            if self.session.messages[number].role != "other"
        ]


def _decisive(trail: Sequence[StageOutcome], stages: Sequence[Stage]) -> StageOutcome | None:
    """The stage whose reason says most about a block that all left alone: one that clears results, else the last."""
    for step, stage in zip(trail, stages, strict=False):
        if stage.effect in _CLEARING and step.reason not in (None, Reason.NEVER_TOUCHED, Reason.DISABLED):
            return step
    return trail[-1] if trail else None


class Evaluation:
    """A session under one strategy and one set of options.

    Evaluating costs nothing until something is asked for: one call's view costs the same whatever the session's
    size, the timeline is a handful of array operations over all calls.

    Attributes:
        session: The session.
        strategy: The strategy's name.
        options: The options.
        stages: The stages' names, in order.
        across: Whether messages before a compact boundary are counted in.
        offload: Whether big results are offloaded before the strategy's own stages.
    """

    def __init__(
        self,
        index: SessionIndex,
        strategy: str,
        run: RunStages,
        options: StrategyOptions,
        across: bool = False,
        offload: bool = False,
    ) -> None:
        self.index = index
        self.session = index.session
        self.strategy = strategy
        self.options = options
        self.across = across
        self.offload = offload
        # A strategy that offloads by itself does so by its own options.
        self._offloads = offload and OFFLOAD not in options.stages
        self.stages = (OFFLOAD, *options.stages) if self._offloads else options.stages
        self._run = run
        self._views: dict[int, View] = {}

    @property
    def calls(self) -> range:
        """The call numbers, 1..N; the last is the next call."""
        return range(1, len(self.index.calls(self.across)) + 1)

    def at(self, call: int | None = None) -> View:
        """The view of ``call``; of the next call when None.

        Raises:
            IndexError: There is no such call.
        """
        number = len(self.calls) if call is None else call
        if number not in self.calls:
            raise IndexError(f"there is no call {number}: this session has calls 1 to {len(self.calls)}")
        if number not in self._views:
            calls = self.index.calls(self.across).only(number)
            if len(self._views) >= _VIEWS:
                self._views.pop(next(iter(self._views)), None)
            self._views[number] = View(self.index, number, calls, self._run_on(calls))
        return self._views[number]

    def stages_between(self, first: int, last: int) -> tuple[Stage, ...]:
        """The stages evaluated at the calls from ``first`` to ``last``."""
        return self._run(Draft.of(self.index, self.index.calls(self.across).between(first, last)), self.options)

    @cached_property
    def everywhere(self) -> tuple[Stage, ...]:
        """The stages evaluated at every call; ``at`` is the call's number less one in their methods."""
        return self._run_on(self.index.calls(self.across))

    def _run_on(self, calls: Calls) -> tuple[Stage, ...]:
        draft = Draft.of(self.index, calls)
        if not self._offloads:
            return self._run(draft, self.options)
        first = offload(draft, OffloadOptions(enabled=self.options.enabled))
        return first, *self._run(first.after, self.options)

    @cached_property
    def timeline(self) -> Timeline:
        """The numbers of all calls."""
        calls, index = self.index.calls(self.across), self.index
        stages = self.everywhere
        original = index.chars_before[calls.end] - index.chars_before[calls.start]
        return Timeline(
            messages=index.rank[calls.end] - index.rank[calls.start],
            estimate={ORIGINAL: original} | {stage.name: stage.estimate for stage in stages},
            count={stage.name: stage.count for stage in stages},
        )


def tool_of(index: SessionIndex, message: int, block: int) -> str:
    """Name of the tool of a tool_use or tool_result block; empty for others and for orphans."""
    source = index.session.messages[message].blocks[block]
    if isinstance(source, ToolUseBlock):
        return source.name
    if isinstance(source, ToolResultBlock):
        use = use_of(index, message, block)
        return use.name if use else ""
    return ""


def use_of(index: SessionIndex, message: int, block: int) -> ToolUseBlock | None:
    """The nearest earlier tool_use that a tool_result answers, None for an orphan or another block."""
    row = index.row(index.block_number(message, block))
    return None if row is None else index.use_of_row(row)


def text_of(block: Block) -> str | None:
    """The counted text of a text or tool_result block, None for others."""
    if isinstance(block, TextBlock):
        return block.text
    return block.content if isinstance(block, ToolResultBlock) else None
