"""The present inputs held against the pinned configuration that is the baseline."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from chartui.core.text import single_line
from chartui.tui.numbers import percent_text, signed_text

if TYPE_CHECKING:
    from chartui.tui.screens.estimator.study import Study

__all__ = ["Against", "against"]


class Against(NamedTuple):
    """How much more than the baseline of this name the present inputs cost, in credits and in percent of it.

    ``difference`` is None where either price is unknown, ``percent`` also where the baseline costs nothing.
    """

    name: str
    difference: Decimal | None
    percent: Decimal | None

    @property
    def short(self) -> str:
        """The figures alone: ``+1.204 (+13 %)``."""
        if self.difference is None:
            return "unknown"
        share = "" if self.percent is None else f" ({percent_text(self.percent)})"
        return f"{signed_text(self.difference)}{share}"

    @property
    def text(self) -> str:
        """As a person reads it: ``+1.204 (+13 %) against “baseline”``."""
        return f"{self.short} against “{single_line(self.name, limit=40)}”"


def against(study: Study) -> Against | None:
    """The present total against the baseline's; None while nothing is pinned."""
    base = study.held_against
    if base is None:
        return None
    there, here = study.pricing_of(base).credits(base.configuration), study.pricing.credits(study.configuration)
    if there is None or here is None:
        return Against(base.name, None, None)
    return Against(base.name, here - there, (here - there) * 100 / there if there else None)
