"""The estimate and the data of the current view, as texts to copy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial

from chartui.core.estimation.rates import RateSource, marked
from chartui.core.estimation.summary import estimate_sheet
from chartui.core.reproduce import as_json, estimate_command, estimate_curl, with_scenario
from chartui.core.session import Session
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.estimation import Estimate
from chartui.tui.clipboard import forms_of
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import fit
from chartui.tui.numbers import count, credits_text, latency_text, share_text
from chartui.tui.screens.estimator.board import View
from chartui.tui.screens.estimator.quantities import INPUTS
from chartui.tui.screens.estimator.state import VIEW_TITLES, EstimatorState
from chartui.tui.widgets.screen import Copyable

#: Cells of a label and of an amount.
LABEL = 16
AMOUNT = 12


def copy_choices(state: EstimatorState, session: Session, view: View | None) -> Sequence[Copyable]:
    """The tables of the view, each in three forms, and its command; then the estimate and its request."""
    rates, profile = state.rates, session.profile
    written, given = state.written(throwaway=session.throwaway)
    whole = partial(with_scenario, scenario=state.completed_scenario, written=written)
    sheets = view.sheets() if view is not None else ()
    choices = [text for sheet in sheets for text in forms_of(marked(sheet, rates) if rates is not None else sheet)]
    if view is not None and (command := view.command(profile)):
        if rates is not None and rates.source is RateSource.REFERENCE:
            command += " --reference-rates"
        choices.append(Copyable(f"{VIEW_TITLES[view.NAME]}: chartui command", whole(command), ".sh"))
    if state.estimate is not None:
        choices.append(Copyable("Total and lines", "\n".join(_lines(state.estimate))))
        choices += forms_of(estimate_sheet(state.estimate))[:2]
        choices.append(Copyable("Estimate: response as JSON", as_json(state.estimate.raw), ".json"))
    if state.complete:
        selections, assumptions = state.selections(), state.assumptions()
        name = written.name if written is not None else ""
        command = estimate_command(selections, assumptions, profile, scenario=name, given=given)
        choices.append(Copyable("Estimate: chartui command", whole(command), ".sh"))
        if len(state.cases()) > 1:  # no single request has this answer
            return choices
        with suppress(ServiceError):  # an input that can't be written has no request either
            choices.append(Copyable("Estimate: curl command", estimate_curl(selections, assumptions, profile), ".sh"))
    return choices


def _lines(estimate: Estimate) -> Iterator[str]:
    """The total, its lines and its inputs, which the figures need to be understood elsewhere."""
    yield f"{credits_text(estimate.credits)} credits per interaction, {latency_text(estimate.latency_ms)}"
    yield ""
    for line in estimate.lines:
        amount = fit(credits_text(line.credits), AMOUNT, "right")
        share = share_text(estimate.share(line))
        row = f"{fit(line.label or line.key, LABEL)}{amount} {share:>6}  {latency_text(line.latency)}"
        yield row.rstrip(" –")
    yield ""
    for part in (estimate.selections, estimate.assumptions):
        for attribute, spec in INPUTS.items():
            value = getattr(part, attribute, None)
            if value is not None:
                text = ("on" if value else "off") if isinstance(value, bool) else str(value)
                yield f"{spec.label:<{LABEL}}{text} {spec.unit_of(value)}".rstrip()
    card = estimate.rate_card
    if card is not None and card.version is not None:
        yield f"{'Rate card':<{LABEL}}{count(card.version)} ({card.effective_date or 'no date'})"
    if estimate.doubt:
        yield ""
        yield f"{GLYPHS.warning} {estimate.doubt}"
    if estimate.disclaimer:
        yield ""
        yield estimate.disclaimer
