"""The kinds of interaction of a scenario: their prices, and adding, changing and removing them."""

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
from chartui.core.numbers import credits_text, quantity_text, range_text
from chartui.core.sheet import Column, Kind, Sheet
from chartui.core.text import single_line
from chartui.core.typed_numbers import Range, typed_number, typed_range
from chartui.tui.screens.estimator.quantities import INPUTS, QUANTITIES, Input
from chartui.tui.screens.estimator.study import Study
from chartui.tui.widgets.questions import AskLine, Confirm, Hint
from chartui.tui.widgets.table_dialog import TableDialog

if TYPE_CHECKING:
    from chartui.core.jsontext import Wire
    from chartui.tui.screens.estimator.screen import EstimatorScreen

#: The key of the row of the mix; no kind has this name.
_MIX: Final = ""
#: The name of the kind that keeps the interactions of a scenario when it gets its first kind.
OTHERS: Final = "Other interactions"
_COLUMNS: Final = (
    Column("name", title="Kind", kind=Kind.TEXT, least=16, best=40),
    Column("weight", title="weight", kind=Kind.COUNT, priority=1),
    Column("credits", title="credits", kind=Kind.CREDITS),
)


_QUANTITY_COLUMNS: Final = (
    Column("quantity", title="Quantity", kind=Kind.TEXT, least=14, best=20),
    Column("value", title="value", kind=Kind.TEXT, least=16, best=30),
    Column("source", title="from", kind=Kind.TEXT, least=9, best=20, priority=1),
)


async def edit_kinds(screen: EstimatorScreen, scenario: Scenario) -> None:
    """Show the kinds of a scenario with their prices, and change them. Each change is saved in the scenario's file."""
    at: str | None = None
    while (wanted := await screen.workbench.push_screen_wait(_dialog(scenario, screen, at))) is not None:
        action, at = wanted
        kind = next((one for one in scenario.kinds if one.name == at), None)
        if action == "add":
            changed = await _added(screen, scenario)
        elif action == "quantities":
            scenario = await _edit_quantities(screen, scenario, kind)
            continue
        elif kind is None:
            continue
        elif action == "remove":
            changed = await _removed(screen, scenario, kind)
        elif action == "rename":
            changed = await _renamed(screen, scenario, kind)
        else:
            changed = await _weighed(screen, scenario, kind)
        if changed is not None and await _saved(screen, scenario, changed):
            names = {one.name for one in scenario.kinds}
            at = next((one.name for one in reversed(changed.kinds) if one.name not in names), at)  # added or renamed
            scenario = changed


