"""A lock file beside a bundle.

It contains the IDs of the bundle's sections and triggers on each profile, and digests of their contents. Each section
has a table with one line per profile. Tables and lines are sorted, so that version control can merge changes to
different sections (decision 75).
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from chartui.core.bundle.model import VERSION, Identities, Identity
from chartui.core.bundle.reader import LONGEST, BundleError
from chartui.core.bundle.writer import rewritten
from chartui.core.files import read_named
from chartui.core.narrative.story import Story
from chartui.core.tables import Reader, refuse_unknown, typed

LOCK_FORMAT: Final = "chartui-lock"
_HEAD: Final = (
    "# IDs and digests per profile, as of the last pull or push. Written by chartui; keep it with the bundle.\n"
)
_PARTS: Final = ("profiles", "character", "sections", "triggers")


def lock_of(main: Path) -> Path:
    """Return the path of a bundle's lock file, given the path of the bundle's main file."""
    return main.with_name(f"{main.name.removesuffix('.toml')}.lock")


def lock_text(ids: Mapping[str, Identities]) -> str:
    """Return the text of a lock file."""
    tables: dict[tuple[str, ...], dict[str, Any]] = {(): {"format": LOCK_FORMAT, "version": VERSION}}
    for key, held in sorted(ids.items()):
        tables["profiles", key] = {} if held.plan is None else {"plan": held.plan}
        for path, value in _lines(held):
            tables.setdefault(path, {})[key] = value
    order = sorted(tables, key=lambda path: (_PARTS.index(path[0]), path) if path else (-1, path))
    return _HEAD + rewritten({path: tables[path] for path in order})


def _lines(held: Identities) -> Iterator[tuple[tuple[str, str], Any]]:
    for name, seen in held.seen.items():
        yield ("character", name), seen
    for part, items in (("sections", held.sections), ("triggers", held.triggers)):
        for slug, one in items.items():
            yield (part, slug), {"id": one.id, "seen": one.seen} if one.seen else {"id": one.id}


def read_lock(path: Path, story: Story) -> dict[str, Identities]:
    """Read the IDs in a lock file.

    Return a mapping from ``profile/character`` to IDs, which is empty if the file does not exist. IDs of sections and
    triggers that are not in the bundle's story are dropped. Raises :class:`~chartui.core.bundle.reader.BundleError`.
    """
    reader = Reader(path, LOCK_FORMAT, VERSION, _PARTS, read=lambda file, _: read_named(file, LONGEST))
    plans = dict(_plans(reader))
    seen: dict[str, dict[str, str]] = {}
    for name, key, value in _entries(reader, "character"):
        digest = reader.take(typed, value, str, f'character.{name}."{key}"', "text")
        seen.setdefault(key, {})[name] = digest or ""
    sections, triggers = (
        _identities(reader, "sections", story.sections),
        _identities(reader, "triggers", story.triggers),
    )
    reader.check(BundleError)
    return {
        key: Identities(
            sections=sections.get(key, {}), triggers=triggers.get(key, {}), seen=seen.get(key, {}), plan=plans.get(key)
        )
        for key in sorted({*plans, *seen, *sections, *triggers})
    }


def _plans(reader: Reader) -> Iterator[tuple[str, str | None]]:
    for key, table in reader.entries("profiles").items():
        where = f'profiles."{key}"'
        if "/" not in key:
            reader.add(f"{where} must be named PROFILE/CHARACTER-ID.")
        held: Mapping[str, Any] = reader.take(typed, table, dict, where, "a table") or {}
        reader.take(partial(refuse_unknown, at=where), held, ("plan",), f"[{where}]")
        yield key, reader.text_of(held, "plan", f"{where}.plan")


def _entries(reader: Reader, part: str) -> Iterator[tuple[str, str, Any]]:
    """Yield the name of the table, the profile and the value of every line of a part."""
    for name, table in reader.entries(part).items():
        held: Mapping[str, Any] = reader.take(typed, table, dict, f"{part}.{name}", "a table") or {}
        yield from ((name, key, value) for key, value in held.items())


def _identities(reader: Reader, part: str, known: Container[str]) -> dict[str, dict[str, Identity]]:
    found: dict[str, dict[str, Identity]] = {}
    for slug, key, value in _entries(reader, part):
        where = f'{part}.{slug}."{key}"'
        held: Mapping[str, Any] | None = reader.take(typed, value, dict, where, 'a table such as { id = "…" }')
        if held is None:
            continue
        reader.take(refuse_unknown, held, ("id", "seen"), where)
        item_id = reader.text_of(held, "id", f"{where}.id", needed=True)
        digest = reader.text_of(held, "seen", f"{where}.seen")
        if item_id and slug in known:
            found.setdefault(key, {})[slug] = Identity(item_id, digest or "")
    return found
