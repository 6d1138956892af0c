"""Scenarios on the estimator: choosing one, and saving quantities and volume as one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from chartui.core.estimation.scenario import Scenario, ScenarioError, Scenarios, as_table, from_table
from chartui.core.named_files import NamedFile
from chartui.core.numbers import number_of
from chartui.core.sheet import Column, Kind, Sheet
from chartui.core.text import single_line
from chartui.tui.guides import guide
from chartui.tui.screens.estimator.kinds import credits_of, edit_kinds
from chartui.tui.screens.estimator.state import EstimatorState, ViewName
from chartui.tui.screens.estimator.study import Study
from chartui.tui.screens.estimator.subscriptions import SubscriptionsSettings, default_usage
from chartui.tui.widgets.questions import Confirm, Hint, ask_name
from chartui.tui.widgets.table_dialog import TableDialog

if TYPE_CHECKING:
    from chartui.core.estimation.budget import Usage
    from chartui.core.jsontext import Wire
    from chartui.tui.screens.estimator.screen import EstimatorScreen

#: The key of the row that removes the scenario; no file has this name.
_NONE: Final = ""
_COLUMNS: Final = (
    Column("name", title="Scenario", kind=Kind.TEXT, least=16, best=40),
    Column("credits", title="credits", kind=Kind.CREDITS, priority=1),
    Column("kinds", title="kinds", kind=Kind.COUNT, priority=2),
    Column("about", title="About", kind=Kind.TEXT, least=24, priority=3),
)


def _scenarios(screen: EstimatorScreen) -> Scenarios:
    """The scenarios of this machine, or of a throwaway session."""
    return Scenarios(screen.session.folder)


async def open_scenarios(screen: EstimatorScreen) -> None:
    """List the scenarios, to apply, edit or remove one, or to go back to the service's quantities."""
    app = screen.workbench
    at: str | None = None
    while True:
        try:
            entries = {str(one.path): one for one in _scenarios(screen).entries()}
        except OSError as error:
            app.tell(f"Can't read the scenarios: {error.strerror}.", severity="error")
            return
        if not entries and screen.state.scenario is None:
            text = "No scenarios yet. “Save as scenario…” saves these quantities with their ranges and the volume."
            app.tell(guide(app, text, "{palette} finds this command."))
            return
        wanted = await app.push_screen_wait(_dialog(entries, screen.state, screen.study, at))
        if wanted is None:
            return
        action, at = wanted
        scenario = entries[at].item if at else None
        if at and scenario is None:
            app.tell(entries[at].fault, title="Not a scenario", severity="error")
        elif action == "open":
            await screen.apply_scenario(scenario)
            return
        elif scenario is not None and action == "kinds":
            await edit_kinds(screen, scenario)
        elif scenario is not None:
            await _remove(screen, scenario)


def _dialog(
    entries: Mapping[str, NamedFile[Scenario]], state: EstimatorState, study: Study | None, at: str | None
) -> TableDialog:
    rows: dict[str, tuple[Wire, ...]] = {
        _NONE: ("No scenario", credits_of(state.applied(None).cases(), study), 1, "The service's default quantities.")
    }
    rows |= {key: _row(entry, state, study) for key, entry in entries.items()}
    applied = state.scenario.name if state.scenario is not None else None
    here = next((key for key, one in entries.items() if one.item is not None and one.item.name == applied), _NONE)
    return TableDialog(
        Sheet("Scenarios", _COLUMNS, tuple(rows.values()), keys=tuple(rows)),
        table="scenarios",
        enter="Apply",
        keep=here if at is None else at,
        actions={"e": ("kinds", "Kinds…"), "d,delete": ("remove", "Remove…")},
        about={key: str(row[-1]) for key, row in rows.items()},
    )


def _row(entry: NamedFile[Scenario], state: EstimatorState, study: Study | None) -> tuple[Wire, ...]:
    scenario = entry.item
    if scenario is None:
        return entry.path.name, None, None, entry.fault
    usage = scenario.usage and f"{number_of(int(scenario.usage.users), 'user')}"
    about = " · ".join(filter(None, (scenario.note, usage, ", ".join(kind.name for kind in scenario.kinds))))
    cases = state.applied(scenario).cases()
    return scenario.name, credits_of(cases, study), len(cases), about


async def _remove(screen: EstimatorScreen, scenario: Scenario) -> None:
    message = f"Remove scenario “{single_line(scenario.name)}” and its file? The inputs will stay unchanged."
    if await screen.workbench.push_screen_wait(Confirm("Remove scenario", message, "Remove")):
        try:
            _scenarios(screen).remove(scenario.name)
        except (ScenarioError, OSError) as error:
            screen.workbench.tell(f"Not removed: {_reason(error)}.", title=scenario.name, severity="error")


# -- saving ------------------------------------------------------------------------------------------------------------


async def save_scenario(screen: EstimatorScreen, settings: Mapping[ViewName, Any]) -> None:
    """Ask for a name and save the quantities, and the volume in the ``settings`` of Subscriptions."""
    app, state, study = screen.workbench, screen.state, screen.study
    if not state.complete or study is None:
        app.tell(f"Nothing to save yet: {state.wrong_text or 'no rates are loaded'}.")
        return
    try:
        scenario = _made(state, _usage(study, settings.get(ViewName.SUBSCRIPTIONS)))
        scenarios = _scenarios(screen)
        kept = {one.item.name: one.item for one in scenarios.entries() if one.item is not None}
        changes = {name: scenarios.differences(old, replace(scenario, name=name)) for name, old in kept.items()}
        what = "Enter a name for the scenario. It stores these quantities, their ranges and the volume."
        if state.proposed is not None:
            what = f"{what} Estimated input tokens are not saved."
        name = await ask_name(app, "Save as scenario", what, _name_hint, scenario.name, kept, changes)
        if name is None:
            return
        scenario = replace(scenario, name=name, note=kept[name].note if name in kept else scenario.note)
        path = scenarios.save(scenario, replace=True)
    except (ScenarioError, ValueError, OSError) as error:
        app.tell(f"Not saved: {_reason(error)}.", severity="error")
    else:
        await screen.apply_scenario(scenario)
        app.tell(f"Saved: {path}", title=name)


def _made(state: EstimatorState, usage: Usage | None) -> Scenario:
    """The scenario of the inputs: that which applies, with the typed quantities in every kind of interaction.

    Input tokens estimated for a character are left open.
    """
    rate = None if state.link is None else state.characters_per_second
    below = state.scenario or Scenario(name="Scenario")
    return replace(below.under(state.own_ranges), usage=usage, characters_per_second=rate)


def _usage(study: Study, settings: object) -> Usage | None:
    """The volume typed in Subscriptions, or that of the scenario; None without either."""
    if not isinstance(settings, SubscriptionsSettings) or settings == SubscriptionsSettings():
        return study.scenario.usage if study.scenario is not None else None
    usage = settings.usage(default_usage(study))
    if problem := usage.problem():
        raise ScenarioError(problem.text)
    return usage


def _name_hint(name: str) -> Hint:
    try:
        from_table(as_table(Scenario(name=name)))
    except ScenarioError as error:
        return Hint(str(error), refuses=True)
    return Hint()


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"{error.filename or 'the file'} cannot be used ({error.strerror or 'unknown reason'})"
    return str(error).rstrip(".")
