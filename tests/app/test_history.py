"""Undo and redo."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.app.history import History


def test_undo_and_redo_walk_the_values() -> None:
    history = History(0)
    assert history.undo() is None
    assert history.redo() is None
    for value in (1, 2, 3):
        history.push(value)
    assert [history.undo(), history.undo(), history.undo(), history.undo()] == [2, 1, 0, None]
    assert history.current == 0
    assert [history.redo(), history.redo(), history.redo(), history.redo()] == [1, 2, 3, None]
    assert history.current == 3


def test_a_new_value_forgets_what_was_undone() -> None:
    history = History("a")
    history.push("b")
    history.undo()
    history.push("c")
    assert history.redo() is None
    assert history.undo() == "a"


def test_the_current_value_again_is_no_change() -> None:
    history = History("a")
    history.push("b")
    history.undo()
    history.push("a")
    assert history.redo() == "b"


def test_values_of_one_tag_are_one_entry() -> None:
    history = History(0)
    for value in range(1, 50):
        history.push(value, "threshold")
    history.push(100, "keep_recent")
    history.push(200, "threshold")
    assert [history.undo(), history.undo(), history.undo(), history.undo()] == [100, 49, 0, None]


def test_values_without_a_tag_are_entries_of_their_own() -> None:
    history = History(0)
    history.push(1, "a")
    history.push(2)
    history.push(3)
    history.push(4, "a")
    assert [history.undo(), history.undo(), history.undo(), history.undo()] == [3, 2, 1, 0]


@pytest.mark.parametrize("end", ["commit", "undo and redo"])
def test_an_ended_entry_takes_nothing_more(end: str) -> None:
    history = History(0)
    history.push(1, "a")
    if end == "commit":
        history.commit()
    else:
        history.undo()
        history.redo()
    history.push(2, "a")
    assert [history.undo(), history.undo()] == [1, 0]


def test_dragging_there_and_back_leaves_nothing_to_undo() -> None:
    history = History(0)
    history.push(5)
    for value in (6, 7, 6, 5):
        history.push(value, "a")
    assert history.undo() == 0
    assert history.redo() == 5
    history.push(6, "a")
    history.push(5, "a")
    history.push(6, "a")
    assert [history.undo(), history.undo()] == [5, 0]


def test_the_oldest_are_forgotten() -> None:
    history = History(0, most=3)
    for value in range(1, 10):
        history.push(value)
    assert [history.undo(), history.undo(), history.undo(), history.undo()] == [8, 7, 6, None]
    assert [history.redo(), history.redo(), history.redo(), history.redo()] == [7, 8, 9, None]


steps = st.one_of(
    st.tuples(st.just("push"), st.integers(0, 4), st.sampled_from([None, "a", "b"])),
    st.sampled_from([("undo",), ("redo",), ("commit",)]),
)


@given(st.lists(steps))
def test_undoing_everything_comes_back_to_the_start_by_changes_only(script: list[tuple[object, ...]]) -> None:
    history = History(0)
    for what, *args in script:
        getattr(history, str(what))(*args)
    end, back = history.current, []
    while (value := history.undo()) is not None:
        back.append(value)
    assert history.current == 0
    assert all(one != other for one, other in zip([end, *back], back, strict=False))
    for value in [*reversed(back[:-1]), *([end] if back else [])]:
        assert history.redo() == value
