"""Two outbound views of one call, aligned block for block."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from textual.content import Content

from tui.app.scene import Scene
from tui.app.widgets.pane import Pane
from tui.app.widgets.panes import AlignedPanes
from tui.pipeline.compare import differing_blocks
from tui.pipeline.evaluation import View
from tui.strategies import strategy_named


@dataclass(frozen=True, eq=False)
class ComparedScene(Scene):
    """A scene whose news are the blocks that fare differently in another view of the same call.

    Attributes:
        against: The other view.
    """

    against: View

    @cached_property
    def differing(self) -> frozenset[int]:
        """Block numbers of what is sent differently."""
        return frozenset(differing_blocks(self.evaluation.index, self.view, self.against).tolist())

    def is_news(self, message: int, block: int) -> bool:
        """Whether a block is sent differently."""
        return self.evaluation.index.block_number(message, block) in self.differing

    @property
    def title(self) -> str:
        """The strategy's name."""
        return strategy_named(self.evaluation.strategy).title


class ComparePanes(AlignedPanes):
    """The outbound view of one scene beside that of another."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self._left = Pane("outbound", id="one")
        self._right = Pane("outbound", id="other")
        self.other: ComparedScene | None = None
        """What the right side shows; to be set before ``scene``, which the left side shows."""

    def watch_scene(self) -> None:
        """Draws both pictures."""
        super().watch_scene()
        self._right.scene = self.other

    def _titles(self, scene: Scene) -> None:
        for pane, letter, shown in ((self._left, "A", scene), (self._right, "B", self.other)):
            if isinstance(shown, ComparedScene):
                pane.border_title = Content(f"{letter} {shown.title}: {shown.estimate:,} chars as sent")
        self._right.border_subtitle = Content("")
