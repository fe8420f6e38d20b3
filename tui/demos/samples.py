"""The sample sessions: small conversations that each show one thing, and where in them to look.

The folder ``sample_sessions`` lies beside the package in a checkout and inside it in an installed wheel; its
``index.json`` says in which order the samples are offered and at which call, stage and options each one opens.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, ValidationInfo, field_validator

from tui.model import OutboundError
from tui.pipeline.evaluation import ORIGINAL, OUTBOUND
from tui.pipeline.strategy_options import StrategyOptions
from tui.strategies import DEFAULT, strategy_named

INDEX = "index.json"

_Line = Annotated[str, Field(min_length=1, pattern=r"^[^\n]+$")]


class Sample(BaseModel):
    """One sample, as the index describes it.

    Attributes:
        file: Its file's name in the folder of the samples.
        title: A few words for the picker.
        look_for: One line on what to look for.
        call: The call at which it opens, counted from 1; None for the next call.
        stage: The stage tab at which it opens.
        strategy: The name of the strategy that it opens with.
        options: Options of that strategy that differ from the defaults.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    file: Annotated[str, Field(pattern=r"^[a-z0-9-]+\.jsonl?$")]
    title: _Line
    look_for: _Line
    call: Annotated[int, Field(ge=1)] | None
    strategy: str = DEFAULT
    stage: str
    options: dict[str, Any]

    @field_validator("stage")
    @classmethod
    def _is_one(cls, stage: str, info: ValidationInfo) -> str:
        stages = (ORIGINAL, *strategy_named(info.data.get("strategy", DEFAULT)).options().stages, OUTBOUND)
        if stage not in stages:
            raise ValueError(f"{stage!r} is not one of {', '.join(stages)}")
        return stage

    @field_validator("options")
    @classmethod
    def _are_valid(cls, options: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        strategy_named(info.data.get("strategy", DEFAULT)).options(**options)
        return options

    @field_validator("strategy")
    @classmethod
    def _exists(cls, strategy: str) -> str:
        return strategy_named(strategy).name

    @property
    def strategy_options(self) -> StrategyOptions:
        """The options, all of them."""
        return strategy_named(self.strategy).options(**self.options)

    @property
    def name(self) -> str:
        """What it is called: its file's name without the suffix."""
        return Path(self.file).stem

    @property
    def path(self) -> Path:
        """Where its file is.

        Raises:
            OutboundError: The folder of the samples is not there.
        """
        return folder() / self.file


_INDEX = TypeAdapter(tuple[Sample, ...])


def folder() -> Path:
    """The folder of the samples.

    Raises:
        OutboundError: It is neither inside the package nor beside it.
    """
    package = Path(str(files("tui")))
    for place in (package / "sample_sessions", package.parent / "sample_sessions"):
        if (place / INDEX).is_file():
            return place
    hint = "Install outbound-tui again, or open a file of your own."
    raise OutboundError(f"the sample sessions are missing: there is no {INDEX} beside or in {package}", hint=hint)


def samples() -> tuple[Sample, ...]:
    """All samples, in the order of the index.

    Raises:
        OutboundError: The folder is missing or its index is wrong; names the file and the field.
    """
    index = folder() / INDEX
    try:
        found = _INDEX.validate_json(index.read_bytes())
    except OSError as error:
        raise OutboundError(f"cannot be read: {error.strerror}", source=str(index)) from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"]))
        raise OutboundError(f"{field}: {first['msg']}" if field else first["msg"], source=str(index)) from None
    seen: set[str] = set()
    for position, entry in enumerate(found):
        if entry.name in seen:
            raise OutboundError(f"{position}.file: the name {entry.name!r} is there twice", source=str(index))
        if not (index.parent / entry.file).is_file():
            raise OutboundError(f"{position}.file: there is no {entry.file!r} in the folder", source=str(index))
        seen.add(entry.name)
    return found


def sample(name: str) -> Sample:
    """The sample called ``name``.

    Raises:
        OutboundError: No sample has that name, or the index is wrong.
    """
    found = samples()
    for entry in found:
        if entry.name == name:
            return entry
    raise OutboundError(f"no sample is called {name!r}", hint="There are: " + ", ".join(each.name for each in found))
