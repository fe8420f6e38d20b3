"""Prompts: the messages from the user that hold no tool result."""

from __future__ import annotations

import numpy as np

from tui.pipeline.index import Bools, SessionIndex


def prompts(index: SessionIndex) -> Bools:
    """Which messages are prompts; an empty one from the user is one too. Remembered by the index."""

    def make() -> Bools:
        messages = index.session.messages
        user = np.fromiter((message.role == "user" for message in messages), np.bool_, len(messages))
        found: Bools = user & (np.diff(index.results_before) == 0)
        return found

    return index.remembered(("prompts",), make)
