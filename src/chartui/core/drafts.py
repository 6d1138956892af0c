"""Save drafts, which are staged changes with their edit history, until they are applied or discarded.

The file has one row per draft (keyed by profile, base URL, character and part) and one row per step of the draft's
history. Each change writes the new steps and removes the steps that they replace, in one transaction. Drafts survive a
crash of the program. They are offered again, with their undo history, at the next start.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from chartui.core.classes import dataclass
from chartui.core.clock import Clock, system_clock
from chartui.core.damage import Schema
from chartui.core.database import Database
from chartui.core.edit_history import EARLIER, BadChange, Change, EditHistory, Step
from chartui.core.jsontext import NotJson, Wire, dumps, loads
from chartui.core.own_thread import OwnFile, if_begun, in_thread
from chartui.core.profiles import Place
from chartui.core.spec.errors import ErrorKind, ServiceError

#: The name under which drafts of stories are saved.
STORY_PART: Final = "narrative"
SCHEMA: Final = Schema(
    "drafts",
    0x63685464,  # "chTd"
    (
        (
            # Numbers are never reused, so a draft that was discarded and started again has a different number.
            """
            CREATE TABLE drafts (
                revision INTEGER PRIMARY KEY AUTOINCREMENT,
                at TEXT NOT NULL,
                profile TEXT NOT NULL,
                base TEXT NOT NULL,
                character_id TEXT NOT NULL,
                part TEXT NOT NULL,
                document TEXT NOT NULL,
                UNIQUE (profile, base, character_id, part)
            )
            """,
        ),
        (
            "ALTER TABLE drafts RENAME TO documents",
            """
            CREATE TABLE drafts (
                id INTEGER PRIMARY KEY,
                revision INTEGER NOT NULL,
                at TEXT NOT NULL,
                profile TEXT NOT NULL,
                base TEXT NOT NULL,
                character_id TEXT NOT NULL,
                part TEXT NOT NULL,
                position INTEGER NOT NULL,
                UNIQUE (profile, base, character_id, part)
            )
            """,
            # The document of a draft is not stored. It is the result of applying the steps up to the draft's position,
            # starting from null.
            """
            CREATE TABLE steps (
                draft INTEGER NOT NULL REFERENCES drafts (id) ON DELETE CASCADE,
                number INTEGER NOT NULL,
                title TEXT NOT NULL,
                changes TEXT NOT NULL,
                PRIMARY KEY (draft, number)
            )
            """,
            "CREATE TABLE revisions (last INTEGER NOT NULL)",
            "INSERT INTO revisions SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'documents'",
            "INSERT INTO drafts SELECT revision, revision, at, profile, base, character_id, part, 1 FROM documents",
            f"""
            INSERT INTO steps
            SELECT revision, 0, '{EARLIER}', '[{{"path": [], "old": null, "new": ' || document || '}}]' FROM documents
            """,  # noqa: S608 - a constant
            "DROP TABLE documents",
        ),
    ),
    documents={"steps.changes": lambda value: isinstance(value, list)},
    content="drafts",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A saved draft.

    ``revision`` changes with every save. ``at`` is the time of the last save (ISO 8601, with time zone).
    """

    place: Place
    character_id: str
    part: str
    history: EditHistory
    revision: int
    at: str

    @property
    def document(self) -> Wire:
        """The staged changes as JSON, or None if all of them were undone or reverted.

        The format depends on which part of the character the draft changes.
        """
        return self.history.document


_Row = tuple[str, str, str, str]
_IS_ROW: Final = "profile = ? AND base = ? AND character_id = ? AND part = ?"


