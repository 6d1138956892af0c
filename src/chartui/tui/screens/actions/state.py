"""The state of the actions screen, as one immutable object with a conversation per character."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from chartui.core.actions.lint import Finding, lint
from chartui.core.actions.replay import Replayed
from chartui.core.actions.turn import NEW_SESSION, Turn, faults
from chartui.core.classes import NamedTuple, dataclass
from chartui.core.jsontext import Wire
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.actions import ActionReply, Person, Thing
from chartui.core.spec.records import actions_in
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import number_of

#: The title of a turn that waits for its reply.
WAITING: Final = "Waiting for the reply"


class Tab(StrEnum):
    """A tab beside the scene."""

    REPLY = "reply"
    FORM = "form"
    CHECKS = "checks"
    TURNS = "turns"


class Group(StrEnum):
    """The lists of a scene, by their wire names."""

    ACTIONS = "actions"
    OBJECTS = "objects"
    CHARACTERS = "characters"


#: The noun for an entry of each list.
NOUNS: Final = {Group.ACTIONS: "an action", Group.OBJECTS: "an object", Group.CHARACTERS: "a character"}


class Item(NamedTuple):
    """An entry of a list: its name, and its description or bio; actions have neither."""

    name: str
    detail: str = ""


class Place(NamedTuple):
    """The position of an entry in its list; one past the end for a new entry."""

    group: Group
    position: int

    @property
    def id(self) -> str:
        return f"{self.group}[{self.position}]"

    @classmethod
    def named(cls, text: str) -> Place | None:
        """The first place named in ``text``, if any."""
        found = _PLACE.search(text)
        return cls(Group(found[1]), int(found[2])) if found else None


_PLACE: Final = re.compile(rf"\b({'|'.join(Group)})\[(\d{{1,6}})\]")
#: Member of a request → the row of the form, and the attribute of the turn.
_MEMBERS: Final = {
    "sessionID": ("session", "session_id"),
    "charID": ("character", "character_id"),
    "userText": ("text", "text"),
    "classification": ("multistep", "multistep"),
}


class Exchange(NamedTuple):
    turn: Turn
    reply: ActionReply


@dataclass(frozen=True, slots=True, kw_only=True)
class Repetition:
    """Replay ``number`` of the first ``of`` turns; ``done`` are those replayed so far."""

    number: int = 0
    of: int = 0
    done: tuple[Replayed, ...] = ()
    running: bool = False

    @property
    def summary(self) -> str:
        changed, unread = sum(bool(one.changes) for one in self.done), sum(one.unread for one in self.done)
        scene = " The scene differs from the recorded scene." if any(one.scene_changes for one in self.done) else ""
        if unread:
            scene = f" {unread} of {number_of(self.of, 'action sequence')} could not be read.{scene}"
        if not changed:
            same = "All action sequences are identical." if self.of > 1 else "The action sequence is identical."
            return (("" if unread else same) + scene).strip()
        return f"{changed} of {self.of} action sequences {'differs' if changed == 1 else 'differ'}.{scene}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """The conversation with one character.

    ``start`` is the character's initial turn, ``turn`` the one being composed; its session says whether it continues
    the conversation. ``number`` counts the turns sent, ``waiting`` is the one under way, ``failed`` the last one if it
    was refused with ``error``. ``shown`` is the number of the selected turn, None for the last. ``backstory`` is the
    character's, None if unknown. ``repetition`` is the last replay of the turns. ``cost`` is the estimated credits of
    a turn, such as ``about 8.154``, empty if unknown.
    """

    start: Turn
    turn: Turn
    exchanges: tuple[Exchange, ...] = ()
    number: int = 0
    waiting: Turn | None = None
    failed: Turn | None = None
    error: ServiceError | None = None
    shown: int | None = None
    backstory: str | None = None
    repetition: Repetition = Repetition()
    cost: str = ""

    # -- the scene ----------------------------------------------------------------------------------------------------

    def items(self, group: Group) -> tuple[Item, ...]:
        match group:
            case Group.ACTIONS:
                return tuple(Item(word) for word in self.turn.actions)
            case Group.OBJECTS:
                return tuple(Item(thing.name, thing.description) for thing in self.turn.objects)
            case Group.CHARACTERS:
                return tuple(Item(person.name, person.bio) for person in self.turn.people)

    def item_at(self, place: Place) -> Item | None:
        return next(iter(self.items(place.group)[place.position :]), None)

    def findings_at(self, place: Place | None) -> tuple[Finding, ...]:
        return tuple(f for f in self.findings if place is not None and Place.named(f.place) == place)

    def composing(self, turn: Turn) -> Talk:
        """With the text, the lists and the switch of ``turn``."""
        new = replace(self.turn, **{name: getattr(turn, name) for name in _COMPOSED})
        return self if new == self.turn else replace(self, turn=new)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings in the scene; apply a fix with :meth:`composing`."""
        turn, backstory = self.looked_over
        return _looked_over(turn, backstory=backstory)

    @property
    def looked_over(self) -> tuple[Turn, str | None]:
        """The inputs of the findings: the scene without its text, and the backstory."""
        return replace(self.turn.anew(), text=""), self.backstory

    # -- the conversation ---------------------------------------------------------------------------------------------

    @property
    def last_session(self) -> str | None:
        """The session of the last reply, if any."""
        return next((e.reply.session_id for e in reversed(self.exchanges) if e.reply.session_id), None)

    @property
    def goes_on(self) -> bool:
        return self.turn.session_id != NEW_SESSION

    def in_session(self, session_id: str | None) -> Talk:
        return replace(self, turn=replace(self.turn, session_id=session_id or NEW_SESSION))

    def sending(self) -> Talk:
        return replace(self, number=self.number + 1, waiting=self.turn, shown=None)

    def answered(self, reply: ActionReply) -> Talk:
        """With the reply to the turn under way; the conversation continues."""
        assert self.waiting is not None  # noqa: S101 - only a sent turn is answered
        exchanges = (*self.exchanges, Exchange(self.waiting, reply))
        done = replace(self, exchanges=exchanges, waiting=None, error=None, failed=None, shown=None)
        return done.in_session(reply.session_id or self.turn.session_id)

    def looking_at(self, number: int | None) -> Talk:
        """With a turn selected; None and the last turn follow new replies."""
        return replace(self, shown=None if number == len(self.exchanges) else number)

    def refused(self, error: ServiceError) -> Talk:
        """With the turn under way, or the unsent one, refused; the composed turn stays."""
        return replace(self, waiting=None, failed=self.waiting or self.turn, error=error)

    # -- what is wrong ------------------------------------------------------------------------------------------------

    def fault(self) -> ServiceError | None:
        """The reason the turn can't be sent; None if it can."""
        if not self.turn.text.strip():
            return ServiceError(
                ErrorKind.INVALID, "The text is empty. Write a line first.", member="userText", sent="no"
            )
        things = [{"name": thing.name, "description": thing.description} for thing in self.turn.objects]
        for member, message in faults(self.turn.actions, things):
            return ServiceError(ErrorKind.INVALID, message, member=member, sent="no")
        return None

    def problem(self) -> tuple[str, str] | None:
        """The row of the input last refused, and the message; None once the input has changed."""
        if self.error is None or self.failed is None:
            return None
        # A remote service names the member only in its message.
        said = self.error.member or self.error.message
        place = Place.named(said)
        if place is not None:
            before, now = replace(self, turn=self.failed).item_at(place), self.item_at(place)
            return (place.id, self.error.message) if before is not None and before == now else None
        for member, (row, name) in _MEMBERS.items():
            if re.search(rf"\b{member}\b", said):
                same = getattr(self.turn, name) == getattr(self.failed, name)
                return (row, self.error.message) if same else None
        return None


