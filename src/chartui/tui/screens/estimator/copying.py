"""The estimate as texts to take along."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chartui.core.profiles import Profile
from chartui.core.reproduce import as_json, estimate_command
from chartui.core.spec.models.estimation import Estimate
from chartui.tui.numbers import count, credits_text, latency_text, share_text
from chartui.tui.painting import fit
from chartui.tui.screens.estimator.state import INPUTS, EstimatorState
from chartui.tui.widgets.screen import Copyable

__all__ = ["copy_choices"]

#: Cells of a label and of an amount.
LABEL = 16
AMOUNT = 12


def copy_choices(state: EstimatorState, profile: Profile) -> Sequence[Copyable]:
    """The last answer as text and as JSON, and a command that asks for the present inputs."""
    choices: list[Copyable] = []
    if state.estimate is not None:
        choices.append(Copyable("The total and its lines", "\n".join(_lines(state.estimate))))
        choices.append(Copyable("The answer as JSON", as_json(state.estimate.raw), ".json"))
    if state.complete:
        command = estimate_command(state.selections(), state.assumptions(), profile)
        choices.append(Copyable("As a command of chartui", command, ".sh"))
    return choices


def _lines(estimate: Estimate) -> Iterator[str]:
    """The total, the lines it is made of, and what it is for: figures without their inputs say little elsewhere."""
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
                yield f"{spec.label:<{LABEL}}{text} {spec.unit}".rstrip()
    card = estimate.rate_card
    if card is not None and card.version is not None:
        yield f"{'Rate card':<{LABEL}}{count(card.version)} of {card.effective_date or 'no date'}"
    if estimate.disclaimer:
        yield ""
        yield estimate.disclaimer
