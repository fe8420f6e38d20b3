"""``outbound timeline``: every call's numbers."""

from __future__ import annotations

import click

from tui.cli.evaluating import evaluation_of, file_argument
from tui.cli.flags import option_flags
from tui.cli.output import write
from tui.export.documents import json_document
from tui.export.settings import Settings
from tui.export.timeline import timeline_csv, timeline_rows


@click.command("timeline")
@file_argument
@click.option("--format", "form", type=click.Choice(["csv", "json"]), default="csv", help="csv or json [csv]")
@option_flags
def command(file: str, form: str, settings: Settings) -> None:
    """Print one row for each call of the session in FILE; the last is the next call.

    \b
    call        its number, from 1
    messages    how many messages it sees
    original    chars of those, and what is left of them
    budget        after budget,
    micro         after micro,
    retain        after retain
    truncated   results that budget cut
    cleared     results that micro cleared
    dropped     messages that retain dropped
    reused      chars of it that repeat the call before, from its beginning on:
                what a prompt cache can serve

    Other strategies have columns of their own stages and of what these do.
    """  # noqa: D301 (click wants the character itself)
    evaluation = evaluation_of(file, settings)
    write(timeline_csv(evaluation) if form == "csv" else json_document(list(timeline_rows(evaluation))))
