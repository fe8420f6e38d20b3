"""A session from message dicts that a program already has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tui.formats import openai_chat, react_agent_mini
from tui.formats.messages import message
from tui.model import Session


def session_from_messages(messages: Sequence[Mapping[str, Any]], *, source: str = "") -> Session:
    """The session that ``messages`` are, in react-agent-mini's shape (``type``) or a chat API's (``role``), or mixed.

    Leading system and developer messages go to ``Session.system``. Every other dict is exactly one message, in
    order: message i of the session is dict ``i + len(session.system)``, and its block j is item j of that dict's
    content. String content is one text block, None or no content is no block; blocks of ``tool_calls`` come after
    those of the content. A dict of the role ``tool`` is a user message with one tool result. Nothing is copied
    and nothing is changed; blocks refer to the dicts' own inputs.
    """
    made = tuple(map(message, messages))
    leading = next((index for index, one in enumerate(made) if one.role != "system"), len(made))
    chat = any("role" in one for one in messages)
    return Session(
        format=openai_chat.NAME if chat else react_agent_mini.NAME,
        messages=made[leading:],
        system=made[:leading],
        source=source,
    )
