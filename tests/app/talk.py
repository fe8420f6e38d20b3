"""A small conversation in which every message is one block, so that messages and blocks have the same numbers."""

from __future__ import annotations

from typing import Any

from tui import session_from_messages
from tui.model import Session

FILLER = "\n".join(f"row {number} of the file" for number in range(60))
"""Enough that a result with it may be cleared; more rows than a folded block shows."""

CLEARING = {"threshold": 0, "keep_recent": 2, "max_messages": 1_000}
"""Options that clear all results but the last two, and nothing else."""


def said(role: str, text: str) -> dict[str, Any]:
    """A message of one text."""
    return {"type": role, "content": [{"type": "text", "text": text}]}


def exchange(number: int, result: str, tool: str = "Read") -> list[dict[str, Any]]:
    """A call of a tool, and its result."""
    call = {"type": "tool_use", "id": f"call{number}", "name": tool, "input": {"file_path": f"{number}.py"}}
    answer = {"type": "tool_result", "tool_use_id": f"call{number}", "content": result}
    return [{"type": "assistant", "content": [call]}, {"type": "user", "content": [answer]}]


def talk(
    *results: str, ask: str = "go", end: str = "done", tools: tuple[str, ...] = ("Read",), again: int | None = None
) -> Session:
    """A question, a call and its result for each of ``results``, and an answer: result ``n`` is message ``2n + 2``.

    Args:
        results: The texts of the results.
        ask: The question.
        end: The answer.
        tools: The tools that are called, in turn.
        again: The call before which a second question stands, so that what is before it can be dropped; from there on
            messages have a number one higher.
    """
    messages = [said("user", ask)]
    for number, result in enumerate(results):
        if number == again:
            messages.append(said("user", "and now?"))
        messages += exchange(number, result, tools[number % len(tools)])
    return session_from_messages([*messages, said("assistant", end)])
