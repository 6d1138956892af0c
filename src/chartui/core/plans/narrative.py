"""Steps that change one character's narrative graph.

Each step expects the graph to be unchanged since it was read (decision 37), and shows names instead of ids.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from chartui.core.jsontext import Wire, unsayable
from chartui.core.names import bare
from chartui.core.narrative.graph import Graph
from chartui.core.narrative.story import overrides_of, with_unreadable
from chartui.core.plans.decisions import decision_changes
from chartui.core.plans.plan import Change, Step, changing, result_of
from chartui.core.plans.wording import titled
from chartui.core.spec.errors import ErrorKind, ServiceError

if TYPE_CHECKING:
    from chartui.core.spec.models.characters import Character
    from chartui.core.spec.models.narrative import Section, Trigger

Decisions = Sequence[dict[str, Wire]]

_GONE: Final = "deleted"
_DANGLES: Final = "has no target"


class BadReference(ValueError):
    """A decision or trigger would point to a missing section. The message is one sentence."""


class GraphSteps:
    """Builds the steps that change the narrative graph of ``character``.

    ``graph`` is the graph as read. ``coming`` maps the placeholder ids of sections created by earlier steps to their
    names. ``left`` is the resulting graph, which shows the references that a deletion leaves behind (default: nothing
    else changes).

    Methods that name a section or trigger raise :class:`ServiceError` (kind ``not_found``) if it is missing. They raise
    :class:`BadReference` for a new reference to a missing one (decision 38).
    """

    def __init__(
        self,
        character: Character,
        graph: Graph,
        *,
        embedded: bool,
        coming: Mapping[str, str] | None = None,
        left: Graph | None = None,
    ) -> None:
        self._character = character
        self._graph = graph
        self._coming = coming or {}
        self._left = left or graph
        self._embedded = embedded
        #: The name of the character.
        self.name = character.character_name or character.character_id
        #: The member of every payload that identifies the character.
        self.address: dict[str, Wire] = {"character_id": character.character_id}

    # -- the character -------------------------------------------------------------------------------------------------

    def toggle(self, enabled: bool) -> Step | None:
        """Switch the graph on or off. Returns None if nothing changes."""
        now = self._character.is_narrative_driven
        present = {} if now is None else {"is_narrative_driven": now}
        wanted = {"is_narrative_driven": enabled}
        return changing("toggle-narrative", self.address, wanted, present, subject=self.name)

    def start(self, section_id: str | None) -> Step | None:
        """Set or remove the start of the story. Returns None if nothing changes. Embedded store only (decision 26)."""
        now = self._character.start_narrative_section_id
        if section_id is not None and section_id not in self._coming:
            self.section(section_id)
        return changing(
            "set-start-section",
            self.address,
            {"section_id": section_id},
            {"section_id": now},
            subject=self.name,
            titled=self._titled,
        )

    # -- sections ------------------------------------------------------------------------------------------------------

    def section(self, section_id: str) -> Section:
        found = self._graph.sections.get(section_id)
        if found is None:
            raise _not_found("section", section_id)
        return found

    def create_section(self, name: str, objective: str, decisions: Decisions | None = None) -> tuple[Step, ...]:
        """Add a section. An empty list of decisions makes it an ending.

        Setting its decisions needs a second step.
        """
        subject = f"{self.name} · section “{name}”"
        wording = (
            Change(label="name", before=None, after=name),
            Change(label="objective", before=None, after=objective),
        )
        payload = {**self.address, "section_name": name, "objective": objective}
        create = Step(operation="create-section", payload=payload, subject=subject, changes=wording)
        if decisions is None:
            return (create,)
        return create, self.first_decisions(name, result_of(0, "section_id"), decisions)

    def first_decisions(self, name: str, section_id: Wire, decisions: Decisions) -> Step:
        """Add decisions to a section that has none.

        ``section_id`` may refer to the answer of an earlier step.
        """
        self._check(decisions, there=())
        return Step(
            operation="edit-section",
            payload={**self.address, "section_id": section_id, "updated_data": {"decisions": list(decisions)}},
            subject=f"{self.name} · section “{name}”",
            changes=decision_changes(None, decisions, self._titled),
        )

    def edit_section(
        self,
        section_id: str,
        *,
        name: str | None = None,
        objective: str | None = None,
        decisions: Decisions | None = None,
    ) -> Step | None:
        """Change the given members of a section. Returns None if nothing changes.

        ``decisions`` replace the current ones.
        """
        section = self.section(section_id)
        now = None if section.decisions is None else [dict(decision.raw) for decision in section.decisions]
        wanted: dict[str, Wire] = {}
        wording: dict[str, Sequence[Change]] = {}
        if name is not None:
            wanted["section_name"] = name
        if objective is not None:
            wanted["objective"] = objective
        if decisions is not None:
            self._check(decisions, there={_target(decision) for decision in now or ()})
            wanted["decisions"] = self._sent_along(section, decisions)
            wording["decisions"] = decision_changes(section.raw.get("decisions"), wanted["decisions"], self._titled)
        return changing(
            "edit-section",
            {**self.address, "section_id": section_id},
            wanted,
            section.raw,
            subject=f"{self.name} · section {self._titled(section_id)}",
            reason=_sent_as_they_are(section) if "decisions" in wanted else "",
            wording=wording,
        )

    def _sent_along(self, section: Section, decisions: Decisions) -> list[Wire]:
        """Return the decisions to send, including unreadable ones at their positions (decision 69).

        Raises :class:`ServiceError` if replacing the list would destroy an unreadable part.
        """
        wanted = with_unreadable(section, decisions)
        if wanted == section.raw.get("decisions"):
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
        """Override a trigger's target in a section. Returns None if nothing changes.

        Embedded store only (decision 59).
        """
        section = self._graph.sections.get(section_id)
        now = overrides_of(section).get(trigger_id)
        if destination is not None:
            self._check_section(destination, there=(now,))
        label = f"override of “{self._left.trigger_name(trigger_id)}”"
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
        """Remove a section.

        The changes show the references to it (decision 39), except those from sections in ``together_with``.
        """
        section = self.section(section_id)
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
            reason="Parts of the graph that could not be read may point here too." if self._left.missed.ways else "",
        )

    def _pointing_to(self, section_id: str, *, leaving_out: Collection[str]) -> Iterator[Change]:
        here = self._titled(section_id)
        if self._left.start == section_id:
            yield Change(
                label="start of the story",
                before=here,
                after=None if self._embedded else _DANGLES,
                note="The story then has no start.",
            )
        for holder, label in self._led_to.get(section_id, ()):
            if holder not in leaving_out:
                yield Change(label=label, before=here, after=_DANGLES)

    @cached_property
    def _led_to(self) -> Mapping[str, Sequence[tuple[str | None, str]]]:
        """References by target section, each with its label and the section that holds it (None for a trigger)."""
        found: dict[str, list[tuple[str | None, str]]] = defaultdict(list)
        for source, edges in self._left.edges.items():
            for edge in edges:
                found[edge.target].append((source, f"decision “{edge.criteria}” of {self._titled(source)}"))
        for trigger in self._left.triggers.values():
            if trigger.destination_section:
                found[trigger.destination_section].append((None, f"trigger “{trigger.trigger_name}”"))
        for holder in self._left.sections:
            for override in self._left.overrides(holder):
                if override.destination_section:
                    label = f"override of “{self._graph.trigger_name(override.trigger_id)}” in {self._titled(holder)}"
                    found[override.destination_section].append((holder, label))
        return found

    # -- triggers ------------------------------------------------------------------------------------------------------

    def trigger(self, trigger_id: str) -> Trigger:
        found = self._graph.triggers.get(trigger_id)
        if found is None:
            raise _not_found("trigger", trigger_id)
        return found

    def create_trigger(self, name: str, message: str, destination: str | None = None) -> Step:
        """Add a trigger. Without a destination, the trigger is not connected."""
        wording = [
            Change(label="name", before=None, after=name, note=self._mistakable(name)),
            Change(label="message", before=None, after=message),
        ]
        payload: dict[str, Wire] = {**self.address, "trigger_name": name, "trigger_message": message}
        if destination is not None:
            self._check_section(destination, there=())
            payload["destination_section"] = destination
            wording.append(Change(label="destination", before=None, after=self._titled(destination)))
        subject = f"{self.name} · trigger “{name}”"
        return Step(operation="create-trigger", payload=payload, subject=subject, changes=tuple(wording))

    def edit_trigger(
        self,
        trigger_id: str,
        *,
        name: str | None = None,
        message: str | None = None,
        destination: str | None = None,
        disconnect: bool = False,
    ) -> Step | None:
        """Change the given members of a trigger. Returns None if nothing changes.

        ``disconnect`` removes the destination.
        """
        trigger = self.trigger(trigger_id)
        now = trigger.destination_section
        wanted: dict[str, Wire] = {}
        wording: dict[str, Sequence[Change]] = {}
        if name is not None:
            wanted["trigger_name"] = name
            note = self._mistakable(name, but=trigger_id)
            wording["trigger_name"] = (Change(label="name", before=trigger.trigger_name, after=name, note=note),)
        if message is not None:
            wanted["trigger_message"] = message
        if destination is not None:
            self._check_section(destination, there=(now,))
        # A trigger that is not connected has null or an empty text (decision 40). Neither replaces the other.
        if destination is not None or (disconnect and now):
            wanted["destination_section"] = destination
        return changing(
            "update-trigger",
            {**self.address, "trigger_id": trigger_id},
            wanted,
            trigger.raw,
            subject=f"{self.name} · trigger “{trigger.trigger_name}”",
            wording=wording,
            titled=self._titled,
        )

    def delete_trigger(self, trigger_id: str) -> Step:
        """Remove a trigger. The changes show the overrides that refer to it."""
        trigger = self.trigger(trigger_id)
        overrides = [
            Change(label=f"override in {self._titled(holder)}", before=trigger.trigger_name, after="never fires")
            for holder in self._left.sections
            if any(override.trigger_id == trigger_id for override in self._left.overrides(holder))
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
        """Return a section as shown: its name, or its id if it may be an unreadable section."""
        return titled(section_id, self._name)

    def _name(self, section_id: str) -> str:
        there = section_id in self._coming or self._graph.has_section(section_id) is not False
        return (self._coming.get(section_id) or self._graph.section_name(section_id)) if there else ""

    def _mistakable(self, name: str, *, but: str | None = None) -> str:
        others = (other for trigger_id, other in self._alike.get(bare(name), ()) if trigger_id != but and other != name)
        other = next(others, None)
        return "" if other is None else f"Easily confused with the trigger “{other}”."

    @cached_property
    def _alike(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """The triggers by their normalized names."""
        found: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for trigger_id, trigger in self._graph.triggers.items():
            if trigger.trigger_name is not None:
                found[bare(trigger.trigger_name)].append((trigger_id, trigger.trigger_name))
        return found

    def _check(self, decisions: Decisions, *, there: Collection[str]) -> None:
        for decision in decisions:
            self._check_section(_target(decision), there=there)

    def _check_section(self, section_id: str, *, there: Collection[str | None]) -> None:
        if section_id not in self._graph.sections and section_id not in there and section_id not in self._coming:
            known = "readable " if self._graph.has_section(section_id) is None else ""
            raise BadReference(f"There is no {known}section '{section_id}' to point to. Nothing was sent.")


def _target(decision: Mapping[str, Any]) -> Any:
    """Return the target id of a decision in wire form, or an empty text if it has none."""
    return decision.get("next_section_id") or ""


def _sent_as_they_are(section: Section) -> str:
    """Return the review's remark about unreadable decisions, or an empty text if there are none."""
    odd = sum(one.kind == "decision" for one in section.unreadable)
    if not odd:
        return ""
    decisions = "A decision" if odd == 1 else f"{odd} decisions"
    return f"{decisions} that could not be read {'is' if odd == 1 else 'are'} sent back unchanged."


def _not_found(what: str, item_id: str) -> ServiceError:
    return ServiceError(ErrorKind.NOT_FOUND, f"There is no {what} '{item_id}'.", sent="no")
