"""Makes sessions of any size, always the same for the same seed.

    python -m tests.generate 100000 1000 claude-code big.jsonl

writes a session of 100,000 messages that takes about 1,000 bytes a message. As a library: ``messages`` gives the
messages as react-agent-mini dicts, ``write`` writes them in a format.
"""

from __future__ import annotations

import argparse
import io
import json
import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any

Dict = dict[str, Any]

_PLAIN = (
    "the query loop reads a message keeps its recent results clears old output drops what stands before a boundary "
    "def return import class self None for if in lambda yield async await raise except finally {} [] () = == != "
    '100% \\path\\to\\it "quoted" tab\tand\nnewline\n'
)
_MIXED = _PLAIN + " naïve 读取 文件 結果 été über Привет 😀 🧵 — …"
_TOOLS: tuple[tuple[str, Callable[[random.Random], Dict]], ...] = (
    ("Read", lambda rng: {"file_path": f"/home/ann/shop/src/module_{rng.randrange(500)}.py"}),
    ("Bash", lambda rng: {"command": f"pytest -q tests/test_{rng.randrange(90)}.py | tail -n {rng.randrange(50)}"}),
    ("Edit", lambda rng: {"file_path": f"src/m{rng.randrange(99)}.py", "old_string": "x = 1", "new_string": "x = 2"}),
    ("Grep", lambda rng: {"pattern": f"def f{rng.randrange(900)}", "path": "src", "limit": rng.randrange(1, 9) * 10}),
    ("Echo", lambda rng: {"text": f"step {rng.randrange(9999)}"}),
    ("mcp__files__stat", lambda rng: {"path": f"data/{rng.randrange(999)}.csv", "follow": rng.random() < 0.5}),
)
_PROMPT_EVERY = 20
_START = datetime(2026, 3, 1, 10, tzinfo=UTC)


class _Texts:
    """Texts of any length, cut from a pool: one in ten has characters beyond ASCII."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._plain = " ".join(rng.choices(_PLAIN.split(" "), k=40_000))
        self._mixed = " ".join(rng.choices(_MIXED.split(" "), k=40_000))

    def __call__(self, size: int) -> str:
        pool = self._mixed if self._rng.random() < 0.1 else self._plain
        start = self._rng.randrange(len(pool) // 2)
        return (pool[start:] + pool * (size // len(pool)))[:size]


def messages(count: int, size: int, seed: int = 0, written: Callable[[], int] | None = None) -> Iterator[Dict]:
    """``count`` messages as react-agent-mini dicts.

    Args:
        count: How many.
        size: How many bytes a message takes on average, as far as the least that a message needs allows.
        seed: Decides everything.
        written: Says how many bytes the messages so far took; by default they are measured as compact JSON.
    """
    rng = random.Random(seed)
    text = _Texts(rng)
    made = 0
    measured = 0
    unanswered: list[str] = []
    while made < count:
        owed = size * (made + 1) - (measured if written is None else written())
        content: list[Dict]
        if unanswered:
            role = "user"
            # Sizes vary widely around what is owed, so that some results are over 4,000 chars.
            length = max(2, int(owed * rng.choice((0.1, 0.3, 0.5, 1.0, 1.0, 4.0))))
            content = [{"type": "tool_result", "tool_use_id": unanswered.pop(0), "content": text(min(length, 60_000))}]
            if rng.random() < 0.1:
                content[0]["is_error"] = rng.random() < 0.5
        elif made % _PROMPT_EVERY == 0 or made == count - 2:
            role = "user"
            content = [{"type": "text", "text": text(max(2, min(400, size // 4)))}]
        else:
            role = "assistant"
            content = [{"type": "text", "text": text(max(2, min(300, size // 8)))}] if rng.random() < 0.5 else []
            for _ in range(rng.choice((1, 1, 1, 2, 3))):
                name, arguments = rng.choice(_TOOLS)
                call = f"toolu_{made:07d}{rng.randrange(1 << 32):08x}"
                unanswered.append(call)
                content.append({"type": "tool_use", "id": call, "name": name, "input": arguments(rng)})
            if made % _PROMPT_EVERY == _PROMPT_EVERY - 1 or made == count - 1:
                content = [{"type": "text", "text": text(max(2, min(2000, size)))}]
                unanswered.clear()
        one = {"type": role, "content": content}
        if written is None:
            measured += len(_dump(one).encode())
        made += 1
        yield one


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class _Counted:
    """Counts the bytes that are written."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.count = 0

    def __call__(self, text: str) -> None:
        data = text.encode()
        self.count += len(data)
        self._file.write(data)


