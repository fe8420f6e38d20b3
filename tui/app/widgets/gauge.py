"""A gauge: how large the view is before and after a stage, against the threshold, and what that meant."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from tui.app.glyphs import glyphs, wants_ascii
from tui.app.scene import Scene
from tui.app.wrap import cells, fit
from tui.pipeline.evaluation import ORIGINAL, OUTBOUND

_NAME = 12
_SIZES = 21
_LEAST_BAR, _MOST_BAR = 10, 44


class Gauge(Widget):
    """One row: the stage, a bar, the sizes, the verdict in words.

    The bar's scale is the call's own, the same for all gauges: up to the largest estimate or the threshold, whichever
    is more. It is filled up to the size after the stage; what the stage saved is drawn hollow; a line stands at the
    threshold.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "gauge--name",
        "gauge--fill",
        "gauge--over",
        "gauge--saved",
        "gauge--rest",
        "gauge--limit",
        "gauge--sizes",
        "gauge--verdict",
    }
    """
    | Class | Description |
    | :- | :- |
    | `gauge--name` | The stage's number and name. |
    | `gauge--fill` | The size after the stage, up to the threshold. |
    | `gauge--over` | What of it is over the threshold. |
    | `gauge--saved` | What the stage saved. |
    | `gauge--rest` | The rest of the bar. |
    | `gauge--limit` | The threshold. |
    | `gauge--sizes` | The sizes in chars. |
    | `gauge--verdict` | What happened, in words. |
    """

    DEFAULT_CSS = """
    Gauge {
        height: 1;
        width: 1fr;
        & > .gauge--name { color: $foreground 75%; }
        & > .gauge--fill { color: $success; }
        & > .gauge--over { color: $error; }
        & > .gauge--saved { color: $foreground 45%; }
        & > .gauge--rest { color: $foreground 15%; }
        & > .gauge--limit { color: $foreground; text-style: bold; }
        & > .gauge--sizes { color: $foreground; }
        & > .gauge--verdict { color: $foreground; text-style: bold; }
        &.-current > .gauge--name { color: $text-primary; text-style: bold; }
        &.-idle > .gauge--verdict { color: $foreground 65%; text-style: none; }
    }
    """

    scene: reactive[Scene | None] = reactive(None)
    """What is shown."""

    def __init__(self, stage: str | None = None, id: str | None = None, label: str | None = None) -> None:
        """Initialise the gauge.

        Args:
            stage: The stage it measures; None for the one that is shown.
            id: Its ID in the DOM.
            label: What it is called; None for the stage's number and name.
        """
        super().__init__(id=id)
        self._label = label
        self._stage = stage
        self._glyphs = glyphs(wants_ascii())

    def watch_scene(self) -> None:
        """Marks the gauge of the stage that is shown."""
        if self.scene is not None:
            stage = self._stage or self.scene.stage
            self.set_class(stage == self.scene.stage, "-current")
            before, after = self._sizes(self.scene, stage)
            self.set_class(before == after and stage in self.scene.evaluation.stages, "-idle")

    def _sizes(self, scene: Scene, stage: str) -> tuple[int, int]:
        estimate = scene.view.estimate
        names = (ORIGINAL, *scene.evaluation.stages)
        if stage == OUTBOUND:
            return estimate[ORIGINAL], estimate[names[-1]]
        place = names.index(stage)
        return estimate[names[max(0, place - 1)]], estimate[stage]

    def verdict(self) -> str:
        """What happened at the stage, in words."""
        scene = self.scene
        if scene is None:
            return ""
        stage = self._stage or scene.stage
        if stage in scene.evaluation.stages:
            return scene.view.verdict(stage)
        line = scene.evaluation.options.line
        _, after = self._sizes(scene, stage)
        margin = (line or 0) - after
        words = f"over by {-margin:,}" if margin < 0 else f"fits with {margin:,} to spare" if margin else "fits exactly"
        if line is None:
            words = f"{after:,} chars"
        if stage == ORIGINAL:
            return words
        acted = [f"{count:,} {what}" for what, count in scene.view.counts.items() if count]
        done = ", ".join(acted) if acted else "nothing changed"
        return f"{done}: {'still ' if margin < 0 and line is not None else ''}{words}"

    def render_line(self, y: int) -> Strip:
        """Draws the row."""
        scene, width = self.scene, self.size.width
        base = self.rich_style
        if scene is None:
            return Strip.blank(width, base)
        stage = self._stage or scene.stage
        before, after = self._sizes(scene, stage)
        number = scene.stage_names.index(stage)
        name = fit(f" {self._label or f'{number} {stage}'}", _NAME).ljust(_NAME)
        sizes = f"{before:,} > {after:,}" if before != after else f"{after:,}"
        verdict = self.verdict()
        bar = min(_MOST_BAR, max(_LEAST_BAR, (width - _NAME) // 3))
        if self._stage is None:  # alone on the screen: its words come first
            bar = max(_LEAST_BAR, min(bar, width - _NAME - cells(verdict) - 4))
        room = max(0, width - cells(name) - bar - 3)
        segments = [Segment(name, base + self.get_component_rich_style("gauge--name"))]
        segments += self._bar(scene, before, after, bar)
        if room >= cells(verdict) + _SIZES + 2:
            segments.append(Segment(f" {sizes:<{_SIZES}} ", base + self.get_component_rich_style("gauge--sizes")))
            room -= _SIZES + 2
        segments.append(Segment(" ", base))
        segments.append(Segment(fit(verdict, room), base + self.get_component_rich_style("gauge--verdict")))
        return Strip(segments).adjust_cell_length(width, base)

    def _bar(self, scene: Scene, before: int, after: int, width: int) -> list[Segment]:
        largest = max(scene.view.estimate.values())
        line = scene.evaluation.options.line
        threshold = 2 * largest + 1 if line is None else line  # beyond the bar where there is none
        top = max(1, largest if line is None else min(threshold, 2 * largest), largest)
        fill = round(after * width / top)
        saved = round(max(before, after) * width / top)
        limit = min(round(threshold * width / top), width - 1) if threshold <= top else None
        base = self.rich_style
        out: list[Segment] = []
        for cell in range(width):
            over = threshold < top and limit is not None and cell > limit
            if cell == limit:
                glyph, part = self._glyphs.limit, "limit"
            elif cell < fill:
                glyph, part = self._glyphs.full, "over" if over else "fill"
            elif cell < saved:
                glyph, part = self._glyphs.empty, "saved"
            else:
                glyph, part = " ", "rest"
            out.append(Segment(glyph, base + self.get_component_rich_style(f"gauge--{part}")))
        edge = base + self.get_component_rich_style("gauge--saved")
        return [Segment("[", edge), *out, Segment("]", edge)]
