"""react-agent-mini: ``{type: user|assistant, content: [blocks], meta?}``, the shape of the program being shown."""

from __future__ import annotations

from tui.formats.format import Format, Sample
from tui.formats.messages import MessagesReader

NAME = "react-agent-mini"


def _recognise(sample: Sample) -> bool:
    return sample.any(
        lambda record: (
            record.get("type") in ("user", "assistant")
            and isinstance(record.get("content"), list)
            and "role" not in record
        )
    )


FORMAT = Format(
    NAME,
    "messages of react-agent-mini: a list, JSON lines, or an object with messages",
    document=_recognise,
    lines=_recognise,
    open=lambda source, notes: MessagesReader(NAME, source, notes),
)
