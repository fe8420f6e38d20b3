"""``outbound strategies``: what there is to choose from, and what one of them does."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import click

from tui.cli.output import write
from tui.export.documents import json_text
from tui.strategies import STRATEGIES, Strategy, strategy_named

_WIDTH = 100


@click.command("strategies")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """List the strategies; with NAME, explain one with its stages, options and defaults."""
    lines = _list() if name is None else _one(strategy_named(name))
    write(f"{line}\n" for line in lines)


def _list() -> Iterator[str]:
    width = max(map(len, STRATEGIES))
    for strategy in STRATEGIES.values():
        yield f"{strategy.name:<{width}}  {strategy.persistence:<12}  {strategy.fidelity:<13}  {strategy.source}"


def _one(strategy: Strategy) -> Iterator[str]:
    yield f"{strategy.name}: {strategy.title}"
    yield from textwrap.wrap(strategy.explanation, _WIDTH)
    yield ""
    defaults = strategy.options()
    about = {
        "stages": ", ".join(defaults.stages),
        "placeholder": json_text(strategy.placeholder) if strategy.placeholder else "none",
        "effect": strategy.persistence,
        "fidelity": strategy.fidelity,
        "source": strategy.source,
    }
    for what, text in about.items():
        yield f"{what:<12} {text}"
    yield ""
    yield "options (--option NAME=VALUE):"
    for field, info in strategy.options.model_fields.items():
        value = getattr(defaults, field)
        shown = ",".join(value) if isinstance(value, tuple) else value if isinstance(value, str) else json_text(value)
        yield f"  {field:<24} {shown}"
        yield from textwrap.wrap(info.description or "", _WIDTH, initial_indent="      ", subsequent_indent="      ")
