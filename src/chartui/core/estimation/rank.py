"""Rank all options of a kind by the cost and latency of the configuration that results from each option.

Speech input and output are included, so that realtime and text models can be compared (decision 3). A realtime model is
ranked with its own voices. Options that do not meet the constraints come last, and no difference from the current
option is shown for them. Therefore, a configuration that cannot hear or speak never appears cheaper than one that can.
Options billed by their provider at an unknown price never appear cheaper either.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from chartui.core.classes import NamedTuple
from chartui.core.estimation.amounts import Span
from chartui.core.estimation.card import RateCard
from chartui.core.estimation.constraints import REMARKS, Constraints, features, unmet_constraints
from chartui.core.estimation.discovery import Discovery
from chartui.core.estimation.prices import Configuration, Pricing, Remark, remarks_on, with_option
from chartui.core.spec.catalogue import Kind, family_of, is_beta_key, is_realtime_key, options

if TYPE_CHECKING:
    from chartui.core.sheet import Sheet


#: The kinds that can be ranked, by their names for users.
RANKED: Final[Mapping[str, Kind]] = {"models": "llm", "speech-in": "stt", "speech-out": "tts", "animation": "animation"}
UNCONSTRAINED: Final = Constraints()


class Order(StrEnum):
    """The sort order of a ranking. Sorting by latency uses the maximum latency (decision 7)."""

    CREDITS = "credits"
    LATENCY = "latency"
    NAME = "name"


class Ranked(NamedTuple):
    """An option, and the configuration that results from choosing it. Unknown amounts are None.

    ``credits`` is the cost per interaction, ``latency`` is the end-to-end latency in milliseconds, and ``difference``
    is the difference in credits from the current configuration. ``chosen`` marks the current option. ``remarks``
    concern the resulting configuration. ``unmet`` contains phrases for the constraints that the configuration does not
    meet. ``difference`` is None if any constraint is unmet, or if the parts billed at an unknown price are not the
    same as in the current configuration.
    """

    kind: Kind
    key: str
    label: str
    family: str
    configuration: Configuration
    credits: Decimal | None
    latency: Span | None
    difference: Decimal | None
    chosen: bool
    remarks: tuple[Remark, ...]
    unmet: tuple[str, ...] = ()

    @property
    def beta(self) -> bool:
        return self.kind == "llm" and is_beta_key(self.key)

    @property
    def realtime(self) -> bool:
        return self.kind == "llm" and is_realtime_key(self.key)

    @property
    def billed_elsewhere(self) -> bool:
        """Whether the option is billed by its provider at an unknown price.

        The credits do not include this price (decision 2).
        """
        return any(remark.member == self.kind and remark.unpriced for remark in self.remarks)

    @property
    def own_price(self) -> bool:
        """Whether the credits include the user's own price for the option."""
        return any(remark.member == self.kind and remark.own for remark in self.remarks)

    @property
    def note(self) -> str:
        """Sentences about unusual inputs in the configuration. The result is empty if there are none."""
        return " ".join(remark.text for remark in self.remarks if remark.unusual)


def rank(
    pricing: Pricing,
    configuration: Configuration,
    kind: Kind,
    *,
    by: Order = Order.CREDITS,
    reverse: bool = False,
    discovery: Discovery | None = None,
    constraints: Constraints = UNCONSTRAINED,
) -> tuple[Ranked, ...]:
    """Return the options of a kind, ranked by the result of choosing each of them.

    The options come from the catalogue, the card and, if given, a service's response. They are divided into three
    groups: options that meet the constraints, options that do not, and options without a price. Each group is sorted
    separately. In a ranking by credits, options billed by their provider at an unknown price come last in their group.
    In a ranking by latency, options without a latency come last in their group. Options with equal values keep the
    order of the catalogue.

    Raises :class:`~chartui.core.estimation.constraints.Unsupported` for a limit that the card does not support.
    """
    constraints.check(pricing.card)
    present = _Present(configuration, pricing.credits(configuration), _unpriced(pricing, configuration))
    found = [
        _ranked(pricing, kind, key, label, present, constraints)
        for key, label in _labels(pricing.card, kind, discovery, getattr(configuration, kind)).items()
    ]
    value = _VALUES[by]
    valued = sorted((entry for entry in found if value(entry) is not None), key=value, reverse=reverse)
    valued += (entry for entry in found if value(entry) is None)
    costs = by is Order.CREDITS
    return tuple(
        sorted(
            valued,
            key=lambda e: (e.credits is None, bool(e.unmet), costs and e.credits is not None and e.billed_elsewhere),
        )
    )


_VALUES: Final[dict[Order, Callable[[Ranked], Any]]] = {
    Order.CREDITS: lambda entry: entry.credits,
    Order.LATENCY: lambda entry: entry.latency and entry.latency[1],
    Order.NAME: lambda entry: entry.label.casefold(),
}


