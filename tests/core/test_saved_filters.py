"""Saved filters: kept whole, by name, whoever else writes the file."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.naming import BadName
from chartui.core.paths import data_dir
from chartui.core.saved_filters import (
    MOST_OF_A_NAME,
    SavedFilters,
    change_filters,
    filter_problems,
    filters_path,
    load_filters,
)
from chartui.core.tables import BadTable
from chartui.core.text import is_plain

NAMES = st.text(min_size=1, max_size=MOST_OF_A_NAME).map(str.strip).filter(lambda name: name and is_plain(name))
FILTERS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=500).filter(str.strip)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return filters_path("work", tmp_path)


@given(st.dictionaries(NAMES, FILTERS, max_size=5))
def test_every_filter_comes_back_as_it_was_saved(
    tmp_path_factory: pytest.TempPathFactory, entries: dict[str, str]
) -> None:
    path = filters_path("work", tmp_path_factory.mktemp("filters"))
    change_filters(path, lambda _: entries)
    assert load_filters(path) == SavedFilters(entries)
    for name, text in entries.items():
        assert load_filters(path).expand(f"@{name}") == text
    assert load_filters(path).expand("model:flash @x") == "model:flash @x"


def test_programs_that_save_at_once_keep_each_others_filters(path: Path) -> None:
    def save(number: int) -> None:
        change_filters(path, lambda entries: {**entries, f"filter {number}": "x"})

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(save, range(40)))
    assert load_filters(path).entries == {f"filter {number}": "x" for number in range(40)}
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("name", "text"), [("", "x"), (" x", "x"), ("a\nb", "x"), ("x" * 61, "x"), ("x", " "), ("x", "x" * 501)]
)
def test_what_cannot_be_saved_leaves_the_file_alone(path: Path, name: str, text: str) -> None:
    change_filters(path, lambda _: {"kept": "mdla"})
    with pytest.raises(BadTable):
        change_filters(path, lambda entries: {**entries, name: text})
    assert load_filters(path) == SavedFilters({"kept": "mdla"})


def test_a_file_with_a_mistake_is_read_in_part_and_never_rewritten(path: Path) -> None:
    text = 'format = "chartui-filters"\nversion = 1\n[filters]\n"Good one" = "mdla"\nbad = 7\n'
    path.parent.mkdir()
    path.write_text(text)
    saved = load_filters(path)
    assert saved.entries == {"Good one": "mdla"}
    assert saved.problems == (f'{path}:5: filters."bad" must be a string containing a filter.',)
    with pytest.raises(BadTable, match="Nothing was written"):
        change_filters(path, lambda entries: {**entries, "new": "x"})
    assert path.read_text() == text


def test_a_name_is_found_in_any_case_and_an_unknown_one_is_told() -> None:
    saved = SavedFilters({"Good one": "mdla", "Other": "gone:yes"})
    assert saved.expand("@good ONE") == "mdla"
    with pytest.raises(BadName, match="Other"):
        saved.expand("@othr")


def test_mistakes_of_every_profile_are_listed() -> None:
    for name in ("a", "b"):
        path = filters_path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("format = 1")
    assert [problem.partition(":")[0] for problem in filter_problems()] == [
        str(data_dir() / "filters" / file) for file in ("a.toml", "b.toml")
    ]
