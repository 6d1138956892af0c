"""Set constraints on configurations in explorations and rankings, such as required features and limits on cost.

:mod:`chartui.core.estimation.prices` finds unusual inputs and parts billed by a provider (decisions 2 and 4).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import Any, Final

from chartui.core.classes import dataclass
from chartui.core.estimation.card import FREE, RateCard
from chartui.core.estimation.prices import Configuration, Pricing, has_speech_in, has_speech_out, remarks_on
from chartui.core.numbers import count, exact, noun
from chartui.core.spec.catalogue import NO_ANIMATION, Kind, family_of, is_beta_key, options


class Need(StrEnum):
    """Whether a feature is required, excluded, or optional."""

    ANY = "any"
    MUST = "required"
    MUST_NOT = "excluded"

    def allows(self, there: bool) -> bool:
        return self is Need.ANY or there is (self is Need.MUST)


class Unsupported(ValueError):
    """Raised for a latency limit if the card has no latencies, or for a price limit if it has no subscriptions."""


@dataclass(frozen=True, slots=True)
class Constraints:
    """Constraints on a configuration.

    By default, nothing is constrained. ``beta`` applies to models that are in beta. ``billed_elsewhere`` applies to
    models and voices that are billed by their provider, except those for which the user has set a price. ``families``
    restricts the model families. ``speech_in_vendors`` and ``speech_out_vendors`` restrict the vendors of speech input
    and speech output. An empty set allows all families or vendors. Options that are off or included in the model are
    always allowed.

    ``max_credits`` is the limit per interaction. ``max_latency`` is the limit for the maximum end-to-end latency in
    milliseconds (decision 7). The monthly limits apply to ``interactions`` per month. If ``interactions`` is None, they
    have no effect. ``max_monthly_price`` limits the monthly credits to those included in the largest subscription that
    costs no more than this price.
    """

    memory: Need = Need.ANY
    knowledge: Need = Need.ANY
    speech_in: Need = Need.ANY
    speech_out: Need = Need.ANY
    animation: Need = Need.ANY
    realtime: Need = Need.ANY
    billed_elsewhere: Need = Need.ANY
    unusual_inputs: Need = Need.ANY
    beta: Need = Need.ANY
    families: frozenset[str] = frozenset()
    speech_in_vendors: frozenset[str] = frozenset()
    speech_out_vendors: frozenset[str] = frozenset()
    max_credits: Decimal | None = None
    max_latency: int | None = None
    interactions: Decimal | None = None
    max_monthly_credits: Decimal | None = None
    max_monthly_price: Decimal | None = None

    def allows_option(self, kind: Kind, key: str) -> bool:
        """Return whether the constraints on families, vendors and beta models allow an option."""
        return self.in_groups(kind, key) and (kind != "llm" or self.beta.allows(is_beta_key(key)))

    def in_groups(self, kind: Kind, key: str) -> bool:
        """Return whether an option belongs to an allowed family or vendor."""
        allowed = {"llm": self.families, "stt": self.speech_in_vendors, "tts": self.speech_out_vendors}.get(kind)
        return not allowed or key in FREE[kind] or family_of(kind, key) in allowed

    def max_micro(self, card: RateCard) -> int | None:
        """Return the strictest limit on cost, in millionths of a credit per interaction, or None if none is set."""
        return min(self.micro_limits(card).values(), default=None)

    def micro_limits(self, card: RateCard) -> dict[str, int]:
        """Return all limits on cost, in millionths of a credit per interaction, keyed by field."""
        limits = {} if self.max_credits is None else {"max_credits": Fraction(self.max_credits)}
        if self.interactions:
            monthly = {
                "max_monthly_credits": self.max_monthly_credits,
                "max_monthly_price": self._credits_for_price(card),
            }
            each = Fraction(self.interactions)
            limits |= {name: Fraction(limit) / each for name, limit in monthly.items() if limit is not None}
        return {name: floor(limit * 10**6) for name, limit in limits.items()}

    def _credits_for_price(self, card: RateCard) -> int | Decimal | None:
        if self.max_monthly_price is None or not card.subscriptions:
            return None
        affordable = (one for one in card.subscriptions if one.price <= self.max_monthly_price)
        return max((one.monthly_credits for one in affordable), default=-1)  # nothing is affordable

    def check(self, card: RateCard) -> None:
        """Raise :class:`Unsupported` for a limit on latency or price that the card does not support."""
        if self.max_latency is not None and not card.timed:
            raise Unsupported("this rate card has no latencies, so latency cannot be limited")
        if self.max_monthly_price is not None and not card.subscriptions:
            raise Unsupported("this rate card has no subscriptions, so the monthly price cannot be limited")

    def supported(self, card: RateCard) -> Constraints:
        """Return a copy without limits that the rate card does not support.

        If the card has no latencies or no subscriptions, the limits that need them are removed.
        """
        return replace(
            self,
            max_latency=self.max_latency if card.timed else None,
            max_monthly_price=self.max_monthly_price if card.subscriptions else None,
        )


@lru_cache(maxsize=1024)  # for all options of a kind, while you type quantities
def features(configuration: Configuration, own: frozenset[str] = frozenset()) -> Mapping[str, bool]:
    """Return a mapping from feature names to True or False for a configuration.

    The features are those in :data:`FEATURES` plus ``own_price``, which is True if the user has set a price for one of
    the options. ``own`` contains the options with such a price (:attr:`RateCard.own`).
    """
    remarks = remarks_on(configuration, own)
    return {
        "memory": configuration.memory,
        "knowledge": configuration.knowledge,
        "speech_in": has_speech_in(configuration),
        "speech_out": has_speech_out(configuration),
        "animation": configuration.animation != NO_ANIMATION,
        "realtime": configuration.realtime,
        "billed_elsewhere": any(remark.unpriced for remark in remarks),
        "own_price": any(remark.own for remark in remarks),
        "unusual_inputs": any(remark.unusual for remark in remarks),
        "beta": is_beta_key(configuration.llm),
    }


def unmet_constraints(pricing: Pricing, configuration: Configuration, constraints: Constraints) -> tuple[str, ...]:
    """Return phrases for the constraints that a configuration does not meet.

    An unknown amount never exceeds a limit.
    """
    return (
        *_unmet_features(configuration, pricing.card.own, constraints),
        *(p for name in _exceeded(pricing, configuration, constraints) for p in one_in_words(constraints, name)),
    )


@lru_cache(maxsize=1024)  # for all options of a kind, while you type quantities
def _unmet_features(configuration: Configuration, own: frozenset[str], constraints: Constraints) -> tuple[str, ...]:
    """Return phrases for the unmet constraints that do not depend on quantities."""
    has = features(configuration, own)
    unmet = [name for name in FEATURES if not getattr(constraints, name).allows(has[name])]
    unmet += (n for n, (_, kind) in GROUPS.items() if not constraints.in_groups(kind, getattr(configuration, kind)))
    return tuple(phrase for name in unmet for phrase in one_in_words(constraints, name))


def _exceeded(pricing: Pricing, configuration: Configuration, constraints: Constraints) -> Iterator[str]:
    limits = constraints.micro_limits(pricing.card)
    amount = pricing.credits(configuration) if limits else None
    if amount is not None:
        yield from (name for name, limit in limits.items() if amount.scaleb(6) > limit)
    latency = pricing.latency(configuration) if constraints.max_latency is not None else None
    if latency is not None and constraints.max_latency is not None and latency[1] > constraints.max_latency:
        yield "max_latency"


#: The members that restrict the options of a kind to families or vendors: a name for one of them, and the kind.
GROUPS: Final[dict[str, tuple[str, Kind]]] = {
    "families": ("family", "llm"),
    "speech_in_vendors": ("speech_in_vendor", "stt"),
    "speech_out_vendors": ("speech_out_vendor", "tts"),
}
#: The members about cost: limits, and the number of interactions that those of a month refer to.
LIMITS: Final = ("max_credits", "interactions", "max_monthly_credits", "max_monthly_price")

#: Unusual inputs, and options whose price only their provider knows, are excluded unless you ask for them.
DEFAULTS: Final = Constraints(unusual_inputs=Need.MUST_NOT, billed_elsewhere=Need.MUST_NOT)


def alike(configuration: Configuration, constraints: Constraints) -> Constraints:
    """Return a copy of ``constraints`` that requires the features of ``configuration`` and no other features."""
    has = features(configuration)
    names = ("memory", "knowledge", "speech_in", "speech_out", "animation")
    needs: dict[str, Any] = {name: Need.MUST if has[name] else Need.ANY for name in names}
    return replace(constraints, **needs)


def default_constraints(configuration: Configuration) -> Constraints:
    """Return the default constraints of Explore and Rank, both on screen and on the command line.

    These constraints exclude unusual inputs, and require speech and animation if ``configuration`` uses them. Options
    billed by their provider are excluded too, because their price is unknown, unless ``configuration`` uses such an
    option.
    """
    billed = Need.ANY if features(configuration)["billed_elsewhere"] else DEFAULTS.billed_elsewhere
    return replace(alike(configuration, DEFAULTS), billed_elsewhere=billed, memory=Need.ANY, knowledge=Need.ANY)


#: The phrases for a required and for an excluded feature.
_WORDS: Final = {
    "memory": ("with memory", "without memory"),
    "knowledge": ("with knowledge", "without knowledge"),
    "speech_in": ("with speech input", "without speech input"),
    "speech_out": ("with speech output", "without speech output"),
    "animation": ("with animation", "without animation"),
    "realtime": ("a realtime model", "a text model"),
    "billed_elsewhere": ("an option billed by its provider", "no option billed by its provider"),
    "unusual_inputs": ("with unusual inputs", "no unusual inputs"),
    "beta": ("a beta model", "no beta model"),
}
#: The members of :class:`Constraints` that are a :class:`Need`.
FEATURES: Final = tuple(_WORDS)
#: The features, by their names in options and files.
FEATURE_NAMES: Final = {name.replace("_", "-"): name for name in FEATURES}
#: The features that the selections of a configuration do not show; every listing has them.
REMARKS: Final = ("realtime", "billed_elsewhere", "own_price", "unusual_inputs", "beta")


def without_limits(constraints: Constraints) -> Constraints:
    """Return the constraints without the limits on cost and latency."""
    none: dict[str, Any] = dict.fromkeys((*LIMITS, "max_latency"))
    return replace(constraints, **none)


def groups(card: RateCard, kind: Kind) -> tuple[str, ...]:
    """Return the families of models, or the vendors of voices.

    Those in the catalogue come first, followed by others on the rate card.
    """
    keys = (*(entry.key for entry in options(kind)), *card.options[kind])
    return tuple(dict.fromkeys(family_of(kind, key) for key in keys if key not in FREE[kind]))


def in_words(constraints: Constraints) -> tuple[str, ...]:
    """Return the constraints as phrases, such as ``with memory`` or ``at most 1 200 ms``."""
    return tuple(phrase for name in constraints.__dataclass_fields__ for phrase in one_in_words(constraints, name))


def one_in_words(constraints: Constraints, member: str) -> tuple[str, ...]:
    """Return phrases for one field of the constraints.

    The result is empty if the field does not constrain anything.
    """
    value = getattr(constraints, member)
    if isinstance(value, Need):
        return () if value is Need.ANY else (_WORDS[member][value is Need.MUST_NOT],)
    if not value and not isinstance(value, int | Decimal):
        return ()
    match member:
        case "families":
            return (f"a model from {_any_of(value)}",)
        case "speech_in_vendors":
            return (f"speech input from {_any_of(value)}",)
        case "speech_out_vendors":
            return (f"speech output from {_any_of(value)}",)
        case "max_credits":
            return (f"at most {_credits(value)}",)
        case "max_latency":
            return (f"at most {count(value)} ms",)
    if constraints.interactions is None or member == "interactions":
        return ()
    limit = f"at most {_credits(value)}" if member == "max_monthly_credits" else f"a price of at most {exact(value)}"
    return (f"{limit} a month for {exact(constraints.interactions)} {noun('interaction', constraints.interactions)}",)


def _credits(amount: Decimal) -> str:
    return f"{exact(amount)} {noun('credit', amount)}"


def _any_of(names: frozenset[str]) -> str:
    return " or ".join(sorted(names))
