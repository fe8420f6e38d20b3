"""The settings on their way out: as environment variables, as flags, as JSON; to the clipboard or to a file."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, Static

from tui.app.screens.prompt import Prompt
from tui.export.settings import Settings, as_environment, as_flags, settings_json, write_settings
from tui.model import OptionError, OutboundError
from tui.model.chars import units
from tui.model.visible import visible_line

_FORMS = {"environment": "e", "flags": "f", "JSON": "j"}
"""Name of a form -> the key that copies it."""


class SettingsScreen(ModalScreen[None]):
    """Shows settings in the three forms, to select, copy or write, until the user leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(key, f"copy('{form}')", f"Copy {form}") for form, key in _FORMS.items()),
        Binding("w", "write", "Write JSON"),
        Binding("escape,q,S", "close", "Close", key_display="Esc"),
    ]

    DEFAULT_CSS = """
    SettingsScreen {
        align: center middle;
        & > Vertical {
            width: 90%;
            max-width: 96;
            height: auto;
            max-height: 90%;
            border: round $primary;
            background: $surface;
            padding: 0 1;
        }
        & VerticalScroll { height: auto; max-height: 100%; }
        & Static { height: auto; }
        & .heading { color: $foreground 60%; }
        & .form { margin-bottom: 1; padding-left: 2; }
    }
    """

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings

    def compose(self) -> ComposeResult:
        """A section for each form, the keys below."""
        with Vertical() as box:
            box.border_title = Content("settings")
            with VerticalScroll():
                for form, key in _FORMS.items():
                    heading = Content.assemble((form, "bold $foreground"), f"   {key} copies")
                    yield Static(heading, classes="heading", markup=False)
                    yield Static(Content(self._shown(form)), id=form.lower(), classes="form", markup=False)
        yield Footer()

    def _text(self, form: str) -> str:
        match form:
            case "environment":
                return as_environment(self._settings.options)
            case "flags":
                return as_flags(self._settings)
            case _:
                return settings_json(self._settings)

    def _shown(self, form: str) -> str:
        try:
            return self._text(form).rstrip("\n") or "the defaults: no flag is needed"
        except OptionError as error:
            return str(error)

    def action_copy(self, form: str) -> None:
        """Copies one form."""
        try:
            text = self._text(form)
        except OptionError as error:
            self._complain(error)
            return
        if not text:
            self.notify("nothing to copy: these are the defaults, no flag is needed", markup=False)
            return
        self.app.copy_to_clipboard(text)
        self.notify(f"copied the {form}: {units(text):,} chars", markup=False)

    @work
    async def action_write(self) -> None:
        """Asks for a path and writes the JSON there; asks again before it overwrites a file."""
        path = await self.app.push_screen_wait(
            Prompt("write JSON to", "a path, such as settings.json; Escape writes nothing", _is_path)
        )
        if path is None:
            return
        try:
            try:
                write_settings(self._settings, path)
            except FileExistsError:
                if not await self._may_replace(path):
                    self.notify("nothing was written", markup=False)
                    return
                write_settings(self._settings, path, replace=True)
        except OutboundError as error:
            self._complain(error)
        else:
            self.notify(f"written; outbound FILE --settings {visible_line(path)} reads it", markup=False)

    async def _may_replace(self, path: str) -> bool:
        name = visible_line(Path(path).name)
        question = Prompt(f"{name} is there already: overwrite it?", "yes or no; Escape is no", _is_answer)
        answer = await self.app.push_screen_wait(question)
        return answer is not None and answer.lower() in _YES

    def _complain(self, error: OutboundError) -> None:
        lines = str(error).split("\n")
        self.notify("\n".join(map(visible_line, lines)), severity="error", markup=False)

    def action_close(self) -> None:
        """Leaves."""
        self.dismiss(None)


_YES = ("y", "yes")
_NO = ("n", "no")


def _is_path(answer: str) -> str:
    return "" if answer else "a path, please"


def _is_answer(answer: str) -> str:
    return "" if answer.lower() in (*_YES, *_NO) else "yes or no, please"
