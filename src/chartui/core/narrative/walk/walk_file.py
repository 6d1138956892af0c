"""Walks as files: a way through a story, to be gone again whenever the story has changed::

    format = "chartui-walk"
    version = 1
    character = "0b54…"
    name = "Elena Marsh"
    start = "Welcome at the door"

    [keys]
    VisitorName = "Ada"

    [[steps]]
    take = "They have an hour or more"
    to = "House rules"

    [[steps]]
    fire = "Fire alarm"
    to = "Evacuation"

    [expect]
    ends = "Evacuation"
    said = ["walk, whisper, and touch only what I hand you"]

Sections and triggers go by their names; beside each name stands the id, where it is known (``start_id``, ``to_id``,
``fire_id``, ``ends_id``), so that a story is known again whatever became of the names (decision 64). A step takes a
decision, fires a trigger, or jumps to a section (``jump``). ``to = ""`` says that a trigger leads nowhere, and a step
without ``to`` may lead anywhere. ``[expect]`` says in which section the walk ends, and what is said on it somewhere,
word for word or as an instruction, whatever the blanks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from chartui.core.files import read_named
from chartui.core.narrative.walk.path import Choice, How, Place, Walk
from chartui.core.narrative.walk.retracing import Names, Retraced, retrace
from chartui.core.tables import BadFile, BadTable, Reader, as_toml, refuse_unknown, typed
from chartui.core.text import single_line

if TYPE_CHECKING:
    from chartui.core.narrative.graph import Graph

__all__ = ["BadWalk", "Replayed", "Script", "read_walk", "replay", "script_of", "walk_toml"]

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
    """A file of a walk cannot be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """What a file holds: what is chosen from where, with which values for keys, and what is expected.

    ``start`` None is where the story starts. ``ends`` None expects no end, and ``said`` no words.
    """

    start: Place | None = None
    choices: tuple[Choice, ...] = ()
    keys: Mapping[str, str] = field(default_factory=dict)
    ends: Place | None = None
    said: tuple[str, ...] = ()
    character_id: str = ""
    character_name: str = ""


class Replayed(NamedTuple):
    """How a file went: the walk, and in ``unmet`` the expectations that did not hold, each a sentence."""

    script: Script
    retraced: Retraced
    unmet: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether the path exists and all that is expected is so."""
        return self.retraced.broken is None and not self.unmet


def script_of(walk: Walk, keys: Mapping[str, str], *, character_id: str = "", character_name: str = "") -> Script:
    """A walk as it is written: it is expected to end where it stands."""
    return Script(
        start=walk.beginning if walk.steps else None,
        choices=walk.choices,
        keys=keys,
        ends=walk.place(walk.here) if walk.here is not None else None,
        character_id=character_id,
        character_name=character_name,
    )


# -- going it again ---------------------------------------------------------------------------------------------------


def replay(script: Script, graph: Graph, keys: Mapping[str, str] | None = None) -> Replayed:
    """Go the walk of a file in a story; ``keys`` replace values that the file gives."""
    script = replace(script, keys={**script.keys, **(keys or {})})
    retraced = retrace(graph, script.start, script.choices)
    return Replayed(script, retraced, () if retraced.broken is not None else tuple(_unmet(script, retraced.walk)))


def _unmet(script: Script, walk: Walk) -> list[str]:
    found = []
    sections = Names({identity: walk.graph.section_name(identity) for identity in walk.graph.sections})
    if script.ends is not None and walk.here is not None and not sections.means(script.ends, walk.here):
        here = single_line(walk.graph.section_name(walk.here), limit=80)
        found.append(f"the end: expected “{single_line(script.ends.name, limit=80)}”; the walk ends at “{here}”")
    if script.said:
        heard = _plain(" ".join(_heard(walk, script.keys)))
        found += [
            f"nowhere is said: “{single_line(words, limit=160)}”" for words in script.said if _plain(words) not in heard
        ]
    return found


def _heard(walk: Walk, keys: Mapping[str, str]) -> list[str]:
    speeches = (one for said in walk.said(walk.steps, keys) for one in (said.message, said.objective) if one)
    return [passage.text for one in speeches for passage in one.passages]


def _plain(text: str) -> str:
    return " ".join(text.split())


# -- a file -----------------------------------------------------------------------------------------------------------


def walk_toml(script: Script) -> str:
    """The text of the file; raises ``ValueError`` for what no file can hold (half a character)."""
    table: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    table |= _given({"character": script.character_id, "name": script.character_name})
    table |= _placed("start", script.start)
    if script.keys:
        table["keys"] = dict(script.keys)
    if script.choices:
        table["steps"] = [_step(choice) for choice in script.choices]
    expect = {**_placed("ends", script.ends), **({"said": list(script.said)} if script.said else {})}
    if expect:
        table["expect"] = expect
    return as_toml(table)


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
    """The walk in a file; raises :class:`BadWalk` with all its mistakes."""
    reader = Reader(path, FORMAT, VERSION, _HEAD, read=read_named)
    if not reader.exists:
        reader.add("there is no such file.")
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
    """Looks at the members of a file; ``where`` comes before their names when a mistake is told."""

    def __init__(self, reader: Reader) -> None:
        self._take = reader.take
        self._table = reader.table

    def text(self, table: Mapping[str, Any], name: str, where: str = "") -> str:
        """A text; empty where there is none."""
        return self._take(typed, table.get(name, ""), str, f"{where}{name}", "text") or ""

    def texts(self, table: Mapping[str, Any], name: str, where: str) -> tuple[str, ...]:
        """A list of texts; those that are empty are left out."""
        found = self._take(typed, table.get(name, []), list, f"{where}{name}", "a list of texts") or []
        read = [self._take(typed, one, str, f"{where}{name}[{n}]", "text") for n, one in enumerate(found)]
        return tuple(one for one in read if one)

    def place(self, table: Mapping[str, Any], name: str, where: str = "") -> Place | None:
        """A section by its name, its id or both; None where neither is there."""
        if name not in table and f"{name}_id" not in table:
            return None
        return Place(self.text(table, name, where), self.text(table, f"{name}_id", where))

    def steps(self) -> tuple[Choice, ...]:
        """What is chosen, in order."""
        found = self._take(typed, self._table.get("steps", []), list, "steps", "tables, each under [[steps]]") or []
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
    """Which of the three a step is; raises :class:`BadTable`."""
    typed(table, dict, where, "a table")
    found = [how for how, members in _MEMBERS.items() if not {"to", "to_id"}.issuperset({*members} & {*table})]
    if len(found) != 1:
        raise BadTable(f"{where} must have one of take, fire and jump.")
    return found[0]
