"""Write bundles as text, in the format described in ``docs/bundles.md``.

Sections are written in reading order. When a file is overwritten, its comments and the order of its parts are kept.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any, Final

from chartui.core.actions.scene_file import members_of
from chartui.core.bundle.model import FORMAT, MEMBERS, SECTION_FORMAT, VERSION, Bundle, extras
from chartui.core.bundle.reader import SCENE_MEMBERS, read_bundle
from chartui.core.jsontext import Wire, canonical, dumps, same
from chartui.core.spec.models.narrative import Decision, Section
from chartui.core.tables import schema_line, table_in
from chartui.core.text import is_plain
from chartui.core.toml_text import Path as TablePath
from chartui.core.toml_text import Piece, pieces

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_SHORT: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
#: Texts of several sentences that are longer than this are written with a line per sentence.
_LINE: Final = 80
#: The spaces after a sentence, or the end of one in a script without spaces.
_SENTENCE_END: Final = re.compile(r"""(?<=[.!?…])["'”’)\]]* +(?=[^ \n])|(?<=[。！？])[」』）]*(?=[^ \n。！？」』）])""")
#: Maximum number of combining marks on a letter before they are escaped.
_MARKS: Final = 3


def as_key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _quoted(name)


def as_value(value: Any) -> str:
    """Format a string, number, boolean, table or list as TOML. Each table in a list is written on its own line.

    Raises ``ValueError`` for a string with a lone surrogate, which TOML cannot contain.
    """
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Decimal):
        return canonical(value)
    if isinstance(value, Mapping):
        members = ", ".join(f"{as_key(name)} = {_inline(item)}" for name, item in value.items())
        return f"{{ {members} }}" if members else "{}"
    if any(isinstance(item, Mapping) for item in value):
        return "[\n" + "".join(f"    {as_value(item)},\n" for item in value) + "]"
    return f"[{', '.join(map(_inline, value))}]"


def _inline(value: Any) -> str:
    return _quoted(value) if isinstance(value, str) else as_value(value)


def _text(text: str) -> str:
    sentences = _sentences(text)
    if "\n" not in text and len(sentences) == 1:
        return _quoted(text)
    # A backslash at the end of a line joins it with the next one.
    written = "\\\n".join("".join(_escaped(part, lines=True)) for part in sentences)
    # Spaces at the end of a line are invisible, and many editors remove them.
    written = re.sub(r" (?=\n)", r"\\u0020", written)
    # A quotation mark next to another is escaped: three in a row would end the text.
    written = re.sub(r'(?<=")"|"\Z', r'\\"', written)
    return f'"""\n{written}"""'


def _sentences(text: str) -> list[str]:
    """Split a long text after its sentences, so that a changed sentence is a changed line in the file."""
    if len(text) <= _LINE:
        return [text]
    ends = [0, *(found.end() for found in _SENTENCE_END.finditer(text)), len(text)]
    return [text[begin:end] for begin, end in pairwise(ends)]


def _quoted(text: str) -> str:
    return f'"{"".join(_escaped(text, lines=False))}"'


def _escaped(text: str, *, lines: bool) -> Iterator[str]:
    if text.isascii() and text.isprintable() and "\\" not in text and (lines or '"' not in text):
        yield text
        return
    kept = '\n"' if lines else ""
    marks = 0
    for character in text:
        marks = marks + 1 if unicodedata.combining(character) else 0
        if character in kept:
            yield character
        elif character in _SHORT:
            yield _SHORT[character]
        elif is_plain(character) and marks <= _MARKS:
            yield character
        elif "\ud800" <= character <= "\udfff":
            raise ValueError(f"an unpaired surrogate cannot be written to a file: U+{ord(character):04X}")
        else:
            yield f"\\u{ord(character):04X}" if ord(character) <= 0xFFFF else f"\\U{ord(character):08X}"


def rewritten(
    tables: Mapping[TablePath, Mapping[str, Any]], text: str = "", held: Mapping[str, Any] | None = None
) -> str:
    """Update the text of a file so that it contains ``tables``, and return the new text.

    ``text`` is the current text of the file, and ``held`` contains the tables that were read from it. Unchanged parts
    are kept verbatim and in order, with their comments. Parts that are not in ``tables`` are removed, along with the
    comments above them. New parts are inserted after the part that precedes them in ``tables``.
    """
    found, tail = pieces(text)
    newline = "\r\n" if "\r\n" in text else "\n"
    headers = {piece.path: piece for piece in found if piece.header and piece.plain}
    members: dict[TablePath, dict[str, Piece]] = {}
    for piece in found:
        own = not piece.header and piece.path == (*piece.table, piece.path[-1])
        if own and (piece.table in headers or not piece.table):
            members.setdefault(piece.table, {})[piece.path[-1]] = piece
    parts: list[str] = []
    for path in _in_order(headers, tables):
        parts += _header(path, headers.get(path), bool(parts), newline)
        wanted, there = tables[path], members.get(path, {})
        before = _at(held or {}, path)
        for name in _in_order(there, wanted):
            parts.append(_member(name, wanted[name], there.get(name), before, newline))
    return _ended("".join(parts), newline) + tail


