"""A story that comes from a file: what it holds, what did not fit, and how it joins a story that is there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Final

from chartui.core.names import numbered
from chartui.core.narrative.story import Story
from chartui.core.spec.models.narrative import Section, Trigger
from chartui.core.spec.shape import build
from chartui.core.tables import BadTable

__all__ = ["SUFFIXES", "Incoming", "IncomingError", "Joining", "Misfit", "Remark", "joined", "read_incoming"]

#: The endings of the files that are read here; bundles are read by :mod:`chartui.core.bundle`.
SUFFIXES: Final = (".twee", ".tw", ".json")
_MOST_BYTES: Final = 16 * 1024 * 1024


class IncomingError(ValueError):
    """No story can be read from a file; the message is one sentence with the file's name."""


class Misfit(StrEnum):
    """What of a file has no counterpart in a narrative graph."""

    CODE = "code"  # macros and the like of a story format
    VARIABLE = "variable"
    MARKUP = "markup"  # HTML and comments
    SCRIPT = "script"
    STYLE = "style"
    SPECIAL = "special"  # a passage that only a story format has a use for
    TAGS = "tags"
    LINK = "link"  # a link to an address or to what is computed
    SETTER = "setter"  # what happens when a link is taken
    NOWHERE = "nowhere"  # a link to a passage that is not there
    IMMEDIATE = "immediate"  # words of a link that mean something here
    DUPLICATE = "duplicate"
    NAME = "name"
    START = "start"
    DATA = "data"
    STRAY = "stray"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """Something that did not fit: in which part of the file, on which lines counted from 1, and what became of it.

    ``lost`` says that the story holds it in no form.
    """

    misfit: Misfit
    said: str
    place: str = ""
    lines: tuple[int, ...] = ()
    lost: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """What a file holds. ``whole`` says that it speaks for triggers and overrides as well: then what it leaves out is
    meant to be left out.
    """

    title: str
    story: Story
    remarks: tuple[Remark, ...] = ()
    whole: bool = False

    @property
    def lost(self) -> int:
        """How many remarks are about what the story holds in no form."""
        return sum(remark.lost for remark in self.remarks)


def read_incoming(path: Path) -> Incoming:
    """The story in a file of Twee 3 or of an exported graph; raises :class:`IncomingError`."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise IncomingError(f"{path}: its name must end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}.")
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise IncomingError(f"{path} cannot be read: {error.strerror}.") from None
    except ValueError:
        raise IncomingError("No file can be called so.") from None
    if len(data) > _MOST_BYTES:
        raise IncomingError(f"{path} is larger than 16 MiB, so it is no story that is read here.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise IncomingError(f"{path} is not UTF-8.") from None
    try:
        return _of_json(text) if suffix == ".json" else _of_twee(text)
    except BadTable as error:
        raise IncomingError(f"{path}: {error}") from None


def _of_twee(text: str) -> Incoming:
    from chartui.core.narrative.twee.reading import read

    return read(text)


def _of_json(text: str) -> Incoming:
    from chartui.core.narrative.export.json import read

    title, story = read(text)
    others = len(story.other_sections) + len(story.other_triggers)
    said = "Records that share the id of an earlier one are left out."
    remarks = (Remark(misfit=Misfit.DUPLICATE, said=f"{said} There are {others}.", lost=True),) if others else ()
    return Incoming(
        title=title, story=replace(story, other_sections=(), other_triggers=()), remarks=remarks, whole=True
    )


# -- joining a story that is there ------------------------------------------------------------------------------------


class Joining(StrEnum):
    """How a story from a file comes to one that is there."""

    ADD = "add"  # beside it: nothing that is there is changed
    REPLACE = "replace"  # in its place: what has the same name is changed, the rest is deleted


def joined(present: Story, incoming: Incoming, how: Joining) -> Story:
    """The story that is wanted. Names of triggers that are taken get a number; ids are new where nothing matches.

    A replacement matches by name: what is called the same keeps its id, and with it all that leads there. What the file
    cannot say stays: triggers and overrides where it is not ``whole``, and whether the character follows the story.
    """
    if how is Joining.ADD:
        return _added(present, incoming.story)
    return _replaced(present, incoming)


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
    kept = _matched(_names(story.sections), _names(present.sections))
    kept |= _matched(_names(story.triggers), _names(present.triggers))
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


def _names(records: Mapping[str, Section] | Mapping[str, Trigger]) -> dict[str, str]:
    """The ids by names; of several of one name the first."""
    found: dict[str, str] = {}
    for record_id, record in records.items():
        name = record.section_name if isinstance(record, Section) else record.trigger_name
        found.setdefault(name or "", record_id)
    return found


def _matched(incoming: Mapping[str, str], present: Mapping[str, str]) -> dict[str, str]:
    return {record_id: present[name] for name, record_id in incoming.items() if name and name in present}


def _upon(present: Section | None, section: Section, *, whole: bool) -> Section:
    """A section of a file on top of the one that has its name: with members that no file holds."""
    if present is None:
        return section
    overrides = {} if whole else {"triggers": present.raw.get("triggers")}
    return build(Section, {**present.raw, **section.raw, **overrides})


def _with_fresh_ids(present: Story, story: Story, *, kept: Mapping[str, str]) -> Story:
    """A story whose ids are those of ``kept``, else such that nothing of ``present`` has them."""
    ids = dict(kept)
    number = 0
    taken = {*present.mentioned(), *kept.values()}
    for record_id in (*story.sections, *story.triggers):
        if record_id in ids:
            continue
        number += 1
        while (fresh := f"new-{number}") in taken:
            number += 1
        ids[record_id] = fresh
    return story.renamed(ids)
