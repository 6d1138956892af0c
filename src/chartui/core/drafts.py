"""Drafts: what somebody has begun to change and not yet sent, kept until it is sent or dropped (DESIGN 6).

A row per profile, base URL, character and part of it, written at every change. A draft outlives the program that wrote
it, whichever way that one ended; the next one offers it again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from chartui.core.clock import Clock, system_clock
from chartui.core.database import Database, OwnThread, Schema
from chartui.core.jsontext import NotJson, Wire, dumps, loads
from chartui.core.profiles import Place
from chartui.core.spec.errors import ErrorKind, ServiceError

__all__ = ["SCHEMA", "Draft", "Drafts"]

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
    ),
    documents={"drafts.document": lambda _: True},
    content="drafts",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One draft as it lies in the file.

    ``document`` is whatever JSON its owner makes of it. ``revision`` is another one at every save. ``at`` is when it
    was saved (ISO 8601, with zone).
    """

    place: Place
    character_id: str
    part: str
    document: Wire
    revision: int
    at: str


class Drafts:
    """The drafts in the file ``path``, of which nothing is touched before the first call.

    Private to its owner, for several programs at once. Every method raises :class:`ServiceError`: ``busy`` when another
    program kept the file for ``busy_timeout`` seconds, ``broken`` when it cannot be used.
    """

    def __init__(self, path: Path, clock: Clock = system_clock, *, busy_timeout: float = 5.0) -> None:
        self._path = path
        self._thread = OwnThread(lambda: _Rows(path, clock, busy_timeout), name="drafts")

    async def save(
        self, place: Place, character_id: str, part: str, document: Wire, *, revision: int | None = None
    ) -> Draft:
        """Keep ``document``, on the disk when this returns, in the place of what was kept before.

        With the ``revision`` that the caller read last, 0 for none: where another program has saved or dropped the
        draft since, nothing is written and :class:`ServiceError` (kind ``conflict``) says so. Without it the last one
        to write wins.
        """
        row = (place.profile, place.base, character_id, part)
        return await self._thread.run(lambda rows: rows.save(row, document, revision))

    async def load(self, place: Place, character_id: str, part: str) -> Draft | None:
        """The draft of one part of a character, or None."""
        found = await self.all(place, character_id=character_id, part=part)
        return found[0] if found else None

    async def discard(self, place: Place, character_id: str, part: str, *, revision: int | None = None) -> None:
        """Drop a draft; with ``revision`` as :meth:`save`. One that is not there is no mistake."""
        if self._path.exists():
            row = (place.profile, place.base, character_id, part)
            await self._thread.run(lambda rows: rows.discard(row, revision))

    async def all(self, place: Place, *, character_id: str | None = None, part: str | None = None) -> tuple[Draft, ...]:
        """The drafts of a profile to which everything given applies, oldest first."""
        if not self._path.exists():  # nothing was ever written, and no file is made by asking
            return ()
        wanted = {"profile": place.profile, "base": place.base, "character_id": character_id, "part": part}
        return await self._thread.run(lambda rows: tuple(rows.find(wanted)))

    async def aclose(self) -> None:
        """Let go of the file; safe to call twice. A later call opens it again."""
        await self._thread.aclose()


_Row = tuple[str, str, str, str]
_IS_ROW: Final = "profile = ? AND base = ? AND character_id = ? AND part = ?"


class _Rows:
    """The open file, in its thread."""

    def __init__(self, path: Path, clock: Clock, busy_timeout: float) -> None:
        self._path = path
        self._clock = clock
        self._database = Database(path, SCHEMA, busy_timeout=busy_timeout)

    def close(self) -> None:
        self._database.close()

    def save(self, row: _Row, document: Wire, revision: int | None) -> Draft:
        text, at = _text(document), self._clock().isoformat(timespec="seconds")
        with self._writing(row, revision) as connection:
            saved = connection.execute(
                "INSERT OR REPLACE INTO drafts (at, profile, base, character_id, part, document) "
                "VALUES (?, ?, ?, ?, ?, ?) RETURNING revision",
                (at, *row, text),
            )
            [(number,)] = saved.fetchall()
        profile, base, character_id, part = row
        return Draft(
            place=Place(profile, base),
            character_id=character_id,
            part=part,
            document=document,
            revision=number,
            at=at,
        )

    def discard(self, row: _Row, revision: int | None) -> None:
        with self._writing(row, revision) as connection:
            connection.execute(f"DELETE FROM drafts WHERE {_IS_ROW}", row)  # noqa: S608 - a constant

    @contextmanager
    def _writing(self, row: _Row, revision: int | None) -> Iterator[Any]:
        """A change of one row, unless somebody else has changed it since ``revision``."""
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
        columns = "profile, base, character_id, part, document, revision, at"
        with self._database.reading() as connection:
            found = connection.execute(
                f"SELECT {columns} FROM drafts WHERE {condition} ORDER BY revision",  # noqa: S608 - names of ours
                tuple(given.values()),
            )
            for profile, base, character_id, part, document, revision, at in found.fetchall():
                yield Draft(
                    place=Place(profile, base),
                    character_id=character_id,
                    part=part,
                    document=loads(document),
                    revision=revision,
                    at=at,
                )


def _text(document: Wire) -> str:
    try:
        text = dumps(document)
        loads(text)  # what cannot be read again is not kept
        return text
    except NotJson as error:
        raise ServiceError(ErrorKind.INVALID, f"This cannot be kept as a draft: {error}.", sent="no") from None
