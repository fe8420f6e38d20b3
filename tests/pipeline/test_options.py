"""CompactOptions: ranges, errors, environment."""

from __future__ import annotations

from typing import Any

import pytest

from tui import CompactOptions
from tui.model import OptionError

COUNTS = ["threshold", "max_tool_result_chars", "keep_recent", "min_chars", "max_messages"]


@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize("value", [0, 1, 10**12])
def test_any_whole_number_from_zero_up_is_valid(name: str, value: int) -> None:
    assert getattr(CompactOptions(**{name: value}), name) == value


@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize("value", [-1, 1.5, "7", None, True, float("nan"), [1]])
def test_anything_else_is_one_clear_error(name: str, value: Any) -> None:
    with pytest.raises(OptionError) as caught:
        CompactOptions(**{name: value})
    message = str(caught.value)
    assert name in message
    assert "whole number, 0 or more" in message
    assert len(message.splitlines()) == 1


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"keep_counts": "some"}, "'compactable' or 'all'"),
        ({"disabled_stages": ["macro"]}, "budget, micro, retain"),
        ({"enabled": "no"}, "true or false"),
        ({"compactable_tools": 3}, "list of tool names"),
        ({"treshold": 3}, "no option 'treshold'"),
    ],
)
def test_other_options_say_what_they_take(values: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        CompactOptions(**values)


@pytest.mark.parametrize(
    ("environ", "enabled", "threshold"),
    [
        ({}, True, 80_000),
        ({"COMPACT": "0"}, False, 80_000),
        ({"COMPACT": "1", "COMPACT_THRESHOLD_CHARS": "20000"}, True, 20_000),
        ({"COMPACT_THRESHOLD_CHARS": "0"}, True, 0),
        ({"COMPACT_THRESHOLD_CHARS": "20k"}, True, 80_000),
        ({"COMPACT_THRESHOLD_CHARS": "-5"}, True, 80_000),
        ({"COMPACT_THRESHOLD_CHARS": ""}, True, 80_000),
        ({"COMPACT_THRESHOLD_CHARS": "٣"}, True, 80_000),
        ({"COMPACT_THRESHOLD_CHARS": "9" * 5000}, True, 80_000),
    ],
)
def test_the_environment_is_read_as_the_original_reads_it(
    environ: dict[str, str], enabled: bool, threshold: int
) -> None:
    options = CompactOptions.from_env(environ)
    assert (options.enabled, options.threshold) == (enabled, threshold)


def test_an_option_beats_the_environment() -> None:
    environ = {"COMPACT": "0", "COMPACT_THRESHOLD_CHARS": "5"}
    options = CompactOptions.from_env(environ, threshold=7, enabled=True)
    assert (options.enabled, options.threshold) == (True, 7)


def test_disabled_stages_have_one_order() -> None:
    assert CompactOptions(disabled_stages=("retain", "budget")) == CompactOptions(disabled_stages=("budget", "retain"))


def test_a_changed_copy_is_checked_too() -> None:
    with pytest.raises(OptionError):
        CompactOptions().changed(threshold=-1)
