"""Claude Code's cached microcompact: old results are deleted in the provider's cache only (SPEC.md, section 3).

At each call on the main thread the new results of compactable tools are registered. When more than ``trigger`` are
active (registered, not deleted), all but the last ``keep`` are deleted: one block of ``cache_edits`` is put in the last
user message, is pinned there, and every pinned block is sent again at each later call. The local messages never change,
so the cached prefix stays as it is; the estimate is that of the provider's copy, the edits uncounted.

The tables begin anew after a compact boundary. A result that is the placeholder of the time-based path never
registers, nor does one in a sidechain's message. The numbers of ``trigger`` and ``keep`` and the form of the edits are
reconstructed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tui.pipeline.draft import Draft
from tui.pipeline.evaluation import View
from tui.pipeline.index import Bools, Ints, SessionIndex, prefix_sum
from tui.pipeline.micro import Clearable, clearable
from tui.pipeline.outcomes import Outcome, Reason
from tui.pipeline.placeholder import CLEARED
from tui.pipeline.replace import Replace, holding
from tui.pipeline.stage import Stage, acted_count, counted, ordinal, within
from tui.pipeline.strategy_options import Count, Switch, knob, switch
from tui.pipeline.times import call_times, on_sidechain, sidechain_messages
from tui.pipeline.variant import Variant
from tui.strategies.claude_code_time import Clearing
from tui.strategies.microcompact import MicrocompactOptions, why_never
from tui.strategies.strategy import Strategy

NAME = "claude-code-cached"
STAGE = "cached"


class CachedOptions(MicrocompactOptions):
    """Options of the cached microcompact.

    Raises:
        OptionError: A value is out of its range or an option is unknown; the error names both.
    """

    STAGES: ClassVar[tuple[str, ...]] = (STAGE,)

    trigger: Count = knob(10, "trigger", "results", 60, 1, "deletes when more results than this are active")
    keep: Count = knob(5, "keep", "results", 24, 1, "leaves this many of the newest active results")
    resend_pinned: Switch = switch(
        True, "re-send pinned edits", "every later call sends the edits again; without, what they deleted comes back"
    )


class Ref(NamedTuple):
    """A registered result. Two of one id are two: identity is the block, not the id."""

    block: int
    """Its number in the session."""

    id: str
    """The id of the tool_use that it answers, by which an edit names it."""


@dataclass(frozen=True, slots=True)
class PinnedEdits:
    """Deletions that were decided at one call.

    Attributes:
        message: The user message that they are pinned to, as an index into ``session.messages``.
        refs: What they delete, in order.
    """

    message: int
    refs: tuple[Ref, ...]


@dataclass(frozen=True, slots=True)
class CachedState:
    """The tables as they stand when a call is sent.

    Attributes:
        registered_tools: What is registered.
        tool_order: The same in the order of registration.
        deleted_refs: What was deleted of it.
        pinned_edits: The edits since the tables were last empty, in order.
        new_edits: The last of these if it was decided at this very call.
        resends: Whether the pinned ones are sent again.
        cache_deleted_input_tokens: About how many tokens all of them deleted: a quarter of the chars of each result,
            rounded up.
    """

    registered_tools: frozenset[Ref]
    tool_order: tuple[Ref, ...]
    deleted_refs: frozenset[Ref]
    pinned_edits: tuple[PinnedEdits, ...]
    new_edits: PinnedEdits | None
    resends: bool
    cache_deleted_input_tokens: int


def cached_state(view: View) -> CachedState | None:
    """The tables at a view's call; None for a strategy that keeps none."""
    return next((stage.state(0) for stage in view.stages if isinstance(stage, Cached)), None)


def wire_edits(state: CachedState) -> list[dict[str, Any]]:
    """The edits as the call sends them, each with the message that it is put in; their form is reconstructed."""
    edits = state.pinned_edits if state.resends else (state.new_edits,) if state.new_edits else ()
    return [
        {
            "message": pinned.message,
            "block": {
                "type": "cache_edits",
                "edits": [{"type": "delete", "cache_reference": ref.id} for ref in pinned.refs],
            },
        }
        for pinned in edits
    ]


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """The tables of all calls of a session, one entry a call. Rows are those of ``index.results``.

    What is registered at a call are the rows ``begin <= row < registered`` of ``mask``, what is deleted those before
    ``deleted``: deletions go in the order of registration.

    Attributes:
        mask_key: All that ``mask`` depends on.
        mask: Which results can ever register.
        rows: Their rows, and the number of results at the end.
        rank: How many of them there are before each row.
        registers: The calls that register and delete.
        began: The call at which the tables were last empty, counted from 0.
        begin: The first row that they hold.
        registered: One past the last row that is registered.
        deleted: One past the last row that is deleted.
        deleted_before: The same before the call decided anything.
        tokens: About how many tokens the deletions took away since the tables were last empty.
        cleared_until: Results before this row were cleared locally.
    """

    mask_key: Hashable
    mask: Bools
    rows: Ints
    rank: Ints
    registers: Bools
    began: Ints
    begin: Ints
    registered: Ints
    deleted: Ints
    deleted_before: Ints
    tokens: Ints
    cleared_until: Ints

    def between(self, first: Ints, last: Ints) -> Ints:
        """How many rows of ``mask`` there are in ``first <= row < last``, for each pair."""
        return self.rank[np.maximum(first, last)] - self.rank[first]

    @property
    def deletes(self) -> Bools:
        """The calls that delete something."""
        return self.between(self.deleted_before, self.deleted) > 0

    @property
    def stale(self) -> Ints:
        """How many registered results were cleared locally."""
        return self.between(self.begin, np.minimum(self.cleared_until, self.registered))


