"""What every table can do: it is sorted by any column, filtered by words, and keeps its cursor on its row."""

from __future__ import annotations

import pytest

from chartui.core.narrative.nodes import Kind as Node
from chartui.core.presets import Preset, Presets, presets_folder
from chartui.core.sheet import Column, Kind, Sheet
from chartui.core.spec.models.estimation import Selections
from chartui.tui.glyphs import GLYPHS
from chartui.tui.widgets.sheet_view import SheetView
from chartui.tui.widgets.table_dialog import TableDialog
from tests.tui.keyboard import covers
from tests.tui.sessions import demo
from tests.tui.stories import go_to
from tests.tui.user import NARROW, WIDE, User, opened


def labels(user: User) -> list[object]:
    """The options in order, without those that do not fit, which come last in every order."""
    sheet = user.estimator.ranked.table.sheet
    return [row[1] for row, group in zip(sheet.rows, sheet.groups, strict=True) if not group]


@covers("sort-table")
async def test_a_key_sorts_by_one_column_after_the_other_and_both_ways() -> None:
    async with opened(size=WIDE) as user:
        await user.finds("view-rank")
        given, held = labels(user), user.estimator.ranked.table.current_key
        await user.press("s")
        names = labels(user)
        assert names == sorted(given, key=lambda name: str(name).casefold())
        assert f"{GLYPHS.ascending}Name" in user.pane("#ranking")
        await user.press("s")
        assert labels(user) == names[::-1]
        assert f"{GLYPHS.descending}Name" in user.pane("#ranking")
        assert user.estimator.ranked.table.current_key == held
        columns = [c for c in user.estimator.ranked.table.sheet.columns if c.title]
        await user.press(*["s"] * (2 * len(columns) - 1))
        assert labels(user) == given


async def test_the_column_that_rows_are_sorted_by_is_shown_in_a_narrow_window_too() -> None:
    async with opened() as user:
        await user.finds("view-rank")
        columns = [c.title for c in user.estimator.ranked.table.sheet.columns if c.title]
        await user.press(*["s"] * (1 + 2 * columns.index("ms")))
        assert f"{GLYPHS.ascending}ms" in user.pane("#ranking")


@covers("filter-options")
@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "120x40"])
async def test_a_filter_typed_on_the_inputs_is_that_of_the_table_in_sight(size: tuple[int, int]) -> None:
    async with opened(size=size) as user:
        before = user.estimator.now.chosen
        await user.press("/", *"flash lite r")
        await user.sees("/ flash lite r")
        assert labels(user) == []
        await user.press(*["backspace"] * 2)
        assert all("flash lite" in str(label).lower() for label in labels(user))
        assert labels(user)
        await user.press("escape", "escape")
        assert user.estimator.now.chosen == before
        await user.finds("view-compare")
        await user.press("space")
        await user.is_told("No pins yet. p pins the current inputs for comparison.")


@covers("filter-table")
async def test_words_filter_and_the_letters_of_commands_belong_to_them_while_they_are_typed() -> None:
    async with opened(size=WIDE) as user:
        await user.finds("view-rank")
        await user.press("/", *"fl")
        for text in ("fla", "flas", "flash"):  # the rows stay as they are, and what is typed is seen
            await user.press(text[-1])
            await user.sees(f"/ {text}")
        await user.press("space", *"lite")
        await user.sees("/ flash lite")
        assert labels(user)
        assert all("flash lite" in str(label).lower() for label in labels(user))
        await user.press("enter", "down", "enter")
        await user.ready()
        wanted = user.estimator.now.value("llm")
        assert user.estimator.ranked.table.current_key == wanted
        await user.press("escape")
        assert len(labels(user)) == 57
        assert user.estimator.ranked.table.current_key == wanted  # and the keys are still those of the table
        await user.press("/", *"no such model")
        assert labels(user) == []
        await user.press("escape")
        assert len(labels(user)) == 57


async def test_groups_have_headings_where_the_cursor_does_not_stop() -> None:
    async with opened(size=WIDE) as user:
        await user.finds("view-rank")
        table = user.app.screen.query_one("#ranking", SheetView)
        columns = (Column("name", title="Name", kind=Kind.TEXT), Column("n", title="n", kind=Kind.COUNT))
        rows = (("one", 1), ("two", 2), ("three", 3))
        table.show(Sheet("", columns, rows, keys=("1", "2", "3"), groups=("First", "Second", "Second")), keep="1")
        await user.sees("First", "Second")
        await user.press("down")
        assert table.current_key == "2"
        await user.press("home")
        assert table.current_key == "1"


@pytest.mark.parametrize("size", [(60, 20), WIDE], ids=["60x20", "120x40"])
async def test_incoming_links_are_sorted_and_filtered_and_keep_both_their_names(
    size: tuple[int, int],
) -> None:
    async with opened(screen="narrative", size=size) as user:
        await go_to(user, Node.REFERENCE, "The gallery")
        await user.press("L")
        await user.at(TableDialog)
        table = user.top.query_one(SheetView)
        titles = [table.sheet.columns[place.column].title for place in table.places]
        assert titles == ["Section", "Decision or trigger", *(["Kind"] if size == WIDE else [])]
        held, given = table.current_key, [row[0] for row in table.sheet.rows]
        await user.press("s")
        assert [row[0] for row in table.sheet.rows] == sorted(given, key=lambda name: str(name).casefold()) != given
        assert table.current_key == held
        await user.press("slash", *"witness tom")
        assert [row[0] for row in table.sheet.rows] == ["Witness: Tom Sorrell, carpenter"]
        await user.press("enter", "enter")
        await user.leaves(TableDialog)
        assert user.narrative.here.label == "They ask who told him"


async def test_presets_are_sorted_by_what_they_cost() -> None:
    session = demo()
    for name, key in (("Kiosk", "mdla_4o"), ("Museum", "mdla_4_1"), ("Nowhere", "mdlx_9_ours")):
        Presets(presets_folder(session.folder)).save(Preset(name=name, selections=Selections(llm=key)))
    async with opened(session, size=(60, 20)) as user:
        await user.press("o")
        await user.at(TableDialog)
        table = user.top.query_one(SheetView)
        await user.press("s", "s", "s")
        assert [row[0] for row in table.sheet.rows] == ["Museum", "Kiosk", "Nowhere"]
        await user.sees(f"{GLYPHS.ascending}credits")
        # What a row holds besides is said of the one with the cursor, however narrow the window is.
        await user.press("slash", *"mdla_4o", "enter")
        await user.sees("─ 3 ─", "Model MDLA 4o")
        assert [row[0] for row in table.sheet.rows] == ["Kiosk"]
