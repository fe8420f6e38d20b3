"""``outbound trace``: the original program's trace lines."""

from __future__ import annotations

import click

from tui.cli.evaluating import call_option, evaluation_of, file_argument, view_of
from tui.cli.flags import option_flags
from tui.cli.output import write
from tui.export.settings import Settings
from tui.export.trace import every_trace


@click.command("trace")
@file_argument
@call_option
@click.option("--all-calls", is_flag=True, help="every call that has lines, each after a line '# call N'")
@option_flags
def command(file: str, call: int | None, all_calls: bool, settings: Settings) -> None:
    """Print the trace lines of one call of the session in FILE, byte for byte as the original does.

    A stage that changed nothing prints nothing.
    """
    if all_calls and call is not None:
        raise click.UsageError("--call and --all-calls exclude each other.")
    evaluation = evaluation_of(file, settings)
    lines = every_trace(evaluation) if all_calls else view_of(evaluation, call).trace
    write(f"{line}\n" for line in lines)
