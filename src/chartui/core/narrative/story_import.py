"""Import a story from a file, merge it with a character's story, and report any parts that cannot be imported."""

from __future__ import annotations

import errno
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import accumulate, groupby
from pathlib import Path
from typing import Final

from chartui.core.classes import NamedTuple, dataclass
from chartui.core.files import read_named
from chartui.core.jsontext import Wire
from chartui.core.names import numbered
from chartui.core.narrative.story import Story
from chartui.core.numbers import number_of
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.narrative import Section, Trigger
from chartui.core.spec.shape import build
from chartui.core.tables import BadFile, BadTable, Mistake
from chartui.core.text import single_line

#: The suffixes of story files. Bundles have other suffixes and are read by :mod:`chartui.core.bundle`.
SUFFIXES: Final = (".twee", ".tw", ".html", ".json")
_TWEE: Final = SUFFIXES[:2]
MOST_BYTES: Final = 16 * 1024 * 1024


class IncomingError(BadFile):
    """Raised when a file or folder contains no readable story."""

    def __init__(self, path: Path, message: str, line: int | None = None) -> None:
        super().__init__(path, [Mistake(line, message)])


class Misfit(StrEnum):
    """The kinds of content in a file that a narrative graph cannot represent."""

    CODE = "code"  # macros and the like of a story format
    NAMED = "named"  # a passage that only code links to or shows
    VARIABLE = "variable"
    MARKUP = "markup"  # HTML and comments
    SCRIPT = "script"
    STYLE = "style"
    SPECIAL = "special"  # a passage that only a story format uses
    TAGS = "tags"
    LINK = "link"  # a link to a URL or a computed target
    SETTER = "setter"  # code that runs when a link is taken
    MISSING = "missing"  # a link to a passage that does not exist
    IMMEDIATE = "immediate"  # link text with a meaning in narrative graphs
    DUPLICATE = "duplicate"
    NAME = "name"
    START = "start"
    DATA = "data"
    STRAY = "stray"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """A remark about a part of a file that was changed or left out during the import.

    ``line`` is counted from 1. If a story comes from several files, ``file`` names the file. ``lost`` is true if the
    part was left out of the imported story.
    """

    misfit: Misfit
    said: str
    place: str = ""
    lines: tuple[int, ...] = ()
    lost: bool = False
    file: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """A story read from a file.

    ``whole`` is true if the file format supports triggers and overrides. Triggers and overrides that are not in the
    file are then missing on purpose.
    """

    title: str
    story: Story
    remarks: tuple[Remark, ...] = ()
    whole: bool = False

    @property
    def lost(self) -> int:
        return sum(remark.lost for remark in self.remarks)


class SeveralIncoming(IncomingError):
    """Raised when a file contains several stories and none has been selected. ``titles`` lists their titles."""

    def __init__(self, path: Path, message: str, titles: Sequence[str]) -> None:
        super().__init__(path, message)
        self.titles = titles


def read_incoming(path: Path, title: str | None = None) -> Incoming:
    """Read a story from a Twee 3 file, a Twine HTML file, an exported graph, or all Twee files in a folder.

    ``title`` selects one of several stories in a Twine archive.

    Raises :class:`SeveralIncoming` if a title is needed, and :class:`IncomingError` for all other problems.
    """
    try:
        if path.is_dir():
            return _of_folder(path)
        suffix = path.suffix.lower()
        if suffix not in SUFFIXES:
            raise IncomingError(path, f"the name must end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}.")
        text = text_in(path)
        if suffix in _TWEE:
            return _of_twee(text)
        return _of_json(text) if suffix == ".json" else _of_twine(path, text, title)
    except IncomingError:
        raise
    except BadTable as error:
        raise IncomingError(path, str(error), error.line) from None
    except OSError as error:
        raise IncomingError(Path(error.filename or path), f"the file cannot be read: {error.strerror}.") from None
    except ValueError:
        raise IncomingError(path, "not a valid file name.") from None


def text_in(path: Path, most: int = MOST_BYTES) -> str:
    """Return the text of a file.

    ``most`` is the maximum size in bytes. Raises :class:`IncomingError` if the file is larger or cannot be read.
    """
    try:
        return read_named(path, most).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise IncomingError(path, "the file is not UTF-8.") from None
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise IncomingError(path, "the file is larger than 16 MiB, the limit for a story.") from None
        raise IncomingError(Path(error.filename or path), f"the file cannot be read: {error.strerror}.") from None
    except ValueError:
        raise IncomingError(path, "not a valid file name.") from None


