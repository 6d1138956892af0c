"""The kinds of interaction of a scenario: their prices, and adding, renaming, weighing and removing them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Final

from chartui.core.estimation.mix import Case, pricing_of
from chartui.core.estimation.prices import Quantities
from chartui.core.estimation.scenario import (
    MOST_WEIGHT,
    Scenario,
    ScenarioError,
    Scenarios,
    as_table,
    from_table,
)
from chartui.core.jsontext import canonical
from chartui.core.numbers import quantity_text
from chartui.core.sheet import Column, Kind, Sheet
from chartui.core.text import single_line
from chartui.core.typed_numbers import Range, typed_number
from chartui.tui.screens.estimator.state import QUANTITIES
from chartui.tui.screens.estimator.study import Study
from chartui.tui.widgets.questions import AskLine, Confirm, Hint
from chartui.tui.widgets.table_dialog import TableDialog

if TYPE_CHECKING:
    from chartui.core.jsontext import Wire
    from chartui.tui.screens.estimator.screen import EstimatorScreen

#: The key of the row of the mix; no kind has this name.
_MIX: Final = ""
_COLUMNS: Final = (
    Column("name", title="Kind", kind=Kind.TEXT, least=16, best=40),
    Column("weight", title="weight", kind=Kind.COUNT, priority=1),
    Column("credits", title="credits", kind=Kind.CREDITS),
)


async def edit_kinds(screen: EstimatorScreen, scenario: Scenario) -> None:
    """Show the kinds of a scenario with their prices, and change them. Each change is saved in the scenario's file."""
    at: str | None = None
    while (wanted := await screen.workbench.push_screen_wait(_dialog(scenario, screen, at))) is not None:
        action, at = wanted
        kind = next((one for one in scenario.kinds if one.name == at), None)
        if action == "add":
            changed = await _added(screen, scenario)
        elif kind is None:
            continue
        elif action == "remove":
            changed = await _removed(screen, scenario, kind)
        elif action == "rename":
            changed = await _renamed(screen, scenario, kind)
        else:
            changed = await _weighed(screen, scenario, kind)
        if changed is not None and await _saved(screen, changed):
            names = {one.name for one in scenario.kinds}
            at = next((one.name for one in changed.kinds if one.name not in names), at)  # added or renamed
            scenario = changed


def _dialog(scenario: Scenario, screen: EstimatorScreen, at: str | None) -> TableDialog:
    cases, study = screen.state.applied(scenario).cases(), screen.study  # input tokens of a character count
    named: list[tuple[str, Case]] = [(case.name, case) for case in cases if case.name]
    rows: dict[str, tuple[Wire, ...]] = {name: (name, case.weight, credits_of((case,), study)) for name, case in named}
    rows[_MIX] = ("Mix" if named else "All interactions", None, credits_of(cases, study))
    about = {name: quantities_in_words(case.ranges) for name, case in named}
    about[_MIX] = "The weighted mean of all kinds of interaction." if named else quantities_in_words(cases[0].ranges)
    return TableDialog(
        Sheet(
            f"Interactions in {single_line(scenario.name, limit=40)}", _COLUMNS, tuple(rows.values()), keys=tuple(rows)
        ),
        table="kinds",
        enter="Weight…",
        keep=at,
        actions={"a": ("add", "Add…"), "e": ("rename", "Rename…"), "d,delete": ("remove", "Remove…")},
        about=about,
    )


def credits_of(cases: tuple[Case, ...], study: Study | None) -> Decimal | None:
    """The credits of the current configuration in a mix, at the card's default quantities; None if unknown."""
    if study is None:
        return None
    default = Quantities.default(study.rates.card)
    weighted = [(case.weight, case.quantities(default)) for case in cases]
    return pricing_of(study.rates.card, weighted).credits(study.configuration)


def quantities_in_words(ranges: Mapping[str, Range]) -> str:
    """Quantities such as ``Response 60–150–400 characters``; those of the service where there are none."""
    said = []
    for spec in QUANTITIES:
        if (found := ranges.get(spec.attribute)) is not None:
            numbers = "–".join(dict.fromkeys(map(quantity_text, found)))
            said.append(f"{spec.label} {numbers} {spec.unit}")
    return ", ".join(said) or "The service's default quantities."


