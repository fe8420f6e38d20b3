"""One call's view as plain text to read, safe to print: no byte of a file steers the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from tui.model import Block, Message, ToolResultBlock, ToolUseBlock
from tui.model.readable import about as about_call
from tui.model.readable import body_text
from tui.model.visible import visible_line, visible_lines
from tui.pipeline.acceptance import acceptance
from tui.pipeline.evaluation import ORIGINAL, OUTBOUND, Evaluation, View, block_type, tool_of, use_of
from tui.pipeline.outcomes import BlockOutcome, Outcome

_INDENT = "    "


def call_text(evaluation: Evaluation, view: View, stage: str = OUTBOUND) -> Iterator[str]:
    """The lines of a head with the call's numbers, then of every block that the view after ``stage`` holds."""
    for name, value in _head(evaluation, view, stage):
        yield f"{name:<10}{visible_line(value)}".rstrip()
    session = evaluation.session
    for message in session.system:
        yield from _blank_then(f"system prompt{_flags(message)}")
        for block in message.blocks:
            yield from _indented(body_text(block))
    after = view.up_to(stage)
    if view.start:
        yield from _blank_then(f"… {_messages(view.start)} before the compact boundary, which this call does not see")
    if dropped := after.counts.get("dropped", 0):
        yield from _blank_then(f"… {_messages(dropped)} dropped")
    for number in range(after.kept_from, after.end):
        message = session.messages[number]
        if message.role == "other":
            continue
        if not message.blocks:
            yield from _blank_then(f"{number} {message.role}{_flags(message)} · no content")
        for place, block in enumerate(message.blocks):
            yield from _block(evaluation, after, after.outcome(number, place), block, message)
    if later := len(session.messages) - view.end:
        yield from _blank_then(f"… {_messages(later)} later, which this call has not seen")


def _messages(count: int) -> str:
    return f"{count:,} {'message' if count == 1 else 'messages'}"


def _blank_then(line: str) -> Iterator[str]:
    yield ""
    yield visible_line(line)


def _head(evaluation: Evaluation, view: View, stage: str) -> Iterator[tuple[str, str]]:
    session, options = evaluation.session, evaluation.options
    yield "file", session.source
    if session.title:
        yield "title", session.title
    yield "format", session.format
    yield "strategy", evaluation.strategy
    knobs = options.knobs()
    yield "options", ", ".join(f"{knob.label} {getattr(options, knob.name):,}" for knob in knobs)
    sees = f"{view.call:,} of {len(evaluation.calls):,}, sees {_messages(view.message_count)}"
    yield "call", sees + (" (the next call)" if view.call == len(evaluation.calls) else "")
    yield "shown", f"the view after {stage}" if stage not in (ORIGINAL, OUTBOUND) else f"the {stage} view"
    for name, chars in view.estimate.items():
        verdict = "" if name == ORIGINAL else f"   {view.verdict(name)}"
        yield name, f"{chars:>12,} chars{verdict}"
    if view.uncounted:
        yield "uncounted", f"{view.uncounted:>12,} chars of thinking"
    for number, note in enumerate(session.notes):
        yield "" if number else "notes", str(note)
    yield "outbound", str(acceptance(view, evaluation.index))


def _flags(message: Message) -> str:
    names = ("meta", "summary", "error")
    return "".join(f" ({name})" for name in names if getattr(message, name))


def _block(evaluation: Evaluation, view: View, outcome: BlockOutcome, block: Block, message: Message) -> Iterator[str]:
    number, place = outcome.message, outcome.block
    about = [block_type(block)]
    use = block if isinstance(block, ToolUseBlock) else use_of(evaluation.index, number, place)
    if use:
        about += [tool_of(evaluation.index, number, place), about_call(use.input)]
    if isinstance(block, ToolResultBlock) and block.is_error:
        about.append("(error)")
    acted = [step for step in outcome.trail if step.outcome is not Outcome.KEPT]
    sizes = " > ".join(f"{chars:,}" for chars in (outcome.chars_before, *(step.chars for step in acted)))
    fate = ", ".join(f"{step.outcome} by {step.stage}" for step in acted) or str(outcome.outcome)
    who = f"{number} {message.role}{_flags(message)}"
    yield from _blank_then(" · ".join([who, " ".join(filter(None, about)), f"{sizes} chars", fate]))
    if isinstance(block, ToolResultBlock) and outcome.explanation:
        yield f"  {visible_line(outcome.explanation)}"
    text = view.content(number, place)
    yield from _indented(body_text(block) if text is None else text)


def _indented(text: str) -> Iterator[str]:
    for line in visible_lines(text) if text else []:
        yield f"{_INDENT}{line}".rstrip()
