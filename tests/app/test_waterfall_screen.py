"""The waterfall: bars and numbers that are the estimates."""

from __future__ import annotations

import pytest

from tests.app.modal import modal, sample_scene, scene_of
from tui import session_from_messages
from tui.app.screens.waterfall import WaterfallScreen
from tui.pipeline.savings import savings, tokens


@pytest.fixture(autouse=True)
def _unicode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTBOUND_ASCII", "0")
    monkeypatch.setenv("TERM", "xterm-256color")


def rows(text: str) -> list[str]:
    return [line.strip("│ ") for line in text.splitlines()]


async def test_every_stage_has_a_bar_as_long_as_its_estimate_and_its_numbers() -> None:
    scene = sample_scene("micro-then-retain")
    async with modal(WaterfallScreen(scene)) as shown:
        lines = rows(shown.text)
        longest = max(line.count("█") for line in lines)
        estimate = scene.view.estimate
        for name, size in (
            ("original", estimate["original"]),
            ("1 budget", estimate["budget"]),
            ("2 micro", estimate["micro"]),
            ("3 retain", estimate["retain"]),
            ("outbound", estimate["retain"]),
        ):
            line = next(line for line in lines if line.startswith(name))
            assert line.endswith(f" {size:,} chars ~{tokens(size):,} tokens")
            assert abs(line.count("█") - size * longest / estimate["original"]) <= 0.5


async def test_every_part_has_a_bar_and_what_is_left_is_taken_together() -> None:
    scene = sample_scene("micro-then-retain")
    micro, retain = savings(scene.evaluation.index, scene.view)[1:]
    assert (len(micro.parts), len(retain.parts)) == (2, 5)
    async with modal(WaterfallScreen(scene)) as shown:
        lines = rows(shown.text)
        for part in micro.parts:
            assert any(
                line.startswith(part.name) and "█" in line and f" -{part.saved:,} chars" in line for line in lines
            )
        assert sum(line.startswith("2 others") for line in lines) == 1
        assert any(f"saved {retain.saved:,} chars" in line and scene.view.verdict("retain") in line for line in lines)


async def test_where_nothing_was_saved_it_says_so() -> None:
    scene = sample_scene("micro-then-retain", enabled=False)
    async with modal(WaterfallScreen(scene)) as shown:
        assert "nothing was saved" in shown.text
        assert "~0" not in shown.text
    async with modal(WaterfallScreen(sample_scene("truncation-grows"))) as shown:
        assert "added 27 chars ~7 tokens" in shown.text
        assert "nothing was saved: the outbound view is larger by 27 chars ~7 tokens" in shown.text
    async with modal(WaterfallScreen(scene_of(session_from_messages([])))) as shown:
        assert "nothing was saved" in shown.text


@pytest.mark.parametrize("size", [(80, 24), (200, 60), (44, 12)])
async def test_no_row_is_wider_than_the_box(size: tuple[int, int]) -> None:
    scene = sample_scene("micro-then-retain")
    async with modal(WaterfallScreen(scene), size=size) as shown:
        total = scene.view.estimate["original"]
        line = next(line for line in shown.text.splitlines() if " original " in line)
        assert f"{total:,}" in line and f"~{tokens(total):,}" in line


async def test_on_a_terminal_of_80_by_24_all_of_it_is_on_the_screen() -> None:
    async with modal(WaterfallScreen(sample_scene("micro-then-retain")), size=(80, 24)) as shown:
        assert "outbound" in shown.text
        assert "92.8% of the original" in shown.text


async def test_y_copies_the_numbers_of_all_parts() -> None:
    scene = sample_scene("micro-then-retain")
    async with modal(WaterfallScreen(scene)) as shown:
        await shown.press("y")
        copied = shown.app.clipboard
        for stage in savings(scene.evaluation.index, scene.view):
            assert f"{stage.stage} {stage.after:,} chars ~{tokens(stage.after):,} tokens" in copied
            for part in stage.parts:
                assert f"{-part.saved:+,} chars" in copied
        await shown.press("W")
        assert shown.closed


async def test_with_ascii_alone_bars_are_drawn_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTBOUND_ASCII", "1")
    async with modal(WaterfallScreen(sample_scene("micro-then-retain"))) as shown:
        assert "█" not in shown.text
        assert "####" in shown.text
