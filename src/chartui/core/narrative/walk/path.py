"""Play a story.

A walk is the sequence of steps taken so far. The last step leads to the current section. A :class:`Walk` is immutable.
Every move returns a new walk. A walk follows the rules of the service (C 2.3, 2.4; decisions 33, 35 and 36). Decisions
are tried in order, and decisions after a catch-all decision are never taken. If the first decision of a section is a
catch-all decision, the walk moves on automatically. A trigger goes to the target set by the current section's override
or, if there is no override, to the trigger's own target. If a trigger has no target, the walk stays where it is. A
trigger can fire at any time, even while the walk passes through a section that moves on automatically. Dangling
references are never followed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final

from chartui.core.classes import NamedTuple, dataclass
from chartui.core.narrative.graph import Edge, Graph, Missing
from chartui.core.narrative.loops import loop_text
from chartui.core.narrative.signs import ENDING, TRIGGER
from chartui.core.narrative.speech import NO_VALUES, Speech, filled, speech
from chartui.core.narrative.story import overrides_of
from chartui.core.text import display_text, single_line


class How(StrEnum):
    START = "start"
    DECISION = "decision"
    AUTOMATIC = "automatic"  # a catch-all decision, taken by itself
    TRIGGER = "trigger"
    JUMP = "jump"  # to a section picked by the player


class End(StrEnum):
    """The reasons why a walk cannot continue."""

    NO_START = "no start"  # the start section does not exist
    ENDING = "ending"  # marked as the end of the story
    NO_DECISIONS = "no decisions"  # a dead end: no decisions, but not marked as an ending
    BROKEN = "broken"  # all its decisions have missing targets
    UNREADABLE = "unreadable"  # its decisions or their targets could not be read
    LOOP = "loop"  # an infinite loop of sections that move on automatically


class Step(NamedTuple):
    """One step of a walk. ``section`` is the ID of the section that the step leads to.

    ``words`` contains the criteria of the decision or the name of the trigger, as stored. ``trigger`` is the ID of the
    trigger. ``stays`` is true if the trigger has no target, so that the walk stays in the current section.
    """

    how: How
    section: str
    words: str = ""
    trigger: str = ""
    stays: bool = False


class Way(NamedTuple):
    """A decision that can be taken in the current section.

    ``number`` is its position in the order in which decisions are tried, counted from 1. ``exists`` says whether the
    target section exists.
    """

    number: int
    edge: Edge
    exists: bool


class Event(NamedTuple):
    """A trigger and its effect in the current section.

    ``target`` is the ID of the target section, or None. ``exists`` is false if the target section is missing, so that
    the trigger cannot be fired. ``overridden`` is true if the section overrides the trigger. ``within`` is the ID of
    the section in which the trigger fires, which is the current section or one that the walk has just passed
    through.
    """

    trigger: str
    name: str
    target: str | None
    exists: bool
    overridden: bool
    within: str


class Place(NamedTuple):
    """The name and, if known, the ID of a section, both as stored."""

    name: str
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A recorded choice in a walk, with details for finding the same choice after the story or its IDs have changed.

    ``words`` contains the criteria of a decision or the name of a trigger, and is empty for a jump. ``id`` is the ID of
    the trigger. ``to`` is the target section, or None if no target was recorded. For a trigger without a target, ``to``
    has an empty name.
    """

    how: How
    words: str = ""
    id: str = ""
    to: Place | None = None


class Said(NamedTuple):
    """The text of one step: the ``message`` of the fired trigger, and the ``objective`` of the section reached."""

    step: Step
    message: Speech | None
    objective: Speech | None