def write(file: IO[bytes], count: int, size: int, format: str, seed: int = 0) -> None:
    """Write a session of ``count`` messages of about ``size`` bytes each, in one of ``FORMATS``."""
    out = _Counted(file)
    FORMATS[format](out, messages(count, size, seed, lambda: out.count), seed)


def session_bytes(count: int, size: int, format: str, seed: int = 0) -> bytes:
    """What ``write`` writes."""
    file = io.BytesIO()
    write(file, count, size, format, seed)
    return file.getvalue()


def _react_agent_mini(out: _Counted, made: Iterator[Dict], seed: int) -> None:
    for one in made:
        out(_dump(one) + "\n")


def _document(out: _Counted, head: Dict, made: Iterator[Dict]) -> None:
    out(_dump(head)[:-1] + ',"messages":[')
    for index, one in enumerate(made):
        out("," * bool(index) + _dump(one))
    out("]}")


def _anthropic(out: _Counted, made: Iterator[Dict], seed: int) -> None:
    head = {"model": "claude-x", "max_tokens": 1024, "system": "You help with a shop's code."}
    _document(out, head, ({"role": one["type"], "content": one["content"]} for one in made))


def _openai(out: _Counted, made: Iterator[Dict], seed: int) -> None:
    def chat() -> Iterator[Dict]:
        for one in made:
            first = one["content"][0]
            if first["type"] == "tool_result":
                yield {"role": "tool", "tool_call_id": first["tool_use_id"], "content": first["content"]}
                continue
            text = first.get("text")
            calls = [
                {
                    "id": item["id"],
                    "type": "function",
                    "function": {"name": item["name"], "arguments": _dump(item["input"])},
                }
                for item in one["content"]
                if item["type"] == "tool_use"
            ]
            yield {"role": one["type"], "content": text} | ({"tool_calls": calls} if calls else {})

    _document(out, {"model": "gpt-x", "temperature": 0}, chat())


def _claude_code(out: _Counted, made: Iterator[Dict], seed: int) -> None:
    rng = random.Random(seed + 1)
    clock = _START
    parent: str | None = None
    number = 0

    def record(kind: str, **fields: Any) -> Dict:
        nonlocal clock, parent, number
        number += 1
        clock += timedelta(milliseconds=rng.randrange(200, 9000))
        uuid = f"{rng.getrandbits(32):08x}-{number:04x}-4000-8000-{rng.getrandbits(48):012x}"
        one = {
            "parentUuid": parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/ann/shop",
            "sessionId": "5e550000-0000-4000-8000-000000000001",
            "version": "2.1.90",
            "gitBranch": "main",
            "type": kind,
            **fields,
            "uuid": uuid,
            "timestamp": clock.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        }
        parent = uuid
        return one

    for index, one in enumerate(made):
        if one["type"] == "user":
            content = one["content"]
            fields: Dict = {"message": {"role": "user", "content": content}}
            if content[0]["type"] == "text":
                fields["message"]["content"] = content[0]["text"]
            else:
                # The program's own copy of a result, as it stands in real files.
                fields["toolUseResult"] = {"stdout": content[0]["content"], "stderr": "", "interrupted": False}
            out(_dump(record("user", **fields)) + "\n")
            continue
        for item in one["content"]:
            message = {
                "id": f"msg_{index:07d}",
                "type": "message",
                "role": "assistant",
                "model": "claude-x",
                "content": [item],
                "stop_reason": None,
                "usage": {"input_tokens": 10 + index, "output_tokens": 5},
            }
            out(_dump(record("assistant", message=message, requestId=f"req_{index:07d}")) + "\n")
            if item["type"] == "tool_use":
                data = {"type": "hook_progress", "hookEvent": "PreToolUse", "hookName": f"PreToolUse:{item['name']}"}
                out(_dump(record("progress", data=data, toolUseID=item["id"])) + "\n")


FORMATS: dict[str, Callable[[_Counted, Iterator[Dict], int], None]] = {
    "react-agent-mini": _react_agent_mini,
    "claude-code": _claude_code,
    "anthropic-messages": _anthropic,
    "openai-chat": _openai,
}


def main() -> None:
    """Write a session as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m tests.generate", description="Write a generated session.")
    parser.add_argument("messages", type=int)
    parser.add_argument("bytes", type=int, help="bytes a message, on average")
    parser.add_argument("format", choices=FORMATS)
    parser.add_argument("file", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    with arguments.file.open("wb") as file:
        write(file, arguments.messages, arguments.bytes, arguments.format, arguments.seed)


if __name__ == "__main__":
    main()
