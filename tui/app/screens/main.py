"""The main screen: conversation beside outbound view, gauges, sliders. It owns what is shown, and nothing else does."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message as TextualMessage
from textual.reactive import var
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Footer, Static
from textual.worker import get_current_worker

from tui.app.commands import bindings
from tui.app.content import body_text
from tui.app.filtering import Filter
from tui.app.layout import Kind
from tui.app.opened import Opened
from tui.app.scene import Scene
from tui.app.screens.filter import FilterScreen
from tui.app.screens.inspector import Inspector
from tui.app.screens.prompt import Prompt
from tui.app.screens.text import TextScreen, help_screen
from tui.app.spark import spark
from tui.app.widgets.controls import Controls, OptionsRow
from tui.app.widgets.gauge import Gauge
from tui.app.widgets.pane import Pane
from tui.app.widgets.panes import AlignedPanes
from tui.app.widgets.search_bar import SearchBar
from tui.app.widgets.slider import Slider
from tui.app.widgets.stage_tabs import StageTabs
from tui.app.widgets.timeline import Columns, TimelineBar, fold
from tui.model import OptionError, OutboundError, ToolResultBlock
from tui.model.chars import units
from tui.model.visible import visible_line
from tui.pipeline.acceptance import acceptance
from tui.pipeline.by_tool import blocks_by_tool
from tui.pipeline.evaluation import Evaluation
from tui.pipeline.events import events, newly_acting
from tui.pipeline.marks import marks, track_reach
from tui.pipeline.options import STAGES
from tui.pipeline.search import Query, search, sent_hits
from tui.strategies import evaluate, strategy_named

_SPEEDS = (0.5, 1, 2, 4, 8, 16, 32)
"""Calls a second while playing."""


class MainScreen(Screen[None]):
    """One session. Sliders, tabs and steps change the state; each change makes one new scene for all widgets."""

    BINDINGS: ClassVar[list[BindingType]] = bindings()

    CSS_PATH = "main.tcss"

    VERTICAL_BREAKPOINTS = [(0, "-short"), (32, "-tall")]  # noqa: RUF012 (Textual declares it per instance)

    scene: var[Scene | None] = var(None)
    """What is shown."""

    @dataclass
    class Followed(TextualMessage):
        """The worker has evaluated all calls of a scene, or its sliders' sparks."""

        scene: Scene
        columns: Columns | None
        sparks: dict[str, tuple[float, ...]] | None
        sent: list[int] | None = None

    @dataclass
    class Found(TextualMessage):
        """The search has found blocks."""

        query: Query
        blocks: list[int]
        done: bool

    def __init__(self, opened: Opened) -> None:
        super().__init__()
        self._opened = opened
        self._session = opened.session
        start = opened.start
        self._start = start
        self._options = start.options
        self._across = start.across
        self._stage = start.stage
        self._evaluation = self._evaluate()
        calls = self._evaluation.calls
        self._call = calls[-1] if start.call is None else min(max(start.call, 1), calls[-1])
        self._waiting = False
        self._wanted: Scene | None = None
        self._following = False
        self._player: Timer | None = None
        self._query: Query | None = None
        self._hits: list[int] = []
        self._sent: list[int] = []
        self._searched = False
        self._speed = _SPEEDS.index(2)
        self._pausing = False
        self._looping = False

    def compose(self) -> ComposeResult:
        """Title, tabs, gauges, panes, controls, status, footer."""
        yield Static(id="title", markup=False)
        if self._start.look_for:
            yield Static(
                Content.assemble(("look for  ", "bold $text-accent"), self._start.look_for), id="look-for", markup=False
            )
        yield StageTabs(id="tabs").data_bind(MainScreen.scene)
        with Vertical(id="gauges"):
            for stage in STAGES:
                yield Gauge(stage, id=f"gauge-{stage}").data_bind(MainScreen.scene)
            yield Gauge(id="gauge-current").data_bind(MainScreen.scene)
        yield AlignedPanes(id="panes")
        yield TimelineBar(id="timeline")
        yield Controls(self._options, id="controls")
        yield OptionsRow(id="options-row")
        yield SearchBar(id="search")
        yield Static(id="status", markup=False)
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Draws the first scene."""
        scene = self._new_scene()
        self.scene = scene
        panes = self.query_one(AlignedPanes)
        panes.open(self._opened.page, scene, self._first_entry(scene))
        self._show_controls(scene)
        self.query_one("#conversation").focus()

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

    def _evaluate(self) -> Evaluation:
        return evaluate(self._session, self._start.strategy, self._options, across_boundaries=self._across)

    def _new_scene(self) -> Scene:
        if (self._evaluation.options, self._evaluation.across) != (self._options, self._across):
            self._evaluation = self._evaluate()
        return Scene(self._evaluation, self._call, self._stage)

    def _changed(self) -> None:
        """Makes one new scene for however many changes are waiting, so that keys held down never queue up."""
        if not self._waiting:
            self._waiting = True
            self.call_later(self._renew)

    def _renew(self) -> None:
        self._waiting = False
        scene = self._new_scene()
        self.scene = scene
        self.query_one(AlignedPanes).scene = scene
        self._show_controls(scene)

    def _show_controls(self, scene: Scene) -> None:
        evaluation = scene.evaluation
        reach = track_reach(evaluation)
        self.query_one(Controls).show(
            self._options, marks(scene.view), reach, self._across, bool(self._session.boundaries)
        )
        self.query_one(OptionsRow).show(self._options)
        self._show_title(scene)
        self._show_status(scene)
        bar = self.query_one(TimelineBar)
        bar.call, bar.threshold = scene.call, self._options.threshold
        self._follow(scene)

    def _follow(self, scene: Scene) -> None:
        """Has all calls evaluated, and the sliders' sparks; one worker at a time, which then takes the newest scene."""
        self._wanted = scene
        if not self._following:
            self._following = True
            tracks = {name: slider.track_values() for name, slider in self.query_one(Controls).sliders.items()}
            self._evaluate_all(scene, self.query_one(TimelineBar).room, tracks)

    @work(thread=True, exit_on_error=False)
    def _evaluate_all(self, scene: Scene, room: int, tracks: dict[str, tuple[int, ...]]) -> None:
        self.post_message(self.Followed(scene, fold(scene.evaluation.timeline, room), None))
        query = self._query
        if query is not None and self._wanted is scene:
            sent = sent_hits(scene.view, scene.evaluation.index, query, list(self._hits), scene.stage)
            self.post_message(self.Followed(scene, None, None, sent))
        found: dict[str, tuple[float, ...]] = {}
        for name, values in tracks.items():
            if self._wanted is not scene:
                break
            found[name] = spark(scene, name, values)
        self.post_message(self.Followed(scene, None, found))

    @on(Followed)
    def _followed(self, event: Followed) -> None:
        if event.columns is not None:
            self.query_one(TimelineBar).columns = event.columns
        if event.sent is not None and self._query is not None:
            self._sent = event.sent
            self._count_hits()
        if event.sparks is not None:
            for name, heights in event.sparks.items():
                self.query_one(Controls).slider(name).spark = heights
            self._following = False
            if self._wanted is not None and self._wanted is not event.scene:
                self._follow(self._wanted)

    @on(TimelineBar.Resized)
    def _timeline_resized(self) -> None:
        if self.scene is not None:
            self._follow(Scene(self.scene.evaluation, self.scene.call, self.scene.stage))

    @on(TimelineBar.Chosen)
    def _call_chosen(self, event: TimelineBar.Chosen) -> None:
        self.go_to_call(event.call)

    def _show_title(self, scene: Scene) -> None:
        name = visible_line(self._session.title or self._session.source.rsplit("/", 1)[-1] or "a session")
        strategy = strategy_named(scene.evaluation.strategy).title
        calls = len(scene.evaluation.calls)
        playing = f"  playing {_SPEEDS[self._speed]:g} a second" if self.playing else ""
        which = f"call {scene.call:,} of {calls:,}" + (" (next)" if scene.call == calls else "")
        parts = Content.assemble(
            ("outbound", "bold $text-primary"),
            "  ",
            name,
            "  ",
            (strategy, "$foreground 60%"),
            "  ",
            (which, "bold"),
            (playing, "$text-success"),
        )
        self.query_one("#title", Static).update(parts, layout=False)

    def _show_status(self, scene: Scene) -> None:
        verdict = acceptance(scene.view, scene.evaluation.index)
        style = "$text-success" if not verdict.count else "$text-error"
        parts: list[str | tuple[str, str]] = [(str(verdict), style)]
        if wanted := self.query_one(AlignedPanes).wanted:
            parts.append((f"   filter (f): {visible_line(str(wanted))}", "$text-accent"))
        if scene.view.uncounted:
            parts.append((f"   uncounted: {scene.view.uncounted:,} of thinking", "$foreground 60%"))
        if notes := self._notes_summary():
            parts.append((f"   {notes} (w)", "$text-warning"))
        self.query_one("#status", Static).update(Content.assemble(*parts), layout=False)

    def _notes_summary(self) -> str:
        sums: dict[str, int] = {}
        for note in self._session.notes:
            if note.kind != "info":
                sums[note.kind] = sums.get(note.kind, 0) + note.count
        return ", ".join(f"{count:,} {kind}" for kind, count in sums.items())

    def set_options(self, **values: object) -> None:
        """Changes options; says so where a value is out of its range, and changes nothing then."""
        try:
            self._options = self._options.changed(**values)
        except OptionError as error:
            self.notify(str(error), severity="error", markup=False)
        else:
            self._changed()

    @on(Controls.OptionMoved)
    def _option_moved(self, event: Controls.OptionMoved) -> None:
        self.set_options(**{event.name: event.value})

    @on(Slider.Rejected)
    def _rejected(self, event: Slider.Rejected) -> None:
        self.notify(f"{event.slider.label}: {event.reason}", severity="error", markup=False)

    @on(Controls.Switched)
    def _switched(self, event: Controls.Switched) -> None:
        if event.what == "all":
            self.set_options(enabled=event.on)
        elif event.what == "across":
            self.action_across()
        else:
            self._switch_stage(event.what, event.on)

    def _switch_stage(self, stage: str, on: bool) -> None:
        off = [name for name in self._options.disabled_stages if name != stage]
        self.set_options(disabled_stages=tuple(off if on else [*off, stage]))

    @on(StageTabs.Chosen)
    def _stage_chosen(self, event: StageTabs.Chosen) -> None:
        self._stage = event.stage
        self._changed()

    def action_stage(self, number: int) -> None:
        """Shows a stage by its number."""
        if self.scene is not None and number < len(self.scene.stage_names):
            self._stage = self.scene.stage_names[number]
            self._changed()

    def action_switch_stage(self) -> None:
        """Switches the stage that is shown off or on."""
        if self._stage in STAGES:
            self._switch_stage(self._stage, not self._options.runs(self._stage))
        else:
            self.notify("choose a stage first: 1, 2 or 3", markup=False)

    def action_switch_all(self) -> None:
        """Switches compaction off or on."""
        self.set_options(enabled=not self._options.enabled)

    def action_across(self) -> None:
        """Counts in, or leaves out, what stands before a compact boundary."""
        if not self._session.boundaries:
            self.notify("this session has no compact boundary", markup=False)
            return
        self._across = not self._across
        self._changed()

    def action_step(self, by: int) -> None:
        """Goes to the call beside."""
        self.go_to_call(self._call + by)

    def go_to_call(self, call: int) -> None:
        """Goes to a call, or to the nearest there is."""
        if self.scene is None:
            return
        calls = self.scene.evaluation.calls
        call = min(max(call, 1), calls[-1])
        if call != self._call:
            self._call = call
            self._changed()

    def action_event(self, step: int) -> None:
        """Goes to the next or previous call where something new happens."""
        found = events(self._evaluation.timeline)
        place = int(np.searchsorted(found, self._call, side="right" if step > 0 else "left")) - (step < 0)
        if 0 <= place < len(found):
            self.go_to_call(int(found[place]))
        else:
            self.notify(f"nothing new {'after' if step > 0 else 'before'} this call", markup=False)

    @property
    def playing(self) -> bool:
        """Whether calls are being stepped through by themselves."""
        return self._player is not None

    def action_play(self) -> None:
        """Plays from this call on, from the first when at the last; or pauses."""
        if self._player is not None:
            self._stop_playing()
            return
        if self._call == self._evaluation.calls[-1]:
            self.go_to_call(1)
        self._start_playing()

    def _start_playing(self) -> None:
        if self._player is not None:
            self._player.stop()
        self._player = self.set_interval(1 / _SPEEDS[self._speed], self._play_on)
        self._changed()

    def _stop_playing(self) -> None:
        if self._player is not None:
            self._player.stop()
            self._player = None
            self._changed()

    def _play_on(self) -> None:
        """One step of playing. Where asked to, it stops at a call where a stage newly acts."""
        last = self._evaluation.calls[-1]
        if self._call == last and not self._looping:
            self._stop_playing()
            return
        self.go_to_call(1 if self._call == last else self._call + 1)
        if self._pausing:
            starts = newly_acting(self._evaluation.timeline)
            if any(bool(mask[self._call - 1]) for mask in starts.values()):
                self._stop_playing()
        elif self._call == last and not self._looping:
            self._stop_playing()

    def action_speed(self, by: int) -> None:
        """Plays faster or slower."""
        self._speed = min(max(self._speed + by, 0), len(_SPEEDS) - 1)
        if self.playing:
            self._start_playing()
        else:
            self.notify(f"speed {_SPEEDS[self._speed]:g} calls a second", markup=False)

    def action_pausing(self) -> None:
        """Whether playing stops where a stage newly acts."""
        self._pausing = not self._pausing
        words = "stops at calls where a stage newly acts" if self._pausing else "does not stop at such calls"
        self.notify(f"playing {words}", markup=False)

    def action_looping(self) -> None:
        """Whether playing starts again at the end."""
        self._looping = not self._looping
        self.notify(f"playing {'loops' if self._looping else 'stops at the end'}", markup=False)

    @on(Pane.RowsChanged)
    def _rows_or_speed(self, event: Pane.RowsChanged) -> None:
        if self.playing:
            self.action_speed(event.by)
        else:
            self.query_one(AlignedPanes).change_rows(event.by)

    def action_go_to_call(self) -> None:
        """Asks for a call's number."""
        assert self.scene is not None
        last = self.scene.evaluation.calls[-1]

        def check(answer: str) -> str:
            if answer.isascii() and answer.isdigit() and len(answer) < 12 and 1 <= int(answer) <= last:
                return ""
            return f"a whole number from 1 to {last:,}, please"

        def go(answer: str | None) -> None:
            if answer is not None:
                self.go_to_call(int(answer))

        self.app.push_screen(Prompt("go to call", f"1 to {last:,}; {last:,} is the next call", check), go)

    def action_changed(self, step: int) -> None:
        """Goes to the next or previous changed block; to the next match while something is searched for."""
        if self._query is not None and step > 0:
            self._go_to_hit(1)
            return
        panes = self.query_one(AlignedPanes)
        # The screen's own state: a change that is still waiting must not send the cursor by the old picture.
        scene = self._new_scene() if self._waiting else self.scene
        if scene is None or panes.page is None or not len(panes.page):
            return
        stage = scene.stage
        kind, message, block = panes.page.entry(panes.cursor)
        if kind is Kind.SYSTEM:
            message, block = scene.view.start, -1
        elif kind is not Kind.BLOCK:
            block = -1 if step > 0 else 0
        message = min(message, len(self._session.messages) - 1)
        place = scene.view.next_changed(message, block, step, stage)
        if place is None:
            where = (
                "before any stage" if stage == "original" else "at this call" if stage == "outbound" else f"by {stage}"
            )
            self.notify(f"no {'further' if step > 0 else 'earlier'} block changed {where}", markup=False)
        else:
            panes.go_to(*place)

    def action_filter(self) -> None:
        """Chooses which blocks are shown."""
        panes = self.query_one(AlignedPanes)
        roles = tuple(dict.fromkeys(message.role for message in self._session.messages))
        tools = blocks_by_tool(self._evaluation.index).names

        def apply(wanted: Filter) -> None:
            panes.filter(wanted)
            if self.scene is not None:
                self._show_status(self.scene)

        self.app.push_screen(FilterScreen(panes.wanted, roles, tools, apply))

    def action_search(self) -> None:
        """Opens the search."""
        self.query_one(SearchBar).open()
        if self._query is None:
            self._ask(self.query_one(SearchBar).query_now)

    @on(SearchBar.Asked)
    def _asked(self, event: SearchBar.Asked) -> None:
        self._ask(event.query)

    def _ask(self, query: Query | None) -> None:
        bar, panes = self.query_one(SearchBar), self.query_one(AlignedPanes)
        self.workers.cancel_group(self, "search")
        self._query, self._hits, self._sent, self._searched = query, [], [], False
        pattern = None
        if query is not None:
            try:
                pattern = query.pattern
            except OutboundError as error:
                self._query = None
                bar.count(error.problem, wrong=True)
        panes.search(pattern)
        if pattern is not None and query is not None:
            bar.count("searching")
            self._search(query, self._block_under_cursor())
        elif query is None:
            bar.count("")

    def _block_under_cursor(self) -> int:
        panes = self.query_one(AlignedPanes)
        if panes.page is None or not len(panes.page):
            return 0
        kind, message, block = panes.page.entry(panes.cursor)
        if kind is Kind.SYSTEM:
            return 0
        index = self._evaluation.index
        return index.block_number(min(message, len(self._session.messages)), block if kind is Kind.BLOCK else 0)

    @work(thread=True, group="search", exclusive=True, exit_on_error=False)
    def _search(self, query: Query, first: int) -> None:
        worker = get_current_worker()
        for batch in search(self._evaluation.index, query, first, lambda: worker.is_cancelled):
            if batch:
                self.post_message(self.Found(query, batch, done=False))
        if not worker.is_cancelled:
            self.post_message(self.Found(query, [], done=True))

    @on(Found)
    def _found(self, event: Found) -> None:
        if event.query is not self._query:
            return
        # Batches are ascending, and the later ones all follow or all precede the first.
        if self._hits and event.blocks and event.blocks[-1] < self._hits[-1]:
            at = bisect_left(self._hits, event.blocks[0])
            self._hits[at:at] = event.blocks
        else:
            self._hits += event.blocks
        self._searched = event.done
        if event.done and self.scene is not None:
            self._follow(Scene(self.scene.evaluation, self.scene.call, self.scene.stage))
        self._count_hits()

    def _count_hits(self) -> None:
        here = f"{len(self._hits):,} in the conversation"
        sent = f", {len(self._sent):,} sent" if self._searched else " so far"
        self.query_one(SearchBar).count(here + sent)

    @on(SearchBar.Entered)
    def _search_entered(self) -> None:
        self.query_one("#conversation").focus()
        if self._query is not None:
            self._go_to_hit(1, here=True)

    @on(SearchBar.Closed)
    def _search_closed(self) -> None:
        self._end_search()

    def _end_search(self) -> None:
        bar = self.query_one(SearchBar)
        self._ask(None)
        bar.close()
        self.query_one("#conversation").focus()

    def action_hit(self, step: int) -> None:
        """Goes to the next or previous match; round the end."""
        if self._query is None:
            self.notify("nothing is searched for: / starts a search", markup=False)
        else:
            self._go_to_hit(step)

    def _go_to_hit(self, step: int, here: bool = False) -> None:
        assert self._query is not None
        hits = sorted({*self._hits, *self._sent}) if len(self._sent) > len(self._hits) else self._hits
        if not hits:
            self.notify("no match" if self._searched else "no match yet", markup=False)
            return
        number = self._block_under_cursor()
        if step > 0:
            place = bisect_left(hits, number) if here else bisect_right(hits, number)
        else:
            place = bisect_left(hits, number) - 1
        message, block = self._evaluation.index.locate(hits[place % len(hits)])
        self.query_one(AlignedPanes).reveal(message, block, self._query.pattern)

    def action_inspect(self) -> None:
        """Opens the inspector on the block under the cursor."""
        panes = self.query_one(AlignedPanes)
        if self.scene is None or panes.page is None or not len(panes.page):
            return
        if panes.page.kind[panes.cursor] not in (Kind.BLOCK, Kind.SYSTEM):
            self.notify("there is no block under the cursor", markup=False)
            return

        def go(step: int | None) -> None:
            if step is not None:
                self.action_changed(step)
                self.action_inspect()

        self.app.push_screen(Inspector(panes.page, self.scene, panes.cursor), go)

    def on_aligned_panes_inspected(self) -> None:
        """Opens the inspector."""
        self.action_inspect()

    def action_fold_gap(self) -> None:
        """Folds or unfolds the dropped messages."""
        panes = self.query_one(AlignedPanes)
        if self.scene is not None and not panes.gap_folded and self.scene.kept_from == self.scene.view.start:
            self.notify("nothing is dropped here", markup=False)
            return
        panes.gap_folded = not panes.gap_folded

    def action_copy(self) -> None:
        """Copies the text of the block under the cursor, as the stage that is shown leaves it."""
        panes, scene = self.query_one(AlignedPanes), self.scene
        if scene is None or panes.page is None or not len(panes.page):
            return
        source = panes.page.source(panes.cursor)
        if source is None:
            self.notify("there is no block under the cursor", markup=False)
            return
        kind, message, block = panes.page.entry(panes.cursor)
        text = None
        if kind is Kind.BLOCK and isinstance(source, ToolResultBlock) and scene.sees(message):
            text = scene.view.content(message, block, scene.stage)
        text = body_text(source) if text is None else text
        self.app.copy_to_clipboard(text)
        self.notify(f"copied {units(text):,} chars", markup=False)

    def action_sliders(self) -> None:
        """Goes to the sliders, opening them where the screen is too short to show them always; or back."""
        controls = self.query_one(Controls)
        inside = self.focused is not None and controls in self.focused.ancestors
        if inside:
            self.remove_class("-sliders-open")
            self.query_one("#conversation").focus()
        else:
            self.add_class("-sliders-open")
            self.call_after_refresh(controls.slider("threshold").focus)

    def key_escape(self) -> None:
        """Leaves the sliders, or ends the search."""
        if self._query is not None or self.query_one(SearchBar).has_class("-open"):
            self._end_search()
        elif self.has_class("-sliders-open") or (self.focused and self.query_one(Controls) in self.focused.ancestors):
            self.remove_class("-sliders-open")
            self.query_one("#conversation").focus()

    def action_reset(self) -> None:
        """Puts all options back to where they were at the start."""
        self._options = self._start.options
        self._changed()

    def action_notes(self) -> None:
        """Shows what was skipped or repaired while reading, and what an API would refuse."""
        assert self.scene is not None
        verdict = acceptance(self.scene.view, self.scene.evaluation.index, most=20)
        out = [f"{self._session.format}: {visible_line(self._session.source)}", ""]
        out += ["Skipped or repaired while reading:"]
        out += [f"  {visible_line(str(note))}" for note in self._session.notes] or ["  nothing"]
        out += ["", f"Call {self.scene.call:,}: {verdict}"]
        out += [f"  {problem}" for problem in verdict.first]
        if verdict.count > len(verdict.first):
            out.append(f"  … and {verdict.count - len(verdict.first):,} more")
        self.app.push_screen(TextScreen("notes", Content("\n".join(out))))

    def action_help(self) -> None:
        """Shows all keys."""
        self.app.push_screen(help_screen())

    def action_open(self) -> None:
        """Leaves for the picker."""
        self.dismiss(None)

    def action_theme(self) -> None:
        """Switches between dark and light."""
        self.app.theme = "textual-light" if self.app.current_theme.dark else "textual-dark"

    async def action_quit(self) -> None:
        """Quits."""
        self.app.exit()
