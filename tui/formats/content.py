"""The content of messages -> blocks, for every format: it may have any of the shapes that were ever seen.

Content may be absent, null, a string, one bare block, a list of blocks, a list of strings, or a mix. What has no
name in the model becomes an ``OtherBlock``; nothing here raises, and nothing here changes what it is given.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tui.formats.records import parse
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

_TEXT = frozenset({"text", "input_text", "output_text"})
_TOOL_USE = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_THINKING = frozenset({"thinking", "redacted_thinking", "reasoning"})
_IMAGE = frozenset({"image", "image_url", "input_image"})
_ATTACHMENT = frozenset({"document", "file", "input_file", "input_audio", "audio", "video", "container_upload"})


def blocks(content: Any) -> tuple[Block, ...]:
    """One block for each item of ``content``, in order; a string is one text block, None is no block."""
    if type(content) is list:
        return (block(content[0]),) if len(content) == 1 else tuple([block(item) for item in content])
    if type(content) is str:
        return (TextBlock(content),)
    if content is None:
        return ()
    if isinstance(content, tuple):
        return tuple([block(item) for item in content])
    return (block(content),)


def block(item: Any) -> Block:
    """The block that ``item`` is."""
    if type(item) is not dict and not isinstance(item, Mapping):
        return TextBlock(item) if isinstance(item, str) else OtherBlock("", item)
    kind = item.get("type")
    if kind == "text":
        return _text(item)
    if kind == "tool_use":
        usual = len(item) == 4 and "id" in item and "name" in item and "input" in item
        extra = None if usual else _extra(item, "type", "id", "name", "input")
        return ToolUseBlock(_id(item.get("id")), _name(item.get("name")), tool_input(item.get("input")), extra)
    if kind == "tool_result":
        return tool_result(item, item.get("tool_use_id"))
    if not isinstance(kind, str):
        return _text(item) if kind is None and isinstance(item.get("text"), str) else OtherBlock("", item)
    if kind in _TEXT:
        return _text(item)
    if kind in _THINKING:
        return _thinking(item, kind)
    if kind in _IMAGE:
        return _image(item)
    if kind in _TOOL_USE:
        # The type is kept, because the server, not the client, runs these.
        extra = _extra(item, "id", "name", "input")
        return ToolUseBlock(_id(item.get("id")), _name(item.get("name")), tool_input(item.get("input")), extra)
    if kind.endswith("_tool_result"):
        return tool_result(item, item.get("tool_use_id"), "tool_use_id", "content", "is_error")
    return OtherBlock(kind, item)


def tool_result(item: Mapping[str, Any], call: Any, *known: str) -> ToolResultBlock:
    """The tool result that ``item`` (a block or a whole message) is.

    Args:
        item: Where its content and ``is_error`` stand.
        call: The id of the call it answers.
        known: The keys that are not to be kept as extra fields; by default those of a ``tool_result`` block.
    """
    content = item.get("content")
    images = 0
    if type(content) is not str:
        content, images = result_text(content)
    is_error = item.get("is_error")
    if is_error is not None and type(is_error) is not bool:
        is_error = bool(is_error)
    extra = None
    usual = len(item) == 3 + ("is_error" in item) and "tool_use_id" in item and "content" in item
    if known or not usual:
        extra = _extra(item, *(known or ("type", "tool_use_id", "content", "is_error")))
    return ToolResultBlock(_id(call), content, is_error, images, extra)


def result_text(content: Any) -> tuple[str, int]:
    r"""The text of a tool result's content and how many images it holds.

    Text parts are joined by ``\n``; images are counted; documents and other files are named in brackets; any other
    object is shown as its JSON.
    """
    if content is None:
        return "", 0
    parts: list[str] = []
    images = 0
    for part in content if isinstance(content, (list, tuple)) else [content]:
        if isinstance(part, str):
            parts.append(part)
            continue
        fields: Mapping[str, Any] = part if isinstance(part, Mapping) else {}
        kind = _name(fields.get("type"))
        text = fields.get("text")
        if isinstance(text, str) and (not kind or kind in _TEXT):
            parts.append(text)
        elif kind in _IMAGE:
            images += 1
        elif kind in _ATTACHMENT:
            parts.append(f"[{kind}]")
        elif part is not None:
            try:
                parts.append(stringify(dict(part) if isinstance(part, Mapping) else part))
            except (RecursionError, TypeError, ValueError):
                parts.append(f"[{kind or 'unreadable'}]")
    return "\n".join(parts), images


def tool_input(value: Any) -> Mapping[str, Any]:
    """A tool's arguments as an object; what is no object stays visible under ``_raw`` or ``_value``."""
    if isinstance(value, (dict, Mapping)):
        return value
    if value is None:
        return {}
    if isinstance(value, str):
        try:
            parsed = parse(value)
        except ValueError:
            return {"_raw": value}
        return parsed if isinstance(parsed, dict) else {"_value": parsed}
    return {"_value": value}


