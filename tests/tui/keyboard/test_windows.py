"""Windows of every size: the same size gives the same layout, whatever size came before."""

from __future__ import annotations

import itertools

import pytest
from textual.geometry import Region
from textual.widget import Widget

from tests.long import sampled
from tests.tui.user import User, opened

SCREENS = ("estimator", "characters", "narrative", "actions", "requests")
#: On either side of where an arrangement begins, and the smallest and the largest window.
SIZES = ((60, 20), (80, 24), (99, 30), (100, 30), (120, 40), (159, 45), (160, 45), (200, 55), (240, 70))
#: From one arrangement into another, both ways.
CHANGES = [(before, after) for before, after in itertools.permutations(SIZES, 2) if before[0] // 60 != after[0] // 60]
EVERY = [*itertools.product(range(60, 241, 20), range(20, 71, 10))]
KEPT = (((100, 30), (200, 55)), ((200, 55), (80, 24)), ((60, 20), (120, 40)))


def _name(widget: Widget) -> str:
    return f"{type(widget).__name__}#{widget.id}" if widget.id else type(widget).__name__


def _layout(user: User) -> list[tuple[str, Region]]:
    """Where each part stands that takes part in the layout, as the window has it."""
    return [
        (" ".join(_name(one) for one in reversed(widget.ancestors_with_self) if isinstance(one, Widget)), widget.region)
        for widget in user.top.walk_children(Widget)
        if widget.is_on_screen and widget.region
    ]


async def _layout_at(screen: str, *sizes: tuple[int, int]) -> list[tuple[str, Region]]:
    async with opened(screen=screen, size=sizes[0]) as user:
        for size in sizes[1:]:
            await user.resize(*size)
        return _layout(user)


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("change", sampled(CHANGES, *KEPT), ids=str)
async def test_a_size_gives_the_same_layout_whatever_came_before(
    screen: str, change: tuple[tuple[int, int], tuple[int, int]]
) -> None:
    assert await _layout_at(screen, *change) == await _layout_at(screen, change[-1])


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("size", sampled(EVERY, (60, 20), (160, 40), (240, 70)), ids=str)
async def test_panels_stay_in_the_window_and_beside_one_another(screen: str, size: tuple[int, int]) -> None:
    async with opened(screen=screen, size=size) as user:
        panels = [panel.region for panel in user.top.query(".panel") if panel.is_on_screen and panel.region]
        assert panels
        assert [region for region in panels if not user.top.region.contains_region(region)] == []
        assert [pair for pair in itertools.combinations(panels, 2) if pair[0].overlaps(pair[1])] == []


@pytest.mark.parametrize(
    ("screen", "column", "text"),
    [("characters", "#past", "Nothing of this character"), ("narrative", "#map", "Welcome at the door")],
)
async def test_a_window_that_grew_fills_its_third_column(screen: str, column: str, text: str) -> None:
    async with opened(screen=screen, size=(120, 40)) as user:
        await user.resize(200, 55)
        await user.until(lambda: text in user.pane(column), "for the third column")