@dataclass(frozen=True, eq=False, kw_only=True)
class Cached(Stage):
    """Deletions in the provider's copy at some calls.

    Attributes:
        strategy: The strategy that it is part of.
        able: Which results are compactable.
        tables: The tables of all calls of the session.
        clearing: What the time-based path before it did; None where there is none.
    """

    effect = Outcome.DELETED
    rewrites_prefix = False

    strategy: str
    options: CachedOptions
    able: Clearable
    tables: Tables
    clearing: Clearing | None

    @property
    def traced(self) -> Bools:
        """The calls at which it deletes something new."""
        return self.tables.deletes[self.before.calls.number - 1]

    def state(self, at: int) -> CachedState:
        """The tables at a call."""
        tables, call = self.tables, self._call(at)
        order = self._refs(tables.begin[call], tables.registered[call])
        first = int(tables.began[call])
        pinned = tuple(
            PinnedEdits(
                self._last_user(deleting), self._refs(tables.deleted_before[deleting], tables.deleted[deleting])
            )
            for deleting in (np.flatnonzero(tables.deletes[first : call + 1]) + first).tolist()
        )
        return CachedState(
            registered_tools=frozenset(order),
            tool_order=order,
            deleted_refs=frozenset(ref for edits in pinned for ref in edits.refs),
            pinned_edits=pinned,
            new_edits=pinned[-1] if tables.deletes[call] else None,
            resends=self.options.resend_pinned,
            cache_deleted_input_tokens=int(tables.tokens[call]),
        )

    def why_acted(self, at: int, row: int, before: int, after: int) -> str:
        """When it was deleted, and how old it was then."""
        tables, call = self.tables, self._deleted_at(at, row)
        rank = int(tables.rank[tables.registered[call]] - tables.rank[row])
        order = f"{ordinal(rank)} newest registered result, keep is {self.options.keep:,}"
        return f"deleted in the provider's copy at call {call + 1:,}: {order}"

    def why_kept(self, at: int, number: int, row: int | None, chars: int) -> tuple[Reason, str]:
        """Why a block was not deleted."""
        options, tables, index = self.options, self.tables, self.before.index
        if not options.runs(STAGE):
            return Reason.DISABLED, f"{STAGE} is switched off"
        if never := why_never(self.before, self.able, at, number, row):
            return never
        assert row is not None
        call = self._call(at)
        if holding(index, CLEARED)[row] or row < tables.cleared_until[call]:
            return Reason.ALREADY_CLEARED, "not deleted: it was cleared, and what was cleared never registers"
        if not tables.mask[row]:
            return Reason.SIDECHAIN, "not deleted: a sidechain's results never register"
        if row >= tables.registered[call]:
            if self._cleared_now(call):
                return Reason.EXCLUDED, "not registered: time-based clearing acted, so this call does nothing else"
            return Reason.SIDECHAIN, "not registered: a call on a sidechain registers nothing"
        if self.acting_variant(at, row) is not None:
            return Reason.ALREADY_CLEARED, "deleted, but it was empty"
        if row < tables.deleted[call]:
            came = self._deleted_at(at, row) + 1
            return Reason.EXCLUDED, f"came back: deleted at call {came:,}, but the edit was not sent again"
        end = tables.registered[call]
        if tables.deletes[call]:
            rank = int(tables.rank[end] - tables.rank[row])
            return Reason.RECENT_WINDOW, f"kept: {ordinal(rank)} newest registered result, keep is {options.keep:,}"
        active = int(tables.rank[end] - tables.rank[tables.deleted[call]])
        if active <= options.trigger:
            return Reason.UNDER_THRESHOLD, f"kept: {active:,} active, trigger is {options.trigger:,}"
        return Reason.RECENT_WINDOW, f"kept: {active:,} active, keep is {options.keep:,}"

    def trace(self, at: int) -> list[str]:
        """One line where it deleted something new."""
        if not self.traced[at]:
            return []
        n, call = self.before.messages[at], self._call(at)
        deleted = self.tables.between(self.tables.deleted_before, self.tables.deleted)[call]
        return [
            f"[trace] {self.strategy}.{STAGE} before={n} after={n} deleted={deleted} "
            f"estimated={self.before.estimate[at]} cacheDeletedInputTokens={self.tables.tokens[call]}"
        ]

    def verdict(self, at: int) -> str:
        """What happened at call ``at``, in words."""
        if not self.options.runs(STAGE):
            return f"{STAGE} is switched off"
        call = self._call(at)
        stale = int(self.tables.stale[call])
        points = "points" if stale == 1 else "point"
        lost = f"; {counted(stale, 'ref')} {points} at content already cleared" if stale else ""
        return self._what_happened(call) + lost

    def _what_happened(self, call: int) -> str:
        options, tables = self.options, self.tables
        rank, end = tables.rank, tables.registered[call]
        if self._cleared_now(call):
            reset = "its tables are empty again" if tables.began[call] == call else "its tables stay as they were"
            return f"time-based clearing acted: {STAGE} does nothing at this call, {reset}"
        if not tables.registers[call]:
            return "sidechain: nothing registers"
        active = int(rank[end] - rank[tables.deleted_before[call]])
        earlier = int(rank[tables.deleted_before[call]] - rank[tables.begin[call]])
        again = ""
        if earlier:
            how = "deleted again by pinned edits" if options.resend_pinned else "came back, no pinned edit was sent"
            again = f"; {earlier:,} {how}"
        if active <= options.trigger:
            return f"{active:,} active, trigger is {options.trigger:,}: nothing to delete{again}"
        if not tables.deletes[call]:
            return f"{active:,} active, keep is {options.keep:,}: nothing to delete{again}"
        deleted = int(rank[tables.deleted[call]] - rank[tables.deleted_before[call]])
        return f"{active:,} active, trigger is {options.trigger:,}: deleted {counted(deleted, 'result')}{again}"

    def _call(self, at: int) -> int:
        return int(self.before.calls.number[at]) - 1

    def _cleared_now(self, call: int) -> bool:
        return self.clearing is not None and bool(self.clearing.fresh[call])

    def _deleted_at(self, at: int, row: int) -> int:
        """The call, counted from 0, that deleted a row which is deleted by call ``at``."""
        call = self._call(at)
        began = int(self.tables.began[call])
        return began + int(np.searchsorted(self.tables.deleted[began : call + 1], row, side="right"))

    def _refs(self, first: np.signedinteger, last: np.signedinteger) -> tuple[Ref, ...]:
        """The rows of ``mask`` in ``first <= row < last``."""
        tables, index = self.tables, self.before.index
        rows = tables.rows[tables.rank[first] : tables.rank[max(first, last)]]
        ids = _ids(index)
        blocks = index.results.block[rows].tolist()
        return tuple(Ref(block, ids[row]) for block, row in zip(blocks, rows.tolist(), strict=True))

    def _last_user(self, call: int) -> int:
        calls, messages = self.before.index.calls(self.before.calls.across), self.before.index.session.messages
        return next(number for number in range(int(calls.end[call]) - 1, -1, -1) if messages[number].role == "user")


