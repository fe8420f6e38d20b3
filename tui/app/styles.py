"""Styles laid over others."""

from __future__ import annotations

from rich.style import Style


def laid_over(style: Style) -> Style:
    """What of a style marks the cursor on top of another: its background and weight, not its text's colour."""
    return Style(bgcolor=style.bgcolor, bold=style.bold, reverse=style.reverse)
