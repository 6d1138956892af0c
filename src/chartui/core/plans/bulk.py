"""The same settings for many characters: one independent step for each that has them otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from chartui.core.plans.plan import Plan, Step
from chartui.core.plans.settings import Staged, plan, problems
from chartui.core.plans.wording import LABELS

if TYPE_CHECKING:
    from chartui.core.characters.models import Models
    from chartui.core.clock import Ids
    from chartui.core.jsontext import Wire

__all__ = ["NotTaken", "Present", "bulk_plan", "settings_in"]

_IN_CONFIG: Final = {"MODEL": "model_group_name", "TEMPERATURE": "temperature"}


class NotTaken(ValueError):
    """Some of the characters cannot have the settings; the message says why, and how many they are."""


@dataclass(frozen=True, slots=True)
class Present:
    """A character as it was read; ``settings`` holds those that can be, by their names in ``update-character``."""

    character_id: str
    name: str | None
    settings: Mapping[str, Wire]


def settings_in(record: Mapping[str, Wire]) -> dict[str, Wire]:
    """The settings that a record tells (decisions 25 and 57), by their names in ``update-character``."""
    config: Any = record.get("personalised_prompt_config")
    return {ours: config[theirs] for theirs, ours in _IN_CONFIG.items() if theirs in config} if config else {}


def bulk_plan(
    chosen: Iterable[Present], wanted: Mapping[str, str], models: Models, *, ids: Ids, reason: str = ""
) -> Plan:
    """The plan that gives the chosen characters the settings ``wanted``, as text; who has them takes no step.

    Raises :class:`NotTaken` when any of them would surely be refused.
    """
    staged = [_staged(present, wanted) for present in chosen]
    _refuse(staged, models)
    steps: list[Step] = []
    for one in staged:
        steps += (replace(step, reason=reason) for step in plan(one, models, new_id=ids).steps)
    labels = ", ".join(LABELS[member] for member in wanted)
    return Plan(id=ids(), title=f"Set {labels} of {_counted(len(steps))}", steps=tuple(steps), independent=True)


def _staged(present: Present, wanted: Mapping[str, str]) -> Staged:
    name = present.name or present.character_id
    staged = Staged(character_id=present.character_id, name=name, base=present.settings, changes={})
    for member, text in wanted.items():
        staged = staged.with_change(member, text)
    return staged


def _refuse(staged: Iterable[Staged], models: Models) -> None:
    found = Counter(sentence for one in staged for sentence in problems(one, models).values())
    if found:
        told = " ".join(f"{sentence.rstrip('.')} ({_counted(number)})." for sentence, number in found.items())
        raise NotTaken(told)


def _counted(number: int) -> str:
    return "1 character" if number == 1 else f"{number} characters"
