"""The neutral model of a session: frozen data, sizes and errors. Imports nothing else of the project."""

from tui.model.errors import (
    LoadCancelled,
    OptionError,
    OutboundError,
    SessionError,
    UnsupportedFormatError,
)
from tui.model.session import (
    Block,
    Boundary,
    Extra,
    ImageBlock,
    Message,
    Note,
    OtherBlock,
    Role,
    Session,
    Sidechain,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)

__all__ = [
    "Block",
    "Boundary",
    "Extra",
    "ImageBlock",
    "LoadCancelled",
    "Message",
    "Note",
    "OptionError",
    "OtherBlock",
    "OutboundError",
    "Role",
    "Session",
    "SessionError",
    "Sidechain",
    "TextBlock",
    "ThinkingBlock",
    "ToolResultBlock",
    "ToolUseBlock",
    "UnsupportedFormatError",
]
