"""The settings of a file as a step of a push: what is otherwise there, as far as that can be read and taken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from chartui.core.jsontext import Wire, same
from chartui.core.plans.settings import BACKSTORY, MEMBERS, MODEL, REASONING, Staged, as_text, plan, problems
from chartui.core.plans.wording import LABELS

if TYPE_CHECKING:
    from chartui.core.bundle.model import Bundle
    from chartui.core.character import Reading
    from chartui.core.characters.models import Models
    from chartui.core.plans.plan import Step

__all__ = ["Settled", "settings_wanted", "settle"]

#: Settings that a character may be without, and that empty text clears.
_CLEARED: Final = (REASONING, BACKSTORY)


class Settled(NamedTuple):
    """The step that gives the settings, if there is something to give, and the ``members`` that it gives.

    What is told is as for the story; ``notes`` say what cannot be checked.
    """

    step: Step | None
    members: tuple[str, ...]
    left_out: tuple[str, ...]
    unpruned: tuple[str, ...]
    notes: tuple[str, ...]


def settings_wanted(bundle: Bundle, reading: Reading, *, prune: bool) -> tuple[dict[str, Wire], list[str], list[str]]:
    """The settings of the file that are otherwise on the profile, then what stays there, and what cannot be checked."""
    wanted: dict[str, Wire] = {}
    unpruned: list[str] = []
    notes: list[str] = []
    for member in MEMBERS:
        value, present = bundle.settings.get(member), reading.now.get(member)
        if value is None:
            if member in _CLEARED and member not in bundle.unread and present:
                if prune:
                    wanted[member] = ""
                else:
                    unpruned.append(f"The {LABELS[member]} is not in the file.")
        elif member in reading.now:
            if not (same(value, present) or not (value or value == 0 or present)):
                wanted[member] = value
        elif member in reading.known_here and same(reading.known_here[member].value, value):
            at = reading.known_here[member].at[:16].replace("T", " ")
            notes.append(f"The {LABELS[member]} cannot be checked; it is what was last written from here, {at} UTC.")
        else:
            wanted[member] = value
            if reading.settings is not None:  # of a character that is not there yet
                continue
            notes.append(f"The {LABELS[member]} cannot be checked: this service does not give it back.")
    return wanted, unpruned, notes


def settle(
    bundle: Bundle,
    reading: Reading,
    character_id: str,
    name: str,
    models: Models | None,
    *,
    embedded: bool,
    prune: bool,
) -> Settled:
    """The step of the settings; ``models`` are what can be chosen, None where the account may not change settings."""
    wanted, unpruned, notes = settings_wanted(bundle, reading, prune=prune)
    left_out: list[str] = []
    if wanted and models is None:
        names = ", ".join(LABELS[member] for member in wanted)
        left_out.append(f"The {names}: the subscription of this account does not allow to change settings.")
    if not wanted or models is None:
        return Settled(None, (), tuple(left_out), tuple(unpruned), tuple(notes))
    staged = _staged(character_id, name, reading.now, wanted)
    refused = dict(problems(staged, models))
    code = staged.changes.get(MODEL)
    if embedded and code is not None and models.get(code) is None:
        refused[MODEL] = f"{code} is not among the models of a store."
    if refused:
        left_out += [f"The {LABELS[member]}: {why}" for member, why in refused.items()]
        staged = _staged(character_id, name, reading.now, {m: v for m, v in wanted.items() if m not in refused})
        # A level that was chosen for the model that stays away is judged by the one that is there.
        again = problems(staged, models)
        left_out += [f"The {LABELS[member]}: {why}" for member, why in again.items()]
        staged = staged.without(*again)
    written = {member: found.value for member, found in reading.known_here.items()}
    made = plan(staged, models, new_id=str, known_here=written)
    step = next(iter(made.steps), None)
    return Settled(step, tuple(staged.changes), tuple(left_out), tuple(unpruned), tuple(notes))


def _staged(character_id: str, name: str, now: Mapping[str, Wire], wanted: Mapping[str, Wire]) -> Staged:
    changes = {member: as_text(member, value) for member, value in wanted.items()}
    return Staged(character_id=character_id, name=name, base=now, changes=changes)
