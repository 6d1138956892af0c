"""Going a walk again in a story that may have changed, or that has other ids: how far does it still go?

A section or trigger is known again by its id where the story has that id, else by its name: as it is stored, else as
people would take it for the same (decision 65). A decision has no id: it is known by its criteria and by where it
leads. Other criteria that lead to the same section are followed and remarked upon, since authors word things anew;
criteria that lead elsewhere are not, since the path is then another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from chartui.core.names import bare
from chartui.core.narrative.graph import IMMEDIATE
from chartui.core.narrative.walk.path import Choice, Event, How, Place, Walk, Way
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.narrative.graph import Graph

__all__ = ["Broken", "Names", "Remark", "Retraced", "expected", "go_on", "retrace", "there"]

#: As many ways are told where another was expected.
_TOLD: Final = 8
_LIMIT: Final = 80


class Broken(NamedTuple):
    """Where a walk could not go on. ``step`` is the number of the choice, counted from 1; 0 for the beginning.

    ``section`` is the id of where one stood, empty where one stood nowhere; ``expected`` says in words what was looked
    for, ``there`` what is there instead.
    """

    step: int
    section: str
    expected: str
    there: tuple[str, ...]

    def __str__(self) -> str:
        """In one sentence."""
        where = f"step {self.step}" if self.step else "the beginning"
        more = len(self.there) - _TOLD
        told = [*self.there[:_TOLD], *([f"{more} more"] if more > 0 else [])]
        return f"{where}: expected {self.expected}; there is {', '.join(told) or 'nothing'}"


class Remark(NamedTuple):
    """Something that is another than it was, and stops nobody."""

    step: int
    text: str

    def __str__(self) -> str:
        """In one sentence."""
        return f"step {self.step}: {self.text}"


class Retraced(NamedTuple):
    """A walk gone again: as far as it went, where it broke off, and what is another."""

    walk: Walk
    broken: Broken | None = None
    remarks: tuple[Remark, ...] = ()


def retrace(graph: Graph, start: Place | None, choices: Iterable[Choice]) -> Retraced:
    """Go from ``start``, where the story begins when None, and choose the same again."""
    follower = _Follower(graph)
    section_id = graph.start if start is None else follower.sections.find(start)
    walk = Walk.begin(graph, section_id) if section_id else Walk(graph)
    if walk.here is None:
        looked_for = "a section to begin with" if start is None else f"the section {_quoted(start.name or start.id)}"
        return Retraced(walk, Broken(0, "", looked_for, ("none that exists",)))
    return _gone_on(walk, choices, follower)


def go_on(walk: Walk, choices: Iterable[Choice]) -> Retraced:
    """Make some more choices on a walk that has begun; they count from 1."""
    return _gone_on(walk, choices, _Follower(walk.graph))


def _gone_on(walk: Walk, choices: Iterable[Choice], follower: _Follower) -> Retraced:
    remarks: list[Remark] = []
    for number, choice in enumerate(choices, 1):
        further, word = follower.follow(walk, choice)
        if further is None:
            found = tuple(there(walk, choice.how))
            return Retraced(walk, Broken(number, walk.here or "", expected(choice), found), tuple(remarks))
        remarks += [Remark(number, word)] if word else []
        walk = further
    return Retraced(walk, None, tuple(remarks))


class Names:
    """Finds things among those of a story, given as their names by their ids."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._by_bare: dict[str, list[str]] | None = None

    def find(self, place: Place) -> str | None:
        """The id of what is meant: of several with this name the first, of several with a similar one none."""
        if place.id in self._names:
            return place.id
        if not place.name:
            return None
        if self._by_bare is None:
            self._by_bare = {}
            for identity, name in self._names.items():
                self._by_bare.setdefault(bare(name), []).append(identity)
        similar = self._by_bare.get(bare(place.name), [])
        exact = [identity for identity in similar if self._names[identity] == place.name]
        if exact:
            return exact[0]
        return similar[0] if len(similar) == 1 else None

    def means(self, place: Place, identity: str) -> bool:
        """Whether a place is the thing with this id."""
        if place.id in self._names:
            return place.id == identity
        return bool(place.name) and bare(self._names.get(identity, "")) == bare(place.name)


