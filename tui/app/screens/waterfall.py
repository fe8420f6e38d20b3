"""The waterfall: what each stage saved at one call, and from which tools, as bars."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, Static

from tui.app.drawing import LOOK
from tui.app.glyphs import glyphs, wants_ascii
from tui.app.scene import Scene
from tui.app.wrap import cells, fit
from tui.model.visible import visible_line
from tui.pipeline.evaluation import ORIGINAL, OUTBOUND
from tui.pipeline.savings import Part, StageSavings, savings, tokens

_MOST_PARTS = 4
_TALL = 34
"""Rows of the screen from which on the large bars are two rows high."""

_WIDE = 90
"""Cells of the picture from which on numbers stand with their units."""

Piece = tuple[str, str]
Amount = Callable[[int], str]


class WaterfallScreen(ModalScreen[None]):
    """Bars from the original down to the outbound view, in chars and about as many tokens."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,W", "dismiss", "Close", key_display="Esc"),
        Binding("y", "copy", "Copy as text"),
        Binding("j", "scroll(1)", show=False),
        Binding("k", "scroll(-1)", show=False),
    ]

    DEFAULT_CSS = """
    WaterfallScreen {
        align: center middle;
        & > Vertical {
            width: 100%;
            max-width: 140;
            height: auto;
            max-height: 100%;
            border: round $primary;
            border-title-color: $text;
            border-subtitle-color: $text;
            background: $surface;
            padding: 0 1;
        }
        & VerticalScroll { height: auto; max-height: 100%; scrollbar-size-vertical: 1; }
        & Static { height: auto; }
    }
    """

    def __init__(self, scene: Scene) -> None:
        """Initialise the screen.

        Args:
            scene: What is shown: the call whose savings are drawn.
        """
        super().__init__()
        self._view = scene.view
        self._savings = savings(scene.evaluation.index, scene.view)
        self._glyphs = glyphs(wants_ascii())

    def compose(self) -> ComposeResult:
        """The bars in a box."""
        with Vertical() as box:
            box.border_title = Content(f"call {self._view.call:,}: what each stage saved")
            box.border_subtitle = Content("chars, and ~tokens of 4 chars each")
            with VerticalScroll():
                yield Static(markup=False)
        yield Footer(compact=True)

    def on_resize(self) -> None:
        """Draws for the new size."""
        width = max(30, min(self.size.width, 140) - 5)
        self.query_one(Static).update(self._picture(width, self.size.height))

    @property
    def _estimates(self) -> list[int]:
        return [self._view.estimate[ORIGINAL], *(stage.after for stage in self._savings)]

    def _picture(self, width: int, height: int) -> Content:
        top = max(1, *self._estimates)
        wide, tall = width >= _WIDE, height >= _TALL
        label = 24 if wide else 17 if width >= 60 else 12
        amount = _amount if wide else _short
        numbers = max(cells(amount(-size, sign=True)) for size in self._estimates)
        bar = max(10, width - label - numbers - 1)
        rows: list[list[Piece]] = []
        thick = 2 if tall else 1

        def place(size: int) -> int:
            return round(size * bar / top)

        def whole(name: str, size: int, saved_from: int, style: str) -> None:
            """A large bar up to ``size``; hatched from there up to ``saved_from``."""
            filled = place(size) or int(size > 0)
            hatched = max(0, place(saved_from) - filled)
            for row in range(thick):
                head = f"{name:<{label}}" if not row else " " * label
                tail = f" {amount(size):>{numbers}}" if not row else ""
                rows.append(
                    [
                        (head, "bold"),
                        (self._glyphs.full * filled, "$foreground 85%"),
                        (self._glyphs.hatch * hatched, style),
                        (" " * max(0, bar - filled - hatched), ""),
                        (tail, "bold"),
                    ]
                )

        def said(words: str, style: str) -> list[Piece]:
            """A row of words, below the bars where there is room."""
            indent = label if cells(words) <= width - label else 2
            return [(" " * indent, ""), (fit(words, width - indent), style)]

        whole("  original", self._estimates[0], 0, "")
        for number, (stage, step) in enumerate(zip(self._savings, self._view.stages, strict=True), 1):
            colour = f"${LOOK[step.effect]}"
            if tall:
                rows.append([])
            whole(f"{number} {stage.stage}", stage.after, stage.before, colour)
            rows.append(said(self._words(stage, amount), colour if stage.saved else "dim"))
            right = stage.before
            for part in stage.largest(_MOST_PARTS):
                left = right - part.saved
                low, high = sorted((place(left), place(right)))
                if high == low and part.saved:  # never invisible
                    low, high = (low, low + 1) if low < bar else (low - 1, low)
                right = left
                rows.append(
                    [
                        (f"  {fit(_name(part), label - 3):<{label - 2}}", ""),
                        (" " * low, ""),
                        (self._glyphs.full * (high - low), colour),
                        (" " * (bar - high), ""),
                        (f" {amount(-part.saved, sign=True):>{numbers}}", ""),
                    ]
                )
        if tall:
            rows.append([])
        whole("  outbound", self._estimates[-1], 0, "")
        rows.append(said(self._summary(amount), "bold"))
        lines = [Content.assemble(*row) for row in rows]
        return Content("\n").join(lines)

    def _words(self, stage: StageSavings, amount: Amount) -> str:
        verdict = self._view.verdict(stage.stage)
        if stage.saved > 0:
            return f"saved {amount(stage.saved)}   {verdict}"
        if stage.saved < 0:
            return f"added {amount(-stage.saved)}   {verdict}"
        return verdict

    def _summary(self, amount: Amount) -> str:
        before, after = self._estimates[0], self._estimates[-1]
        if after == before:
            return "nothing was saved: as many chars are sent as the conversation has"
        if after > before:
            return f"nothing was saved: the outbound view is larger by {amount(after - before)}"
        return f"saved {amount(before - after)}, {(before - after) / before:.1%} of the original"

    def action_scroll(self, by: int) -> None:
        """Scrolls by a row."""
        self.query_one(VerticalScroll).scroll_relative(y=by, animate=False)

    def action_copy(self) -> None:
        """Copies the numbers."""
        lines = [f"call {self._view.call}: {ORIGINAL} {_amount(self._estimates[0])}"]
        for stage in self._savings:
            lines.append(f"{stage.stage} {_amount(stage.after)} ({self._words(stage, _amount)})")
            lines += [f"  {_name(part)} {_amount(-part.saved, sign=True)}" for part in stage.parts]
        lines.append(f"{OUTBOUND} {_amount(self._estimates[-1])} ({self._summary(_amount)})")
        self.app.copy_to_clipboard("\n".join(lines) + "\n")
        self.notify(f"copied {len(lines):,} lines", markup=False)


def _amount(chars: int, sign: bool = False) -> str:
    spec = "+," if sign else ","
    return f"{chars:{spec}} chars ~{tokens(abs(chars)):,} tokens"


def _short(chars: int, sign: bool = False) -> str:
    return _amount(chars, sign).replace(" chars", "").replace(" tokens", "")


def _name(part: Part) -> str:
    match part.kind:
        case "tool":
            return visible_line(part.name) or "(no name)"
        case "no-tool":
            return "no call"
        case "text":
            return f"{part.name} text"
        case _:
            return f"{part.parts:,} others"