#: The parts of a turn in a scene file.
_COMPOSED: Final = ("text", "actions", "objects", "people", "multistep")


_looked_over = lru_cache(8)(lint)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionsState:
    """The characters, the addressed one, and the conversations by character.

    ``wanted`` is the id of the requested character, if any, and ``known_as`` its name from another screen until it is
    read. ``tab`` is the current tab; with ``at_answer`` a narrow window shows it instead of the scene.
    """

    characters: Sequence[tuple[str, str]] = ()
    wanted: str | None = None
    known_as: str = ""
    talks: Mapping[str, Talk] = field(default_factory=lambda: MappingProxyType({}))
    loading: bool = True
    error: ServiceError | None = None
    note: str = ""
    tab: Tab = Tab.REPLY
    at_answer: bool = False

    @property
    def talk(self) -> Talk | None:
        return self.talks.get(self.wanted) if self.wanted is not None else None

    @property
    def name(self) -> str:
        """The name of the addressed character, for display."""
        return self.name_of(self.wanted or "")

    def name_of(self, character_id: str) -> str:
        """The name of a character, for display."""
        known_as = self.known_as if character_id == self.wanted else ""
        unlisted = known_as or (GLYPHS.ellipsis if self.loading else character_id)
        return next((name for key, name in self.characters if key == character_id), unlisted if character_id else "")

    def with_talk(self, talk: Talk) -> ActionsState:
        return replace(self, talks=MappingProxyType({**self.talks, talk.turn.character_id: talk}))


def start_turn(character_id: str, record: Mapping[str, Wire], *, demo: bool) -> Turn:
    """The initial turn of a character: the actions of its record, and in the demo its scene."""
    from chartui.demos.sample import scene_of

    name, actions = record.get("character_name"), actions_in(record)
    scene = scene_of(name) if demo and isinstance(name, str) else None
    if scene is None:
        return Turn(character_id=character_id, actions=actions)
    return Turn(
        character_id=character_id,
        text=scene["text"],
        actions=actions,
        objects=tuple(Thing(**thing) for thing in scene["objects"]),
        people=tuple(Person(**person) for person in scene["characters"]),
    )
