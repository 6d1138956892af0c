"""The ten inputs as rows of a form, what stepping leads to, and the options of one to choose from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final, cast

from rich.cells import cell_len

from chartui.core.estimation.rank import Ranked, rank
from chartui.core.spec.catalogue import Kind, codes_for, option
from chartui.core.text import single_line
from chartui.tui.numbers import count, credits_text, signed_text
from chartui.tui.screens.estimator.rank import UNKNOWN, latency_cells, odd_words, words
from chartui.tui.screens.estimator.state import INPUTS, QUANTITIES, SELECTIONS, SWITCHES, EstimatorState
from chartui.tui.widgets.chooser import Choice, Chooser
from chartui.tui.widgets.form import FieldKind, FieldRow, Heading
from chartui.tui.widgets.line_list import Column

if TYPE_CHECKING:
    from collections.abc import Callable

    from chartui.core.estimation.discovery import Choice as Offered
    from chartui.tui.screens.estimator.state import EstimatorState
    from chartui.tui.screens.estimator.study import Study


def rows_of(state: EstimatorState) -> list[FieldRow | Heading]:
    """The form's rows for a state."""
    rows: list[FieldRow | Heading] = []
    for spec in SELECTIONS:
        value, changed = state.value(spec.attribute), spec.attribute in state.chosen
        switch = spec.attribute in SWITCHES
        if switch:
            text = "–" if value is None else "on" if value else "off"
        else:
            text = state.label(spec.attribute, value) if isinstance(value, str) else "service's default"
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
    rows += [Heading(), Heading("Per interaction")]
    for spec in QUANTITIES:
        default = state.default(spec.attribute)
        rows.append(
            FieldRow(
                id=spec.attribute,
                label=spec.label,
                kind=FieldKind.NUMBER,
                text=state.typed.get(spec.attribute, ""),
                unit=spec.unit,
                default=f"{default:f}" if isinstance(default, Decimal) else "default",
                changed=bool(state.typed.get(spec.attribute)),
                problem=state.problem(spec.attribute),
            )
        )
    return rows


def stepped(state: EstimatorState, attribute: str, step: int) -> EstimatorState:
    """With the next or previous option of an input, its switch flipped, or its number a step more or less."""
    value = state.value(attribute)
    if attribute in SWITCHES:
        return state.choose(attribute, not value)
    if any(attribute == spec.attribute for spec in QUANTITIES):
        present = value if isinstance(value, Decimal) else Decimal(0)
        more = max(Decimal(0), present + step * INPUTS[attribute].step)
        return state.type(attribute, f"{more.normalize():f}")
    keys = [choice.key for choice in state.choices(attribute)]
    here = keys.index(value) if isinstance(value, str) and value in keys else -1
    return state.choose(attribute, keys[max(0, min(here + step, len(keys) - 1))])


def default_note(state: EstimatorState, row: FieldRow | None, key: str) -> str:
    """What an input that was changed is by default, and the ``key`` that resets it; empty when it is that already."""
    default = state.default(row.id) if row is not None and row.changed else None
    if row is None or default is None:
        return ""
    if isinstance(default, bool):
        text = "on" if default else "off"
    else:
        text = count(default) if isinstance(default, Decimal) else state.label(row.id, default)
    return single_line(f"{key} resets: {text}" if key else f"default: {text}", limit=32)


NOT_OURS: Final = "not in our catalogue"
#: A label is a service's own text, and may be of any length.
LONGEST: Final = 36


@dataclass(frozen=True, slots=True)
class OptionChoice(Choice):
    """An option. ``amount``, ``difference`` and ``latency`` are those of the whole interaction with it."""

    family: str = ""
    amount: str = ""
    difference: str = ""
    latency: str = ""


def option_chooser(state: EstimatorState, study: Study | None, attribute: str) -> Chooser[OptionChoice]:
    """A chooser for one of the selections; without a study there are no figures in it."""
    kind, current = cast("Kind", attribute), state.value(attribute)
    ranked = (
        {}
        if study is None
        else {e.key: e for e in rank(study.pricing, study.configuration, kind, discovery=state.discovery)}
    )
    choices = [_choice(kind, offered, ranked.get(offered.key)) for offered in state.choices(attribute)]
    there = {choice.key for choice in choices}
    choices += [_of_the_card(entry) for entry in ranked.values() if entry.key not in there and not entry.chosen]
    return Chooser(
        INPUTS[attribute].label,
        choices,
        current if isinstance(current, str) else None,
        columns=list(_columns(choices, figures=study is not None)),
    )


def _choice(kind: Kind, offered: Offered, entry: Ranked | None) -> OptionChoice:
    """What a service offers, or our catalogue does."""
    known = option(kind, offered.key)
    choice = OptionChoice(
        offered.key,
        offered.label,
        family=known.family if known else "",
        note="" if known else NOT_OURS,
        names=_codes(offered.key) if kind == "llm" else (),
    )
    if entry is not None:
        return _with_figures(choice, entry)
    return replace(choice, note="realtime") if offered.realtime else choice


def _of_the_card(entry: Ranked) -> OptionChoice:
    """What only the rates know, so that it can be estimated and still be chosen (decision 62)."""
    return _with_figures(OptionChoice(entry.key, entry.label, note=NOT_OURS, family=entry.family), entry)


def _with_figures(choice: OptionChoice, entry: Ranked) -> OptionChoice:
    said = [*filter(None, (choice.note,)), *words(entry)]
    span = f"{latency_cells(entry, whole=True)} ms" if entry.latency else ""
    return replace(
        choice,
        note=", ".join(said),
        detail=" · ".join(filter(None, (choice.key, choice.family, span, *said, odd_words(entry)))),
        amount=UNKNOWN if entry.credits is None else credits_text(entry.credits),
        difference="" if entry.difference is None or entry.chosen else signed_text(entry.difference),
        latency=latency_cells(entry),
    )


def _codes(key: str) -> tuple[str, ...]:
    """The codes of characters' models that an option prices: another name to find it by."""
    return tuple(dict.fromkeys(code for code, _ in codes_for(key)))


def _columns(choices: Iterable[OptionChoice], *, figures: bool) -> Iterator[Column[OptionChoice]]:
    """The columns beside the label, as wide as their longest text; the figures stay in the narrowest window."""
    choices = tuple(choices)

    def wide(text: Callable[[OptionChoice], str], least: int) -> int:
        return max(least, *(cell_len(text(choice)) for choice in choices))

    yield Column("option", lambda c: c.label, min(LONGEST, wide(lambda c: c.label, 6)))
    yield Column("family", lambda c: c.family, wide(lambda c: c.family, 6), role="label", rank=7)
    yield Column("", lambda c: c.note, role="label", rank=4)
    if figures:
        yield Column("credits", lambda c: c.amount, wide(lambda c: c.amount, 7), align="right", role="credits")
        yield Column(
            "differ.", lambda c: c.difference, wide(lambda c: c.difference, 7), align="right", role="label", rank=3
        )
        yield Column("ms", lambda c: c.latency, wide(lambda c: c.latency, 4), align="right", role="latency")
