"""The one table of formats, in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Callable

from tui.formats import anthropic_messages, claude_code, openai_chat, react_agent_mini, recognised
from tui.formats.format import Format, Sample

SAMPLE_SIZE = 400
"""How many records are looked at to tell a format."""

_BY_FIELDS: tuple[Format, ...] = (
    recognised.ATIF,
    recognised.INSPECT,
    recognised.MINI_SWE_AGENT,
    recognised.GEMINI_EXPORT,
    recognised.SWE_AGENT,
    recognised.GEMINI,
)
"""Documents that are recognised by the fields beside their messages."""

_BY_ITEMS: tuple[Format, ...] = (
    recognised.OPENCODE,
    recognised.TAU_BENCH,
    recognised.CONVERSATIONS,
    recognised.MANY_CHATS,
    recognised.OPENHANDS,
    recognised.CLINE_UI,
    react_agent_mini.FORMAT,
    openai_chat.FORMAT,
    anthropic_messages.FORMAT,
)
"""Documents that are recognised by their items."""

_LINES: tuple[Format, ...] = (
    recognised.CODEX,
    recognised.CODEX_OLD,
    recognised.CODEX_EXEC,
    recognised.PI,
    recognised.DROID,
    recognised.GEMINI,
    recognised.QWEN,
    claude_code.FORMAT,
    recognised.COPILOT,
    recognised.CURSOR,
    recognised.MANY_CHATS,
    react_agent_mini.FORMAT,
    recognised.GROK,
    anthropic_messages.FORMAT,
    openai_chat.FORMAT,
)


def all_formats() -> tuple[Format, ...]:
    """Every format once: those with a reader first, each group in the order of the tables."""
    every = dict.fromkeys((*_LINES, *_BY_FIELDS, *_BY_ITEMS))
    return tuple(sorted(every, key=lambda one: one.open is None))


def formats() -> dict[str, str]:
    """Name -> one line about it, of every format that can be read."""
    return {one.name: one.description for one in all_formats() if one.open is not None}


def detect(sample: Sample) -> Format | None:
    """The format of the file that ``sample`` is from, or None when it is none that is known."""
    known = detect_by_fields(sample)
    if known or not sample.records:
        return known
    if sample.shape != "lines":
        known = _first(_BY_ITEMS, sample, lambda one: one.document)
    # A list of what else would stand on lines, or messages that are strings only.
    return known or _first(_LINES, sample, lambda one: one.lines)


def detect_by_fields(sample: Sample) -> Format | None:
    """The format, if the fields of a document alone tell it."""
    return _first(_BY_FIELDS, sample, lambda one: one.document) if sample.fields else None


def _first(
    table: tuple[Format, ...], sample: Sample, test: Callable[[Format], Callable[[Sample], bool]]
) -> Format | None:
    return next((one for one in table if test(one)(sample)), None)
