"""A table as it is drawn: which rows, in what order, which columns, and how wide."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.jsontext import Wire
from chartui.core.sheet import (
    Column,
    Kind,
    Sheet,
    as_csv,
    filtered,
    laid_out,
    sorted_sheet,
    squeezed,
    squeezed_apart,
    widest_cells,
)
from chartui.core.text import cell_width

COLUMNS = (
    Column("name", title="Name", kind=Kind.TEXT, least=16, best=40),
    Column("sign", kind=Kind.MARK, priority=4, written=False),
    Column("family", title="family", kind=Kind.TEXT, least=6, priority=5),
    Column("bar", kind=Kind.BAR, least=10, best=40, priority=6, written=False),
    Column("credits", title="credits", kind=Kind.CREDITS, priority=1),
    Column("ms", title="ms", kind=Kind.LATENCY, priority=2),
    Column("code"),
)
WORDS = st.text(st.sampled_from("ab c·漢"), max_size=60)
ROWS = st.lists(st.tuples(WORDS, st.sampled_from(["", "ϟ"]), WORDS, st.none(), WORDS, WORDS, WORDS), max_size=6)


def table(*rows: tuple[Wire, ...]) -> Sheet:
    names = tuple(str(row[0]) for row in rows)
    return Sheet("", COLUMNS, rows, keys=names, marks=tuple("›" if name == "b" else "" for name in names))


PLAIN = table(
    ("b", "", "Two", None, Decimal(2), 20, "x9"),
    ("a", "", "One", None, None, 10, "y9"),
    ("c", "", "One", None, Decimal("-1"), None, "z9"),
)


def names(sheet: Sheet) -> list[Wire]:
    return [row[0] for row in sheet.rows]


@given(ROWS, st.integers(20, 240), st.sampled_from([None, 2, 5]))
def test_no_line_overflows_and_what_tells_rows_apart_keeps_its_place_while_anything_else_can_go(
    rows: list[tuple[str, ...]], width: int, keep: int | None
) -> None:
    sheet = Sheet("", COLUMNS, tuple(rows))
    widest = widest_cells(sheet, [[text or "" for text in row] for row in rows])
    places = laid_out(COLUMNS, widest, width, keep=keep)
    assert sum(place.width for place in places) + len(places) - 1 <= width
    assert [place.column for place in places] == sorted(place.column for place in places)
    cells = {place.column: place.width for place in places}
    apart = {0} if keep is None else {0, keep}
    for number in apart & set(cells):
        column, whole = COLUMNS[number], min(widest[number], COLUMNS[number].best or widest[number])
        if cells[number] < whole:
            assert all(n in apart or COLUMNS[n].priority == 1 for n in cells)
        if cells[number] < min(whole, column.least or whole):
            assert set(cells) <= apart
    for number in cells:  # numbers are whole or not there, but for one alone that has no room at all
        if COLUMNS[number].kind in (Kind.CREDITS, Kind.LATENCY):
            assert cells[number] == widest[number]
    shown = [COLUMNS[number].priority for number in cells if number not in apart and widest[number]]
    gone = [c.priority for n, c in enumerate(COLUMNS) if c.kind and widest[n] and n not in cells and n not in apart]
    assert not gone or not shown or max(shown) < min(gone)


def test_as_many_texts_as_possible_are_whole() -> None:
    columns = [Column(name, kind=Kind.TEXT, least=7) for name in ("model", "vendor", "voice")]
    assert [place.width for place in laid_out(columns, [19, 10, 27], 35)] == [16, 10, 7]


@given(ROWS)
def test_the_same_width_gives_the_same_layout_and_a_wider_one_never_fewer_columns(rows: list[tuple[str, ...]]) -> None:
    widest = widest_cells(Sheet("", COLUMNS, tuple(rows)), [[text or "" for text in row] for row in rows])
    numbers = [len(laid_out(COLUMNS, widest, width)) for width in range(20, 241)]
    assert numbers == sorted(numbers)


@given(WORDS, st.integers(0, 60))
def test_a_text_that_is_cut_keeps_its_beginning_and_its_end(text: str, width: int) -> None:
    shown = squeezed(text, width)
    assert cell_width(shown) <= width
    if cell_width(text) > width >= 7:
        head, _, tail = shown.partition("…")
        assert text.startswith(head)
        assert text.endswith(tail)
        assert tail


@pytest.mark.parametrize(
    ("text", "amount"), [("MDLA 4o · 4 000 tokens", "4 000"), ("MDLB Haiku 4.5 · 54 321 tokens", "54 321")]
)
@pytest.mark.parametrize("width", range(8, 30))
def test_no_part_of_an_amount_is_shown_as_an_amount(text: str, amount: str, width: int) -> None:
    shown = squeezed(text, width)
    part = re.search("([0-9][0-9 ]*) tokens$", shown)
    assert part is None or part[1] == amount
    assert len(shown) <= width


def test_rows_are_sorted_with_what_belongs_to_them_and_unknown_ones_come_last() -> None:
    assert names(sorted_sheet(PLAIN, 4)) == ["c", "b", "a"]
    assert names(sorted_sheet(PLAIN, 4, descending=True)) == ["b", "c", "a"]
    by_name = sorted_sheet(PLAIN, 0)
    assert by_name.keys == ("a", "b", "c")
    assert by_name.marks == ("", "›", "")
    assert names(sorted_sheet(PLAIN, 2)) == ["a", "c", "b"]


def test_groups_stay_together() -> None:
    grouped = PLAIN._replace(groups=("late", "early", "late"))
    found = sorted_sheet(grouped, 0, descending=True)
    assert (names(found), found.groups) == (["c", "b", "a"], ("late", "late", "early"))


def test_a_filter_looks_for_every_word_also_where_nothing_is_drawn() -> None:
    assert names(filtered(PLAIN, "one")) == ["a", "c"]
    assert names(filtered(PLAIN, "ONE z9")) == ["c"]
    assert names(filtered(PLAIN, " ")) == ["b", "a", "c"]
    assert names(filtered(PLAIN._replace(groups=("x", "y", "y")), "y one a")) == ["a"]


def test_what_is_only_drawn_is_not_written() -> None:
    assert as_csv(PLAIN).splitlines()[:2] == ["name,family,credits,ms,code", "b,Two,2,20,x9"]


def test_names_that_differ_late_look_different() -> None:
    names = ["Kiosk, evening", "Kiosk, evening and night", "Kiosk, everyday", "Terse"]
    assert squeezed_apart(names[:1] + names[2:], [6] * 3) == ["…even…", "…ever…", "Terse"]
    assert squeezed_apart(["Kiosk, early, short reply", "Kiosk, later, short reply"], [12, 12]) == [
        "…early, sho…",
        "…later, sho…",
    ]
    for width in range(7, 40):
        assert len({*squeezed_apart(names, [width] * 4)}) == 4


@given(st.lists(WORDS, max_size=5), st.integers(0, 60))
def test_shortened_names_fit_and_none_is_shortened_without_need(names: list[str], width: int) -> None:
    for name, shown in zip(names, squeezed_apart(names, [width] * len(names)), strict=True):
        assert cell_width(shown) <= width
        assert shown == name or cell_width(name) > width


@given(ROWS, st.integers(20, 240))
def test_no_text_is_cut_while_there_is_room(rows: list[tuple[str, ...]], width: int) -> None:
    widest = widest_cells(Sheet("", COLUMNS, tuple(rows)), [[text or "" for text in row] for row in rows])
    places = laid_out(COLUMNS, widest, width)
    left = width - sum(place.width for place in places) - len(places) + 1
    cut = [place for place in places if COLUMNS[place.column].kind is Kind.TEXT and place.width < widest[place.column]]
    assert not cut or left == 0