class _Follower:
    """Makes one choice after another, in one story."""

    def __init__(self, graph: Graph) -> None:
        self.sections = Names({identity: graph.section_name(identity) for identity in graph.sections})
        self.triggers = Names({identity: graph.trigger_name(identity) for identity in graph.triggers})

    def follow(self, walk: Walk, choice: Choice) -> tuple[Walk | None, str]:
        """The walk after the same choice, None where there is no such; and what is to be remarked."""
        if choice.how is How.TRIGGER:
            event = self._event(walk, choice)
            return (None, "") if event is None else (walk.fire(event), "")
        if choice.how is How.JUMP:
            section_id = self.sections.find(choice.to or Place(choice.words, choice.words))
            return (None, "") if section_id is None else (walk.jump(section_id), "")
        way, word = self._way(walk, choice)
        return (None, "") if way is None else (walk.take(way), word)

    def _event(self, walk: Walk, choice: Choice) -> Event | None:
        trigger_id = self.triggers.find(Place(choice.words, choice.id))
        events = (event for event in walk.events if event.trigger == trigger_id and event.exists)
        return next((event for event in events if self._leads(event, choice.to)), None)

    def _leads(self, event: Event, to: Place | None) -> bool:
        """Whether an event leads where it is meant to."""
        if to is None:
            return True
        return not to.name if event.target is None else self.sections.means(to, event.target)

    def _way(self, walk: Walk, choice: Choice) -> tuple[Way | None, str]:
        """The decision that was taken, or one with other criteria that leads to the same section."""
        ways = [way for way in walk.ways if way.exists]
        same = [way for way in ways if way.edge.criteria == choice.words]
        same = same or [way for way in ways if choice.words and bare(way.edge.criteria) == bare(choice.words)]
        leading = [way for way in ways if choice.to is None or self.sections.means(choice.to, way.edge.target)]
        for way in same:
            if way in leading:
                return way, ""
        if same or choice.to is None or len(leading) != 1:
            return None, ""
        word = f"the decision {_quoted(choice.words)} reads {_quoted(leading[0].edge.criteria)} now"
        return leading[0], word if choice.words else ""


# -- in words ---------------------------------------------------------------------------------------------------------


def expected(choice: Choice) -> str:
    """What was chosen, in words."""
    to = "" if choice.to is None else f" to {_quoted(choice.to.name)}" if choice.to.name else " that leads nowhere"
    if choice.how is How.JUMP:
        return f"the section{to.removeprefix(' to')}"
    what = "trigger" if choice.how is How.TRIGGER else "decision"
    return f"the {what}{f' {_quoted(choice.words)}' if choice.words else ''}{to}"


def there(walk: Walk, how: How) -> Iterator[str]:
    """What can be chosen instead, in words: the decisions, or the triggers where one of those was meant."""
    graph = walk.graph
    if how is How.JUMP:
        yield "no section of that name"
    elif how is How.TRIGGER:
        for event in walk.events:
            yield f"{_quoted(event.name)} {_to(graph, event.target)}"
    else:
        for way in walk.ways:
            criteria = "at once" if way.edge.criteria == IMMEDIATE else _quoted(way.edge.criteria)
            yield f"{criteria} {_to(graph, way.edge.target)}"
        if walk.loop:
            yield "a loop that goes on at once for ever"


def _to(graph: Graph, target: str | None) -> str:
    if target is None:
        return "that leads nowhere"
    known = target in graph.sections
    return (
        f"to {_quoted(graph.section_name(target))}" if known else f"to {_quoted(target)}, which {graph.absence(target)}"
    )


def _quoted(text: str) -> str:
    return f"“{single_line(text, limit=_LIMIT)}”"
