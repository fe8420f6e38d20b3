"""The option flags of every command, made from what ``CompactOptions`` declares."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any, get_args, get_origin

import click

from tui.export.settings import Settings, read_settings
from tui.pipeline.evaluation import ORIGINAL, OUTBOUND
from tui.pipeline.offload import NAME as OFFLOAD
from tui.pipeline.options import CompactOptions
from tui.pipeline.strategy_options import Knob, StrategyOptions
from tui.strategies import DEFAULT, strategy_named


def whole_number(least: int) -> Callable[[str], int]:
    """A parameter type: a whole number, ``least`` or more, written in digits."""

    def convert(text: str) -> int:
        # int() refuses more than 4,300 digits.
        if not (text.isascii() and text.isdigit() and len(text) <= 4000) or int(text) < least:
            shown = repr(text if len(text) <= 60 else f"{text[:59]}…")
            raise click.BadParameter(f"{shown} is not a whole number, {least} or more.")
        return int(text)

    return convert


def option_flags(function: Callable[..., None]) -> Callable[..., None]:
    """Adds the flags; ``function`` gets what they, the file of ``--settings`` and the environment say as ``settings``.

    A flag beats the file, the file beats the environment.
    """

    @functools.wraps(function)
    def command(**values: Any) -> None:
        chosen = {name: values.pop(name) for name in _FLAGS}
        function(settings=_settings(chosen), **values)

    decorated: Callable[..., None] = command
    for add in reversed(_FLAGS.values()):
        decorated = add(decorated)
    return decorated


def _knob_flag(knob: Knob) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return click.option(
        knob.flag,
        knob.name,
        metavar="N",
        type=whole_number(knob.least),
        help=f"{knob.help} [{knob.default:,}]",
    )


_FLAGS: dict[str, Callable[[Callable[..., None]], Callable[..., None]]] = {
    "strategy": click.option(
        "--strategy",
        metavar="NAME",
        help=f"how to compact; outbound strategies lists them [{DEFAULT}]",
    ),
    "option": click.option(
        "--option",
        metavar="KEY=VALUE",
        multiple=True,
        help="an option of the strategy; may be given several times; outbound strategies NAME lists them",
    ),
    **{knob.name: _knob_flag(knob) for knob in CompactOptions.knobs()},
    "keep_counts": click.option(
        "--keep-counts",
        type=click.Choice(get_args(CompactOptions.model_fields["keep_counts"].annotation)),
        help=f"{CompactOptions.model_fields['keep_counts'].description} "
        f"[{CompactOptions.model_fields['keep_counts'].default}]",
    ),
    "compactable_tools": click.option(
        "--compactable-tools",
        metavar="A,B,...",
        multiple=True,
        help=f"{CompactOptions.model_fields['compactable_tools'].description}; may be given several times "
        f"[{','.join(CompactOptions.model_fields['compactable_tools'].default)}]",
    ),
    "disabled_stages": click.option(
        "--disable-stage",
        "disabled_stages",
        metavar="STAGE",
        multiple=True,
        help=f"skip this stage ({', '.join(CompactOptions.STAGES)}); may be given several times",
    ),
    "enabled": click.option(
        "--compact/--no-compact", "enabled", default=None, help="run the stages, or none as COMPACT=0 does [--compact]"
    ),
    "whole_history": click.option(
        "--whole-history/--no-whole-history",
        default=None,
        help="count in the messages before a compact boundary of the file, or not [--no-whole-history]",
    ),
    "offload": click.option(
        "--offload/--no-offload",
        default=None,
        help="leave previews of big results before anything else, as Claude Code does, or not [--no-offload]",
    ),
    "settings": click.option(
        "--settings",
        metavar="FILE.json",
        help="begin with the settings in this file, as the app writes them; flags beat it",
    ),
}
"""Name of the parameter -> the decorator that adds its flag, in the order of the help."""


def _settings(chosen: dict[str, Any]) -> Settings:
    file = Settings() if chosen["settings"] is None else read_settings(chosen["settings"])
    strategy = strategy_named(chosen["strategy"] or file.strategy)
    values = file.options.model_dump(exclude_unset=True) if strategy.name == file.strategy else {}
    given = {knob.name: chosen[knob.name] for knob in CompactOptions.knobs()}
    given |= {name: chosen[name] for name in ("keep_counts", "enabled")}
    given["disabled_stages"] = chosen["disabled_stages"] or None
    if chosen["compactable_tools"]:
        given["compactable_tools"] = _names(",".join(chosen["compactable_tools"]))
    values |= {name: value for name, value in given.items() if value is not None}
    values |= dict(_option(strategy.options, text) for text in chosen["option"])
    across = file.across_boundaries if chosen["whole_history"] is None else chosen["whole_history"]
    offload = file.offload if chosen["offload"] is None else chosen["offload"]
    if issubclass(strategy.options, CompactOptions):
        options: StrategyOptions = strategy.options.from_env(**values)
    else:
        if os.environ.get("COMPACT") == "0":
            values.setdefault("enabled", False)
        options = strategy.options(**values)
    return Settings(strategy=strategy.name, options=options, across_boundaries=across, offload=offload)


def check_stage(settings: Settings, stage: str | None) -> None:
    """Refuses a stage that the strategy does not have.

    Raises:
        click.BadParameter: There is no such stage.
    """
    first = (OFFLOAD,) if settings.offload else ()
    names = tuple(dict.fromkeys((ORIGINAL, *first, *settings.options.stages, OUTBOUND)))
    if stage is not None and stage not in names:
        raise click.BadParameter(f"{stage!r} is not one of {', '.join(names)}.", param_hint="--stage")


def _names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, (name.strip() for name in text.split(",")))))


def _option(model: type[StrategyOptions], text: str) -> tuple[str, Any]:
    """An option's name and value from ``name=value``; the model says what is wrong with a value."""
    name, equals, value = text.partition("=")
    if not equals:
        raise click.BadParameter(f"{text!r} is not KEY=VALUE.", param_hint="--option")
    name = name.replace("-", "_")
    field = model.model_fields.get(name)
    if field is None:
        return name, value
    if field.annotation is bool:
        return name, {"true": True, "false": False}.get(value.lower(), value)
    if get_origin(field.annotation) is tuple:
        return name, _names(value)
    if field.annotation is int and value.isascii() and value.isdigit() and len(value) <= 4000:
        return name, int(value)
    return name, value
