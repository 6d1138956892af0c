"""Save walks through a story and replay them after the story has changed.

``docs/walks.md`` describes the file format. A replay finds a section or trigger by ID. If the story does not contain
the ID, the replay looks for the exact name and then for a similar spelling of the name (decision 65). A decision has no
ID, so it is found by its criteria and target. If only the criteria differ, the replay follows the decision and adds a
remark, because authors often reword criteria. If the target differs, the replay stops, because the story now continues
elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from chartui.core.classes import NamedTuple, dataclass
from chartui.core.files import read_named
from chartui.core.names import bare
from chartui.core.narrative.graph import IMMEDIATE, Graph
from chartui.core.narrative.walk.path import Choice, Event, How, Place, Walk, Way
from chartui.core.tables import BadFile, BadTable, Reader, file_text, refuse_unknown, typed
from chartui.core.text import single_line

#: Maximum number of available choices to list when the expected choice is missing.
_TOLD: Final = 8
_LIMIT: Final = 80


class Broken(NamedTuple):
    """The point where a replay stopped.

    ``step`` is the number of the choice that could not be replayed, counted from 1, or 0 if the start was not found.
    ``section`` is the ID of the section where the replay stopped, or empty if no section was reached. ``expected``
    describes the recorded choice, and ``there`` describes the choices available instead.
    """

    step: int
    section: str
    expected: str
    there: tuple[str, ...]

    def __str__(self) -> str:
        where = f"step {self.step}" if self.step else "start"
        more = len(self.there) - _TOLD
        told = [*self.there[:_TOLD], *([f"{more} more"] if more > 0 else [])]
        return f"{where}: expected {self.expected}; found {', '.join(told) or 'nothing'}"


class Remark(NamedTuple):
    """A difference between the recorded walk and the story. The replay continues despite this difference."""

    step: int
    text: str

    def __str__(self) -> str:
        return f"step {self.step}: {self.text}"


class Retraced(NamedTuple):
    """The result of a replay, with the replayed walk, the remarks, and the point where the replay stopped, if any."""

    walk: Walk
    broken: Broken | None = None
    remarks: tuple[Remark, ...] = ()


def retrace(graph: Graph, start: Place | None, choices: Iterable[Choice]) -> Retraced:
    """Replay recorded choices from ``start``, which defaults to the start of the story."""
    section_id = graph.start if start is None else _sections(graph).find(start)
    walk = Walk.begin(graph, section_id) if section_id else Walk(graph)
    if walk.here is None:
        looked_for = "a start section" if start is None else f"the section {_quoted(start.name or start.id)}"
        return Retraced(walk, Broken(0, "", looked_for, ("no such section",)))
    return go_on(walk, choices)


def go_on(walk: Walk, choices: Iterable[Choice]) -> Retraced:
    """Continue a walk by replaying more choices. Remarks and errors number these choices from 1."""
    follower = _Follower(walk.graph)
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
    """Finds sections or triggers of a story by ID or name. ``names`` maps each ID to a name."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._by_bare: dict[str, list[str]] | None = None

    def find(self, place: Place) -> str | None:
        """Return the current ID of a recorded section or trigger, or None if there is no match.

        The recorded ID is returned if it still exists. Otherwise, the result is the ID of the first section or trigger
        with exactly the recorded name. If no name matches exactly and only one section or trigger has a similar name,
        its ID is returned.
        """
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
        if place.id in self._names:
            return place.id == identity
        return bool(place.name) and bare(self._names.get(identity, "")) == bare(place.name)


def _sections(graph: Graph) -> Names:
    return Names({identity: graph.section_name(identity) for identity in graph.sections})


class _Follower:
    def __init__(self, graph: Graph) -> None:
        self.sections = _sections(graph)
        self.triggers = Names({identity: graph.trigger_name(identity) for identity in graph.triggers})

    def follow(self, walk: Walk, choice: Choice) -> tuple[Walk | None, str]:
        """Make the choice. Returns the walk, or None if the choice does not exist, and a remark, if any."""
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
        if to is None:
            return True
        return not to.name if event.target is None else self.sections.means(to, event.target)

    def _way(self, walk: Walk, choice: Choice) -> tuple[Way | None, str]:
        """Return the recorded decision or, if it does not exist, one with the same target and different criteria."""
        ways = [way for way in walk.ways if way.exists]
        same = [way for way in ways if way.edge.criteria == choice.words]
        same = same or [way for way in ways if choice.words and bare(way.edge.criteria) == bare(choice.words)]
        leading = [way for way in ways if choice.to is None or self.sections.means(choice.to, way.edge.target)]
        for way in same:
            if way in leading:
                return way, ""
        if same or choice.to is None or len(leading) != 1:
            return None, ""
        word = f"the decision {_quoted(choice.words)} is now {_quoted(leading[0].edge.criteria)}"
        return leading[0], word if choice.words else ""


# -- in words ---------------------------------------------------------------------------------------------------------


