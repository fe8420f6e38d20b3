"""The tool table against sums over the naive pipeline's messages, and the switches over its rows."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests import oracle
from tests.strategy_data import conversations, option_values
from tui import CompactOptions, evaluate, session_from_messages
from tui.model import Boundary
from tui.model.ecma_json import stringify
from tui.pipeline.micro import is_compactable
from tui.pipeline.tools import cleared_by, read_or_run_tools, toggled, tool_table

Dicts = list[dict[str, Any]]

eager_values = option_values.map(
    lambda values: (
        values
        | {"enabled": True, "disabled_stages": ()}
        | {"threshold": values.get("threshold", 0) // 8, "max_messages": values.get("max_messages", 2) // 2}
    )
)
"""Options with which most calls have all three stages at work."""


def ends(messages: Dicts) -> list[int]:
    return [i for i, m in enumerate(messages) if m["type"] == "assistant" and i > 0] + [len(messages)]


def block_chars(block: dict[str, Any]) -> int:
    if block["type"] == "tool_use":
        return oracle.units(block["name"]) + oracle.units(stringify(block["input"]))
    return oracle.units(block["content"])


def tools_of(messages: Dicts) -> list[list[str | None]]:
    """For each block, the tool that it belongs to; None for results that belong to no call and for other blocks."""
    names: dict[str, str] = {}
    out: list[list[str | None]] = []
    for message in messages:
        row: list[str | None] = []
        for block in message["content"]:
            if block["type"] == "tool_use":
                names[block["id"]] = block["name"]
                row.append(block["name"])
            elif block["type"] == "tool_result" and message["type"] == "user":
                row.append(names.get(block["tool_use_id"]))
            else:
                row.append(None)
        out.append(row)
    return out


def counted(messages: Dicts, tools: list[list[str | None]]) -> tuple[Counter[str | None], Counter[str | None]]:
    """How many calls and results, and how many chars of both, by tool."""
    chars: Counter[str | None] = Counter()
    blocks: Counter[str | None] = Counter()
    for message, names in zip(messages, tools, strict=True):
        for block, name in zip(message["content"], names, strict=True):
            if block["type"] in ("tool_use", "tool_result"):
                chars[name] += block_chars(block)
                blocks[name] += 1
    return chars, blocks


@settings(max_examples=150, deadline=None)
@given(conversations, option_values | eager_values, st.lists(st.integers(0, 20), max_size=2))
def test_rows_are_the_sums_over_what_the_naive_pipeline_sends(
    messages: Dicts, values: dict[str, Any], cuts: list[int]
) -> None:
    cuts = sorted({min(cut, len(messages)) for cut in cuts})
    session = replace(session_from_messages(messages), boundaries=tuple(map(Boundary, cuts)))
    evaluation = evaluate(session, "react-agent-mini-v4", CompactOptions(**values))
    tools = tools_of(messages)
    for call, end in zip(evaluation.calls, ends(messages), strict=True):
        start = max((cut for cut in cuts if cut <= end), default=0)
        result = oracle.run(messages[start:end], oracle.Options(**values))
        rows = tool_table(evaluation.index, evaluation.at(call), evaluation.options.tools or ())
        in_all, blocks = counted(messages, tools)
        sent, _ = counted(result.stages["retain"], tools[start + result.kept_from : end])
        found = {row.name: row for row in rows}
        assert len(found) == len(rows)
        assert set(found) == set(blocks)
        assert [row.sent for row in rows] == sorted((row.sent for row in rows), reverse=True)
        for name, row in found.items():
            assert (row.chars, row.calls + row.results) == (in_all[name], blocks[name])
            assert row.sent == sent[name]
            assert row.share == row.sent / max(1, result.estimate["retain"])
            able = name is not None and oracle.compactable(name, (evaluation.options.tools or ()))
            assert (row.cleared_by is not None) == able


def test_a_plain_name_makes_a_tool_clearable_before_a_pattern_does() -> None:
    assert cleared_by("mcp__a__x", ("mcp__*", "mcp__a__x")) == "mcp__a__x"
    assert cleared_by("mcp__a__x", ("Read", "mcp__a__*", "mcp__*")) == "mcp__a__*"
    assert cleared_by("read", ("Read", "mcp__*")) is None


NAMES = st.lists(st.sampled_from(["Read", "Bash", "mcp__a", "mcp__ab", "mcp__b", "", "shell"]), min_size=1, unique=True)
ENTRIES = st.lists(st.sampled_from(["Read", "mcp__*", "mcp__a*", "*", "", "mcp__a", "Gone", "Re*"]), unique=True)


@given(NAMES, ENTRIES, st.booleans(), st.data())
def test_switching_one_tool_leaves_the_others_of_the_session_as_they_are(
    names: list[str], entries: list[str], on: bool, data: st.DataObject
) -> None:
    tool = data.draw(st.sampled_from(names))
    after = toggled(tuple(entries), tool, on, names)
    assert is_compactable(tool, after) == on
    for name in names:
        if name != tool:
            assert is_compactable(name, after) == is_compactable(name, tuple(entries))
    assert len(set(after)) == len(after)
    if is_compactable(tool, tuple(entries)) == on:
        assert after == tuple(entries)


def test_a_pattern_is_replaced_where_it_stands_by_the_other_names_that_it_covers() -> None:
    names = ["mcp__b", "Read", "mcp__a", "mcp__c"]
    assert toggled(("Read", "mcp__*", "Bash"), "mcp__a", False, names) == ("Read", "mcp__b", "mcp__c", "Bash")
    assert toggled(("Read", "Bash"), "Read", False, names) == ("Bash",)
    assert toggled(("Read",), "shell", True, names) == ("Read", "shell")


@given(st.lists(st.sampled_from(["a", "ab", "a*", "ab*", "*"]), min_size=1, unique=True), ENTRIES, st.data())
def test_names_that_are_patterns_themselves_never_keep_a_tool_on(
    names: list[str], entries: list[str], data: st.DataObject
) -> None:
    tool = data.draw(st.sampled_from(names))
    assert not is_compactable(tool, toggled(tuple(entries), tool, False, names))


def test_tools_that_only_read_or_run_are_known_over_agents_whatever_their_case() -> None:
    known = ["Read", "BASH", "shell", "exec_command", "read_file", "run_shell_command", "execute_command", "ls", "find"]
    other = ["Edit", "Write", "write_to_file", "apply_patch", "TodoWrite", "attempt_completion", "reader", ""]
    assert read_or_run_tools([*known, *other]) == tuple(known)


def test_tools_of_mcp_servers_are_known_by_the_verb_that_they_begin_with() -> None:
    known = ["mcp__github__get_issue", "mcp__fs__readFile", "mcp__x__y__search", "mcp__db__list-tables"]
    other = ["mcp__github__create_issue", "mcp__fs__readme", "mcp__get__put", "mcp__mail__mark_as_read", "mcp__x__"]
    assert read_or_run_tools([*known, *other]) == tuple(known)
