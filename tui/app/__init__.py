"""The Textual app: screens, widgets and styles. Nothing below this layer draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.pipeline.options import CompactOptions


def run(path: str | None, options: CompactOptions, call: int | None, stage: str | None, across_boundaries: bool) -> int:
    """Opens the app and returns its exit code.

    Args:
        path: A session, a directory of sessions, or None for the picker of samples.
        options: The options of the pipeline.
        call: The call to open at; None for the next.
        stage: The tab to open on; None for the outbound view.
        across_boundaries: Count in what stands before a compact boundary of the file.
    """
    from tui.app.app import OutboundApp
    from tui.app.opened import Start
    from tui.pipeline.evaluation import OUTBOUND
    from tui.pipeline.options import CompactOptions

    asked = options != CompactOptions.from_env() or call is not None or stage is not None or across_boundaries
    start = Start(options=options, call=call, stage=stage or OUTBOUND, across=across_boundaries)
    app = OutboundApp(path, start, own_options=asked)
    app.run()
    return app.return_code or 0
