"""A lock file beside a bundle.

The lock file contains the IDs of the bundle's sections and triggers on each profile, and digests of their contents.
Every line names the section and the profile that it belongs to. Lines are sorted, with an empty line between sections,
so that version control can merge changes to different sections (decision 75). A merge that keeps the lines of both
sides may repeat lines. Repeated lines are combined when the file is read.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from chartui.core.bundle.model import VERSION, Identities, Identity
from chartui.core.bundle.reader import LONGEST, BundleError
from chartui.core.bundle.writer import as_key, as_value
from chartui.core.classes import NamedTuple
from chartui.core.files import read_named
from chartui.core.narrative.story import Story
from chartui.core.tables import Reader, refuse_unknown, typed

LOCK_FORMAT: Final = "chartui-lock"
_HEAD: Final = (
    "# IDs and digests per profile, as of the last pull or push. Written by chartui; keep it with the bundle.\n"
)
_PARTS: Final = ("profiles", "character", "sections", "triggers")
#: A line as written by :func:`lock_text`. ``rest`` is the text between the place and the digest, if there is one.
_LINE: Final = re.compile(
    r"""(?P<place>(?:"(?:[^"\\]|\\.)*"|[^"\s=])+)\ =\ """
    r"""(?P<rest>\{\ id\ =\ "(?:[^"\\]|\\.)*",\ seen\ =\ "|")?(?P<seen>[0-9a-f ]*)(?P<end>.*)"""
)


def lock_of(main: Path) -> Path:
    """Return the path of a bundle's lock file, given the path of the bundle's main file."""
    return main.with_name(f"{main.name.removesuffix('.toml')}.lock")


def lock_text(ids: Mapping[str, Identities]) -> str:
    """Return the text of a lock file."""
    lines = sorted(line for key, held in ids.items() for line in _lines(key, held))
    text = f'{_HEAD}format = "{LOCK_FORMAT}"\nversion = {VERSION}\n'
    for (part, name), group in groupby(lines, key=lambda line: (line.part, line.name)):
        place = ".".join((_PARTS[part], *([as_key(name)] if name else [])))
        text += "\n" + "".join(f"{place}.{as_key(one.key)} = {one.value}\n" for one in group)
    return text


class _Line(NamedTuple):
    """A line of the lock file.

    It has the index of its part, the name of a section, trigger or member, the profile, and a value.
    """

    part: int
    name: str
    key: str
    value: str


def _lines(key: str, held: Identities) -> Iterator[_Line]:
    yield _Line(0, "", key, as_value({} if held.plan is None else {"plan": held.plan}))
    for name, seen in held.seen.items():
        yield _Line(1, name, key, as_value(seen))
    for part, items in ((2, held.sections), (3, held.triggers)):
        for slug, one in items.items():
            yield _Line(part, slug, key, as_value({"id": one.id, "seen": one.seen} if one.seen else {"id": one.id}))


def _read(path: Path, _: object) -> bytes:
    return _united(read_named(path, LONGEST).decode(errors="surrogateescape")).encode(errors="surrogateescape")


def _united(text: str) -> str:
    """Return the text of a lock file with each repeated line made empty, so that line numbers stay the same.

    If two lines differ only in the digest, both sides of a merge have pushed the section or trigger. In this case, the
    first line gets both digests, separated by a space. Lines with other differences are left unchanged, and are
    reported later.
    """
    lines = text.split("\n")
    first: dict[str, int] = {}
    for number, line in enumerate(lines):
        found = _LINE.fullmatch(line)
        if found is None:
            continue
        before = first.setdefault(found["place"], number)
        if before == number:
            continue
        other = _LINE.fullmatch(lines[before])
        if line == lines[before]:
            lines[number] = ""
        elif other is not None and found["rest"] and found["rest"] == other["rest"]:
            both = " ".join(sorted({*found["seen"].split(), *other["seen"].split()}))
            begin, end = other.span("seen")
            lines[before], lines[number] = f"{lines[before][:begin]}{both}{lines[before][end:]}", ""
    return "\n".join(lines)


def read_lock(path: Path, story: Story) -> dict[str, Identities]:
    """Read the IDs in a lock file.

    Return a mapping from ``profile/character`` to IDs. The mapping is empty if the file does not exist. IDs of
    sections and triggers that are not in the bundle's story are dropped. Raises
    :class:`~chartui.core.bundle.reader.BundleError` if the lock file cannot be read or has mistakes.
    """
    reader = Reader(path, LOCK_FORMAT, VERSION, _PARTS, read=_read)
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
