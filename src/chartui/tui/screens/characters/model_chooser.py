"""The chooser for a character's model: grouped, with accepted levels and the cost of an interaction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from chartui.core.character import Reading, with_objective
from chartui.core.characters.models import Models
from chartui.core.classes import dataclass
from chartui.core.costs import facts_of, model_costs
from chartui.core.estimation.character_cost import tokens_text
from chartui.core.plans.settings import MODEL
from chartui.core.spec.errors import ServiceError
from chartui.core.text import single_line
from chartui.tui.screens.characters.tabs.cost import latency_words, price_words
from chartui.tui.screens.estimator.character import basis_of
from chartui.tui.widgets.chooser import Choice, Chooser
from chartui.tui.widgets.line_list import Column

if TYPE_CHECKING:
    from chartui.core.estimation.character_cost import CharacterCost
    from chartui.core.jsontext import Wire
    from chartui.tui.app import ChartuiApp
    from chartui.tui.screens.characters.state import Shown

#: The key of the choice to type a code; no code is empty.
OTHER_MODEL: Final = ""
_ANOTHER: Final = "Other"
_UNKNOWN: Final = "unknown"


@dataclass(frozen=True, slots=True)
class ModelChoice(Choice):
    """A model with its group and figures."""

    group: str = ""
    levels: str = ""
    amount: str = ""
    latency: str = ""


class ModelChooser(Chooser[ModelChoice]):
    """The models in their groups. Details of the selected one are shown below the list."""

    SENTENCE = 4

    def __init__(self, title: str, choices: list[ModelChoice], current: str | None) -> None:
        columns: list[Column[ModelChoice]] = [
            Column("model", lambda c: c.label),
            Column("", lambda c: c.note, 10, role=lambda c: "label" if c.note == "flagship" else "warning"),
            Column("reasoning", lambda c: c.levels, 34, role="label", rank=7),
            Column("credits", lambda c: c.amount, 15, align="right", role="credits"),
            Column("ms", lambda c: c.latency, 13, align="right", role="latency", rank=3),
        ]
        super().__init__(title, choices, current, columns=columns, heading=lambda c: c.group)


async def model_chooser(app: ChartuiApp, shown: Shown, record: Mapping[str, Wire]) -> ModelChooser:
    """The dialog that asks for a character's model. ``record`` is the character's, for the prices."""
    models = shown.models.with_present(shown.stored(MODEL) or "", shown.value(MODEL) or "")
    costs, told = await _costs(app, shown, record, models)
    choices = list(_choices(models, costs, told))
    return ModelChooser(f"Model of {shown.name}", choices, shown.value(MODEL))


async def _costs(
    app: ChartuiApp, shown: Shown, record: Mapping[str, Wire], models: Models
) -> tuple[Mapping[str, CharacterCost], str]:
    """The cost of an interaction with each model, and a note on these figures."""
    try:
        rates = app.session.rates.get()
    except ServiceError as error:
        return {}, error.message
    basis, codes = await basis_of(app), [model.code for model in models.all]
    service = app.session.service.asking_as("characters")
    reading = await with_objective(service, Reading(record, None, shown.now, shown.known_here))
    facts = facts_of(reading, shown.models, basis.scenes)
    costs = model_costs(codes, shown.models, facts, shown.staged.changes, basis=basis, card=rates.card)
    told = (f"Cost per interaction {basis.words}.", tokens_text(list(costs.values())), rates.banner)
    return costs, " ".join(filter(None, told))


def _choices(models: Models, costs: Mapping[str, CharacterCost], told: str) -> Iterator[ModelChoice]:
    for group, found in models.grouped():
        for model in found:
            cost = costs.get(model.code)
            why = (cost.unknown or _depends(cost)) if cost is not None else ""
            called = ", ".join((single_line(model.code), *model.marks))
            said = (f"{called}: {model.takes}.", model.doubt, why, told)
            yield ModelChoice(
                model.code,
                model.label,
                next((mark for mark in model.marks if mark != "beta"), ""),  # which the name says
                " ".join(filter(None, said)),
                (group,),
                group=group,
                levels=" ".join(model.reasoning.accepted) if model.known else _UNKNOWN,
                amount=price_words(cost) if cost is not None else _UNKNOWN,
                latency=latency_words(cost.latency).removesuffix(" ms") if cost is not None else "–",
            )
    yield ModelChoice(OTHER_MODEL, "Enter a model code…", "", "For a model not in this list.", group=_ANOTHER)


def _depends(cost: CharacterCost) -> str:
    return f"The price depends on {cost.mapped.decides}." if cost.mapped.decides else ""
