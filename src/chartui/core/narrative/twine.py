"""Read and write Twine 2 HTML files, which contain a published story or an archive of several stories.

The passages are the same as in Twee (see :mod:`chartui.core.narrative.twee`), but each passage is an HTML element.
Passages are numbered, and the story refers to its start passage by number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from html import escape
from html.parser import HTMLParser
from typing import Final

from chartui.core.classes import dataclass
from chartui.core.jsontext import Wire, dumps
from chartui.core.narrative.story import Story
from chartui.core.narrative.story_import import Incoming
from chartui.core.narrative.twee import DATA, TITLE, Outgoing, story_of
from chartui.core.narrative.twee_syntax import File, TweePassage
from chartui.core.tables import BadTable

_STORY: Final = "tw-storydata"
_PASSAGE: Final = "tw-passagedata"
#: The tags of passages with code, and the roles of the elements with the code of a whole story.
_CODE: Final = frozenset({"script", "stylesheet"})
#: The editor's map: passages in a row, and the distance between them in pixels.
_IN_A_ROW: Final = 8
_APART: Final = 125


class SeveralStories(BadTable):
    """Raised when it is unclear which of several stories to read. ``titles`` lists their titles."""

    def __init__(self, said: str, titles: list[str]) -> None:
        super().__init__(f"{said}: {', '.join(f'“{title}”' for title in titles)}.")
        self.titles = titles


def read(text: str, title: str | None = None) -> Incoming:
    """Read the story called ``title`` from Twine HTML. Line numbers refer to the HTML.

    If the file contains only one story, no title is needed. Raises :class:`SeveralStories` if a title is needed but not
    given, or if no story has that title. Raises :class:`~chartui.core.tables.BadTable` if there are no stories.
    """
    document = _Html()
    document.feed(text)
    document.close()
    titles = [story.title for story in document.stories]
    if not titles:
        raise BadTable("the file contains no Twine 2 story.")
    if title is not None and title not in titles:
        raise SeveralStories(f"the file contains no story “{title}”. The stories in the file", titles)
    if title is None and len(titles) > 1:
        raise SeveralStories("the file contains several stories", titles)
    return story_of([document.stories[0 if title is None else titles.index(title)].file()])


@dataclass
class _Told:
    """A story as described by its HTML elements."""

    title: str
    start: str
    format: str
    line: int
    passages: list[TweePassage] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)

    def file(self) -> File:
        """The story as the passages of a Twee file."""
        data: dict[str, Wire] = {"format": self.format}
        if self.start:
            data["start"] = self.names.get(self.start, self.start)
        said = [(TITLE, self.title), (DATA, dumps(data))]
        about = [TweePassage(name, (), self.line, text, self.line) for name, text in said]
        return File([*about, *self.passages], 0, 0)


class _Html(HTMLParser):
    """Collects the stories of a document. Other elements, such as the program that plays them, are skipped."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.stories: list[_Told] = []
        self._inside = ""
        self._header: tuple[str, tuple[str, ...], int] | None = None
        self._text: list[str] = []
        self._text_line = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        line = self.getpos()[0]
        if self._header is not None:  # markup that was not escaped
            self.handle_data(self.get_starttag_text() or "")
        elif tag == _STORY:
            self.stories.append(
                _Told(_one_line(given.get("name")), given.get("startnode", ""), given.get("format", ""), line)
            )
        elif not self.stories:
            return
        elif tag == _PASSAGE:
            name = _one_line(given.get("name"))
            self.stories[-1].names.setdefault(given.get("pid", ""), name)
            self._begin(tag, name, tuple(given.get("tags", "").split()), line)
        elif (role := given.get("role", "")) in _CODE:
            self._begin(tag, f"Story {role}", (role,), line)

    def _begin(self, tag: str, name: str, tags: tuple[str, ...], line: int) -> None:
        self._inside, self._header, self._text, self._text_line = tag, (name, tags, line), [], line

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if self._inside == tag:
            self.handle_endtag(tag)

    def handle_data(self, data: str) -> None:
        if self._header is not None:
            if not self._text:
                self._text_line = self.getpos()[0]
            self._text.append(data)

    def handle_endtag(self, tag: str) -> None:
        if self._header is None:
            return
        if tag != self._inside:
            self.handle_data(f"</{tag}>")
            return
        name, tags, line = self._header
        self._inside, self._header = "", None
        lines = "".join(self._text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
        first = next((number for number, one in enumerate(lines) if one.strip()), len(lines))
        while len(lines) > first and not lines[-1].strip():
            lines.pop()
        if lines[first:] or not _CODE & set(tags):  # a story without code has an empty element for it
            text_line = self._text_line + first
            self.stories[-1].passages.append(TweePassage(name, tags, line, "\n".join(lines[first:]), text_line))


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split())


def write(story: Story, title: str) -> str:
    return "\n".join(_lines(Outgoing(story.graph(), title))) + "\n"


def _lines(story: Outgoing) -> Iterator[str]:
    passages = list(story.passages())
    start = next((number for number, one in enumerate(passages, start=1) if one.name == story.start), None)
    about = {"name": story.title, "startnode": "" if start is None else str(start), "ifid": story.ifid}
    about |= {"creator": "chartui", "format": "", "format-version": "", "options": "", "tags": "", "zoom": "1"}
    yield f"<{_STORY}{_attributes(about)} hidden>"
    for number, one in enumerate(passages):
        place = f"{_APART * (number % _IN_A_ROW + 1)},{_APART * (number // _IN_A_ROW + 1)}"
        given = {"pid": str(number + 1), "name": one.name, "tags": one.tag, "position": place, "size": "100,100"}
        yield f"<{_PASSAGE}{_attributes(given)}>{escape(one.text)}</{_PASSAGE}>"
    yield f"</{_STORY}>"


def _attributes(given: dict[str, str]) -> str:
    return "".join(f' {name}="{escape(value)}"' for name, value in given.items())
