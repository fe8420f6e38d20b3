"""Compares two ways to compact a session, at one call after the other."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, Static

from tui.app.layout import Page
from tui.app.widgets.compare_panes import ComparedScene, ComparePanes
from tui.app.widgets.gauge import Gauge
from tui.app.widgets.timeline import TimelineBar, folded
from tui.pipeline.compare import Comparison
from tui.pipeline.evaluation import OUTBOUND, Evaluation


class CompareScreen(Screen[int]):
    """Both outbound views side by side, both gauges, both timelines.

    Returns the call that was shown last.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,c", "close", "Close", key_display="Esc"),
        Binding("left_square_bracket", "step(-1)", "Call", key_display="["),
        Binding("right_square_bracket", "step(1)", "Call", key_display="]"),
        Binding("n", "difference(1)", "Difference"),
        Binding("p,N", "difference(-1)", "Previous", key_display="p"),
        Binding("right_curly_bracket", "differing_call(1)", "Differing call", key_display="}"),
        Binding("left_curly_bracket", "differing_call(-1)", show=False),
        Binding("s", "swap", "Swap"),
        Binding("z", "fold_gap", "Fold gap"),
    ]
    """
    | Key(s) | Description |
    | :- | :- |
    | [,] | The call before, after. |
    | {,} | The call before, after at which the two differ in size. |
    | n,p | The next, previous block that is sent differently. |
    | s | Swaps the sides. |
    | z | Folds or unfolds what was dropped. |
    | escape,q,c | Back to the session. |
    """

    DEFAULT_CSS = """
    CompareScreen {
        layout: vertical;
        & #summary { height: auto; max-height: 3; padding: 0 1; }
        & TimelineBar { height: 3; }
    }
    """

    VERTICAL_BREAKPOINTS = [(0, "-short"), (32, "-tall")]  # noqa: RUF012 (Textual declares it per instance)

    def __init__(self, page: Page, one: Evaluation, other: Evaluation, call: int, entry: int) -> None:
        """Initialise the screen.

        Args:
            page: The session's entries.
            one: What the left side shows.
            other: What the right side shows, of the same session.
            call: The call to begin at.
            entry: The page's entry to begin at.
        """
        super().__init__()
        self._page = page
        self._comparison = Comparison(one, other)
        self._call = call
        self._entry = entry

    def compose(self) -> ComposeResult:
        """What they do in words, gauges, panes, timelines, keys."""
        yield Static(id="summary", markup=False)
        yield Gauge(id="gauge-one", label="A")
        yield Gauge(id="gauge-other", label="B")
        yield ComparePanes(id="panes")
        yield TimelineBar(id="timeline-one")
        yield TimelineBar(id="timeline-other")
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        """Draws both views."""
        self._show(first=True)
        self.query_one("#one").focus()

    @property
    def scenes(self) -> tuple[ComparedScene, ComparedScene]:
        """What both sides show."""
        one, other = self._comparison.one, self._comparison.other
        return (
            ComparedScene(one, self._call, OUTBOUND, other.at(self._call)),
            ComparedScene(other, self._call, OUTBOUND, one.at(self._call)),
        )

    def _show(self, first: bool = False) -> None:
        left, right = self.scenes
        panes = self.query_one(ComparePanes)
        panes.other = right
        if first:
            panes.open(self._page, left, self._entry)
        panes.scene = left
        for name, scene in (("one", left), ("other", right)):
            self.query_one(f"#gauge-{name}", Gauge).scene = scene
            bar = self.query_one(f"#timeline-{name}", TimelineBar)
            bar.call, bar.threshold = self._call, scene.evaluation.options.line
        self.query_one("#summary", Static).update(self._summary(left, right))

    def _summary(self, left: ComparedScene, right: ComparedScene) -> Content:
        calls = len(self._comparison.one.calls)
        count = len(left.differing)
        by = right.estimate - left.estimate
        if not count:
            words = "both send the same"
        else:
            blocks = f"{count:,} {'block is' if count == 1 else 'blocks are'} sent differently"
            words = f"{blocks}, B sends {abs(by):,} chars {'more' if by > 0 else 'less'}" if by else blocks
        over = len(self._comparison.differing_calls)
        idle = [
            f"{letter} ({scene.title}) changes nothing at this call"
            for letter, scene in (("A", left), ("B", right))
            if not any(scene.view.counts.values())
        ]
        return Content.assemble(
            ("compare  ", "bold $text-primary"),
            (f"call {self._call:,} of {calls:,}  ", "bold"),
            (words, "bold"),
            (f"; they differ in size at {over:,} of {calls:,} calls", "$foreground 75%"),
            *(f"\n{line}" for line in idle[:2]),
        )

    @on(TimelineBar.Resized)
    def _timeline_resized(self, event: TimelineBar.Resized) -> None:
        name = "one" if event.bar.id == "timeline-one" else "other"
        evaluation = self._comparison.one if name == "one" else self._comparison.other
        event.bar.columns = folded(evaluation, event.bar.room)

    @on(TimelineBar.Chosen)
    def _call_chosen(self, event: TimelineBar.Chosen) -> None:
        self._go_to_call(event.call)

    def _go_to_call(self, call: int) -> None:
        self._call = min(max(call, 1), self._comparison.one.calls[-1])
        self._show()

    def action_step(self, by: int) -> None:
        """Goes to the call beside."""
        self._go_to_call(self._call + by)

    def action_differing_call(self, step: int) -> None:
        """Goes to the next or previous call at which the two differ in size."""
        calls = self._comparison.differing_calls
        place = int(calls.searchsorted(self._call, side="right" if step > 0 else "left")) - (step < 0)
        if 0 <= place < len(calls):
            self._go_to_call(int(calls[place]))
        else:
            self.notify(f"no {'further' if step > 0 else 'earlier'} call at which they differ in size", markup=False)

    def action_difference(self, step: int) -> None:
        """Goes to the next or previous block that is sent differently."""
        panes = self.query_one(ComparePanes)
        index = self._comparison.one.index
        place = panes.place
        here = -1 if place is None and step > 0 else len(index.block_chars)
        if place is not None:
            here = index.block_number(*place)
        found = self._comparison.next_difference(self._call, here, step)
        if found is None:
            self.notify(f"no {'further' if step > 0 else 'earlier'} block is sent differently", markup=False)
        else:
            panes.go_to(*index.locate(found))

    def action_swap(self) -> None:
        """Swaps the sides."""
        self._comparison = Comparison(self._comparison.other, self._comparison.one)
        for bar, evaluation in (("one", self._comparison.one), ("other", self._comparison.other)):
            line = self.query_one(f"#timeline-{bar}", TimelineBar)
            line.columns = folded(evaluation, line.room)
        self._show()

    def action_fold_gap(self) -> None:
        """Folds or unfolds what side A drops."""
        panes = self.query_one(ComparePanes)
        panes.gap_folded = not panes.gap_folded

    def action_close(self) -> None:
        """Goes back to the session, at the call that is shown."""
        self.dismiss(self._call)
