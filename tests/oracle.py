"""The naive pipeline, straight from SPEC.md section 2: plain dicts, one call at a time, nothing shared with tui."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tui.model.ecma_json import stringify

NOTE = "\n…[tool_result 已截断（compact）]"
PLACEHOLDER = "[Old tool result content cleared]"
TOOLS = ("Read", "Write", "Edit", "Bash", "Grep", "Glob", "mcp__*")

Dict = dict[str, Any]


@dataclass
class Options:
    enabled: bool = True
    threshold: int = 80_000
    max_tool_result_chars: int = 4_000
    keep_recent: int = 4
    min_chars: int = 500
    max_messages: int = 40
    compactable_tools: tuple[str, ...] = TOOLS
    keep_counts: str = "compactable"
    disabled_stages: tuple[str, ...] = ()


@dataclass
class Result:
    stages: dict[str, list[Dict]]
    estimate: dict[str, int]
    kept_from: int
    trace: list[str] = field(default_factory=list)


def units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut(text: str, limit: int) -> str:
    raw = text.encode("utf-16-le", "surrogatepass")
    code = [int.from_bytes(raw[i : i + 2], "little") for i in range(0, len(raw), 2)]
    if limit and 0xD800 <= code[limit - 1] <= 0xDBFF and 0xDC00 <= code[limit] <= 0xDFFF:
        limit -= 1
    return raw[: 2 * limit].decode("utf-16-le", "surrogatepass")


def estimate(messages: list[Dict]) -> int:
    total = 0
    for message in messages:
        for block in message["content"]:
            match block["type"]:
                case "text":
                    total += units(block["text"])
                case "tool_result":
                    total += units(block["content"])
                case "tool_use":
                    total += units(block["name"]) + units(stringify(block["input"]))
    return total


def compactable(name: str, tools: tuple[str, ...]) -> bool:
    return any(name.startswith(tool[:-1]) if tool.endswith("*") else name == tool for tool in tools)


def budget(messages: list[Dict], options: Options) -> tuple[list[Dict], int]:
    count = 0
    out = []
    for message in messages:
        blocks = []
        for block in message["content"]:
            if (
                message["type"] == "user"
                and block["type"] == "tool_result"
                and units(block["content"]) > options.max_tool_result_chars
            ):
                count += 1
                block = {**block, "content": cut(block["content"], options.max_tool_result_chars) + NOTE}
            blocks.append(block)
        out.append({**message, "content": blocks})
    return out, count


def micro(messages: list[Dict], options: Options) -> tuple[list[Dict], int]:
    uses: dict[str, Dict] = {}
    results: list[tuple[int, int, Dict | None]] = []
    for i, message in enumerate(messages):
        for j, block in enumerate(message["content"]):
            if block["type"] == "tool_use":
                uses[block["id"]] = block
            elif block["type"] == "tool_result" and message["type"] == "user":
                results.append((i, j, uses.get(block["tool_use_id"])))

    def clearable(use: Dict | None) -> bool:
        return use is not None and compactable(use["name"], options.compactable_tools)

    counted = results if options.keep_counts == "all" else [r for r in results if clearable(r[2])]
    older = counted[: max(0, len(counted) - options.keep_recent)]
    out = [{**message, "content": list(message["content"])} for message in messages]
    count = 0
    for i, j, use in older:
        block = messages[i]["content"][j]
        if use is None or not compactable(use["name"], options.compactable_tools):
            continue
        if units(block["content"]) > options.min_chars:
            hints = [use["input"].get(key) for key in ("file_path", "path")]
            path = next((hint for hint in hints if isinstance(hint, str) and hint != ""), "")
            text = f"{PLACEHOLDER} tool={use['name']}" + (f" {path}" if path else "")
            out[i]["content"][j] = {**block, "content": text}
            count += 1
    return out, count


def retain_point(messages: list[Dict], options: Options) -> int:
    for i in range(len(messages) - options.max_messages, len(messages)):
        message = messages[i]
        if message["type"] == "user" and all(block["type"] == "text" for block in message["content"]):
            return i
    return 0


def run(messages: list[Dict], options: Options) -> Result:
    n = len(messages)
    size = estimate(messages)
    stages = {"original": messages, "budget": messages, "micro": messages, "retain": messages}
    result = Result(stages, dict.fromkeys(stages, size), 0)
    on = {s: options.enabled and s not in options.disabled_stages for s in ("budget", "micro", "retain")}
    current = messages
    if on["budget"]:
        current, cut_count = budget(current, options)
        if cut_count:
            result.trace.append(
                f"[trace] compact.run stage=budget before={n} after={n} truncatedBlocks={cut_count} strategy=truncate"
            )
    stages["budget"] = current
    size = result.estimate["budget"] = estimate(current)
    if on["micro"] and size > options.threshold:
        current, cleared = micro(current, options)
        if cleared:
            result.trace.append(f"[trace] compact.micro replaced={cleared}")
            result.trace.append(
                f"[trace] compact.run stage=micro before={n} after={n} estimated={size} "
                "overThreshold=true strategy=micro"
            )
    stages["micro"] = current
    size = result.estimate["micro"] = estimate(current)
    if on["retain"] and size > options.threshold and n > options.max_messages:
        point = retain_point(current, options)
        if point:
            current = current[point:]
            result.kept_from = point
            result.trace.append(
                f"[trace] compact.run stage=retain before={n} after={n - point} droppedMessages={point} "
                f"estimated={size} overThreshold=true strategy=retain"
            )
    stages["retain"] = current
    result.estimate["retain"] = estimate(current)
    return result
