"""The options of one input to choose from, with the figures of the interaction with each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final, cast

from rich.cells import cell_len

from chartui.core.classes import dataclass
from chartui.core.estimation.discovery import Choice as Offered
from chartui.core.estimation.rank import Ranked, rank
from chartui.core.spec.catalogue import Kind, codes_for, option
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import credits_difference, credits_text, signed_text
from chartui.tui.screens.estimator.quantities import INPUTS
from chartui.tui.screens.estimator.rank import UNKNOWN, latency_cells, unmet_words, unusual_words, words
from chartui.tui.screens.estimator.state import EstimatorState
from chartui.tui.screens.estimator.study import Study
from chartui.tui.widgets.chooser import Choice, Chooser
from chartui.tui.widgets.line_list import Column

NOT_OURS: Final = "not in the catalogue"
#: Longest label: a service's labels may have any length.
LONGEST: Final = 36


@dataclass(frozen=True, slots=True)
class OptionChoice(Choice):
    """An option. ``amount``, ``difference`` and ``latency`` are those of the whole interaction with it."""

    family: str = ""
    amount: str = ""
    difference: str = ""
    latency: str = ""


def option_chooser(state: EstimatorState, study: Study | None, attribute: str) -> Chooser[OptionChoice]:
    """A chooser for one of the selections; it has no figures without a study."""
    kind, current = cast("Kind", attribute), state.value(attribute)
    ranked: dict[str, Ranked] = {}
    if study is not None:
        asked = study.constraints.supported(study.rates.card)
        found = rank(study.pricing, study.configuration, kind, discovery=state.discovery, constraints=asked)
        ranked = {entry.key: entry for entry in found}
    choices = [_choice(kind, offered, ranked.get(offered.key)) for offered in state.choices(attribute)]
    there = {choice.key for choice in choices}
    choices += [_of_the_card(entry) for entry in ranked.values() if entry.key not in there and not entry.chosen]
    mark = study.rates.mark if study is not None else ""
    return Chooser(
        f"{INPUTS[attribute].label} · {GLYPHS.warning} {mark} rates" if mark else INPUTS[attribute].label,
        choices,
        current if isinstance(current, str) else None,
        columns=list(_columns(choices, figures=study is not None)),
    )


def _choice(kind: Kind, offered: Offered, entry: Ranked | None) -> OptionChoice:
    """The options of the service, or else of the catalogue."""
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
    """The options known only to the rates, which can still be estimated and chosen (decision 62)."""
    return _with_figures(OptionChoice(entry.key, entry.label, note=NOT_OURS, family=entry.family), entry)


def _with_figures(choice: OptionChoice, entry: Ranked) -> OptionChoice:
    said = [*filter(None, (choice.note,)), *words(entry)]
    span = f"{latency_cells(entry, whole=True)} ms" if entry.latency else ""
    amount, difference = entry.credits, entry.difference
    if amount is not None and difference is not None:
        difference = credits_difference(amount, amount - difference)
    return replace(
        choice,
        note=", ".join(said),
        detail=" · ".join(
            filter(
                None, (choice.key, choice.family, span, *said, ", ".join(unmet_words(entry)) or unusual_words(entry))
            )
        ),
        amount=UNKNOWN if amount is None else credits_text(amount),
        difference="" if difference is None or entry.chosen else signed_text(difference),
        latency=latency_cells(entry),
    )


def _codes(key: str) -> tuple[str, ...]:
    """The model codes that an option prices, which the filter also matches."""
    return tuple(dict.fromkeys(code for code, _ in codes_for(key)))


def _columns(choices: Iterable[OptionChoice], *, figures: bool) -> Iterator[Column[OptionChoice]]:
    """The columns beside the label, as wide as their longest text; the figures remain in the narrowest window."""
    choices = tuple(choices)

    def wide(text: Callable[[OptionChoice], str], least: int) -> int:
        return max(least, *(cell_len(text(choice)) for choice in choices))

    yield Column("option", lambda c: c.label, min(LONGEST, wide(lambda c: c.label, 6)))
    yield Column("family", lambda c: c.family, wide(lambda c: c.family, 6), role="label", rank=7)
    yield Column("", lambda c: c.note, role="label", rank=4)
    if figures:
        yield Column("credits", lambda c: c.amount, wide(lambda c: c.amount, 7), align="right", role="credits")
        yield Column(
            "± now", lambda c: c.difference, wide(lambda c: c.difference, 9), align="right", role="label", rank=3
        )
        yield Column("ms", lambda c: c.latency, wide(lambda c: c.latency, 4), align="right", role="latency")
