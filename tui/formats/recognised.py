"""Formats that are recognised, so that they can be named, but have no reader yet."""

from __future__ import annotations

from collections.abc import Callable

from tui.formats.format import Format, Sample
from tui.formats.records import Record

_CODEX_TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_CODEX_ITEMS = frozenset({"function_call", "function_call_output", "reasoning"})


def _type(record: Record) -> str:
    value = record.get("type")
    return value if isinstance(value, str) else ""


def _field(record: Record, *path: str) -> object:
    value: object = record
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def _has_items(sample: Sample, key: str) -> list[Record]:
    items = sample.fields.get(key)
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _in_list(test: Callable[[Record], object]) -> Callable[[Sample], bool]:
    return lambda sample: sample.shape == "list" and sample.any(test)


def _in_messages(test: Callable[[Record], object]) -> Callable[[Sample], bool]:
    return lambda sample: sample.shape == "object" and sample.any(test)


def _starts_with(record: Record, key: str, *starts: str) -> bool:
    value = record.get(key)
    return isinstance(value, str) and value.startswith(starts)


ATIF = Format(
    "ATIF",
    "Harbor agent trajectories",
    evidence="a schema_version that starts with ATIF",
    document=lambda sample: str(sample.fields.get("schema_version", "")).startswith("ATIF"),
)
INSPECT = Format(
    "Inspect",
    "Inspect AI evaluation logs, .json and .eval",
    evidence="samples and eval",
    document=lambda sample: "samples" in sample.fields and "eval" in sample.fields,
)
MINI_SWE_AGENT = Format(
    "mini-swe-agent",
    "mini-swe-agent trajectories",
    evidence="a trajectory_format and messages",
    document=lambda sample: sample.shape == "object" and "trajectory_format" in sample.fields,
)
GEMINI_EXPORT = Format(
    "Gemini export",
    "older exports of Gemini CLI: history with parts",
    evidence="a history of items with role and parts",
    document=lambda sample: any("parts" in item and "role" in item for item in _has_items(sample, "history")),
)
SWE_AGENT = Format(
    "SWE-agent",
    "SWE-agent trajectories (.traj)",
    evidence="a history of items with a role",
    document=lambda sample: any("role" in item for item in _has_items(sample, "history")),
)
GEMINI = Format(
    "Gemini CLI",
    "Gemini CLI sessions, .json and .jsonl",
    evidence="a projectHash or sessionId beside its messages, or records of the type gemini",
    document=lambda sample: (
        sample.shape == "object" and ("projectHash" in sample.fields or "sessionId" in sample.fields)
    ),
    lines=lambda sample: (
        "projectHash" in sample.records[0]
        or sample.any(lambda record: "$set" in record or record.get("type") == "gemini")
    ),
)
OPENCODE = Format(
    "opencode export",
    "what `opencode export` prints",
    evidence="messages with info and parts",
    document=_in_messages(lambda record: "info" in record and "parts" in record),
)
TAU_BENCH = Format(
    "tau-bench",
    "tau-bench results: many conversations in one file",
    evidence="items with a traj",
    document=_in_list(lambda record: "traj" in record),
    hint="Save one item's traj as a file of its own: it is a list of chat messages.",
)
CONVERSATIONS = Format(
    "ShareGPT or Harbor traces",
    "many conversations in one file",
    evidence="items with conversations",
    document=_in_list(lambda record: "conversations" in record),
)
MANY_CHATS = Format(
    "fine-tuning",
    "many conversations, one an item or a line",
    evidence="lines or items that each have messages",
    document=_in_list(lambda record: isinstance(record.get("messages"), list)),
    lines=lambda sample: sample.any(lambda record: isinstance(record.get("messages"), list)),
    hint="It holds many conversations. Save one line (or item) as a file of its own and open that.",
)
OPENHANDS = Format(
    "OpenHands",
    "OpenHands event lists",
    evidence="items with a source and an action or observation",
    document=_in_list(lambda record: "source" in record and ("action" in record or "observation" in record)),
)
CLINE_UI = Format(
    "Cline ui_messages",
    "the list that Cline shows on its screen",
    evidence="items with ts and say or ask",
    document=_in_list(lambda record: "ts" in record and ("say" in record or "ask" in record)),
    hint="Open api_conversation_history.json, which stands beside it.",
)
CODEX = Format(
    "Codex CLI rollout",
    "Codex CLI sessions (rollout-*.jsonl)",
    evidence="records with a payload, of types such as response_item",
    lines=lambda sample: sample.any(
        lambda record: isinstance(record.get("payload"), dict) and _type(record) in _CODEX_TYPES
    ),
)
CODEX_OLD = Format(
    "older Codex CLI rollout",
    "Codex CLI sessions of 2025 and before",
    evidence="records with a record_type, or calls with a call_id",
    lines=lambda sample: sample.any(
        lambda record: "record_type" in record or (_type(record) in _CODEX_ITEMS and "call_id" in record)
    ),
)
CODEX_EXEC = Format(
    "codex exec stream",
    "what `codex exec --json` prints",
    evidence="records of types such as item.completed",
    lines=lambda sample: sample.any(
        lambda record: (
            record.get("type") in ("thread.started", "item.completed") or _starts_with(record, "type", "turn.")
        )
    ),
    hint="Open the rollout file that the same run wrote.",
)
PI = Format(
    "pi or OpenClaw",
    "pi and OpenClaw sessions",
    evidence="a record of the type session, and messages with a role",
    lines=lambda sample: (
        "session" in sample.types()
        and sample.any(lambda record: record.get("type") == "message" and _field(record, "message", "role"))
    ),
)
DROID = Format(
    "Droid",
    "Factory Droid sessions",
    evidence="a record of the type session_start",
    lines=lambda sample: "session_start" in sample.types(),
)
QWEN = Format(
    "Qwen Code",
    "Qwen Code sessions",
    evidence="messages with parts",
    lines=lambda sample: sample.any(lambda record: _field(record, "message", "parts") is not None),
)
COPILOT = Format(
    "Copilot events",
    "GitHub Copilot CLI event logs",
    evidence="records of types such as user.message",
    lines=lambda sample: bool(sample.types() & {"user.message", "assistant.message", "session.start"}),
)
CURSOR = Format(
    "Cursor",
    "Cursor agent transcripts",
    evidence="records with a role and a message",
    lines=lambda sample: sample.any(
        lambda record: isinstance(record.get("role"), str) and isinstance(record.get("message"), dict)
    ),
)
GROK = Format(
    "Grok CLI",
    "Grok CLI chat histories",
    evidence="records of the types user and assistant with a string for content",
    lines=lambda sample: sample.any(
        lambda record: (
            record.get("type") in ("user", "assistant")
            and isinstance(record.get("content"), str)
            and "role" not in record
        )
    ),
)
