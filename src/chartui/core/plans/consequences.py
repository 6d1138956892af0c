"""What a change of settings does to the cost of an interaction, as the consequences of a plan's step. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chartui.core.plans.plan import Consequence

if TYPE_CHECKING:
    from chartui.core.estimation.costing import CharacterCost

__all__ = ["CREDITS", "MILLISECONDS", "cost_consequences"]

#: Units of a consequence.
CREDITS: Final = "credits"
MILLISECONDS: Final = "ms"


def cost_consequences(now: CharacterCost, later: CharacterCost) -> tuple[Consequence, ...]:
    """Credits and latency of an interaction before and after a change; what nobody knows is None, with the reason.

    A price that depends on something is a range, and what it depends on is said.
    """
    return (
        Consequence(
            label="per interaction", unit=CREDITS, before=now.credits, after=later.credits, note=_doubt(now, later)
        ),
        Consequence(label="end to end", unit=MILLISECONDS, before=now.latency, after=later.latency),
    )


def _doubt(now: CharacterCost, later: CharacterCost) -> str:
    """Why one of two prices is not known, or not one; what holds of both is said once."""
    sentences = {"now": _why(now), "then": _why(later)}
    if sentences["now"] == sentences["then"]:
        return sentences["now"]
    return " ".join(f"{when.capitalize()}: {why}" for when, why in sentences.items() if why)


def _why(cost: CharacterCost) -> str:
    if cost.unknown:
        return cost.unknown
    return f"It depends on {cost.mapped.decides}." if cost.mapped.decides else ""
