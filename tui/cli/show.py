"""``outbound show``: one call's view, printed."""

from __future__ import annotations

import os

import click

from tui.cli.evaluating import call_option, evaluation_of, file_argument, view_of
from tui.cli.flags import check_stage, option_flags
from tui.cli.output import write, write_error
from tui.export.documents import json_document
from tui.export.messages import anthropic_messages
from tui.export.report import call_report
from tui.export.settings import Settings
from tui.export.text import call_text
from tui.pipeline.evaluation import ORIGINAL, OUTBOUND
from tui.pipeline.options import CompactOptions


@click.command("show")
@file_argument
@call_option
@click.option(
    "--stage",
    metavar="STAGE",
    default=OUTBOUND,
    help=f"the view after this stage: {ORIGINAL}, {', '.join(CompactOptions.STAGES)} or {OUTBOUND} [{OUTBOUND}]",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "messages"]),
    default="text",
    help="text to read; json, every block's fate; messages, an Anthropic messages list, ready to send [text]",
)
@option_flags
def command(file: str, call: int | None, stage: str, form: str, settings: Settings) -> None:
    """Print what one call of the session in FILE (- for standard input) receives.

    Chars are UTF-16 code units. Messages are counted from 0, calls from 1. With TRACE=1 in the environment the
    trace lines go to stderr.

    \b
    --format messages leaves out what an API would not take back: image data
    (a text says so), and thinking without its signature.
    """  # noqa: D301 (click wants the character itself)
    check_stage(settings, stage)
    evaluation = evaluation_of(file, settings)
    view = view_of(evaluation, call)
    if os.environ.get("TRACE") == "1":
        write_error("".join(f"{line}\n" for line in view.trace))
    match form:
        case "json":
            write(json_document(call_report(evaluation, view, stage).model_dump(mode="python")))
        case "messages":
            write(json_document(anthropic_messages(view, stage)))
        case _:
            write(f"{line}\n" for line in call_text(evaluation, view, stage))
