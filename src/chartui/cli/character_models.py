"""``chartui characters models``: the models a character can be given, what each takes, and what it would cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chartui.cli.errors import Exit
from chartui.cli.lookup import read_whole
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Verbs, add_verb
from chartui.cli.sessions import ask

if TYPE_CHECKING:
    from collections.abc import Mapping

    from chartui.core.character import Reading
    from chartui.core.characters.models import Model, Models
    from chartui.core.estimation.character_cost import CharacterCost, Span
    from chartui.core.jsontext import Wire
    from chartui.core.session import Session

__all__ = ["add_models"]

_HEADER: Final = ["", "GROUP", "CODE", "MARKS", "REASONING", "CREDITS", "MS"]


def add_models(verbs: Verbs) -> None:
    """Add the verb."""
    verb = add_verb(verbs, "models", "the models to choose from, by group", list_models)
    verb.add_argument(
        "character_id", metavar="ID", nargs="?", help="for this character: its own marked, and each with its price"
    )


def list_models(arguments: Arguments, output: Output) -> int:
    """Write the models; of a character, with what an interaction would cost with each by the rates on this machine."""
    from chartui.core.plans.settings import MODEL

    async def question(session: Session) -> tuple[Models, str, Mapping[str, CharacterCost], str]:
        from chartui.core.character import models_told

        if arguments.character_id is None:
            return await models_told(session.service), "", {}, ""
        reading = await read_whole(session, arguments.character_id)
        present = reading.now.get(MODEL)
        found = await models_told(session.service, arguments.character_id)
        models = found.with_present(present) if isinstance(present, str) else found
        costs, banner = _costs(session, reading, found, models)
        return models, str(present or ""), costs, banner

    models, present, costs, banner = ask(arguments, question)
    if output.as_json:
        output.json(
            {
                "sure": models.sure,
                "present": present or None,
                "models": [
                    {**_wire(model), **(_cost_wire(costs[model.code]) if model.code in costs else {})}
                    for _, found in models.grouped()
                    for model in found
                ],
            }
        )
        return Exit.DONE
    rows = [_row(group, model, present, costs) for group, found in models.grouped() for model in found]
    output.table(rows, header=_HEADER[: len(rows[0])] if rows else None, right={5, 6})
    if not models.sure:
        output.note("this account may not ask which models there are; these are those of the catalogue")
    if banner:
        output.note(banner)
    return Exit.DONE


def _costs(
    session: Session, reading: Reading, known: Models, models: Models
) -> tuple[Mapping[str, CharacterCost], str]:
    from chartui.core.costs import facts_of, model_costs
    from chartui.core.estimation.character_cost import Inputs, pricing_for
    from chartui.core.estimation.pins import load_pins
    from chartui.core.spec.models.estimation import Assumptions

    rates = session.rates.get()
    codes = [model.code for model in models.all]
    pricing = pricing_for(rates.card, Assumptions())
    facts = facts_of(reading, known)
    return model_costs(codes, known, facts, {}, inputs=Inputs(), pins=load_pins(), pricing=pricing), rates.banner


def _row(group: str, model: Model, present: str, costs: Mapping[str, CharacterCost]) -> list[str]:
    row = ["›" if model.code == present else "", group, model.code, ", ".join(model.marks), _levels(model)]
    cost = costs.get(model.code)
    return row if cost is None else [*row, _span(cost.credits), _span(cost.latency)]


def _levels(model: Model) -> str:
    return " ".join(model.reasoning.accepted) or "–" if model.known else "unknown"


def _span(span: Span | None) -> str:
    from chartui.core.jsontext import canonical

    return "unknown" if span is None else " – ".join(dict.fromkeys(map(canonical, span)))


def _wire(model: Model) -> dict[str, Wire]:
    from chartui.core.characters.models import model_wire

    return model_wire(model)


def _cost_wire(cost: CharacterCost) -> dict[str, Wire]:
    credits_, latency = cost.credits, cost.latency
    return {
        "credits": None if credits_ is None else credits_._asdict(),
        "latency_ms": None if latency is None else latency._asdict(),
        "unknown": cost.unknown or None,
        "depends_on": cost.mapped.decides or None,
    }
