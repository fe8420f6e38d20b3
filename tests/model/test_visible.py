"""No byte of a file steers a terminal."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.model.visible import visible, visible_line, visible_lines

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=[]))


@given(ANY_TEXT)
def test_nothing_unsafe_is_left(text: str) -> None:
    shown = visible_line(text)
    shown.encode("utf-8")
    for char in shown:
        assert unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp")
        assert unicodedata.bidirectional(char) not in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")


@given(ANY_TEXT)
def test_lines_are_those_between_newlines(text: str) -> None:
    lines = visible_lines(text)
    assert len(lines) == text.count("\n") + 1
    assert not any("\n" in line or "\t" in line for line in lines)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "␛[31mred"),
        ("\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"),
        ("nul\x00", "nul␀"),
        ("del\x7f", "del␡"),
        ("\u202eabc", "␦abc"),
        ("\ud83d", "\ufffd"),
        ("a\u200db", "a⁀b"),
        ("heart\ufe0f", "heart"),
        ("\x9b31m", "␦31m"),
        ("[/x] [@click=app.quit]q[/]", "[/x] [@click=app.quit]q[/]"),
        ("读 é 😀", "读 é 😀"),
    ],
)
def test_what_is_shown_instead(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_line_end_of_two_characters_is_one() -> None:
    assert visible_lines("a\r\nb\rc") == ["a", "b␍c"]


def test_tabs_reach_the_next_stop() -> None:
    assert visible_lines("a\tb\n\tc") == ["a   b", "    c"]
