"""The commands. Importing this imports click and little else, so that ``outbound --help`` is quick."""

from tui.cli.entry import main, run

__all__ = ["main", "run"]