def _ids(index: SessionIndex) -> tuple[str, ...]:
    """The id that each result names, empty for none; remembered by the index."""

    def make() -> tuple[str, ...]:
        return tuple(index.result(row).tool_use_id or "" for row in range(len(index.results)))

    return index.remembered(("result ids",), make)


def cached(
    draft: Draft,
    options: CachedOptions,
    strategy: str,
    local: Variant,
    clearing: Clearing | None = None,
    reset: bool = True,
) -> Cached:
    """Deletions in the provider's copy, after what made ``draft``.

    Args:
        draft: What the stages before left.
        options: The options.
        strategy: The strategy that it is part of.
        local: The results as they were registered, before anything was cleared.
        clearing: What the time-based path did.
        reset: Whether the tables are emptied where that cleared something.
    """
    able = clearable(draft.index, options.compactable_tools, draft.calls.across)
    tables = _tables(draft, options, able, local, clearing, reset)
    at = draft.calls.number - 1
    # What was cleared locally is no longer there to be deleted.
    first = np.maximum(tables.begin, tables.cleared_until)
    if not options.resend_pinned:
        first = np.maximum(first, tables.deleted_before)
    rule = Replace(draft.index, (STAGE, tables.mask_key), tables.mask, "")
    after, acted = draft.rewritten(rule, first[at], np.maximum(tables.deleted, first)[at])
    return Cached(
        name=STAGE,
        strategy=strategy,
        options=options,
        before=draft,
        after=after,
        count=acted_count(acted, len(draft.calls)),
        acted=acted,
        able=able,
        tables=tables,
        clearing=clearing,
    )


