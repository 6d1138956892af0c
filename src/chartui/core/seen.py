"""Remember how each character was last seen on this machine, to report later changes.

A file contains the values of every character that was opened, grouped by profile and base URL. Short settings are
stored in full. Text written by users is stored only as a keyed digest, which shows whether the text has changed but
reveals nothing else. Every machine's file has its own key, so digests from different machines cannot be compared, and
precomputed tables of digests are useless. Only the owner can read the file. The number of remembered characters is
limited. The characters that have not been seen for the longest time are removed first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import UTC
from pathlib import Path
from typing import Any, Final

from chartui.core.classes import NamedTuple
from chartui.core.clock import Clock, system_clock
from chartui.core.damage import Schema, is_object
from chartui.core.database import Database
from chartui.core.jsontext import Wire, dumps, loads, same
from chartui.core.own_thread import OwnFile, if_begun, in_thread
from chartui.core.profiles import Place

#: The maximum number of characters remembered for all profiles together.
MOST: Final = 2_000
#: The maximum number of members remembered individually for each character. All others count as a single member called
#: :data:`REST`.
_MOST_MEMBERS: Final = 400
REST: Final = "…"
#: The maximum length of a stored value as JSON, in characters.
_SHORT: Final = 80
_DIGEST_BYTES: Final = 12

#: Reading the story of every character that is opened would cost two more requests, so only the record is compared.
UNWATCHED: Final = "Changes to the story are not tracked."

#: The time of the last conversation does not count as a change of the character.
_PASSING: Final = frozenset({"last_interacted_with"})
_CONFIG: Final = "personalised_prompt_config."
_TRAITS: Final = "character_traits.personality_traits."
#: Members whose values are stored: settings, but not text written by users such as prompts, phrases and descriptions.
_KEPT: Final = frozenset(
    {
        "character_name",
        "listing",
        "model_type",
        "voice_type",
        "voice_pitch",
        "language_code",
        "language_codes",
        "is_narrative_driven",
        "start_narrative_section_id",
        "memory_settings.enabled",
        "guardrail_meta.limitResponseLevel",
        "reasoning_effort",
        *(
            _CONFIG + name
            for name in (
                "MODEL",
                "TEMPERATURE",
                "VERBOSITY",
                "MODERATION_ENABLED",
                "USE_COMBINED_PROMPT",
                "ALLOWED_MODERATION_FILTERS",
                "USE_ACTION_OPTMIZED_PROMPT",
            )
        ),
        *(_TRAITS + name for name in ("openness", "sensitivity", "extraversion", "agreeableness", "meticulousness")),
    }
)

SCHEMA: Final = Schema(
    "seen",
    0x63685465,  # "chTe"
    (
        (
            # Numbers are never reused, so the lowest number belongs to the character that was not seen for the longest
            # time.
            """
            CREATE TABLE seen (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                at TEXT NOT NULL,
                profile TEXT NOT NULL,
                base TEXT NOT NULL,
                character_id TEXT NOT NULL,
                name TEXT NOT NULL,
                members TEXT NOT NULL,
                UNIQUE (profile, base, character_id)
            )
            """,
            "CREATE TABLE secret (key BLOB NOT NULL)",
            "INSERT INTO secret VALUES (randomblob(32))",
        ),
    ),
    documents={"seen.members": lambda value: is_object(value) and all(map(_is_kept, value.values()))},
    content="seen",
)


class Changed(NamedTuple):
    """A changed field of a character's record.

    ``before`` is the earlier value. If that value was not stored, ``kept`` is False and ``before`` is None. ``was``
    says whether the field existed before, and ``there`` says whether it exists now.
    """

    path: str
    before: Wire
    kept: bool
    was: bool
    there: bool


class Since(NamedTuple):
    """The changes to a character since it was last seen on this machine.

    ``at`` is the time when it was last seen (ISO 8601 in UTC).
    """

    at: str
    changed: tuple[Changed, ...]


class SeenOnce(NamedTuple):
    """A remembered character, with its name and the time when it was last seen."""

    character_id: str
    name: str
    at: str


_IS_ROW: Final = "profile = ? AND base = ? AND character_id = ?"


class Seen(OwnFile):
    """A file that stores how each character was last seen.

    ``path`` is the path of the file. The file is opened on the first call. Only its owner can read it, but several
    programs may share it. The fields of a character's record are identified by path, as in
    :func:`chartui.core.characters.comparison.members`. Every method raises
    :class:`~chartui.core.spec.errors.ServiceError`: ``busy`` if another program locks the file for too long, or
    ``broken`` if the file is unusable.
    """

    def __init__(self, path: Path, clock: Clock = system_clock) -> None:
        super().__init__(path, lambda: Database(path, SCHEMA), name="seen")
        self._clock = clock

    @if_begun(None)
    def since(self, file: Database, place: Place, character_id: str, now: Mapping[str, Wire]) -> Since | None:
        """Return the changes since a character was last seen, or None if it was never seen. Nothing is written."""
        with file.reading() as connection:
            sql = f"SELECT at, members, key FROM seen, secret WHERE {_IS_ROW}"  # noqa: S608 - a constant
            for at, text, key in connection.execute(sql, (*place, character_id)):
                return Since(at, tuple(_changes(loads(text), _remembered(now, key))))
            return None

    @in_thread
    def remember(self, file: Database, place: Place, character_id: str, name: str, now: Mapping[str, Wire]) -> None:
        """Remember the current state of a character. Its earlier state is replaced."""
        at = self._clock().astimezone(UTC).isoformat(timespec="seconds")
        with file.writing() as connection:
            (key,) = connection.execute("SELECT key FROM secret").fetchone()
            connection.execute(
                "INSERT OR REPLACE INTO seen (at, profile, base, character_id, name, members) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (at, *place, character_id, name, dumps(_remembered(now, key))),
            )
            connection.execute(
                "DELETE FROM seen WHERE number <= (SELECT number FROM seen ORDER BY number DESC LIMIT 1 OFFSET ?)",
                (MOST,),
            )

    @if_begun(())
    def all(self, file: Database, place: Place) -> tuple[SeenOnce, ...]:
        """Return the remembered characters of a profile, most recently seen first."""
        with file.reading() as connection:
            found = connection.execute(
                "SELECT character_id, name, at FROM seen WHERE profile = ? AND base = ? ORDER BY number DESC", place
            )
            return tuple(map(SeenOnce._make, found))

    @if_begun(0)
    def forget(self, file: Database, place: Place, character_ids: Collection[str] | None = None) -> int:
        """Forget the given characters of a profile, or all characters of the profile if None is given.

        Returns the number of forgotten characters.
        """
        with file.writing() as connection:
            if character_ids is None:
                return connection.execute("DELETE FROM seen WHERE profile = ? AND base = ?", place).rowcount
            sql = f"DELETE FROM seen WHERE {_IS_ROW}"  # noqa: S608 - a constant
            return sum(connection.execute(sql, (*place, character_id)).rowcount for character_id in character_ids)


def _is_kept(value: Wire) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and len(value) == 1)


def _remembered(now: Mapping[str, Wire], key: bytes) -> dict[str, Wire]:
    """Return the stored form of every member: a digest as text, or its value in a list of one element."""
    wanted = sorted(now.keys() - _PASSING)
    found: dict[str, Wire] = {path: _kept(path, now[path], key) for path in wanted[:_MOST_MEMBERS]}
    if rest := wanted[_MOST_MEMBERS:]:
        found[REST] = _digest({path: now[path] for path in rest}, key)
    return found


def _kept(path: str, value: Wire, key: bytes) -> Wire:
    return [value] if path in _KEPT and len(dumps(value)) <= _SHORT else _digest(value, key)


def _digest(value: Wire, key: bytes) -> str:
    from hashlib import blake2b

    text = dumps(_ordered(value)).encode("utf-8")
    return blake2b(text, key=key, digest_size=_DIGEST_BYTES).hexdigest()


def _ordered(value: Wire) -> Wire:
    """Return the value with sorted object members, so that equal values have equal digests."""
    if isinstance(value, Mapping):
        return {name: _ordered(value[name]) for name in sorted(value)}
    return [_ordered(item) for item in value] if isinstance(value, list | tuple) else value


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Changed]:
    for path in {**after, **before}:
        was, there = path in before, path in after
        if was and there and same(before[path], after[path]):
            continue
        kept = was and isinstance(before[path], list)
        yield Changed(path, before[path][0] if kept else None, kept, was, there)
