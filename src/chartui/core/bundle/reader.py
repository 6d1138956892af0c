"""Read bundles from TOML text that people write and edit.

Every error message gives the location of the error and a fix. All errors in a bundle are reported together, and a
single error causes the whole bundle to be rejected.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, Final

from chartui.core.actions.scene_file import Members
from chartui.core.actions.turn import Turn
from chartui.core.bundle.model import (
    FORMAT,
    MEMBERS,
    RAW,
    SECTION_FORMAT,
    VERSION,
    Bundle,
    Identities,
    Identity,
    is_slug,
)
from chartui.core.classes import NamedTuple
from chartui.core.files import read_named
from chartui.core.jsontext import MAX_DIGITS, NotJson, Wire, loads
from chartui.core.naming import unknown
from chartui.core.narrative.story import Story
from chartui.core.spec.models.narrative import Section, Trigger
from chartui.core.spec.shape import build
from chartui.core.tables import BadFile, Mistake, Mistakes, check_head, refuse_unknown, table_in, typed

#: Maximum size of a bundle file, in bytes.
LONGEST: Final = 16 * 1024 * 1024
#: The lists of a scene. They belong to the setup of a character, but the line to say does not.
SCENE_MEMBERS: Final = ("actions", "objects", "characters")
_PARTS: Final = (
    *("format", "version", "folder", "incomplete"),
    *("character", "actions", "keys", "sections", "triggers", "ids"),
)
_CHARACTER: Final = ("name", *MEMBERS, "narrative", "start", "unread")
_SECTION: Final = ("name", "objective", "decisions", "overrides")
_TRIGGER: Final = ("name", "message", "to")


#: The slug at the beginning of the place of a mistake.
_IN_SECTION: Final = re.compile(r"\[?sections\.([A-Za-z0-9_-]+)[\].]*")


class BundleError(BadFile):
    """Raised if a bundle cannot be used.

    If the bundle is a folder, ``others`` contains the errors in its other files.
    """

    def __init__(self, file: Path | str, mistakes: Sequence[Mistake], others: Sequence[BadFile] = ()) -> None:
        self.others = tuple(others)
        super().__init__(file, mistakes)

    @property
    def lines(self) -> tuple[str, ...]:
        return (*super().lines, *(line for other in self.others for line in other.lines))

    @property
    def short_lines(self) -> tuple[str, ...]:
        return (*super().short_lines, *(line for other in self.others for line in other.short_lines))


class Text(NamedTuple):
    """The text of a file. ``file`` is the path of the file, or another name for use in messages."""

    file: Path | str
    text: str


def text_of_file(path: Path) -> Text:
    """Read the text of a file. Raises :class:`BundleError` if the file cannot be read."""
    try:
        return Text(path, read_named(path, LONGEST).decode())
    except OSError as error:
        raise BundleError(path, [Mistake(None, f"the file cannot be read: {error.strerror}.")]) from None
    except UnicodeDecodeError:
        raise BundleError(path, [Mistake(None, "the file is not UTF-8.")]) from None


def read_bundle(text: str, *, where: Path | str = "the text", sections: Mapping[str, Text] | None = None) -> Bundle:
    """Read a bundle from its text.

    If the bundle is a folder, ``sections`` contains the texts of the section files, keyed by slug. ``where`` is the
    path of the file that contains ``text``, or another name for use in messages. Raises :class:`BundleError` if the
    bundle contains errors.
    """
    files = sections or {}
    mistakes = _BundleMistakes(where, {slug: Mistakes(one.file) for slug, one in files.items()})
    table = _document(mistakes, text, FORMAT)
    inner = {slug: _document(mistakes.sections[slug], one.text, SECTION_FORMAT) for slug, one in files.items()}
    mistakes.check(BundleError)
    if sections is not None:
        if "sections" in table:
            mistakes.add("sections must be in separate files because this bundle is a folder.", at="sections")
        table["sections"] = {
            slug: {name: value for name, value in one.items() if name not in ("format", "version")}
            for slug, one in inner.items()
        }
    elif table.get("folder"):
        mistakes.add("folder = true means that the sections are in other files; give the path of the folder instead.")
    bundle = _Reading(table, mistakes).bundle()
    mistakes.check(BundleError)
    return bundle


def _document(mistakes: Mistakes, text: str, name: str) -> dict[str, Any]:
    """Return the table in a file with the format ``name``. Without errors, ``mistakes`` can name lines afterwards."""
    table = mistakes.take(partial(table_in, number=Decimal), text.encode(errors="surrogatepass"))
    if table is not None:
        mistakes.text = text
        mistakes.take(check_head, table, name, VERSION)
    return table or {}


class _BundleMistakes(Mistakes):
    """The mistakes in a bundle. ``sections`` are those in the section files of a folder, by slug."""

    def __init__(self, file: Path | str, sections: Mapping[str, Mistakes]) -> None:
        super().__init__(file)
        self.sections = sections

    def add(self, message: str, *, at: str | None = None, line: int | None = None) -> None:
        place = message if at is None else at
        found = _IN_SECTION.match(place)
        if found is None or found[1] not in self.sections:
            super().add(message, at=at, line=line)
        else:
            self.sections[found[1]].add(message, at=place[found.end() :], line=line)

    def check(self, kind: type[BadFile] = BadFile) -> None:
        others = [kind(one.file, one.found) for one in self.sections.values() if one.found]
        if self.found or others:
            raise BundleError(self.file, self.found, others)


class _Reading:
    """Reads the parts of a document and collects errors in ``mistakes``."""

    def __init__(self, table: Mapping[str, Any], mistakes: Mistakes) -> None:
        self._members = Members(mistakes)
        self._mistaken = mistakes.add
        self._take: Callable[..., Any] = mistakes.take
        self._text, self._flag, self._list = mistakes.text_of, mistakes.flag_of, mistakes.list_of
        self._part, self._texts = mistakes.table_of, mistakes.texts_of
        self._table = table
        self._sections = self._part(table, "sections")
        self._triggers = self._part(table, "triggers")

    def bundle(self) -> Bundle:
        self._known(self._table, _PARTS, "the file")
        self._flag(self._table, "folder", "folder")
        character = self._part(self._table, "character")
        self._known(character, _CHARACTER, "[character]")
        actions, scene = self._actions(self._part(self._table, "actions"))
        story = Story(
            sections={section.section_id: section for section in self._all_sections()},
            triggers={trigger.trigger_id: trigger for trigger in self._all_triggers()},
            start=self._reference(character, "start", "character"),
            enabled=self._flag(character, "narrative", "character.narrative"),
        )
        return Bundle(
            story=story,
            name=self._text(character, "name", "character.name"),
            settings=dict(self._settings(character)),
            unread=tuple(self._unread(character)),
            actions=actions,
            scene=scene,
            keys=self._keys(),
            ids=dict(self._all_ids()),
            incomplete=self._texts(self._table, "incomplete", "incomplete"),
        )

    # -- members -------------------------------------------------------------------------------------------------------

    def _known(self, table: Mapping[str, Any], known: Sequence[str], where: str) -> None:
        at = "" if table is self._table else where[1:-1] if where.startswith("[") else where
        for key in table:
            self._take(partial(refuse_unknown, at=at), (key,), known, where)

    def _reference(
        self, table: Mapping[str, Any], name: str, where: str, *, kind: str = "section", needed: bool = False
    ) -> str | None:
        """Return the slug of a part of the file, or an ID outside it. ``where`` is the location of the table."""
        parts, where = self._triggers if kind == "trigger" else self._sections, f"{where}.{name}"
        found = self._text(table, name, where, needed=needed)
        if not found or found in parts or found.startswith(RAW):
            return found or None
        self._mistaken(unknown(kind, found, parts, place=f"in {where}"), at=where)
        return None

    # -- the character -------------------------------------------------------------------------------------------------

    def _settings(self, table: Mapping[str, Any]) -> Iterator[tuple[str, Wire]]:
        for name, member in MEMBERS.items():
            if name not in table:
                continue
            where = f"character.{name}"
            value: Wire = self._number(table[name], where) if name == "temperature" else self._text(table, name, where)
            if value is not None:
                yield member, value

    def _number(self, value: Any, where: str) -> int | Decimal | None:
        found: int | Decimal | None = self._take(typed, value, (int, Decimal), where, "a number")
        if isinstance(found, Decimal) and (not found.is_finite() or abs(found.adjusted()) > MAX_DIGITS):
            self._mistaken(f"{where} must be a finite number with an exponent of at most {MAX_DIGITS}.")
            return None
        return found

    def _unread(self, table: Mapping[str, Any]) -> Iterator[str]:
        for position, name in enumerate(self._list(table, "unread", "character.unread", "a list of settings") or ()):
            where = f"character.unread[{position}]"
            if self._take(typed, name, str, where, "text") is not None:
                self._take(refuse_unknown, (name,), tuple(MEMBERS), where)
                if name in MEMBERS:
                    yield MEMBERS[name]

    def _actions(self, table: Mapping[str, Any]) -> tuple[tuple[str, ...] | None, Turn | None]:
        self._known(table, ("actions", "scene"), "[actions]")
        words = self._texts(table, "actions", "actions.actions") if "actions" in table else None
        if "scene" not in table:
            return words, None
        scene = self._part(table, "scene", "actions.scene")
        self._known(scene, SCENE_MEMBERS, "[actions.scene]")
        return words, self._members.turn(scene, Turn(character_id=""), where="actions.scene.")

    def _keys(self) -> Mapping[str, str] | None:
        if "keys" not in self._table:
            return None
        table = self._part(self._table, "keys")
        return {name: self._text(table, name, f"keys.{name}") or "" for name in table}

    # -- the story -----------------------------------------------------------------------------------------------------

    def _slugged(self, part: Mapping[str, Any], name: str, known: Sequence[str]) -> Iterator[tuple[str, Any, str]]:
        for slug in part:
            where = f"{name}.{slug}"
            if not is_slug(slug):
                self._mistaken(f'{name}."{slug}" is not a valid name. Use up to 100 letters, digits, _ and -.')
            table = self._part(part, slug, where)
            self._known(table, known, f"[{where}]")
            yield slug, table, where

    def _all_sections(self) -> Iterator[Section]:
        for slug, table, where in self._slugged(self._sections, "sections", _SECTION):
            decisions = self._list(table, "decisions", f"{where}.decisions", "a list of decisions")
            overrides = self._list(table, "overrides", f"{where}.overrides", "a list of overrides")
            yield build(
                Section,
                {
                    "section_id": slug,
                    "section_name": self._text(table, "name", f"{where}.name"),
                    "objective": self._text(table, "objective", f"{where}.objective"),
                    "decisions": None if decisions is None else list(self._decisions(decisions, f"{where}.decisions")),
                    "triggers": None if overrides is None else list(self._overrides(overrides, f"{where}.overrides")),
                },
            )

    def _entries(self, entries: Sequence[Any], where: str, wanted: str) -> Iterator[tuple[Mapping[str, Any], str]]:
        for position, entry in enumerate(entries):
            place = f"{where}[{position}]"
            if self._take(typed, entry, dict, place, wanted) is not None:
                yield entry, place

    def _decisions(self, entries: Sequence[Any], where: str) -> Iterator[dict[str, Wire]]:
        for entry, place in self._entries(entries, where, 'a table such as { when = "…", to = "…" }'):
            self._known(entry, ("when", "to", "priority", "also"), place)
            criteria = self._text(entry, "when", f"{place}.when", needed=True)
            target = self._reference(entry, "to", place, needed=True)
            if "to" in entry and entry["to"] == "":
                self._mistaken(f"{place}.to must name a section in the file.")
            way: dict[str, Wire] = {
                **self._also(entry, place),
                "criteria": criteria or "",
                "next_section_id": target or "",
            }
            if "priority" in entry:
                way["priority"] = self._take(typed, entry["priority"], int, f"{place}.priority", "a whole number") or 0
            yield way

    def _also(self, entry: Mapping[str, Any], place: str) -> Mapping[str, Wire]:
        """Return the service-only members of a decision.

        They are a JSON object, since TOML cannot express every value.
        """
        text = self._text(entry, "also", f"{place}.also")
        if text is None:
            return {}
        try:
            members = loads(text)
        except NotJson as error:
            self._mistaken(f"{place}.also is not JSON: {error}.")
            return {}
        if not isinstance(members, dict) or members.keys() & {"criteria", "next_section_id", "priority"}:
            self._mistaken(f"{place}.also must be a JSON object without 'criteria', 'next_section_id' and 'priority'.")
            return {}
        return members

    def _overrides(self, entries: Sequence[Any], where: str) -> Iterator[dict[str, Wire]]:
        for entry, place in self._entries(entries, where, 'a table such as { trigger = "…", to = "…" }'):
            self._known(entry, ("trigger", "to"), place)
            named = self._reference(entry, "trigger", place, kind="trigger", needed=True)
            target = self._reference(entry, "to", place)
            yield {"trigger_id": named or "", "destination_section": target}

    def _all_triggers(self) -> Iterator[Trigger]:
        for slug, table, where in self._slugged(self._triggers, "triggers", _TRIGGER):
            # An empty string disconnects the trigger. Without the member, the target is undecided.
            nowhere = table.get("to") == ""
            target = self._reference(table, "to", where)
            yield build(
                Trigger,
                {
                    "trigger_id": slug,
                    "trigger_name": self._text(table, "name", f"{where}.name"),
                    "trigger_message": self._text(table, "message", f"{where}.message"),
                    "destination_section": "" if nowhere else target,
                },
            )

    # -- the IDs in files of earlier versions (decision 75) ------------------------------------------------------------

    def _all_ids(self) -> Iterator[tuple[str, Identities]]:
        for key, table in self._part(self._table, "ids").items():
            where = f'ids."{key}"'
            if self._take(typed, table, dict, where, "a table") is None:
                continue
            if "/" not in key:
                self._mistaken(f"{where} must be named PROFILE/CHARACTER-ID.")
            self._known(table, ("character", "sections", "triggers", "plan"), f"[{where}]")
            seen = self._part(table, "character", f"{where}.character")
            yield (
                key,
                Identities(
                    sections=dict(self._identities(table, "sections", where)),
                    triggers=dict(self._identities(table, "triggers", where)),
                    seen={name: self._text(seen, name, f"{where}.character.{name}") or "" for name in seen},
                    plan=self._text(table, "plan", f"{where}.plan"),
                ),
            )

    def _identities(self, table: Mapping[str, Any], part: str, where: str) -> Iterator[tuple[str, Identity]]:
        held = self._sections if part == "sections" else self._triggers
        for slug, entry in self._part(table, part, f"{where}.{part}").items():
            place = f"{where}.{part}.{slug}"
            if self._take(typed, entry, dict, place, 'a table such as { id = "…" }') is None:
                continue
            self._known(entry, ("id", "seen"), place)
            item_id = self._text(entry, "id", f"{place}.id", needed=True)
            seen = self._text(entry, "seen", f"{place}.seen") or ""
            if item_id and slug in held:  # the IDs of parts that were removed from the file are dropped
                yield slug, Identity(item_id, seen)