def call_block(item: Any) -> ToolUseBlock:
    """A tool call of the OpenAI shape: ``{id, function: {name, arguments}}``, or a bare ``{name, arguments}``."""
    if not isinstance(item, Mapping):
        return ToolUseBlock(None, "", tool_input(item))
    function = item.get("function")
    if isinstance(function, Mapping):
        extra = _extra(item, "id", "type", "function")
        return ToolUseBlock(
            _id(item.get("id")), _name(function.get("name")), tool_input(function.get("arguments")), extra
        )
    custom = item.get("custom")
    if isinstance(custom, Mapping):
        return ToolUseBlock(
            _id(item.get("id")), _name(custom.get("name")), {"input": custom.get("input")}, _extra(item, "id", "custom")
        )
    name = function if isinstance(function, str) else item.get("name")
    extra = _extra(item, "id", "type", "function", "name", "arguments")
    return ToolUseBlock(_id(item.get("id")), _name(name), tool_input(item.get("arguments")), extra)


def extra_fields(record: Mapping[str, Any], known: frozenset[str]) -> Extra:
    """The fields of ``record`` that are not ``known``, or None."""
    return {key: value for key, value in record.items() if key not in known} or None


def _extra(item: Mapping[str, Any], *known: str) -> Extra:
    return {key: value for key, value in item.items() if key not in known} or None


def _id(value: Any) -> str | None:
    if type(value) is str or value is None:
        return value
    return str(value) if isinstance(value, (str, int)) else None


def _name(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _text(item: Mapping[str, Any]) -> Block:
    text = item.get("text")
    if type(text) is str:
        return TextBlock(text, None if len(item) == 2 and "type" in item else _extra(item, "type", "text"))
    if text is None:
        return TextBlock("", _extra(item, "type", "text"))
    return OtherBlock("text", item)


def _thinking(item: Mapping[str, Any], kind: str) -> Block:
    text = item.get("thinking", item.get("text"))
    if not isinstance(text, str):
        summary = item.get("summary")
        text = result_text(summary)[0] if summary else ""
    return ThinkingBlock(text, redacted=not text, extra=_extra(item, "type" if kind == "thinking" else "", "thinking"))


def _image(item: Mapping[str, Any]) -> Block:
    source = item.get("source")
    if isinstance(source, Mapping):
        data = source.get("data")
        ref = source.get("url") or source.get("file_id")
        return ImageBlock(
            _name(source.get("media_type")),
            _decoded_size(data) if isinstance(data, str) else 0,
            _name(ref),
            _extra(item, "type", "source"),
        )
    url = item.get("image_url")
    extra = _extra(item, "type", "image_url")
    if isinstance(url, Mapping):
        url = url.get("url")
    if not isinstance(url, str):
        return OtherBlock("image", item)
    if url.startswith("data:"):
        head, _, data = url[5:].partition(",")
        return ImageBlock(head.partition(";")[0], _decoded_size(data), "", extra)
    return ImageBlock("", 0, url, extra)


def _decoded_size(base64: str) -> int:
    return len(base64) * 3 // 4 - base64[-2:].count("=")
