"""``outbound open``, and ``outbound`` alone: the app."""

from __future__ import annotations

import sys

import click

from tui.cli.flags import check_stage, option_flags, whole_number
from tui.cli.output import complain
from tui.export.settings import Settings


@click.command("open")
@click.argument("path", required=False, metavar="[FILE|DIR]")
@click.option("--call", metavar="N", type=whole_number(1), help="the call to begin at [the next call]")
@click.option("--stage", metavar="STAGE", help="the stage to begin on [outbound]")
@option_flags
@click.pass_context
def command(
    ctx: click.Context,
    path: str | None,
    call: int | None,
    stage: str | None,
    settings: Settings,
) -> None:
    """Open a session, a directory of sessions, or without an argument the samples, in the app.

    The options are where the sliders stand at the beginning.
    """
    check_stage(settings, stage)
    if not (_is_terminal(sys.stdin) and _is_terminal(sys.stdout)):
        complain(
            "the app needs a terminal, and standard input or output is not one",
            "To print what a call receives: outbound show FILE (see outbound show --help)",
        )
        ctx.exit(2)
    from tui.app import run

    ctx.exit(run(path, settings, call, stage))


def _is_terminal(stream: object) -> bool:
    isatty = getattr(stream, "isatty", None)  # a closed stream is None
    return bool(isatty and isatty())
