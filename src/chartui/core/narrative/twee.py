"""Read and write stories in Twee 3, the open format of Twine and similar editors.

A passage becomes a section with the same name. The text of the passage, without the links, becomes the objective. Each
link becomes a decision, and the text of the link becomes the criteria. Everything else in a passage is code for the
program that plays the story. Such code is reported, not imported.

On export, triggers become passages with a special tag, and links are written in the order in which decisions are tried.
Twee has no overrides, priorities or IDs. Characters that would separate the parts of a link are replaced with similar
ones, because no story format can escape them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final
from uuid import NAMESPACE_OID, uuid5

from chartui.core.classes import NamedTuple
from chartui.core.jsontext import NotJson, Wire, dumps, loads
from chartui.core.names import bare, numbered
from chartui.core.narrative.graph import IMMEDIATE, Edge, Graph, edges_of
from chartui.core.narrative.story import Story
from chartui.core.narrative.story_import import Incoming, Misfit, Remark
from chartui.core.narrative.twee_syntax import (
    MARK,
    File,
    TweeLink,
    TweePassage,
    beside_links,
    code_in,
    escaped,
    links,
    passages,
    without_links,
    word_set,
)
from chartui.core.spec.models.narrative import Section, Trigger
from chartui.core.spec.shape import build
from chartui.core.tables import BadTable
from chartui.core.text import display_text, single_line

TITLE: Final = "StoryTitle"
DATA: Final = "StoryData"
#: The default start passage.
START: Final = "Start"
#: The tag of passages that represent triggers when a graph is written as Twee.
TRIGGER_TAG: Final = "chartui-trigger"

#: The names, and the tags, of passages that contain code or settings for the story format, not text for readers.
_SPECIAL: Final = word_set(
    """
    StoryAuthor StoryBanner StoryCaption StoryDisplayTitle StoryIncludes StoryInit StoryInterface StoryMenu
    StorySettings StoryShare StorySubtitle PassageDone PassageFooter PassageHeader PassageReady
    """
)
_SPECIAL_TAGS: Final = word_set(
    """
    widget init header footer startup debug-header debug-footer debug-startup annotation Twine.image Twine.audio
    Twine.video Twine.vtt Twine.font Twine.private
    """
)
#: Link targets that are not passages: URLs, computed values and files.
_ELSEWHERE: Final = re.compile(r"(?:[a-z][a-z0-9+.\-]{1,20}://|mailto:|javascript:|[$_][A-Za-z]|\(|<<)", re.IGNORECASE)
_EXAMPLES: Final = 4
_WORDED: Final = {
    Misfit.CODE: "story-format code, kept as text",
    Misfit.NAMED: "only code links to the passage, so no decision goes to it",
    Misfit.VARIABLE: "variables, kept as text",
    Misfit.MARKUP: "markup, kept as text",
}


def read(*texts: str) -> Incoming:
    """Read one story from the texts of Twee files. Lines are numbered continuously across the files.

    Parts that cannot be imported are listed as remarks.

    Raises :class:`~chartui.core.tables.BadTable` if there are no passages.
    """
    files: list[File] = []
    lines = 0
    for text in texts:
        files.append(passages(text, before=lines))
        lines += files[-1].lines
    if not any(file.passages for file in files):
        raise BadTable("the file contains no passages. A passage begins with a line such as ':: The hall'.")
    return story_of(files)


def story_of(files: Sequence[File]) -> Incoming:
    """Read the story in ``files``. Return the story with a remark about each part that could not be imported."""
    return _Reader(files).story()


class _Reader:
    def __init__(self, files: Sequence[File]) -> None:
        self._remarks: list[Remark] = []
        for file in files:
            if file.stray:
                said = "The text before the first passage is left out."
                self._remark(Misfit.STRAY, said, "", [file.stray], lost=True)
        found = [passage for file in files for passage in file.passages]
        self._title = next((" ".join(p.text.split()) for p in found if p.name == TITLE), "")
        self._data = self._story_data(found)
        self._format = str(self._data.get("format") or "")
        self._told: list[TweePassage] = []
        self._fired: list[TweePassage] = []
        for passage in found:
            if self._is_told(passage):
                (self._fired if TRIGGER_TAG in passage.tags else self._told).append(passage)
        self._called = {passage.name for passage in self._told}
        #: The IDs of sections, by the names that links refer to.
        self._ids: dict[str, str] = {}
        #: The names of passages, by their names without case and punctuation.
        self._alike: dict[str, str] = {}
        self._sections: dict[str, dict[str, Wire]] = {}
        self._triggers: dict[str, Trigger] = {}

    def story(self) -> Incoming:
        names = [self._named(passage) for passage in self._told]
        for section_id, passage in zip(list(self._sections), self._told, strict=True):
            self._sections[section_id] |= self._content(passage)
        for number, passage in enumerate(self._fired, start=1):
            self._fire(f"trigger-{number}", passage)
        self._remark_on_tags()
        story = Story(
            sections={section_id: build(Section, raw) for section_id, raw in self._sections.items()},
            triggers=self._triggers,
            start=self._start(names),
        )
        self._remarks.sort(key=lambda remark: remark.lines[:1] or (0,))
        return Incoming(title=self._title, story=story, remarks=tuple(self._remarks))

    def _remark(self, misfit: Misfit, said: str, place: str, lines: Iterable[int], *, lost: bool = False) -> None:
        unique = tuple(dict.fromkeys(lines))
        self._remarks.append(Remark(misfit=misfit, said=said, place=place, lines=unique, lost=lost))

    # -- which passages there are --------------------------------------------------------------------------------------

    def _story_data(self, found: Iterable[TweePassage]) -> Mapping[str, Wire]:
        passage = next((p for p in found if p.name == DATA), None)
        if passage is None:
            return {}
        try:
            data = loads(passage.text)
        except NotJson as error:
            self._remark(Misfit.DATA, f"The passage is not JSON: {error}.", DATA, [passage.line], lost=True)
            return {}
        if not isinstance(data, dict):
            self._remark(Misfit.DATA, "The passage is not a JSON object.", DATA, [passage.line], lost=True)
            return {}
        return data

    def _is_told(self, passage: TweePassage) -> bool:
        """Return whether a passage is for readers. Add a remark if it is not."""
        if passage.name in (TITLE, DATA):
            return False
        tags = set(passage.tags)
        if "script" in tags:
            self._remark(Misfit.SCRIPT, "A script is left out.", passage.name, [passage.line], lost=True)
        elif "stylesheet" in tags:
            self._remark(Misfit.STYLE, "A style sheet is left out.", passage.name, [passage.line], lost=True)
        elif passage.name in _SPECIAL or tags & _SPECIAL_TAGS:
            said = "A passage that only the story format uses is left out."
            self._remark(Misfit.SPECIAL, said, passage.name, [passage.line], lost=True)
        else:
            return True
        return False

    def _named(self, passage: TweePassage) -> str:
        name = passage.name
        if not name:
            name = f"Passage on line {passage.line}"
            self._remark(Misfit.NAME, f"The passage has no name and is imported as “{name}”.", "", [passage.line])
        if name in self._ids:
            other = numbered(name, self._called)
            said = f"Duplicate passage name: the passage is renamed “{other}”, and links go to the first passage."
            self._remark(Misfit.DUPLICATE, said, name, [passage.line])
            name = other
        self._make(name)
        self._alike.setdefault(bare(name), name)
        return name

    def _make(self, name: str) -> str:
        section_id = f"section-{len(self._sections) + 1}"
        self._ids[name] = section_id
        self._called.add(name)
        self._sections[section_id] = {
            "section_id": section_id,
            "section_name": name,
            "objective": "",
            "decisions": None,
            "triggers": None,
        }
        return section_id

    # -- their contents ------------------------------------------------------------------------------------------------

    def _content(self, passage: TweePassage) -> dict[str, Wire]:
        line_of = _lines_of(passage)
        taken = [link for link in links(passage.text) if self._leads(link, passage, line_of)]
        self._remark_on_code(passage, beside_links(passage.text, taken))
        decisions: list[Wire] = [
            {"criteria": link.words, "next_section_id": self._target(link, passage, line_of)} for link in taken
        ]
        return {"objective": without_links(passage.text, taken), "decisions": decisions or None}

    def _leads(self, link: TweeLink, passage: TweePassage, line_of: Callable[[int], int]) -> bool:
        line = line_of(link.begin)
        if link.target not in self._ids and _ELSEWHERE.match(link.target):
            said = f"A link to “{link.target}” cannot become a decision and is kept as text."
            self._remark(Misfit.LINK, said, passage.name, [line])
            return False
        if link.setter:
            said = f"The link's code is left out: {link.setter}"
            self._remark(Misfit.SETTER, said, passage.name, [line], lost=True)
        if link.words == IMMEDIATE:
            self._remark(Misfit.IMMEDIATE, f"The link {IMMEDIATE} becomes a catch-all decision.", passage.name, [line])
        return True

    def _target(self, link: TweeLink, passage: TweePassage, line_of: Callable[[int], int]) -> str:
        """Return the ID of a link's target section. The section is created if the passage is missing."""
        found = self._ids.get(link.target)
        if found is None:
            meant = self._alike.get(bare(link.target))
            found = self._make(link.target)
            hint = "" if meant is None else f" Did you mean “{meant}”?"
            said = f"Passage “{link.target}” is missing, so an empty section takes its place.{hint}"
            self._remark(Misfit.MISSING, said, passage.name, [line_of(link.begin)])
        return found

    def _remark_on_tags(self) -> None:
        """Add one remark for each tag, however many passages have it."""
        lines: dict[str, list[int]] = {}
        for passage in (*self._told, *self._fired):
            for tag in passage.tags:
                lines.setdefault(tag, []).append(passage.line)
        lines.pop(TRIGGER_TAG, None)
        for tag, found in lines.items():
            self._remark(Misfit.TAGS, f"The tag “{tag}” is left out.", "", found, lost=True)

    def _remark_on_code(self, passage: TweePassage, text: str) -> None:
        """Add a remark for each kind of code in ``text``, the contents of the passage without its links."""
        found: dict[Misfit, tuple[list[int], dict[str, None]]] = {}
        for misfit, line, example in code_in(text, self._format):
            name = " ".join(example.split())
            if misfit is not Misfit.NAMED or (name in self._ids and name != passage.name):
                lines, examples = found.setdefault(misfit, ([], {}))
                lines.append(passage.text_line + line)
                examples[f"“{name}”" if misfit is Misfit.NAMED else example] = None
        for misfit, (lines, examples) in found.items():
            shown = [*list(examples)[:_EXAMPLES], *(["…"] if len(examples) > _EXAMPLES else [])]
            said = f"{', '.join(shown)}: {_WORDED[misfit]}."
            self._remark(misfit, said, passage.name, lines, lost=misfit is Misfit.NAMED)

    def _fire(self, trigger_id: str, passage: TweePassage) -> None:
        line_of = _lines_of(passage)
        taken = links(passage.text)
        target = self._target(taken[0], passage, line_of) if taken else None
        if len(taken) > 1:
            said = "A trigger can have only one target, so the other links are left out."
            self._remark(Misfit.LINK, said, passage.name, [line_of(link.begin) for link in taken[1:]], lost=True)
        self._triggers[trigger_id] = build(
            Trigger,
            {
                "trigger_id": trigger_id,
                "trigger_name": passage.name or trigger_id,
                "trigger_message": without_links(passage.text, taken),
                "destination_section": target,
            },
        )

    def _start(self, names: Sequence[str]) -> str | None:
        given = self._data.get("start")
        wanted = " ".join(given.split()) if isinstance(given, str) else ""
        if wanted in self._ids:
            return self._ids[wanted]
        if wanted:
            said = f"The start passage “{wanted}” is missing."
            self._remark(Misfit.START, said, DATA, [], lost=True)
        if START in names:
            return self._ids[START]
        said = "No start is set, because the story names no start passage and no passage is called Start."
        self._remark(Misfit.START, said, "", [])
        return None


