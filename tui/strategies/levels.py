"""The five levels at which Claude Code shortens a conversation, at one call (SPEC.md, section 3).

L1 and L3 are simulated, by the strategies of their names. L2 and L4 are named only: their rules are not public. Of L5
the trigger is known, and which messages a summary would replace; the summary is a model's and is not invented here.
"""

from __future__ import annotations

from dataclasses import dataclass

from tui.model import Session
from tui.pipeline.evaluation import View
from tui.strategies import claude_code, claude_code_l1
from tui.strategies.registry import evaluate

WINDOW_TOKENS = 200_000
OUTPUT_TOKENS = 32_000
"""What the answer may take; at most 20,000 of it are set aside."""

_MOST_OUTPUT_TOKENS = 20_000
_BUFFER_TOKENS = 13_000


@dataclass(frozen=True, slots=True)
class Level:
    """One level at one call.

    Attributes:
        number: 1 to 5.
        title: Its name.
        rule: What it does, in a sentence.
        simulated: Whether the words say what it does here; otherwise it is only named.
        words: What it would do at the call.
        acts: Whether it would do anything.
        strategy: The strategy that shows it; empty for none.
        stage: That strategy's stage.
    """

    number: int
    title: str
    rule: str
    simulated: bool
    words: str
    acts: bool = False
    strategy: str = ""
    stage: str = ""


def auto_compact_at(window: int = WINDOW_TOKENS, output: int = OUTPUT_TOKENS) -> int:
    """The tokens from which on L5 would summarise: the window, less the answer's share and a buffer."""
    return window - min(output, _MOST_OUTPUT_TOKENS) - _BUFFER_TOKENS


def levels(session: Session, call: int, across: bool = False) -> tuple[Level, ...]:
    """All five at one call, each by itself with its defaults, whatever the others do."""
    offload = evaluate(session, claude_code_l1.NAME, across_boundaries=across).at(call)
    micro = evaluate(session, claude_code.NAME, across_boundaries=across).at(call)
    acting = [stage for stage in micro.stages if int(stage.count[0])]
    shown = acting[0] if acting else micro.stages[-1]
    verdicts = "; ".join(f"{stage.name}: {stage.verdict(0)}" for stage in micro.stages)
    return (
        Level(
            1,
            "tool result budget",
            "Big results go to a file; a preview is left.",
            True,
            offload.verdict(offload.stages[0].name),
            bool(int(offload.stages[0].count[0])),
            claude_code_l1.NAME,
            offload.stages[0].name,
        ),
        Level(2, "snip", "Takes old messages out of the history.", False, "named only: its rule is not public"),
        Level(
            3,
            "microcompact",
            "Clears old results: after a pause in the text, else in the provider's cache.",
            True,
            verdicts,
            bool(acting),
            claude_code.NAME,
            shown.name,
        ),
        Level(4, "context collapse", "Folds stretches of work.", False, "named only: its rule is not public"),
        _auto_compact(micro),
    )


def _auto_compact(view: View) -> Level:
    limit = auto_compact_at()
    tokens = round(view.estimate["original"] / 4)
    spare = limit - tokens
    if spare > 0:
        words = f"~{tokens:,} tokens: ~{spare:,} to spare below {limit:,}"
    else:
        words = f"~{tokens:,} tokens, over {limit:,}: a summary would replace {_range(view)}"
    return Level(5, "auto compact", "A model summarises the conversation.", True, words, acts=spare <= 0)


def _range(view: View) -> str:
    return f"messages {view.start:,} to {view.end - 1:,}"