def expected(choice: Choice) -> str:
    to = "" if choice.to is None else f" to {_quoted(choice.to.name)}" if choice.to.name else " without a target"
    if choice.how is How.JUMP:
        return f"the section{to.removeprefix(' to')}"
    what = "trigger" if choice.how is How.TRIGGER else "decision"
    return f"the {what}{f' {_quoted(choice.words)}' if choice.words else ''}{to}"


def there(walk: Walk, how: How) -> Iterator[str]:
    """Yield descriptions of the available alternatives to a recorded choice.

    Only triggers are alternatives to a trigger, and only decisions are alternatives to a decision.
    """
    graph = walk.graph
    if how is How.JUMP:
        yield "no section with that name"
    elif how is How.TRIGGER:
        for event in walk.events:
            yield f"{_quoted(event.name)} {_to(graph, event.target)}"
    else:
        for way in walk.ways:
            criteria = "*" if way.edge.criteria == IMMEDIATE else _quoted(way.edge.criteria)
            yield f"{criteria} {_to(graph, way.edge.target)}"
        if walk.loop:
            yield "an infinite loop"


def _to(graph: Graph, target: str | None) -> str:
    if target is None:
        return "without a target"
    if target in graph.sections:
        return f"to {_quoted(graph.section_name(target))}"
    return f"to {_quoted(target)}, which {graph.absence(target)}"


def _quoted(text: str) -> str:
    return f"“{single_line(text, limit=_LIMIT)}”"


FORMAT: Final = "chartui-walk"
VERSION: Final = 1
_HEAD: Final = ("character", "name", "start", "start_id", "keys", "steps", "expect")
_VERBS: Final = {How.DECISION: "take", How.TRIGGER: "fire", How.JUMP: "jump"}
_MEMBERS: Final = {
    How.DECISION: ("take", "to", "to_id"),
    How.TRIGGER: ("fire", "fire_id", "to", "to_id"),
    How.JUMP: ("jump", "jump_id"),
}
_EXPECT: Final = ("ends", "ends_id", "said")