@dataclass(frozen=True, slots=True)
class Walk:
    """A walk through a graph. ``steps`` is empty if the story has no start."""

    graph: Graph
    steps: tuple[Step, ...] = ()

    @classmethod
    def begin(cls, graph: Graph, section_id: str | None = None) -> Walk:
        """Begin a walk in a section (default: the start section of the story)."""
        section_id = section_id or graph.start
        if section_id is None or section_id not in graph.sections:
            return cls(graph)
        return cls(graph)._arriving(Step(How.START, section_id))

    # -- the position -------------------------------------------------------------------------------------------------

    @property
    def here(self) -> str | None:
        return self.steps[-1].section if self.steps else None

    @property
    def ways(self) -> tuple[Way, ...]:
        """The decisions that can be taken in the current section, in the order in which they are tried."""
        if self.here is None:
            return ()
        edges = (edge for edge in self.graph.edges[self.here] if not edge.never_runs)
        return tuple(Way(number, edge, edge.target in self.graph.sections) for number, edge in enumerate(edges, 1))

    @property
    def events(self) -> tuple[Event, ...]:
        """The triggers that can be fired, with their targets in the current section.

        If a trigger has a different target in a section that the walk has just passed through, the trigger is listed
        again with that target.
        """
        if self.here is None:
            return ()
        found = [self._event(trigger_id, self.here) for trigger_id in self.graph.triggers]
        led = {(event.trigger, event.target) for event in found}
        overridden_here = self.graph.triggers.keys() & overrides_of(self.graph.sections[self.here])
        for step in reversed(self.latest[:-1]):
            overridden = overrides_of(self.graph.sections[step.section])
            own = overridden_here.difference(overridden)  # these have their own targets in the passed section
            overridden_here -= own
            known = (*(one for one in overridden if one in self.graph.triggers), *sorted(own))
            for event in (self._event(one, step.section) for one in known):
                if (event.trigger, event.target) not in led and (event.target is not None or event.overridden):
                    led.add((event.trigger, event.target))
                    found.append(event)
        return tuple(found)

    def _event(self, trigger_id: str, section_id: str) -> Event:
        leads = overrides_of(self.graph.sections[section_id])
        target = leads.get(trigger_id) or self.graph.triggers[trigger_id].destination_section or None
        return Event(
            trigger=trigger_id,
            name=self.graph.trigger_name(trigger_id),
            target=target,
            exists=target is None or target in self.graph.sections,
            overridden=trigger_id in leads,
            within=section_id,
        )

    def where_fired(self, event: Event, limit: int = 60) -> str:
        """Return a suffix for a trigger's name that says in which section the trigger fires, such as `` in Hall``.

        The suffix is empty if the trigger fires in the current section and goes to its own target. The section's name
        is cut to ``limit`` characters.
        """
        if event.within != self.here:
            return f" in {single_line(self.graph.section_name(event.within), limit=limit)}"
        return " in this section" if event.overridden else ""

    @property
    def loop(self) -> tuple[str, ...]:
        """The IDs of the sections in an infinite loop of catch-all decisions that contains the current section.

        The result is empty if there is no such loop.
        """
        if self.here is None:
            return ()
        found = (self.here, *_passed(self.graph, self.here))
        return found if onward(self.graph, found[-1]) == self.here else ()

    @property
    def end(self) -> End | None:
        """The reason why the walk ends in the current section, or None if a decision can be taken."""
        if self.here is None:
            return End.NO_START
        if self.loop:
            return End.LOOP
        ways = self.ways
        if any(way.exists for way in ways):
            return None
        section = self.graph.sections[self.here]
        if Missing.of(section.unreadable).ways or any(self.graph.has_section(way.edge.target) is None for way in ways):
            return End.UNREADABLE
        return End.BROKEN if ways else End.NO_DECISIONS if section.decisions is None else End.ENDING

    @property
    def latest(self) -> tuple[Step, ...]:
        """The most recently chosen step and the automatic steps that followed."""
        number = len(self.steps)
        while number and self.steps[number - 1].how is How.AUTOMATIC:
            number -= 1
        return self.steps[max(0, number - 1) :]

    @property
    def stops_short(self) -> bool:
        """Whether the walk stops in a section from which the story would move on automatically."""
        further = onward(self.graph, self.here) if self.here is not None else None
        return further is not None and further not in {step.section for step in self.latest}

    @property
    def choices(self) -> tuple[Choice, ...]:
        """All choices made in the walk. The start and automatic steps are not included."""
        return tuple(self._choice(step) for step in self.steps if step.how not in (How.START, How.AUTOMATIC))

    def _choice(self, step: Step) -> Choice:
        to = Place("") if step.stays else self.place(step.section)
        return Choice(how=step.how, words=step.words, id=step.trigger, to=to)

    @property
    def beginning(self) -> Place:
        """The section where the walk started. Its name is empty if the walk has no steps."""
        return self.place(self.steps[0].section) if self.steps else Place("")

    def place(self, section_id: str) -> Place:
        return Place(self.graph.section_name(section_id), section_id)

    def said(self, steps: tuple[Step, ...], values: Mapping[str, str] = NO_VALUES) -> tuple[Said, ...]:
        return tuple(self._said(step, values) for step in steps)

    def _said(self, step: Step, values: Mapping[str, str]) -> Said:
        trigger = self.graph.triggers.get(step.trigger)
        message = (trigger.trigger_message if trigger is not None else None) or ""
        objective = "" if step.stays else self.graph.sections[step.section].objective or ""
        return Said(
            step,
            speech(message, values) if message.strip() else None,
            speech(objective, values) if objective.strip() else None,
        )

    # -- moving -------------------------------------------------------------------------------------------------------

    def take(self, way: Way) -> Walk:
        """Take one of the decisions in :attr:`ways`. Raises ``ValueError`` if the target of the decision is missing."""
        if not way.exists:
            raise ValueError(f"no section has the ID {way.edge.target!r}")
        if self.stops_short:
            return self.going_on()
        return self._arriving(Step(How.DECISION, way.edge.target, way.edge.criteria))

    def fire(self, event: Event) -> Walk:
        """Fire one of the triggers in :attr:`events`. Raises ``ValueError`` if the target of the trigger is missing."""
        if not event.exists:
            raise ValueError(f"no section has the ID {event.target!r}")
        if event.target is None:
            assert self.here is not None  # noqa: S101 - there are no events elsewhere
            return Walk(self.graph, (*self.steps, Step(How.TRIGGER, self.here, event.name, event.trigger, stays=True)))
        return self._arriving(Step(How.TRIGGER, event.target, event.name, event.trigger))

    def jump(self, section_id: str) -> Walk:
        """Jump to any section, whether or not a link leads to it. Raises ``KeyError`` if the section does not exist."""
        self.graph.sections[section_id]
        return self._arriving(Step(How.JUMP if self.steps else How.START, section_id))

    def stopping_at(self, section_id: str) -> Walk:
        """Return the walk without the automatic steps after a section.

        If the section is not among the latest steps (:attr:`latest`), the walk is returned unchanged.
        """
        latest = self.latest
        after = next((number for number, step in enumerate(latest, 1) if step.section == section_id), len(latest))
        return Walk(self.graph, self.steps[: len(self.steps) - len(latest) + after])

    def going_on(self) -> Walk:
        """Return the walk, continued for as long as the story moves on automatically."""
        if not self.stops_short or self.here is None:
            return self
        return Walk(self.graph, (*self.steps, *_automatic(self.graph, self.here)))

    def back(self) -> Walk:
        kept = len(self.steps) - len(self.latest)
        return Walk(self.graph, self.steps[:kept]) if kept else self

    def again(self) -> Walk:
        return Walk.begin(self.graph, self.beginning.id)

    def _arriving(self, step: Step) -> Walk:
        return Walk(self.graph, (*self.steps, step, *_automatic(self.graph, step.section)))