def _of_folder(path: Path) -> Incoming:
    found = (one.relative_to(path) for one in path.rglob("*") if one.is_file())
    names = sorted(
        name for name in found if name.suffix.lower() in _TWEE and not any(part.startswith(".") for part in name.parts)
    )
    if not names:
        raise IncomingError(path, "the folder contains no Twee files.")
    texts: list[str] = []
    left = MOST_BYTES
    for name in names:
        texts.append(text_in(path / name, left))
        left -= len(texts[-1].encode())
    incoming = _of_twee(*texts)
    return replace(incoming, remarks=tuple(_by_file(incoming.remarks, [str(name) for name in names], texts)))


def _by_file(remarks: Iterable[Remark], names: Sequence[str], texts: Sequence[str]) -> Iterator[Remark]:
    ends = list(accumulate(len(text.replace("\r\n", "\n").replace("\r", "\n").split("\n")) for text in texts))
    for remark in remarks:
        if not remark.lines:
            yield remark
        for number, lines in groupby(remark.lines, lambda line: bisect_left(ends, line)):
            before = ends[number - 1] if number else 0
            yield replace(remark, file=names[number], lines=tuple(line - before for line in lines))


def _of_twee(*texts: str) -> Incoming:
    from chartui.core.narrative.twee import read

    return read(*texts)


def _of_twine(path: Path, text: str, title: str | None) -> Incoming:
    from chartui.core.narrative.twine import SeveralStories, read

    try:
        return read(text, title)
    except SeveralStories as error:
        raise SeveralIncoming(path, str(error), error.titles) from None


def _of_json(text: str) -> Incoming:
    from chartui.core.narrative.graph_json import read

    title, story = read(text)
    others = len(story.other_sections) + len(story.other_triggers)
    said = f"Left out {number_of(others, 'record')} with a duplicate ID."
    remarks = (Remark(misfit=Misfit.DUPLICATE, said=said, lost=True),) if others else ()
    return Incoming(
        title=title, story=replace(story, other_sections=(), other_triggers=()), remarks=remarks, whole=True
    )


# -- joining ----------------------------------------------------------------------------------------------------------


class Joining(StrEnum):
    ADD = "add"  # existing records stay unchanged
    REPLACE = "replace"  # records with the same name are changed, all others deleted


class Joined(NamedTuple):
    """The merged story, and remarks about the parts of the file that could not be merged."""

    story: Story
    remarks: tuple[Remark, ...] = ()


def joined(present: Story, incoming: Incoming, how: Joining) -> Joined:
    """Merge an imported story into ``present``, the character's story.

    If the name of an imported trigger is already in use, a number is added to the name. Sections and triggers without a
    match get new IDs. When the story is replaced, sections and triggers are matched by name and keep their IDs, and
    therefore their incoming links. Anything that the file format does not support is kept. This includes whether the
    character follows the story and, unless the imported story is ``whole``, the triggers and overrides. New references
    to missing targets are left out, because a service does not accept them (decision 38).
    """
    wanted = _added(present, incoming.story) if how is Joining.ADD else _replaced(present, incoming)
    return _Checked(present, wanted).joined()


def _added(present: Story, story: Story) -> Story:
    story = _with_fresh_ids(present, story, kept={})
    taken = {trigger.trigger_name for trigger in present.triggers.values()}
    triggers = dict(present.triggers)
    for trigger_id, trigger in story.triggers.items():
        name = numbered(trigger.trigger_name or trigger_id, taken)
        taken.add(name)
        triggers[trigger_id] = build(Trigger, {**trigger.raw, "trigger_name": name})
    return replace(
        present,
        sections={**present.sections, **story.sections},
        triggers=triggers,
        start=present.start if present.start is not None else story.start,
    )


def _replaced(present: Story, incoming: Incoming) -> Story:
    story = incoming.story
    kept = {
        mine[name]: theirs[name]
        for mine, theirs in zip(_ids_by_name(story), _ids_by_name(present), strict=True)
        for name in mine
        if name and name in theirs
    }
    story = _with_fresh_ids(present, story, kept=kept)
    sections = {
        section_id: _upon(present.sections.get(section_id), section, whole=incoming.whole)
        for section_id, section in story.sections.items()
    }
    triggers = {
        trigger_id: build(Trigger, {**(there.raw if (there := present.triggers.get(trigger_id)) else {}), **one.raw})
        for trigger_id, one in story.triggers.items()
    }
    return replace(
        present,
        sections=sections,
        triggers=triggers if incoming.whole else {**present.triggers, **triggers},
        start=story.start,
    )


def _ids_by_name(story: Story) -> tuple[dict[str, str], dict[str, str]]:
    """Return the IDs of sections and of triggers, by name.

    If several records have the same name, the first one counts.
    """
    sections: dict[str, str] = {}
    for section_id, section in story.sections.items():
        sections.setdefault(section.section_name or "", section_id)
    triggers: dict[str, str] = {}
    for trigger_id, trigger in story.triggers.items():
        triggers.setdefault(trigger.trigger_name or "", trigger_id)
    return sections, triggers


