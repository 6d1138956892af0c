"""The long suite: what a normal run takes only a sample of, and a run with ``--long`` takes whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from hypothesis import settings

__all__ = ["every", "examples", "sampled", "spread"]


def examples(number: int) -> int:
    """How many examples a test that draws ``number`` of them draws in this run: a quarter unless it is long."""
    return number // every(4)


def every(step: int) -> int:
    """The step at which a test goes over what it walks through: each of them if it is long."""
    return step if settings.get_current_profile_name() == "same" else 1


def sampled(values: Iterable[Any], *kept: Any) -> list[ParameterSet]:
    """Values for ``parametrize`` of which a normal run takes only ``kept``."""
    every = list(values)
    missing = [one for one in kept if one not in every]
    assert not missing, f"no such values: {missing}"
    return [pytest.param(one, marks=() if one in kept else pytest.mark.long) for one in every]


def spread(values: Iterable[Sequence[Any]], others: Sequence[Any], *, start: int = 0) -> list[ParameterSet]:
    """Each of ``values`` with each of ``others``; a normal run takes each value once, with the others in turn."""
    return [
        pytest.param(*value, other, marks=() if (number + start) % len(others) == place else pytest.mark.long)
        for number, value in enumerate(values)
        for place, other in enumerate(others)
    ]
