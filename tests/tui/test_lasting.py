"""Garbage is collected again once what lasts has been made."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from chartui.tui.garbage import collect_again, lasting


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    yield
    gc.unfreeze()
    gc.enable()


def test_nothing_is_collected_while_something_that_lasts_is_made() -> None:
    with lasting():
        assert not gc.isenabled()
        with lasting():
            assert not gc.isenabled()
        collect_again()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_what_the_start_made_is_not_looked_through_again() -> None:
    gc.unfreeze()
    gc.disable()
    made: list[list[int]] = [[] for _ in range(1000)]
    collect_again()
    assert gc.isenabled()
    assert gc.get_freeze_count() > len(made)
    assert not any(made[500] is one for one in gc.get_objects())


def test_objects_are_skipped_once_only() -> None:
    gc.unfreeze()
    collect_again()
    assert gc.get_freeze_count() == 0


def test_a_large_number_of_objects_is_not_scanned_once_it_has_been_made() -> None:
    with lasting():
        made = [[number] for number in range(20_000)]
    scanned = {id(one) for one in gc.get_objects()}
    assert not any(id(one) in scanned for one in made)


def test_a_few_objects_made_later_are_freed_when_they_are_garbage() -> None:
    class Part:
        other: Part

    with lasting():
        one, two = Part(), Part()
        one.other, two.other = two, one
    left = weakref.ref(one)
    del one, two
    gc.collect()
    assert left() is None


def test_a_failure_lets_garbage_be_collected_as_well() -> None:
    with pytest.raises(ValueError, match="no"), lasting():
        raise ValueError("no")
    assert gc.isenabled()