def _upon(present: Section | None, section: Section, *, whole: bool) -> Section:
    """Merge a section of a file into the section with the same name.

    Members that this kind of file cannot contain are kept.
    """
    if present is None:
        return section
    kept: dict[str, Wire] = {} if whole else {"triggers": present.raw.get("triggers")}
    if not whole and not section.decisions:
        # This kind of file cannot distinguish an ending from an undecided section.
        kept["decisions"] = None if present.decisions is None else []
    return build(Section, {**present.raw, **section.raw, **kept})


def _with_fresh_ids(present: Story, story: Story, *, kept: Mapping[str, str]) -> Story:
    """Return a story with the IDs in ``kept``. Other sections and triggers get IDs that are unused in ``present``."""
    ids, taken, number = dict(kept), present.mentioned(), 0
    for record_id in (*story.sections, *story.triggers):
        while record_id not in ids:
            number += 1
            if f"new-{number}" not in taken:
                ids[record_id] = f"new-{number}"
    return story.renamed(ids)


def refuse_incomplete(name: str, stored: Story, wanted: Story) -> None:
    """Refuse to create or delete sections or triggers in an incomplete story.

    Raises :class:`ServiceError` of kind ``unsafe`` if sections or triggers of ``stored`` are unreadable and ``wanted``
    would add or remove some. A section or trigger that seems to be missing may be one of the unreadable ones (decision
    69). ``name`` is the character's name.
    """
    for noun, number, there, then in (
        ("section", stored.missing.sections, stored.sections, wanted.sections),
        ("trigger", stored.missing.triggers, stored.triggers, wanted.triggers),
    ):
        if number and there.keys() != then.keys():
            reason = next(one.reason for one in stored.unreadable if one.kind == noun)
            raise ServiceError(
                ErrorKind.UNSAFE,
                f"{number_of(number, noun)} of “{single_line(name, limit=60)}” could not be read "
                f"({single_line(reason)}), so it is unknown which {noun}s are missing. "
                "Nothing was created, deleted or sent.",
                sent="no",
            )


class _Checked:
    """Leaves out new references to missing targets, and keeps those that the stored story has already."""

    def __init__(self, present: Story, wanted: Story) -> None:
        self._present, self._wanted = present, wanted
        self._remarks: list[Remark] = []

    def joined(self) -> Joined:
        wanted, present = self._wanted, self._present
        sections = {key: self._led(present.sections.get(key), one) for key, one in wanted.sections.items()}
        triggers = {key: self._fired(present.triggers.get(key), one) for key, one in wanted.triggers.items()}
        start = wanted.start
        if start is not None and start not in sections and start != present.start:
            self._left_out("", "The start section is missing, so the story has no start.")
            start = None
        return Joined(replace(wanted, sections=sections, triggers=triggers, start=start), tuple(self._remarks))

    def _led(self, there: Section | None, section: Section) -> Section:
        if section is there:
            return section
        stored = {way.next_section_id for way in (there.decisions if there else None) or ()}
        fired = {(one.trigger_id, one.destination_section) for one in (there.triggers if there else None) or ()}
        changes: dict[str, Wire] = {}
        ways = section.decisions or ()
        there_is = self._wanted.sections
        gone = [way for way in ways if way.next_section_id not in there_is and way.next_section_id not in stored]
        for way in gone:
            self._left_out(section.section_name, f"The decision “{way.criteria}” has no target and is left out.")
        if gone:
            left = [dict(way.raw) for way in ways if way not in gone]
            # A section whose decisions were left out does not become an ending.
            changes["decisions"] = left or (None if there is None or there.decisions is None else [])
        held = section.triggers or ()
        kept = [
            one
            for one in held
            if (one.trigger_id, one.destination_section) in fired
            or (one.trigger_id in self._wanted.triggers and one.destination_section in there_is)
        ]
        if len(kept) < len(held):
            self._left_out(
                section.section_name, f"Left out {number_of(len(held) - len(kept), 'override')} without a target."
            )
            changes["triggers"] = [dict(one.raw) for one in kept]
        return build(Section, {**section.raw, **changes}) if changes else section

    def _fired(self, there: Trigger | None, trigger: Trigger) -> Trigger:
        target = trigger.destination_section
        if not target or target in self._wanted.sections or (there is not None and there.destination_section == target):
            return trigger
        self._left_out(trigger.trigger_name, "The trigger has no target, so it is not connected.")
        return build(Trigger, {**trigger.raw, "destination_section": None})

    def _left_out(self, place: str | None, said: str) -> None:
        self._remarks.append(Remark(misfit=Misfit.MISSING, said=said, place=place or "", lost=True))
