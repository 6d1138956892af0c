"""The states of a character's reasoning setting, and how they change (C 3, decisions 22 to 24 and 58).

A state is None (not set), ``auto``, or the name of a level. One of the levels is called ``none``. Screens can use this
module to predict the effect of changing the model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.spec.catalogue import ReasoningLevels

#: The provider's adaptive default applies, and no level is sent.
AUTO: Final = "auto"
#: The value that clears the setting in a request. It is not a state.
CLEAR: Final = ""


class NotAccepted(ValueError):
    """Raised if the model does not support a reasoning level.

    ``accepted`` lists the supported values, with ``auto`` last.
    """

    def __init__(self, value: str, accepted: tuple[str, ...]) -> None:
        super().__init__(value)
        self.value = value
        self.accepted = accepted


def after_request(requested: str, levels: ReasoningLevels | None) -> str | None:
    """Return the reasoning setting after a request to set it to ``requested``.

    The previous setting does not matter, because any supported value can follow any other. Raises :class:`NotAccepted`
    if the model does not support ``requested``.
    """
    if requested == CLEAR:
        return None
    accepted = levels.accepted if levels is not None else ()
    if requested not in accepted:
        raise NotAccepted(requested, accepted)
    return requested


def after_model_change(current: str | None, levels: ReasoningLevels | None) -> str | None:
    """Return the reasoning setting after a change to a model with the given levels.

    If the new model supports the current setting, the setting is kept. Otherwise, the setting becomes ``auto`` or, if
    the model does not support ``auto``, None.
    """
    if current is None or levels is None:
        return None
    if current in levels.accepted:
        return current
    return AUTO if levels.supports_auto else None


def meaning(setting: str | None, levels: ReasoningLevels | None) -> str:
    """Describe a reasoning setting in a few words. Return an empty string if no level is set (C 3).

    ``levels`` contains the levels of the character's model, or is None if the levels are unknown.
    """
    if setting is None or setting == CLEAR:
        if levels is not None and not levels.accepted:
            return "not set, since the model has no reasoning levels"
        return "not set, so the model's configuration applies"
    default = levels.default if levels is not None else None
    if setting == AUTO:
        known = f"probably {default}" if default else "unknown"
        return f"not sent, so the provider's default applies ({known})"
    if levels is None:
        return "sent unchanged, since this model's levels are unknown"
    if setting not in levels.levels:
        return "not one of this model's levels"
    ends = {levels.levels[-1]: "highest", levels.levels[0]: "lowest"}
    rank = f" ({ends[setting]} level)" if setting in ends else ""
    return f"“{single_line(setting, limit=40)}” is sent with every request{rank}"


def consequence(model: str, levels: ReasoningLevels | None, current: str | None, *, known: bool = True) -> str:
    """Describe how a change to ``model`` affects the reasoning setting. Return an empty string if nothing changes.

    ``known`` is False if the service does not return the reasoning setting. In that case, the description gives only
    the general rule (decisions 22 and 25).
    """
    otherwise = "becomes auto" if levels is not None and levels.supports_auto else "is cleared"
    if not known:
        return f"A reasoning level that {model} does not support {otherwise}."
    if after_model_change(current, levels) == current:
        return ""
    current, model = single_line(current or "", limit=40), single_line(model, limit=40)
    return f"{model} does not support the reasoning level “{current}”, so the level {otherwise}."
