"""Columns of the list of characters: in a narrow window the name is the last to give way."""

from __future__ import annotations

import pytest

from chartui.core.characters.finder import AS_LISTED, Sorting
from chartui.core.characters.finder import Column as By
from tests.tui.screens.characters import list_widths

#: Cells that the longest names of people take, more or less.
NAME = 24


def test_the_name_gives_way_last_at_every_width() -> None:
    widths = {window: list_widths(window, AS_LISTED)["Name"] for window in range(60, 241)}
    assert {window: width for window, width in widths.items() if width < NAME} == {}


@pytest.mark.parametrize("by", [By.MODEL, By.LANGUAGE, By.CREATED, By.USED, By.ID])
def test_what_the_list_is_sorted_by_stays_beside_the_name(by: By) -> None:
    for window in range(60, 241):
        found = list_widths(window, Sorting(by, descending=False))
        assert any(title.endswith("↑") for title in found)
        assert found["Name"] >= NAME - 3


def test_signs_have_readable_headings_in_the_smallest_common_window() -> None:
    assert {"Graph", "Mem", "Gone"} <= set(list_widths(80, AS_LISTED))


@pytest.mark.parametrize("window", [60, 80, 100, 120, 160, 200])
def test_models_of_a_family_are_told_apart(window: int) -> None:
    assert list_widths(window, AS_LISTED)["Model"] >= len("mdla-4.1-mi…")


def test_where_there_is_room_nothing_is_cut() -> None:
    found = list_widths(260, AS_LISTED)
    assert [found[title] for title in ("Model", "Lang", "Created", "Used")] == [19, 6, 10, 10]


def test_a_cost_column_chosen_beside_the_model_fits_and_is_not_cut() -> None:
    chosen = ((By.NAME, 0), (By.MODEL, 0), (By.COST, 0))
    for window in (*range(60, 80), *range(100, 241)):
        found = list_widths(window, AS_LISTED, chosen)
        assert found["Cost"] == len("13.557–19.196")
        assert found["Model"] >= len("mdla-4.1-mi…")
        assert found["Name"] >= 10
    assert list_widths(112, AS_LISTED, chosen[:2])["Name"] >= NAME


@pytest.mark.parametrize("by", [By.NAME, By.COST, By.USED, By.ID])
def test_sorting_hides_no_chosen_column(by: By) -> None:
    chosen = ((By.NAME, 0), (By.MODEL, 0), (By.MEMORY, 0), (By.COST, 0), (By.ID, 12))
    for window in range(60, 241):
        before = list_widths(window, AS_LISTED, chosen)
        after = list_widths(window, Sorting(by, descending=False), chosen)
        assert before.keys() <= {title.rstrip("↑") for title in after}
