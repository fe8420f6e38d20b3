"""The main screen: conversation beside outbound view, gauges, timeline, sliders. It alone owns what is shown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message as TextualMessage
from textual.reactive import var
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Footer, ProgressBar, Static

from tui.app.commands import bindings
from tui.app.content import body_text
from tui.app.filtering import Filter
from tui.app.history import History
from tui.app.layout import Kind
from tui.app.loader import Failed, Finished, Loader, Progressed
from tui.app.opened import Opened, Start
from tui.app.player import Player
from tui.app.scene import Scene
from tui.app.spark import spark
from tui.app.widgets.bars import StatusLine, TitleBar
from tui.app.widgets.controls import Controls, OptionsRow
from tui.app.widgets.gauge import Gauge
from tui.app.widgets.pane import Pane
from tui.app.widgets.panes import AlignedPanes
from tui.app.widgets.search_bar import SearchBar
from tui.app.widgets.slider import Slider
from tui.app.widgets.stage_tabs import StageTabs
from tui.app.widgets.timeline import Columns, TimelineBar, folded
from tui.export.settings import Settings
from tui.model import OptionError, ToolResultBlock
from tui.model.chars import units
from tui.model.visible import visible_line
from tui.pipeline.acceptance import acceptance
from tui.pipeline.by_tool import blocks_by_tool
from tui.pipeline.evaluation import OUTBOUND, Evaluation
from tui.pipeline.events import events, newly_acting
from tui.pipeline.marks import marks, track_reach
from tui.pipeline.strategy_options import StrategyOptions
from tui.strategies import evaluate

if TYPE_CHECKING:
    from tui.strategies.levels import Level

# The screens over this one are imported where they are opened: the first frame need not wait for them.

_ONE_CHANGE = 0.6
"""Seconds of rest after which the next move of a slider is a change of its own to undo."""


class MainScreen(Screen[str | Opened]):
    """One session. Sliders, tabs and steps change the state; each change makes one new scene for all widgets.

    Returns what is wrong when the rest of a session could not be read, an empty text when the user leaves, or the same
    session, to be shown with another strategy.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings()

    CSS_PATH = "main.tcss"

    VERTICAL_BREAKPOINTS = [(0, "-short"), (32, "-tall")]  # noqa: RUF012 (Textual declares it per instance)

    scene: var[Scene | None] = var(None)
    """What is shown."""

    @dataclass
    class Followed(TextualMessage):
        """The worker has evaluated all calls of a scene (columns), then its sliders' sparks."""

        scene: Scene
        columns: Columns | None
        sparks: dict[str, tuple[float, ...]] | None

    def __init__(self, opened: Opened, loader: Loader | None = None) -> None:
        """Initialise the screen.

        Args:
            opened: The session, or its head.
            loader: What still reads the rest; None when all is there.
        """
        super().__init__()
        self._opened = opened
        self._session = opened.session
        self._start = opened.start
        self._loader = loader
        self._touched = False
        self._history = History(opened.start.settings)
        self._rest: Timer | None = None
        self._stage = opened.start.stage
        self._evaluation = self._evaluate()
        self._call = self._first_call()
        self._waiting = False
        self._wanted: Scene | None = None
        self._following = False
        self._player = Player(self, self._play_on)

    def compose(self) -> ComposeResult:
        """Title, tabs, gauges, panes, timeline, controls, search, status, footer."""
        yield TitleBar(id="title")
        if self._start.look_for:
            look_for = Content.assemble(("look for  ", "bold $text-accent"), self._start.look_for)
            yield Static(look_for, id="look-for", markup=False)
        yield StageTabs(id="tabs").data_bind(MainScreen.scene)
        with Vertical(id="gauges"):
            for stage in self._evaluation.stages:
                yield Gauge(stage, id=f"gauge-{stage}").data_bind(MainScreen.scene)
            yield Gauge(id="gauge-current").data_bind(MainScreen.scene)
        yield AlignedPanes(id="panes")
        yield TimelineBar(id="timeline")
        yield Controls(self.options, id="controls")
        yield OptionsRow(id="options-row")
        if self._loader is not None:
            with Horizontal(id="loading"):
                yield Static("reading", id="doing", markup=False)
                yield ProgressBar(show_eta=False)
        yield SearchBar(id="search").data_bind(MainScreen.scene)
        yield StatusLine(id="status")
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Draws the first scene."""
        self._show_opened()
        self.query_one("#conversation").focus()
        if self._loader is not None:
            self._loader.listen(self)

    def on_unmount(self) -> None:
        """Stops what still reads or evaluates."""
        self._wanted = None
        if self._loader is not None:
            self._loader.stop()

    # Opening

    def _show_opened(self) -> None:
        scene = self._new_scene()
        self.scene = scene
        self.query_one(AlignedPanes).open(self._opened.page, scene, self._first_entry(scene))
        self._show(scene)

    def _first_call(self) -> int:
        last = self._evaluation.calls[-1]
        if self._start.call is None:
            # The next call of a head is not the session's; its story begins at the top.
            return last if self._loader is None else 1
        return min(max(self._start.call, 1), last)

    def _first_entry(self, scene: Scene) -> int:
        """Where the cursor starts: on the first changed block, else at the first message that the call sees."""
        view, page = scene.view, self._opened.page
        if not self._session.messages:
            return 0
        if scene.kept_from > view.start:  # what is left after a drop
            return page.entry_of(min(scene.kept_from, len(self._session.messages) - 1), 0)
        place = view.next_changed(view.start, -1, 1, scene.stage) if view.end > view.start else None
        if place is not None:
            return page.entry_of(*place)
        return page.entry_of(min(view.start, len(self._session.messages) - 1), 0)

    @on(Progressed)
    def _progressed(self, event: Progressed) -> None:
        if event.loader is self._loader:
            self.query_one("#doing", Static).update(Content(f"{event}: its head is shown, Escape cancels"))
            self.query_one(ProgressBar).update(total=event.total, progress=event.done)

    @on(Finished)
    def _finished(self, event: Finished) -> None:
        """Shows the whole session; where the user has moved already, what is looked at stays where it is."""
        if event.loader is not self._loader:
            return
        self._loader = None
        self.query_one("#loading").remove()
        panes = self.query_one(AlignedPanes)
        self._opened = event.opened
        self._session = event.opened.session
        self._evaluation = self._evaluate()
        if self._touched or panes.touched:
            self._call = min(self._call, self._evaluation.calls[-1])
            self.scene = scene = self._new_scene()
            panes.extend(event.opened.page, scene)
            self._show(scene)
        else:
            self._call = self._first_call()
            self._show_opened()

    @on(Failed)
    def _failed(self, event: Failed) -> None:
        if event.loader is self._loader:
            self.dismiss(str(event.error))

    # The state, and the one scene made of it

    @property
    def settings(self) -> Settings:
        """Strategy, options, and whether what stands before a compact boundary is counted in."""
        return self._history.current

    @property
    def options(self) -> StrategyOptions:
        """The options."""
        return self.settings.options

    def _evaluate(self) -> Evaluation:
        settings = self.settings
        return evaluate(
            self._session,
            settings.strategy,
            settings.options,
            across_boundaries=settings.across_boundaries,
            offload=settings.offload,
        )

    def _new_scene(self) -> Scene:
        shown = self._evaluation
        if (shown.options, shown.across) != (self.options, self.settings.across_boundaries):
            self._evaluation = self._evaluate()
        return Scene(self._evaluation, self._call, self._stage)

    def _changed(self) -> None:
        """Makes one new scene for however many changes are waiting, so that keys held down never queue up."""
        self._touched = True
        if not self._waiting:
            self._waiting = True
            self.call_later(self._renew)

    def _renew(self) -> None:
        self._waiting = False
        scene = self._new_scene()
        self.scene = scene
        self.query_one(AlignedPanes).scene = scene
        self._show(scene)

    def _show(self, scene: Scene) -> None:
        """Shows a scene in all widgets that are not bound to it."""
        evaluation = scene.evaluation
        self.query_one(Controls).show(
            self.options,
            marks(scene.view),
            track_reach(evaluation),
            self.settings.across_boundaries,
            bool(self._session.boundaries),
        )
        self.query_one(OptionsRow).show(self.options)
        bar = self.query_one(TimelineBar)
        bar.call, bar.threshold = scene.call, self.options.line
        self._show_title()
        self._show_status()
        self._follow(scene)

    def _show_title(self) -> None:
        if self.scene is not None:
            doing = f"playing {self._player.speed:g} a second" if self._player.playing else ""
            self.query_one(TitleBar).show(self.scene, doing)

    def _show_status(self) -> None:
        if self.scene is not None:
            self.query_one(StatusLine).show(self.scene, self.query_one(AlignedPanes).wanted)

    def _follow(self, scene: Scene) -> None:
        """Has all calls evaluated, and the sliders' sparks; one worker at a time, which then takes the newest scene."""
        self._wanted = scene
        if not self._following:
            self._following = True
            tracks = {name: slider.track_values() for name, slider in self.query_one(Controls).sliders.items()}
            self._evaluate_all(scene, self.query_one(TimelineBar).room, tracks)

    @work(thread=True, exit_on_error=False)
    def _evaluate_all(self, scene: Scene, room: int, tracks: dict[str, tuple[int, ...]]) -> None:
        self.post_message(self.Followed(scene, folded(scene.evaluation, room), None))
        found: dict[str, tuple[float, ...]] = {}
        for name, values in tracks.items():
            if self._wanted is not scene:
                break
            found[name] = spark(scene, name, values, lambda: self._wanted is not scene)
        self.post_message(self.Followed(scene, None, found))

    @on(Followed)
    def _followed(self, event: Followed) -> None:
        if event.columns is not None:
            self.query_one(TimelineBar).columns = event.columns
        if event.sparks is not None:
            self._following = False
            if self._wanted is not None and self._wanted is not event.scene:
                self._follow(self._wanted)
                return
            for name, heights in event.sparks.items():
                self.query_one(Controls).slider(name).spark = heights

    @on(TimelineBar.Resized)
    def _timeline_resized(self) -> None:
        if self.scene is not None:
            self._follow(Scene(self.scene.evaluation, self.scene.call, self.scene.stage))

    # Options

    def set_options(self, tag: str | None = None, **values: object) -> None:
        """Changes options; says so where a value is out of its range, and changes nothing then.

        Args:
            tag: Changes with the same tag, one soon after the other, are undone as one.
            values: The options.
        """
        try:
            options = self.options.changed(**values)
        except OptionError as error:
            self.notify(str(error), severity="error", markup=False)
        else:
            self._set(self.settings.model_copy(update={"options": options}), tag)

    def _set(self, settings: Settings, tag: str | None = None) -> None:
        self._history.push(settings, tag)
        if self._rest is not None:
            self._rest.stop()
        self._changed()

    @on(Controls.OptionMoved)
    def _option_moved(self, event: Controls.OptionMoved) -> None:
        self.set_options(event.name, **{event.name: event.value})

    @on(Controls.Settled)
    def _settled(self) -> None:
        self._rest = self.set_timer(_ONE_CHANGE, self._history.commit)

    @on(Slider.Rejected)
    def _rejected(self, event: Slider.Rejected) -> None:
        self.notify(f"{event.slider.label}: {event.reason}", severity="error", markup=False)

    @on(Controls.Switched)
    def _switched(self, event: Controls.Switched) -> None:
        if event.what == "all":
            self.set_options(enabled=event.on)
        elif event.what == "across":
            self.action_across()
        elif event.what in self.options.switches():
            self.set_options(None, **{event.what: event.on})
        else:
            self._switch_stage(event.what, event.on)

    def _switch_stage(self, stage: str, on: bool) -> None:
        off = [name for name in self.options.disabled_stages if name != stage]
        self.set_options(disabled_stages=tuple(off if on else [*off, stage]))

    def action_switch_stage(self) -> None:
        """Switches the stage that is shown off or on."""
        if self._stage in self._evaluation.stages:
            self._switch_stage(self._stage, self._stage in self.options.disabled_stages)
        else:
            self.notify("choose a stage first", markup=False)

    def action_switch_all(self) -> None:
        """Switches compaction off or on."""
        self.set_options(enabled=not self.options.enabled)

    def action_across(self) -> None:
        """Counts in, or leaves out, what stands before a compact boundary."""
        if not self._session.boundaries:
            self.notify("this session has no compact boundary", markup=False)
            return
        self._set(self.settings.model_copy(update={"across_boundaries": not self.settings.across_boundaries}))

    def action_reset(self) -> None:
        """Puts all options back to where they were at the start."""
        self._set(self._start.settings)

    def action_undo(self) -> None:
        """Takes the last change of the options back."""
        self._travel(self._history.undo(), "undo")

    def action_redo(self) -> None:
        """Makes the change again that was taken back."""
        self._travel(self._history.redo(), "redo")

    def _travel(self, settings: Settings | None, word: str) -> None:
        if settings is None:
            self.notify(f"nothing to {word}", markup=False)
        else:
            self._changed()

    # Stages and calls

    @on(StageTabs.Chosen)
    def _stage_chosen(self, event: StageTabs.Chosen) -> None:
        self._stage = event.stage
        self._changed()

    def action_stage(self, number: int) -> None:
        """Shows a stage by its number."""
        if self.scene is not None and number < len(self.scene.stage_names):
            self._stage = self.scene.stage_names[number]
            self._changed()

    @on(TimelineBar.Chosen)
    def _call_chosen(self, event: TimelineBar.Chosen) -> None:
        self.go_to_call(event.call)

    def action_step(self, by: int) -> None:
        """Goes to the call beside."""
        self.go_to_call(self._call + by)

    def go_to_call(self, call: int) -> None:
        """Goes to a call, or to the nearest there is."""
        call = min(max(call, 1), self._evaluation.calls[-1])
        if call != self._call:
            self._call = call
            self._changed()

    def action_event(self, step: int) -> None:
        """Goes to the next or previous call where something new happens."""
        found = events(self._new_scene().evaluation.timeline)
        place = int(np.searchsorted(found, self._call, side="right" if step > 0 else "left")) - (step < 0)
        if 0 <= place < len(found):
            self.go_to_call(int(found[place]))
        else:
            self.notify(f"nothing new {'after' if step > 0 else 'before'} this call", markup=False)

    def action_go_to_call(self) -> None:
        """Asks for a call's number."""
        from tui.app.screens.prompt import Prompt

        last = self._evaluation.calls[-1]

        def check(answer: str) -> str:
            if answer.isascii() and answer.isdigit() and len(answer) < 12 and 1 <= int(answer) <= last:
                return ""
            return f"a whole number from 1 to {last:,}, please"

        def go(answer: str | None) -> None:
            if answer is not None:
                self.go_to_call(int(answer))

        self.app.push_screen(Prompt("go to call", f"1 to {last:,}; {last:,} is the next call", check), go)

    # Playing

    @property
    def player(self) -> Player:
        """What steps through the calls by itself."""
        return self._player

    def action_play(self) -> None:
        """Plays from this call on, from the first when at the last; or pauses."""
        if self._player.playing:
            self._player.stop()
        else:
            if self._call == self._evaluation.calls[-1]:
                self.go_to_call(1)
            self._player.start()
        self._show_title()

    def _play_on(self) -> None:
        """One step of playing. Where asked to, it stops at a call where a stage newly acts."""
        last = self._evaluation.calls[-1]
        if self._call < last:
            self.go_to_call(self._call + 1)
        elif self._player.looping:
            self.go_to_call(1)
        ended = self._call == last and not self._player.looping
        starts = newly_acting(self._evaluation.timeline).values() if self._player.pausing else ()
        if ended or any(bool(mask[self._call - 1]) for mask in starts):
            self._player.stop()
            self._show_title()

    def action_speed(self, by: int) -> None:
        """Plays faster or slower."""
        self._player.faster(by)
        self._show_title()
        if not self._player.playing:
            self.notify(f"speed: {self._player.speed:g} calls a second", markup=False)

    def action_pausing(self) -> None:
        """Whether playing stops where a stage newly acts."""
        self._player.pausing = not self._player.pausing
        words = "stops at calls where a stage newly acts" if self._player.pausing else "does not stop at such calls"
        self.notify(f"playing {words}", markup=False)

    def action_looping(self) -> None:
        """Whether playing starts again at the end."""
        self._player.looping = not self._player.looping
        self.notify(f"playing {'loops' if self._player.looping else 'stops at the end'}", markup=False)

    @on(Pane.RowsChanged)
    def _rows_or_speed(self, event: Pane.RowsChanged) -> None:
        """While playing, + and - mean the speed."""
        if self._player.playing:
            self.action_speed(event.by)
        else:
            self.query_one(AlignedPanes).change_rows(event.by)

    # Blocks

    def action_changed(self, step: int) -> None:
        """Goes to the next or previous changed block; to the next match while something is searched for."""
        if step > 0 and self.query_one(SearchBar).active:
            self._go_to_hit(1)
            return
        panes = self.query_one(AlignedPanes)
        if panes.page is None or not len(panes.page):
            return
        # The screen's own state: a change that is still waiting must not send the cursor by the old picture.
        scene = self._new_scene()
        kind, message, block = panes.page.end_of(panes.cursor, step)
        if kind is Kind.SYSTEM:
            message, block = scene.view.start, -1
        elif kind is not Kind.BLOCK:
            block = -1 if step > 0 else 0
        message = min(message, len(self._session.messages) - 1)
        place = scene.view.next_changed(message, block, step, scene.stage) if self._session.messages else None
        if place is not None:
            panes.go_to(*place)
            return
        names = {"original": "before any stage", "outbound": "at this call"}
        where = names.get(scene.stage, f"by {scene.stage}")
        self.notify(f"no {'further' if step > 0 else 'earlier'} block changed {where}", markup=False)

    def action_inspect(self) -> None:
        """Opens the inspector on the block under the cursor."""
        from tui.app.screens.inspector import Inspector

        panes = self.query_one(AlignedPanes)
        if self.scene is None or panes.source is None or panes.page is None:
            self.notify("there is no block under the cursor", markup=False)
            return

        def go(step: int | None) -> None:
            if step is not None:
                self.action_changed(step)
                self.action_inspect()

        self.app.push_screen(Inspector(panes.page, self.scene, panes.cursor), go)

    def action_fold_gap(self) -> None:
        """Folds or unfolds the dropped messages."""
        panes = self.query_one(AlignedPanes)
        if self.scene is not None and not panes.gap_folded and self.scene.kept_from == self.scene.view.start:
            self.notify("nothing is dropped here", markup=False)
            return
        panes.gap_folded = not panes.gap_folded

    def action_copy(self) -> None:
        """Copies what is selected, else the text of the block under the cursor as the stage that is shown leaves it."""
        panes, scene = self.query_one(AlignedPanes), self.scene
        selected = self.get_selected_text()
        if selected:
            self.app.copy_to_clipboard(selected)
            self.notify(f"copied the selection: {units(selected):,} chars", markup=False)
            return
        source = panes.source
        if scene is None or source is None or panes.page is None:
            self.notify("there is no block under the cursor", markup=False)
            return
        kind, message, block = panes.page.entry(panes.cursor)
        text = None
        if kind is Kind.BLOCK and isinstance(source, ToolResultBlock) and scene.sees(message):
            text = scene.view.content(message, block, scene.stage)
        text = body_text(source) if text is None else text
        self.app.copy_to_clipboard(text)
        self.notify(f"copied {units(text):,} chars", markup=False)

    # Searching and filtering

    def action_search(self) -> None:
        """Opens the search."""
        bar = self.query_one(SearchBar)
        bar.start_from = self._block_under_cursor(-1)
        bar.open()

    @on(SearchBar.Asked)
    def _asked(self, event: SearchBar.Asked) -> None:
        self.query_one(AlignedPanes).search(event.pattern)

    @on(SearchBar.Entered)
    def _search_entered(self) -> None:
        self.query_one("#conversation").focus()
        if self.query_one(SearchBar).active:
            self._go_to_hit(1, here=True)

    @on(SearchBar.Closed)
    def _end_search(self) -> None:
        self.query_one(SearchBar).close()
        self.query_one("#conversation").focus()

    def action_hit(self, step: int) -> None:
        """Goes to the next or previous match; round the end."""
        if self.query_one(SearchBar).active:
            self._go_to_hit(step)
        else:
            self.notify("nothing is searched for: / starts a search", markup=False)

    def _go_to_hit(self, step: int, here: bool = False) -> None:
        bar = self.query_one(SearchBar)
        number = bar.next_hit(self._block_under_cursor(-1 if here else step), step, here)
        pattern = bar.pattern
        if number is not None and pattern is not None:
            self.query_one(AlignedPanes).reveal(*self._evaluation.index.locate(number), pattern)

    def _block_under_cursor(self, step: int) -> int:
        """Which block a walk by ``step`` goes on from; a gap that a filter left is passed as a whole."""
        panes = self.query_one(AlignedPanes)
        if panes.page is None or not len(panes.page):
            return 0
        kind, message, block = panes.page.end_of(panes.cursor, step)
        if kind is Kind.BLOCK:
            return self._evaluation.index.block_number(message, block)
        # Between blocks: the next one has not been passed.
        following = 0 if kind is Kind.SYSTEM else self._evaluation.index.block_number(message, 0)
        return following - (step > 0)

    def action_filter(self) -> None:
        """Chooses which blocks are shown."""
        from tui.app.screens.filter import FilterScreen

        panes = self.query_one(AlignedPanes)
        roles = tuple(dict.fromkeys(message.role for message in self._session.messages))
        tools = blocks_by_tool(self._evaluation.index).names

        def apply(wanted: Filter) -> None:
            panes.filter(wanted)
            self._show_status()

        self.app.push_screen(FilterScreen(panes.wanted, roles, tools, apply))

    # Other screens

    def action_tools(self) -> None:
        """Shows every tool, and which may be cleared."""
        from tui.app.screens.tools import ToolsScreen

        def switch(names: tuple[str, ...]) -> None:
            self.set_options(compactable_tools=names)

        self.app.push_screen(ToolsScreen(self._new_scene(), switch))

    def action_waterfall(self) -> None:
        """Shows what each stage saved at this call."""
        from tui.app.screens.waterfall import WaterfallScreen

        self.app.push_screen(WaterfallScreen(self._new_scene()))

    def action_trace(self) -> None:
        """Shows the trace lines; the chosen one's call and stage are gone to."""
        from tui.app.screens.trace import TraceScreen

        def go(chosen: tuple[int, str] | None) -> None:
            if chosen is not None:
                call, self._stage = chosen
                self.go_to_call(call)
                self._changed()

        self.app.push_screen(TraceScreen(self._new_scene()), go)

    def action_finder(self) -> None:
        """Shows the values at which the picture changes; the chosen one is set."""
        from tui.app.screens.finder import FinderScreen

        def go(chosen: tuple[str, int] | None) -> None:
            if chosen is not None:
                option, value = chosen
                self.set_options(None, **{option: value})

        self.app.push_screen(FinderScreen(self._new_scene()), go)

    def action_strategy(self) -> None:
        """Asks for another strategy."""
        from tui.app.screens.strategy import StrategyScreen

        self.app.push_screen(StrategyScreen(self.settings.strategy), self.choose_strategy)

    def choose_strategy(self, name: str | None, stage: str = OUTBOUND) -> None:
        """Shows the session under another strategy, with that one's defaults, at the same call."""
        if name is None:
            return
        if name == self.settings.strategy:
            self._stage = stage
            self._changed()
            return
        if self._loader is not None:
            self.notify("the session is still being read", markup=False)
            return
        settings = Settings(
            strategy=name, across_boundaries=self.settings.across_boundaries, offload=self.settings.offload
        )
        start = Start(settings, call=self._call, stage=stage)
        self.dismiss(replace(self._opened, start=start))

    def action_compare(self) -> None:
        """Asks what to compare with, and shows both side by side."""
        from tui.app.screens.compare import CompareScreen
        from tui.app.screens.strategy import StrategyScreen

        def compare(name: str | None) -> None:
            if name is None:
                return
            # The same strategy is compared with its settings at the start.
            settings = self._start.settings if name == self._start.settings.strategy else Settings(strategy=name)
            across, offload = self.settings.across_boundaries, self.settings.offload
            other = evaluate(
                self._session, settings.strategy, settings.options, across_boundaries=across, offload=offload
            )
            shown = self._new_scene().evaluation
            page, place = self._opened.page, self.query_one(AlignedPanes).place
            entry = page.entry_of(*place) if place is not None else 0
            self.app.push_screen(CompareScreen(page, shown, other, self._call, entry), self._back_at)

        self.app.push_screen(StrategyScreen(self.settings.strategy, "compare with"), compare)

    def _back_at(self, call: int | None) -> None:
        if call is not None:
            self.go_to_call(call)

    def action_settings(self) -> None:
        """Shows the settings, to copy or to write."""
        from tui.app.screens.settings import SettingsScreen

        self.app.push_screen(SettingsScreen(self.settings))

    def action_levels(self) -> None:
        """Shows what the five levels of Claude Code would do at this call; the chosen one is shown."""
        from tui.app.screens.levels import LevelsScreen
        from tui.strategies.levels import levels

        def go(level: Level | None) -> None:
            if level is not None:
                self.choose_strategy(level.strategy, level.stage)

        found = levels(self._session, self._call, self.settings.across_boundaries)
        self.app.push_screen(LevelsScreen(found, self._call), go)

    def action_cache_state(self) -> None:
        """Shows the tables of the cached microcompact, and its edits as they are sent."""
        from tui.app.screens.state import state_text
        from tui.app.screens.text import TextScreen
        from tui.strategies.claude_code_cached import cached_state

        state = cached_state(self._new_scene().view)
        if state is None:
            self.notify("only Claude Code's cached microcompact keeps tables (V chooses it)", markup=False)
        else:
            self.app.push_screen(TextScreen(f"the provider's cache at call {self._call:,}", state_text(state)))

    def action_again(self) -> None:
        """Shows what the strategy would change if it ran on its own output."""
        from tui.app.screens.state import again_text
        from tui.app.screens.text import TextScreen
        from tui.strategies.again import run_again

        scene = self._new_scene()
        found = run_again(scene.evaluation, scene.view)
        self.app.push_screen(TextScreen(f"run again on the output of call {self._call:,}", again_text(found)))

    def action_notes(self) -> None:
        """Shows what was skipped or repaired while reading, and what an API would refuse."""
        from tui.app.screens.text import TextScreen

        scene = self._new_scene()
        verdict = acceptance(scene.view, scene.evaluation.index, most=20)
        out = [f"{self._session.format}: {visible_line(self._session.source)}", ""]
        out += ["Skipped or repaired while reading:"]
        out += [f"  {visible_line(str(note))}" for note in self._session.notes] or ["  nothing"]
        out += ["", f"Call {scene.call:,}: {verdict}"]
        out += [f"  {problem}" for problem in verdict.first]
        if verdict.count > len(verdict.first):
            out.append(f"  … and {verdict.count - len(verdict.first):,} more")
        self.app.push_screen(TextScreen("notes", Content("\n".join(out))))

    def action_help(self) -> None:
        """Shows all keys."""
        from tui.app.screens.text import help_screen

        self.app.push_screen(help_screen())

    # The rest

    def action_sliders(self) -> None:
        """Goes to the sliders, opening them where the screen is too short to show them always; or back."""
        if self._in_controls:
            self._leave_controls()
        else:
            self.add_class("-sliders-open")
            self.call_after_refresh(next(iter(self.query_one(Controls).sliders.values())).focus)

    @property
    def _in_controls(self) -> bool:
        return self.focused is not None and self.query_one(Controls) in self.focused.ancestors

    def _leave_controls(self) -> None:
        self.remove_class("-sliders-open")
        self.query_one("#conversation").focus()

    def key_escape(self) -> None:
        """Ends what is going on: the search, the sliders over the panes, loading."""
        if self.query_one(SearchBar).has_class("-open"):
            self._end_search()
        elif self._in_controls or self.has_class("-sliders-open"):
            self._leave_controls()
        elif self._loader is not None:
            self.dismiss("")

    def action_open(self) -> None:
        """Leaves for the picker."""
        self.dismiss("")

    def action_theme(self) -> None:
        """Switches between dark and light."""
        self.app.theme = "textual-light" if self.app.current_theme.dark else "textual-dark"

    async def action_quit(self) -> None:
        """Quits."""
        self.app.exit()
