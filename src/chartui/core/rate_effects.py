"""The effect of a new rate card on the costs of presets, pins and characters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from chartui.core.classes import NamedTuple
from chartui.core.estimation.card import RateCard
from chartui.core.estimation.prices import Configuration, Pricing, Quantities
from chartui.core.jsontext import Wire
from chartui.core.numbers import count, credits_text
from chartui.core.paths import pinned_folder
from chartui.core.plans.plan import CostEffect
from chartui.core.plans.wording import effect_text
from chartui.core.presets import Preset, Presets, presets_folder
from chartui.core.spec.errors import ServiceError
from chartui.core.text import single_line

if TYPE_CHECKING:
    from pathlib import Path

    from chartui.core.session import Session

#: The least and the most credits per interaction; None if unknown.
Cost = tuple[Decimal, Decimal] | None
#: The number of changes that a sentence names.
_NAMED: Final = 3
#: The number of characters to price before other tasks get a turn.
_SLICE: Final = 100


class Repriced(NamedTuple):
    """The cost of one preset, pin or character before and after a change in rates, in credits per interaction."""

    name: str
    before: Cost
    after: Cost

    @property
    def difference(self) -> Decimal | None:
        """The highest new cost minus the highest old cost, or None if either of them is unknown."""
        return None if self.before is None or self.after is None else self.after[1] - self.before[1]

    @property
    def words(self) -> str:
        effect = CostEffect(label="", unit="credits", before=self.before, after=self.after)
        return f"“{single_line(self.name, limit=40)}” {effect_text(effect, credits_text)}"

    @property
    def wire(self) -> dict[str, Wire]:
        return {"name": self.name, "before": _wire(self.before), "after": _wire(self.after)}


class RateEffect(NamedTuple):
    """The effect of new rates on all presets, on all pins, or on all characters.

    ``what`` is the plural noun for these items. ``problem`` says why they could not be read, and is empty otherwise.
    """

    what: str
    each: tuple[Repriced, ...]
    problem: str = ""

    @property
    def changed(self) -> tuple[Repriced, ...]:
        """The presets, pins or characters whose cost changes.

        Those whose cost becomes known or unknown come first. The others are sorted by the size of the difference.
        """
        found = [one for one in self.each if one.before != one.after]
        found.sort(key=lambda one: (one.difference is not None, -abs(one.difference or Decimal(0))))
        return tuple(found)

    @property
    def total(self) -> Repriced | None:
        """The total cost of one interaction with each preset, pin or character, or None if no cost is known.

        If a cost is unknown at the old or the new rates, it is not included in the total.
        """
        known = [one for one in self.each if one.before is not None and one.after is not None]
        return Repriced("", _sum(one.before for one in known), _sum(one.after for one in known)) if known else None

    @property
    def unknown(self) -> int:
        """The number of presets, pins or characters whose cost is unknown at the old or the new rates."""
        return sum(one.before is None or one.after is None for one in self.each)

    @property
    def text(self) -> str:
        """The effect in sentences, with the number of costs that change, the totals, and the largest changes."""
        if self.problem:
            return f"Unknown: {self.problem}"
        changed, number = self.changed, len(self.each)
        if not changed:
            return f"No change in cost ({count(number)})."
        said = [f"The cost changes for {count(len(changed))} of {count(number)}."]
        if self.total is not None:
            effect = CostEffect(label="", unit="credits", before=self.total.before, after=self.total.after)
            without = f", not including {count(self.unknown)} whose cost is unknown" if self.unknown else ""
            said.append(f"Together{without}: {effect_text(effect, credits_text)}.")
        said.append(f"Largest changes: {', '.join(one.words for one in changed[:_NAMED])}.")
        return " ".join(said)

    @property
    def wire(self) -> dict[str, Wire]:
        total = self.total
        return {
            "what": self.what,
            "number": len(self.each),
            "changed": [one.wire for one in self.changed],
            "unknown": self.unknown,
            "total_before": None if total is None else _wire(total.before),
            "total_after": None if total is None else _wire(total.after),
            "problem": self.problem or None,
        }


def effects_on_presets(old: RateCard, new: RateCard, folder: Path | None = None) -> tuple[RateEffect, ...]:
    """Return the effects of new rates on the presets and pins in ``folder`` (default: the data folder)."""
    found = []
    for what, place in (("presets", presets_folder(folder)), ("pins", pinned_folder(folder))):
        try:
            presets = [kept.preset for kept in Presets(place).all() if kept.preset is not None]
        except OSError as error:
            found.append(RateEffect(what, (), f"{error.filename} cannot be read ({error.strerror})."))
            continue
        each = tuple(Repriced(preset.name, _cost(preset, old), _cost(preset, new)) for preset in presets)
        if each:
            found.append(RateEffect(what, each))
    return tuple(found)


async def effects_on_profile(session: Session, old: RateCard, new: RateCard) -> tuple[RateEffect, ...]:
    """Return the effects of new rates on presets, pins and characters.

    The characters and the models are read from the service.
    """
    on_presets = effects_on_presets(old, new, session.folder)
    try:
        characters = await _characters(session, old, new)
    except ServiceError as error:
        return *on_presets, RateEffect("characters", (), error.message)
    return (*on_presets, characters) if characters.each else on_presets


async def _characters(session: Session, old: RateCard, new: RateCard) -> RateEffect:
    import asyncio

    from chartui.core.character import read_character, read_models
    from chartui.core.costs import basis_for, basis_pricing, facts_of, reckon
    from chartui.core.estimation.character_map import Facts
    from chartui.core.list_costs import read_measures

    service, basis = session.service, await basis_for(session)
    records = await service.records()
    models = await read_models(service)
    measures = await read_measures(service, session.journal, session.profile.place, records)
    objectives = {one.character_id: one.objective for one in measures}
    known: dict[Facts, tuple[Cost, Cost]] = {}
    each = []
    for number, record in enumerate(records):
        if number % _SLICE == 0:
            await asyncio.sleep(0)
        identity = str(record.get("character_id"))
        reading = await read_character(service, session.journal, session.profile.place, identity, record)
        if reading is None:
            continue
        facts = facts_of(reading._replace(objective=objectives.get(identity)), models, basis.scenes)
        if facts not in known:
            weighted = basis.with_tokens(basis.tokens(facts))
            before, after = (reckon(facts, basis, basis_pricing(card, weighted)).credits for card in (old, new))
            known[facts] = (before, after)
        each.append(Repriced(str(record.get("character_name") or identity), *known[facts]))
    return RateEffect("characters", tuple(each))


def _cost(preset: Preset, card: RateCard) -> Cost:
    """Return the cost of a preset, which takes the card's defaults for what it leaves open."""

    def given(part: object, names: Iterable[str]) -> Mapping[str, Any]:
        return {name: value for name in names if (value := getattr(part, name)) is not None}

    configuration = Configuration.default(card)._replace(**given(preset.selections, Configuration._fields))
    quantities = Quantities.default(card)._replace(**given(preset.assumptions, Quantities._fields))
    amount = Pricing(card, quantities).credits(configuration)
    return None if amount is None else (amount, amount)


def _sum(costs: Iterable[Cost]) -> Cost:
    least, most = zip(*(cost for cost in costs if cost is not None), strict=True)
    return sum(least, Decimal(0)), sum(most, Decimal(0))


def _wire(cost: Cost) -> Wire:
    return None if cost is None else {"min": cost[0], "max": cost[1]}
