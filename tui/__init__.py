"""outbound: see what one model call of an LLM agent really receives after compaction.

The library surface; each name is imported when it is first used, so that ``outbound --help`` stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tui.formats import load_session, session_from_messages
    from tui.pipeline.options import CompactOptions
    from tui.strategies import evaluate
    from tui.strategies.compact_messages import compact_messages

__all__ = ["CompactOptions", "compact_messages", "evaluate", "load_session", "session_from_messages"]

_HOMES = {
    "CompactOptions": "tui.pipeline.options",
    "compact_messages": "tui.strategies.compact_messages",
    "evaluate": "tui.strategies",
    "load_session": "tui.formats",
    "session_from_messages": "tui.formats",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
