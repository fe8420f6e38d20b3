"""What the options of every strategy share: ranges, clear errors, and how sliders and flags are made from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from tui.model import OptionError


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


Count = Annotated[int, Field(strict=True)]
"""The type of a whole-number option."""

Switch = Annotated[bool, Field(strict=True)]
"""The type of an option that is on or off."""

ToolNames = tuple[str, ...]
"""The type of an option that lists tools."""


def knob(default: int, label: str, unit: str, greatest: int, step: int, text: str, *, least: int = 0) -> Any:
    """A whole-number option; the arguments are the attributes of ``Knob``, ``text`` its help."""
    extra: Any = {"label": label, "unit": unit, "least": least, "greatest": greatest, "step": step}
    return Field(default=default, ge=least, description=text, json_schema_extra=extra)


def switch(default: bool, label: str, text: str) -> Any:
    """An option that is on or off, with its name on the screen and one line on what it does."""
    return Field(default=default, description=text, json_schema_extra={"label": label})


class StrategyOptions(BaseModel):
    """Options of a strategy: frozen, every value checked. The whole-number ones become sliders, in this order.

    Raises:
        OptionError: A value is out of its range or an option is unknown; the error names both.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    STAGES: ClassVar[tuple[str, ...]] = ()
    """The stages' names, in order."""

    TOOLS: ClassVar[str | None] = None
    """The field that lists the tools whose results may be cleared, if there is one."""

    enabled: Switch = Field(default=True, description="run the stages at all (COMPACT=0 turns this off)")
    disabled_stages: tuple[str, ...] = Field(default=(), description="stages to skip")

    def __init__(self, /, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise _clear_error(type(self), error) from None

    @field_validator("disabled_stages")
    @classmethod
    def _known_stages(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if unknown := [name for name in value if name not in cls.STAGES]:
            raise ValueError(f"unknown stage {unknown[0]!r}")
        return tuple(name for name in cls.STAGES if name in value)

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages' names, in the order in which they run."""
        return self.STAGES

    @property
    def line(self) -> int | None:
        """The size in chars that the outbound view is held against; None for a strategy that has none."""
        return None

    @property
    def cut(self) -> int | None:
        """Where a longer result is cut, in chars; None for a strategy that cuts none."""
        return None

    @property
    def tools(self) -> tuple[str, ...] | None:
        """The tools that ``TOOLS`` lists; None for a strategy without such an option."""
        return None if self.TOOLS is None else tuple(getattr(self, self.TOOLS))

    def runs(self, stage: str) -> bool:
        """Whether ``stage`` is switched on."""
        return self.enabled and stage not in self.disabled_stages

    def changed(self, **values: Any) -> Self:
        """A copy with some options changed, checked again.

        Raises:
            OptionError: A value is out of its range.
        """
        current = {name: getattr(self, name) for name in type(self).model_fields}
        return type(self)(**current | values)

    @classmethod
    def knobs(cls) -> tuple[Knob, ...]:
        """The whole-number options, in the order in which the screen shows them."""
        return tuple(
            Knob(name=name, help=field.description or "", default=field.default, **_extra(field))
            for name, field in cls.model_fields.items()
            if "unit" in _extra(field)
        )

    @classmethod
    def switches(cls) -> dict[str, str]:
        """The options of this strategy that are on or off, with their names on the screen."""
        return {
            name: _extra(field)["label"]
            for name, field in cls.model_fields.items()
            if field.annotation is bool and "label" in _extra(field)
        }


def _extra(field: Any) -> dict[str, Any]:
    return field.json_schema_extra or {}


def _clear_error(model: type[StrategyOptions], error: ValidationError) -> OptionError:
    first = error.errors()[0]
    name = str(first["loc"][0])
    value = first.get("input")
    shown = repr(value) if len(repr(value)) <= 60 else repr(value)[:57] + "…"
    if name not in model.model_fields:
        return OptionError(f"there is no option {name!r}", hint=f"The options are {', '.join(model.model_fields)}.")
    return OptionError(f"{name} is {shown}, but must be {_allowed(model, name)}")


def _allowed(model: type[StrategyOptions], name: str) -> str:
    field = model.model_fields[name]
    if field.annotation is bool:
        return "true or false"
    if get_origin(field.annotation) is Literal:
        return " or ".join(map(repr, get_args(field.annotation)))
    if name == "disabled_stages":
        return f"a list of stage names: {', '.join(model.STAGES)}"
    if get_origin(field.annotation) is tuple:
        return "a list of tool names; a trailing * makes a prefix"
    return f"a whole number, {_extra(field).get('least', 0)} or more"
