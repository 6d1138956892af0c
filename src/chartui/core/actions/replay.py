"""Record turns and their action sequences, then replay and compare them.

``docs/scenes.md`` describes the format. Each turn is replayed with its recorded scene. Alternatively, one scene, such
as one with the character's current abilities, is used for all turns. In this case, the result also lists the entries
that this scene lacks, adds or describes differently.

Action sequences are compared line by line (decision 48), ignoring case and surrounding spaces. Spoken words are not
compared, because a language model rarely uses the same words twice.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from chartui.core.actions.reply import is_read, lines_of
from chartui.core.actions.scene_file import MEMBERS, ActionFileError, Members, members_of
from chartui.core.actions.turn import NEW_SESSION, Turn
from chartui.core.classes import NamedTuple, dataclass
from chartui.core.files import read_named
from chartui.core.spec.models.actions import ActionReply
from chartui.core.tables import Reader, as_toml, refuse_unknown, typed

FORMAT: Final = "chartui-replay"
VERSION: Final = 1
_OF_A_TURN: Final = ("expected", "after", "session")
_SEQUENCE: Final = "actionSequence"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A recorded turn and the lines of its action sequence.

    ``after`` is the number of the turn that this turn continues, or 0 if this turn starts a conversation. ``turn`` does
    not include the character or the session. ``session`` is the session of the recorded reply.
    """

    turn: Turn
    expected: tuple[str, ...]
    after: int = 0
    session: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """The contents of a replay file: the turns in order and, if known, the recorded character."""

    turns: tuple[Recorded, ...] = ()
    character_id: str = ""

    def after(self, session_id: str) -> int | None:
        """Return the number of the last recorded turn in a session.

        Returns 0 for a new session and None for a session that was not recorded. The next turn of the session is
        recorded as a continuation of the returned turn.
        """
        if session_id == NEW_SESSION:
            return 0
        numbers = [number for number, one in enumerate(self.turns, 1) if one.session == session_id]
        return numbers[-1] if numbers else None

    def having(self, turn: Turn, reply: ActionReply) -> Replay:
        """Return a copy of this replay with ``turn`` and its reply added.

        Raises ``ValueError`` if the start of the conversation was not recorded or the action sequence could not be
        read.
        """
        if not is_read(reply, _SEQUENCE):
            raise ValueError("the sequence of actions in the reply could not be read")
        after = self.after(turn.session_id)
        if after is None:
            raise ValueError(f"the start of conversation {turn.session_id!r} is not recorded on this machine")
        one = Recorded(
            turn=turn.anew(), expected=lines_of(reply.action_sequence), after=after, session=reply.session_id
        )
        return replace(self, turns=(*self.turns, one), character_id=self.character_id or turn.character_id)


def recording(exchanges: Iterable[tuple[Turn, ActionReply]]) -> Replay:
    """Return a recording of ``exchanges`` (turns with their replies).

    If the beginning of a conversation is missing from ``exchanges``, its first available turn is recorded as the start
    of a new conversation.
    """
    made = Replay()
    for turn, reply in exchanges:
        known = made.after(turn.session_id) is not None
        made = made.having(turn if known else turn.anew(), reply)
    return made


def replay_toml(made: Replay) -> str:
    """Format a replay as the text of a file.

    Raises ``ValueError`` for text with a lone surrogate, which TOML cannot contain.
    """
    first = made.turns[0].turn if made.turns else Turn(character_id="")
    top = {member: value for member, value in members_of(first).items() if member not in ("text", "multistep")}
    head = {"character": made.character_id} if made.character_id else {}
    turns = [_written(one, number, first) for number, one in enumerate(made.turns, 1)]
    return as_toml({"format": FORMAT, "version": VERSION, **head, **top, "turns": turns})


def _written(one: Recorded, number: int, first: Turn) -> dict[str, Any]:
    after = {} if one.after == number - 1 else {"after": one.after}
    session = {"session": one.session} if one.session else {}
    return {**members_of(one.turn, besides=first), "expected": list(one.expected), **after, **session}


def read_replay(path: Path) -> Replay | None:
    """Read a replay file, or return None if the file does not exist.

    Raises :class:`ActionFileError` if the file cannot be read or is invalid.
    """
    scene = ("actions", "objects", "characters")
    reader = Reader(path, FORMAT, VERSION, ("character", *scene, "turns"), read=read_named)
    if not reader.exists:
        return None
    members, table = Members(reader), reader.table
    wanted = "the ID of a character, as text"
    character_id = reader.take(typed, table.get("character", ""), str, "character", wanted) or ""
    first = members.turn({name: table[name] for name in scene if name in table}, Turn(character_id=""))
    turns = reader.take(typed, table.get("turns", []), list, "turns", "a list of tables") or []
    read = [_recorded(reader, members, one, number, first) for number, one in enumerate(turns, 1)]
    if not turns and not reader.found:
        reader.add("The file contains no turns to replay.")
    reader.check(ActionFileError)
    return Replay(turns=tuple(one for one in read if one is not None), character_id=character_id)