def _lines_of(passage: TweePassage) -> Callable[[int], int]:
    ends = [found.start() for found in re.finditer("\n", passage.text)]
    return lambda place: passage.text_line + bisect_left(ends, place)


#: Characters that would end or split a link, and their replacements.
_PARTS: Final = (("->", "→"), ("<-", "←"), ("|", "¦"), ("[[", "[ ["), ("]]", "] ]"), ("][", "] ["))
_FIRED: Final = "goes to"


class Written(NamedTuple):
    """A passage for export. ``text`` includes the links. ``tag`` is empty if the passage has no tag."""

    name: str
    tag: str
    text: str


def write(story: Story, title: str) -> str:
    return "\n".join(_lines(Outgoing(story.graph(), title))) + "\n"


def _lines(story: Outgoing) -> Iterator[str]:
    data: dict[str, Wire] = {"ifid": story.ifid}
    if story.start is not None:
        data["start"] = story.start
    yield from (f"{MARK} {TITLE}", _unmarked(story.title), "")
    yield from (f"{MARK} {DATA}", dumps(data, indent=2))
    for one in story.passages():
        yield ""
        yield f"{MARK} {escaped(one.name)}{f' [{one.tag}]' if one.tag else ''}"
        if one.text:
            yield _unmarked(one.text)