class _Present(NamedTuple):
    configuration: Configuration
    credits: Decimal | None
    unpriced: list[Remark]


def _unpriced(pricing: Pricing, configuration: Configuration) -> list[Remark]:
    return [each for each in remarks_on(configuration, pricing.card.own) if each.unpriced]


def _ranked(pricing: Pricing, kind: Kind, key: str, label: str, present: _Present, constraints: Constraints) -> Ranked:
    changed = with_option(present.configuration, kind, key)
    amount, unmet = pricing.credits(changed), unmet_constraints(pricing, changed, constraints)
    comparable = not unmet and _unpriced(pricing, changed) == present.unpriced
    return Ranked(
        kind=kind,
        key=key,
        label=label,
        family=family_of(kind, key),
        configuration=changed,
        credits=amount,
        latency=pricing.latency(changed),
        difference=amount - present.credits
        if comparable and amount is not None and present.credits is not None
        else None,
        chosen=changed == present.configuration,
        remarks=remarks_on(changed, pricing.card.own),
        unmet=unmet,
    )


def _labels(card: RateCard, kind: Kind, discovery: Discovery | None, present: str) -> dict[str, str]:
    """Return every key in catalogue order, with unknown keys last. Labels come from the service or the card."""
    labels = {entry.key: entry.label for entry in options(kind)}
    labels |= {entry.key: entry.label for entry in card.options[kind].values()}
    if discovery is not None:
        labels |= {choice.key: choice.label for choice in discovery.choices[kind] if choice.listed}
    labels.setdefault(present, present)
    return labels


TITLES: Final[dict[Kind, str]] = {
    "llm": "Models",
    "stt": "Speech input",
    "tts": "Speech output",
    "animation": "Animation",
}


def rank_sheet(ranked: Sequence[Ranked], notes: Sequence[str] = (), signs: Sequence[str] = ()) -> Sheet:
    """Return a ranking as a table in the same order.

    ``signs`` contains symbols that are appended to the options' names. Options that come last for a reason other than
    their value have the reason as the heading of their group.
    """
    from chartui.core.sheet import Column, Kind, Sheet

    columns = (
        Column("key"),
        Column("label", title="Name", kind=Kind.TEXT, least=24, best=48),
        Column("marks", kind=Kind.MARK, priority=4, written=False),
        Column("family", title="family", kind=Kind.TEXT, priority=7),
        Column("bar", kind=Kind.BAR, least=10, best=30, priority=6, written=False),
        Column("credits", title="credits", kind=Kind.CREDITS),
        Column("difference", signed=True, title="± now", kind=Kind.DIFFERENCE, priority=3),
        Column("latency_min_ms", title="min ms", kind=Kind.LATENCY, priority=5),
        Column("latency_max_ms", title="ms", kind=Kind.LATENCY, priority=1),
        Column("selected"),
        *(Column(name) for name in REMARKS),
        Column("unmet_constraints"),
        Column("note"),
    )
    title = f"{TITLES[ranked[0].kind]}, ranked" if ranked else ""
    often = Counter(phrase for entry in ranked for phrase in entry.unmet)
    unmet = ", ".join(phrase for phrase, _ in often.most_common())
    return Sheet(
        title,
        columns,
        tuple(_rows(ranked, signs or [""] * len(ranked))),
        tuple(notes),
        keys=tuple(entry.key for entry in ranked),
        marks=tuple("›" if entry.chosen else "" for entry in ranked),
        groups=tuple(_group(entry, unmet) for entry in ranked),
    )


def _group(entry: Ranked, unmet: str) -> str:
    """Why an option comes last whatever its value. The result is empty for options that are compared.

    ``unmet`` names the constraints that some options do not meet, the most frequent first.
    """
    if entry.credits is None:
        return "Price unknown"
    if entry.unmet:
        return f"Do not fit: {unmet}"
    return "Plus provider price" if entry.billed_elsewhere else ""


def _rows(ranked: Sequence[Ranked], signs: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    most = max((entry.credits for entry in ranked if entry.credits is not None), default=None)
    for entry, sign in zip(ranked, signs, strict=True):
        has = {
            **features(entry.configuration),
            "billed_elsewhere": any(remark.unpriced for remark in entry.remarks),
            "own_price": any(remark.own for remark in entry.remarks),
        }
        yield (
            entry.key,
            entry.label,
            sign,
            entry.family,
            entry.credits / most if entry.credits is not None and most else None,
            entry.credits,
            entry.difference,
            *(entry.latency or (None, None)),
            entry.chosen,
            *(has[name] for name in REMARKS),
            "; ".join(entry.unmet),
            entry.note,
        )
