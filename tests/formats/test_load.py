from __future__ import annotations

import gzip
import io
import os
from pathlib import Path
from typing import BinaryIO, cast

import pytest

from tests.formats.files import lines, load, notes, text, texts
from tests.generate import FORMATS, messages, session_bytes
from tui.formats import Progress, formats, load_session, session_from_messages
from tui.model import (
    LoadCancelled,
    Session,
    SessionError,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    UnsupportedFormatError,
)

CHAT = lines({"role": "user", "content": "hé 😀"}, {"role": "assistant", "content": "b"})


@pytest.mark.parametrize("format", FORMATS)
def test_a_generated_session_reads_the_same_from_every_format(format: str) -> None:
    session = load(session_bytes(400, 600, format, seed=5))
    assert session.format == format
    assert session.notes == () or format == "claude-code"
    assert len(session.messages) == 400
    # What is written depends on the sizes so far, so only the shape is the same in every format.
    roles = [message.role for message in session.messages]
    assert roles == [message.role for message in load(session_bytes(400, 600, format, seed=5)).messages]
    blocks = [block for message in session.messages for block in message.blocks]
    used = {block.id for block in blocks if isinstance(block, ToolUseBlock)}
    answered = {block.tool_use_id for block in blocks if isinstance(block, ToolResultBlock)}
    assert answered <= used
    assert len(answered) > 100


def test_dicts_and_their_file_are_the_same_session() -> None:
    dicts = list(messages(200, 300))
    from_file = load(lines(*dicts))
    assert [message.blocks for message in from_file.messages] == [
        message.blocks for message in session_from_messages(dicts).messages
    ]
    assert [message.source_lines for message in from_file.messages] == [(line,) for line in range(1, 201)]


