"""What the actions screen shows, as one immutable object: with each character a conversation of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from chartui.core.actions.lint import Finding, lint
from chartui.core.actions.replay import Replayed
from chartui.core.actions.turn import NEW_SESSION, Turn, faults
from chartui.core.jsontext import Wire
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.actions import ActionReply, Person, Thing
from chartui.tui.glyphs import GLYPHS


class Tab(StrEnum):
    """What can be read beside the scene."""

    REPLY = "reply"
    FORM = "form"
    CHECKS = "checks"
    TURNS = "turns"


class Group(StrEnum):
    """The lists of a scene, by their members on the wire."""

    ACTIONS = "actions"
    OBJECTS = "objects"
    CHARACTERS = "characters"


#: What one entry of each list is called.
NOUNS: Final = {Group.ACTIONS: "an action", Group.OBJECTS: "an object", Group.CHARACTERS: "a character"}


class Item(NamedTuple):
    """An entry of a list: its name, and the description or bio; an action has none."""

    name: str
    detail: str = ""


class Place(NamedTuple):
    """Where an entry stands in its list; one past the end is where the next would."""

    group: Group
    position: int

    @property
    def id(self) -> str:
        return f"{self.group}[{self.position}]"

    @classmethod
    def named(cls, text: str) -> Place | None:
        """The first place that is named in ``text``, None when none is."""
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
    """The ``number``-th time that the turns so far, ``of`` them, are replayed; ``done`` are those that were."""

    number: int = 0
    of: int = 0
    done: tuple[Replayed, ...] = ()
    running: bool = False

    @property
    def summary(self) -> str:
        changed, unread = sum(bool(one.changes) for one in self.done), sum(one.unread for one in self.done)
        scene = " The scene differs from the recorded one." if any(one.scene_changes for one in self.done) else ""
        if unread:
            scene = f" {unread} of {self.of} could not be read.{scene}"
        if not changed:
            same = "Every sequence is the same." if self.of > 1 else "The sequence is the same."
            return (("" if unread else same) + scene).strip()
        return f"{changed} of {self.of} sequences {'differs' if changed == 1 else 'differ'}.{scene}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """The conversation with one character.

    ``start`` is what the character started with, ``turn`` what is being composed; its session says whether the
    conversation goes on. ``number`` counts the turns sent, ``waiting`` is the one that is on its way, ``failed`` the
    last one when it was refused with ``error``. ``shown`` is the number of the turn that is looked at, None for the
    last. ``backstory`` is the character's, None while it is not known. ``repetition`` is the last replay of the turns.
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
        """With the text, the lists and the switch of ``turn`` instead of what is composed."""
        new = replace(self.turn, **{name: getattr(turn, name) for name in _COMPOSED})
        return self if new == self.turn else replace(self, turn=new)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is found in the scene; a fix is for :meth:`composing`."""
        turn, backstory = self.looked_over
        return _looked_over(turn, backstory=backstory)

    @property
    def looked_over(self) -> tuple[Turn, str | None]:
        """What the findings are about: the scene without what is said in it, and the backstory."""
        return replace(self.turn.anew(), text=""), self.backstory

    # -- the conversation ---------------------------------------------------------------------------------------------

    @property
    def last_session(self) -> str | None:
        """The session of the last reply; None before there is one."""
        return next((e.reply.session_id for e in reversed(self.exchanges) if e.reply.session_id), None)

    @property
    def goes_on(self) -> bool:
        return self.turn.session_id != NEW_SESSION

    def in_session(self, session_id: str | None) -> Talk:
        return replace(self, turn=replace(self.turn, session_id=session_id or NEW_SESSION))

    def sending(self) -> Talk:
        return replace(self, number=self.number + 1, waiting=self.turn, shown=None)

    def answered(self, reply: ActionReply) -> Talk:
        """With the reply to the turn that was on its way; the conversation goes on."""
        assert self.waiting is not None  # noqa: S101 - only what was sent is answered
        exchanges = (*self.exchanges, Exchange(self.waiting, reply))
        done = replace(self, exchanges=exchanges, waiting=None, error=None, failed=None, shown=None)
        return done.in_session(reply.session_id or self.turn.session_id)

    def looking_at(self, number: int | None) -> Talk:
        """With a turn looked at; None, and the last one, follow what is answered next."""
        return replace(self, shown=None if number == len(self.exchanges) else number)

    def refused(self, error: ServiceError) -> Talk:
        """With the turn that was on its way, or is not sent, refused; what was composed stays."""
        return replace(self, waiting=None, failed=self.waiting or self.turn, error=error)

    # -- what is wrong ------------------------------------------------------------------------------------------------

    def fault(self) -> ServiceError | None:
        """Why the turn cannot be sent as it is; None when it can."""
        if not self.turn.text.strip():
            return ServiceError(
                ErrorKind.INVALID, "The text is empty. Write a line first.", member="userText", sent="no"
            )
        things = [{"name": thing.name, "description": thing.description} for thing in self.turn.objects]
        for member, message in faults(self.turn.actions, things):
            return ServiceError(ErrorKind.INVALID, message, member=member, sent="no")
        return None

    def problem(self) -> tuple[str, str] | None:
        """The input that the last refusal was about, by its row, with the words; None once it has another value."""
        if self.error is None or self.failed is None:
            return None
        # A service over the network names the member in its words only.
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


#: The parts of a turn that a scene file holds.
_COMPOSED: Final = ("text", "actions", "objects", "people", "multistep")


_looked_over = lru_cache(8)(lint)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionsState:
    """The characters there are, the one that is spoken to, and the conversations by character.

    ``wanted`` is the character asked for, None before one is, and ``known_as`` its name until it is read, where another
    screen knows it. ``tab`` is what is read beside the scene; with ``at_answer`` a narrow window shows that one alone.
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
        """Who is spoken to, for people."""
        return self.name_of(self.wanted or "")

    def name_of(self, character_id: str) -> str:
        """What a character is called, for people."""
        unlisted = (self.known_as or GLYPHS.ellipsis) if self.loading else character_id
        return next((name for key, name in self.characters if key == character_id), unlisted if character_id else "")

    def with_talk(self, talk: Talk) -> ActionsState:
        return replace(self, talks=MappingProxyType({**self.talks, talk.turn.character_id: talk}))


def start_turn(character_id: str, record: Mapping[str, Wire], *, demo: bool) -> Turn:
    """What a character starts with: the actions of its record, and in the demo its scene."""
    from chartui.demos.sample import scene_of

    # Records are open: a service may put anything there.
    words, name = record.get("character_actions"), record.get("character_name")
    actions = tuple(w for w in words if isinstance(w, str) and w.strip()) if isinstance(words, (list, tuple)) else ()
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
