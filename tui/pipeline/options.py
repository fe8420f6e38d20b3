"""The options of react-agent-mini v4, with their ranges (SPEC.md, section 2)."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from tui.model import OptionError

STAGES = ("budget", "micro", "retain")
DEFAULT_TOOLS = ("Read", "Write", "Edit", "Bash", "Grep", "Glob", "mcp__*")


@dataclass(frozen=True, slots=True)
class Knob:
    """How a whole-number option is offered: sliders and command-line flags are built from it.

    Attributes:
        name: The field's name.
        label: The option's name in the original program, as the screen shows it.
        unit: What it counts.
        help: One line on what it does.
        default: Its default.
        least: The smallest value allowed.
        greatest: Where a slider's track ends by default; larger values are valid.
        step: A comfortable step.
    """

    name: str
    label: str
    unit: str
    help: str
    default: int
    least: int
    greatest: int
    step: int

    @property
    def flag(self) -> str:
        """The command-line flag."""
        return "--" + self.name.replace("_", "-")


def _knob(default: int, label: str, unit: str, greatest: int, step: int, text: str) -> Any:
    extra: Any = {"label": label, "unit": unit, "greatest": greatest, "step": step}
    return Field(default=default, ge=0, strict=True, description=text, json_schema_extra=extra)


Count = Annotated[int, Field(strict=True)]


class CompactOptions(BaseModel):
    """Options of the v4 pipeline; any whole number from 0 up is valid for a count.

    Raises:
        OptionError: A value is out of its range or an option is unknown; the error names both.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    enabled: bool = Field(default=True, strict=True, description="run the stages at all (COMPACT=0 turns this off)")
    threshold: Count = _knob(
        80_000, "threshold", "chars", 200_000, 1_000, "micro and retain run only when the estimate is over it"
    )
    max_tool_result_chars: Count = _knob(
        4_000, "maxToolResultChars", "chars", 20_000, 100, "budget cuts a longer tool result to this many chars"
    )
    keep_recent: Count = _knob(
        4, "keepRecent", "results", 24, 1, "micro leaves this many of the newest clearable results whole"
    )
    min_chars: Count = _knob(500, "minChars", "chars", 8_000, 50, "micro clears only longer results")
    max_messages: Count = _knob(
        40, "maxMessages", "messages", 120, 1, "retain drops the oldest messages down to this, if still over"
    )
    compactable_tools: tuple[str, ...] = Field(
        default=DEFAULT_TOOLS, description="tools whose results micro may clear; a trailing * makes a prefix"
    )
    keep_counts: Literal["compactable", "all"] = Field(
        default="compactable", description="which results keepRecent counts: the clearable ones, or all"
    )
    disabled_stages: tuple[str, ...] = Field(default=(), description="stages to skip: budget, micro, retain")

    KNOB_NAMES: ClassVar[tuple[str, ...]] = (
        "threshold",
        "keep_recent",
        "min_chars",
        "max_messages",
        "max_tool_result_chars",
    )

    def __init__(self, /, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise _clear_error(error) from None

    @field_validator("disabled_stages")
    @classmethod
    def _known_stages(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if unknown := [name for name in value if name not in STAGES]:
            raise ValueError(f"unknown stage {unknown[0]!r}")
        return tuple(name for name in STAGES if name in value)

    def runs(self, stage: str) -> bool:
        """Whether ``stage`` is switched on."""
        return self.enabled and stage not in self.disabled_stages

    def changed(self, **values: Any) -> CompactOptions:
        """A copy with some options changed, checked again.

        Raises:
            OptionError: A value is out of its range.
        """
        current = {name: getattr(self, name) for name in type(self).model_fields}
        return CompactOptions(**current | values)

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None, **values: Any) -> CompactOptions:
        """Options with the environment's COMPACT and COMPACT_THRESHOLD_CHARS; ``values`` beat the environment.

        As in the original: ``COMPACT=0`` turns everything off, and a threshold counts only when it is all digits.

        Raises:
            OptionError: One of ``values`` is out of its range.
        """
        environ = os.environ if environ is None else environ
        found: dict[str, Any] = {}
        if environ.get("COMPACT") == "0":
            found["enabled"] = False
        threshold = environ.get("COMPACT_THRESHOLD_CHARS", "")
        # int() refuses more than 4,300 digits; so many leave the default, like anything else that is no number.
        if re.fullmatch(r"[0-9]{1,4000}", threshold):
            found["threshold"] = int(threshold)
        return cls(**found | values)

    @classmethod
    def knobs(cls) -> tuple[Knob, ...]:
        """The whole-number options, in the order in which the screen shows them."""
        return tuple(_describe(cls, name) for name in cls.KNOB_NAMES)


def _describe(model: type[CompactOptions], name: str) -> Knob:
    field = model.model_fields[name]
    extra: Any = field.json_schema_extra
    return Knob(name=name, help=field.description or "", default=field.default, least=0, **extra)


def _clear_error(error: ValidationError) -> OptionError:
    first = error.errors()[0]
    name = str(first["loc"][0])
    value = first.get("input")
    shown = repr(value) if len(repr(value)) <= 60 else repr(value)[:57] + "…"
    if name not in CompactOptions.model_fields:
        known = ", ".join(CompactOptions.model_fields)
        return OptionError(f"there is no option {name!r}", hint=f"The options are {known}.")
    ranges = {
        "enabled": "true or false",
        "compactable_tools": "a list of tool names; a trailing * makes a prefix",
        "keep_counts": "'compactable' or 'all'",
        "disabled_stages": "a list of stage names: budget, micro, retain",
    }
    allowed = ranges.get(name, "a whole number, 0 or more")
    return OptionError(f"{name} is {shown}, but must be {allowed}")