def test_the_source_is_what_was_given(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(CHAT)
    assert load_session(path).source == str(path)
    assert load_session(str(path), name="a name").source == "a name"
    with path.open("rb") as file:
        assert load_session(file, name="-").source == "-"
        assert not file.closed
    assert load(CHAT).source == ""


def test_the_name_says_nothing_the_content_everything(tmp_path: Path) -> None:
    for name in ("x.json", "x.txt", "x.eval", "x"):
        path = tmp_path / name
        path.write_bytes(CHAT)
        assert load_session(path).format == "openai-chat"


@pytest.mark.parametrize(
    "data",
    [
        gzip.compress(CHAT),
        gzip.compress(CHAT[:20]) + gzip.compress(CHAT[20:]),
        gzip.compress(b"\xef\xbb\xbf" + CHAT),
        CHAT.decode().encode("utf-16"),
        b"\xfe\xff" + CHAT.decode().encode("utf-16-be"),
        b"\xef\xbb\xbf" + CHAT,
        CHAT.replace(b"\n", b"\r\n"),
        b"\0\0\n" + CHAT.replace(b"\n", b"\0\n"),
    ],
    ids=("gzip", "gzip members", "gzip of a BOM", "utf-16", "utf-16 big-endian", "BOM", "CRLF", "NUL"),
)
def test_encodings_are_read_through(data: bytes) -> None:
    assert texts(load(data)) == ["hé 😀", "b"]


def test_a_compressed_file_that_is_cut_off_is_read_up_to_there() -> None:
    whole = gzip.compress(CHAT * 2000)
    session = load(whole[: len(whole) // 2])
    assert 100 < len(session.messages) < 4000
    assert (1, "compressed files that end before their end: read up to there", (), "repaired") in notes(session)


def test_a_pipe_is_read() -> None:
    reading, writing = os.pipe()
    os.write(writing, CHAT)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        assert texts(load_session(pipe)) == ["hé 😀", "b"]


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    for path, problem in [
        (tmp_path / "absent.jsonl", "no such file"),
        (tmp_path, "directory"),
        (Path("with\0nul"), "no such file"),
        (tmp_path / ("x" * 5000), "cannot read it"),
    ]:
        with pytest.raises(SessionError, match=problem) as caught:
            load_session(path)
        assert caught.value.source == str(path)


def test_a_file_that_may_not_be_read() -> None:
    class Locked(io.RawIOBase):
        def read(self, size: int = -1) -> bytes:
            raise PermissionError(13, "Permission denied")

    with pytest.raises(SessionError, match="may not be read"):
        load_session(cast(BinaryIO, Locked()))


def test_a_disk_that_fails() -> None:
    class Failing(io.BytesIO):
        def read1(self, size: int | None = -1) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(SessionError, match="Input/output error"):
        load_session(Failing(), name="disk")


def test_progress_is_told_and_ends_at_the_size(tmp_path: Path) -> None:
    path = tmp_path / "big.jsonl"
    path.write_bytes(session_bytes(3000, 600, "react-agent-mini"))
    told: list[Progress] = []
    session = load_session(path, progress=told.append)
    assert [one.done for one in told] == sorted({one.done for one in told})
    assert told[-1].done == told[-1].total == path.stat().st_size
    assert len(told) > 4
    assert told[0].snapshot is None
    assert 0 < told[-1].messages < len(session.messages)
    load(CHAT, progress=told.append)
    assert told[-1].total is None


def test_the_head_of_a_session_is_there_before_its_end() -> None:
    data = session_bytes(3000, 600, "claude-code")
    heads: list[Session] = []

    def take(progress: Progress) -> None:
        if progress.snapshot is not None:
            heads.append(progress.snapshot())

    whole = load(data, progress=take)
    assert 0 < len(heads[0].messages) < 1000
    for head in heads:
        # Only the last answer can still grow.
        assert head.messages[:-4] == whole.messages[: len(head.messages) - 4]


@pytest.mark.parametrize("format", FORMATS)
def test_loading_can_be_cancelled(format: str) -> None:
    asked = 0

    def cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked == 3

    with pytest.raises(LoadCancelled):
        load(session_bytes(3000, 600, format), cancelled=cancelled)
    assert asked == 3


def test_every_name_has_its_line() -> None:
    assert list(formats()) == ["claude-code", "react-agent-mini", "anthropic-messages", "openai-chat"]
    assert all(formats().values())


CODEX = {"type": "response_item", "payload": {"type": "message"}}
CLAUDE = {"parentUuid": None, "sessionId": "s", "type": "user", "message": {"role": "user", "content": "x"}}


@pytest.mark.parametrize(
    ("data", "format"),
    [
        (lines({"schema_version": "ATIF-v1.6", "steps": []}), "ATIF"),
        (lines({"version": 2, "eval": {}, "samples": []}), "Inspect"),
        (lines({"info": {}, "messages": [], "trajectory_format": "mini-swe-agent-1"}), "mini-swe-agent"),
        (lines({"history": [{"role": "user", "parts": []}]}), "Gemini export"),
        (lines({"trajectory": [], "history": [{"role": "system", "content": "x"}]}), "SWE-agent"),
        (lines({"sessionId": "s", "projectHash": "p", "messages": [{"type": "user"}]}), "Gemini CLI"),
        (lines({"info": {}, "messages": [{"info": {}, "parts": []}]}), "opencode export"),
        (lines([{"task_id": 0, "traj": []}]), "tau-bench"),
        (lines([{"conversations": []}]), "ShareGPT or Harbor traces"),
        (lines([{"messages": []}]), "fine-tuning"),
        (lines([{"source": "agent", "action": "run"}]), "OpenHands"),
        (lines([{"ts": 1, "say": "text", "text": "x"}]), "Cline ui_messages"),
        (lines({"payload": 1}, CODEX), "Codex CLI rollout"),
        (lines({"record_type": "state"}), "older Codex CLI rollout"),
        (lines({"type": "function_call", "call_id": "c"}), "older Codex CLI rollout"),
        (lines({"type": "thread.started"}), "codex exec stream"),
        (lines({"type": "turn.completed", "usage": {}}), "codex exec stream"),
        (lines({"type": "session", "id": "x"}, {"type": "message", "message": {"role": "user"}}), "pi or OpenClaw"),
        (lines({"type": "session_start", "id": "x"}), "Droid"),
        (lines({"sessionId": "g", "projectHash": "p"}, {"type": "user"}), "Gemini CLI"),
        (lines({"sessionId": "g"}, {"$set": {}}), "Gemini CLI"),
        (lines(CLAUDE | {"message": {"role": "user", "parts": []}}), "Qwen Code"),
        (lines({"type": "user.message", "data": {}}), "Copilot events"),
        (lines({"role": "user", "message": {"content": []}}), "Cursor"),
        (lines({"messages": [CLAUDE]}, {"messages": [CLAUDE]}), "fine-tuning"),
        (lines({"type": "user", "content": "x"}, {"type": "assistant", "content": "y"}), "Grok CLI"),
    ],
)
def test_formats_without_a_reader_are_named(data: bytes, format: str) -> None:
    with pytest.raises(UnsupportedFormatError) as caught:
        load(data)
    assert caught.value.format == format
    assert caught.value.hint.startswith("It has ")


TOOL_USE = {"type": "tool_use", "id": "a", "name": "Read", "input": {}}


@pytest.mark.parametrize(
    ("data", "format"),
    [
        (lines({"no": "clue"}, CLAUDE), "claude-code"),
        (lines({"payload": {"type": "x"}, "type": "y"}, CLAUDE), "claude-code"),
        (lines({"type": "user", "message": {"role": "user", "content": "x"}}), "claude-code"),
        (lines([{"type": "user", "content": [text("x")]}]), "react-agent-mini"),
        (lines({"messages": [{"type": "user", "content": [text("x")]}]}), "react-agent-mini"),
        (lines({"type": "user", "content": [text("x")]}), "react-agent-mini"),
        (lines([{"role": "user", "content": "x"}, {"role": "tool", "content": "y"}]), "openai-chat"),
        (lines({"messages": [{"role": "developer", "content": [text("x")]}]}), "openai-chat"),
        (lines([{"role": "user", "content": "x"}]), "openai-chat"),
        (lines({"role": "user", "content": "x"}), "openai-chat"),
        (lines({"role": "assistant", "content": [TOOL_USE]}), "anthropic-messages"),
        (lines([{"role": "user", "content": [text("x")]}]), "anthropic-messages"),
        (lines({"messages": [{"role": "user", "content": "x"}], "system": "s"}), "anthropic-messages"),
        (
            lines({"messages": [{"role": "user", "content": "x"}], "tools": [{"input_schema": {}}]}),
            "anthropic-messages",
        ),
    ],
)
def test_formats_with_a_reader_are_recognised(data: bytes, format: str) -> None:
    assert load(data).format == format


def test_the_system_prompt_of_a_request_body_stands_apart() -> None:
    session = load(lines({"messages": [{"role": "user", "content": "x"}], "system": [text("a"), text("b")]}))
    (prompt,) = session.system
    assert prompt.blocks == (TextBlock("a"), TextBlock("b"))
    assert texts(session) == ["x"]
    session = load(lines([{"role": "system", "content": "s"}, {"role": "user", "content": "x"}]))
    assert (len(session.system), texts(session)) == (1, ["x"])


def test_reasoning_and_refusals_of_chat_messages_are_shown() -> None:
    session = load(
        lines(
            {"role": "assistant", "reasoning_content": "hm", "content": "yes"},
            {"role": "assistant", "refusal": "no", "content": None},
            {"role": "exit", "content": "patch", "timestamp": 1767225600},
        )
    )
    assert texts(session) == ["ThinkingBlock yes", "no", "patch"]
    assert [message.role for message in session.messages] == ["assistant", "assistant", "other"]
    assert [message.extra for message in session.messages] == [None, None, None]
    assert session.messages[2].timestamp == 1767225600.0


def test_fields_after_the_messages_still_tell_another_format() -> None:
    many = [{"role": "user", "content": "x"}] * 1000
    with pytest.raises(UnsupportedFormatError, match="mini-swe-agent"):
        load('{"messages":' + str(many).replace("'", '"') + ',"trajectory_format":"mini-swe-agent-1.1"}')