def _unmarked(text: str) -> str:
    """Return the text with a space before each line that would start a passage."""
    return "\n".join(f" {line}" if line.startswith(MARK) else line for line in text.split("\n"))


class Outgoing:
    """Converts a graph to passages, which can be written as Twee or as Twine HTML."""

    def __init__(self, graph: Graph, title: str) -> None:
        self._graph = graph
        self._taken = {TITLE, DATA, *([] if graph.start else [START])}
        self._names = {section_id: self._name(graph.section_name(section_id)) for section_id in graph.sections}
        self.title = _plain(single_line(title))
        #: The story's unique ID: equal for the same sections under the same title.
        self.ifid = str(uuid5(NAMESPACE_OID, "\n".join((title, *graph.sections)))).upper()
        #: The name of the start passage.
        self.start = None if graph.start is None else self._to(graph.start)

    def _name(self, wanted: str) -> str:
        name = numbered(_linkable(wanted) or "Passage", self._taken)
        self._taken.add(name)
        return name

    def passages(self) -> Iterator[Written]:
        """Yield the passages of all sections, then of all triggers, and then of all sections with duplicate IDs."""
        graph = self._graph
        for section_id, section in graph.sections.items():
            yield self._passage(self._names[section_id], "", section.objective, self._links(graph.edges[section_id]))
        for trigger in (*graph.triggers.values(), *graph.duplicate_triggers):
            target = trigger.destination_section
            links = [f"[[{_FIRED}->{self._to(target)}]]"] if target else []
            name = self._name(trigger.trigger_name or trigger.trigger_id)
            yield self._passage(name, TRIGGER_TAG, trigger.trigger_message, links)
        for section in graph.duplicate_sections:
            name = self._name(section.section_name or section.section_id)
            yield self._passage(name, "", section.objective, self._links(edges_of(section)))

    def _links(self, edges: Iterable[Edge]) -> list[str]:
        return [f"[[{_linkable(edge.criteria)}->{self._to(edge.target)}]]" for edge in edges]

    def _passage(self, name: str, tag: str, text: str | None, links: Sequence[str]) -> Written:
        parts = (_plain(text or ""), "\n".join(links))
        return Written(name, tag, "\n\n".join(part for part in parts if part))

    def _to(self, section_id: str) -> str:
        return self._names.get(section_id) or _linkable(section_id)


def _linkable(text: str) -> str:
    line = single_line(text)
    for part, instead in _PARTS:
        line = line.replace(part, instead)
    # A bracket at either end would merge with the brackets of the link.
    line = f"({line[1:]}" if line.startswith("[") else line
    return f"{line[:-1]})" if line.endswith("]") else line


def _plain(text: str) -> str:
    """Return a text in which nothing looks like a link."""
    return display_text(text, multiline=True).strip("\n").replace("[[", "[ [").replace("]]", "] ]")