def _recorded(reader: Reader, members: Members, table: Any, number: int, first: Turn) -> Recorded | None:
    where = f"turns[{number - 1}]."
    if reader.take(typed, table, dict, where.rstrip("."), "a table") is None:
        return None
    reader.take(refuse_unknown, table, (*MEMBERS, *_OF_A_TURN), where.rstrip("."))
    for needed in ("text", "expected"):
        if needed not in table:
            reader.add(f"{where}{needed} is missing.")
    after = reader.take(typed, table.get("after", number - 1), int, f"{where}after", "the number of a turn")
    if after is not None and not 0 <= after < number:
        reader.add(f"{where}after must be the number of an earlier turn, or 0 for a new conversation.")
    return Recorded(
        turn=members.turn(table, first, where=where),
        expected=reader.texts_of(table, "expected", f"{where}expected"),
        after=after or 0,
        session=reader.text_of(table, "session", f"{where}session") or "",
    )


class Change(NamedTuple):
    """A step that differs between two action sequences.

    ``expected`` is None for an added step, and ``came`` is None for a missing step. ``step`` is the number of the step
    in the recorded sequence or, for an added step, in the new sequence.
    """

    step: int
    expected: str | None
    came: str | None

    def __str__(self) -> str:
        if self.expected is None:
            return f"step {self.step} is new: “{self.came}”"
        if self.came is None:
            return f"step {self.step} is missing: “{self.expected}”"
        return f"step {self.step} was “{self.expected}”, now “{self.came}”"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """The result of a replayed turn. ``turn`` is the turn as it was sent, without its character and session."""

    number: int
    recorded: Recorded
    turn: Turn
    reply: ActionReply

    @property
    def came(self) -> tuple[str, ...]:
        return lines_of(self.reply.action_sequence)

    @property
    def unread(self) -> bool:
        """Whether the comparison is impossible because the new sequence could not be read."""
        return not is_read(self.reply, _SEQUENCE)

    @property
    def same(self) -> bool:
        return not (self.unread or self.changes)

    @property
    def changes(self) -> tuple[Change, ...]:
        """The steps that changed. The result is empty if the sequence is unchanged or could not be read."""
        return () if self.unread else changes(self.recorded.expected, self.came)

    @property
    def scene_changes(self) -> tuple[str, ...]:
        return scene_changes(self.recorded.turn, self.turn)


def changes(expected: Sequence[str], came: Sequence[str]) -> tuple[Change, ...]:
    """Return the steps that differ between two action sequences, in order. Spaces and case are ignored."""
    from difflib import SequenceMatcher

    before, after = ([" ".join(line.split()).casefold() for line in lines] for lines in (expected, came))
    found: list[Change] = []
    for what, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if what == "equal":
            continue
        for old, new in zip_longest(range(i, j), range(k, m)):
            number = new if old is None else old
            found.append(Change(number + 1, None if old is None else expected[old], None if new is None else came[new]))
    return tuple(found)


def scene_changes(recorded: Turn, present: Turn) -> tuple[str, ...]:
    """Describe how a scene differs from the recorded scene.

    Return phrases, each naming an entry that was removed, added or described differently.
    """
    found: list[str] = []
    before, after = _scene(recorded), _scene(present)
    for kind, names in before.items():
        found += [f"{kind} “{name}” removed" for name in names if name not in after[kind]]
        found += [f"{kind} “{name}” added" for name in after[kind] if name not in names]
        changed = [name for name, detail in names.items() if after[kind].get(name, detail) != detail]
        found += [f"description of the {kind} “{name}” changed" for name in changed]
    return tuple(found)


def _scene(turn: Turn) -> Mapping[str, Mapping[str, str]]:
    return {
        "action": dict.fromkeys(turn.actions, ""),
        "object": {thing.name: thing.description for thing in turn.objects},
        "character": {person.name: person.bio for person in turn.people},
    }


async def replay(
    made: Replay, character_id: str, respond: Callable[[Turn], Awaitable[ActionReply]], *, scene: Turn | None = None
) -> AsyncIterator[Replayed]:
    """Send all turns again, one by one, grouped into conversations as recorded.

    Every turn uses the actions, objects and characters of ``scene`` or, if ``scene`` is None, those recorded with the
    turn. ``respond`` is the function that sends a turn. Its errors are passed on to the caller.
    """
    sessions: dict[int, str] = {0: NEW_SESSION}
    for number, one in enumerate(made.turns, 1):
        turn = one.turn
        if scene is not None:
            turn = replace(turn, actions=scene.actions, objects=scene.objects, people=scene.people)
        reply = await respond(replace(turn, character_id=character_id, session_id=sessions[one.after]))
        sessions[number] = reply.session_id or NEW_SESSION
        yield Replayed(number=number, recorded=one, turn=turn, reply=reply)


def again(made: Replay, replayed: Iterable[Replayed]) -> Replay:
    """Return a copy of ``made`` with its scenes and action sequences replaced by those of the replay.

    If the new sequence of a turn could not be read, the turn stays unchanged.
    """
    came: Mapping[int, Replayed] = {one.number: one for one in replayed}
    turns = tuple(
        replace(one, turn=here.turn, expected=here.came, session=here.reply.session_id)
        if (here := came.get(number)) and not here.unread
        else one
        for number, one in enumerate(made.turns, 1)
    )
    return replace(made, turns=turns)
