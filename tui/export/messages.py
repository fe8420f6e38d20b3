"""A view's messages as an Anthropic Messages API takes them."""

from __future__ import annotations

from typing import Any

from tui.model import (
    Block,
    Extra,
    ImageBlock,
    OtherBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from tui.model.ecma_json import stringify
from tui.pipeline.evaluation import OUTBOUND, View

_SENDABLE = frozenset({"document", "search_result", "container_upload"})
"""Types of blocks without a name in the model that the API takes as they are."""

Part = dict[str, Any]


def anthropic_messages(view: View, stage: str = OUTBOUND) -> list[dict[str, Any]]:
    """The messages of ``view`` after ``stage``: ``[{role, content}]``, only fields that the API knows.

    A system message in mid-conversation is a user message. Thinking without its signature cannot be sent back and
    is left out, and with it a message that holds nothing else. Images whose data is not kept become a text that
    says so, and so do blocks that only another API knows.

    Raises:
        KeyError: There is no such stage.
    """
    changed = view.changed_contents(stage)
    out: list[dict[str, Any]] = []
    for number in range(view.kept_from_after(stage), view.end):
        message = view.session.messages[number]
        if message.role == "other":
            continue
        content = [
            part for place, block in enumerate(message.blocks) for part in _parts(block, changed.get((number, place)))
        ]
        if content or not message.blocks:
            out.append({"role": "assistant" if message.role == "assistant" else "user", "content": content})
    return out


def _parts(block: Block, changed: str | None) -> list[Part]:
    """The parts that ``block`` becomes, with ``changed`` in place of a tool result's text."""
    match block:
        case TextBlock():
            return [_text(block.text) | _kept(block.extra, "citations", "cache_control")]
        case ToolUseBlock():
            return [_tool_use(block, changed is not None)]
        case ToolResultBlock():
            return [_tool_result(block, changed)]
        case ThinkingBlock():
            return _thinking(block)
        case ImageBlock():
            return [_image(block) | _kept(block.extra, "cache_control")]
        case OtherBlock():
            return [block.raw if block.kind in _SENDABLE else _text(_json(block.raw))]


def _kept(extra: Extra, *names: str) -> Part:
    return {name: extra[name] for name in names if extra.get(name) is not None} if extra else {}


def _text(text: str) -> Part:
    return {"type": "text", "text": text}


def _json(value: Any) -> str:
    try:
        return stringify(value)
    except RecursionError:
        return "[a block nested too deeply]"


def _is_servers(block: ToolUseBlock | ToolResultBlock) -> bool:
    # The server wants the results of its own tools back sealed, as they were; only their text is kept.
    return bool(block.extra and "type" in block.extra)


def _tool_use(block: ToolUseBlock, emptied: bool) -> Part:
    if _is_servers(block):
        return _text(f"{block.name} {_json(block.input)}")
    part = {"type": "tool_use", "id": block.id or "", "name": block.name, "input": {} if emptied else dict(block.input)}
    return part | _kept(block.extra, "cache_control")


def _tool_result(block: ToolResultBlock, changed: str | None) -> Part:
    text = block.content if changed is None else changed
    if _is_servers(block):
        return _text(text)
    content: str | list[Part] = text
    if block.images and changed is None:
        note = "[image, not kept]" if block.images == 1 else f"[{block.images:,} images, not kept]"
        content = [*([_text(text)] if text else []), _text(note)]
    part: Part = {"type": "tool_result", "tool_use_id": block.tool_use_id or "", "content": content}
    if block.is_error is not None:
        part["is_error"] = block.is_error
    return part | _kept(block.extra, "cache_control")


def _thinking(block: ThinkingBlock) -> list[Part]:
    kept = _kept(block.extra, "signature", "data")
    if "signature" in kept:
        return [{"type": "thinking", "thinking": block.text, "signature": kept["signature"]}]
    if "data" in kept:
        return [{"type": "redacted_thinking", "data": kept["data"]}]
    return []


def _image(block: ImageBlock) -> Part:
    if block.ref.startswith(("https://", "http://")):
        return {"type": "image", "source": {"type": "url", "url": block.ref}}
    about = [f"image {block.media_type}".rstrip(), f"{block.bytes_len:,} bytes" if block.bytes_len else block.ref]
    return _text(f"[{', '.join([*filter(None, about), 'not kept'])}]")