class Drafts(OwnFile):
    """The drafts in the file ``path``, which is opened on first use. Only the owner of the file can read it.

    Several programs may share the file. Every method can raise :class:`ServiceError`, with the kind ``busy`` if another
    program locks the file for too long, or with the kind ``broken`` if the file is unusable.
    """

    def __init__(self, path: Path, clock: Clock = system_clock) -> None:
        super().__init__(path, lambda: Database(path, SCHEMA), name="drafts")
        self._clock = clock

    async def save(
        self, place: Place, character_id: str, part: str, document: Wire, *, revision: int | None = None
    ) -> Draft:
        """Save ``document`` as a draft whose history has one step.

        The other parameters are described in :meth:`save_history`.
        """
        return await self.save_history(place, character_id, part, EditHistory.of(document), revision=revision)

    @in_thread
    def save_history(
        self,
        file: Database,
        place: Place,
        character_id: str,
        part: str,
        history: EditHistory,
        *,
        since: EditHistory | None = None,
        revision: int | None = None,
    ) -> Draft:
        """Save the history of a draft, replacing its earlier history.

        The new history is on disk when this method returns. ``revision`` is the last revision that the caller read, or
        0 if there was no draft. If another program has saved or discarded the draft since then, nothing is written and
        :class:`ServiceError` (kind ``conflict``) is raised. If ``revision`` is None, the draft is always replaced.
        ``since`` is the history at ``revision``. Only steps that differ from ``since`` are written.
        """
        row = (*place, character_id, part)
        before = since.steps if since is not None and revision else ()
        # Unchanged steps are the same objects; all others are rewritten.
        steps = [
            (number, step.title, _text(step.changes))
            for number, step in enumerate(history.steps)
            if number >= len(before) or before[number] is not step
        ]
        at = self._clock().isoformat(timespec="seconds")
        with _writing(file, row, revision) as connection:
            if since is None or not revision:
                connection.execute(f"DELETE FROM drafts WHERE {_IS_ROW}", row)  # noqa: S608 - a constant
            [(number,)] = connection.execute("UPDATE revisions SET last = last + 1 RETURNING last").fetchall()
            saved = connection.execute(
                "INSERT INTO drafts (revision, at, position, profile, base, character_id, part) "
                "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (profile, base, character_id, part) DO UPDATE "
                "SET revision = excluded.revision, at = excluded.at, position = excluded.position RETURNING id",
                (number, at, history.position, *row),
            )
            [(draft,)] = saved.fetchall()
            connection.execute("DELETE FROM steps WHERE draft = ? AND number >= ?", (draft, len(history.steps)))
            connection.executemany(
                "INSERT OR REPLACE INTO steps (draft, number, title, changes) VALUES (?, ?, ?, ?)",
                [(draft, *step) for step in steps],
            )
        return Draft(place=place, character_id=character_id, part=part, history=history, revision=number, at=at)

    async def load(self, place: Place, character_id: str, part: str) -> Draft | None:
        """Return the draft for one part of a character, or None if nothing is staged."""
        found = await self.all(place, character_id=character_id, part=part)
        return found[0] if found else None

    @if_begun(None)
    def discard(
        self, file: Database, place: Place, character_id: str, part: str, *, revision: int | None = None
    ) -> None:
        """Discard a draft and its history, if they exist. ``revision`` is described in :meth:`save_history`."""
        row = (*place, character_id, part)
        with _writing(file, row, revision) as connection:
            connection.execute(f"DELETE FROM drafts WHERE {_IS_ROW}", row)  # noqa: S608 - a constant

    @if_begun(())
    def all(
        self,
        file: Database,
        place: Place,
        *,
        character_id: str | None = None,
        part: str | None = None,
        undone: bool = False,
    ) -> tuple[Draft, ...]:
        """Return the drafts of a profile that match all given arguments, in the order they were saved.

        If ``undone`` is set, the result includes drafts that have nothing staged but have undone steps that can be
        redone.
        """
        wanted = {"profile": place.profile, "base": place.base, "character_id": character_id, "part": part}
        return tuple(draft for draft in _found(file, wanted) if undone or draft.document is not None)


@contextmanager
def _writing(file: Database, row: _Row, revision: int | None) -> Iterator[Any]:
    """Change one draft in a transaction, unless another program has changed it since ``revision``."""
    with file.writing() as connection:
        if revision is not None:
            found = connection.execute(f"SELECT revision FROM drafts WHERE {_IS_ROW}", row)  # noqa: S608 - constant
            [(present,)] = found.fetchall() or [(0,)]
            if present != revision:
                what = "changed" if present else "applied or discarded"
                message = f"Another program has {what} this draft. Nothing was overwritten."
                raise ServiceError(ErrorKind.CONFLICT, message, sent="no")
        yield connection


def _found(file: Database, wanted: Mapping[str, str | None]) -> Iterator[Draft]:
    given = {column: value for column, value in wanted.items() if value is not None}
    condition = " AND ".join(f"{column} = ?" for column in given)
    columns = "profile, base, character_id, part, id, position, revision, at"
    with file.reading() as connection:
        found = connection.execute(
            f"SELECT {columns} FROM drafts WHERE {condition} ORDER BY revision",  # noqa: S608 - names of ours
            tuple(given.values()),
        )
        for profile, base, character_id, part, draft, position, revision, at in found.fetchall():
            steps = connection.execute(
                "SELECT title, changes FROM steps WHERE draft = ? ORDER BY number", (draft,)
            ).fetchall()
            yield Draft(
                place=Place(profile, base),
                character_id=character_id,
                part=part,
                history=_replayed(steps, position),
                revision=revision,
                at=at,
            )


def _replayed(rows: Sequence[tuple[str, str]], position: int) -> EditHistory:
    try:
        return EditHistory.replayed(tuple(Step(title, tuple(loads(changes))) for title, changes in rows), position)
    except (BadChange, TypeError) as error:
        raise NotJson(f"the steps of the draft are inconsistent ({error})") from None


def _text(changes: Sequence[Change]) -> str:
    try:
        text = dumps(changes)
        loads(text)  # Text that could not be read again is never stored.
        return text
    except NotJson as error:
        raise ServiceError(ErrorKind.INVALID, f"The changes cannot be saved as a draft: {error}.", sent="no") from None