def _tables(
    draft: Draft, options: CachedOptions, able: Clearable, local: Variant, clearing: Clearing | None, reset: bool
) -> Tables:
    index, across, runs = draft.index, draft.calls.across, options.runs(STAGE)
    trigger, keep = within(options.trigger), within(options.keep)
    cleared_key = None if clearing is None else clearing.key
    key = (NAME, able.key, local.key, runs, trigger, keep, cleared_key, reset)

    def make() -> Tables:
        calls = index.calls(across)
        at = np.arange(len(calls))
        window, last = index.results_before[calls.start], index.results_before[calls.end]
        cleared = np.zeros(len(calls), np.bool_) if clearing is None else clearing.fresh > 0
        until = window if clearing is None else clearing.until
        registers = ~on_sidechain(index, call_times(index, across)) & ~cleared & runs

        empties = cleared & reset
        begins = (np.diff(calls.start, prepend=-1) != 0) | empties
        began = np.maximum.accumulate(np.where(begins, at, 0))
        begin = np.where(empties, until, window)[began]
        latest = np.maximum.accumulate(np.where(registers, at, -1))
        registered = np.where(latest >= began, last[latest], begin)

        # What time cleared before it could register never does. That matters where the tables outlast the clearing.
        missed = _missed(len(index.results), registered[cleared], until[cleared])
        mask = able.mask & ~sidechain_messages(index)[index.results.message] & ~holding(index, CLEARED) & ~missed
        rows = np.append(np.flatnonzero(mask), len(mask)).astype(np.int64)
        rank = prefix_sum(mask)

        deleting, count = _deletions(rank[registered], rank[begin], np.flatnonzero(begins), trigger, keep)
        newest = np.searchsorted(deleting, at, side="right") - 1
        some = np.append(deleting, -1)[newest] >= began
        deleted = np.where(some, np.minimum(rows[np.append(count, 0)[newest]], registered), begin)
        before = np.where(began < at, np.append(0, deleted[:-1]), begin)

        tokens = prefix_sum(np.where(mask, -(-local.chars // 4), 0))
        there = np.clip(np.maximum(before, until), 0, deleted)
        total = np.cumsum(tokens[deleted] - tokens[np.where(before < deleted, there, deleted)])
        since = np.where(began > 0, total[began - 1], 0)
        mask_key = (able.key, cleared_key, reset) if missed.any() else able.key
        return Tables(
            mask_key, mask, rows, rank, registers, began, begin, registered, deleted, before, total - since, until
        )

    return index.remembered(key, make)


def _missed(size: int, first: Ints, last: Ints) -> Bools:
    """Which of so many rows lie in any of the ranges ``first <= row < last``."""
    edges = np.zeros(size + 1, np.int64)
    np.add.at(edges, first, 1)
    np.add.at(edges, np.maximum(first, last), -1)
    found: Bools = np.cumsum(edges)[:-1] > 0
    return found


def _deletions(registered: Ints, base: Ints, begins: Ints, trigger: int, keep: int) -> tuple[Ints, Ints]:
    """The calls that delete, ascending, and how many results are deleted after each.

    Args:
        registered: How many results there are up to the last registered one, one a call.
        base: How many there are before the first one in the tables, one a call.
        begins: The calls at which the tables are empty.
        trigger: Only with more active results is anything deleted.
        keep: How many stay.
    """
    least = max(trigger, keep) + 1
    ends = np.append(begins[1:], len(registered))
    enough = registered[ends - 1] - base[begins] >= least
    deleting: list[int] = []
    deleted: list[int] = []
    counts = registered.tolist()
    for begin, end in zip(begins[enough].tolist(), ends[enough].tolist(), strict=True):
        call, gone = begin, int(base[begin])
        # From one deletion to the next: the first call at which enough are active again.
        while (call := bisect_left(counts, gone + least, call, end)) < end:
            gone = counts[call] - keep
            deleting.append(call)
            deleted.append(gone)
    return np.array(deleting, np.int64), np.array(deleted, np.int64)


def run(draft: Draft, options: CachedOptions) -> tuple[Stage, ...]:
    """The one stage."""
    return (cached(draft, options, NAME, draft.only_variant),)


STRATEGY = Strategy(
    name=NAME,
    title="Claude Code, cached microcompact",
    options=CachedOptions,
    run=run,
    placeholder="",
    persistence="server-side",
    fidelity="reconstructed",
    explanation=(
        "The local messages stay as they are; edits tell the provider which old results to delete in its cached copy, "
        "and go with every later call. So the cached prefix stays valid while the copy shrinks."
    ),
    source="Claude Code's microcompact, its cached path; the numbers and the form of the edits are reconstructed",
)
