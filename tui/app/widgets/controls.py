"""The sliders and switches: what the user changes, as one panel; or as one row that sums them up."""

from __future__ import annotations

from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message as TextualMessage
from textual.widgets import Checkbox, Static

from tui.app.glyphs import wants_ascii
from tui.app.widgets.slider import Mark, Slider
from tui.pipeline.marks import OptionMark
from tui.pipeline.strategy_options import Knob, StrategyOptions


class Switch(Checkbox):
    """A switch that says by a sign, not by colour alone, whether it is on."""

    @property
    def _button(self) -> Content:
        style = self.get_visual_style("toggle--label")
        return Content.assemble((f"[{'x' if self.value else ' '}]", style))


class Controls(Vertical):
    """A slider for every whole-number option of a strategy, and switches.

    They are for all stages, for each, for the options that are on or off, and for what stands before a boundary.
    """

    DEFAULT_CSS = """
    Controls {
        height: auto;
        padding: 0 1;
        & > Horizontal { height: 1; }
        & Switch { width: auto; margin: 0 1 0 0; }
        & .label { width: 19; }
    }
    """

    @dataclass
    class OptionMoved(TextualMessage):
        """The user moved a slider."""

        name: str
        value: int

    class Settled(TextualMessage):
        """The user has let go of a slider; comes after the moves that led there."""

    @dataclass
    class Switched(TextualMessage):
        """The user switched a stage, an option, everything (``all``), or ``across``."""

        what: str
        on: bool

    def __init__(self, options: StrategyOptions, id: str) -> None:
        super().__init__(id=id)
        self._knobs = {knob.name: knob for knob in options.knobs()}
        self._options = options

    def compose(self) -> ComposeResult:
        """Five sliders and a row of switches."""
        for knob in self._knobs.values():
            yield Slider(
                knob.label,
                getattr(self._options, knob.name),
                least=knob.least,
                greatest=knob.greatest,
                default=knob.default,
                step=knob.step,
                hint=knob.help,
                label_width=19,
                ascii=wants_ascii(),
                id=f"slider-{knob.name}",
            )
        with Horizontal():
            yield Static("  stages", classes="label", markup=False)
            yield Switch("all", True, id="switch-all", compact=True)
            for number, stage in enumerate(self._options.stages, 1):
                yield Switch(f"{number} {stage}", True, id=f"switch-{stage}", compact=True)
            for name, label in self._options.switches().items():
                yield Switch(label, getattr(self._options, name), id=f"switch-{name}", compact=True)
            yield Switch("before boundary", False, id="switch-across", compact=True)

    @property
    def sliders(self) -> dict[str, Slider]:
        """All sliders by their options."""
        return {name: self.slider(name) for name in self._knobs}

    def slider(self, name: str) -> Slider:
        """The slider of an option."""
        return self.query_one(f"#slider-{name}", Slider)

    def show(
        self,
        options: StrategyOptions,
        marks: dict[str, tuple[OptionMark, ...]],
        reach: dict[str, int],
        across: bool,
        has_boundaries: bool,
    ) -> None:
        """Shows these options, without telling anybody.

        Args:
            options: The options.
            marks: Where this call's picture changes.
            reach: The largest mark that any call of the session could have: the tracks go that far.
            across: Whether messages before a compact boundary are counted in.
            has_boundaries: Whether the session has compact boundaries at all.
        """
        self._options = options
        for knob in self._knobs.values():
            slider = self.slider(knob.name)
            slider.greatest = _round_up(max(knob.greatest, reach.get(knob.name, 0)), knob)
            slider.value = getattr(options, knob.name)
            slider.marks = tuple(Mark(mark.value, mark.label) for mark in marks.get(knob.name, ()))
        with self.prevent(Checkbox.Changed):
            self.query_one("#switch-all", Checkbox).value = options.enabled
            for name in options.switches():
                self.query_one(f"#switch-{name}", Checkbox).value = getattr(options, name)
            for stage in options.stages:
                switch = self.query_one(f"#switch-{stage}", Checkbox)
                switch.value = stage not in options.disabled_stages
                switch.disabled = not options.enabled
            boundary = self.query_one("#switch-across", Checkbox)
            boundary.value = across
            boundary.display = has_boundaries

    @on(Slider.Changed)
    def _slider_changed(self, event: Slider.Changed) -> None:
        event.stop()
        name = (event.slider.id or "").removeprefix("slider-")
        self.post_message(self.OptionMoved(name, event.value))

    @on(Slider.Committed)
    def _slider_settled(self, event: Slider.Committed) -> None:
        event.stop()
        self.post_message(self.Settled())

    @on(Checkbox.Changed)
    def _switched(self, event: Checkbox.Changed) -> None:
        event.stop()
        self.post_message(self.Switched((event.checkbox.id or "").removeprefix("switch-"), event.value))


def _round_up(value: int, knob: Knob) -> int:
    """The end of a track: the option's own, or a round number that the session's largest mark fits under."""
    if value <= knob.greatest:
        return knob.greatest
    unit = int("1" + "0" * max(0, len(str(value)) - 2))
    return -(-value // unit) * unit


class OptionsRow(Static):
    """All options in one row, for a screen too short for the sliders."""

    DEFAULT_CSS = """
    OptionsRow { height: 1; padding: 0 1; color: $foreground 75%; text-wrap: nowrap; text-overflow: ellipsis; }
    """

    ALLOW_SELECT = False

    def __init__(self, id: str) -> None:
        super().__init__(id=id, markup=False)

    def show(self, options: StrategyOptions) -> None:
        """Shows these options."""
        off = [] if options.enabled else ["compaction off"]
        off += [f"{stage} off" for stage in options.disabled_stages]
        short = {"threshold": "threshold", "keep_recent": "keep", "min_chars": "min", "max_messages": "max"}
        short["max_tool_result_chars"] = "cut at"
        parts = [f"{short.get(knob.name, knob.label)} {getattr(options, knob.name):,}" for knob in options.knobs()]
        self.update(Content(" · ".join([*parts, *off])), layout=False)
