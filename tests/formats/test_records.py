"""Damaged files: what can be read is read, what cannot is counted."""

from __future__ import annotations

import json

import pytest

from tests.formats.files import lines, load, notes, texts
from tests.generate import session_bytes
from tui.model import SessionError

A = '{"role":"user","content":"a"}'
B = '{"role":"assistant","content":"b"}'
C = '{"role":"user","content":"c"}'


@pytest.mark.parametrize(
    ("data", "expected", "noted"),
    [
        (f"{A}{B}\n{C}", ["a", "b", "c"], ["lines with several records"]),
        (f"{A}\n{B[:20]}{C}\n", ["a", "c"], ["torn records"]),
        (f"{A}\n{B[:20]}{B}{C}\n", ["a", "b", "c"], ["torn records"]),
        (f"{A}\n{B}{C[:9]}\n{C}", ["a", "b", "c"], ["torn records"]),
        (f"{A}\n{B[:-1]}\n{C}", ["a", "c"], ["lines unreadable"]),
        (f"{A[:9]}\n{B}\n{C}", ["b", "c"], ["lines unreadable"]),
        (f"{A[:-3]}\n{B}\n{C}", ["b", "c"], ["lines unreadable"]),
        (
            f'{A}\n{{"role":"user","content":"x\ny\n\nz"}}\n{C}',
            ["a", "x\ny\n\nz", "c"],
            ["records broken over several lines"],
        ),
        (f'{{"role":"user","content":"x\ny"}}\n{C}', ["x\ny", "c"], ["records broken over several lines"]),
        ('{"role":"user","content":"x\ny"}', ["x\ny"], []),
        (f'{A}\n{{"role":"user","content":"x\ny\n{C}', ["a", "c"], ["lines unreadable"]),
        (f"garbage\n\n{A}\n\x00\x00\n-----\n{C}", ["a", "c"], ["lines unreadable"]),
        (f"{A}\n[1]\nnull\n{C}", ["a", "c"], ["lines that hold no JSON object"]),
        (f"{A}\n" + '{"a":' * 3000 + f"\n{C}", ["a", "c"], ["lines unreadable"]),
        (f"{A}\n" + "[" * 3000 + "]" * 3000 + f"\n{C}", ["a", "c"], ["lines unreadable"]),
    ],
)
def test_damaged_lines_cost_nothing_but_themselves(data: str, expected: list[str], noted: list[str]) -> None:
    session = load(data)
    assert texts(session) == expected
    assert [note.text for note in session.notes] == noted


def test_a_piece_of_a_torn_record_is_not_taken_for_a_record() -> None:
    records = [{"parentUuid": None, "type": "user", "message": {"role": "user", "content": text}} for text in "abc"]
    first, second, third = lines(*records).splitlines()
    assert texts(load(b"\n".join([first, second[:-1], third]))) == ["a", "c"]
    session = load(f'{A}\n{{"role":"user","content":[{{"type":"text","text":"whole"}}\n{C}')
    assert texts(session) == ["a", "c"]


def test_unicode_line_separators_do_not_end_a_line() -> None:
    assert texts(load('{"role":"user","content":"a\u2028b\u2029c\u0085d"}\n' + B)) == ["a\u2028b\u2029c\u0085d", "b"]


@pytest.mark.parametrize("indent", [1, 2, 4])
def test_pretty_printed_documents_and_sequences(indent: int) -> None:
    records = [json.loads(one) for one in (A, B, C)]
    assert texts(load(json.dumps(records, indent=indent))) == ["a", "b", "c"]
    body = {"system": "s", "messages": records, "model": "m"}
    session = load(json.dumps(body, indent=indent))
    assert (texts(session), len(session.system)) == (["a", "b", "c"], 1)
    assert texts(load("\n".join(json.dumps(one, indent=indent) for one in records))) == ["a", "b", "c"]


def test_a_document_cut_anywhere_gives_the_messages_before_the_cut() -> None:
    records = [{"role": "user", "content": f"message {number}"} for number in range(20)]
    for data in (json.dumps(records), json.dumps({"messages": records}), json.dumps(records, indent=1)):
        for cut in range(data.index("content") + 40, len(data), 7):
            session = load(data[:cut])
            whole = data[:cut].count('"}') + data[:cut].count('"\n }')
            assert texts(session) == [f"message {number}" for number in range(len(session.messages))]
            assert abs(len(session.messages) - whole) <= 1
            if cut < len(data) - 3:
                assert session.notes


def test_a_damaged_item_costs_nothing_but_itself() -> None:
    session = load(f'[{A},{{"role":"user","content":"bad}},{B},{C}]')
    assert texts(session) == ["a", "b", "c"]
    assert notes(session) == [(1, "items unreadable", (2,), "skipped")]
    session = load(
        f'{{"messages":[{{"role":"user","content":[{{"type":"text","text":"x" y}}]}},{B},7,{C}],"model":"m"}}'
    )
    assert texts(session) == ["b", "c"]
    assert [note.text for note in session.notes] == [
        "items unreadable",
        "items that are no JSON objects",
        "documents whose end was not found, after damage",
    ]


def test_what_follows_a_document_is_left_out_and_said() -> None:
    session = load(f"[{A},{B}]\n{C}")
    assert texts(session) == ["a", "b"]
    assert [note.text for note in session.notes] == ["documents with text after their end, which is left out"]


def test_a_long_first_line_is_a_record_or_a_document() -> None:
    long = "x" * 3_000_000
    first = json.dumps({"role": "user", "content": long})
    assert texts(load(f"{first}\n{B}\n")) == [long, "b"]
    assert texts(load(f"{first}{B}\n{C}")) == [long, "b", "c"]
    assert texts(load(f'{{"messages":[{first},{B}]}}')) == [long, "b"]
    assert texts(load(f"{first[:-2]}\n{B}\n{C}")) == ["b", "c"]


def test_documents_longer_than_the_window_are_read_whole() -> None:
    for name in ("anthropic-messages", "openai-chat"):
        session = load(session_bytes(2000, 1500, name))
        assert len(session.messages) == 2000
        assert session.notes == ()


def test_an_integer_too_long_for_python_is_read_in_documents_too() -> None:
    session = load('[{"role":"user","content":[{"type":"tool_result","content":"x","n":' + "9" * 5000 + "}]}]")
    (message,) = session.messages
    assert message.blocks[0].extra == {"n": float("inf")}  # type: ignore[union-attr]


def test_effort_on_hostile_lines_is_bounded() -> None:
    # Would take minutes if every brace were tried to the end of the line.
    load(A + "\n" + '{"x' + '{"a":1}' * 100_000 + "\n" + '{"a":' * 100_000)
    with pytest.raises(SessionError):
        load('{"' * 300_000)
    broken = '{"role":"user","content":"bad}'
    assert len(load("[" + ",".join([A, broken] * 5000) + "]").messages) == 5000