def _dialog(scenario: Scenario, screen: EstimatorScreen, at: str | None) -> TableDialog:
    cases, study = screen.state.applied(scenario).cases(), screen.study  # input tokens of a character count
    named: list[tuple[str, Case]] = [(case.name, case) for case in cases if case.name]
    rows: dict[str, tuple[Wire, ...]] = {name: (name, case.weight, credits_of((case,), study)) for name, case in named}
    rows[_MIX] = ("Mix" if named else "All interactions", None, credits_of(cases, study))
    about = {name: quantities_in_words(case.ranges) for name, case in named}
    common = f" Common quantities: {quantities_in_words(scenario.assumptions)}" if scenario.assumptions else ""
    about[_MIX] = (
        f"The weighted mean of all kinds of interaction.{common}" if named else quantities_in_words(cases[0].ranges)
    )
    return TableDialog(
        Sheet(
            f"Interactions in {single_line(scenario.name, limit=40)}", _COLUMNS, tuple(rows.values()), keys=tuple(rows)
        ),
        table="kinds",
        enter="Weight…",
        keep=at,
        actions={
            "a": ("add", "Add…"),
            "i": ("quantities", "Quantities…"),
            "e": ("rename", "Rename…"),
            "d,delete": ("remove", "Remove…"),
        },
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
    said = [
        f"{spec.label} {_numbers(found, spec)}"
        for spec in QUANTITIES
        if (found := ranges.get(spec.attribute)) is not None
    ]
    return ", ".join(said) or "The service's default quantities."


def _numbers(found: Range, spec: Input) -> str:
    return f"{'–'.join(dict.fromkeys(map(quantity_text, found)))} {spec.unit_of(found.high)}"


# -- changes -----------------------------------------------------------------------------------------------------------


def _with_kinds(scenario: Scenario, changed: Mapping[str, Case | None]) -> Scenario:
    """With other kinds by their names: None removes a kind, and a new name adds one."""
    kinds: dict[str, Case | None] = {**{kind.name: kind for kind in scenario.kinds}, **changed}
    return replace(scenario, kinds=tuple(kind for kind in kinds.values() if kind is not None))


async def _added(screen: EstimatorScreen, scenario: Scenario) -> Scenario | None:
    """Ask for a name; the new kind has the quantities that are typed in the form.

    If it is the first one, the interactions of before become a kind as well, since they would no longer count.
    """
    typed = screen.state.own_ranges
    question = f"Name of the kind of interaction. Its quantities come from the form: {quantities_in_words(typed)}."
    if not typed:
        question = "Name of the kind of interaction. To set its quantities, use “Quantities…” in the list."
    if not scenario.kinds:
        question = f"{question} The current interactions will become the kind “{OTHERS}”, with weight 1."
        scenario = _with_kinds(scenario, {OTHERS: Case(OTHERS, Decimal(1), {})})
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
    message = (
        f"Remove “{single_line(kind.name)}” from the scenario? The inputs will change only if the scenario is in use."
    )
    agreed = await screen.workbench.push_screen_wait(Confirm("Remove this kind of interaction", message, "Remove"))
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


# -- quantities --------------------------------------------------------------------------------------------------------


async def _edit_quantities(screen: EstimatorScreen, scenario: Scenario, kind: Case | None) -> Scenario:
    """Show the quantities of a kind, or those for every kind, and change them. Returns the scenario as it is then."""
    at: str | None = None
    while (wanted := await screen.workbench.push_screen_wait(_quantities(screen, scenario, kind, at))) is not None:
        action, at = wanted
        ranges = scenario.assumptions if kind is None else kind.ranges
        text: str | None = ""
        if action == "open":
            text = await _asked_quantity(screen, scenario, kind, INPUTS[at])
        if text is None:
            continue
        changed = {name: found for name, found in ranges.items() if name != at}
        if text:
            changed[at] = typed_range(text)
        later = _with_quantities(scenario, kind, changed)
        if changed != ranges and await _saved(screen, scenario, later):
            scenario = later
            kind = None if kind is None else next(one for one in later.kinds if one.name == kind.name)
    return scenario


def _quantities(screen: EstimatorScreen, scenario: Scenario, kind: Case | None, at: str | None) -> TableDialog:
    """The four quantities of a kind, or those for every kind, each with its origin."""
    rows: dict[str, tuple[Wire, ...]] = {}
    for spec in QUANTITIES:
        name = spec.attribute
        found, source = _counting(screen, scenario, kind, name)
        rows[name] = (spec.label, "unknown" if found is None else _numbers(found, spec), source)
    whose = "all kinds" if kind is None else single_line(kind.name, limit=40)
    return TableDialog(
        Sheet(f"Quantities of {whose}", _QUANTITY_COLUMNS, tuple(rows.values()), keys=tuple(rows)),
        table="quantities",
        enter="Change…",
        keep=at,
        actions={"r": ("reset", "Reset")},
    )


def _counting(screen: EstimatorScreen, scenario: Scenario, kind: Case | None, name: str) -> tuple[Range | None, str]:
    """A quantity that counts for a kind, or for every kind without its own, and its origin."""
    common = replace(scenario, kinds=() if kind is None else (kind,)).cases()[0].ranges
    if kind is not None and name in kind.ranges:
        return kind.ranges[name], "this kind"
    if name in scenario.assumptions:
        return scenario.assumptions[name], "the scenario"
    if name in common:
        return common[name], "the link"
    default = screen.state.service_default(name)
    return Range.of(default) if isinstance(default, Decimal) else None, "the service"


def _with_quantities(scenario: Scenario, kind: Case | None, ranges: Mapping[str, Range]) -> Scenario:
    if kind is None:
        return replace(scenario, assumptions=ranges)
    return _with_kinds(scenario, {kind.name: kind._replace(ranges=ranges)})


async def _asked_quantity(screen: EstimatorScreen, scenario: Scenario, kind: Case | None, spec: Input) -> str | None:
    """The typed number or range; empty for the default, None when canceled."""
    own = scenario.assumptions if kind is None else kind.ranges
    default, source = _counting(
        screen, _with_quantities(scenario, None, {}) if kind is None else scenario, None, spec.attribute
    )
    empty = f"{'unknown' if default is None else range_text(default)}, from {source}"
    question = f"{spec.label} in {spec.unit}: a number, or a range such as 100-300 or 100-150-300. Empty: {empty}."
    hint = partial(_quantity_hint, scenario, kind, spec.attribute)
    text = range_text(own[spec.attribute]) if spec.attribute in own else ""
    return await screen.workbench.push_screen_wait(AskLine(spec.label, question, hint, text=text, verb="Set"))


def _quantity_hint(scenario: Scenario, kind: Case | None, name: str, text: str) -> Hint:
    if not text:
        return Hint()
    try:
        found = typed_range(text)
    except ValueError as error:
        return Hint(f"{error}.", refuses=True)
    own = scenario.assumptions if kind is None else kind.ranges
    return _hint(_with_quantities(scenario, kind, {**own, name: found}))


async def _saved(screen: EstimatorScreen, before: Scenario, scenario: Scenario) -> bool:
    """Save the scenario, and apply it again if it applies. Says how its price changes."""
    try:
        Scenarios(screen.session.folder).save(scenario, replace=True)
    except (ScenarioError, OSError) as error:
        screen.workbench.tell(f"Not saved: {str(error).rstrip('.')}.", title=scenario.name, severity="error")
        return False
    then, now = (credits_of(screen.state.applied(one).cases(), screen.study) for one in (before, scenario))
    if then is not None and now is not None and then != now:
        change = f"{credits_text(then)} → {credits_text(now)} credits per interaction"
        screen.workbench.tell(f"{change} in this scenario.", title=scenario.name, topic="kinds")
    if screen.state.scenario is not None and screen.state.scenario.name == scenario.name:
        await screen.apply_scenario(scenario)
    else:
        screen.show(screen.state.followed(scenario))
    return True
