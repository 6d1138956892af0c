"""The ten inputs as rows of a form, and the effect of stepping."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from chartui.core.jsontext import canonical
from chartui.core.numbers import DECIMALS, range_text
from chartui.core.text import single_line
from chartui.core.typed_numbers import Range
from chartui.tui.glyphs import GLYPHS
from chartui.tui.screens.estimator.quantities import (
    INPUTS,
    LINK,
    LINKED,
    QUANTITIES,
    SELECTIONS,
    SWITCHES,
    Input,
    value_words,
)
from chartui.tui.screens.estimator.state import EstimatorState
from chartui.tui.widgets.form import FieldKind, FieldRow, Heading


def rows_of(state: EstimatorState) -> list[FieldRow | Heading]:
    rows: list[FieldRow | Heading] = []
    for spec in SELECTIONS:
        value, changed = state.value(spec.attribute), spec.attribute in state.chosen
        switch = spec.attribute in SWITCHES
        known = switch or isinstance(value, str)
        text = value_words(value, () if switch else state.choices(spec.attribute)) if known else "service's default"
        rows.append(
            FieldRow(
                id=spec.attribute,
                label=spec.label,
                kind=FieldKind.SWITCH if switch else FieldKind.CHOICE,
                text=text,
                on=switch and bool(value),
                changed=changed,
                problem=state.problem(spec.attribute),
            )
        )
    rows += [Heading(), Heading(_quantities_title(state))]
    sign = f" {GLYPHS.link}" if state.link is not None else ""
    for spec in QUANTITIES:
        default = state.default(spec.attribute)
        rows.append(
            FieldRow(
                id=spec.attribute,
                label=f"{spec.label}{sign if spec.attribute in LINKED else ''}",
                kind=FieldKind.NUMBER,
                text=state.typed.get(spec.attribute, ""),
                unit=_unit(state, spec),
                default=_default_text(state, spec.attribute, default),
                changed=bool(state.typed.get(spec.attribute)),
                problem=state.problem(spec.attribute),
            )
        )
    if state.link is not None:
        rows.append(_link_row(state, state.link))
    return rows


def _quantities_title(state: EstimatorState) -> str:
    """The title of the quantities: the scenario, and whether they are means of several kinds of interaction."""
    if state.scenario is None:
        return "Per interaction"
    kinds = len(state.scenario.kinds)
    means = f" · averages of {kinds} kinds" if kinds > 1 else ""
    return f"{single_line(state.scenario.name, limit=34)}{means}"


def _default_text(state: EstimatorState, attribute: str, default: str | bool | Decimal | None) -> str:
    """The default of a quantity; of a scenario with one kind of interaction, its range."""
    if state.scenario is not None and len(cases := state.scenario.cases()) == 1 and attribute in cases[0].ranges:
        return range_text(cases[0].ranges[attribute])
    return f"{round(default, DECIMALS).normalize():f}" if isinstance(default, Decimal) else "default"


def _link_row(state: EstimatorState, link: str) -> FieldRow:
    usual = replace(state, link="").characters_per_second or Decimal(0)
    return FieldRow(
        id=LINK,
        label=f"{GLYPHS.link} Linked",
        kind=FieldKind.NUMBER,
        text=link,
        unit="chars/s",
        default=f"{usual.quantize(Decimal('0.01')).normalize():f}",
        changed=bool(link),
        problem=state.link_problem,
    )


def _unit(state: EstimatorState, spec: Input) -> str:
    """The unit of a quantity, which says whether it is an estimate."""
    if spec.attribute != "input_tokens" or state.proposed is None:
        return spec.unit_of(state.value(spec.attribute))
    return "at least" if state.proposed.tokens.at_least else "estimated"


def form_title(state: EstimatorState, room: int) -> str:
    """The title of the form: the loaded preset, and whether the inputs differ from it."""
    if state.preset not in state.presets:
        return "Configuration"
    modified = " · modified" if state.modified else ""
    return f"Preset {single_line(state.preset, limit=max(8, room - len(modified) - 7))}{modified}"


def stepped(state: EstimatorState, attribute: str, step: int) -> EstimatorState:
    """The state after a step: the next or previous option, a flipped switch, or a changed number."""
    if attribute == LINK:
        present = state.characters_per_second or Decimal(0)
        return state.type(LINK, canonical(max(Decimal(1), round(present) + Decimal(step))))
    value = state.value(attribute)
    if attribute in SWITCHES:
        return state.choose(attribute, not value)
    if any(attribute == spec.attribute for spec in QUANTITIES):
        present = value if isinstance(value, Decimal) else Decimal(0)
        low, typical, high = (
            max(Decimal(0), number + step * INPUTS[attribute].step)
            for number in state.ranges.get(attribute, Range.of(present))
        )
        return state.type(attribute, range_text(Range(low, typical, high)))
    keys = [choice.key for choice in state.choices(attribute)]
    here = keys.index(value) if isinstance(value, str) and value in keys else -1
    chosen = keys[max(0, min(here + step, len(keys) - 1))]
    return state if chosen == value else state.choose(attribute, chosen)


def default_note(state: EstimatorState, row: FieldRow | None, key: str) -> str:
    """The default of a changed input and the ``key`` that resets it; empty if unchanged."""
    if row is None or not row.changed or row.id not in INPUTS:
        return ""
    # Without a typed number, input tokens of a character no longer count; the last estimate still echoes it.
    typed = {name: text for name, text in state.typed.items() if name != row.id}
    default = replace(state, typed=typed, estimate=None).default(row.id)
    if default is None:
        return ""
    text = value_words(default, state.choices(row.id) if isinstance(default, str) else ())
    return single_line(f"{key} resets to {text}" if key else f"default: {text}", limit=32)
