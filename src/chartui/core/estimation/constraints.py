"""Constraints on the configurations to explore: features, vendors and limits.

:mod:`chartui.core.estimation.prices` finds unusual inputs and parts billed by a provider (decisions 2 and 4).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Final

from chartui.core.estimation.card import FREE, RateCard
from chartui.core.numbers import count, exact
from chartui.core.spec.catalogue import Kind, family_of, options


class Need(StrEnum):
    """Whether a feature is required, excluded, or neither."""

    ANY = "any"
    MUST = "required"
    MUST_NOT = "excluded"

    def allows(self, there: bool) -> bool:
        return self is Need.ANY or there is (self is Need.MUST)


@dataclass(frozen=True, slots=True)
class Constraints:
    """Constraints on a configuration. By default, there are none.

    ``billed_elsewhere`` says whether models and voices that are billed by their provider are required or excluded.
    ``families`` restricts models, and ``vendors`` restricts speech input and output; an empty set allows all. Options
    that are off or included in the model are always allowed. ``max_credits`` is the limit per interaction, and
    ``max_latency`` the limit on the maximum end-to-end latency in milliseconds (decision 7).
    """

    memory: Need = Need.ANY
    knowledge: Need = Need.ANY
    speech_in: Need = Need.ANY
    speech_out: Need = Need.ANY
    animation: Need = Need.ANY
    realtime: Need = Need.ANY
    billed_elsewhere: Need = Need.ANY
    odd_inputs: Need = Need.ANY
    families: frozenset[str] = frozenset()
    vendors: frozenset[str] = frozenset()
    max_credits: Decimal | None = None
    max_latency: int | None = None

    def is_of(self, kind: Kind, key: str) -> bool:
        """Return whether an option belongs to an allowed model family or vendor."""
        if kind == "llm":
            return not self.families or family_of(kind, key) in self.families
        if kind == "animation" or not self.vendors or key in FREE[kind]:
            return True
        return family_of(kind, key) in self.vendors


#: By default, odd inputs are excluded.
DEFAULTS: Final = Constraints(odd_inputs=Need.MUST_NOT)

#: The phrases for a required and for an excluded feature.
_WORDS: Final = {
    "memory": ("with memory", "without memory"),
    "knowledge": ("with knowledge", "without knowledge"),
    "speech_in": ("with speech input", "without speech input"),
    "speech_out": ("with speech output", "without speech output"),
    "animation": ("with animation", "without animation"),
    "realtime": ("a realtime model", "a text model"),
    "billed_elsewhere": ("something billed by its provider", "nothing billed by its provider"),
    "odd_inputs": ("with odd inputs", "without odd inputs"),
}
#: The members of :class:`Constraints` that are a :class:`Need`.
FEATURES: Final = tuple(_WORDS)


def families(card: RateCard) -> tuple[str, ...]:
    return _groups(card, ("llm",))


def vendors(card: RateCard) -> tuple[str, ...]:
    """Return the vendors of speech input and output: those in the catalogue, then others on the card."""
    return _groups(card, ("stt", "tts"))


def _groups(card: RateCard, kinds: tuple[Kind, ...]) -> tuple[str, ...]:
    keys = [(kind, key) for kind in kinds for key in (*(entry.key for entry in options(kind)), *card.options[kind])]
    return tuple(dict.fromkeys(family_of(kind, key) for kind, key in keys if key not in FREE[kind]))


def in_words(constraints: Constraints) -> tuple[str, ...]:
    """Return the constraints as phrases, such as ``with memory`` or ``at most 1 200 ms``."""
    said = []
    for name, (there, gone) in _WORDS.items():
        need: Need = getattr(constraints, name)
        if need is not Need.ANY:
            said.append(there if need is Need.MUST else gone)
    if constraints.families:
        said.append(f"a model of {_any_of(constraints.families)}")
    if constraints.vendors:
        said.append(f"speech input and output by {_any_of(constraints.vendors)}")
    if constraints.max_credits is not None:
        unit = "credit" if constraints.max_credits == 1 else "credits"
        said.append(f"at most {exact(constraints.max_credits)} {unit}")
    if constraints.max_latency is not None:
        said.append(f"at most {count(constraints.max_latency)} ms")
    return tuple(said)


def _any_of(names: frozenset[str]) -> str:
    return " or ".join(sorted(names))
