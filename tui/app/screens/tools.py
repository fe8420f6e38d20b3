"""The tool table: what each tool of the session takes, and switches for which of them micro may clear."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import DataTable, Footer, Static

from tui.app.glyphs import glyphs, wants_ascii
from tui.app.scene import Scene
from tui.app.widgets.table import Table
from tui.app.wrap import fit
from tui.model.visible import visible_line
from tui.pipeline.options import DEFAULT_TOOLS
from tui.pipeline.tools import ToolRow, read_or_run_tools, toggled, tool_table
from tui.strategies import evaluate

_COLUMNS = ("tool", "calls", "results", "session", "sent now", "share", "clearable")
_ORDERS: tuple[tuple[str, Callable[[ToolRow], tuple[object, ...]]], ...] = (
    ("tool", lambda row: (row.name is None, (row.name or "").casefold())),
    ("calls", lambda row: (-row.calls,)),
    ("results", lambda row: (-row.results,)),
    ("session", lambda row: (-row.chars,)),
    ("sent now", lambda row: (-row.sent,)),
    ("share", lambda row: (-row.share,)),
    ("clearable", lambda row: (row.cleared_by is None, -row.share)),
)
_SHARE = _COLUMNS.index("share")
_LEAST_NAME, _MOST_NAME = 10, 40
_BAR = 10
_WIDE = 100


class ToolsScreen(ModalScreen[None]):
    """Every tool of the session. A switch changes the options at once; the picture behind follows."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,T", "dismiss", "Close", key_display="Esc"),
        Binding("space", "switch", "On or off"),
        Binding("a", "adopt", "All that only read or run"),
        Binding("d", "default", "Default set"),
        Binding("s", "sort", "Sort"),
    ]

    DEFAULT_CSS = """
    ToolsScreen {
        align: center bottom;
        background: $background 20%;
        & > Vertical {
            width: 100%;
            max-width: 120;
            height: auto;
            max-height: 70%;
            border: round $primary;
            border-title-color: $text;
            border-subtitle-color: $text;
            background: $surface;
            padding: 0 1;
        }
        & .empty { padding: 1; height: auto; }
    }
    """

    def __init__(self, scene: Scene, on_change: Callable[[tuple[str, ...]], None]) -> None:
        """Initialise the screen.

        Args:
            scene: What is shown: the session, the options and the call whose outbound view is measured.
            on_change: Called with the new ``compactable_tools`` each time they change.
        """
        super().__init__()
        self._evaluation = scene.evaluation
        self._call = scene.call
        self._on_change = on_change
        self._sorted_by = _SHARE
        self._rows: list[ToolRow] = []
        self._glyphs = glyphs(wants_ascii())

    def compose(self) -> ComposeResult:
        """The table in a box at the bottom, so that gauges and panes stay in sight."""
        self._rows = self._measured()
        with Vertical() as box:
            box.border_title = Content("tools of the session: which may micro clear?")
            if self._rows:
                yield Table(cursor_type="row", cell_padding=1)
            else:
                yield Static(Content("no tools in this session"), classes="empty", markup=False)
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Fills the table."""
        self._show_options()
        if self._rows:
            self.query_one(Table).focus()

    def on_resize(self) -> None:
        """Lays the columns out for the new width."""
        if self._rows:
            self._fill()

    @property
    def compactable_tools(self) -> tuple[str, ...]:
        """The option as the screen has set it."""
        return self._evaluation.options.tools or ()

    @property
    def rows(self) -> tuple[ToolRow, ...]:
        """The rows, in the order in which they are shown."""
        return tuple(self._rows)

    def _measured(self) -> list[ToolRow]:
        evaluation = self._evaluation
        return list(tool_table(evaluation.index, evaluation.at(self._call), self.compactable_tools))

    def _fill(self) -> None:
        """Draws all columns and rows anew; the cursor stays on its row."""
        table = self.query_one(Table)
        cursor = table.cursor_row
        table.clear(columns=True)
        cells = [self._cells(row) for row in self._rows]
        arrow = "v" if wants_ascii() else "▾"
        labels = [name + (f" {arrow}" if place == self._sorted_by else "") for place, name in enumerate(_COLUMNS)]
        numbers = [Text(label, justify="right" if 0 < place < _SHARE else "left") for place, label in enumerate(labels)]
        widths = [max(text.cell_len for text in column) for column in zip(numbers, *cells, strict=True)]
        spare = self._room - sum(widths[1:]) - 2 * len(widths)
        # Room for the longest entry that a switch could bring into the last column.
        widths[-1] = max(
            widths[-1], min(19 if self.size.width >= _WIDE else 12, widths[-1] + max(0, spare - _LEAST_NAME))
        )
        spare = self._room - sum(widths[1:]) - 2 * len(widths)
        widths[0] = min(widths[0], max(_LEAST_NAME, spare))
        for name, label, width in zip(_COLUMNS, numbers, widths, strict=True):
            table.add_column(label, key=name, width=width)
        for number, row in enumerate(cells):
            row[0].truncate(widths[0], overflow="ellipsis")
            table.add_row(*row, key=str(number))
        table.move_cursor(row=cursor)

    @property
    def _room(self) -> int:
        return min(self.size.width, 120) - 5

    def _cells(self, row: ToolRow) -> list[Text]:
        name = "no call" if row.name is None else visible_line(row.name) or "(no name)"
        style = "italic" if not row.name else ""
        return [
            Text(fit(name, _MOST_NAME), style=style, no_wrap=True),
            *(Text(f"{value:,}", justify="right") for value in (row.calls, row.results, row.chars, row.sent)),
            self._share(row),
            self._clearable(row),
        ]

    def _share(self, row: ToolRow) -> Text:
        percent = f"{row.share:6.1%}"
        if self.size.width < _WIDE:
            return Text(percent)
        filled = min(_BAR, round(row.share * _BAR) or int(row.sent > 0))
        return Text(f"{self._glyphs.full * filled:<{_BAR}} {percent}")

    def _clearable(self, row: ToolRow) -> Text:
        if row.name is None:
            return Text("never", style="dim")
        if row.cleared_by is None:
            return Text("[ ] no", style="dim")
        if row.cleared_by == row.name:
            return Text("[x] yes", style="bold")
        by = "" if self.size.width < _WIDE else "by "
        return Text(f"[x] {by}{fit(visible_line(row.cleared_by), 12)}", style="bold")

    def _show_options(self) -> None:
        if self._rows:
            able = sum(row.cleared_by is not None for row in self._rows)
            named = sum(row.name is not None for row in self._rows)
            self.query_one(Vertical).border_subtitle = Content(
                f"call {self._call:,}: {able:,} of {named:,} {'tool' if named == 1 else 'tools'} clearable"
            )

    def _change(self, tools: tuple[str, ...]) -> None:
        """Sets the option, measures again, and draws the cells that differ; no row moves under the user's hand."""
        if tools == self.compactable_tools:
            return
        old = self._evaluation
        options = old.options.changed(compactable_tools=tools)
        self._evaluation = evaluate(
            old.session, old.strategy, options, across_boundaries=old.across, offload=old.offload
        )
        measured = {row.name: row for row in self._measured()}
        self._rows = [measured[row.name] for row in self._rows]
        self._fill()
        self._show_options()
        self._on_change(tools)

    def _names(self) -> list[str]:
        return [row.name for row in self._rows if row.name is not None]

    @on(DataTable.RowSelected)
    def _row_selected(self, event: DataTable.RowSelected) -> None:
        event.stop()
        self.action_switch()

    @on(DataTable.HeaderSelected)
    def _header_selected(self, event: DataTable.HeaderSelected) -> None:
        event.stop()
        self._sort(event.column_index)

    def action_switch(self) -> None:
        """Makes the tool under the cursor clearable, or not."""
        if not self._rows:
            return
        row = self._rows[self.query_one(Table).cursor_row]
        if row.name is None:
            self.notify("results without a call are never cleared", markup=False)
            return
        self._change(toggled(self.compactable_tools, row.name, row.cleared_by is None, self._names()))

    def action_adopt(self) -> None:
        """Makes all tools clearable that are known to only read, search or run."""
        tools = self.compactable_tools
        for name in read_or_run_tools(self._names()):
            tools = toggled(tools, name, True, ())
        if added := len(tools) - len(self.compactable_tools):
            self._change(tools)
            self.notify(f"{added:,} {'tool' if added == 1 else 'tools'} adopted", markup=False)
        else:
            self.notify("no further tool of this session is known to only read or run", markup=False)

    def action_default(self) -> None:
        """Goes back to the default set."""
        self._change(DEFAULT_TOOLS)

    def action_sort(self) -> None:
        """Sorts by the next column."""
        self._sort((self._sorted_by + 1) % len(_COLUMNS))

    def _sort(self, column: int) -> None:
        if self._rows:
            self._sorted_by = column
            self._rows.sort(key=_ORDERS[column][1])
            self._fill()
            self.query_one(Table).move_cursor(row=0)
