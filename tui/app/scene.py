"""What is shown: one evaluation, at one call, after one stage. Frozen; every widget draws from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tui.pipeline.evaluation import ORIGINAL, OUTBOUND, Evaluation, View
from tui.pipeline.events import what_changed
from tui.pipeline.outcomes import BlockOutcome, Outcome, StageOutcome


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of a block by the stage that is shown.

    Attributes:
        outcome: The last thing that happened to it.
        stage: Number and name of the stage that did it, such as ``2 micro``; empty for a kept block.
        bright: Whether the stage that is shown did it; what earlier stages did is drawn quieter.
        sizes: Its size in chars before any stage and after each that acted on it.
        reason: Why it was left alone, in a word; empty where it was not.
    """

    outcome: Outcome
    stage: str
    bright: bool
    sizes: tuple[int, ...]
    reason: str


@dataclass(frozen=True, eq=False)
class Scene:
    """One picture.

    Attributes:
        evaluation: The evaluation it is drawn from.
        call: The call's number.
        stage: ``original``, a stage's name or ``outbound``.
    """

    evaluation: Evaluation
    call: int
    stage: str

    @cached_property
    def view(self) -> View:
        """The call's view."""
        return self.evaluation.at(self.call)

    @cached_property
    def before(self) -> View | None:
        """The view of the call before; None for the first."""
        return self.evaluation.at(self.call - 1) if self.call > 1 else None

    def is_news(self, message: int, block: int) -> bool:
        """Whether a block fares differently than at the call before, or is new and was not left alone."""
        outcome = self.outcome(message, block)
        before = self.before
        if before is None or not before.start <= message < before.end:
            return outcome.outcome is not Outcome.KEPT
        previous = before.outcome(message, block)
        return (previous.outcome, previous.chars_after) != (outcome.outcome, outcome.chars_after)

    @cached_property
    def summary(self) -> str:
        """One line on what is different from the call before."""
        return what_changed(self.view, self.before, self.evaluation.options.line)

    @property
    def stage_names(self) -> tuple[str, ...]:
        """All that a tab can show, in order."""
        return (ORIGINAL, *self.evaluation.stages, OUTBOUND)

    @cached_property
    def _outcomes(self) -> dict[tuple[int, int], BlockOutcome]:
        return {}

    def outcome(self, message: int, block: int) -> BlockOutcome:
        """The whole fate of a block that the call sees."""
        key = (message, block)
        if key not in self._outcomes:
            self._outcomes[key] = self.view.outcome(message, block)
        return self._outcomes[key]

    def sees(self, message: int) -> bool:
        """Whether the call sees a message at all."""
        return self.view.start <= message < self.view.end and self.view.session.messages[message].role != "other"

    def trail(self, message: int, block: int) -> tuple[StageOutcome, ...]:
        """The block's trail up to the stage that is shown."""
        if self.stage == ORIGINAL:
            return ()
        trail = self.outcome(message, block).trail
        if self.stage == OUTBOUND:
            return trail
        return trail[: self.evaluation.stages.index(self.stage) + 1]

    def fate(self, message: int, block: int) -> Fate:
        """What became of a block that the call sees, by the stage that is shown."""
        outcome = self.outcome(message, block)
        sizes = [outcome.chars_before]
        last: StageOutcome | None = None
        trail = self.trail(message, block)
        for step in trail:
            if step.outcome is not Outcome.KEPT:
                last = step
                sizes.append(step.chars)
        if last is None:
            reason = outcome.reason if self.stage == OUTBOUND else trail[-1].reason if trail else None
            return Fate(Outcome.KEPT, "", True, tuple(sizes), reason or "")
        number = self.evaluation.stages.index(last.stage) + 1
        bright = self.stage in (OUTBOUND, last.stage)
        return Fate(last.outcome, f"{number} {last.stage}", bright, tuple(sizes), "")

    @cached_property
    def kept_from(self) -> int:
        """First message of the view after the stage that is shown."""
        return self.view.kept_from_after(self.stage)

    @property
    def estimate(self) -> int:
        """Size of the view after the stage that is shown, in chars."""
        return self.view.estimate[self.evaluation.stages[-1] if self.stage == OUTBOUND else self.stage]
