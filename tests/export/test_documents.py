"""JSON that is safe to print and reads back as it was."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.export.documents import json_document, json_text
from tui.model import OutboundError
from tui.model.visible import visible

HOSTILE = "\x00\x07\x1b]52;c;eA==\x07\x7f\x85\x9b\u061c\u200e\u202e\u2066\u2028\u200b\ufeff\U000e0020"
texts = st.text(st.characters() | st.sampled_from(HOSTILE + '\ud800\udfff😀读\n\t"\\'))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


def paired(value: Any) -> Any:
    """Halves of a pair that stand side by side are one character to a JSON reader."""
    return json.loads(json.dumps(value))


@given(values)
def test_one_line_reads_back_as_it_was_and_is_safe(value: Any) -> None:
    text = json_text(value)
    assert json.loads(text) == paired(value)
    assert visible(text) == text
    assert "\n" not in text
    text.encode("utf-8")


@given(st.dictionaries(texts, values, max_size=4) | st.lists(values, max_size=4))
def test_a_document_reads_back_as_it_was(value: Any) -> None:
    text = "".join(json_document(value))
    assert json.loads(text) == paired(value)
    assert visible(text) == text
    assert text.endswith(("}\n", "]\n"))


def test_letters_stay_and_only_unsafe_characters_are_escaped() -> None:
    assert json_text("naïve 读 😀 \u202e \ud83d") == '"naïve 读 😀 \\u202e \\ud83d"'


def test_numbers_that_json_has_not_are_null() -> None:
    value = {"a": [float("nan"), 1.5, {"b": float("inf")}], "c": (float("-inf"), 2**70)}
    assert json_text(value) == '{"a": [null, 1.5, {"b": null}], "c": [null, 1180591620717411303424]}'


def test_each_row_of_a_list_stands_on_its_own_line() -> None:
    rows = [{"a": 1}, {"a": 2}]
    assert "".join(json_document(rows)) == '[\n{"a": 1},\n{"a": 2}\n]\n'
    assert "".join(json_document({"n": 1, "rows": rows})) == '{\n"n": 1,\n"rows": [\n{"a": 1},\n{"a": 2}\n]\n}\n'
    assert "".join(json_document([])) == "[]\n"


def test_a_value_nested_too_deeply_is_an_error_for_people() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(OutboundError, match="nested too deeply"):
        json_text(value)
