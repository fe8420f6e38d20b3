"""``outbound compare``: two strategies, or one with two settings, over all calls."""

from __future__ import annotations

from pathlib import Path

import click

from tui.cli.evaluating import evaluation_of, file_argument
from tui.cli.flags import option_flags
from tui.cli.output import write
from tui.export.compare import comparison_rows, comparison_text
from tui.export.documents import json_document
from tui.export.settings import Settings, read_settings
from tui.pipeline.compare import Comparison
from tui.strategies import STRATEGIES, evaluate, strategy_named


@click.command("compare")
@file_argument
@click.argument("a")
@click.argument("b")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="text or json [text]")
@option_flags
def command(file: str, a: str, b: str, form: str, settings: Settings) -> None:
    """Print where, and by how much, A and B differ over all calls of the session in FILE.

    A and B are names of strategies, with their defaults, or settings files (as --settings takes them). Of the
    flags, the options go to whichever of the two is the strategy that --strategy names.
    """
    first = evaluation_of(file, _chosen(a, settings))
    chosen = _chosen(b, settings)
    second = evaluate(
        first.session,
        chosen.strategy,
        chosen.options,
        across_boundaries=settings.across_boundaries,
        offload=settings.offload,
    )
    comparison = Comparison(first, second)
    if form == "json":
        write(json_document(list(comparison_rows(comparison))))
    else:
        write(f"{line}\n" for line in comparison_text(comparison, (a, b)))


def _chosen(text: str, settings: Settings) -> Settings:
    """The settings that an argument names."""
    seen = {"across_boundaries": settings.across_boundaries, "offload": settings.offload}
    if text not in STRATEGIES and Path(text).exists():
        return read_settings(text).model_copy(update=seen)
    if text == settings.strategy:
        return settings
    return Settings(strategy=strategy_named(text).name, **seen)
