"""Text in the panes is selected with the mouse, shown as selected, and copied."""

from __future__ import annotations

from tests.app.helpers import Running, main_screen


async def drag(running: Running, start: tuple[int, int], end: tuple[int, int]) -> None:
    await running.pilot.mouse_down("#conversation", offset=start)
    await running.pilot.hover("#conversation", offset=end)
    await running.pilot.mouse_up("#conversation", offset=end)
    await running.settle()


async def test_what_is_dragged_over_is_marked_and_copied() -> None:
    async with main_screen("micro-is-enough") as running:
        await drag(running, (3, 3), (20, 5))
        selection = running.left.text_selection
        assert selection is not None and selection.start is not None and selection.end is not None
        first, last = selection.start.y, selection.end.y
        assert last > first
        rows = [running.left.row_text(row) for row in range(first, last + 1)]
        expected = [rows[0][selection.start.x :], *rows[1:-1], rows[-1][: selection.end.x]]
        assert running.main.get_selected_text() == "\n".join(row.rstrip() for row in expected)

        strip = running.left.render_line(first - running.left.scroll_offset.y)
        marked = [segment.text for segment in strip if segment.style and segment.style.bgcolor != strip_base(running)]
        assert "".join(marked).startswith(expected[0].rstrip()[:10])

        await running.press("y")
        assert running.app.clipboard == "\n".join(row.rstrip() for row in expected)


def strip_base(running: Running) -> object:
    return running.left.rich_style.bgcolor


async def test_a_selection_beyond_the_end_of_the_page_stops_there() -> None:
    async with main_screen("truncation-grows", size=(80, 40)) as running:
        running.left.text_select_all()
        await running.settle()
        text = running.main.get_selected_text()
        assert text is not None
        assert len(text.split("\n")) == running.rows.rows
