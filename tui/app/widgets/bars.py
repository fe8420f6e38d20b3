"""The rows at the top and the bottom of the main screen: what is shown, and how it stands."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from tui.app.filtering import Filter
from tui.app.scene import Scene
from tui.model import Session
from tui.model.visible import visible_line
from tui.pipeline.acceptance import acceptance
from tui.pipeline.prompt_cache import reused_at
from tui.strategies import strategy_named


class TitleBar(Static):
    """The session, the strategy, the call, and what is going on."""

    DEFAULT_CSS = """
    TitleBar { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; background: $surface; }
    """

    def __init__(self, id: str) -> None:
        super().__init__(id=id, markup=False)

    def show(self, scene: Scene, doing: str) -> None:
        """Shows a scene.

        Args:
            scene: The scene.
            doing: What goes on by itself, such as ``playing 2 a second``; empty for nothing.
        """
        session = scene.evaluation.session
        name = visible_line(session.title or session.source.rsplit("/", 1)[-1] or "a session")
        strategy = strategy_named(scene.evaluation.strategy).title
        calls = len(scene.evaluation.calls)
        call = f"call {scene.call:,} of {calls:,}" + (" (next)" if scene.call == calls else "")
        self.update(
            Content.assemble(
                ("outbound", "bold $text-primary"),
                "  ",
                (call, "bold"),
                (f"  {doing}" if doing else "", "$text-success"),
                "  ",
                name,
                (f"  {strategy}", "$foreground 60%"),
            ),
            layout=False,
        )


class StatusLine(Static):
    """Whether an API would accept the view, what is filtered, what is not counted, what was skipped."""

    DEFAULT_CSS = """
    StatusLine { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
    """

    def __init__(self, id: str) -> None:
        super().__init__(id=id, markup=False)

    def show(self, scene: Scene, wanted: Filter) -> None:
        """Shows how a scene stands under a filter."""
        verdict = acceptance(scene.view, scene.evaluation.index)
        parts: list[tuple[str, str]] = [(str(verdict), "$text-error" if verdict.count else "$text-success")]
        if wanted:
            parts.append((f"   filter (f): {visible_line(str(wanted))}", "$text-accent"))
        if notes := _notes(scene.evaluation.session):
            parts.append((f"   {notes} (w)", "$text-warning"))
        if scene.call > 1:
            reused, sent = reused_at(scene.evaluation, scene.call)
            share = f"{100 * reused // max(sent, 1)} %"
            parts.append((f"   cache: {reused:,} chars sent before ({share})", "$foreground 75%"))
        if scene.view.uncounted:
            parts.append((f"   uncounted: {scene.view.uncounted:,} of thinking", "$foreground 60%"))
        self.update(Content.assemble(*parts), layout=False)


def _notes(session: Session) -> str:
    """How much was skipped and repaired while reading."""
    sums: dict[str, int] = {}
    for note in session.notes:
        if note.kind != "info":
            sums[note.kind] = sums.get(note.kind, 0) + note.count
    return ", ".join(f"{count:,} {kind}" for kind, count in sums.items())
