"""The program: its commands by name, each imported only when it is run."""

from __future__ import annotations

from importlib import import_module

import click

_COMMANDS = {
    "open": "open the app; what runs when no command is named",
    "show": "print what one call receives, as text or JSON",
    "trace": "print the trace lines of one call, or of every call",
    "timeline": "print one row of sizes and counts a call",
    "compare": "print where two strategies, or two settings, differ",
    "strategies": "list the strategies, or explain one with its options",
}
"""Name -> what the list of commands says; the command itself is ``tui.cli.NAME.command``."""

_OWN = ("-h", "--help", "--version")


class Commands(click.Group):
    """A group that imports a command's module when that command is run, and takes ``open`` when none is named."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands' names, in the order of the help."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command called ``cmd_name``."""
        if cmd_name not in _COMMANDS:
            return None
        found: click.Command = import_module(f"tui.cli.{cmd_name}").command
        return found

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Puts ``open`` before arguments that begin with no command; completing a command's name does not."""
        if not ctx.resilient_parsing and (not args or args[0] not in (*_COMMANDS, *_OWN)):
            args = ["open", *args]
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


def _version(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    from importlib.metadata import PackageNotFoundError, version  # slow, and only needed here

    try:
        number = version("outbound-tui")
    except PackageNotFoundError:
        number = "(not installed, run from its source)"
    click.echo(f"outbound {number}")
    ctx.exit()


# The help is plain ASCII: click writes it in the locale's encoding.
@click.command(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    options_metavar="",
    subcommand_metavar="[FILE|DIR] | COMMAND ...",
    epilog="""
\b
Examples:
  outbound                              pick one of the sample sessions
  outbound session.jsonl                open a session in the app
  outbound show session.jsonl --call 34 --stage micro
  outbound show - --format messages < session.jsonl
  outbound timeline session.jsonl --threshold 50000

\b
FILE may be - for standard input (not for the app). A file that is called
like a command is opened as ./show.

\b
Environment:
  COMPACT=0                    no stage runs
  COMPACT_THRESHOLD_CHARS=N    the threshold; --settings and --threshold beat it
  TRACE=1                      show writes the trace lines to stderr

\b
Exit codes: 0 ok, 1 the file cannot be read, 2 usage.
""",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version and exit.",
)
def outbound() -> None:
    """See what one model call of an LLM agent really receives.

    The conversation of a session file beside the outbound view of one call: every tool result that was
    truncated or cleared and every message that was dropped, stage by stage.
    """
