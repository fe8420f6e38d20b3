"""The threshold finder: the values at which the picture changes, for this call and for the whole session."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.coordinate import Coordinate
from textual.screen import ModalScreen
from textual.widgets import DataTable, Footer, Static

from tui.app.scene import Scene
from tui.app.widgets.table import Table
from tui.pipeline.finder import Finding, found_at, found_everywhere
from tui.pipeline.options import CompactOptions

_HERE, _SESSION = 3, 4
_WIDE = 92
_VERBS = {"budget": "cuts nothing", "micro": "clears nothing", "retain": "drops nothing"}


class FinderScreen(ModalScreen[tuple[str, int] | None]):
    """A table of values. Returns the option and the value to jump to, None when the user leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,F", "cancel", "Close", key_display="Esc"),
        Binding("enter", "jump", "Move the slider there", key_display="Enter", priority=True),
    ]

    DEFAULT_CSS = """
    FinderScreen {
        align: center middle;
        & > Vertical {
            width: 100%;
            max-width: 92;
            height: auto;
            max-height: 100%;
            border: round $primary;
            border-title-color: $text;
            background: $surface;
            padding: 1 1 0 1;
        }
        & .meaning { height: auto; min-height: 2; margin: 1 1 0 1; }
        & .hint { height: auto; color: $foreground 60%; margin: 0 1; }
    }
    """

    def __init__(self, scene: Scene) -> None:
        """Initialise the screen.

        Args:
            scene: What is shown: the call, the session and the options.
        """
        super().__init__()
        self._call = scene.call
        self._options = scene.evaluation.options
        self._here = found_at(scene.view)
        self._session = found_everywhere(scene.evaluation)
        self._knobs = {knob.name: knob for knob in CompactOptions.knobs()}

    def compose(self) -> ComposeResult:
        """The table, and what the value under the cursor means."""
        with Vertical() as box:
            box.border_title = Content("where the picture changes: the smallest values at which a stage stays idle")
            yield Table(cursor_type="cell", cell_padding=1)
            yield Static(classes="meaning", markup=False)
            yield Static(
                Content("Exact: at the value the stage does nothing, one lower it acts. Bold: above the value now."),
                classes="hint",
                markup=False,
            )
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Fills the table."""
        table = self.query_one(Table)
        for label, right in (
            ("option", False),
            ("so that", False),
            ("now", True),
            (f"call {self._call:,}", True),
            ("whole session", True),
        ):
            table.add_column(Text(label, justify="right" if right else "left"))
        for here, session in zip(self._here, self._session, strict=True):
            knob = self._knobs[here.option]
            table.add_row(
                Text(knob.label),
                Text(f"{here.stage} {_VERBS[here.stage] if self.app.size.width >= _WIDE else 'idle'}"),
                Text(f"{getattr(self._options, here.option):,}", justify="right"),
                *(self._value(finding) for finding in (here, session)),
            )
        table.move_cursor(row=0, column=_HERE)
        table.focus()

    def _value(self, finding: Finding) -> Text:
        if not self._options.runs(finding.stage):
            return Text("off", style="dim", justify="right")
        if finding.place is None:
            return Text("idle at any", style="dim", justify="right")
        now = getattr(self._options, finding.option)
        value = finding.place.value
        return Text(f"{value:,}", style="bold" if value > now else "", justify="right")

    def _finding(self, place: Coordinate) -> Finding:
        return (self._session if place.column == _SESSION else self._here)[place.row]

    @on(DataTable.CellHighlighted)
    def _highlighted(self, event: DataTable.CellHighlighted) -> None:
        finding = self._finding(event.coordinate)
        self.query_one(".meaning", Static).update(Content(self._meaning(finding, event.coordinate.column == _SESSION)))

    def _meaning(self, finding: Finding, session: bool) -> str:
        knob = self._knobs[finding.option]
        where = "at every call of the session" if session else f"at call {self._call:,}"
        if not self._options.runs(finding.stage):
            return f"{finding.stage} is switched off"
        if finding.place is None:
            return f"{finding.stage} {_VERBS[finding.stage]} {where}, whatever {knob.label} is"
        value = finding.place.value
        words = f"{knob.label} {value:,}: {finding.stage} {_VERBS[finding.stage]} {where}"
        at = f", at call {finding.place.call:,} first" if session else ""
        return f"{words}. At {value - 1:,} it acts{at}."

    @on(DataTable.CellSelected)
    def _selected(self, event: DataTable.CellSelected) -> None:
        event.stop()
        self._jump(event.coordinate)

    def _jump(self, place: Coordinate) -> None:
        finding = self._finding(place)
        if finding.place is None:
            self.notify(self._meaning(finding, place.column == _SESSION), markup=False)
        else:
            self.dismiss((finding.option, finding.place.value))

    def action_cancel(self) -> None:
        """Leaves."""
        self.dismiss(None)

    def action_jump(self) -> None:
        """Returns the value under the cursor; of the columns before the values, the one of this call."""
        self._jump(self.query_one(Table).cursor_coordinate)
