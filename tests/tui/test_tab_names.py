"""What the border says of tabs where there is room for some of it only."""

from __future__ import annotations

import pytest

from chartui.tui.widgets.tabs import TabName, tab_names

TABS = [TabName(name, name, "x") for name in ("Settings", "Record", "Raw", "Cost", "History")]


@pytest.mark.parametrize(
    ("width", "present", "said"),
    [
        (74, "Raw", "Elena Marsh │ Settings │ Record │ Raw │ Cost │ History"),
        (54, "Settings", "Elena Marsh │ Settings │ Record │ Raw │ Cost │ History"),
        (53, "Settings", "Elena Mar… │ Settings │ Record │ Raw │ Cost │ History"),
        (50, "Settings", "Elena … │ Settings │ Record │ Raw │ Cost │ History"),
        (47, "History", "Ele… │ Settings │ Record │ Raw │ Cost │ History"),
        (46, "History", "Settings │ Record │ Raw │ Cost │ History"),
        (40, "Record", "Settings │ Record │ Raw │ Cost │ History"),
        (39, "Settings", "Elena Marsh │ Settings │ Record │ …"),
        (24, "History", "Elena Mar… │ … │ History"),
        (12, "History", "… │ History"),
    ],
)
def test_who_it_is_about_is_said_before_the_tabs_that_are_far(width: int, present: str, said: str) -> None:
    shown = tab_names(TABS, present, width, "Elena Marsh").plain
    assert len(shown) <= width
    assert shown == said
