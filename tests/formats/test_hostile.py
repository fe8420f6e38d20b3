"""Whatever the bytes, nothing but an ``OutboundError`` comes out."""

from __future__ import annotations

import gzip
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.formats.files import CASES, lines, load
from tests.formats.test_dicts import BLOCKS, DICTS, JSON
from tests.generate import FORMATS, session_bytes
from tui.formats import session_from_messages
from tui.model import OutboundError, Session

PIECES = st.sampled_from(
    [
        b"{",
        b"}",
        b"[",
        b"]",
        b'"',
        b",",
        b":",
        b"\n",
        b"\r\n",
        b"\\",
        b"\0",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\x1f\x8b",
        b"PK\x03\x04",
        b'{"',
        b'"}',
        b'"messages":[',
        b'{"role":"user","content":"x"}',
        b'{"type":"user","sessionId":"s","uuid":"u","message":{"role":"user","content":"x"}}',
        b"1e999",
        b"9" * 5000,
        b"\xe9",
    ]
)


def opened(data: bytes) -> Session | None:
    try:
        return load(data)
    except OutboundError as error:
        assert str(error)
        return None


@given(st.binary(max_size=400))
def test_junk(data: bytes) -> None:
    opened(data)


@given(st.lists(PIECES | st.binary(max_size=4), max_size=30).map(b"".join))
@settings(max_examples=400)
def test_junk_that_looks_like_json(data: bytes) -> None:
    opened(data)
    opened(gzip.compress(data)[: len(data)])


CLAUDE = st.builds(
    lambda base, kind, content: base | {"type": kind, "message": content},
    st.fixed_dictionaries(
        {},
        optional={
            "uuid": st.sampled_from(["u1", "u2", "u3"]) | JSON,
            "parentUuid": st.sampled_from(["u1", "u2", "u3"]) | JSON,
            "isSidechain": st.booleans() | JSON,
            "agentId": st.sampled_from(["a", "b"]) | JSON,
            "sessionId": JSON,
            "requestId": JSON,
            "timestamp": JSON | st.just("2026-03-01T10:00:00Z") | st.integers(0, 10**20),
            "subtype": st.just("compact_boundary") | JSON,
            "compactMetadata": JSON | st.dictionaries(st.sampled_from(["trigger", "preTokens"]), JSON),
            "origin": JSON | st.dictionaries(st.just("kind"), JSON),
            "content": JSON,
            "summary": JSON,
        },
    ),
    st.sampled_from(["user", "assistant", "system", "progress", "summary", "tool_use", "tool_result"]) | JSON,
    JSON
    | st.fixed_dictionaries(
        {"id": st.sampled_from(["m", "n", ""]) | JSON, "content": st.lists(BLOCKS, max_size=3) | JSON}
    ),
)


def dumped(value: Any) -> bytes:
    return json.dumps(value).encode()


@given(st.lists(CLAUDE | DICTS, max_size=8))
@settings(max_examples=300)
def test_records_of_any_shape(records: list[dict[str, Any]]) -> None:
    opened(lines(*records))
    opened(dumped(records))
    opened(dumped({"messages": records, "system": records}))


@given(JSON)
def test_any_json_document(value: Any) -> None:
    opened(dumped(value))
    opened(json.dumps(value, indent=1).encode())


@given(st.sampled_from(sorted(FORMATS)), st.floats(0, 1))
def test_every_prefix_of_lines_opens(format: str, part: float) -> None:
    data = session_bytes(30, 300, format)
    data = data[: int(part * len(data))]
    whole = data.count(b"\n")
    session = opened(data)
    if whole:
        assert session is not None
        assert session.messages
        if format == "react-agent-mini":
            assert len(session.messages) in (whole, whole + 1)


@given(st.sampled_from(sorted(path.name for path in CASES.iterdir())), st.data())
def test_cases_with_bytes_changed(name: str, data: st.DataObject) -> None:
    content = bytearray((CASES / name).read_bytes()[:6000])
    for _ in range(data.draw(st.integers(1, 5))):
        if content:
            at = data.draw(st.integers(0, len(content) - 1))
            content[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    opened(bytes(content))


def test_values_nested_to_the_limit_are_shown_somehow() -> None:
    deep: Any = "x"
    for _ in range(800):
        deep = [deep]
    block = {"type": "tool_result", "tool_use_id": "a", "content": {"deep": deep}}
    assert len(session_from_messages([{"role": "user", "content": [block]}]).messages[0].blocks) == 1
