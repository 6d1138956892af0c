"""Compute the costs of all characters in a list from a rate card.

No request is sent for individual characters. The price of a configuration without its prompt is computed once. Only the
credits for the input tokens differ between characters with the same configuration.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from chartui.core.characters.finder import ListedCost
from chartui.core.characters.reasoning import after_model_change
from chartui.core.classes import NamedTuple
from chartui.core.costs import Basis, basis_pricing
from chartui.core.estimation.amounts import EXACT, for_tokens, rounded
from chartui.core.estimation.character_map import Facts, map_character
from chartui.core.estimation.mix import exact_credits, mean
from chartui.core.estimation.prices import Configuration, Quantities
from chartui.core.estimation.prompt import InputTokens, Prompt, tokens_of
from chartui.core.estimation.source import Source
from chartui.core.spec.models.summaries import CharacterMeasure
from chartui.core.spec.records import actions_in, settings_in

if TYPE_CHECKING:
    from chartui.core.characters.models import Models
    from chartui.core.estimation.card import RateCard
    from chartui.core.journal import Journal
    from chartui.core.jsontext import Wire
    from chartui.core.profiles import Place
    from chartui.core.service import Service
    from chartui.core.spec.records import Records


async def read_measures(
    service: Service, journal: Journal, place: Place, records: Records
) -> tuple[CharacterMeasure, ...]:
    """Return the values that determine the cost of each character.

    For a service, ``records`` holds the service's list of characters. Texts that the service does not return are
    unknown, unless they were written from this machine. Raises :class:`ServiceError` if reading fails.
    """
    import asyncio

    if service.embedded:
        return await service.measures()
    written = await journal.written_settings(place)
    return await asyncio.to_thread(lambda: tuple(_measured(record, written) for record in records))


def _measured(record: Mapping[str, Any], written: Mapping[str, Mapping[str, Wire]]) -> CharacterMeasure:
    known: dict[str, Any] = {**written.get(record["character_id"], {}), **settings_in(record)}
    config, memory = record.get("personalised_prompt_config"), record.get("memory_settings")
    prompt = config.get("PROMPT") if isinstance(config, Mapping) else None
    enabled = memory.get("enabled") if isinstance(memory, Mapping) else None
    driven, voice = record.get("is_narrative_driven") is True, record.get("voice_type")
    backstory, level = known.get("backstory"), known.get("reasoning_effort")
    model = known.get("model_group_name")
    return CharacterMeasure(
        character_id=record["character_id"],
        model=model if isinstance(model, str) else None,
        reasoning_effort=level if isinstance(level, str) and level else None,
        memory_enabled=enabled if isinstance(enabled, bool) else None,
        voice_type=voice if isinstance(voice, str) and voice else None,
        is_narrative_driven=driven,
        backstory=len(backstory) if isinstance(backstory, str) else None,
        prompt=len(prompt) if isinstance(prompt, str) else None,
        actions=sum(map(len, actions_in(record))),
        level_from=Source.KNOWN_HERE.value if "reasoning_effort" in known else None,
    )


def list_costs(
    measures: Iterable[CharacterMeasure], models: Models, basis: Basis, card: RateCard
) -> dict[str, ListedCost]:
    """Return the costs of characters at the rates of ``card``, keyed by ID.

    If an ID occurs several times, it counts once.
    """
    prices, found = _Prices(models, basis, card), {}
    for one in measures:
        if one.character_id not in found:
            found[one.character_id] = prices.of(one)
    return found


class _Base(NamedTuple):
    """The possible prices of a configuration without its prompt.

    Each price is given in credits, with its rate per thousand input tokens. ``unknown`` and ``decides`` are described
    in :class:`CharacterMap`. ``costs`` contains the costs computed so far, keyed by the input tokens and whether they
    are a lower bound.
    """

    prices: tuple[tuple[Decimal, Decimal], ...]
    unknown: str
    decides: str
    costs: dict[tuple[int | Decimal, bool], ListedCost]


class _Prices:
    def __init__(self, models: Models, basis: Basis, card: RateCard) -> None:
        self._models, self._basis = models, basis
        # The share of a character's interactions whose input tokens depend on it. Prices are those of no input tokens.
        self._share = mean((weight, int(one.input_tokens is None)) for weight, one in basis.weighted) or Decimal(0)
        self._pricing = basis_pricing(card, basis.with_tokens(InputTokens(Prompt(()))))
        self._default = Quantities.default(card).input_tokens
        self._bases: dict[tuple[object, ...], _Base] = {}
        self._prompts: dict[tuple[Decimal, int | Decimal], Decimal] = {}

    def of(self, one: CharacterMeasure) -> ListedCost:
        # Other voices have the same price.
        voice = one.voice_type if one.voice_type in self._basis.pins.voices else None
        key = (one.model, one.reasoning_effort, one.level_from, one.memory_enabled, voice)
        base = self._bases.get(key)
        if base is None:
            base = self._bases[key] = self._base(one, voice)
        asked = self._tokens(one)
        cost = base.costs.get(asked)
        if cost is None:
            cost = base.costs[asked] = self._cost(base, *asked)
        return cost

    def _cost(self, base: _Base, tokens: int | Decimal, at_least: bool) -> ListedCost:
        if not base.prices:
            return ListedCost(None, tokens, why=base.unknown)
        amounts = [rounded(EXACT.add(rest, self._prompt(rate, tokens))) for rest, rate in base.prices]
        return ListedCost((min(amounts), max(amounts)), tokens, at_least, base.decides)

    def _tokens(self, one: CharacterMeasure) -> tuple[int | Decimal, bool]:
        """The input tokens, as :func:`chartui.core.costs.price` determines them, and whether they are a lower bound."""
        if not self._share:
            return self._pricing.quantities.input_tokens, False
        if one.backstory is None and one.prompt is None:
            return self._default, False
        objective = one.objective if one.is_narrative_driven else 0
        scene = self._basis.scenes.get(one.character_id, one.actions)
        characters = (one.backstory or 0) + (one.prompt or 0) + (objective or 0) + scene
        at_least = None in (one.backstory, one.prompt, objective)
        return tokens_of(characters, self._basis.chars_per_token), at_least

    def _prompt(self, rate: Decimal, tokens: int | Decimal) -> Decimal:
        amount = self._prompts.get((rate, tokens))
        if amount is None:
            amount = self._prompts[rate, tokens] = EXACT.multiply(self._share, for_tokens(rate, tokens))
        return amount

    def _base(self, one: CharacterMeasure, voice: str | None) -> _Base:
        model = self._models.get(one.model)
        levels = model.reasoning if model is not None else None
        level, level_from = one.reasoning_effort, Source(one.level_from) if one.level_from else None
        if level_from is Source.KNOWN_HERE and levels is not None:
            level = after_model_change(level, levels)  # the model may have changed since (decision 22)
        facts = Facts(
            code=one.model,
            level=level,
            level_from=level_from,
            levels=levels,
            sure=self._models.sure,
            memory=one.memory_enabled,
            voice=voice,
        )
        mapped = map_character(facts, self._basis.inputs, self._basis.pins)
        default, pricing = Configuration.default(self._pricing.card), self._pricing
        prices = []
        for configuration in mapped.configurations:
            whole = default._replace(**configuration)  # type: ignore[arg-type]
            amount = exact_credits(pricing, whole)
            if amount is not None:
                rate = pricing.card.options["llm"][whole.llm].rates.get("prompt_per_1k", Decimal(0))
                prices.append((amount, rate))
        unknown = mapped.unknown or ("" if prices else "The rate card has no rate for one of this character's options.")
        return _Base(tuple(prices), unknown, mapped.decides, {})
