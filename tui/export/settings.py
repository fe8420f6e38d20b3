"""Settings on their way out and back: as JSON in a file, as environment variables, as command-line flags."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pydantic import BaseModel, ConfigDict, SerializeAsAny, ValidationError, model_validator

from tui.export.documents import json_text
from tui.model import OptionError, OutboundError
from tui.model.visible import visible_line
from tui.pipeline.options import CompactOptions
from tui.pipeline.strategy_options import StrategyOptions
from tui.strategies import DEFAULT, strategy_named, with_own_options

_LARGEST = 1_000_000
"""Bytes of a settings file; whatever is longer is something else, such as a session."""

_HINT = "A settings file is what w on the settings screen (S) writes, or an object of some options."


class Settings(BaseModel):
    """How a session is compacted: the published JSON of ``--settings``."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    _own_options = model_validator(mode="before")(with_own_options)

    strategy: str = DEFAULT
    """The strategy's name."""

    options: SerializeAsAny[StrategyOptions]
    """The strategy's options; those that a file leaves out come from the environment, or are the defaults."""

    across_boundaries: bool = False
    """Whether messages before a compact boundary of the session are counted in."""

    offload: bool = False
    """Whether previews of big results are left before the strategy's own stages."""

    if TYPE_CHECKING:

        def __init__(self, /, **values: Any) -> None: ...

    @model_validator(mode="after")
    def _belong_together(self) -> Self:
        if type(self.options) is not strategy_named(self.strategy).options:
            raise ValueError(f"the options are not those of {self.strategy}")
        return self


def settings_json(settings: Settings) -> str:
    """``settings`` as the text of a file, an option a line; all of them, so that no default can change them later."""
    return _laid_out(settings.model_dump()) + "\n"


def _laid_out(value: Any, indent: str = "") -> str:
    if not isinstance(value, Mapping):
        return json_text(value)
    inner = indent + "  "
    rows = ",\n".join(f"{inner}{json_text(key)}: {_laid_out(item, inner)}" for key, item in value.items())
    return f"{{\n{rows}\n{indent}}}"


def read_settings(path: str | os.PathLike[str]) -> Settings:
    """The settings in a file: what ``settings_json`` writes, part of it, or an object of options alone.

    Which options the file gives is in ``options.model_fields_set``.

    Raises:
        OutboundError: It cannot be read, is not JSON, or holds something unknown or out of its range.
    """
    source = os.fsdecode(path)
    try:
        with Path(path).open("rb") as file:
            data = file.read(_LARGEST + 1)
    except (OSError, ValueError) as error:  # a path with a NUL is a ValueError
        raise OutboundError(f"cannot read the settings: {_reason(error)}", source=source) from None
    if len(data) > _LARGEST:
        raise OutboundError("this is too long to be settings", hint=_HINT, source=source)
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise OutboundError(f"not JSON: {error.msg}", hint=_HINT, source=source, line=error.lineno) from None
    except (ValueError, RecursionError):  # no UTF-8, a number of thousands of digits, nested too deeply
        raise OutboundError("not JSON of any settings", hint=_HINT, source=source) from None
    try:
        return _settings(value)
    except OptionError as error:
        hint = error.hint or "Correct it in the file, or leave it out."
        raise OutboundError(error.problem, hint=hint, source=source) from None


def _settings(value: Any) -> Settings:
    if not isinstance(value, dict):
        raise OptionError("settings are a JSON object", hint=_HINT)
    if not value.keys() & Settings.model_fields.keys():
        value = {"options": value}
    _check_names(value, Settings, "setting")
    if isinstance(value.get("options"), dict) and isinstance(name := value.get("strategy", DEFAULT), str):
        _check_names(value["options"], strategy_named(name).options, "option")
    try:
        return Settings.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        cause = first.get("ctx", {}).get("error")
        if isinstance(cause, OptionError):
            raise cause from None
        raise OptionError(": ".join([*map(str, first["loc"][:1]), first["msg"]])) from None


def _check_names(value: Mapping[str, Any], model: type[BaseModel], what: str) -> None:
    known = model.model_fields
    if unknown := [json_text(name) for name in value if name not in known]:
        named = ", ".join(unknown[:5]) + (f" and {len(unknown) - 5:,} more" if len(unknown) > 5 else "")
        raise OptionError(f"there is no {what} {named}", hint=f"The {what}s are {', '.join(known)}.")


def write_settings(settings: Settings, path: str | os.PathLike[str], *, replace: bool = False) -> None:
    """Writes ``settings`` to a file.

    Args:
        settings: What to write.
        path: Where to; ``~`` is the user's home.
        replace: Whether a file that is there may be overwritten.

    Raises:
        FileExistsError: There is such a file, and it may not be overwritten.
        OutboundError: It cannot be written; says why.
    """
    source = os.fsdecode(path)
    try:
        text = settings_json(settings)
        place = Path(path).expanduser()
        # A pipe would wait for a reader, a device is no place to keep anything.
        if place.exists() and not place.is_file():
            raise OutboundError("this is not a file", hint="Name a file that may be written.", source=source)
        with place.open("w" if replace else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise
    except (OSError, ValueError, RuntimeError) as error:  # a path with a NUL; a user without a home
        raise OutboundError(f"cannot write the settings: {_reason(error)}", source=source) from None


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def as_environment(options: StrategyOptions) -> str:
    """``options`` as lines that a shell or an ``.env`` file takes; what has no variable is said in comments."""
    lines = [] if options.enabled else ["COMPACT=0"]
    said = {"enabled"}
    if isinstance(options, CompactOptions):
        lines.append(f"COMPACT_THRESHOLD_CHARS={options.threshold}")
        said.add("threshold")
    defaults = type(options)()
    others = [
        # As JSON: a tool's name cannot end the comment.
        f"#   {name}: {json_text(value)}"
        for name, value in options.model_dump(exclude=said).items()
        if value != getattr(defaults, name)
    ]
    if others:
        lines += ["# Not the defaults either, but there is no variable for them:", *others]
    return "".join(f"{line}\n" for line in lines)


def as_flags(settings: Settings) -> str:
    """What differs from the defaults as flags of ``outbound``, quoted for a shell; empty when nothing does.

    Raises:
        OptionError: A tool's name cannot be written in a flag.
    """
    options = settings.options
    defaults = type(options)()
    changed = {
        name: value
        for name in type(options).model_fields
        if (value := getattr(options, name)) != getattr(defaults, name)
    }
    words: list[str] = []
    if settings.strategy != DEFAULT:
        words += ["--strategy", settings.strategy]
    for stage in changed.pop("disabled_stages", ()):
        words += ["--disable-stage", stage]
    if not changed.pop("enabled", True):
        words.append("--no-compact")
    for name, value in changed.items():
        text = _written(value)
        if isinstance(options, CompactOptions) and name in CompactOptions.model_fields:  # these have flags of their own
            words += ["--" + name.replace("_", "-"), text]
        else:
            words += ["--option", f"{name}={text}"]
    if settings.across_boundaries:
        words.append("--whole-history")
    if settings.offload:
        words.append("--offload")
    return shlex.join(words)


def _written(value: Any) -> str:
    if isinstance(value, tuple):
        return _tool_list(value)
    return json_text(value) if isinstance(value, bool) else str(value)


def _tool_list(names: tuple[str, ...]) -> str:
    for name in names:
        # The list is parted at commas and trimmed; a control character would act when it is pasted.
        if not name or "," in name or name != name.strip() or name != visible_line(name):
            raise OptionError(f"the tool name {json_text(name)} cannot be written in a flag", hint="Use the JSON.")
    return ",".join(names)
