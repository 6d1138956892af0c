"""Drafts: what is staged and not applied yet, with every step that led to it, kept until it is applied or discarded.

A row per profile, base URL, character and part of it, and a row per step of its history. Each change writes the steps
that it makes and removes those that it cuts off, in one transaction. A draft outlives the program that wrote it,
whichever way that one ended; the next one offers it again, and undo continues where it stopped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from chartui.core.clock import Clock, system_clock
from chartui.core.damage import Schema
from chartui.core.database import Database, OwnThread
from chartui.core.edit_history import EARLIER, BadChange, Change, EditHistory, Step
from chartui.core.jsontext import NotJson, Wire, dumps, loads
from chartui.core.profiles import Place
from chartui.core.spec.errors import ErrorKind, ServiceError

SCHEMA: Final = Schema(
    "drafts",
    0x63685464,  # "chTd"
    (
        (
            # A number is given once and never again, so that a draft that was dropped and begun anew is another one.
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
            # The document of a draft is what its steps make, as far as its position, of JSON's null.
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
    """One draft as it lies in the file.

    ``revision`` is another one at every save. ``at`` is when it was saved (ISO 8601, with zone).
    """

    place: Place
    character_id: str
    part: str
    history: EditHistory
    revision: int
    at: str

    @property
    def document(self) -> Wire:
        """What is staged: whatever JSON its owner makes of it; None where everything was undone or reverted."""
        return self.history.document


class Drafts:
    """The drafts in the file ``path``, of which nothing is touched before the first call.

    Private to its owner, for several programs at once. Every method raises :class:`ServiceError`: ``busy`` when another
    program kept the file for ``busy_timeout`` seconds, ``broken`` when it cannot be used.
    """

    def __init__(self, path: Path, clock: Clock = system_clock, *, busy_timeout: float = 5.0) -> None:
        self._path = path
        self._thread = OwnThread(lambda: _DraftRows(path, clock, busy_timeout), name="drafts")

    async def save(
        self, place: Place, character_id: str, part: str, document: Wire, *, revision: int | None = None
    ) -> Draft:
        """Keep ``document`` as a draft of one step; otherwise as :meth:`save_history`."""
        return await self.save_history(place, character_id, part, EditHistory.of(document), revision=revision)

    async def save_history(
        self,
        place: Place,
        character_id: str,
        part: str,
        history: EditHistory,
        *,
        since: EditHistory | None = None,
        revision: int | None = None,
    ) -> Draft:
        """Keep a history, on the disk when this returns, in the place of what was kept before.

        With the ``revision`` that the caller read last, 0 for none: where another program has saved or dropped the
        draft since, nothing is written and :class:`ServiceError` (kind ``conflict``) says so. Without it the last one
        to write wins. ``since`` is the history of that revision: only steps that differ from it are written.
        """
        row = (place.profile, place.base, character_id, part)
        return await self._thread.run(lambda rows: rows.save(row, history, since if revision else None, revision))

    async def load(self, place: Place, character_id: str, part: str) -> Draft | None:
        """The draft of one part of a character; None where nothing is staged."""
        found = await self.all(place, character_id=character_id, part=part)
        return found[0] if found else None

    async def discard(self, place: Place, character_id: str, part: str, *, revision: int | None = None) -> None:
        """Drop a draft and its history; with ``revision`` as :meth:`save`. One that is not there is no mistake."""
        if self._path.exists():
            row = (place.profile, place.base, character_id, part)
            await self._thread.run(lambda rows: rows.discard(row, revision))

    async def all(
        self, place: Place, *, character_id: str | None = None, part: str | None = None, undone: bool = False
    ) -> tuple[Draft, ...]:
        """The drafts of a profile to which everything given applies, in the order they were saved.

        With ``undone`` also those of which nothing is staged any more, and whose steps can be undone or redone.
        """
        if not self._path.exists():  # nothing was ever written, and no file is made by asking
            return ()
        wanted = {"profile": place.profile, "base": place.base, "character_id": character_id, "part": part}
        found = await self._thread.run(lambda rows: tuple(rows.find(wanted)))
        return tuple(draft for draft in found if undone or draft.document is not None)

    async def aclose(self) -> None:
        await self._thread.aclose()


_Row = tuple[str, str, str, str]
_IS_ROW: Final = "profile = ? AND base = ? AND character_id = ? AND part = ?"


class _DraftRows:
    """The open file, in its thread."""

    def __init__(self, path: Path, clock: Clock, busy_timeout: float) -> None:
        self._path = path
        self._clock = clock
        self._database = Database(path, SCHEMA, busy_timeout=busy_timeout)

    def close(self) -> None:
        self._database.close()

    def save(self, row: _Row, history: EditHistory, since: EditHistory | None, revision: int | None) -> Draft:
        before = since.steps if since is not None else ()
        # A step that was kept is the same object; whatever else there is takes its place.
        steps = [
            (number, step.title, _text(step.changes))
            for number, step in enumerate(history.steps)
            if number >= len(before) or before[number] is not step
        ]
        at = self._clock().isoformat(timespec="seconds")
        with self._writing(row, revision) as connection:
            if since is None:
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
        profile, base, character_id, part = row
        return Draft(
            place=Place(profile, base),
            character_id=character_id,
            part=part,
            history=history,
            revision=number,
            at=at,
        )

    def discard(self, row: _Row, revision: int | None) -> None:
        with self._writing(row, revision) as connection:
            connection.execute(f"DELETE FROM drafts WHERE {_IS_ROW}", row)  # noqa: S608 - a constant

    @contextmanager
    def _writing(self, row: _Row, revision: int | None) -> Iterator[Any]:
        """A change of one draft, unless another program has changed it since ``revision``."""
        with self._database.writing() as connection:
            if revision is not None:
                found = connection.execute(f"SELECT revision FROM drafts WHERE {_IS_ROW}", row)  # noqa: S608 - constant
                [(present,)] = found.fetchall() or [(0,)]
                if present != revision:
                    what = "changed" if present else "sent or dropped"
                    message = f"Another program has {what} this draft meanwhile; nothing was written over it."
                    raise ServiceError(ErrorKind.CONFLICT, message, sent="no")
            yield connection

    def find(self, wanted: Mapping[str, str | None]) -> Iterator[Draft]:
        given = {column: value for column, value in wanted.items() if value is not None}
        condition = " AND ".join(f"{column} = ?" for column in given)
        columns = "profile, base, character_id, part, id, position, revision, at"
        with self._database.reading() as connection:
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
        raise NotJson(f"the steps of a draft do not follow from one another ({error})") from None


def _text(changes: Sequence[Change]) -> str:
    try:
        text = dumps(changes)
        loads(text)  # what cannot be read again is not kept
        return text
    except NotJson as error:
        raise ServiceError(ErrorKind.INVALID, f"This cannot be kept as a draft: {error}.", sent="no") from None
