"""The database files of a profile: which there are, and what kind each is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from chartui.core import drafts, seen
from chartui.core.damage import Schema
from chartui.core.journal.records import SCHEMA as JOURNAL
from chartui.core.profiles import Profile
from chartui.core.session import drafts_path, journal_path, seen_path, store_path

__all__ = ["DataFile", "data_files"]


@dataclass(frozen=True, slots=True)
class DataFile:
    """One file: where it is, and its schema, whose ``what`` names it."""

    path: Path
    schema: Schema

    @property
    def what(self) -> str:
        """The word for it: ``store``, ``journal``, ``drafts`` or ``seen``."""
        return self.schema.what


def data_files(profile: Profile) -> tuple[DataFile, ...]:
    """The files that a profile works with: its store, where it has one, and those that all profiles share."""
    shared = (
        DataFile(journal_path(), JOURNAL),
        DataFile(drafts_path(), drafts.SCHEMA),
        DataFile(seen_path(), seen.SCHEMA),
    )
    if not profile.embedded:
        return shared
    from chartui.core.backends.local.store import SCHEMA

    return (DataFile(store_path(profile), SCHEMA), *shared)
