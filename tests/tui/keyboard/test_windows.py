"""Windows of every size: whole lines in every tab, and the same layout whatever size came before."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence

import pytest
from textual.geometry import Region
from textual.widget import Widget

from chartui.core.narrative.story import Story, decision
from chartui.core.session import Session
from chartui.core.sheet import Kind
from chartui.tui.screens.estimator.board import VIEWS
from chartui.tui.screens.narrative.tabs.map import MapView
from chartui.tui.tour.player import seen
from chartui.tui.widgets.bars import Bar
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.plot import PlotView
from chartui.tui.widgets.sheet_view import SheetView
from tests.tui.afternoon import calls, on_a_service
from tests.tui.sessions import demo
from tests.tui.user import User, opened

Size = tuple[int, int]

#: On either side of where an arrangement begins, and the smallest and the largest window.
SIZES = ((60, 20), (80, 24), (99, 30), (100, 30), (120, 40), (159, 45), (160, 45), (200, 55), (240, 70))
#: From one arrangement into another, both ways.
CHANGES = [(before, after) for before, after in itertools.permutations(SIZES, 2) if before[0] // 60 != after[0] // 60]
KEPT = (((100, 30), (200, 55)), ((200, 55), (80, 24)), ((60, 20), (120, 40)))
#: Every width, each with another height, and every height.
EVERY = [(width, 20 + 7 * width % 51) for width in range(60, 241)]
#: What shows a part of something larger, and is cut at its edge.
CANVASES = (MapView, PlotView)


# -- every tab --------------------------------------------------------------------------------------------------------


async def estimator(user: User) -> AsyncIterator[str]:
    yield "first"
    await user.press("p")
    await user.settle()
    await user.press("enter")
    for view in VIEWS:
        await user.finds(f"view-{view}")
        yield view


async def characters(user: User) -> AsyncIterator[str]:
    yield "first"
    for key in "eiJ$h":
        await user.press(key)
        yield key
    await user.press("escape", "escape", "c", "down", "c")
    yield "comparison"


async def narrative(user: User) -> AsyncIterator[str]:
    yield "first"
    for key in "Mlw":
        await user.press(key)
        yield key


#: Names in scripts of every width and direction, long ones and one that a markup would swallow.
NAMES = (
    "The room behind the long corridor whose name nobody in the whole museum has ever read to its end",
    "長い廊下の奥にある部屋、その名前を最後まで読んだ人は博物館に一人もいない",
    "गलियारे के पीछे का वह कमरा जिसका पूरा नाम संग्रहालय में किसी ने नहीं पढ़ा",
    "الغرفة خلف الممر الطويل التي لم يقرأ أحد في المتحف اسمها حتى النهاية",
    "[bold]Room[/bold] 👩‍👩‍👧‍👦 café",
)


def deep() -> Story:
    """A chain of fifteen sections, each with a branch, a way back, and a long name."""
    story = Story.of(None, [], [])
    for number in range(15):
        name = f"{NAMES[number % len(NAMES)]} {number}"
        ways = [
            decision(f"{NAMES[-number % len(NAMES)]} {way}", target)
            for way, target in enumerate((f"s{number + 1}", f"side{number}", f"s{number // 2}", "gone"))
        ]
        story = story.with_section(f"s{number}", name=name, objective=name, decisions=ways if number < 14 else [])
        story = story.with_section(f"side{number}", name=name[::-1][:70], decisions=[decision("*", f"s{number}")])
        story = story.with_trigger(f"t{number}", name=name, message=name, destination=f"s{number}")
    return story.starting_at("s0")


async def narrative_deep(user: User) -> AsyncIterator[str]:
    user.narrative.tell(deep())
    await user.settle()
    async for tab in narrative(user):
        yield tab
    await user.press("b", "enter")
    await user.sees("200 walks of 200 steps")
    yield "random walks"


async def actions(user: User) -> AsyncIterator[str]:
    yield "first"
    await user.press("e", "enter")
    await user.sees("Turn 1")
    for number in range(4):
        yield f"tab {number}"
        await user.press("right_square_bracket")


async def requests(user: User) -> AsyncIterator[str]:
    await calls(user.app.session)
    await user.sees("list-sections")
    yield "first"
    await user.press("enter")
    yield "call"


TABS = (estimator, characters, narrative, actions, requests)
SCREENS = pytest.mark.parametrize("tabs", TABS)
#: Each screen with each change; a normal run takes one of :data:`KEPT` for each screen.
EVERY_CHANGE = [
    pytest.param(tabs, change, marks=() if change == KEPT[number % len(KEPT)] else pytest.mark.long)
    for number, tabs in enumerate(TABS)
    for change in CHANGES
]
Tabs = Callable[[User], AsyncIterator[str]]


async def look_at(tabs: Tabs, size: Size, look: Callable[[User, str], Awaitable[None]]) -> None:
    """Look at one tab after the other in a window of this size."""
    session: Session | None = on_a_service()[0] if tabs is requests else None
    async with opened(session, screen=tabs.__name__.partition("_")[0], size=size) as user:
        async for tab in tabs(user):
            await user.rests()
            user.app.clear_notifications()
            await user.settle()
            await look(user, tab)


# -- the same layout --------------------------------------------------------------------------------------------------


def _name(widget: Widget) -> str:
    return f"{type(widget).__name__}#{widget.id}" if widget.id else type(widget).__name__


def _leaves(user: User) -> Iterator[tuple[Widget, Region]]:
    """What draws text, and where in the window."""
    for widget in user.top.walk_children(Widget):
        if widget.is_on_screen and not any(child.display for child in widget.children):
            region = widget.scrollable_content_region.intersection(user.top.region)
            if region and not isinstance(widget, CANVASES):
                yield widget, region


def _layout(user: User) -> list[tuple[str, Region, str]]:
    """Where each part stands that takes part in the layout, and what it says unless that is scrolled."""
    parts = [part for part in user.top.walk_children(Widget) if part.is_on_screen and part.region]
    still = {part for part, _ in _leaves(user) if not part.max_scroll_y and not isinstance(part, Bar)}
    return [
        (
            " ".join(_name(one) for one in reversed(part.ancestors_with_self) if isinstance(one, Widget)),
            part.region,
            seen(user.app, part) if part in still else "",
        )
        for part in parts
    ]


@pytest.mark.parametrize(("tabs", "change"), EVERY_CHANGE)
async def test_a_size_gives_the_same_layout_whatever_came_before(tabs: Tabs, change: tuple[Size, Size]) -> None:
    """In the tab that a screen begins with; in the others keys have gone where the first size sent them."""
    before, after = change
    found: list[object] = []

    async def look(user: User, tab: str) -> None:
        if user.top.size != after:
            await user.resize(*after)
            await user.rests()
        if tab == "first":
            found.append(_layout(user))

    await look_at(tabs, before, look)
    await look_at(tabs, after, look)
    assert found[0] == found[1]


@SCREENS
async def test_a_size_gives_the_same_layout_again(tabs: Tabs) -> None:
    """In every tab, after the smallest one."""

    async def look(user: User, tab: str) -> None:
        before = _layout(user)
        for size in ((60, 20), (160, 45)):
            await user.resize(*size)
        await user.rests()
        changed[tab] = [part for part in _layout(user) if part not in before]

    changed: dict[str, object] = {}
    await look_at(tabs, (160, 45), look)
    assert not any(changed.values()), changed


# -- the lines --------------------------------------------------------------------------------------------------------


def _misplaced(user: User) -> Iterator[str]:
    """Panels out of the window or over one another, and what reaches out of what it stands in."""
    panels = [panel.region for panel in user.top.query(".panel") if panel.is_on_screen and panel.region]
    if not panels:
        yield "no panel"
    yield from (f"{region} is not in the window" for region in panels if not user.top.region.contains_region(region))
    yield from (f"{one} overlaps {other}" for one, other in itertools.combinations(panels, 2) if one.overlaps(other))
    for widget, region in _leaves(user):
        if isinstance(parent := widget.parent, Widget) and not parent.region.contains_region(region):
            yield f"{_name(widget)} reaches out of {_name(parent)}"


class Words:
    """The words at all sizes, and those at a right edge, which are cut off where the word is nowhere else."""

    def __init__(self) -> None:
        self.known = {"user/day"}  # stands at an edge only
        self.at_edge: dict[str, str] = {}

    def read(self, user: User, where: str) -> None:
        screen = user.styles()
        for widget, region in _leaves(user):
            for y in range(region.y, region.bottom):
                line = screen[y].crop(region.x, region.right).text
                words = line.split()
                if words and "…" not in words[-1] and not line.endswith((" ", "█", "▄")):
                    self.at_edge.setdefault(words.pop(), f"{where}, {_name(widget)}: {line!r}")
                self.known.update(words)
            if isinstance(widget, SheetView):  # numbers are right-aligned, up to the edge
                self.known.update(word for row in widget.texts for text in row for word in text.split())

    @property
    def cut(self) -> list[str]:
        return [line for word, line in self.at_edge.items() if word not in self.known]


def _too_wide(user: User) -> Iterator[str]:
    """Lines that are wider than the view they stand in."""
    for view in user.top.query(LineView):
        if not view.is_on_screen or isinstance(view, CANVASES):
            continue
        width, top = view.scrollable_content_region.width, view.scroll_offset.y
        for index in range(top, min(view.row_count, top + view.size.height)):
            if (cells := view.draw_row(index, width).cell_length) > width:
                yield f"row {index} of {_name(view)} has {cells} cells in {width}"


def _squeezed(user: User) -> Iterator[str]:
    """Columns that tell rows apart and are cut, while a lesser one has its place."""
    for view in user.top.query(SheetView):
        columns, shown = view.sheet.columns, {place.column: place.width for place in view.places}
        lesser = [columns[number].title for number in shown if columns[number].priority > 1]
        for number, column in enumerate(columns if view.is_on_screen and lesser else ()):
            widest = max((len(text[number]) for text in view.texts), default=0)
            whole = shown.get(number, 0) >= min(widest, column.best or widest)
            if column.kind is Kind.TEXT and not column.priority and not whole:
                yield f"{column.title} is cut, beside {lesser}"
        ones = [columns[number].title for number in shown if columns[number].priority]
        for number, column in enumerate(columns if view.is_on_screen and ones else ()):
            widest = max((len(text[number]) for text in view.texts), default=0)
            if column.kind is not None and not column.priority and shown.get(number, 0) < min(widest, column.least):
                yield f"{column.title} is narrower than {column.least}, beside {ones}"


async def _examine(tabs: Tabs, sizes: Sequence[Size]) -> None:
    words = Words()
    wrong: list[str] = []

    async def examine(user: User, tab: str) -> None:
        for size in (*sizes, sizes[0]):
            await user.resize(*size)
            where = f"{tab} at {size[0]}x{size[1]}"
            wrong.extend(f"{where}: {what}" for what in (*_misplaced(user), *_too_wide(user), *_squeezed(user)))
            words.read(user, where)

    await look_at(tabs, sizes[0], examine)
    assert [*wrong, *words.cut] == [], "\n".join([*wrong, *words.cut])


@pytest.mark.parametrize("tabs", [*TABS, narrative_deep])
async def test_lines_are_whole_and_columns_that_tell_rows_apart_are_cut_last(tabs: Tabs) -> None:
    await _examine(tabs, [(240, 70), (60, 20), (120, 40)])


@pytest.mark.parametrize("tabs", [*TABS, narrative_deep])
@pytest.mark.long
async def test_the_same_at_every_width_and_height(tabs: Tabs) -> None:
    await _examine(tabs, EVERY)


@pytest.mark.parametrize(
    ("screen", "column", "text"),
    [("characters", "#past", "Only changes made"), ("narrative", "#map", "Welcome at the door")],
)
async def test_a_window_that_grew_fills_its_third_column(screen: str, column: str, text: str) -> None:
    async with opened(screen=screen, size=(120, 40)) as user:
        await user.resize(200, 55)
        await user.until(lambda: text in user.pane(column), "for the third column")


async def test_the_third_column_waits_for_nothing_without_a_character() -> None:
    async with opened(demo(fill_store=lambda _: None), screen="characters", size=(160, 45)) as user:
        await user.sees("No characters yet.")
        await user.settle()
        assert "Reading" not in user.screen
