"""The cursor of a list stays in sight, whatever happens to the size of the list."""

from __future__ import annotations

from textual.widget import Widget

from tests.tui.user import NARROW, opened


async def test_the_cursor_stays_in_sight_if_the_framework_does_not_report_a_new_size() -> None:
    async with opened(screen="narrative", size=NARROW) as user:
        tree, screen = user.narrative.tree, user.app.screen
        await user.press("end")
        await user.until(lambda: tree.in_sight(tree.cursor), "for the end of the tree")
        await user.settle()
        tree.styles.height = 4
        # As after scrolling: something asks for a region before the layout, which then finds nothing new.
        assert isinstance(tree.parent, Widget)
        tree.parent._clear_arrangement_cache()
        screen._compositor._full_map_invalidated = True
        assert screen._compositor.full_map[tree].region.height == 4
        assert not tree.in_sight(tree.cursor)
        await user.until(lambda: tree.in_sight(tree.cursor), "for the cursor")
