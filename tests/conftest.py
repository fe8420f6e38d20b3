from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).parent / "vectors"


def vectors(name: str) -> Iterator[dict[str, Any]]:
    """The lines of one vector file: inputs with the original program's outcome."""
    with (VECTORS / name).open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
