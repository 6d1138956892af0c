"""Compute the story that a push should produce.

It is the stored story, changed to match the file, with the IDs of the profile. Parts that the file does not mention are
kept and listed. They are deleted only on request. New references to missing targets cannot be sent (decision 38), so
they are omitted and listed as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

from chartui.core.bundle.model import Bundle, extras, raw_id
from chartui.core.bundle.present import Matching
from chartui.core.character import Reading
from chartui.core.characters.models import Models
from chartui.core.classes import NamedTuple
from chartui.core.jsontext import Wire, same
from chartui.core.narrative.story import Story, overrides_of
from chartui.core.plans.plan import Step
from chartui.core.plans.settings import BACKSTORY, MEMBERS, MODEL, REASONING, Staged, as_text, plan, problems
from chartui.core.plans.wording import LABELS
from chartui.core.spec.models.characters import Character
from chartui.core.spec.models.narrative import Decision, Override, Section, Trigger
from chartui.core.spec.shape import Record, build
from chartui.core.text import single_line

T = TypeVar("T", Section, Trigger)


class Wanted(NamedTuple):
    """The story that a push should produce.

    ``ids`` contains the profile's IDs for existing sections and triggers, and the story's IDs for new ones.
    ``left_out`` contains a sentence for each part that cannot be sent. ``unpruned`` contains a sentence for each part
    that is not in the file but is kept on the profile.
    """

    story: Story
    ids: Matching
    left_out: tuple[str, ...]
    unpruned: tuple[str, ...]


def wanted(bundle: Bundle, stored: Story, found: Matching, *, embedded: bool, prune: bool) -> Wanted:
    """Build the story that results from pushing ``bundle`` to a profile.

    ``stored`` is the profile's current story. ``found`` contains the IDs of existing sections and triggers. If
    ``prune`` is true, parts that are not in the file are deleted.
    """
    return _Wanting(bundle, stored, found, embedded, prune).story()


class _Wanting:
    def __init__(self, bundle: Bundle, stored: Story, found: Matching, embedded: bool, prune: bool) -> None:
        self._file, self._stored = bundle.story, stored
        self._embedded, self._prune = embedded, prune
        prefix = "new:"  # no ID or reference in the story starts with it
        while any(item_id and item_id.startswith(prefix) for item_id in stored.mentioned()):
            prefix += ":"
        self._sections = {slug: found.sections.get(slug, f"{prefix}{slug}") for slug in self._file.sections}
        self._left_out: list[str] = []
        self._triggers = {
            slug: found.triggers.get(slug, f"{prefix}{slug}") for slug in self._with_names_of_their_own(found)
        }
        self._unpruned: list[str] = []

    def _with_names_of_their_own(self, found: Matching) -> Iterator[str]:
        """Yield the slugs of triggers whose names are unique.

        A service refuses a second trigger with the same name (C 2.4).
        """
        names = {slug: trigger.trigger_name or "" for slug, trigger in self._file.triggers.items()}
        taken = {names[slug] for slug in found.triggers}
        for slug, name in names.items():
            if slug not in found.triggers and name in taken:
                self._left_out.append(
                    f"Trigger {_titled(name, slug)} has the same name as another trigger in the file."
                )
                continue
            taken.add(name)
            yield slug

    def story(self) -> Wanted:
        sections = self._all(self._stored.sections, self._sections, self._section)
        triggers = self._all(self._stored.triggers, self._triggers, self._trigger)
        story = replace(
            self._stored,
            sections=sections,
            triggers=triggers,
            start=self._start(sections),
            enabled=self._stored.enabled if self._file.enabled is None else self._file.enabled,
        )
        return Wanted(story, Matching(self._sections, self._triggers), tuple(self._left_out), tuple(self._unpruned))

    def _all(self, stored: Mapping[str, T], ids: Mapping[str, str], made: Callable[[str, str], T]) -> dict[str, T]:
        """Return the stored sections or triggers in order, updated from the file, followed by the new ones.

        ``ids`` is keyed by slug.
        """
        slugs = {item_id: slug for slug, item_id in ids.items()}
        found: dict[str, T] = {}
        for item_id, record in stored.items():
            if item_id in slugs:
                found[item_id] = made(slugs[item_id], item_id)
            elif not self._prune:
                found[item_id] = record
                name = record.section_name if isinstance(record, Section) else record.trigger_name
                self._unpruned.append(f"{type(record).__name__} {_titled(name, item_id)} is not in the file.")
        for slug, item_id in ids.items():
            if item_id not in found:
                found[item_id] = made(slug, item_id)
        return found

    # -- sections ------------------------------------------------------------------------------------------------------

    def _section(self, slug: str, section_id: str) -> Section:
        mine, there = self._file.sections[slug], self._stored.sections.get(section_id)
        title = f"section {_titled(mine.section_name, slug)}"
        new = {"section_id": section_id, "decisions": None, "triggers": None}
        raw: dict[str, Wire] = dict(new if there is None else there.raw)
        for member, value in (("section_name", mine.section_name), ("objective", mine.objective)):
            raw[member] = self._said(value, there, member, title)
        raw["decisions"] = self._decisions(mine, there, title)
        raw["triggers"] = self._overrides(mine, there, title)
        return build(Section, raw)

    def _said(self, value: str | None, there: Record | None, member: str, title: str) -> Wire:
        present = there.raw.get(member) if there is not None else None
        if value is not None:
            return present if value == (present or "") else value
        if present and not self._prune:
            self._keep(title, member)
        return "" if self._prune or not present else present

    def _keep(self, title: str, member: str) -> None:
        self._unpruned.append(f"The {_LABELS[member]} of {title} is not in the file.")

    def _decisions(self, mine: Section, there: Section | None, title: str) -> Wire:
        present = there.decisions if there is not None else None
        if mine.decisions is None and not (self._prune and present):
            if present:
                self._keep(title, "decisions")
            elif self._prune and present is not None:
                self._stays_an_ending(title)
            return there.raw.get("decisions") if there is not None else None
        if mine.decisions is None:
            self._stays_an_ending(title)
        stored = {way.next_section_id for way in present or ()}
        ways = [way for one in mine.decisions or () if (way := self._way(one, stored, title)) is not None]
        if there is not None and present is not None and len(ways) == len(present):
            ways = [_laid_over(way, old) for way, old in zip(ways, present, strict=True)]
            if all(_same_way(way, old) for way, old in zip(ways, present, strict=True)):
                return there.raw.get("decisions")
            # Unchanged decisions are sent back as stored: null differs from empty text.
            return [dict(old.raw) if _same_way(way, old) else way for way, old in zip(ways, present, strict=True)]
        return ways

    def _stays_an_ending(self, title: str) -> None:
        self._left_out.append(f"The empty decision list of {title} is kept because it cannot be removed.")

    def _way(self, one: Decision, stored: set[str], title: str) -> dict[str, Wire] | None:
        target = self._target(one.next_section_id, stored)
        if target is None:
            said = single_line(one.criteria, limit=40)
            self._left_out.append(f"The decision “{said}” in {title} points to {_no_section(one.next_section_id)}.")
            return None
        also = extras(one)
        if also and self._embedded:
            names = ", ".join(single_line(name, limit=30) for name in also)
            self._left_out.append(f"An embedded store cannot save these fields of a decision in {title}: {names}.")
            also = {}
        priority = {} if one.priority is None else {"priority": one.priority}
        return {**also, "criteria": one.criteria, "next_section_id": target, **priority}

    def _target(self, reference: str | None, stored: set[str]) -> str | None:
        """Return the ID of the section that a reference in the file points to, or None if there is none."""
        raw = raw_id(reference)
        if raw is None:
            return self._sections.get(reference or "")
        return raw if raw in self._stored.sections or raw in stored else None

    def _overrides(self, mine: Section, there: Section | None, title: str) -> Wire:
        present = overrides_of(there)
        if mine.triggers is None and not (self._prune and present):
            if present:
                self._keep(title, "triggers")
            return there.raw.get("triggers") if there is not None else None
        given: dict[str, str] = {}
        for one in mine.triggers or ():
            self._override(one, present, title, given)
        if given == present and there is not None:
            return there.raw.get("triggers")
        if given != present and not self._embedded:
            self._left_out.append(f"The service cannot change the overrides of {title}.")
            return there.raw.get("triggers") if there is not None else None
        return [{"trigger_id": key, "destination_section": target} for key, target in given.items()] or None

    def _override(self, one: Override, present: Mapping[str, str], title: str, given: dict[str, str]) -> None:
        if one.destination_section is None:
            return  # no effect without a destination
        raw = raw_id(one.trigger_id)
        trigger_id = self._triggers.get(one.trigger_id) if raw is None else raw
        if trigger_id in given:
            return  # the first override of a trigger counts
        target = self._target(one.destination_section, {present.get(trigger_id or "", "")})
        known = trigger_id is not None and (raw is None or raw in self._stored.triggers or present.get(raw) == target)
        if trigger_id is None or not known:
            missing = single_line(raw or one.trigger_id, limit=60)
            self._left_out.append(f"An override in {title} refers to a missing trigger: '{missing}'.")
            return
        if target is None:
            trigger = single_line(one.trigger_id, limit=60)
            nothing = _no_section(one.destination_section)
            self._left_out.append(f"The override of the trigger '{trigger}' in {title} points to {nothing}.")
            return
        given[trigger_id] = target

    # -- triggers ------------------------------------------------------------------------------------------------------

    def _trigger(self, slug: str, trigger_id: str) -> Trigger:
        mine, there = self._file.triggers[slug], self._stored.triggers.get(trigger_id)
        title = f"trigger {_titled(mine.trigger_name, slug)}"
        raw: dict[str, Any] = dict(there.raw) if there is not None else {"trigger_id": trigger_id}
        for member, value in (("trigger_name", mine.trigger_name), ("trigger_message", mine.trigger_message)):
            raw[member] = self._said(value, there, member, title)
        raw["destination_section"] = self._destination(mine, there, title)
        return build(Trigger, raw)

    def _destination(self, mine: Trigger, there: Trigger | None, title: str) -> Wire:
        if there is not None and any(one.where == "/destination_section" for one in there.unreadable):
            self._left_out.append(f"The current target of {title} could not be read, so it is kept.")
            return there.raw["destination_section"]
        present = (there.destination_section if there is not None else None) or None
        if mine.destination_section is None:
            if present and not self._prune:
                self._keep(title, "destination_section")
            return None if self._prune else present
        if mine.destination_section == "":
            return None
        target = self._target(mine.destination_section, {present} if present else set())
        if target is None:
            self._left_out.append(f"{title[:1].upper()}{title[1:]} points to {_no_section(mine.destination_section)}.")
            return present
        return target

    # -- the start -----------------------------------------------------------------------------------------------------

    def _start(self, sections: Mapping[str, Section]) -> str | None:
        present, wanted_start = self._stored.start, self._wanted_start(sections)
        if self._embedded:
            return wanted_start
        # A service cannot set the start. A story without a start starts at the first section created (decision 26).
        made = [section_id for section_id in sections if section_id not in self._stored.sections]
        if wanted_start in made if present is None and made else wanted_start == present:
            return wanted_start
        where = "none" if wanted_start is None else f"{_titled(sections[wanted_start].section_name, wanted_start)}"
        self._left_out.append(f"The service cannot set the start of the story to {where}.")
        then = made[0] if present is None and made else present
        goes = then in self._stored.sections and then not in sections  # deleting the section clears the start too
        return None if goes else then

    def _wanted_start(self, sections: Mapping[str, Section]) -> str | None:
        present = self._stored.start
        if self._file.start is None:
            if present is not None and not self._prune:
                name = _titled(self._stored.graph().section_name(present), present)
                self._unpruned.append(f"The story starts at {name}, but the file does not set a start.")
            return None if self._prune else present
        target = self._target(self._file.start, {present} if present else set())
        if target is not None and (target in sections or target == present):
            return target
        self._left_out.append(f"The start of the story points to {_no_section(self._file.start)}.")
        return present


_LABELS: Final[Mapping[str, str]] = {
    "section_name": "name",
    "objective": "objective",
    "decisions": "decision list",
    "triggers": "override list",
    "trigger_name": "name",
    "trigger_message": "message",
    "destination_section": "target",
}


def _titled(name: str | None, otherwise: str) -> str:
    return f"“{single_line(name or otherwise, limit=60)}”"


def _no_section(reference: str | None) -> str:
    return f"a missing section: '{single_line(raw_id(reference) or '', limit=60)}'"


def _laid_over(way: dict[str, Wire], old: Decision) -> dict[str, Wire]:
    """Add the members that only the service defines, from the old decision at the same position, unless the file sets
    them.
    """
    if way.keys() - {"criteria", "next_section_id", "priority"} or way["criteria"] != old.criteria:
        return way
    return {**extras(old), **way}


def _same_way(way: Mapping[str, Wire], old: Decision) -> bool:
    said: Sequence[Wire] = (way["criteria"], way["next_section_id"], way.get("priority"))
    rest = {name: value for name, value in way.items() if name not in ("criteria", "next_section_id", "priority")}
    return same(said, (old.criteria, old.next_section_id, old.priority)) and same(rest, extras(old))


# -- settings ---------------------------------------------------------------------------------------------------------


#: Optional settings. An empty string clears them.
_CLEARED: Final = (REASONING, BACKSTORY)


class Settled(NamedTuple):
    """The settings that a push changes, and remarks about them.

    ``step`` is the step that changes them, or None if no change is needed. ``members`` contains the settings that the
    step sets. ``left_out`` and ``unpruned`` contain sentences, as in :class:`Wanted`. ``notes`` lists the values that
    cannot be verified.
    """

    step: Step | None
    members: tuple[str, ...]
    left_out: tuple[str, ...]
    unpruned: tuple[str, ...]
    notes: tuple[str, ...]


def settings_wanted(bundle: Bundle, reading: Reading, *, prune: bool) -> tuple[dict[str, Wire], list[str], list[str]]:
    """Return the settings to change, with their new values, and two lists of sentences.

    The first list is about settings that are not in the file but are kept on the profile. The second list is about
    settings that cannot be verified.
    """
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
            written = f"this value was last written from this machine ({at} UTC)"
            notes.append(f"The {LABELS[member]} cannot be verified, but {written}.")
        else:
            wanted[member] = value
            if reading.settings is not None:  # the character does not exist yet
                continue
            notes.append(f"The {LABELS[member]} cannot be verified because this service does not return it.")
    return wanted, unpruned, notes


def settle(
    bundle: Bundle, reading: Reading, character: Character, models: Models | None, *, embedded: bool, prune: bool
) -> Settled:
    """Build the step that changes the settings on the profile to the settings in the bundle.

    ``models`` contains the available models, or is None if the profile is not allowed to change settings.
    """
    wanted, unpruned, notes = settings_wanted(bundle, reading, prune=prune)
    left_out: list[str] = []
    if wanted and models is None:
        names = ", ".join(LABELS[member] for member in wanted)
        left_out.append(f"This profile's subscription does not allow changing settings ({names}).")
    if not wanted or models is None:
        return Settled(None, (), tuple(left_out), tuple(unpruned), tuple(notes))
    staged = Staged(
        character_id=character.character_id,
        name=character.character_name or character.character_id,
        base=reading.now,
        changes={member: as_text(member, value) for member, value in wanted.items()},
    )
    refused = dict(problems(staged, models))
    code = staged.changes.get(MODEL)
    if embedded and code is not None and models.get(code) is None:
        refused[MODEL] = f"An embedded store does not have the model {code}."
    if refused:
        left_out += refused.values()
        staged = staged.without(*refused)
        # A reasoning level chosen for a rejected model is checked against the current model.
        again = problems(staged, models)
        left_out += again.values()
        staged = staged.without(*again)
    written = {member: found.value for member, found in reading.known_here.items()}
    made = plan(staged, models, new_id=str, known_here=written)
    step = next(iter(made.steps), None)
    return Settled(step, tuple(staged.changes), tuple(left_out), tuple(unpruned), tuple(notes))
