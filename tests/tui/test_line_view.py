"""The cursor of a list stays in sight, whatever happens to the size of the list."""

from __future__ import annotations

from tests.tui.user import NARROW, opened


async def test_the_cursor_stays_in_sight_if_the_framework_does_not_report_a_new_size() -> None:
    async with opened(screen="narrative", size=NARROW) as user:
        tree = user.narrative.tree
        await user.press("end")
        await user.until(lambda: tree.in_sight(tree.cursor), "for the end of the tree")
        await user.settle()
        tree.styles.height = 4
        # The layout that follows finds nothing new, so the framework reports no new size.
        assert user.narrative.region_before_layout(tree).height == 4
        assert not tree.in_sight(tree.cursor)
        await user.until(lambda: tree.in_sight(tree.cursor), "for the cursor")
