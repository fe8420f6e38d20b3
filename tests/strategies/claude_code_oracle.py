"""Claude Code's microcompact as SPEC.md says it, replayed call by call over plain messages; conversations for it."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import strategies as st

from tests import oracle
from tests.pipeline.test_every_call import prefixes
from tests.strategies.properties import Dicts, with_boundaries
from tests.strategy_data import conversations, exchange, user
from tui import session_from_messages
from tui.model import Session

CLEARED = "[Old tool result content cleared]"
TOOLS = ("Read", "Bash", "Grep", "Glob", "WebSearch", "WebFetch", "Edit", "Write")
Place = tuple[int, int]


@dataclass
class Options:
    time: bool = True
    cached: bool = True
    gap_minutes: int = 5
    keep_recent: int = 5
    now_minutes: int = 0
    step_seconds: int = 30
    trigger: int = 10
    keep: int = 5
    resend_pinned: bool = True
    reset: bool = True
    compactable_tools: tuple[str, ...] = TOOLS


@dataclass
class State:
    """What is carried from call to call."""

    cleared: set[Place] = field(default_factory=set)
    registered: list[Place] = field(default_factory=list)
    deleted: list[Place] = field(default_factory=list)
    pinned: list[tuple[int, list[Place]]] = field(default_factory=list)
    tokens: int = 0

    def empty(self) -> None:
        self.registered, self.deleted, self.pinned, self.tokens = [], [], [], 0


@dataclass
class Call:
    """One call: what is sent after each of the two paths, and the tables."""

    start: int
    end: int
    local: Dicts
    server: Dicts
    fires: bool
    fresh: int
    state: State
    newly_deleted: list[Place]


def compactable(messages: Dicts, start: int, end: int, tools: tuple[str, ...]) -> list[Place]:
    names: dict[str, str] = {}
    found = []
    for i in range(start, end):
        for j, block in enumerate(messages[i]["content"]):
            if block["type"] == "tool_use":
                names[block["id"]] = block["name"]
            elif block["type"] == "tool_result" and messages[i]["type"] == "user":
                name = names.get(block["tool_use_id"])
                if name is not None and oracle.compactable(name, tools):
                    found.append((i, j))
    return found


def fires(messages: Dicts, start: int, end: int, last: bool, o: Options) -> bool:
    stamps = [message.get("timestamp") for message in messages]
    if all(stamp is None for stamp in stamps):
        stamps = [i * o.step_seconds for i in range(len(messages))]
    spoke = [i for i in range(start, end) if messages[i]["type"] == "assistant"]
    if not spoke or messages[end - 1].get("side"):
        return False
    now, then = stamps[end - 1], stamps[spoke[-1]]
    if now is None or then is None:
        return False
    gap = now + (60 * o.now_minutes if last else 0) - then
    return bool(gap >= 0 and gap >= 60 * o.gap_minutes)


def without(messages: Dicts, start: int, end: int, texts: dict[Place, str]) -> Dicts:
    out = []
    for i in range(start, end):
        message = {key: value for key, value in messages[i].items() if key != "timestamp"}
        message["content"] = [
            {**block, "content": texts[i, j]} if (i, j) in texts else block
            for j, block in enumerate(messages[i]["content"])
        ]
        out.append(message)
    return out


def replay(messages: Dicts, o: Options, boundaries: list[int]) -> list[Call]:
    state = State()
    calls: list[Call] = []

    def content(place: Place) -> str:
        return str(messages[place[0]]["content"][place[1]]["content"])

    ends = prefixes(messages)
    for number, end in enumerate(ends):
        start = max((cut for cut in boundaries if cut <= end), default=0)
        if calls and calls[-1].start != start:
            state.empty()
        found = compactable(messages, start, end, o.compactable_tools)
        firing = o.time and fires(messages, start, end, number == len(ends) - 1, o)
        fresh = set()
        if firing:
            fresh = {place for place in found[: -max(1, o.keep_recent)] if content(place) != CLEARED} - state.cleared
            state.cleared |= fresh
        newly: list[Place] = []
        if fresh and o.reset:
            state.empty()
        on_sidechain = start < end and messages[end - 1].get("side")
        if o.cached and not fresh and not on_sidechain:
            for place in found:
                known = place in state.registered or place in state.cleared or content(place) == CLEARED
                if not known and not messages[place[0]].get("side"):
                    state.registered.append(place)
            active = [place for place in state.registered if place not in state.deleted]
            if len(active) > o.trigger:
                newly = active[: max(0, len(active) - o.keep)]
            if newly:
                state.deleted += newly
                state.pinned.append((max(i for i in range(start, end) if messages[i]["type"] == "user"), newly))
                sizes = [oracle.units(content(place)) for place in newly if place not in state.cleared]
                state.tokens += sum((size + 3) // 4 for size in sizes)
        texts = dict.fromkeys(state.cleared, CLEARED)
        local = without(messages, start, end, texts)
        gone = state.deleted if o.resend_pinned else newly
        server = without(messages, start, end, dict.fromkeys(gone, "") | texts)
        calls.append(Call(start, end, local, server, bool(firing), len(fresh), copy.deepcopy(state), newly))
    return calls


def session_of(messages: Dicts) -> Session:
    """The messages as a session: ``side`` makes one a sidechain's."""
    return _sided(session_from_messages(messages))


def bounded(messages: Dicts, cuts: list[int]) -> Session:
    return _sided(with_boundaries(messages, cuts))


def _sided(session: Session) -> Session:
    return replace(
        session,
        messages=tuple(replace(m, sidechain=bool((m.extra or {}).get("side"))) for m in session.messages),
    )


def _stamped(messages: Dicts, stamps: list[Any], sides: list[bool]) -> Dicts:
    now = 1_700_000_000.5
    out = []
    for i, message in enumerate(messages):
        step = stamps[i % len(stamps)] if stamps else None
        extra: dict[str, Any] = {}
        if step is not None:
            now += step
            extra["timestamp"] = now
        if sides and sides[i % len(sides)]:
            extra["side"] = True
        out.append({**message, **extra})
    return out


_steps = st.sampled_from([0, 10, 59, 60, 61, 299, 300, 301, 3600, -50, None])
talks: st.SearchStrategy[Dicts] = st.builds(
    _stamped,
    st.one_of(
        conversations,
        st.lists(st.one_of(exchange, exchange, user.map(lambda m: [m])), max_size=14).map(
            lambda parts: [message for part in parts for message in part]
        ),
    ),
    st.one_of(st.just([]), st.lists(_steps, min_size=1, max_size=30)),
    st.one_of(st.just([]), st.lists(st.sampled_from([False, False, False, True]), min_size=1, max_size=7)),
)
"""Conversations with timestamps, some missing, some going back, or none at all; some messages of sidechains."""

cuts: st.SearchStrategy[list[int]] = st.lists(st.integers(0, 24), max_size=2)


def within(found: list[int], messages: Dicts) -> list[int]:
    return sorted({min(cut, len(messages)) for cut in found})


time_values: dict[str, st.SearchStrategy[Any]] = {
    "gap_minutes": st.integers(0, 6),
    "keep_recent": st.integers(0, 4),
    "now_minutes": st.integers(0, 7),
    "step_seconds": st.sampled_from([0, 30, 60, 300]),
    "compactable_tools": st.sampled_from([TOOLS, ("*",), ()]),
}
cached_values: dict[str, st.SearchStrategy[Any]] = {
    "trigger": st.integers(0, 5),
    "keep": st.integers(0, 6),
    "resend_pinned": st.booleans(),
    "compactable_tools": st.sampled_from([TOOLS, ("*",), ()]),
}
