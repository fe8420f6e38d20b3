"""The Textual app: screens, widgets and styles. Nothing below this layer draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.export.settings import Settings


def run(path: str | None, settings: Settings, call: int | None, stage: str | None) -> int:
    """Opens the app and returns its exit code.

    Args:
        path: A session, a directory of sessions, or None for the picker of samples.
        settings: Strategy and options. A sample opens where its story is, unless some of them were given.
        call: The call to open at; None for the next.
        stage: The tab to open on; None for the outbound view.
    """
    from tui.app.app import OutboundApp
    from tui.app.opened import Start
    from tui.pipeline.evaluation import OUTBOUND

    given = bool(settings.options.model_fields_set or settings.across_boundaries or settings.offload)
    start = Start(settings, call=call, stage=stage or OUTBOUND)
    app = OutboundApp(path, start, own_options=given or call is not None or stage is not None)
    app.run()
    return app.return_code or 0