def _in_order(old: Iterable[Any], new: Iterable[Any]) -> list[Any]:
    """Return the items of ``new`` in the order of ``old``, with each added item after its predecessor."""
    wanted = list(new)
    among = set(wanted)
    kept = [one for one in old if one in among]
    staying = set(kept)
    following: dict[Any, list[Any]] = {}
    last: Any = None
    for one in wanted:
        if one in staying:
            last = one
        else:
            following.setdefault(last, []).append(one)
    ordered = list(following.get(None, ()))
    for one in kept:
        ordered += (one, *following.get(one, ()))
    return ordered


def _at(table: Mapping[str, Any], path: Sequence[str]) -> Mapping[str, Any]:
    for name in path:
        inner = table.get(name)
        table = inner if isinstance(inner, Mapping) else {}
    return table


def _header(path: TablePath, old: Piece | None, behind_others: bool, newline: str) -> Iterator[str]:
    if not path:
        return
    if old is not None:
        yield _ended(old.text, newline)
    else:
        yield f"{newline if behind_others else ''}[{'.'.join(map(as_key, path))}]{newline}"


def _member(name: str, value: Any, old: Piece | None, before: Mapping[str, Any], newline: str) -> str:
    if old is not None and name in before and same(before[name], value):
        return _ended(old.text, newline)
    written = f"{as_key(name)} = {as_value(value)}".replace("\n", newline)
    return f"{written}{newline}" if old is None else _ended(f"{old.lead}{written}{old.rest}", newline)


def _ended(text: str, newline: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}{newline}"


def bundle_text(bundle: Bundle, over: str = "", *, folder: bool = False) -> str:
    """Format a bundle as the text of a file.

    ``over`` is the text of the file to be replaced. Its comments are kept. If ``folder`` is set, the sections are left
    out, because they have files of their own (:func:`section_text`). Raises
    :class:`~chartui.core.bundle.reader.BundleError` if ``over`` is not a bundle, and ``ValueError`` for text with a
    lone surrogate, which TOML cannot contain.
    """
    if over and not folder:
        read_bundle(over, where="the existing file")
    return _file(dict(_tables(bundle, folder=folder)), over, schema_line(FORMAT))


def section_text(section: Section, over: str = "") -> str:
    """Format a section as the text of its own file. The parameters are described in :func:`bundle_text`."""
    table = {"format": SECTION_FORMAT, "version": VERSION, **dict(_section(section))}
    return _file({(): table}, over, schema_line(SECTION_FORMAT, folder=".."))


def _file(tables: Mapping[TablePath, Mapping[str, Any]], over: str, head: str) -> str:
    return rewritten(tables, over, table_in(over.encode(), number=Decimal)) if over else f"{head}{rewritten(tables)}"


def bundle_wire(bundle: Bundle) -> dict[str, Wire]:
    whole: dict[str, Any] = {}
    for path, members in _tables(bundle):
        table = whole
        for name in path:
            table = table.setdefault(name, {})
        table.update(members)
    return whole


def without_ids(text: str) -> str:
    """Remove the IDs from the text of a bundle in an earlier format, and leave everything else unchanged."""
    found, tail = pieces(text)
    return "".join(piece.text for piece in found if piece.path[:1] != ("ids",)) + tail


def _tables(bundle: Bundle, *, folder: bool = False) -> Iterator[tuple[TablePath, Mapping[str, Any]]]:
    marks: dict[str, Wire] = {"folder": True} if folder else {}
    if bundle.incomplete:
        marks["incomplete"] = list(bundle.incomplete)
    yield (), {"format": FORMAT, "version": VERSION, **marks}
    yield ("character",), dict(_character(bundle))
    if bundle.actions is not None:
        yield ("actions",), {"actions": list(bundle.actions)}
    if bundle.scene is not None:
        lists = members_of(bundle.scene)
        yield ("actions", "scene"), {name: lists[name] for name in SCENE_MEMBERS if lists[name]}
    if bundle.keys is not None:
        yield ("keys",), bundle.keys
    for slug, section in () if folder else bundle.story.sections.items():
        yield ("sections", slug), dict(_section(section))
    for slug, trigger in bundle.story.triggers.items():
        members = _given(name=trigger.trigger_name, message=trigger.trigger_message, to=trigger.destination_section)
        yield ("triggers", slug), dict(members)


def _given(**members: Wire) -> Iterator[tuple[str, Wire]]:
    return ((name, value) for name, value in members.items() if value is not None)


def _character(bundle: Bundle) -> Iterator[tuple[str, Wire]]:
    yield from _given(name=bundle.name)
    settings = bundle.settings
    yield from ((name, settings[member]) for name, member in MEMBERS.items() if settings.get(member) is not None)
    yield from _given(narrative=bundle.story.enabled, start=bundle.story.start)
    if bundle.unread:
        yield "unread", [name for name, member in MEMBERS.items() if member in bundle.unread]


def _section(section: Section) -> Iterator[tuple[str, Wire]]:
    yield from _given(name=section.section_name, objective=section.objective)
    if section.decisions is not None:
        yield "decisions", [dict(_decision(way)) for way in section.decisions]
    if section.triggers:
        overrides = ((one.trigger_id, one.destination_section or None) for one in section.triggers)
        yield "overrides", [dict(_given(trigger=trigger, to=target)) for trigger, target in overrides]


def _decision(way: Decision) -> Iterator[tuple[str, Wire]]:
    also = extras(way)
    yield from _given(when=way.criteria, to=way.next_section_id, priority=way.priority)
    yield from _given(also=dumps(also) if also else None)
