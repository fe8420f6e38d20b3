"""Chars are UTF-16 code units, and inputs count as JSON.stringify writes them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.model.chars import head, pair_positions, units
from tui.model.ecma_json import number, stringify

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=[]), max_size=30)


def code_units(text: str) -> list[int]:
    raw = text.encode("utf-16-le", "surrogatepass")
    return [raw[i] | raw[i + 1] << 8 for i in range(0, len(raw), 2)]


@given(ANY_TEXT, st.integers(0, 40))
def test_head_cuts_at_the_unit_or_leaves_the_halved_character_out(text: str, limit: int) -> None:
    all_units, kept = code_units(text), code_units(head(text, limit))
    assert units(text) == len(all_units)
    assert kept == all_units[: len(kept)]
    halves = limit < len(all_units) and limit and (limit - 1) in pair_positions(text).tolist()
    assert len(kept) == (limit - 1 if halves else min(limit, len(all_units)))


@given(ANY_TEXT)
def test_pairs_are_where_a_high_half_meets_a_low_one(text: str) -> None:
    code = code_units(text)
    expected = [i for i in range(len(code) - 1) if 0xD800 <= code[i] <= 0xDBFF and 0xDC00 <= code[i + 1] <= 0xDFFF]
    assert pair_positions(text).tolist() == expected


# Each checked with Node.js: JSON.stringify(JSON.parse(text)).
@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (100.0, "100"),
        (1e21, "1e+21"),
        (1e20, "100000000000000000000"),
        (123456789012345680000.0, "123456789012345680000"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (1.5e300, "1.5e+300"),
        (-2.5e-10, "-2.5e-10"),
        (5e-324, "5e-324"),
        (12345.678, "12345.678"),
        (2**53, "9007199254740992"),
        (2**63, "9223372036854776000"),
        (10**400, "null"),
        (float("nan"), "null"),
        (float("-inf"), "null"),
    ],
)
def test_numbers_are_written_as_ecmascript_writes_them(value: float, text: str) -> None:
    assert number(value) == text
    assert stringify([value]) == f"[{text}]"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": [1, True, None, "é读"], "b": {}}, '{"a":[1,true,null,"é读"],"b":{}}'),
        ('"\\\n\t\x08\x0c\r\x00\x7f/', '"\\"\\\\\\n\\t\\b\\f\\r\\u0000\x7f/"'),
        ("\ud83d", '"\\ud83d"'),
        ("\ud83d\ude00", '"😀"'),
        ("\u2028", '"\u2028"'),
        ({"x": 1.0, "\ud800": "😀"}, '{"x":1,"\\ud800":"😀"}'),
    ],
)
def test_other_values(value: Any, text: str) -> None:
    assert stringify(value) == text


def test_a_deep_value_is_written_or_refused_but_never_crashes() -> None:
    deep: Any = []
    for _ in range(900):
        deep = [deep]
    assert stringify(deep) == "[" * 901 + "]" * 901
