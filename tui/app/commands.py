"""The one table of commands: key bindings, footer, help and command palette are all made from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from textual.binding import Binding, BindingType


@dataclass(frozen=True, slots=True)
class Command:
    """Something the user can ask for on the main screen.

    Attributes:
        action: The action that does it.
        keys: The keys that ask for it, as Textual names them, comma-separated; empty for none.
        shown: The keys as the help and the footer write them.
        label: A word or two, for the footer.
        help: What it does, for the help and the palette.
        group: Heading in the help.
        footer: Whether the footer shows it.
    """

    action: str
    keys: str
    shown: str
    label: str
    help: str
    group: str
    footer: bool = False


COMMANDS: tuple[Command, ...] = (
    Command("help", "question_mark,f1", "?", "help", "Show all keys", "Program", footer=True),
    Command("stage(0)", "0", "0", "original", "Show the conversation before any stage", "Stages"),
    Command("stage(1)", "1", "1", "budget", "Show the view after the first stage (budget, in v4)", "Stages"),
    Command("stage(2)", "2", "2", "micro", "Show the view after the second stage (micro, in v4)", "Stages"),
    Command("stage(3)", "3", "3", "retain", "Show the view after the third stage (retain, in v4)", "Stages"),
    Command("stage(4)", "4", "4", "outbound", "Show the outbound view: what the call receives (in v4)", "Stages"),
    Command("switch_stage", "o", "o", "on/off", "Switch the stage that is shown off or on", "Stages"),
    Command("strategy", "V", "V", "strategy", "Choose how to compact: another strategy", "Stages"),
    Command("switch_all", "O", "O", "all on/off", "Switch compaction off or on (COMPACT=0)", "Stages"),
    Command("step(-1)", "left_square_bracket", "[", "call", "Go to the previous call", "Calls"),
    Command("step(1)", "right_square_bracket", "]", "call", "Go to the next call", "Calls"),
    Command(
        "event(1)", "right_curly_bracket", "}", "event", "Go to the next call where something new happens", "Calls"
    ),
    Command("event(-1)", "left_curly_bracket", "{", "event", "Go to the previous such call", "Calls"),
    Command("play", "space", "space", "play", "Play from this call on, or pause", "Calls", footer=True),
    Command("speed(1)", "plus,equals_sign", "+", "faster", "Play faster", "Calls"),
    Command("speed(-1)", "minus", "-", "slower", "Play slower", "Calls"),
    Command("pausing", "", "", "pausing", "Stop playing at calls where a stage newly acts, or not", "Calls"),
    Command("looping", "", "", "looping", "Start again at the end while playing, or not", "Calls"),
    Command("go_to_call", "g", "g", "go to call", "Go to a call by its number", "Calls"),
    Command("across", "B", "B", "boundary", "Count in, or leave out, what stands before a compact boundary", "Calls"),
    Command("changed(1)", "n", "n", "changed", "Go to the next changed block", "Blocks", footer=True),
    Command("changed(-1)", "p", "p", "changed", "Go to the previous changed block", "Blocks"),
    Command(
        "search",
        "slash",
        "/",
        "search",
        "Search both sides (n N walk the matches, Escape ends it)",
        "Blocks",
        footer=True,
    ),
    Command("hit(-1)", "N", "N", "match", "Go to the previous match of the search", "Blocks"),
    Command("filter", "f", "f", "filter", "Show only some blocks: by outcome, role or tool, or changed only", "Blocks"),
    Command("inspect", "i", "i", "inspect", "Show all of a block, before and after, and why", "Blocks", footer=True),
    Command("fold_gap", "z", "z", "fold gap", "Fold or unfold the dropped messages", "Blocks"),
    Command("copy", "y", "y", "copy", "Copy the block's text, as this stage leaves it", "Blocks"),
    Command("sliders", "s", "s", "sliders", "Go to the sliders, and back to the panes", "Sliders", footer=True),
    Command("undo", "u", "u", "undo", "Undo a change of the options", "Sliders"),
    Command("redo", "ctrl+r", "^r", "redo", "Redo it", "Sliders"),
    Command("finder", "F", "F", "finder", "Show the values at which the picture changes, and go to one", "Sliders"),
    Command("settings", "S", "S", "settings", "Copy or write the settings: environment, flags, JSON", "Sliders"),
    Command("reset", "R", "R", "defaults", "Put all options back to where they were at the start", "Sliders"),
    Command("compare", "c", "c", "compare", "Compare with another strategy, or with the first settings", "Session"),
    Command("levels", "L", "L", "levels", "Show the five levels of Claude Code at this call", "Session"),
    Command("cache_state", "C", "C", "cache", "Show the tables and edits of the cached microcompact", "Session"),
    Command("again", "I", "I", "again", "Run the strategy on its own output: is it idempotent?", "Session"),
    Command("tools", "T", "T", "tools", "Show every tool, and switch which may be cleared", "Session"),
    Command(
        "waterfall", "W", "W", "waterfall", "Show what each stage saved at this call, and from which tools", "Session"
    ),
    Command("trace", "x", "x", "trace", "Show the original program's trace lines", "Session"),
    Command("notes", "w", "w", "notes", "Show what was skipped or repaired, and what an API would refuse", "Session"),
    Command("open", "ctrl+o", "^o", "open", "Open another session or sample", "Program"),
    Command("theme", "t", "t", "theme", "Switch between the dark and the light theme", "Program"),
    Command("app.command_palette", "ctrl+p", "^p", "palette", "Search all commands", "Program", footer=True),
    Command("quit", "q,ctrl+q", "q", "quit", "Quit", "Program"),
)

PANE_KEYS: tuple[tuple[str, str], ...] = (
    ("up k, down j", "Previous or next block; scrolls inside a block taller than the pane"),
    ("PageUp ^b, PageDown ^f", "A page"),
    ("^u, ^d", "Half a page"),
    ("Home <, End > G", "Top, bottom"),
    ("Enter, double click", "Unfold or fold a block"),
    ("+, -", "More or fewer rows of a folded block"),
    ("wheel, drag", "Scroll; both panes move together"),
)
"""Keys of a pane, for the help."""

SLIDER_KEYS: tuple[tuple[str, str], ...] = (
    ("left h -, right l +", "A step"),
    ("Shift+left, Shift+right", "By one"),
    ("PageUp, PageDown", "Ten steps"),
    ("Home, End", "The ends of the track"),
    ("digits, Enter", "Type an exact value (Escape leaves it); any whole number from 0 up"),
    ("m, M", "Next, previous mark: where this call's picture changes"),
    ("Backspace d, double click", "Back to the default"),
    ("click, drag, wheel", "Move it live"),
)
"""Keys of a slider, for the help."""


def bindings(commands: Iterable[Command] = COMMANDS) -> list[BindingType]:
    """The commands as key bindings."""
    return [
        Binding(
            command.keys,
            command.action,
            command.label,
            show=command.footer,
            key_display=command.shown,
            tooltip=command.help,
        )
        for command in commands
        if command.keys
    ]