def open_edges(graph: Graph, section_id: str) -> tuple[Edge, ...]:
    """Return the decisions of a section that can be taken, in the order in which they are tried.

    Decisions without an existing target are left out.
    """
    return tuple(e for e in graph.edges[section_id] if not e.never_runs and e.target in graph.sections)


def onward(graph: Graph, section_id: str) -> str | None:
    """Return the ID of the section to which a walk moves on automatically from the given section.

    The result is None if the walk stops in the given section.
    """
    first = next(iter(graph.edges[section_id]), None)
    return first.target if first is not None and first.immediate and first.target in graph.sections else None


def _passed(graph: Graph, section_id: str) -> tuple[str, ...]:
    """Return the sections that a walk passes automatically, starting with the given section.

    Each section is listed once.
    """
    found: dict[str, None] = {section_id: None}
    here = onward(graph, section_id)
    while here is not None and here not in found:
        found[here] = None
        here = onward(graph, here)
    return tuple(found)[1:]


def _automatic(graph: Graph, section_id: str) -> Iterator[Step]:
    return (Step(How.AUTOMATIC, passed) for passed in _passed(graph, section_id))


_LIMIT = 200


# -- as text ----------------------------------------------------------------------------------------------------------


def transcript(walk: Walk, values: Mapping[str, str] = NO_VALUES) -> str:
    """Return a transcript of a walk.

    In a transcript, ``says`` introduces spoken words, and ``is to`` introduces instructions. The text ends with a line
    feed, or is empty if the walk has no steps. Control characters are made visible.
    """
    return "".join(f"{line}\n" for said in walk.said(walk.steps, values) for line in _lines(walk, said, values))


