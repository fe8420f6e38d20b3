"""The inspector: all of one block, before and after, its trail through the stages and the reason."""

from __future__ import annotations

from typing import ClassVar

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, Static

from tui.app.content import body_text, is_prose, lines, target
from tui.app.drawing import role_label
from tui.app.glyphs import glyphs, wants_ascii
from tui.app.layout import Kind, Page
from tui.app.scene import Scene
from tui.app.widgets.text_view import TextView
from tui.model import ToolResultBlock, ToolUseBlock
from tui.model.chars import head, units
from tui.model.visible import visible_line
from tui.pipeline.evaluation import block_type, use_of
from tui.pipeline.outcomes import Outcome
from tui.pipeline.placeholder import TRUNCATION_NOTE
from tui.pipeline.stage import within

Paragraphs = list[tuple[str, str]]


class Inspector(ModalScreen[int | None]):
    """Everything about one block. Returns 1 or -1 when the user asks for the next or previous block."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,i", "close", "Close", key_display="Esc"),
        Binding("n", "go(1)", "Next changed"),
        Binding("p", "go(-1)", "Previous changed"),
        Binding("y", "copy", "Copy as sent"),
        Binding("Y", "copy_original", "Copy original"),
        Binding("tab", "app.focus_next", "Other side"),
    ]

    DEFAULT_CSS = """
    Inspector {
        & > Vertical { background: $surface; height: 1fr; padding: 0 1; }
        & .title { height: auto; text-style: bold; padding: 1 1 0 1; }
        & .trail { height: auto; padding: 1; }
        & Horizontal { height: 1fr; }
        & TextView { width: 1fr; height: 1fr; background: $surface; }
    }
    """

    def __init__(self, page: Page, scene: Scene, entry: int) -> None:
        super().__init__()
        self._page = page
        self._scene = scene
        self._entry = entry
        kind, self._message, self._block = page.entry(entry)
        self._seen = kind is Kind.BLOCK and scene.sees(self._message)

    def compose(self) -> ComposeResult:
        """Title, trail, and the text on both sides."""
        source = self._page.source(self._entry)
        text = body_text(source) if source is not None else ""
        prose = source is not None and is_prose(source)
        left, right = self._sides(text)
        outcome = self._scene.outcome(self._message, self._block) if self._seen else None
        before = f"{outcome.chars_before:,} chars counted" if outcome else "not part of this call"
        after = f"{outcome.chars_after:,} chars counted" if outcome else ""
        with Vertical():
            yield Static(Content(self._title()), classes="title", markup=False)
            yield Static(self._trail(), classes="trail", markup=False)
            with Horizontal():
                yield TextView(f"conversation: {before}", left, prose, id="before")
                yield TextView(f"outbound: {after}" if after else "outbound", right, prose, id="after")
        yield Footer()

    def _title(self) -> str:
        kind, place, number = self._page.entry(self._entry)
        session = self._page.session
        if kind is not Kind.BLOCK:
            return "system prompt: shown to the model before the conversation, not counted, never dropped"
        message = session.messages[place]
        block = message.blocks[number]
        use = use_of(self._scene.evaluation.index, place, number)
        about = ""
        if use is not None:
            about = f" of {visible_line(use.name)} {target(use.input)}"
        elif isinstance(block, ToolUseBlock):
            about = f" {visible_line(block.name)} {target(block.input)}"
        where = f"  ({_source(message.source_lines)})" if message.source_lines else ""
        return f"message {place}, block {number}: {role_label(message)} {visible_line(block_type(block))}{about}{where}"

    def _trail(self) -> Table | Text:
        if not self._seen:
            return Text(self._unseen_reason())
        outcome = self._scene.outcome(self._message, self._block)
        table = Table.grid(padding=(0, 2))
        table.add_column(no_wrap=True)
        table.add_column(justify="right", no_wrap=True)
        table.add_column(no_wrap=True)
        table.add_column(ratio=1)
        table.add_row(Text("0 original"), Text(f"{outcome.chars_before:,}"), Text(""), Text(""))
        for number, step in enumerate(outcome.trail, 1):
            acted = step.outcome is not Outcome.KEPT
            word = step.outcome.value + (f" ({step.reason.value})" if step.reason else "")
            style = "bold" if acted else ""
            table.add_row(
                Text(f"{number} {step.stage}", style=style),
                Text(f"{step.chars:,}", style=style),
                Text(word, style=style),
                Text(step.explanation, style=style),
            )
        return table

    def _unseen_reason(self) -> str:
        kind, place, _ = self._page.entry(self._entry)
        if kind is not Kind.BLOCK:
            return ""
        view = self._scene.view
        if place >= view.end:
            return f"call {view.call} does not see this message: it comes later"
        if place < view.start:
            return "it stands before the newest compact boundary: the agent no longer sent it"
        return "it is no part of the conversation with the model"

    def _sides(self, text: str) -> tuple[Paragraphs, Paragraphs]:
        if not self._seen:
            return [(line, "body") for line in lines(text)], []
        scene, message, block = self._scene, self._message, self._block
        trail = scene.outcome(message, block).trail
        outcomes = [step.outcome for step in trail]
        if Outcome.DROPPED in outcomes:
            return _all(text, "lost"), [("dropped with its message: nothing of it is sent", "lost")]
        if set(outcomes) - {Outcome.KEPT, Outcome.TRUNCATED}:
            return _all(text, "lost"), _all(scene.view.content(message, block) or "", "placeholder")
        if Outcome.TRUNCATED in outcomes:
            kept = head(text, within(scene.evaluation.options.cut or 0))
            lost = text[len(kept) :]
            dash = glyphs(wants_ascii()).dash * 3
            cut = (f"{dash} cut at {units(kept):,}, {units(lost):,} lost {dash}", "cut")
            right = [*_all(kept, "body"), *_all(TRUNCATION_NOTE.strip(), "note")]
            return [*_all(kept, "body"), cut, *_all(lost, "lost")], right
        return _all(text, "body"), _all(text, "body")

    def action_close(self) -> None:
        """Leaves."""
        self.dismiss(None)

    def action_go(self, by: int) -> None:
        """Asks for another block."""
        self.dismiss(by)

    def action_copy(self) -> None:
        """Copies the text as it is sent."""
        source = self._page.source(self._entry)
        content = None
        if self._seen and isinstance(source, ToolResultBlock):
            content = self._scene.view.content(self._message, self._block)
        self._to_clipboard(content if content is not None else body_text(source) if source else "")

    def action_copy_original(self) -> None:
        """Copies the text as it stands in the conversation."""
        source = self._page.source(self._entry)
        self._to_clipboard(body_text(source) if source else "")

    def _to_clipboard(self, text: str) -> None:
        self.app.copy_to_clipboard(text)
        self.notify(f"copied {units(text):,} chars", markup=False)


def _all(text: str, style: str) -> Paragraphs:
    return [(line, style) for line in lines(text)]


def _source(numbers: tuple[int, ...]) -> str:
    if len(numbers) == 1:
        return f"record {numbers[0]:,} of the file"
    return f"records {numbers[0]:,} to {numbers[-1]:,} of the file"
