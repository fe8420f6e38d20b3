"""From the command line to an exit code: 0 ok, 1 cannot read or write, 2 usage, 130 interrupted."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from tui.cli.group import outbound
from tui.cli.output import OutputClosed, complain
from tui.model import OptionError, OutboundError

CANNOT = 1
USAGE = 2
INTERRUPTED = 130


def run(args: Sequence[str] | None = None) -> int:
    """Runs one command; what goes wrong is said on stderr.

    Args:
        args: The arguments after the program's name; the process's own when None.

    Returns:
        The exit code.
    """
    try:
        result = outbound.main(args, prog_name="outbound", standalone_mode=False)
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "outbound"
        complain(error.format_message(), f"Try: {path} --help")
        return USAGE
    except OptionError as error:
        complain(error.problem, error.hint)
        return USAGE
    except OutboundError as error:
        complain(str(error).removesuffix(f"\n{error.hint}"), error.hint)
        return CANNOT
    except OutputClosed:
        return 0
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    return result if isinstance(result, int) else 0


def main() -> NoReturn:
    """The console script."""
    sys.exit(run())
