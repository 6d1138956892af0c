"""Estimate how many seconds of speech a walk contains and how many credits it costs.

The estimates depend on a character's configuration and on a scenario. Every section that a walk enters counts as one
interaction, and so does a trigger that fires without a target. The length of spoken words is known from their text. The
length of a reply to instructions is not known in advance, so the typical length in the scenario is used (default: the
typical length in the rate card). If a text contains spoken words and instructions, the two lengths are added. Input
tokens that are missing from the scenario are estimated from the character's texts and the section's objective.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from chartui.core.classes import NamedTuple, dataclass
from chartui.core.costs import Basis, facts_of, pricing_for, reckon
from chartui.core.estimation.amounts import EXACT
from chartui.core.estimation.card import RateCard
from chartui.core.estimation.character_cost import Span, basis_text
from chartui.core.estimation.character_map import Facts
from chartui.core.estimation.mix import Case, mean, pricing_of
from chartui.core.estimation.prices import Quantities
from chartui.core.estimation.prompt import OBJECTIVE, PromptPart
from chartui.core.estimation.scenario import linked
from chartui.core.jsontext import Wire, canonical
from chartui.core.narrative.graph import Graph
from chartui.core.narrative.speech import NO_VALUES, speech
from chartui.core.narrative.walk.path import Walk
from chartui.core.narrative.walk.random_walks import RandomWalks, random_walks
from chartui.core.sheet import Column, Kind, Sheet
from chartui.core.spec.models.estimation import Assumptions
from chartui.core.typed_numbers import Range

if TYPE_CHECKING:
    from chartui.core.character import Reading
    from chartui.core.characters.models import Models
    from chartui.core.estimation.rates import Rates

#: Characters spoken per second, if neither the scenario nor the rate card's quantities say so.
_CHARACTERS: Final = Decimal(15)
#: The places that a table is rounded to.
_TENTH, _THOUSANDTH = Decimal("0.1"), Decimal("0.001")


class Reply(NamedTuple):
    """How much is said in one interaction.

    ``spoken`` is the length of the text that is spoken word for word. ``instructed`` is true if at least part of the
    reply is generated, because there are instructions or because there is no text at all. ``prompt`` is the combined
    length of the objective and the trigger's message.
    """

    spoken: int
    instructed: bool
    prompt: int = 0


class WalkCost(NamedTuple):
    """How many interactions and seconds of speech a walk contains, and how many credits it costs.

    ``credits`` is None if the character's price is unknown, and a range if the character's configuration is not known
    for certain. ``ends`` contains the costs at the lowest and highest quantities if any quantity is a range.
    """

    interactions: int
    seconds: Decimal
    credits: Span | None
    ends: tuple[WalkCost, ...] = ()


class Spread(NamedTuple):
    """The minimum, mean and maximum of an amount over random walks. The mean has six decimal places."""

    least: Decimal
    expected: Decimal
    most: Decimal


class RandomCost(NamedTuple):
    """The cost of random walks.

    ``credits`` is the cost with the cheapest possible configuration of the character, and ``dearest`` is the cost with
    the most expensive one. Both are None if the price is unknown. ``ends`` is described in :class:`WalkCost`.
    """

    asked: RandomWalks
    interactions: Spread
    seconds: Spread
    credits: Spread | None
    dearest: Spread | None
    ends: tuple[RandomCost, ...] = ()


class ReplyCost(NamedTuple):
    seconds: Decimal
    credits: Span | None


@dataclass(frozen=True, slots=True)
class ReplyPrices:
    """The data used to price replies.

    ``facts`` describes a character, and ``basis`` contains the quantities of a typical interaction.
    ``characters_per_second`` is the speed of speech. By default, it comes from the quantities in the rate card. If
    ``known`` is false, the rates in the card may differ from the rates of the service, so prices are unknown.
    """

    facts: Facts
    basis: Basis
    card: RateCard
    characters_per_second: Decimal | None = None
    known: bool = True

    @property
    def ends(self) -> tuple[ReplyPrices, ...]:
        """The prices at the lowest and highest quantities. Empty if no quantity is a range."""
        return tuple(replace(self, basis=basis) for basis in self.basis.ends)

    def cases(self, reply: Reply) -> tuple[Case, ...]:
        """The quantities of a reply for each kind of interaction."""
        default, given = self._default(reply), self.basis.assumptions
        single = Case(
            "",
            Decimal(1),
            {name: Range.of(value) for name in Quantities._fields if (value := getattr(given, name)) is not None},
        )
        return tuple(self._case(case, reply, default) for case in self.basis.cases or (single,))

    def _default(self, reply: Reply) -> Quantities:
        """The default quantities; input tokens are estimated for a prompt with the texts of the section."""
        default, prompt = Quantities.default(self.card), self.facts.prompt
        if prompt is None:
            return default
        facts = self.facts._replace(prompt=prompt.with_part(PromptPart(OBJECTIVE, reply.prompt)))
        tokens = self.basis.tokens(facts)
        return default if tokens is None else default._replace(input_tokens=Decimal(tokens.number))

    def _case(self, case: Case, reply: Reply, default: Quantities) -> Case:
        typical = {name: Range.of(getattr(one, name)) for one in [case.quantities(default)] for name in one._fields}
        characters = Decimal(reply.spoken)
        said = linked(self._speed(default), {"output_chars": Range.of(characters)})
        seconds = said["tts_seconds"].typical
        if reply.instructed:
            characters += typical["output_chars"].typical
            seconds += typical["tts_seconds"].typical
        return case._replace(
            ranges={**typical, "output_chars": Range.of(characters), "tts_seconds": Range.of(Decimal(seconds))}
        )

    def _speed(self, default: Quantities) -> Decimal:
        if self.characters_per_second is not None:
            return self.characters_per_second
        characters, seconds = Decimal(default.output_chars), Decimal(default.tts_seconds)
        return EXACT.divide(characters, seconds) if characters and seconds else _CHARACTERS

    def cost(self, reply: Reply) -> ReplyCost:
        cases = self.cases(reply)
        seconds = mean((case.weight, case.ranges["tts_seconds"].typical) for case in cases) or Decimal(0)
        if not self.known:
            return ReplyCost(seconds, None)
        default = Quantities.default(self.card)
        pricing = pricing_of(self.card, [(case.weight, case.quantities(default)) for case in cases])
        return ReplyCost(seconds, reckon(self.facts, self.basis, pricing).credits)


def reply_prices(
    reading: Reading,
    models: Models,
    rates: Rates,
    basis: Basis,
    characters_per_second: Decimal | None = None,
    *,
    reference: bool = False,
) -> tuple[ReplyPrices, tuple[str, ...]]:
    """Return the prices of a character's replies, and sentences about these prices.

    Reference rates may differ from the rates of the service, so they are used only if ``reference`` is true.
    """
    known = reference or rates.mark != "reference"
    prices = ReplyPrices(facts_of(reading, models, basis.scenes), basis, rates.card, characters_per_second, known)
    if not known:
        return prices, (
            f"Costs are unknown: {rates.unknown}. Use --reference-rates to calculate with the reference rates instead.",
        )
    cost = reckon(prices.facts, prices.basis, pricing_for(rates.card, Assumptions()))
    unknown = f"No costs: {cost.unknown}" if cost.unknown else ""
    return prices, tuple(filter(None, (unknown, cost.mapped.decides and basis_text(cost), rates.banner)))


class WalkCosts:
    """Computes the costs of walks in a story. The cost of each reply is computed only once."""

    def __init__(self, graph: Graph, prices: ReplyPrices, keys: Mapping[str, str] = NO_VALUES) -> None:
        self._graph = graph
        self._prices = prices
        self._keys = keys
        self._costs: dict[Reply, ReplyCost] = {}
        self._replies: dict[tuple[str, str], Reply] = {}
        self._ends = tuple(WalkCosts(graph, end, keys) for end in prices.ends)

    def of(self, walk: Walk) -> WalkCost:
        """Return the cost of a walk, which is the sum of the estimates for its interactions."""
        costs = [self._cost("" if step.stays else step.section, step.trigger) for step in walk.steps]
        return _sum(costs)._replace(ends=tuple(end.of(walk) for end in self._ends))

    def _cost(self, section_id: str, trigger_id: str) -> ReplyCost:
        reply = self._replies.get((section_id, trigger_id))
        if reply is None:
            reply = self._replies[section_id, trigger_id] = self.reply(section_id, trigger_id)
        found = self._costs.get(reply)
        if found is None:
            found = self._costs[reply] = self._prices.cost(reply)
        return found

    def reply(self, section_id: str, trigger_id: str = "") -> Reply:
        """Return how much is said when a walk enters a section.

        If ``section_id`` is empty, return how much is said after a trigger without a target.
        """
        section, trigger = self._graph.sections.get(section_id), self._graph.triggers.get(trigger_id)
        texts = [(section.objective if section else None) or "", (trigger.trigger_message if trigger else None) or ""]
        passages = [passage for text in texts for passage in speech(text, self._keys).passages]
        spoken = sum(len(passage.text) for passage in passages if passage.exactly)
        instructed = not passages or any(not passage.exactly for passage in passages)
        return Reply(spoken, instructed, sum(map(len, texts)))

    def over(self, asked: RandomWalks) -> RandomCost:
        """Return the cost of random walks. Raises ``ValueError`` under the same conditions as :func:`random_walks`."""
        entered: list[list[tuple[str, str]]] = [[] for _ in range(asked.walks)]
        random_walks(self._graph, asked, lambda number, *entry: entered[number].append(entry))
        return self._over(asked, entered)

    def _over(self, asked: RandomWalks, entered: list[list[tuple[str, str]]]) -> RandomCost:
        costs = [_sum(self._cost(*entry) for entry in walk) for walk in entered]
        known = [cost.credits for cost in costs if cost.credits is not None]
        sure = len(known) == len(costs)
        return RandomCost(
            asked,
            _spread([Decimal(cost.interactions) for cost in costs]),
            _spread([cost.seconds for cost in costs]),
            _spread([span.min for span in known]) if sure else None,
            _spread([span.max for span in known]) if sure else None,
            tuple(end._over(asked, entered) for end in self._ends),
        )


def _sum(costs: Iterable[ReplyCost]) -> WalkCost:
    found = list(costs)
    spans = [one.credits for one in found if one.credits is not None]
    nothing = Decimal(0)
    total = Span(sum((s.min for s in spans), nothing), sum((s.max for s in spans), nothing))
    return WalkCost(
        len(found), sum((one.seconds for one in found), nothing), total if len(spans) == len(found) else None
    )


def _spread(amounts: list[Decimal]) -> Spread:
    expected = EXACT.divide(sum(amounts, Decimal(0)), Decimal(len(amounts))).quantize(Decimal("0.000001"))
    return Spread(min(amounts), expected, max(amounts))


def costs_sheet(walks: Iterable[tuple[str, WalkCost]], random: RandomCost | None, notes: Iterable[str] = ()) -> Sheet:
    """Build a table with a row for each walk, and rows for the minimum, mean and maximum cost of random walks.

    Seconds are rounded to a tenth, and credits to three decimal places. Unknown credits are None. If a quantity is a
    range, the last two columns contain the credits at its lower and upper ends.
    """
    rows, credits_ = tuple(_rows(walks, random)), Column("credits", kind=Kind.CREDITS)
    columns: tuple[Column, ...] = (
        Column("walk", kind=Kind.TEXT, least=12),
        Column("interactions", kind=Kind.COUNT, priority=4),
        Column("speech", "s", kind=Kind.COUNT, priority=3),
        credits_,
    )
    if rows and len(rows[0]) > len(columns):
        columns += (credits_._replace(name="lowest"), credits_._replace(name="highest"))
        notes = (*notes, "Lowest and highest: credits at the lowest and highest quantities.")
    return Sheet("Length and cost", columns, rows, tuple(notes))


def _rows(walks: Iterable[tuple[str, WalkCost]], random: RandomCost | None) -> Iterator[tuple[Wire, ...]]:
    for name, cost in walks:
        yield name, cost.interactions, _to(_TENTH, cost.seconds), *(_amount(one.credits) for one in (cost, *cost.ends))
    if random is not None:
        for name in Spread._fields:
            both = (_amount(_span(one, name)) for one in (random, *random.ends))
            interactions, seconds = (_to(_TENTH, getattr(each, name)) for each in (random.interactions, random.seconds))
            yield f"random, {name}", interactions, seconds, *both


def _span(random: RandomCost, name: str) -> Span | None:
    if random.credits is None or random.dearest is None:
        return None
    return Span(getattr(random.credits, name), getattr(random.dearest, name))


def _amount(span: Span | None) -> Decimal | str | None:
    if span is None:
        return None
    low, high = (_to(_THOUSANDTH, amount) for amount in span)
    return low if low == high else f"{low} – {high}"


def _to(place: Decimal, amount: Decimal) -> Decimal:
    """Round an amount to a decimal place, without zeros at its end."""
    return Decimal(canonical(EXACT.quantize(amount, place)))


def cost_wire(cost: WalkCost) -> dict[str, Wire]:
    return {"interactions": cost.interactions, **_with_ends([_walk_figures(one) for one in (cost, *cost.ends)])}


def _walk_figures(cost: WalkCost) -> dict[str, Wire]:
    return {"speech_seconds": cost.seconds, "credits": None if cost.credits is None else cost.credits._asdict()}


def random_wire(cost: RandomCost) -> dict[str, Wire]:
    asked = cost.asked
    figures = _with_ends([_random_figures(one) for one in (cost, *cost.ends)])
    return {"walks": asked.walks, "steps": asked.steps, "seed": asked.seed, **figures}


def _random_figures(cost: RandomCost) -> dict[str, Wire]:
    return {
        "interactions": cost.interactions._asdict(),
        "speech_seconds": cost.seconds._asdict(),
        "credits": None if cost.credits is None else cost.credits._asdict(),
        "credits_dearest": None if cost.dearest is None else cost.dearest._asdict(),
    }


def _with_ends(figures: list[dict[str, Wire]]) -> dict[str, Wire]:
    # Those of the lowest and the highest quantities follow if a quantity is a range.
    typical, *ends = figures
    return {**typical, **dict(zip(("lowest", "highest"), ends, strict=False))}
