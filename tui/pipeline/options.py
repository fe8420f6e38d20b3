"""The options of react-agent-mini v4, with their ranges (SPEC.md, section 2)."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import Field

from tui.pipeline.strategy_options import Count, StrategyOptions, ToolNames, knob

DEFAULT_TOOLS = ("Read", "Write", "Edit", "Bash", "Grep", "Glob", "mcp__*")


class CompactOptions(StrategyOptions):
    """Options of the v4 pipeline; any whole number from 0 up is valid for a count.

    Raises:
        OptionError: A value is out of its range or an option is unknown; the error names both.
    """

    STAGES: ClassVar = ("budget", "micro", "retain")
    TOOLS: ClassVar = "compactable_tools"

    threshold: Count = knob(
        80_000, "threshold", "chars", 200_000, 1_000, "micro and retain run only when the estimate is over it"
    )
    keep_recent: Count = knob(
        4, "keepRecent", "results", 24, 1, "micro leaves this many of the newest clearable results whole"
    )
    min_chars: Count = knob(500, "minChars", "chars", 8_000, 50, "micro clears only longer results")
    max_messages: Count = knob(
        40, "maxMessages", "messages", 120, 1, "retain drops the oldest messages down to this, if still over"
    )
    max_tool_result_chars: Count = knob(
        4_000, "maxToolResultChars", "chars", 20_000, 100, "budget cuts a longer tool result to this many chars"
    )
    compactable_tools: ToolNames = Field(
        default=DEFAULT_TOOLS, description="tools whose results micro may clear; a trailing * makes a prefix"
    )
    keep_counts: Literal["compactable", "all"] = Field(
        default="compactable", description="which results keepRecent counts: the clearable ones, or all"
    )

    if TYPE_CHECKING:  # tests and commands collect options by name

        def __init__(self, /, **values: Any) -> None: ...

    @property
    def line(self) -> int | None:
        """The threshold."""
        return self.threshold

    @property
    def cut(self) -> int | None:
        """The option maxToolResultChars."""
        return self.max_tool_result_chars

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None, **values: Any) -> Self:
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
