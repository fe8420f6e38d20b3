"""A strategy run on its own output: what it would change once more."""

from __future__ import annotations

from dataclasses import dataclass

from tui.formats import session_from_messages
from tui.pipeline.evaluation import Evaluation, View, text_of
from tui.strategies.registry import evaluate


@dataclass(frozen=True, slots=True)
class Again:
    """What a second run does to what the first one sent.

    Attributes:
        estimates: Size in chars before any run, after the first and after the second.
        changed: The results that get another text, as message and block of the session.
        dropped: How many messages go.
    """

    estimates: tuple[int, int, int]
    changed: tuple[tuple[int, int], ...]
    dropped: int

    @property
    def is_idempotent(self) -> bool:
        """Whether the second run changes nothing."""
        return not self.changed and not self.dropped


def run_again(evaluation: Evaluation, view: View) -> Again:
    """Runs the strategy of ``evaluation`` on what ``view`` sends, with the same options.

    The output is a list of messages, and has no timestamps: a strategy that goes by the time finds none.
    """
    messages = view.session.messages
    numbers = [number for number in range(view.kept_from, view.end) if messages[number].role != "other"]
    session = session_from_messages(view.messages())
    second = evaluate(session, evaluation.strategy, evaluation.options).at()
    before = {place: text_of(session.messages[place[0]].blocks[place[1]]) for place in second.changed_contents()}
    # What now stands first and is a system prompt is no message of the second run.
    numbers = numbers[len(session.system) :]
    sizes = list(view.estimate.values())
    return Again(
        estimates=(sizes[0], sizes[-1], list(second.estimate.values())[-1]),
        # A stage may give back the text that an earlier one took away.
        changed=tuple(
            (numbers[message], block)
            for (message, block), text in second.changed_contents().items()
            if text != before[message, block]
        ),
        dropped=second.kept_from,
    )