def ending_text(walk: Walk) -> str:
    """Return a sentence that says why the walk cannot continue.

    The result is empty if the walk can continue or has no start.
    """
    if walk.end is End.LOOP:
        return f"An infinite loop: {loop_text(walk.graph, walk.loop)}. The walk stops here."
    return _ENDINGS.get(walk.end, "") if walk.end is not None else ""


def passed_ending_text(walk: Walk) -> str:
    """Return a sentence about the first ending that the walk has passed through, or an empty string."""
    passed = (step.section for step in walk.steps[:-1] if walk.graph.ends_at(step.section))
    if (section_id := next(passed, None)) is None:
        return ""
    name = single_line(walk.graph.section_name(section_id), limit=30)
    return f"The path continues after the ending “{name}”, where a trigger fires."


_ENDINGS: Final = {
    End.ENDING: "The story ends here.",
    End.NO_DECISIONS: "A dead end: the section has no decisions but is not marked as an ending.",
    End.BROKEN: "A dead end: no decision has an existing target.",
    End.UNREADABLE: "The next section could not be read.",
}


def titled_transcript(walk: Walk, values: Mapping[str, str], name: str) -> str:
    """Return a transcript that can be read on its own: the character's ``name``, the walk, and how it ended."""
    parts = (single_line(name, limit=_LIMIT), transcript(walk, values).rstrip("\n"), ending_text(walk))
    return "\n\n".join(filter(None, parts)) + "\n"


def steps_text(walk: Walk) -> str:
    """Return the steps of a walk as text, with one line per step and without the texts of sections and triggers.

    Control characters are made visible.
    """
    return "".join(f"{_came(walk, step, NO_VALUES)}\n" for step in walk.steps)


def _lines(walk: Walk, said: Said, values: Mapping[str, str]) -> Iterator[str]:
    yield _came(walk, said.step, values)
    passages = [passage for one in (said.message, said.objective) if one is not None for passage in one.passages]
    for passage in passages:
        first, *rest = display_text(passage.text, multiline=True).split("\n")
        yield f"    {'says ' if passage.exactly else 'is to'}  {first}".rstrip()
        yield from (f"{' ' * 11}{line}".rstrip() for line in rest)
    if not passages and not said.step.stays:
        yield "    says nothing"


def _came(walk: Walk, step: Step, values: Mapping[str, str]) -> str:
    name = single_line(walk.graph.section_name(step.section), limit=_LIMIT)
    if walk.graph.ends_at(step.section):
        name = f"{ENDING} {name}"
    words = single_line(filled(step.words, values), limit=_LIMIT)
    match step.how:
        case How.START:
            return f"▶ {name}"
        case How.AUTOMATIC:
            return f"* always → {name}"
        case How.JUMP:
            return f"… {name}"
        case How.TRIGGER:
            return f"{TRIGGER} {words} (no target)" if step.stays else f"{TRIGGER} {words} → {name}"
        case _:
            return f"{words} → {name}"
