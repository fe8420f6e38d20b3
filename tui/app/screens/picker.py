"""The picker: the samples with what they show, a directory's sessions, and a way to open any file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import ClassVar, TypeAlias

from rich.console import Group
from rich.padding import Padding
from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message as TextualMessage
from textual.screen import Screen
from textual.widgets import Footer, Input, OptionList, Static
from textual.widgets.option_list import Option
from textual.worker import get_current_worker

from tui.app.opened import Start
from tui.demos.samples import samples
from tui.formats.directory import SessionFile, session_files
from tui.model import OutboundError
from tui.model.visible import visible_line, visible_lines

Prompt: TypeAlias = Content | Group


@dataclass(frozen=True, slots=True)
class Choice:
    """What the user picked.

    Attributes:
        path: The file.
        start: How it is first shown.
    """

    path: str
    start: Start


class PickerScreen(Screen[Choice]):
    """Chooses a session. Arrow keys and Enter pick from the list; a path can be typed below it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash,o", "type_path", "Open a file"),
        Binding("escape", "leave_path", show=False),
        Binding("j", "down", show=False),
        Binding("k", "up", show=False),
        Binding("t", "theme", "Theme"),
        Binding("q,ctrl+q", "app.quit", "Quit"),
    ]

    DEFAULT_CSS = """
    PickerScreen {
        & > .head { padding: 1 2 0 2; height: auto; }
        & > OptionList { height: 1fr; margin: 1 1 0 1; border: round $foreground 30%; background: $background; }
        & > OptionList:focus { border: round $primary; background-tint: $foreground 0%; }
        & > Vertical { height: auto; padding: 0 2; }
        & Input { border: none; height: 1; padding: 0; background: $boost; }
        & .label { color: $foreground 70%; }
        & .problem { color: $text-error; height: auto; display: none; }
        & .problem.-shown { display: block; }
    }
    """

    @dataclass
    class Listed(TextualMessage):
        """The worker has looked through the directory."""

        files: list[SessionFile]
        problem: str

    def __init__(self, directory: str | None, start: Start, problem: str = "") -> None:
        """Initialise the picker.

        Args:
            directory: The directory whose sessions to list; None for the samples.
            start: How a file is first shown; samples bring their own.
            problem: Why the last choice could not be opened; empty for none.
        """
        super().__init__()
        self._directory = directory
        self._start = start
        self._problem = problem
        self._choices: list[Choice] = []

    def compose(self) -> ComposeResult:
        """The list, and a line to type a path in."""
        if self._directory is None:
            words = "what one model call really receives after compaction. Pick a sample, or open a session of yours."
        else:
            words = f"sessions in {visible_line(self._directory)}"
        yield Static(Content.assemble(("outbound", "bold $text-primary"), "  ", words), classes="head", markup=False)
        yield OptionList(markup=False)
        with Vertical():
            yield Static(classes="problem", markup=False)
            yield Static("Open a file or directory (press /):", classes="label", markup=False)
            yield Input(placeholder="~/.claude/projects/…/session.jsonl")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Fills the list; a directory in a worker, since it may be large."""
        listed = self.query_one(OptionList)
        listed.focus()
        if self._directory is not None:
            listed.loading = True
            self._look_through(Path(self._directory))
        else:
            try:
                self._fill(self._samples())
            except OutboundError as error:
                self._fill([], self._problem or str(error))

    def _fill(self, rows: list[tuple[Prompt, Choice]], problem: str = "") -> None:
        listed = self.query_one(OptionList)
        listed.loading = False
        self._choices = [choice for _, choice in rows]
        listed.add_options([Option(prompt) for prompt, _ in rows])
        if rows:
            listed.highlighted = 0
        else:
            listed.add_option(Option(Content("no sessions here: open a file below"), disabled=True))
        self._say(problem or self._problem)
        listed.focus()

    def _samples(self) -> list[tuple[Prompt, Choice]]:
        return [
            (
                Group(Text(sample.title, style="bold"), Padding(Text(sample.look_for), (0, 0, 0, 2))),
                Choice(str(sample.path), Start.of_sample(sample)),
            )
            for sample in samples()
        ]

    @work(thread=True, exit_on_error=False)
    def _look_through(self, directory: Path) -> None:
        worker = get_current_worker()
        found, problem = session_files(directory, lambda: worker.is_cancelled)
        if not worker.is_cancelled:
            self.post_message(self.Listed(found, problem))

    @on(Listed)
    def _listed(self, event: Listed) -> None:
        assert self._directory is not None
        rows: list[tuple[Prompt, Choice]] = []
        for file in event.files:
            size = f"{file.size / 1e6:,.1f} MB" if file.size >= 1e5 else f"{file.size / 1e3:,.1f} KB"
            when = datetime.fromtimestamp(file.modified).strftime("%Y-%m-%d %H:%M")
            name = visible_line(os.path.relpath(file.path, self._directory))
            prompt = Content.assemble((name, "bold"), (f"  {size}  {when}", "$foreground 75%"))
            rows.append((prompt, Choice(file.path, self._start)))
        self._fill(rows, event.problem)

    def _say(self, problem: str) -> None:
        line = self.query_one(".problem", Static)
        line.update(Content("\n".join(visible_lines(problem))))
        line.set_class(bool(problem), "-shown")

    @on(OptionList.OptionSelected)
    def _picked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option_index < len(self._choices):
            self.dismiss(self._choices[event.option_index])

    @on(Input.Submitted)
    def _typed(self, event: Input.Submitted) -> None:
        event.stop()
        typed = event.value.strip()
        if not typed:
            return
        path = Path(os.path.expanduser(typed))  # noqa: PTH111 (Path.expanduser raises for an unknown user)
        try:
            there = path.exists()
        except (OSError, ValueError):
            there = False
        if there:
            self.dismiss(Choice(str(path), self._start))
        else:
            self._say(f"{typed}: there is no such file")

    def action_type_path(self) -> None:
        """Goes to the line where a path is typed."""
        self.query_one(Input).focus()

    def action_leave_path(self) -> None:
        """Goes back to the list."""
        self.query_one(OptionList).focus()

    def action_down(self) -> None:
        """Next choice."""
        self.query_one(OptionList).action_cursor_down()

    def action_up(self) -> None:
        """Previous choice."""
        self.query_one(OptionList).action_cursor_up()

    def action_theme(self) -> None:
        """Switches between dark and light."""
        self.app.theme = "textual-light" if self.app.current_theme.dark else "textual-dark"
