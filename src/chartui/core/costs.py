"""Estimate the cost of a character on its service.

If the character may have several configurations, all of them are priced.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import replace
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from chartui.core.character import Reading, models_of, read_character, scenes_of, with_objective
from chartui.core.characters.reasoning import CLEAR, after_model_change
from chartui.core.classes import NamedTuple
from chartui.core.estimation.amounts import CHARS_PER_TOKEN, EXACT, rounded
from chartui.core.estimation.card import QUANTITIES, RateCard
from chartui.core.estimation.character_cost import (
    CharacterCost,
    Priced,
)
from chartui.core.estimation.character_map import CharacterMap, Facts, Inputs, map_character
from chartui.core.estimation.pins import Pins, load_pins
from chartui.core.estimation.prices import Configuration, Pricing, Quantities
from chartui.core.estimation.prompt import InputTokens, Prompt, PromptPart, prompt_of
from chartui.core.estimation.source import Source
from chartui.core.plans.settings import BACKSTORY, MODEL, REASONING
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.estimation import Assumptions, Estimate, LatencyRange, Selections, Totals
from chartui.core.spec.records import actions_in
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.actions.turn import Turn
    from chartui.core.characters.models import Models
    from chartui.core.estimation.mix import Case, MixEstimate
    from chartui.core.jsontext import Wire
    from chartui.core.service import Service
    from chartui.core.session import Session
    from chartui.core.spec.catalogue import ReasoningLevels

#: The settings that the price depends on.
PRICED: Final = frozenset({MODEL, REASONING, BACKSTORY})
_NO_INPUTS: Final = Inputs()
_NO_ASSUMPTIONS: Final = Assumptions()
_NO_SCENES: Final[Mapping[str, int]] = MappingProxyType({})
_NO_TOTAL: Final = "The service's estimate has no readable total."
#: The default quantities of a single kind of interaction.
_DEFAULT: Final = ((Decimal(1), Assumptions()),)
#: Earlier estimates of a service, by configuration and quantities.
Remembered = MutableMapping[tuple[Selections, Assumptions], Estimate]


def affects_price(members: Iterable[str]) -> bool:
    """Return whether any of these settings affects the price of a character."""
    return not PRICED.isdisjoint(members)


class Basis(NamedTuple):
    """The inputs of a price calculation that are not in the character's record, such as pinned prices and quantities.

    ``cases`` contains the kinds of interaction in a scenario. The price is the mean price of these kinds. If ``cases``
    is empty, the price is that of a single interaction with the quantities in ``assumptions``. If the number of input
    tokens is not given, it is estimated from the character's text. ``chars_per_token`` characters of text count as one
    token. ``scenes`` maps character IDs to the length of the scene composed on this machine, in Unicode characters.
    ``scenario`` is the name of the scenario.
    """

    pins: Pins
    inputs: Inputs = _NO_INPUTS
    assumptions: Assumptions = _NO_ASSUMPTIONS
    cases: tuple[Case, ...] = ()
    scenes: Mapping[str, int] = _NO_SCENES
    chars_per_token: int | Decimal = CHARS_PER_TOKEN
    scenario: str = ""

    @property
    def weighted(self) -> tuple[tuple[Decimal, Assumptions], ...]:
        """The typical quantities for each kind of interaction, with the weight of each kind."""
        return tuple((case.weight, case.assumptions()) for case in self.cases) or ((Decimal(1), self.assumptions),)

    @property
    def ends(self) -> tuple[Basis, ...]:
        """Copies of these inputs with the lowest and with the highest quantities. Empty if no quantity is a range."""
        from chartui.core.estimation.mix import BOTH, at_end, varies

        return tuple(self._replace(cases=at_end(self.cases, end)) for end in BOTH) if varies(self.cases) else ()

    def tokens(self, facts: Facts) -> InputTokens | None:
        """Return the input tokens estimated for a character.

        The result is None if the number of input tokens is given, or if no text can be read.
        """
        without = [at for at, (_, one) in enumerate(self.weighted) if one.input_tokens is None]
        if not without or facts.prompt is None or not facts.prompt.readable:
            return None
        kinds = tuple(self.cases[at].name for at in without) if len(without) < len(self.cases) else ()
        return InputTokens(facts.prompt, self.chars_per_token, kinds)

    def with_tokens(self, tokens: InputTokens | None) -> tuple[tuple[Decimal, Assumptions], ...]:
        """Return the quantities for each kind of interaction.

        If a kind has no number of input tokens, the estimated number is used.
        """
        if tokens is None:
            return self.weighted
        number = Decimal(tokens.number)
        return tuple(
            (weight, one if one.input_tokens is not None else replace(one, input_tokens=number))
            for weight, one in self.weighted
        )

    @property
    def words(self) -> str:
        """A phrase that says where the inputs come from, such as ``with default inputs``."""
        quantities = self.assumptions != _NO_ASSUMPTIONS if self.scenario else self.weighted != _DEFAULT
        own = self.inputs.given or self.inputs.chosen.keys() - {"llm"} or quantities
        whose = "the estimator's inputs" if self.inputs.chosen_from is Source.FORM else "your inputs"
        scenario = f"scenario “{single_line(self.scenario, limit=24)}”" if self.scenario else ""
        return f"with {' and '.join(filter(None, (scenario, whose if own else ''))) or 'default inputs'}"


async def basis_for(
    session: Session,
    inputs: Inputs = _NO_INPUTS,
    assumptions: Assumptions = _NO_ASSUMPTIONS,
    cases: tuple[Case, ...] = (),
    scenario: str = "",
) -> Basis:
    """Return the inputs of price calculations that are the same for all characters in a profile.

    They are the user's pins, the lengths of the scenes composed on this machine, and the rate card's number of
    characters per token.
    """
    pins, scenes = load_pins(session.pins_path), await scenes_of(session.drafts, session.profile.place)
    try:
        per_token = session.rates.get().card.chars_per_token
    except ServiceError:  # reported when a price is requested
        per_token = CHARS_PER_TOKEN
    return Basis(pins, inputs, assumptions, cases, scenes, per_token, scenario)


def facts_of(reading: Reading, models: Models, scenes: Mapping[str, int] = _NO_SCENES) -> Facts:
    """Return the facts that determine a character's price (decisions 25 and 63).

    ``scenes`` is described in :class:`Basis`.
    """
    code, code_from = _known(MODEL, reading)
    level, level_from = _known(REASONING, reading)
    memory: Any = reading.record.get("memory_settings")
    enabled = memory.get("enabled") if isinstance(memory, Mapping) else None
    voice = reading.record.get("voice_type")
    facts = Facts(
        code=code,
        code_from=code_from or Source.RECORD,
        level=level,
        level_from=level_from,
        levels=_levels(code, models),
        sure=models.sure,
        memory=enabled if isinstance(enabled, bool) else None,
        voice=voice if isinstance(voice, str) and voice else None,
        prompt=_prompt(reading, scenes),
    )
    if level_from is Source.KNOWN_HERE and facts.levels is not None:
        # The model may have changed since the level was written, which resets a level that the new model does not
        # support (decision 22).
        return facts._replace(level=after_model_change(level, facts.levels))
    return facts


def _prompt(reading: Reading, scenes: Mapping[str, int]) -> Prompt:
    backstory, source = _known(BACKSTORY, reading)
    config: Any = reading.record.get("personalised_prompt_config")
    prompt = config.get("PROMPT") if isinstance(config, Mapping) else None
    driven = reading.record.get("is_narrative_driven") is True
    return prompt_of(
        backstory=None if source is None else len(backstory or ""),
        backstory_from=source or Source.RECORD,
        prompt=len(prompt) if isinstance(prompt, str) else None,
        objective=reading.objective if driven else 0,
        scene=scenes.get(str(reading.record.get("character_id"))),
        actions=sum(map(len, actions_in(reading.record))),
    )


def _known(member: str, reading: Reading) -> tuple[str | None, Source | None]:
    """Return a setting and its source. The source is None if the setting is unknown."""
    if member in reading.now:
        value, source = reading.now[member], Source.RECORD
    elif member in reading.known_here:
        value, source = reading.known_here[member].value, Source.KNOWN_HERE
    else:
        return None, None
    return (value if isinstance(value, str) and value != CLEAR else None), source


def _levels(code: str | None, models: Models) -> ReasoningLevels | None:
    model = models.get(code)
    return model.reasoning if model is not None else None


def facts_with(facts: Facts, changes: Mapping[str, str], models: Models) -> Facts:
    """Return the facts about a character after ``changes`` are applied.

    ``changes`` is described in :class:`~chartui.core.plans.settings.Staged`. If no reasoning level is staged, the level
    changes with the model (decision 22).
    """
    if BACKSTORY in changes and facts.prompt is not None:
        staged = PromptPart(BACKSTORY, len(changes[BACKSTORY]), Source.STAGED)
        facts = facts._replace(prompt=facts.prompt.with_part(staged))
    if MODEL in changes:
        code = changes[MODEL]
        facts = facts._replace(code=code, code_from=Source.STAGED, levels=_levels(code, models))
    if REASONING in changes:
        return facts._replace(level=changes[REASONING] or None, level_from=Source.STAGED)
    if MODEL in changes and facts.level_from is not None and facts.levels is not None:
        return facts._replace(level=after_model_change(facts.level, facts.levels))
    return facts


def pricing_for(card: RateCard, assumptions: Assumptions) -> Pricing:
    """Return the prices of a card's options for the given quantities (default: the card's quantities)."""
    default = Quantities.default(card)
    given = {name: value for name in Quantities._fields if (value := getattr(assumptions, name)) is not None}
    return Pricing(card, default._replace(**given))


def basis_pricing(card: RateCard, weighted: Sequence[tuple[Decimal, Assumptions]]) -> Pricing:
    """Return the prices of a card's options for the quantities that :meth:`Basis.with_tokens` returns."""
    if len(weighted) == 1:
        return pricing_for(card, weighted[0][1])
    from chartui.core.estimation.mix import pricing_of

    return pricing_of(card, [(weight, pricing_for(card, one).quantities) for weight, one in weighted])


