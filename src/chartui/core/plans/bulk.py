"""The same settings for many characters: one independent step for each that has them otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from chartui.core.characters.reasoning import Control, NotAccepted, after_request, consequence
from chartui.core.jsontext import Wire
from chartui.core.plans.plan import Change, Plan, Step
from chartui.core.plans.steps import changing
from chartui.core.plans.wording import changes

__all__ = ["NotTaken", "Present", "bulk_plan", "settings_in"]

_MODEL: Final = "model_group_name"
_LEVEL: Final = "reasoning_effort"


class NotTaken(ValueError):
    """The models of some characters do not take the reasoning level; the message says which models do not."""


@dataclass(frozen=True, slots=True)
class Present:
    """A character as it was read; ``settings`` holds those that can be, by their names in ``update-character``."""

    character_id: str
    name: str | None
    settings: Mapping[str, Wire]


def settings_in(record: Mapping[str, Wire]) -> dict[str, Wire]:
    """The settings that a record tells (decisions 25 and 57), by their names in ``update-character``."""
    config: Any = record.get("personalised_prompt_config")
    names = {"MODEL": _MODEL, "TEMPERATURE": "temperature"}
    return {ours: config[theirs] for theirs, ours in names.items() if theirs in config} if config else {}


def bulk_plan(
    chosen: Iterable[Present],
    wanted: Mapping[str, Wire],
    *,
    models: Mapping[str, Control | None],
    plan_id: str,
    reason: str = "",
) -> Plan:
    """The plan that gives the chosen characters the settings ``wanted``; who has them takes no step.

    ``models`` says what is known of the models: of one that it lacks, nothing is. Raises :class:`NotTaken` when a level
    would surely be refused; nothing is known of the level of a character whose model is not known.
    """
    characters = list(chosen)
    _refuse_level(characters, wanted, models)
    steps = [_step(present, wanted, models, reason) for present in characters]
    labels = [change.label for change in changes("update-character", wanted, None)]
    todo = tuple(step for step in steps if step is not None)
    return Plan(id=plan_id, title=f"Set {', '.join(labels)} of {_counted(len(todo))}", steps=todo, independent=True)


def _step(
    present: Present, wanted: Mapping[str, Wire], models: Mapping[str, Control | None], reason: str
) -> Step | None:
    seen = present.settings
    worded = {}
    model = wanted.get(_MODEL)
    if model is not None:
        note = _note(model, models, seen, level_too=_LEVEL in wanted)
        worded[_MODEL] = (Change(label="model", before=seen.get(_MODEL), after=model, known=_MODEL in seen, note=note),)
    return changing(
        "update-character",
        {"charID": present.character_id},
        wanted,
        seen,
        subject=present.name or present.character_id,
        reason=reason,
        worded=worded,
        # What a level means, and what becomes of it, hangs on the other of the two.
        watching=(_MODEL, _LEVEL) if {_MODEL, _LEVEL} & wanted.keys() else (),
    )


def _note(model: str, models: Mapping[str, Control | None], seen: Mapping[str, Any], *, level_too: bool) -> str:
    """What else follows from another model."""
    if model not in models:
        return f"Nothing is known here about {model}; the service may refuse it."
    if level_too:
        return ""
    return consequence(model, models[model], seen.get(_LEVEL), known=_LEVEL in seen)


def _refuse_level(
    characters: Iterable[Present], wanted: Mapping[str, Any], models: Mapping[str, Control | None]
) -> None:
    level = wanted.get(_LEVEL)
    if level is None:
        return
    refusing: dict[str, tuple[int, tuple[str, ...]]] = {}
    for present in characters:
        model: Any = wanted.get(_MODEL, present.settings.get(_MODEL))
        if model not in models:
            continue
        try:
            after_request(level, models[model])
        except NotAccepted as refused:
            refusing[model] = (refusing.get(model, (0, ()))[0] + 1, refused.accepted)
    if refusing:
        told = "; ".join(
            f"{model} ({_counted(number)}) takes {', '.join(accepted) or 'none'}"
            for model, (number, accepted) in sorted(refusing.items())
        )
        raise NotTaken(f"not every model takes the reasoning level '{level}': {told}.")


def _counted(number: int) -> str:
    return "1 character" if number == 1 else f"{number} characters"
