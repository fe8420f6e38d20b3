"""The v4 pipeline as one function on dicts, as agents call it."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from tui.formats import session_from_messages
from tui.model import OutboundError
from tui.pipeline.evaluation import View
from tui.pipeline.options import CompactOptions
from tui.strategies import react_agent_mini_v4
from tui.strategies.registry import evaluate

Messages = list[dict[str, Any]]
Microcompact = Callable[[Messages, CompactOptions], Messages]


def compact_messages(
    messages: Messages, options: CompactOptions | None = None, microcompact: Microcompact | None = None
) -> Messages:
    """What the next call would receive; the same list object when nothing changes.

    Args:
        messages: Dicts in react-agent-mini's shape; never changed. Messages that no stage changes are the same
            objects in the result.
        options: The options; the defaults when None.
        microcompact: Takes the place of micro: ``(messages, options) -> messages``, called only when the estimate
            after budget is over the threshold and micro is not switched off.

    Raises:
        OutboundError: ``microcompact`` is asynchronous or returns no list.
    """
    options = options or CompactOptions()
    if microcompact is None:
        return _apply(messages, options, "retain")
    if inspect.iscoroutinefunction(microcompact):
        raise _asynchronous()
    current = _apply(messages, options, "budget")
    if not options.runs("micro"):
        return _apply(current, _only_retain(options), "retain")
    if _view(current, options).estimate["original"] > options.threshold:
        answer: Any = microcompact(current, options)
        if isinstance(answer, Awaitable):
            if inspect.iscoroutine(answer):
                answer.close()
            raise _asynchronous()
        if not isinstance(answer, list):
            raise OutboundError(
                f"microcompact returned {type(answer).__name__}, not a list of messages",
                hint="It takes (messages, options) and returns the messages to send.",
            )
        current = answer
    return _apply(current, _only_retain(options), "retain")


def _asynchronous() -> OutboundError:
    return OutboundError(
        "microcompact is asynchronous, but compact_messages is not",
        hint="Pass a plain function (messages, options) -> messages; await before calling, if you must.",
    )


def _only_retain(options: CompactOptions) -> CompactOptions:
    return options.changed(disabled_stages=("budget", "micro", *options.disabled_stages))


def _view(messages: Messages, options: CompactOptions) -> View:
    return evaluate(session_from_messages(messages), react_agent_mini_v4.NAME, options).at()


def _apply(messages: Messages, options: CompactOptions, stage: str) -> Messages:
    view = _view(messages, options)
    contents: dict[int, dict[int, str]] = {}
    for (message, block), text in view.changed_contents(stage).items():
        contents.setdefault(message, {})[block] = text
    dropped = view.kept_from_after(stage) - view.start
    if not contents and not dropped:
        return messages
    system = len(view.session.system)
    out = messages[:system]
    for number in range(dropped, view.end):
        source = messages[system + number]
        if number in contents:
            source = {**source, "content": _with_contents(source, contents[number])}
        out.append(source)
    return out


def _with_contents(message: dict[str, Any], contents: dict[int, str]) -> list[Any] | str:
    content = message["content"]
    if not isinstance(content, list) or message.get("role") in ("tool", "function"):
        return contents[0]  # such a chat message is its one result
    return [
        {**block, "content": contents[number]} if number in contents else block for number, block in enumerate(content)
    ]