# -- changes -----------------------------------------------------------------------------------------------------------


def _with_kinds(scenario: Scenario, changed: Mapping[str, Case | None]) -> Scenario:
    """With other kinds by their names: None removes a kind, and a new name adds one."""
    kinds: dict[str, Case | None] = {**{kind.name: kind for kind in scenario.kinds}, **changed}
    return replace(scenario, kinds=tuple(kind for kind in kinds.values() if kind is not None))


async def _added(screen: EstimatorScreen, scenario: Scenario) -> Scenario | None:
    """Ask for a name; the new kind has the quantities that are typed in the form."""
    typed = screen.state.own_ranges
    question = f"Name of the kind of interaction. It gets the quantities from the form: {quantities_in_words(typed)}"
    if not typed:
        question = "Name of the kind of interaction. To give it its own quantities, enter them in the form first."
    kind = Case("", Decimal(1), typed)
    hint = partial(_name_hint, scenario, kind)
    name = await screen.workbench.push_screen_wait(AskLine("Add a kind of interaction", question, hint, verb="Add"))
    return None if name is None else _with_kinds(scenario, {name: kind._replace(name=name)})


async def _renamed(screen: EstimatorScreen, scenario: Scenario, kind: Case) -> Scenario | None:
    hint = partial(_name_hint, _with_kinds(scenario, {kind.name: None}), kind)
    dialog = AskLine(
        "Rename the kind of interaction", "New name for the kind of interaction.", hint, text=kind.name, verb="Rename"
    )
    name = await screen.workbench.push_screen_wait(dialog)
    return None if name is None else _with_kinds(scenario, {kind.name: kind._replace(name=name)})


async def _weighed(screen: EstimatorScreen, scenario: Scenario, kind: Case) -> Scenario | None:
    question = f"Weight of “{single_line(kind.name, limit=40)}” relative to the other kinds of interaction."
    hint = partial(_weight_hint, scenario, kind)
    dialog = AskLine("Weight of a kind of interaction", question, hint, text=canonical(kind.weight), verb="Set")
    weight = await screen.workbench.push_screen_wait(dialog)
    return None if weight is None else _with_kinds(scenario, {kind.name: kind._replace(weight=typed_number(weight))})


async def _removed(screen: EstimatorScreen, scenario: Scenario, kind: Case) -> Scenario | None:
    message = f"Remove “{single_line(kind.name)}” from the scenario? The inputs change only if the scenario is in use."
    agreed = await screen.workbench.push_screen_wait(Confirm("Remove kind of interaction", message, "Remove"))
    return _with_kinds(scenario, {kind.name: None}) if agreed else None


def _name_hint(others: Scenario, kind: Case, name: str) -> Hint:
    if any(name == one.name for one in others.kinds):
        return Hint("Another kind of interaction has this name.", refuses=True)
    return _hint(_with_kinds(others, {name: kind._replace(name=name)}))


def _weight_hint(scenario: Scenario, kind: Case, text: str) -> Hint:
    try:
        weight = typed_number(text)
    except ValueError as error:
        return Hint(f"{error}.", refuses=True)
    if not 0 < weight <= MOST_WEIGHT:
        return Hint(f"The weight must be above 0 and at most {quantity_text(Decimal(MOST_WEIGHT))}.", refuses=True)
    return _hint(_with_kinds(scenario, {kind.name: kind._replace(weight=weight)}))


def _hint(scenario: Scenario) -> Hint:
    """Refuses what could not be read back."""
    try:
        from_table(as_table(scenario))
    except ScenarioError as error:
        return Hint(str(error), refuses=True)
    return Hint()


async def _saved(screen: EstimatorScreen, scenario: Scenario) -> bool:
    """Save the scenario, and apply it again if it applies."""
    try:
        Scenarios(screen.session.folder).save(scenario, replace=True)
    except (ScenarioError, OSError) as error:
        screen.workbench.tell(f"Not saved: {str(error).rstrip('.')}.", title=scenario.name, severity="error")
        return False
    if screen.state.scenario is not None and screen.state.scenario.name == scenario.name:
        await screen.apply_scenario(scenario)
    else:
        screen.show(screen.state.followed(scenario))
    return True
