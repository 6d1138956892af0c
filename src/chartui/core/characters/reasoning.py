"""The reasoning setting of a character: its states and what leads from one to another (C 3, decisions 22 to 24, 58).

A state is None (not set), ``auto``, or the name of a level; the level ``none`` is a level like any other. Pure: the
screens ask it what a change of model would do before they offer to make it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from chartui.core.spec.catalogue import ReasoningLevels

#: The provider's adaptive default applies, and no level is sent.
AUTO: Final = "auto"
#: What a request sends to take the setting away; no state.
CLEAR: Final = ""


class NotAccepted(ValueError):
    """A model does not take the value; ``accepted`` are those it does, ``auto`` last."""

    def __init__(self, value: str, accepted: tuple[str, ...]) -> None:
        super().__init__(value)
        self.value = value
        self.accepted = accepted


def after_request(requested: str, levels: ReasoningLevels | None) -> str | None:
    """The state that the value of a request leads to, from whatever state; raises :class:`NotAccepted`.

    The state before plays no part: every accepted value can follow on every other.
    """
    if requested == CLEAR:
        return None
    accepted = levels.accepted if levels is not None else ()
    if requested not in accepted:
        raise NotAccepted(requested, accepted)
    return requested


def after_model_change(current: str | None, levels: ReasoningLevels | None) -> str | None:
    """What remains of a setting under another model: itself where accepted, else ``auto``, else nothing."""
    if current is None or levels is None:
        return None
    if current in levels.accepted:
        return current
    return AUTO if levels.supports_auto else None


def meaning(setting: str | None, levels: ReasoningLevels | None) -> str:
    """What a setting means, in a few words (C 3): not set, ``auto`` and the levels are three different things.

    ``levels`` are those of the model that it is for, None where nothing is known of it; the empty text is not set.
    """
    if setting is None or setting == CLEAR:
        if levels is not None and not levels.accepted:
            return "no setting; the model takes none"
        return "no setting: as the model is configured"
    default = levels.default if levels is not None else None
    if setting == AUTO:
        known = f", probably {default}" if default else ", which is unknown"
        return f"no level is sent: the provider's default{known}"
    if levels is None:
        return "sent as it is; whether the model takes it is not known"
    if setting not in levels.levels:
        return "not one that this model takes"
    place, of = levels.levels.index(setting), len(levels.levels)
    rank = "the least" if place == 0 else "the most" if place == of - 1 else f"{place + 1} of {of}"
    return f"sent with every request; {rank}{', the model’s default' if setting == default else ''}"


def consequence(model: str, levels: ReasoningLevels | None, current: str | None, *, known: bool = True) -> str:
    """What becomes of a setting under another model, ``model``, in a sentence; empty when it stays (decision 22).

    ``known`` False says that the service does not tell what is set, so that only the rule can be said (decision 25).
    """
    otherwise = "becomes auto" if levels is not None and levels.supports_auto else "is cleared"
    if not known:
        return f"Should a reasoning level be set that {model} does not accept, it {otherwise}."
    if after_model_change(current, levels) == current:
        return ""
    return f"The reasoning level '{current}' is not accepted by {model}: it {otherwise}."
