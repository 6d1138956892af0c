"""The turn composed for each character, without widgets: edits, undo, redo and drafts on disk."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from chartui.core.actions.lint import Finding, fix_all, lint
from chartui.core.actions.turn import SCENE_PART, Turn
from chartui.core.classes import NamedTuple
from chartui.core.drafts import Drafts
from chartui.core.jsontext import Wire
from chartui.core.profiles import Place as Owner
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.actions import Person, Thing
from chartui.core.text import single_line
from chartui.tui.drafts import TURNED, Keeper, turned
from chartui.tui.guides import NO_FINDINGS, NO_FIX, NO_FIXES, NOTHING_TO_REDO, NOTHING_TO_UNDO
from chartui.tui.numbers import number_of
from chartui.tui.screens.actions.state import Group, Item, Place, Talk


class Edit(NamedTuple):
    """The result of an edit: the conversation with the new turn, a sentence for the user, and the entry.

    With ``undoes``, the sentence should name the undo shortcut. Of several with the same ``topic``, the last is shown.
    """

    talk: Talk
    told: str = ""
    place: Place | None = None
    undoes: bool = False
    topic: str = ""


class SceneEditor:
    """Edits the turns composed for the characters of one profile; each edit can be undone.

    ``failed`` is called once, with a sentence, when drafts can't be read or written. ``met`` is called when another
    program has changed the draft of a character, with the turn composed here and the other one, or None.
    """

    def __init__(
        self, drafts: Drafts, owner: Owner, *, met: Callable[[Turn, Turn | None], None], failed: Callable[[str], None]
    ) -> None:
        self._tell = failed
        self._failed = False
        self._met_elsewhere = met
        self._starts: dict[str, Turn] = {}
        self._drafts: Mapping[str, Turn] | None = None
        self.keeper = Keeper(
            drafts,
            owner,
            SCENE_PART,
            write=self._document,
            read=self._turn,
            met=self._met,
            failed=lambda error: self._fail(f"Changes will be lost when you quit: {error.message}"),
        )

    async def begin(self, start: Turn) -> Talk:
        """The conversation with a character that starts with ``start``, or with its draft if there is one."""
        if self._drafts is None:
            try:
                self._drafts = await self.keeper.load()
            except ServiceError as error:
                self._fail(f"Your earlier draft cannot be read: {error}")
        self._starts[start.character_id] = start
        draft = (self._drafts or {}).get(start.character_id)
        return Talk(start=start, turn=draft.anew(start.character_id) if draft else start)

    # -- edits --------------------------------------------------------------------------------------------------------

    def compose(self, talk: Talk, turn: Turn, title: str, *, field: str = "") -> Talk:
        """With the text, the lists and the switch of ``turn``; typing into one ``field`` is a single step."""
        composed = talk.composing(turn)
        if composed is not talk:
            self.keeper.stage(composed.turn.anew(), title, field=field)
        return composed

    def write(self, talk: Talk, text: str) -> Edit:
        return Edit(self.compose(talk, replace(talk.turn, text=text), "Edit the text", field="text"))

    def put(self, talk: Talk, place: Place, items: Sequence[Item]) -> Edit:
        """With ``items`` in place of the entry, or after the last; then the place is that of the next new entry."""
        there, (group, position) = talk.items(place.group), place
        changes = position < len(there)
        listed = (*there[:position], *items, *there[position + 1 :])
        put = self._list(talk, group, listed, f"{'Change' if changes else 'Add'} {_quoted(items[0])}")
        return Edit(put, place=Place(group, position + len(items) - (1 if changes else 0)))

    def remove(self, talk: Talk, place: Place) -> Edit:
        """Remove the entry; nothing happens on the row that adds one."""
        there, item = talk.items(place.group), talk.item_at(place)
        if item is None:
            return Edit(talk)
        listed = (*there[: place.position], *there[place.position + 1 :])
        removed = self._list(talk, place.group, listed, f"Remove {_quoted(item)}")
        return Edit(removed, f"Removed {_quoted(item)}.", undoes=True)

    def move(self, talk: Talk, place: Place, step: int) -> Edit:
        """Move the entry within its list; at either end nothing happens."""
        there, item, target = list(talk.items(place.group)), talk.item_at(place), place.position + step
        if item is None or not 0 <= target < len(there):
            return Edit(talk)
        there.insert(target, there.pop(place.position))
        moved = self._list(talk, place.group, there, f"Move {_quoted(item)}")
        return Edit(moved, place=Place(place.group, target))

    def _list(self, talk: Talk, group: Group, items: Sequence[Item], title: str) -> Talk:
        match group:
            case Group.ACTIONS:
                turn = replace(talk.turn, actions=tuple(item.name for item in items))
            case Group.OBJECTS:
                turn = replace(talk.turn, objects=tuple(Thing(name=i.name, description=i.detail) for i in items))
            case Group.CHARACTERS:
                turn = replace(talk.turn, people=tuple(Person(name=i.name, bio=i.detail) for i in items))
        return self.compose(talk, turn, title)

    def toggle_multistep(self, talk: Talk) -> Edit:
        turn = replace(talk.turn, multistep=not talk.turn.multistep)
        return Edit(self.compose(talk, turn, f"Switch actions {'on' if turn.multistep else 'off'}"))

    def toggle_session(self, talk: Talk) -> Edit:
        """Start a new conversation, or resume the last one. Not an undo step, since it is not part of the scene."""
        if talk.goes_on:
            return Edit(talk.in_session(None))
        if talk.last_session is not None:
            return Edit(talk.in_session(talk.last_session))
        return Edit(talk, "No conversation to resume yet. The first turn starts a conversation.")

    def open(self, talk: Talk, turn: Turn) -> Edit:
        opened = self.compose(talk, turn, "Open a scene file")
        if opened is talk:
            return Edit(talk, "The scene already matches the file.")
        return Edit(opened, "Loaded the file.", undoes=True)

    def take_up(self, talk: Talk, number: int) -> Edit:
        """Load the text and scene of a turn."""
        taken = self.compose(talk, talk.exchanges[number - 1].turn, f"Edit turn {number} again")
        if taken is talk:
            return Edit(talk, f"The scene already matches turn {number}.")
        return Edit(taken, f"Loaded turn {number}.", undoes=True)

    def fix(self, talk: Talk, findings: Sequence[Finding]) -> Edit:
        fix = next((finding.fix for finding in findings if finding.fix is not None), None)
        if fix is None:
            return Edit(talk, NO_FIX if findings else NO_FINDINGS)
        return Edit(self._fixed(talk, fix.turn, "Fix a finding"))

    def fix_all(self, talk: Talk) -> Edit:
        fixed, done = fix_all(talk.turn, partial(lint, backstory=talk.backstory))
        if not done:
            return Edit(talk, NO_FIXES)
        findings = number_of(len(done), "finding")
        return Edit(self._fixed(talk, fixed, f"Fix {findings}"), f"Fixed {findings}.", undoes=True)

    def _fixed(self, talk: Talk, fixed: Turn, title: str) -> Talk:
        return self.compose(talk, replace(fixed, text=talk.turn.text), title)

    def turn_edit(self, talk: Talk, step: int) -> Edit:
        """Undo (-1) or redo (1); the cursor moves to the first entry that differs."""
        found = self.keeper.turn(talk.start, step, lambda turn: talk.composing(turn) is not talk)
        if found is None:
            return Edit(talk, NOTHING_TO_UNDO if step < 0 else NOTHING_TO_REDO, topic=TURNED)
        title, turn = found
        composed = talk.composing(turn)
        return Edit(composed, turned(title, step), _first_difference(talk, composed), topic=TURNED)

    # -- drafts -------------------------------------------------------------------------------------------------------

    def decide(self, talk: Talk, *, mine: bool, theirs: Turn | None) -> Edit:
        """Keep the turn composed here, or use the other program's."""
        if mine:
            self.keeper.keep(talk.turn.anew())
            return Edit(talk)
        return Edit(self.compose(talk, theirs or talk.start, "Use the other program's scene"))

    def _document(self, turn: Turn) -> Wire:
        # An unchanged initial turn needs no draft.
        start = self._starts.get(turn.character_id)
        return None if start is not None and turn == start.anew() else turn.payload()

    def _turn(self, document: Wire) -> Turn | None:
        try:
            return Turn.from_payload(document).anew()
        except ValueError as error:
            self._fail(f"Your earlier draft cannot be read: {error}")
            return None

    def _met(self, mine: Turn, theirs: Turn | None) -> None:
        if theirs == mine:
            self.keeper.seen(mine.character_id)
        else:
            self._met_elsewhere(mine, theirs)

    def _fail(self, message: str) -> None:
        if not self._failed:
            self._failed = True
            self._tell(message)


def _quoted(item: Item) -> str:
    return f"“{single_line(item.name, limit=40)}”"


def in_words(turn: Turn) -> str:
    actions, names = number_of(len(turn.actions), "action"), number_of(len(turn.targets), "name")
    said = f"“{single_line(turn.text, limit=200)}”" if turn.text else "no text"
    return f"{said}, {actions} and {names}"


def _first_difference(before: Talk, after: Talk) -> Place | None:
    """The first changed entry of the first changed list."""
    for group in Group:
        now, then = before.items(group), after.items(group)
        if now != then:
            pairs = enumerate(zip(now, then, strict=False))
            return Place(group, next((n for n, (one, other) in pairs if one != other), min(len(now), len(then))))
    return None
