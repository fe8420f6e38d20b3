"""What the cached microcompact remembers, and what a second run would change, as text."""

from __future__ import annotations

import json
from collections.abc import Iterable

from rich.table import Table
from rich.text import Text
from textual.content import Content

from tui.model.visible import visible_line
from tui.strategies.again import Again
from tui.strategies.claude_code_cached import CachedState, Ref, wire_edits

_MOST = 60
"""Names of results that are listed; the others are counted."""

_ID = 6
"""Chars of an id that are shown."""


def state_text(state: CachedState) -> Table:
    """The tables, the edits on the wire, and what they took away."""
    order = {ref: number for number, ref in enumerate(state.tool_order)}
    deleted = sorted(state.deleted_refs, key=lambda ref: order.get(ref, ref.block))
    active = len(state.registered_tools) - len(state.deleted_refs)
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, style="bold")
    table.add_column()

    def row(name: str, words: str) -> None:
        table.add_row(Text(name), Text(words))

    row("local copy", "never changes; what is deleted is missing in the provider's copy only")
    row("registeredTools", f"{len(state.registered_tools):,}, {active:,} of them active")
    row("toolOrder", _names(state.tool_order))
    row("deletedRefs", f"{len(deleted):,}: {_names(deleted)}" if deleted else "none")
    row("pinnedEdits", f"{len(state.pinned_edits):,}")
    for pinned in state.pinned_edits:
        sign = ", new at this call" if pinned is state.new_edits else ""
        row("", f"on message {pinned.message:,}{sign}: {_names(pinned.refs)}")
    row("deleted input tokens", f"~{state.cache_deleted_input_tokens:,}, an estimate of the cumulative number")
    row("", "")
    row("on the wire", "what this call sends" + ("" if state.resends else "; pinned edits are not re-sent"))
    edits = wire_edits(state)
    if not edits:
        row("cache_edits", "none")
    for edit in edits:
        row(f"in message {edit['message']:,}", visible_line(json.dumps(edit["block"], ensure_ascii=False)))
    row("", "")
    row("reconstructed", "the numbers of trigger and keep, and the form of the edits")
    return table


def _names(refs: Iterable[Ref]) -> str:
    names = [_short(visible_line(ref.id)) or f"block {ref.block:,}" for ref in refs]
    more = f" and {len(names) - _MOST:,} more" if len(names) > _MOST else ""
    return " ".join(names[:_MOST]) + more if names else "none"


def _short(name: str) -> str:
    """The end of an id, which tells it from the others."""
    return name if len(name) <= _ID + 1 else f"…{name[-_ID:]}"


def again_text(found: Again) -> Content:
    """What a second run would change."""
    original, first, second = found.estimates
    what = "nothing" if found.is_idempotent else "its own output"
    parts: list[Content | str | tuple[str, str]] = [
        (f"the second run changes {what}\n", "bold"),
        f"\nbefore      {original:>12,} chars\nfirst run   {first:>12,} chars\nsecond run  {second:>12,} chars\n",
    ]
    if found.dropped:
        parts.append(f"\n{found.dropped:,} more {'message' if found.dropped == 1 else 'messages'} dropped")
    parts += [f"\nmessage {message:,}, block {block:,}: another text" for message, block in found.changed[:_MOST]]
    if len(found.changed) > _MOST:
        parts.append(f"\n… and {len(found.changed) - _MOST:,} more")
    parts.append("\n\nThe output holds no timestamps: a strategy that goes by the time finds none in the second run.")
    return Content.assemble(*parts)
