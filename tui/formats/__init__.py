"""Session files and message dicts -> ``Session``. One registry of formats, one module a format."""

from tui.formats.dicts import session_from_messages
from tui.formats.load import Progress, load_session
from tui.formats.registry import formats

__all__ = ["Progress", "formats", "load_session", "session_from_messages"]
