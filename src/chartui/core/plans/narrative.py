"""Build the steps that change one character's narrative graph.

A step is refused if the affected part of the graph has changed since it was read (decision 37). Reviews show names
instead of IDs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

from chartui.core.jsontext import Wire, unsayable
from chartui.core.names import bare
from chartui.core.narrative.graph import Graph
from chartui.core.narrative.story import differing_members, overrides_of, with_unreadable
from chartui.core.plans.decisions import decision_changes
from chartui.core.plans.plan import Change, Step, changing
from chartui.core.plans.wording import titled
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.characters import Character
from chartui.core.spec.models.narrative import Section, Trigger

_GONE: Final = "deleted"
_DANGLES: Final = "has no target"


class BadReference(ValueError):
    """Raised if a decision or trigger would point to a missing section. The message is one sentence."""


class GraphSteps:
    """Builds the steps that turn the ``stored`` narrative graph of a character into the ``wanted`` one.

    Methods raise :class:`BadReference` if a new reference points to a missing section (decision 38).
    """

    def __init__(self, character: Character, stored: Graph, wanted: Graph, *, embedded: bool) -> None:
        self._character = character
        self._stored = stored
        self._wanted = wanted
        self._embedded = embedded
        #: The names of the sections that earlier steps create, keyed by placeholder ID.
        self._coming = {key: wanted.section_name(key) for key in wanted.sections if key not in stored.sections}
        #: The name of the character.
        self.name = character.character_name or character.character_id
        #: The member of every payload that identifies the character.
        self.address: dict[str, Wire] = {"character_id": character.character_id}

    # -- the character -------------------------------------------------------------------------------------------------

    def toggle(self, enabled: bool) -> Step | None:
        """Build the step that switches the graph on or off. Returns None if nothing changes."""
        now = self._character.is_narrative_driven
        present = {} if now is None else {"is_narrative_driven": now}
        wanted = {"is_narrative_driven": enabled}
        return changing("toggle-narrative", self.address, wanted, present, subject=self.name)

    def start(self, section_id: str | None) -> Step | None:
        """Build the step that sets or removes the start of the story. Returns None if nothing changes.

        Only an embedded store supports this step (decision 26).
        """
        now = self._character.start_narrative_section_id
        return changing(
            "set-start-section",
            self.address,
            {"section_id": section_id},
            {"section_id": now},
            subject=self.name,
            titled=self._titled,
        )

    # -- sections ------------------------------------------------------------------------------------------------------

    def create_section(self, section: Section) -> Step:
        """Build the step that adds a section without decisions. A second step adds the decisions."""
        name, objective = section.section_name or "", section.objective or ""
        return Step(
            operation="create-section",
            payload={**self.address, "section_name": name, "objective": objective},
            subject=f"{self.name} · section “{name}”",
            changes=(
                Change(label="name", before=None, after=name),
                *([Change(label="objective", before=None, after=objective)] if objective else []),
            ),
        )

    def edit_section(self, present: Section | None, section: Section) -> Step | None:
        """Build the step that changes a section.

        Returns None if nothing changes.

        ``present`` is the section as stored. If it is None, an earlier step creates the section, and this step adds its
        decisions. An empty list of decisions makes the section an ending.
        """
        differing = differing_members(present, section)
        if present is None:
            differing = () if section.decisions is None else ("decisions",)
        wanted: dict[str, Wire] = {
            name: getattr(section, name) or "" for name in ("section_name", "objective") if name in differing
        }
        wording: dict[str, Sequence[Change]] = {}
        reason = ""
        if "decisions" in differing:
            before = {way.next_section_id for way in (present.decisions if present is not None else None) or ()}
            for way in section.decisions or ():
                self._check_section(way.next_section_id, there=before)
            wanted["decisions"] = self._sent_along(present, [dict(way.raw) for way in section.decisions or ()])
            stored = None if present is None else present.raw.get("decisions")
            wording["decisions"] = decision_changes(stored, wanted["decisions"], self._titled)
            reason = _sent_as_they_are(present)
        return changing(
            "edit-section",
            {**self.address, "section_id": section.section_id},
            wanted,
            {} if present is None else present.raw,
            subject=f"{self.name} · section {self._titled(section.section_id)}",
            reason=reason,
            wording=wording,
        )

    def _sent_along(self, section: Section | None, decisions: Sequence[Wire]) -> list[Wire]:
        """Return the decisions to send, including unreadable ones at their positions (decision 69).

        Raises :class:`ServiceError` if replacing the list would destroy an unreadable part.
        """
        wanted = with_unreadable(section, decisions)
        if section is None or wanted == section.raw.get("decisions"):
            return wanted
        odd = [one for one in section.unreadable if one.kind == "decision" or one.where.endswith("/decisions")]
        lost = next((one for one in odd if one.kind == "member" or unsayable(one.raw)), None)
        if lost is not None:
            message = (
                f"The decisions of {self._titled(section.section_id)} contain an unreadable part "
                f"({lost.reason}) that a change would destroy. Nothing was sent."
            )
            raise ServiceError(ErrorKind.UNSAFE, message, sent="no")
        return wanted

    def override(self, section_id: str, trigger_id: str, destination: str | None) -> Step | None:
        """Build the step that overrides a trigger's target in a section. Returns None if nothing changes.

        Only an embedded store supports this step (decision 59).
        """
        now = overrides_of(self._stored.sections.get(section_id)).get(trigger_id)
        if destination is not None:
            self._check_section(destination, there=(now,))
        label = f"override of “{self._wanted.trigger_name(trigger_id)}”"
        return changing(
            "set-override",
            {**self.address, "section_id": section_id, "trigger_id": trigger_id},
            {"destination_section": destination},
            {"destination_section": now},
            subject=f"{self.name} · section {self._titled(section_id)}",
            wording={
                "destination_section": (
                    Change(
                        label=label,
                        before=self._titled(now) if now else None,
                        after=self._titled(destination) if destination else None,
                    ),
                )
            },
        )

    def delete_section(self, section_id: str, *, together_with: Collection[str] = ()) -> Step:
        """Build the step that deletes a section.

        The step shows the references to the section (decision 39), except those from sections in ``together_with``.
        """
        section = self._stored.sections[section_id]
        pointing = self._pointing_to(section_id, leaving_out={section_id, *together_with})
        return Step(
            operation="delete-section",
            payload={**self.address, "section_id": section_id},
            expected={
                "section_name": section.section_name,
                "objective": section.objective,
                "decisions": section.raw.get("decisions"),
            },
            subject=f"{self.name} · section {self._titled(section_id)}",
            changes=(Change(label="section", before=section.section_name or section_id, after=_GONE), *pointing),
            reason="Unreadable parts of the graph may also point to this section." if self._wanted.missed.ways else "",
        )

    def _pointing_to(self, section_id: str, *, leaving_out: Collection[str]) -> Iterator[Change]:
        here = self._titled(section_id)
        if self._wanted.start == section_id:
            yield Change(
                label="start of the story",
                before=here,
                after=None if self._embedded else _DANGLES,
                note="The story will have no start.",
            )
        for holder, label in self._led_to.get(section_id, ()):
            if holder not in leaving_out:
                yield Change(label=label, before=here, after=_DANGLES)

    @cached_property
    def _led_to(self) -> Mapping[str, Sequence[tuple[str | None, str]]]:
        """The references to each section.

        Each has a label and the section that contains it (None if a trigger contains it).
        """
        found: dict[str, list[tuple[str | None, str]]] = defaultdict(list)
        for source, edges in self._wanted.edges.items():
            for edge in edges:
                found[edge.target].append((source, f"decision “{edge.criteria}” of {self._titled(source)}"))
        for trigger in self._wanted.triggers.values():
            if trigger.destination_section:
                found[trigger.destination_section].append((None, f"trigger “{trigger.trigger_name}”"))
        for holder in self._wanted.sections:
            for override in self._wanted.overrides(holder):
                if override.destination_section:
                    label = f"override of “{self._stored.trigger_name(override.trigger_id)}” in {self._titled(holder)}"
                    found[override.destination_section].append((holder, label))
        return found

    # -- triggers ------------------------------------------------------------------------------------------------------

    def create_trigger(self, trigger: Trigger) -> Step:
        """Build the step that adds a trigger. The trigger may have no target."""
        name, message, destination = (
            trigger.trigger_name or "",
            trigger.trigger_message or "",
            trigger.destination_section,
        )
        wording = [
            Change(label="name", before=None, after=name, note=self._mistakable(trigger)),
            Change(label="message", before=None, after=message),
        ]
        payload: dict[str, Wire] = {**self.address, "trigger_name": name, "trigger_message": message}
        if destination := trigger.destination_section:
            self._check_section(destination, there=())
            payload["destination_section"] = destination
            wording.append(Change(label="destination", before=None, after=self._titled(destination)))
        subject = f"{self.name} · trigger “{name}”"
        return Step(operation="create-trigger", payload=payload, subject=subject, changes=tuple(wording))

    def edit_trigger(self, present: Trigger, trigger: Trigger) -> Step | None:
        """Build the step that changes a trigger. Returns None if nothing changes."""
        differing = differing_members(present, trigger)
        wanted: dict[str, Wire] = {
            name: getattr(trigger, name) or "" for name in ("trigger_name", "trigger_message") if name in differing
        }
        # The destination of a trigger that is not connected is null or an empty string (decision 40). Neither is
        # replaced with the other.
        if "destination_section" in differing:
            wanted["destination_section"] = destination = trigger.destination_section or None
            if destination is not None:
                self._check_section(destination, there=(present.destination_section,))
        wording: dict[str, Sequence[Change]] = {}
        if "trigger_name" in differing:
            change = Change(label="name", before=present.trigger_name, after=wanted["trigger_name"])
            wording["trigger_name"] = (replace(change, note=self._mistakable(trigger)),)
        return changing(
            "update-trigger",
            {**self.address, "trigger_id": trigger.trigger_id},
            wanted,
            present.raw,
            subject=f"{self.name} · trigger “{present.trigger_name}”",
            wording=wording,
            titled=self._titled,
        )

    def delete_trigger(self, trigger_id: str) -> Step:
        """Build the step that deletes a trigger. The step shows the overrides that refer to the trigger."""
        trigger = self._stored.triggers[trigger_id]
        overrides = [
            Change(label=f"override in {self._titled(holder)}", before=trigger.trigger_name, after="never fires")
            for holder in self._wanted.sections
            if any(override.trigger_id == trigger_id for override in self._wanted.overrides(holder))
        ]
        return Step(
            operation="delete-trigger",
            payload={**self.address, "trigger_id": trigger_id},
            expected={
                name: trigger.raw.get(name) for name in ("trigger_name", "trigger_message", "destination_section")
            },
            subject=f"{self.name} · trigger “{trigger.trigger_name}”",
            changes=(Change(label="trigger", before=trigger.trigger_name or trigger_id, after=_GONE), *overrides),
        )

    # -- helpers -------------------------------------------------------------------------------------------------------

    def _titled(self, section_id: str) -> str:
        """Return the display text of a section: its name, or its ID if it may be an unreadable section."""
        return titled(section_id, self._name)

    def _name(self, section_id: str) -> str:
        there = section_id in self._coming or self._stored.has_section(section_id) is not False
        return (self._coming.get(section_id) or self._stored.section_name(section_id)) if there else ""

    def _mistakable(self, trigger: Trigger) -> str:
        name = trigger.trigger_name or ""
        others = (
            other for key, other in self._alike.get(bare(name), ()) if key != trigger.trigger_id and other != name
        )
        other = next(others, None)
        return "" if other is None else f"Easily confused with the trigger “{other}”."

    @cached_property
    def _alike(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        found: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for trigger_id, trigger in self._stored.triggers.items():
            if trigger.trigger_name is not None:
                found[bare(trigger.trigger_name)].append((trigger_id, trigger.trigger_name))
        return found

    def _check_section(self, section_id: str, *, there: Collection[str | None]) -> None:
        if section_id not in self._stored.sections and section_id not in there and section_id not in self._coming:
            known = "readable " if self._stored.has_section(section_id) is None else ""
            raise BadReference(f"There is no {known}section '{section_id}' to use as the target. Nothing was sent.")


def _sent_as_they_are(section: Section | None) -> str:
    """Return a remark for the review about the section's unreadable decisions, or an empty string if it has none."""
    odd = sum(one.kind == "decision" for one in section.unreadable) if section is not None else 0
    if not odd:
        return ""
    decisions = "A decision" if odd == 1 else f"{odd} decisions"
    return f"{decisions} that could not be read {'is' if odd == 1 else 'are'} sent back unchanged."