class BadWalk(BadFile):
    """Raised when a saved walk cannot be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """The contents of a saved walk, with its start, its choices, the values of template keys, and expectations.

    ``start`` is None if the walk begins at the start of the story. ``ends`` is None if the walk may end anywhere, and
    ``said`` is empty if no particular words are expected.
    """

    start: Place | None = None
    choices: tuple[Choice, ...] = ()
    keys: Mapping[str, str] = field(default_factory=dict)
    ends: Place | None = None
    said: tuple[str, ...] = ()
    character_id: str = ""
    character_name: str = ""


class Replayed(NamedTuple):
    """The result of replaying a saved walk. ``unmet`` contains a sentence for each expectation that was not met."""

    script: Script
    retraced: Retraced
    unmet: tuple[str, ...]

    @property
    def holds(self) -> bool:
        return self.retraced.broken is None and not self.unmet


def script_of(walk: Walk, keys: Mapping[str, str], *, character_id: str = "", character_name: str = "") -> Script:
    """Return a saved walk that repeats ``walk`` and expects the same section at the end.

    A replay continues as far as the story moves on automatically. If ``walk`` stops earlier, the section that the
    replay will reach is expected instead.
    """
    walk = walk.going_on()
    return Script(
        start=walk.beginning if walk.steps else None,
        choices=walk.choices,
        keys=keys,
        ends=walk.place(walk.here) if walk.here is not None else None,
        character_id=character_id,
        character_name=character_name,
    )


# -- replaying files ---------------------------------------------------------------------------------------------------


def replay(script: Script, graph: Graph, keys: Mapping[str, str] | None = None) -> Replayed:
    """Replay a saved walk in a story. Values in ``keys`` override values from the file."""
    script = replace(script, keys={**script.keys, **(keys or {})})
    retraced = retrace(graph, script.start, script.choices)
    return Replayed(script, retraced, () if retraced.broken is not None else tuple(_unmet(script, retraced.walk)))


def _unmet(script: Script, walk: Walk) -> list[str]:
    found = []
    sections = _sections(walk.graph)
    if script.ends is not None and walk.here is not None and not sections.means(script.ends, walk.here):
        here = single_line(walk.graph.section_name(walk.here), limit=80)
        found.append(f"end: expected “{single_line(script.ends.name, limit=80)}”; the walk ends at “{here}”")
    if script.said:
        heard = _plain(" ".join(_heard(walk, script.keys)))
        unheard = (words for words in script.said if _plain(words) not in heard)
        found += [f"never spoken: “{single_line(words, limit=160)}”" for words in unheard]
    return found


def _heard(walk: Walk, keys: Mapping[str, str]) -> list[str]:
    speeches = (one for said in walk.said(walk.steps, keys) for one in (said.message, said.objective) if one)
    return [passage.text for one in speeches for passage in one.passages]


def _plain(text: str) -> str:
    return " ".join(text.split())


# -- a file -----------------------------------------------------------------------------------------------------------


def walk_toml(script: Script) -> str:
    """Return a saved walk as TOML. Raises ``ValueError`` if any text contains a lone surrogate, which TOML does not
    allow.
    """
    table: dict[str, Any] = _given({"character": script.character_id, "name": script.character_name})
    table |= _placed("start", script.start)
    if script.keys:
        table["keys"] = dict(script.keys)
    if script.choices:
        table["steps"] = [_step(choice) for choice in script.choices]
    expect = {**_placed("ends", script.ends), **({"said": list(script.said)} if script.said else {})}
    if expect:
        table["expect"] = expect
    return file_text(FORMAT, VERSION, table)


def _given(members: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in members.items() if value}


def _placed(name: str, place: Place | None) -> dict[str, str]:
    return {} if place is None else {name: place.name, **_given({f"{name}_id": place.id})}


def _step(choice: Choice) -> dict[str, str]:
    if choice.how is How.JUMP:
        return _placed("jump", choice.to)
    verb = _VERBS[choice.how]
    return {verb: choice.words, **_given({f"{verb}_id": choice.id}), **_placed("to", choice.to)}


def read_walk(path: Path) -> Script:
    """Read a saved walk. Raises :class:`BadWalk` with a list of all errors in the file."""
    reader = Reader(path, FORMAT, VERSION, _HEAD, read=read_named)
    if not reader.exists:
        reader.add("no such file.")
    read = _Read(reader)
    keys, expect = reader.entries("keys"), reader.entries("expect")
    reader.take(partial(refuse_unknown, at="expect"), expect, _EXPECT, "'expect'")
    script = Script(
        start=read.place(reader.table, "start"),
        choices=read.steps(),
        keys={name: read.text(keys, name, "keys.") for name in keys},
        ends=read.place(expect, "ends", "expect."),
        said=read.texts(expect, "said", "expect."),
        character_id=read.text(reader.table, "character"),
        character_name=read.text(reader.table, "name"),
    )
    reader.check(BadWalk)
    return script


class _Read:
    """Reads the members of a file. In error messages, ``where`` precedes the name of a member."""

    def __init__(self, reader: Reader) -> None:
        self._take = reader.take
        self._reader = reader

    def text(self, table: Mapping[str, Any], name: str, where: str = "") -> str:
        return self._reader.text_of(table, name, f"{where}{name}") or ""

    def texts(self, table: Mapping[str, Any], name: str, where: str) -> tuple[str, ...]:
        return tuple(filter(None, self._reader.texts_of(table, name, f"{where}{name}")))

    def place(self, table: Mapping[str, Any], name: str, where: str = "") -> Place | None:
        if name not in table and f"{name}_id" not in table:
            return None
        return Place(self.text(table, name, where), self.text(table, f"{name}_id", where))

    def steps(self) -> tuple[Choice, ...]:
        found = self._reader.list_of(self._reader.table, "steps", "steps", "tables, each starting with [[steps]]") or ()
        read = [self._step(table, f"steps[{number}]") for number, table in enumerate(found)]
        return tuple(one for one in read if one is not None)

    def _step(self, table: Any, where: str) -> Choice | None:
        how = self._take(_how, table, where)
        if how is None:
            return None
        verb, inside = _VERBS[how], f"{where}."
        self._take(refuse_unknown, table, _MEMBERS[how], where)
        if how is How.JUMP:
            return Choice(how=how, to=self.place(table, verb, inside))
        return Choice(
            how=how,
            words=self.text(table, verb, inside),
            id=self.text(table, f"{verb}_id", inside),
            to=self.place(table, "to", inside),
        )


def _how(table: Any, where: str) -> How:
    """Return the kind of a step: a decision, a trigger, or a jump. Raises :class:`BadTable`."""
    typed(table, dict, where, "a table")
    found = [how for how, members in _MEMBERS.items() if not {"to", "to_id"}.issuperset({*members} & {*table})]
    if len(found) != 1:
        raise BadTable(f"{where} must have exactly one of take, fire and jump.")
    return found[0]


def walk_schema() -> dict[str, Any]:
    from chartui.core.schemas import TEXT, TEXTS, document, list_of, table

    def step(how: How) -> dict[str, Any]:
        verb = _VERBS[how]
        members = table(dict.fromkeys(_MEMBERS[how], TEXT))
        return {**members, "anyOf": [{"required": [verb]}, {"required": [f"{verb}_id"]}]}

    return document(
        "A walk through a story that can be replayed as a test",
        FORMAT,
        VERSION,
        {
            **dict.fromkeys(("character", "name", "start", "start_id"), TEXT),
            "keys": {"type": "object", "description": "Values of template keys.", "additionalProperties": TEXT},
            "steps": {
                **list_of({"oneOf": [step(how) for how in _VERBS]}),
                "description": "Decisions to take, triggers to fire, and jumps.",
            },
            "expect": table({"ends": TEXT, "ends_id": TEXT, "said": TEXTS}),
        },
    )
