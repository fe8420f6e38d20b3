"""The search: a line to type in, and all that it finds."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message as TextualMessage
from textual.reactive import var
from textual.widgets import Checkbox, Input, Static
from textual.worker import get_current_worker

from tui.app.scene import Scene
from tui.app.widgets.controls import Switch
from tui.model import OutboundError
from tui.pipeline.search import Query, search, sent_hits


class SearchBar(Horizontal):
    """A search over both sides. It finds blocks in a worker, the nearest first, and counts them as they come."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", show=False),
        Binding("alt+r", "regex", "Regular expression", show=False),
    ]
    """
    | Key(s) | Description |
    | :- | :- |
    | enter | Go to the first match. |
    | alt+r | Plain text, or a regular expression. |
    | escape | End the search. |
    """

    DEFAULT_CSS = """
    SearchBar {
        height: 1;
        display: none;
        background: $boost;
        padding: 0 1;
        &.-open { display: block; }
        & Input { width: 1fr; background: $boost; }
        & .slash { width: 2; color: $text-primary; text-style: bold; }
        & Checkbox { width: auto; margin: 0 1; }
        & .count { width: auto; color: $foreground 75%; }
        & .count.-wrong { color: $text-error; }
    }
    """

    scene: var[Scene | None] = var(None)
    """What is shown; its outbound side is searched too."""

    @dataclass
    class Asked(TextualMessage):
        """Something else is searched for; None for nothing."""

        pattern: re.Pattern[str] | None

    class Entered(TextualMessage):
        """The user wants to go to the first match."""

    class Closed(TextualMessage):
        """The user has done with the search."""

    @dataclass
    class Found(TextualMessage):
        """The worker has found blocks of the conversation, ascending."""

        query: Query
        blocks: list[int]
        done: bool

    @dataclass
    class Sent(TextualMessage):
        """The worker has found the matches among what is sent, and put them together with those before any stage."""

        query: Query
        scene: Scene
        blocks: list[int]
        both: list[int]

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self._query: Query | None = None
        self._hits: list[int] = []
        self._sent: list[int] | None = None
        self._both: list[int] | None = None
        self._done = False
        self.start_from = 0
        """The block that a new search begins with."""

    def compose(self) -> ComposeResult:
        """A slash, the text, the switch, the counts."""
        yield Static("/", classes="slash", markup=False)
        yield Input(placeholder="search both sides; a capital makes case count", select_on_focus=True, compact=True)
        yield Switch("regex", compact=True)
        yield Static(classes="count", markup=False)

    @property
    def active(self) -> bool:
        """Whether something is searched for."""
        return self._query is not None

    @property
    def pattern(self) -> re.Pattern[str] | None:
        """What is searched for, compiled."""
        return self._query.pattern if self._query else None

    def open(self) -> None:
        """Shows the line and takes the focus; goes on with what it holds."""
        self.add_class("-open")
        self.query_one(Input).focus()
        if not self.active:
            self._ask()

    def close(self) -> None:
        """Hides the line and ends the search."""
        self.remove_class("-open")
        self._ask(ended=True)

    @on(Input.Changed)
    @on(Checkbox.Changed)
    def _changed(self, event: TextualMessage) -> None:
        event.stop()
        if self.has_class("-open"):
            self._ask()

    def _ask(self, ended: bool = False) -> None:
        self.workers.cancel_node(self)
        text = "" if ended else self.query_one(Input).value
        query = Query(text, self.query_one(Checkbox).value) if text else None
        self._query, self._hits, self._sent, self._both, self._done = None, [], None, None, False
        pattern = None
        if query is not None:
            try:
                pattern = query.pattern
            except OutboundError as error:
                self._say(error.problem, wrong=True)
        elif not ended:
            self._say("")
        self.post_message(self.Asked(pattern))
        if pattern is not None and query is not None and self.scene is not None:
            self._query = query
            self._say("searching")
            self._search(query, self.scene, self.start_from)

    @work(thread=True, group="find", exclusive=True, exit_on_error=False)
    def _search(self, query: Query, scene: Scene, first: int) -> None:
        worker = get_current_worker()
        for batch in search(scene.evaluation.index, query, first, lambda: worker.is_cancelled):
            if batch:
                self.post_message(self.Found(query, batch, done=False))
        if not worker.is_cancelled:
            self.post_message(self.Found(query, [], done=True))

    @on(Found)
    def _found(self, event: Found) -> None:
        event.stop()
        if event.query is not self._query:
            return
        # Batches ascend, and those from the start come last: they belong before the others.
        at = bisect_left(self._hits, event.blocks[0]) if event.blocks else 0
        self._hits[at:at] = event.blocks
        if event.done:
            self._done = True
            self._look_at_what_is_sent()
        self._count()

    def watch_scene(self, before: Scene | None, after: Scene | None) -> None:
        """Another outbound view holds other matches; another session is searched anew."""
        if (
            self.active
            and before is not None
            and after is not None
            and before.evaluation.index is not after.evaluation.index
        ):
            self._ask()
            return
        self._sent = self._both = None
        self._look_at_what_is_sent()

    def _look_at_what_is_sent(self) -> None:
        if self._done and self._query is not None and self.scene is not None:
            self._search_sent(self._query, self.scene, self._hits)

    @work(thread=True, group="sent", exclusive=True, exit_on_error=False)
    def _search_sent(self, query: Query, scene: Scene, hits: list[int]) -> None:
        worker = get_current_worker()
        found = sent_hits(scene.view, scene.evaluation.index, query, hits, scene.stage, lambda: worker.is_cancelled)
        new = set(found).difference(hits)
        both = sorted([*hits, *new]) if new else hits
        if not worker.is_cancelled:
            self.post_message(self.Sent(query, scene, found, both))

    @on(Sent)
    def _sent_found(self, event: Sent) -> None:
        event.stop()
        if event.query is self._query and event.scene is self.scene:
            self._sent, self._both = event.blocks, event.both
            self._count()

    def _count(self) -> None:
        words = f"{len(self._hits):,} in the conversation"
        if not self._done:
            words += " so far"
        elif self._sent is not None:
            words += f", {len(self._sent):,} sent"
        self._say(words)

    def _say(self, words: str, wrong: bool = False) -> None:
        line = self.query_one(".count", Static)
        line.update(Content(words))
        line.set_class(wrong, "-wrong")

    def next_hit(self, number: int, step: int, here: bool = False) -> int | None:
        """The nearest matching block after (``step`` 1) or before (-1) block ``number``, round the end.

        Args:
            number: The block to look from.
            step: 1 or -1.
            here: Whether that block itself will do.

        Returns:
            A block number; None when nothing is found (yet).
        """
        hits = self._hits if self._both is None else self._both
        if not hits:
            words = "no match" if self._done else "no match yet"
            self.notify(words, markup=False)
            return None
        if step < 0:
            return hits[bisect_left(hits, number) - 1]
        place = bisect_left(hits, number) if here else bisect_right(hits, number)
        return hits[place % len(hits)]

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Entered())

    def action_close(self) -> None:
        """Ends the search."""
        self.post_message(self.Closed())

    def action_regex(self) -> None:
        """Switches between plain text and regular expression."""
        switch = self.query_one(Checkbox)
        switch.value = not switch.value
