"""The option flags of every command, made from what ``CompactOptions`` declares."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, get_args

import click

from tui.export.settings import Settings, read_settings
from tui.pipeline.options import STAGES, CompactOptions, Knob


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
        type=click.Choice(STAGES),
        multiple=True,
        help="skip this stage; may be given several times",
    ),
    "enabled": click.option(
        "--compact/--no-compact", "enabled", default=None, help="run the stages, or none as COMPACT=0 does [--compact]"
    ),
    "whole_history": click.option(
        "--whole-history/--no-whole-history",
        default=None,
        help="count in the messages before a compact boundary of the file, or not [--no-whole-history]",
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
    values = file.options.model_dump(exclude_unset=True)
    for name in (*CompactOptions.KNOB_NAMES, "keep_counts", "enabled"):
        if chosen[name] is not None:
            values[name] = chosen[name]
    if chosen["compactable_tools"]:
        names = [name.strip() for text in chosen["compactable_tools"] for name in text.split(",")]
        values["compactable_tools"] = tuple(dict.fromkeys(filter(None, names)))
    if chosen["disabled_stages"]:
        values["disabled_stages"] = chosen["disabled_stages"]
    across = file.across_boundaries if chosen["whole_history"] is None else chosen["whole_history"]
    return Settings(strategy=file.strategy, options=CompactOptions.from_env(**values), across_boundaries=across)