def reckon(facts: Facts, basis: Basis, pricing: Pricing) -> CharacterCost:
    """Return the cost of each possible configuration of a character at the rates of a card.

    ``pricing`` is the result of :func:`basis_pricing`. If the card lacks an option, configurations with this
    option have no price.
    """
    mapped = map_character(facts, basis.inputs, basis.pins)
    return CharacterCost(mapped, tuple(_priced(mapped, pricing)), basis.words, basis.tokens(facts))


async def turn_cost(session: Session, turn: Turn, record: Mapping[str, Wire], basis: Basis) -> CharacterCost | None:
    """Estimate the cost of a turn from the rates on this machine.

    The turn's scene counts as input. The estimate itself is not requested from the service. ``record`` is the
    character's record. Returns None if the service's rates are unknown, or if the character no longer exists. Raises
    :class:`ServiceError` if the rates, the character or its models cannot be read.
    """
    service, rates = session.service, session.rates.get()
    if rates.mark == "reference":
        return None
    character_id, scenes = turn.character_id, {**basis.scenes, turn.character_id: turn.scene_length}
    reading = await read_character(service, session.journal, session.profile.place, character_id, record)
    if reading is None:
        return None
    if service.embedded:  # which returns a graph at no cost
        reading = await with_objective(service, reading)
    facts = facts_of(reading, await models_of(service, character_id), scenes)
    found, *ends = (
        reckon(facts, one, basis_pricing(rates.card, one.with_tokens(one.tokens(facts))))
        for one in (basis, *basis.ends)
    )
    return found._replace(ends=tuple(ends))


