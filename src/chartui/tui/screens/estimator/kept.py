"""The inputs of the estimator and the settings of its views as JSON, for the bookmark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from chartui.core.bookmark import ScreenPlace, tab_in
from chartui.core.jsontext import Wire
from chartui.core.typed_numbers import typed_number
from chartui.tui.screens.estimator.quantities import QUANTITIES, SELECTIONS, SWITCHES
from chartui.tui.screens.estimator.state import EstimatorState

if TYPE_CHECKING:
    from chartui.core.estimation.constraints import Constraints
    from chartui.core.estimation.scenario import Scenario

S = TypeVar("S")


def place_of(state: EstimatorState) -> ScreenPlace:
    views = {name.value: _as_wire(settings) for name, settings in state.view_settings.items() if settings is not None}
    asked = None if state.constraints is None else _as_wire(state.constraints)
    inputs = {"chosen": dict(state.chosen), "typed": dict(state.typed), "constraints": asked}
    if state.scenario is not None:
        from chartui.core.estimation.scenario import as_table

        inputs["scenario"] = as_table(state.scenario)
    if state.link is not None:
        inputs["link"] = state.link
    return {"tab": state.view.value, **inputs, "views": views}


def at_place(state: EstimatorState, place: ScreenPlace) -> EstimatorState:
    """The state with the inputs of a place, which may come from another version of the program."""
    chosen, typed, views = (_table(place.get(name)) for name in ("chosen", "typed", "views"))
    kinds = {each.attribute: bool if each.attribute in SWITCHES else str for each in SELECTIONS}
    return replace(
        state,
        view=tab_in(place, state.view),
        chosen=MappingProxyType({name: value for name, value in chosen.items() if type(value) is kinds.get(name)}),
        typed=MappingProxyType(
            {each.attribute: text for each in QUANTITIES if isinstance(text := typed.get(each.attribute), str)}
        ),
        scenario=_scenario(place.get("scenario")),
        link=link if isinstance(link := place.get("link"), str) else None,
        constraints=_constraints(place.get("constraints")),
        view_settings={name: views[name.value] for name in type(state.view) if name.value in views},
    )


def _constraints(kept: Wire) -> Constraints | None:
    if kept is None:
        return None
    from chartui.core.estimation.constraints import Constraints

    return settings_of(Constraints(), kept)


def _scenario(kept: Wire) -> Scenario | None:
    if not isinstance(kept, dict):
        return None
    from chartui.core.estimation.scenario import ScenarioError, from_table

    try:
        return from_table(kept)
    except ScenarioError:
        return None


def settings_of(settings: S, kept: object) -> S | None:
    """The settings restored from JSON ``kept``, as far as they fit the default ``settings``."""
    if settings is None:  # a view that has none anymore
        return None
    if isinstance(settings, str) or not isinstance(kept, dict):
        return kept if isinstance(kept, type(settings)) else None
    if kept.keys() != _as_wire(settings).keys():
        return None
    try:
        return type(settings)(**{name: _value(getattr(settings, name), value) for name, value in kept.items()})
    except (ValueError, TypeError):
        return None


def _table(value: Wire) -> Mapping[str, Wire]:
    return value if isinstance(value, dict) else {}


def _as_wire(settings: Any) -> Any:
    if isinstance(settings, (dict, str)):  # of a view that was not opened, or a single word
        return settings
    names = getattr(settings, "_fields", None) or settings.__dataclass_fields__
    return {name: _wire(getattr(settings, name)) for name in names}


def _wire(value: Any) -> Wire:
    if isinstance(value, frozenset):
        return sorted(value)
    return str(value) if isinstance(value, Decimal) else value


def _value(default: Any, value: Wire) -> Any:
    """A value of the kind of the ``default``; without one, text is a decimal number."""
    if default is None:
        return typed_number(value) if isinstance(value, str) else None if value is None else int(value)
    if isinstance(default, frozenset):
        return frozenset(map(str, value))
    return type(default)(value)
