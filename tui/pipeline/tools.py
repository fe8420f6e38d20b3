"""The tools of a session: how much each takes, and which of them micro may clear."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tui.pipeline.by_tool import blocks_by_tool, result_sizes, within_blocks
from tui.pipeline.evaluation import View
from tui.pipeline.index import SessionIndex
from tui.pipeline.micro import is_compactable


@dataclass(frozen=True, slots=True)
class ToolRow:
    """One tool; sizes in chars as counted by the estimate.

    Attributes:
        name: Its name, possibly empty; None for the results that belong to no call.
        calls: Its calls in the whole session.
        results: Its results in the whole session.
        chars: Size of both in the whole session, before any stage.
        sent: Size of both in the outbound view of the call.
        share: ``sent`` as a part of the outbound estimate, from 0 to 1.
        cleared_by: What makes its results clearable: its own name or a pattern with a trailing ``*``; None when
            they are not.
    """

    name: str | None
    calls: int
    results: int
    chars: int
    sent: int
    share: float
    cleared_by: str | None


def tool_table(index: SessionIndex, view: View, compactable_tools: Sequence[str]) -> tuple[ToolRow, ...]:
    """Every tool of the session, the largest in the outbound view of the call first.

    Where there are results that belong to no call, a row for them stands among the tools. What stands before a compact
    boundary, or after the call, counts in the session's numbers only.
    """
    table = blocks_by_tool(index)
    chars = index.block_chars
    calls = table.tool_sums(table.use_tool)
    results = table.tool_sums(table.result_tool)
    results[-1] += len(table.misplaced)
    total = table.tool_sums(table.use_tool, chars[table.uses])
    total += table.tool_sums(table.result_tool, chars[table.results])
    total[-1] += chars[table.misplaced].sum()

    first, end = index.first_block[[view.kept_from, view.end]]
    uses = within_blocks(table.uses, first, end)
    misplaced = within_blocks(table.misplaced, first, end)
    seen = slice(*index.results_before[[view.start, view.end]])
    sizes = list(result_sizes(view, index).values())[-1]
    sent = table.tool_sums(table.use_tool[uses], chars[table.uses[uses]])
    sent += table.tool_sums(table.result_tool[seen], sizes)
    sent[-1] += chars[table.misplaced[misplaced]].sum()
    estimate = max(1, list(view.estimate.values())[-1])

    names: list[str | None] = [*table.names, None]
    rows = [
        ToolRow(
            name=name,
            calls=int(calls[code]),
            results=int(results[code]),
            chars=int(total[code]),
            sent=int(sent[code]),
            share=int(sent[code]) / estimate,
            cleared_by=None if name is None else cleared_by(name, compactable_tools),
        )
        for code, name in enumerate(names)
        if name is not None or results[code]
    ]
    return tuple(sorted(rows, key=lambda row: (-row.sent, -row.chars)))


def cleared_by(tool: str, compactable_tools: Sequence[str]) -> str | None:
    """The entry of ``compactable_tools`` that makes ``tool`` clearable, its own name before a pattern; or None."""
    if tool in compactable_tools:
        return tool
    return next((entry for entry in compactable_tools if is_compactable(tool, (entry,))), None)


def toggled(compactable_tools: tuple[str, ...], tool: str, on: bool, names: Iterable[str]) -> tuple[str, ...]:
    """The option after one tool is switched on or off; the other tools of the session stay as they are.

    Switched on, the tool's own name is added. Switched off, its name goes, and each pattern that covers it is replaced,
    where it stands, by the names of the session's other tools that it covers: a list can say what is clearable, not
    what is not. So tools of later sessions that the pattern would have covered are no longer clearable.

    A tool whose own name ends with ``*`` is a pattern wherever it is listed. Where its name would cover the tool that
    is switched off, it is switched off too.

    Args:
        compactable_tools: The option as it is.
        tool: The tool's name.
        on: Whether it is to be clearable.
        names: The names of all tools of the session.
    """
    if on:
        return compactable_tools if is_compactable(tool, compactable_tools) else (*compactable_tools, tool)
    left: list[str] = []
    others = [name for name in names if not is_compactable(tool, (name,))]
    for entry in compactable_tools:
        if not is_compactable(tool, (entry,)):
            left.append(entry)
        else:  # its own name covers no other tool
            left += [name for name in others if is_compactable(name, (entry,))]
    return tuple(dict.fromkeys(left))


_READ_OR_RUN = frozenset(
    (
        # Claude Code
        *("read", "notebookread", "bash", "bashoutput", "grep", "glob", "ls", "webfetch", "websearch"),
        # Codex
        *("shell", "shell_command", "exec_command", "write_stdin", "local_shell", "container.exec", "web_search"),
        # pi, OpenCode (beside those above)
        *("find", "list", "codesearch"),
        # Gemini CLI
        *("read_file", "read_many_files", "run_shell_command", "search_file_content", "grep_search", "list_directory"),
        *("web_fetch", "google_web_search"),
        # Cline and Roo Code (beside those above)
        *("execute_command", "search_files", "list_files", "list_code_definition_names", "codebase_search"),
        # Cursor, OpenHands
        *("list_dir", "file_search", "run_terminal_cmd", "execute_bash"),
    )
)
"""Tools of well-known agents that read, search or run a command, in small letters.

What they gave can be had again by calling them again; the results of tools that edit, plan or ask cannot.
"""

_MCP_VERBS = frozenset(("read", "get", "list", "search", "find", "fetch", "query"))


def read_or_run_tools(names: Iterable[str]) -> tuple[str, ...]:
    """Those of ``names`` that are known to only read, search or run a command, whatever the case of their letters.

    A tool of an MCP server (``mcp__server__tool``) is known by the verb that its own name begins with: ``read``,
    ``get``, ``list``, ``search``, ``find``, ``fetch`` or ``query``, as a word (``get_issue``, ``listFiles``).
    """
    return tuple(name for name in names if _reads_or_runs(name))


def _reads_or_runs(name: str) -> bool:
    if not name.casefold().startswith("mcp__"):
        return name.casefold() in _READ_OR_RUN
    _, _, own = name[len("mcp__") :].rpartition("__")
    verb = re.match("[A-Za-z][a-z]*", own)
    return verb is not None and verb.group().casefold() in _MCP_VERBS