def _priced(mapped: CharacterMap, pricing: Pricing) -> Iterator[Priced]:
    default = Configuration.default(pricing.card)
    for configuration in mapped.configurations:
        whole = default._replace(**configuration)  # type: ignore[arg-type]
        amount, latency = pricing.credits(whole), pricing.latency(whole)
        if amount is None:
            yield Priced(whole.llm, None, f"The rate card lacks '{whole.llm}' or an option used with it.")
            continue
        ends = None if latency is None else LatencyRange(min=Decimal(latency[0]), max=Decimal(latency[1]))
        yield Priced(whole.llm, Estimate(totals=Totals(credits=amount), lines=(), latency_ms=ends))


def model_costs(
    codes: Iterable[str],
    models: Models,
    facts: Facts,
    changes: Mapping[str, str],
    *,
    basis: Basis,
    card: RateCard,
) -> Mapping[str, CharacterCost]:
    """Return the cost of a character for each of several models, at the rates on this machine.

    ``changes`` contains the staged changes to other settings. A staged reasoning level is ignored for models that
    do not support it.
    """
    found, later = {}, facts_with(facts, changes, models)
    pricing = basis_pricing(card, basis.with_tokens(basis.tokens(later)))
    for code in codes:
        model, wanted = models.get(code), {**changes, MODEL: code}
        if model is not None and wanted.get(REASONING, CLEAR) not in (CLEAR, *model.reasoning.accepted):
            del wanted[REASONING]
        found[code] = reckon(facts_with(facts, wanted, models), basis, pricing)
    return found


