"""What is asked of configurations when all of them are searched: what they have, whose they are, and their limits.

Oddities and what a provider bills count as :mod:`chartui.core.estimation.oddities` says (decisions 2 and 4).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Final

from chartui.core.estimation.card import FREE, RateCard
from chartui.core.spec.catalogue import Kind, option

__all__ = ["FEATURES", "OTHER", "Constraints", "Need", "families", "family_of", "vendors"]

#: The family of an option that the catalogue does not know (decision 62).
OTHER: Final = "Other"


class Need(StrEnum):
    """What is asked about one feature."""

    ANY = "any"
    MUST = "must"
    MUST_NOT = "must not"

    def allows(self, there: bool) -> bool:
        """Whether a configuration that has the feature, or lacks it, will do."""
        return self is Need.ANY or there is (self is Need.MUST)


@dataclass(frozen=True, slots=True)
class Constraints:
    """What a configuration has to fulfil; nothing is asked by default.

    ``billed_elsewhere`` is about a model or a voice that its provider bills. ``families`` are those of models,
    ``vendors`` those of what hears and what speaks, where options that are off or included belong to nobody and always
    fit; empty is all. ``max_credits`` is per interaction, ``max_latency`` in milliseconds, on the slowest end to end
    (decision 7).
    """

    memory: Need = Need.ANY
    knowledge: Need = Need.ANY
    speech_in: Need = Need.ANY
    speech_out: Need = Need.ANY
    animation: Need = Need.ANY
    realtime: Need = Need.ANY
    billed_elsewhere: Need = Need.ANY
    odd: Need = Need.ANY
    families: frozenset[str] = frozenset()
    vendors: frozenset[str] = frozenset()
    max_credits: Decimal | None = None
    max_latency: int | None = None

    def is_of(self, kind: Kind, key: str) -> bool:
        """Whether an option is of one of the families or vendors that are allowed."""
        if kind == "llm":
            return not self.families or family_of(kind, key) in self.families
        if kind == "animation" or not self.vendors or key in FREE[kind]:
            return True
        return family_of(kind, key) in self.vendors


#: The members of :class:`Constraints` that are a :class:`Need`.
FEATURES: Final = (
    "memory",
    "knowledge",
    "speech_in",
    "speech_out",
    "animation",
    "realtime",
    "billed_elsewhere",
    "odd",
)


def family_of(kind: Kind, key: str) -> str:
    """The family or vendor of an option as the catalogue has it, else :data:`OTHER`."""
    known = option(kind, key)
    return known.family if known else OTHER


def families(card: RateCard) -> tuple[str, ...]:
    """The families of a card's models, in its order."""
    return tuple(dict.fromkeys(family_of("llm", key) for key in card.options["llm"]))


def vendors(card: RateCard) -> tuple[str, ...]:
    """Whose hearing and whose voices a card has, in its order; options that are off or included are nobody's."""
    kinds: tuple[Kind, ...] = ("stt", "tts")
    return tuple(
        dict.fromkeys(family_of(kind, key) for kind in kinds for key in card.options[kind] if key not in FREE[kind])
    )
