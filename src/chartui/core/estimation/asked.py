"""What to ask of configurations: as much as one of them can, and what to give up when that is too much."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import NamedTuple

from chartui.core.estimation.constraints import Constraints, Need, in_words
from chartui.core.estimation.exploring import Found, explore
from chartui.core.estimation.oddities import has_speech_in, has_speech_out
from chartui.core.estimation.pricing import Configuration, Pricing
from chartui.core.spec.catalogue import NO_ANIMATION

__all__ = ["Loosened", "alike", "loosened"]


class Loosened(NamedTuple):
    """One constraint by its member and in words, and what is found without it."""

    member: str
    phrase: str
    found: Found


def alike(configuration: Configuration, constraints: Constraints) -> Constraints:
    """The constraints, asking for whatever whoever talks to a configuration has from it, and leaving more open."""
    return replace(
        constraints,
        memory=_at_least(configuration.memory),
        knowledge=_at_least(configuration.knowledge),
        speech_in=_at_least(has_speech_in(configuration)),
        speech_out=_at_least(has_speech_out(configuration)),
        animation=_at_least(configuration.animation != NO_ANIMATION),
    )


def _at_least(there: bool) -> Need:
    return Need.MUST if there else Need.ANY


def _singly(constraints: Constraints) -> Iterator[tuple[str, Constraints]]:
    """Every constraint that is set, by its member, alone."""
    nothing = Constraints()
    for field in fields(Constraints):
        value = getattr(constraints, field.name)
        if value != getattr(nothing, field.name):
            yield field.name, replace(nothing, **{field.name: value})


def loosened(pricing: Pricing, constraints: Constraints) -> tuple[Loosened, ...]:
    """The constraints without which, the others staying, something is found; empty when two or more are in the way.

    Raises :class:`~chartui.core.estimation.exploring.Untimed` as :func:`~chartui.core.estimation.exploring.explore`.
    """
    nothing = Constraints()
    tried = (
        Loosened(
            member,
            in_words(alone)[0],
            explore(pricing, replace(constraints, **{member: getattr(nothing, member)})),
        )
        for member, alone in _singly(constraints)
    )
    return tuple(one for one in tried if one.found.count)
