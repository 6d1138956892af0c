"""Read and write scene files. A scene consists of a line to say and lists of actions, objects and characters.

``docs/scenes.md`` describes the format. Every scene can be saved, even one that a service would reject. All errors in a
file are reported together, and a single error causes the whole file to be rejected.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from chartui.core.actions.turn import Turn
from chartui.core.files import read_named
from chartui.core.spec.models.actions import Person, Thing
from chartui.core.tables import BadFile, Mistakes, Reader, file_text, refuse_unknown, typed

FORMAT: Final = "chartui-scene"
VERSION: Final = 1
#: The members of a turn, by their names in a file.
MEMBERS: Final = ("text", "multistep", "actions", "objects", "characters")


class ActionFileError(BadFile):
    """Raised if a scene file or a replay file cannot be used."""


def read_scene(path: Path) -> Turn:
    """Read a turn from a scene file. The turn has no character yet. Raises :class:`ActionFileError`."""
    reader = Reader(path, FORMAT, VERSION, MEMBERS, read=read_named)
    if not reader.exists:
        reader.add("no such file.")
    turn = Members(reader).turn(reader.table, Turn(character_id=""))
    reader.check(ActionFileError)
    return turn


class Members:
    """Reads the fields of turns from TOML tables and collects the errors in ``mistakes``."""

    def __init__(self, mistakes: Mistakes) -> None:
        self._mistakes = mistakes
        self._take = mistakes.take

    def turn(self, table: Mapping[str, Any], otherwise: Turn, *, where: str = "") -> Turn:
        """Build a turn from a TOML table.

        ``otherwise`` is the turn that provides the fields missing from the table. ``where`` is a prefix for the names
        of fields in error messages.
        """
        given: dict[str, Any] = {}
        if "text" in table:
            given["text"] = self._mistakes.text_of(table, "text", f"{where}text") or ""
        if "multistep" in table:
            given["multistep"] = self._mistakes.flag_of(table, "multistep", f"{where}multistep")
        if "actions" in table:
            given["actions"] = self._mistakes.texts_of(table, "actions", f"{where}actions")
        if "objects" in table:
            pairs = self._pairs(table, "objects", "description", where)
            given["objects"] = tuple(Thing(name=name, description=rest) for name, rest in pairs)
        if "characters" in table:
            pairs = self._pairs(table, "characters", "bio", where)
            given["people"] = tuple(Person(name=name, bio=rest) for name, rest in pairs)
        return replace(otherwise, **given)

    def _pairs(self, table: Mapping[str, Any], member: str, detail: str, where: str) -> list[tuple[str, str]]:
        wanted = f"a list of tables with a name and a {detail}"
        pairs = []
        for position, entry in enumerate(self._take(typed, table[member], list, f"{where}{member}", wanted) or []):
            place = f"{where}{member}[{position}]"
            if self._take(typed, entry, dict, place, f"a table with a name and a {detail}") is None:
                continue
            self._take(refuse_unknown, entry, ("name", detail), place)
            if "name" not in entry:
                self._mistakes.add(f'{place}.name is missing; write name = "…".')
            read = [self._mistakes.text_of(entry, key, f"{place}.{key}") or "" for key in ("name", detail)]
            pairs.append((read[0], read[1]))
        return pairs


def members_of(turn: Turn, *, besides: Turn | None = None) -> dict[str, Any]:
    """Return the fields of a turn in the format of a scene file.

    ``besides`` is the turn whose lists are at the top of the file. Lists that equal those of ``besides`` are omitted.
    """
    lists = {
        "actions": list(turn.actions),
        "objects": [{"name": thing.name, "description": thing.description} for thing in turn.objects],
        "characters": [{"name": person.name, "bio": person.bio} for person in turn.people],
    }
    if besides is not None:
        same = members_of(besides)
        lists = {member: value for member, value in lists.items() if value != same[member]}
    # A scene file without ``multistep`` requests actions, which is the default.
    return {"text": turn.text, **({} if turn.multistep else {"multistep": False}), **lists}


def scene_toml(turn: Turn) -> str:
    """Format a turn as the text of a scene file.

    Raises ``ValueError`` for text with a lone surrogate, which TOML cannot contain.
    """
    return file_text(FORMAT, VERSION, members_of(turn))


def scene_members() -> dict[str, Any]:
    """Return the JSON Schemas of a turn's fields, keyed by their names in a scene file."""
    from chartui.core.schemas import TEXT, TEXTS, list_of, table

    return {
        "text": {**TEXT, "description": "The line to say."},
        "multistep": {"type": "boolean", "description": "Whether to request actions.", "default": True},
        "actions": TEXTS,
        "objects": list_of(table({"name": TEXT, "description": TEXT}, needed=("name",))),
        "characters": list_of(table({"name": TEXT, "bio": TEXT}, needed=("name",))),
    }


def scene_schema() -> dict[str, Any]:
    from chartui.core.schemas import document

    return document("A turn to send to a character", FORMAT, VERSION, scene_members())
