"""Limits on credits and latency.

Commands fail if a limit is exceeded. The limits apply to the highest possible value (decision 7). An unknown value
never meets a limit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_DOWN, Context, Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, get_args

from chartui.core.classes import NamedTuple
from chartui.core.estimation.amounts import EXACT, spoken
from chartui.core.estimation.prices import Configuration
from chartui.core.numbers import exact, noun, number_of
from chartui.core.spec.models.estimation import Estimate
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.estimation.baseline import Baseline
    from chartui.core.estimation.character_cost import CharacterCost

#: The kinds of subjects, which are the tables of a baseline.
Kind = Literal["configurations", "presets", "characters", "bundles"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
#: What a configuration that is given by the options of a command is called in sentences.
COMMAND: Final = "the configuration of this command"
_NO_TOTAL: Final = "the estimate has no total"
#: The precision of a growth, which may be a repeating decimal.
_DIVIDING: Final = Context(prec=40, rounding=ROUND_DOWN)


class Subject(NamedTuple):
    """A configuration, character or bundle whose cost is compared with limits.

    ``kind`` and ``name`` identify its entry in a baseline file. ``credits`` is the cost per unit, and ``per`` names the
    unit. ``monthly`` is the cost of a scenario's usage, in credits per month. ``latency`` is the end-to-end latency in
    milliseconds. ``credits``, ``monthly`` and ``latency`` are the highest possible values, or None if unknown. ``why``
    says why the credits are unknown. ``unread`` lists the texts of the prompt that could not be read. If any texts are
    listed, the credits are a lower bound. ``inputs`` contains the possible selections (E 2.1), each keyed by field.
    ``typical`` contains the lowest and the highest possible number of credits at the typical quantities, and
    ``typical_monthly`` contains these two numbers per month. ``typical`` and ``typical_monthly`` are empty if no
    quantity is a range. ``scenario`` is the name of the scenario, or empty if there is none or if ``name``
    already contains it.
    """

    kind: Kind
    name: str
    credits: Decimal | None
    latency: Decimal | None
    why: str = ""
    inputs: tuple[Mapping[str, object], ...] = ()
    per: str = "per interaction"
    monthly: Decimal | None = None
    unread: tuple[str, ...] = ()
    typical: tuple[Decimal, ...] = ()
    typical_monthly: tuple[Decimal, ...] = ()
    scenario: str = ""

    def clause(self, amount: Decimal | None, typical: tuple[Decimal, ...], per: str) -> str:
        """Return a clause about an amount of credits, such as ``costs at most 4.6 credits a month (typically 3.8)``."""
        name = self.called
        least = "at least " if self.unread else "at most " if typical else ""
        much = "an unknown number of" if amount is None else f"{least}{exact(amount)}"
        beside = f" (typically {' to '.join(dict.fromkeys(map(exact, typical)))})" if typical else ""
        if typical and self.unread:  # a typical value below a lower bound would not be understood
            beside = " at the highest quantities"
        return f"{name[0].upper()}{name[1:]} costs {much} {noun('credit', amount or 0)} {per}{beside}{self.where}"

    @property
    def where(self) -> str:
        """A phrase that names the scenario, for the end of a clause, or an empty string."""
        return f" with scenario “{single_line(self.scenario, limit=60)}”" if self.scenario else ""

    @property
    def called(self) -> str:
        """The name in quotation marks, or a phrase if the configuration has no name, for use in a sentence."""
        return COMMAND if self.kind == "configurations" else f"“{single_line(self.name, limit=60)}”"


def subject_of(kind: Kind, name: str, estimate: Estimate, typical: Estimate | None = None) -> Subject:
    """Return a service's estimate as a subject that can be compared with limits.

    If a quantity is a range, ``estimate`` is for the highest quantities and ``typical`` for the typical ones.
    """
    latency, selections = estimate.latency_ms, estimate.selections
    return Subject(
        kind,
        name,
        estimate.credits,
        None if latency is None else max(latency.min, latency.max),
        "" if estimate.credits is not None else _NO_TOTAL,
        () if selections is None else ({member: getattr(selections, member) for member in Configuration._fields},),
        typical=() if typical is None or typical.credits is None else (typical.credits,),
    )


def subject_of_cost(kind: Kind, name: str, cost: CharacterCost, typical: CharacterCost | None = None) -> Subject:
    """Return the cost of a character or bundle as a subject that can be compared with limits.

    If a quantity is a range, ``cost`` is for the highest quantities and ``typical`` for the typical ones.
    If one of several possible configurations has no price, the credits are unknown, because the missing price could be
    the highest.
    """
    span, latency = cost.credits, cost.latency
    why = cost.unknown or next((one.problem for one in cost.unpriced), "")
    echoed = (estimate.selections for estimate in cost.estimates)
    return Subject(
        kind,
        name,
        None if span is None or why else span.max,
        None if latency is None or why else latency.max,
        why.rstrip("."),
        tuple({member: getattr(one, member) for member in Configuration._fields} for one in echoed if one is not None)
        or cost.mapped.configurations,
        unread=cost.tokens.prompt.unread if cost.tokens is not None else (),
        typical=tuple(typical.credits or ()) if typical is not None else (),
    )


def lower_limits(subjects: Sequence[Subject]) -> str:
    """Return a sentence about costs that are lower bounds, or an empty string if there are no such costs."""
    found = [one for one in subjects if one.unread and one.credits is not None]
    texts = ", ".join(dict.fromkeys(text for one in found for text in one.unread))
    if not found:
        return ""
    verb = "is a lower bound" if len(found) == 1 else "are lower bounds"
    return f"{len(found)} of {number_of(len(subjects), 'cost')} {verb}, because these texts cannot be read: {texts}."


class Limits(NamedTuple):
    """Limits on the cost and latency of a configuration, character or bundle.

    ``credits`` is the limit per interaction, and ``monthly`` is the limit per month, both in credits. ``latency`` is
    the limit on the end-to-end latency, in milliseconds. ``growth`` is the limit on the increase in credits, in
    percent.
    """

    credits: Decimal | None = None
    latency: int | None = None
    growth: Decimal | None = None
    monthly: Decimal | None = None


class Earlier(NamedTuple):
    """An earlier number of credits, with which a new number is compared.

    ``credits`` is the earlier number, or None if it is unknown. ``whose`` is a phrase that names the source of the
    earlier number in a sentence. ``missing`` is a clause that says why the earlier number is unknown.
    """

    credits: Decimal | None
    whose: str
    missing: str

    @classmethod
    def in_file(cls, baseline: Baseline | None, subject: Subject, file: str) -> Earlier:
        """Return the credits of a subject in a baseline. ``file`` is the name of the baseline file."""
        credits_ = (baseline or {}).get(subject.kind, {}).get(subject.name)
        return cls(credits_, f"in {file}", f"{file} contains no matching entry")


Limit = Literal["max_credits", "max_monthly_credits", "max_latency", "max_growth", "forbid"]


class Exceeded(NamedTuple):
    """A limit that a configuration, character or bundle does not meet, and a sentence that says why."""

    limit: Limit
    text: str


def exceeded(
    subject: Subject, limits: Limits, earlier: Earlier, names: Mapping[Limit, str] = MappingProxyType({})
) -> Iterator[Exceeded]:
    """Yield the limits that a subject does not meet.

    ``earlier`` contains the credits to compare with, and is used only if there is a limit on the increase in credits.
    ``names`` maps limits to the names used in messages. By default, each limit keeps its own name.
    """
    amount, latency, name = subject.credits, subject.latency, subject.called
    cost = subject.clause(amount, subject.typical, subject.per)

    def over(limit: Limit, said: str, most: str) -> Exceeded:
        return Exceeded(limit, f"{said}. The {names.get(limit, limit)} limit is {most}.")

    if amount is None and (limits.credits is not None or limits.growth is not None):
        limit: Limit = "max_credits" if limits.credits is not None else "max_growth"
        yield Exceeded(limit, f"The cost of {name}{subject.where} is unknown: {single_line(subject.why, limit=200)}.")
    if amount is not None and limits.credits is not None and amount > limits.credits:
        yield over("max_credits", cost, exact(limits.credits))
    if limits.monthly is not None and (subject.monthly is None or subject.monthly > limits.monthly):
        monthly = subject.clause(subject.monthly, subject.typical_monthly, "a month")
        yield over("max_monthly_credits", monthly, exact(limits.monthly))
    if limits.latency is not None and (latency is None or latency > limits.latency):
        took = "has an unknown latency" if latency is None else f"takes up to {exact(latency)} ms end to end"
        at_start = f"{name[0].upper()}{name[1:]}"
        yield over("max_latency", f"{at_start} {took}{subject.where}", f"{exact(limits.latency)} ms")
    if amount is None or limits.growth is None:
        return
    if earlier.credits is None:
        yield Exceeded("max_growth", f"The cost increase of {name} is unknown, because {earlier.missing}.")
    elif EXACT.multiply(amount, 100) > EXACT.multiply(earlier.credits, EXACT.add(100, limits.growth)):
        percent = growth(amount, earlier.credits)
        more = "more" if percent is None else f"{spoken(percent)}% more"
        relative = f"{more} than {earlier.whose} ({exact(earlier.credits)} {noun('credit', earlier.credits)})"
        yield over("max_growth", f"{cost}, {relative}", f"{exact(limits.growth)}%")


def growth(amount: Decimal | None, earlier: Decimal | None) -> Decimal | None:
    """Return the increase in an amount, in percent.

    Return None if either amount is unknown or the earlier amount is 0.
    """
    if amount is None or not earlier:
        return None
    return _DIVIDING.divide(EXACT.multiply(EXACT.subtract(amount, earlier), 100), earlier)


def typed_percent(text: str) -> Decimal:
    """Parse a percentage such as ``5`` or ``5%``.

    Raises ``ValueError`` with a message that does not end with a full stop.
    """
    from chartui.core.typed_numbers import typed_number

    number = typed_number(text.strip().removesuffix("%"))
    if number < 0:
        raise ValueError(f"{text} is negative")
    return number
