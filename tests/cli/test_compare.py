"""``outbound compare``."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Outbound
from tests.generate import messages as generated
from tui import CompactOptions, evaluate, load_session

V4 = "react-agent-mini-v4"


def write(path: Path) -> Path:
    path.write_text(json.dumps(list(generated(60, 900))))
    return path


def test_a_strategy_and_a_settings_file_are_compared_at_every_call(outbound: Outbound, tmp_path: Path) -> None:
    session = write(tmp_path / "session.json")
    settings = tmp_path / "low.json"
    settings.write_text('{"threshold": 5000}')
    rows = json.loads(outbound("compare", session, V4, settings, "--format", "json").stdout)
    loaded = load_session(session)
    one, other = evaluate(loaded, V4), evaluate(loaded, V4, CompactOptions(threshold=5000))
    sizes = {call: (one.at(call).estimate["retain"], other.at(call).estimate["retain"]) for call in one.calls}
    assert {row["call"]: (row["a"], row["b"]) for row in rows} == {c: s for c, s in sizes.items() if s[0] != s[1]}
    assert rows
    assert all(row["difference"] == row["b"] - row["a"] and row["blocks"] > 0 for row in rows)
    text = outbound("compare", session, V4, settings).stdout
    assert f"they differ at {len(rows)} of {len(one.calls)} calls, first at call {rows[0]['call']}" in text
    assert len(text.splitlines()) == 6 + len(rows)


def test_the_same_twice_says_so(outbound: Outbound, tmp_path: Path) -> None:
    session = write(tmp_path / "session.json")
    result = outbound("compare", session, V4, V4)
    assert "A  react-agent-mini-v4  budget acts at" in result.stdout
    assert "the outbound views are of the same size at all" in result.stdout
    assert json.loads(outbound("compare", session, V4, V4, "--format", "json").stdout) == []


def test_what_is_no_strategy_and_no_file_is_refused(outbound: Outbound, tmp_path: Path) -> None:
    result = outbound("compare", write(tmp_path / "session.json"), V4, "nothing-such")
    assert result.exit_code == 2
    assert "there is no strategy 'nothing-such'" in result.stderr
    assert V4 in result.stderr