async def price(
    service: Service, facts: Facts, basis: Basis, remembered: Remembered | None = None, *, scaled: bool = False
) -> CharacterCost:
    """Request the price of each possible configuration of a character from the service, one by one.

    Responses in ``remembered`` are not requested again. A configuration that the service rejects has no price.
    Other failures, such as an invalid quantity, raise :class:`ServiceError`. If ``scaled`` is set, estimates are
    requested with the default number of input tokens, so that several characters can share a response. The prompt's
    credits are then scaled to the character's number of input tokens.
    """
    from chartui.core.estimation.mix import mixed_estimate

    mapped, tokens = map_character(facts, basis.inputs, basis.pins), basis.tokens(facts)
    known: Remembered = remembered if remembered is not None else {}

    async def ask(selections: Selections, assumptions: Assumptions) -> Estimate:
        if (selections, assumptions) not in known:
            known[selections, assumptions] = await service.estimate(selections, assumptions)
        return known[selections, assumptions]

    priced = []
    for configuration in mapped.configurations:
        selections = Selections(**configuration)  # type: ignore[arg-type]
        llm = selections.llm
        try:
            parts = []
            for (weight, plain), (_, whole) in zip(basis.weighted, basis.with_tokens(tokens), strict=True):
                estimate = None
                if scaled and tokens is not None and plain is not whole:
                    estimate = _at_tokens(await ask(selections, plain), tokens.number)
                parts.append((weight, estimate or await ask(selections, whole)))
            estimate = mixed_estimate(parts)
        except ServiceError as error:
            if error.kind is not ErrorKind.INVALID or error.member in QUANTITIES:
                raise
            priced.append(Priced(llm, None, error.message))
        else:
            known_price = estimate.credits is not None
            priced.append(Priced(llm, estimate) if known_price else Priced(llm, None, _NO_TOTAL))
    return CharacterCost(mapped, tuple(priced), basis.words, tokens)


async def price_with_ends(
    service: Service, facts: Facts, basis: Basis, remembered: Remembered | None = None
) -> CharacterCost:
    """Request the price as :func:`price` does.

    If any quantity is a range, the prices for the lowest and for the highest quantities are requested too.
    """
    found, *ends = [await price(service, facts, one, remembered) for one in (basis, *basis.ends)]
    return found._replace(ends=tuple(ends))


def _at_tokens(estimate: Estimate, tokens: int) -> Estimate | None:
    """Return the total of an estimate for other input tokens, to which its prompt line is proportional.

    Returns None if the estimate has no such line.
    """
    given = estimate.assumptions.input_tokens if estimate.assumptions is not None else None
    line = next((line for line in estimate.lines if line.key == "prompt"), None)
    if not given or line is None or estimate.credits is None:
        return None
    amount = rounded(EXACT.divide(EXACT.multiply(line.credits, tokens), given))
    total = EXACT.add(EXACT.subtract(estimate.credits, line.credits), amount)
    return Estimate(totals=Totals(credits=total), lines=(), latency_ms=estimate.latency_ms)


async def estimate_mix(service: Service, selections: Selections, cases: Sequence[Case]) -> MixEstimate:
    """Request estimates for the lowest, typical and highest quantities of each kind of interaction.

    Raises :class:`ServiceError` if a request fails.
    """
    from chartui.core.estimation.mix import ENDS, MixEstimate

    known: dict[Assumptions, Estimate] = {}
    for assumptions in (case.assumptions(end) for case in cases for end in ENDS):
        if assumptions not in known:
            known[assumptions] = await service.estimate(selections, assumptions)
    return MixEstimate(tuple(cases), *(tuple(known[case.assumptions(end)] for case in cases) for end in ENDS))
