"""Determine the cost of a character: a known price, a price range, or unknown (decision 63).

If several configurations are possible (:mod:`chartui.core.estimation.character_map`), all of them are priced.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from operator import attrgetter
from typing import TYPE_CHECKING, Final, cast

from chartui.core.classes import NamedTuple
from chartui.core.estimation.character_map import CharacterMap, Part
from chartui.core.estimation.prompt import InputTokens, tokens_as_wire, unread_text
from chartui.core.jsontext import Wire, canonical
from chartui.core.numbers import between_text, count, credits_text, exact
from chartui.core.spec.catalogue import Kind, option
from chartui.core.spec.models.estimation import Estimate

if TYPE_CHECKING:
    from chartui.core.money import Price
    from chartui.core.sheet import Sheet


class Priced(NamedTuple):
    """The price of a configuration.

    It is the service's estimate or, if there is no estimate with a total, a description of the problem.
    """

    llm: str | None
    estimate: Estimate | None
    problem: str = ""


class Span(NamedTuple):
    min: Decimal
    max: Decimal


class CostStage(NamedTuple):
    """A component of the price, with its range over all estimates of a character.

    The range of the latency covers only known latencies. An estimate without the component counts as 0 credits.
    """

    label: str
    credits: Span
    latency: Span | None


class CharacterCost(NamedTuple):
    """The cost of a character.

    ``inputs`` is a phrase that says where the quantities of the interaction come from. ``tokens`` contains the input
    tokens, if they were estimated. ``ends`` contains the costs at the lowest and highest quantities, if they were
    computed and a quantity is a range.
    """

    mapped: CharacterMap
    priced: tuple[Priced, ...] = ()
    inputs: str = "with default inputs"
    tokens: InputTokens | None = None
    ends: tuple[CharacterCost, ...] = ()

    @property
    def at_least(self) -> bool:
        """Whether the price is a lower bound, because some texts of the character cannot be read."""
        return self.tokens is not None and self.tokens.at_least

    @property
    def input_tokens(self) -> int | Decimal | None:
        """The input tokens of the interaction, or None if the service does not report them."""
        if self.tokens is not None:
            return self.tokens.number
        given = self.estimates[0].assumptions if self.estimates else None
        return given.input_tokens if given is not None else None

    @property
    def tokens_in_short(self) -> str:
        """A phrase with the number of input tokens.

        It says whether the number is estimated, as in ``at least 250, estimated``.
        """
        if self.input_tokens is None:
            return "unknown"
        estimated = f"{self.tokens.kinds_text}, estimated" if self.tokens is not None else ""
        return f"{'at least ' if self.at_least else ''}{exact(self.input_tokens)}{estimated}"

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        return tuple(one.estimate for one in self.priced if one.estimate is not None)

    @property
    def doubt(self) -> str:
        """A sentence about an implausible estimate, or an empty string if all estimates are plausible."""
        return next((one.doubt for one in self.estimates if one.doubt), "")

    @property
    def exact(self) -> Estimate | None:
        return self.estimates[0] if self.estimates and not self.mapped.decides else None

    @property
    def unknown(self) -> str:
        """A sentence that says why the price is unknown, or an empty string if it is known."""
        if self.estimates:
            return ""
        return self.mapped.unknown or next((one.problem for one in self.priced), "No price was requested.")

    @property
    def unpriced(self) -> tuple[Priced, ...]:
        """The possible configurations without a price, if at least one other configuration has a price.

        If all configurations are without a price, the result is empty, and :attr:`unknown` gives the reason.
        """
        return tuple(one for one in self.priced if one.estimate is None) if self.estimates else ()

    @property
    def cheapest(self) -> Estimate | None:
        return min(self.estimates, key=attrgetter("known_credits"), default=None)

    @property
    def dearest(self) -> Estimate | None:
        return max(self.estimates, key=attrgetter("known_credits"), default=None)

    @property
    def credits(self) -> Span | None:
        """The lowest and highest known prices in credits per interaction, or None if no price is known."""
        low, high = self.cheapest, self.dearest
        return Span(low.known_credits, high.known_credits) if low is not None and high is not None else None

    @property
    def stages(self) -> tuple[CostStage, ...]:
        """The components of the price, in the same order as in the estimates."""
        estimates = [{line.key: line for line in estimate.lines} for estimate in self.estimates]
        stages = []
        for key in dict.fromkeys(key for lines in estimates for key in lines):
            found = [lines[key] for lines in estimates if key in lines]
            amounts = [line.credits for line in found] + [Decimal(0)] * (len(found) < len(estimates))
            known = [line.latency for line in found if line.latency is not None]
            latency = Span(min(one.min for one in known), max(one.max for one in known)) if known else None
            stages.append(CostStage(found[0].label or key, Span(min(amounts), max(amounts)), latency))
        return tuple(stages)

    @property
    def latency(self) -> Span | None:
        """The minimum and maximum latency in milliseconds, or None if the latency is missing from any estimate."""
        ranges = [estimate.latency_ms for estimate in self.estimates]
        known = [latency for latency in ranges if latency is not None]
        if not known or len(known) < len(ranges):
            return None
        return Span(min(latency.min for latency in known), max(latency.max for latency in known))


def cost_as_wire(cost: CharacterCost) -> dict[str, Wire]:
    """Return the configuration, the estimates and the price range of a character as JSON data.

    A ``value`` is null if it is unknown or if several values are possible.
    """
    credits_, latency = cost.credits, cost.latency
    low, *high = cost.ends or (cost,)
    spans = [one.credits._asdict() if one.credits is not None else None for one in (low, cost, *high)]
    ranging = credits_ is not None and cost.exact is None
    return {
        "mapping": [
            {
                "member": part.member,
                "value": value_of(cost, part) if len(part.values) == 1 else None,
                "candidates": list(part.values) if len(part.values) > 1 else [],
                "source": part.source.value,
                "assumed": part.assumed,
                "reason": part.why,
            }
            for part in cost.mapped.parts
        ],
        "estimates": [estimate.raw for estimate in cost.estimates],
        "range": {
            "credits": credits_._asdict() if credits_ is not None else None,
            "latency_ms": latency._asdict() if latency is not None else None,
            "depends_on": cost.mapped.decides,
            "unpriced": [{"llm": one.llm, "reason": one.problem} for one in cost.unpriced],
        }
        if ranging
        else None,
        "at_least": cost.at_least,
        "input_tokens": tokens_as_wire(cost.tokens) if cost.tokens is not None else None,
        "unknown_reason": cost.unknown or None,
        **({"credits": dict(zip(("least", "typical", "most"), spans, strict=True))} if cost.ends else {}),
    }


def cost_sheet(cost: CharacterCost, title: str, price: Price | None = None) -> Sheet:
    """Return the configuration of a character as a table of values, sources and reasons.

    The last rows contain the lowest and the highest credits and, if ``price`` is given, the same amounts in its
    currency. The notes state these amounts as well.
    """
    from chartui.core.sheet import Column, Sheet

    rows: list[tuple[Wire, ...]] = [
        (p.member, value_of(cost, p), p.source.value, p.assumed, p.why) for p in cost.mapped.parts
    ]
    low, high = cost.credits or (None, None)
    limit = " Some of the character's texts cannot be read, so this is a lower bound." if cost.at_least else ""
    why = cost.unknown or f"Estimated cost of an interaction {cost.inputs}.{limit}"
    amounts = [("credits_min", low), ("credits_max", high)]
    notes = [price_text(cost)]
    if price is not None:
        amounts += [("money_min", price.of(low)), ("money_max", price.of(high))]
        notes += [money_text(cost, price)]
    # As text, since the other values are texts too.
    rows += [(n, None if a is None else canonical(a), None, a is not None, why) for n, a in amounts]
    columns = tuple(map(Column, ("member", "value", "source", "assumed", "reason")))
    notes += [cost.tokens.told()] if cost.tokens is not None else []
    return Sheet(title, columns, tuple(rows), tuple(notes))


def value_of(cost: CharacterCost, part: Part) -> Wire:
    """Return the value of a field of the configuration.

    An unknown default is taken from the service's estimate (decision 8).
    """
    if len(part.values) != 1:
        return list(part.values) or None
    [value] = part.values
    echoed = cost.estimates[0].selections if value is None and cost.estimates else None
    return getattr(echoed, part.member) if echoed is not None else value


def value_words(cost: CharacterCost, part: Part) -> str:
    """Return the value of a field of the configuration in words."""
    value = value_of(cost, part)
    if isinstance(value, list):
        return f"one of {len(value)}"
    if value is None:
        return "the service's default" if part.values else "unknown"
    if isinstance(value, bool):
        return "on" if value else "off"
    found = option(cast("Kind", part.member), str(value))
    return found.label if found is not None else str(value)


def basis_text(*costs: CharacterCost) -> str:
    """Return sentences about the origin of the inputs and about assumed values.

    The result is empty if no price is known.
    """
    said, inputs = [], next((cost.inputs for cost in costs if cost.estimates), "")
    for cost in costs:
        for part in cost.mapped.parts:
            if part.assumed and part.member in _NOUNS and cost.estimates:
                source = "" if value_of(cost, part) is None else f" ({part.source.value})"
                said.append(f"{_NOUNS[part.member]} {value_words(cost, part)}{source}")
    assumed = f"Assumed: {', '.join(dict.fromkeys(said))}." if said else ""
    origin = f"{inputs[0].upper()}{inputs[1:]}." if inputs else ""
    return " ".join(filter(None, (origin, tokens_text([cost for cost in costs if cost.estimates]), assumed)))


def tokens_text(costs: Sequence[CharacterCost]) -> str:
    """Return sentences about estimated input tokens, or an empty string if none were estimated."""
    found = tuple(dict.fromkeys(cost.tokens for cost in costs if cost.tokens is not None))
    if len(found) == 1:
        return found[0].told()
    unread = tuple(dict.fromkeys(text for tokens in found for text in tokens.prompt.unread))
    numbers = " → ".join(f"{'at least ' if one.at_least else ''}{count(one.number)}" for one in found)
    each = f": {numbers}" if len(found) == 2 and len(costs) == 2 else " of each character"
    return f"Input tokens are estimated from the texts{each}. {unread_text(unread)}".rstrip() if found else ""


_NOUNS: Final = {"memory": "memory", "tts": "speech output"}


def price_text(cost: CharacterCost) -> str:
    """Return a sentence that states the cost of a character at full precision."""
    span = cost.credits
    if span is None:
        return f"Unknown: {cost.unknown}"
    least = "At least " if cost.at_least else ""
    if cost.exact is not None:
        return f"{least}{canonical(span.min)} credits per interaction {cost.inputs}."
    low, high = canonical(span.min), canonical(span.max)
    return f"{least}{low} to {high} credits per interaction {cost.inputs}, depending on {cost.mapped.decides}."


def money_text(cost: CharacterCost, price: Price) -> str:
    """Return a sentence that states the cost of a character in the currency of ``price``."""
    amounts = " to ".join(dict.fromkeys(map(price.text, cost.credits or (None,))))
    return f"Price of an interaction: {'at least ' if cost.at_least else ''}{amounts}, at {price.rate_text}."


def price_in_short(cost: CharacterCost) -> str:
    """Return the price, latency and inputs of an interaction as a short phrase, or say why they are unknown."""
    if cost.credits is None:
        return f"Unknown: {cost.unknown}"
    times = f", {latency_in_short(cost)}" if cost.latency is not None else ""
    return f"{amount_in_short(cost)} credits{times}, {cost.inputs.removeprefix('with ').removeprefix('the ')}"


def amount_in_short(cost: CharacterCost) -> str:
    """Return the credits of an interaction or their range, such as ``at least 3.215``, or ``unknown``."""
    if cost.credits is None:
        return "unknown"
    return ("at least " if cost.at_least else "") + "–".join(dict.fromkeys(map(credits_text, cost.credits)))


def ends_text(cost: CharacterCost) -> str:
    """Return a sentence with the lowest and highest credits, or an empty string if no quantity is a range."""
    if not cost.ends:
        return ""
    least, most = map(amount_in_short, cost.ends)
    return between_text(least, most)


def turn_in_short(cost: CharacterCost | None) -> str:
    """Return the credits of a turn as an estimate, such as ``about 3.215``, or an empty string if unknown.

    If a quantity is a range, return the lowest and the highest credits, such as ``2.1 to 5.9``.
    """
    if cost is None or cost.credits is None:
        return ""
    spans = [end.credits for end in cost.ends if end.credits is not None]
    if len(spans) == 2:
        ends = f"{credits_text(spans[0].min)} to {credits_text(spans[1].max)}"
        return f"{'at least ' if cost.at_least else ''}{ends}"
    return f"{'' if cost.at_least else 'about '}{amount_in_short(cost)}"


def latency_in_short(cost: CharacterCost) -> str:
    """Return the latency of an interaction in milliseconds, or ``unknown``."""
    return "unknown" if cost.latency is None else f"{count(cost.latency.min)}–{count(cost.latency.max)} ms"
