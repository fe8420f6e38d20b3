"""The tabs that choose which stage is shown, each with the estimate after it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message as TextualMessage
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from tui.app.scene import Scene
from tui.app.wrap import cells, fit
from tui.pipeline.strategy_options import StrategyOptions


class StageTabs(Widget, can_focus=True):
    """One row of tabs: original, each stage of the strategy, outbound; on the right the threshold."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "go(-1)", "Previous stage", show=False),
        Binding("right,l", "go(1)", "Next stage", show=False),
    ]
    """
    | Key(s) | Description |
    | :- | :- |
    | left,h | The stage before. |
    | right,l | The stage after. |
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"tabs--tab", "tabs--active", "tabs--number", "tabs--off"}
    """
    | Class | Description |
    | :- | :- |
    | `tabs--tab` | A tab. |
    | `tabs--active` | The tab of the stage that is shown. |
    | `tabs--number` | The threshold. |
    | `tabs--off` | A stage that is switched off. |
    """

    ALLOW_SELECT = False

    DEFAULT_CSS = """
    StageTabs {
        height: 1;
        width: 1fr;
        & > .tabs--tab { color: $foreground 75%; }
        & > .tabs--active { color: $background; background: $primary; text-style: bold; }
        & > .tabs--number { color: $foreground 75%; }
        & > .tabs--off { color: $foreground 50%; text-style: strike; }
        &:focus > .tabs--active { text-style: bold underline; }
        &:nocolor > .tabs--active { text-style: bold underline; }
    }
    """

    scene: reactive[Scene | None] = reactive(None)
    """What is shown."""

    @dataclass
    class Chosen(TextualMessage):
        """The user chose a stage."""

        tabs: StageTabs
        stage: str

        @property
        def control(self) -> StageTabs:
            """The tabs."""
            return self.tabs

    def _tabs(self, width: int) -> list[tuple[str, str]]:
        """Label and stage of every tab, with the estimates as far as they fit."""
        scene = self.scene
        if scene is None:
            return []
        estimate = scene.view.estimate
        full, short = [], []
        for number, name in enumerate(scene.stage_names):
            full.append((f" {number} {name} {estimate[name]:,} " if name in estimate else f" {number} {name} ", name))
            short.append((f" {number} {name} ", name))
        return full if sum(cells(label) for label, _ in full) <= width else short

    def render_line(self, y: int) -> Strip:
        """Draws the row."""
        scene, width = self.scene, self.size.width
        base = self.rich_style
        if scene is None:
            return Strip.blank(width, base)
        segments: list[Segment] = []
        used = 0
        options = scene.evaluation.options
        for label, name in self._tabs(width):
            part = "tab"
            if name in scene.evaluation.stages and not options.runs(name):
                part = "off"
            if name == scene.stage:
                part = "active"
            label = fit(label, max(0, width - used))
            segments.append(Segment(label, base + self.get_component_rich_style(f"tabs--{part}")))
            used += cells(label)
        tail = _tail(options)
        if used + cells(tail) + 1 <= width:
            segments.append(Segment(" " * (width - used - cells(tail)), base))
            segments.append(Segment(tail, base + self.get_component_rich_style("tabs--number")))
        return Strip(segments).adjust_cell_length(width, base)

    def action_go(self, by: int) -> None:
        """Chooses the stage beside."""
        if self.scene is not None:
            names = self.scene.stage_names
            place = min(max(names.index(self.scene.stage) + by, 0), len(names) - 1)
            self.post_message(self.Chosen(self, names[place]))

    def on_click(self, event: events.Click) -> None:
        """Chooses the tab that was clicked."""
        x = event.x
        for label, name in self._tabs(self.size.width):
            if x < cells(label):
                self.post_message(self.Chosen(self, name))
                return
            x -= cells(label)


def _tail(options: StrategyOptions) -> str:
    """What the view is held against."""
    if not options.enabled:
        return "compaction is off "
    return "no threshold " if options.line is None else f"threshold {options.line:,} "
