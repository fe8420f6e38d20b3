"""The picker: the samples with what they show, a directory's sessions, and a way to open any file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, TypeAlias

from rich.console import Group
from rich.padding import Padding
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, Input, OptionList, Static
from textual.widgets.option_list import Option

from tui.app.opened import Start
from tui.demos.samples import samples
from tui.model import OutboundError
from tui.model.visible import visible_line, visible_lines

_SUFFIXES = (".jsonl", ".json", ".traj", ".eval", ".gz")
_MOST_FILES = 2_000

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
        """Fills the list."""
        listed = self.query_one(OptionList)
        try:
            rows = self._samples() if self._directory is None else self._files(Path(self._directory))
        except OutboundError as error:
            rows = []
            self._problem = self._problem or str(error)
        for prompt, choice in rows:
            self._choices.append(choice)
            listed.add_option(Option(prompt))
        if not rows:
            listed.add_option(Option(Content("no sessions here: open a file below"), disabled=True))
        self._say(self._problem)
        listed.focus()
        if rows:
            listed.highlighted = 0

    def _samples(self) -> list[tuple[Prompt, Choice]]:
        return [
            (
                Group(Text(sample.title, style="bold"), Padding(Text(sample.look_for, style="dim"), (0, 0, 0, 2))),
                Choice(str(sample.path), Start.of_sample(sample)),
            )
            for sample in samples()
        ]

    def _files(self, directory: Path) -> list[tuple[Prompt, Choice]]:
        try:
            found = [path for path in directory.rglob("*") if path.suffix in _SUFFIXES and path.is_file()]
            dated = sorted(((path.stat(), path) for path in found), key=lambda pair: -pair[0].st_mtime)
        except OSError as error:
            raise OutboundError(f"this directory cannot be read ({error.strerror})", source=str(directory)) from None
        rows: list[tuple[Prompt, Choice]] = []
        for stat, path in dated[:_MOST_FILES]:
            size = f"{stat.st_size / 1e6:,.1f} MB" if stat.st_size >= 1e5 else f"{stat.st_size / 1e3:,.1f} KB"
            name = visible_line(str(path.relative_to(directory)))
            prompt = Content.assemble((name, "bold"), (f"  {size}", "$foreground 65%"))
            rows.append((prompt, Choice(str(path), self._start)))
        return rows

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
