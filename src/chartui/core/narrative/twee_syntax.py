"""Parse the syntax of Twee 3: passages, the links in their text, and the code of story formats.

A passage begins with a line such as ``:: The hall [indoors] {"position":"100,200"}`` and ends before the next such
line. In the name and the tags, a backslash escapes the next character.

Links are written ``[[Target]]``, ``[[words->Target]]``, ``[[Target<-words]]`` or ``[[words|Target]]``. In two
story formats, links can also be written as macros. These macro links are read if their arguments are plain strings.
Code is detected but never run.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from chartui.core.classes import NamedTuple
from chartui.core.narrative.story_import import Misfit

#: The start of the first line of a passage.
MARK: Final = "::"


class TweePassage(NamedTuple):
    """A passage of a Twee file.

    ``line`` is the number of its first line, and ``text_line`` is the number of the first line of its text, both
    counted from 1. ``text`` has no empty lines at the beginning or end.
    """

    name: str
    tags: tuple[str, ...]
    line: int
    text: str
    text_line: int


class File(NamedTuple):
    """The contents of a Twee file.

    ``lines`` is the number of lines. ``stray`` is the number of the first non-empty line before the first passage, or 0
    if there is none.
    """

    passages: list[TweePassage]
    lines: int
    stray: int


def passages(text: str, *, before: int = 0) -> File:
    """Read the passages of a file. ``before`` is the number of lines in all preceding files."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    begins = [number for number, line in enumerate(lines) if line.startswith(MARK)]
    first = [*begins, len(lines)][0]
    stray = next((before + number for number, line in enumerate(lines[:first], start=1) if line.strip()), 0)
    ends = [*begins, len(lines)][1:]
    found = [_passage(lines, begin, end, before) for begin, end in zip(begins, ends, strict=True)]
    return File(found, len(lines), stray)


def _passage(lines: list[str], begin: int, end: int, before: int) -> TweePassage:
    first = begin + 1
    while first < end and not lines[first].strip():
        first += 1
    while end > first and not lines[end - 1].strip():
        end -= 1
    name, tags = _header(lines[begin][len(MARK) :])
    return TweePassage(name, tags, before + begin + 1, "\n".join(lines[first:end]), before + first + 1)


def _header(line: str) -> tuple[str, tuple[str, ...]]:
    """Return the name and tags of a passage. The braces after them hold its position in an editor and are ignored."""
    name, rest = _until(line, "[{")
    tags: tuple[str, ...] = ()
    if rest.startswith("["):
        inside, _ = _until(rest[1:], "]", keep=True)
        tags = tuple(_until(tag, "")[0] for tag in inside.split())
    return " ".join(name.split()), tags


def _until(text: str, ends: Collection[str], *, keep: bool = False) -> tuple[str, str]:
    """Return the text before the first unescaped character of ``ends``. Backslashes are removed unless ``keep``."""
    found: list[str] = []
    signs = iter(enumerate(text))
    for index, sign in signs:
        if sign in ends:
            return "".join(found), text[index:]
        if sign == "\\" and index + 1 < len(text):
            found.append(sign if keep else "")
            found.append(next(signs)[1])
        else:
            found.append(sign)
    return "".join(found), ""


def escaped(name: str) -> str:
    return "".join(f"\\{sign}" if sign in "\\[]{}" else sign for sign in name)


# (link-goto: "words", "Target") and <<link "words" "Target">>; a single text is both words and target.
_QUOTED: Final = r"""(?:"([^"\n]{1,500})"|'([^'\n]{1,500})')"""
_MACROS: Final = re.compile(
    rf"\(link-goto:[ \t]*{_QUOTED}(?:[ \t]*,[ \t]*{_QUOTED})?[ \t]*\)"
    rf"|<<(?:link|button)[ \t]+{_QUOTED}[ \t]+{_QUOTED}[ \t]*>>(?:[ \t]*<</(?:link|button)>>)?",
    re.IGNORECASE,
)
_OPEN: Final = "[["
_CLOSE: Final = "]]"
_SETTER: Final = "]["
#: The start of a list item, and the punctuation left when a link stood alone.
_ALONE: Final = re.compile(r"[\s*+\-–—•|,;.:0-9()]*")


class TweeLink(NamedTuple):
    """A link in a passage.

    ``begin`` and ``end`` delimit the link in the text. ``setter`` is code that a story format runs when the link is
    taken.
    """

    words: str
    target: str
    begin: int
    end: int
    setter: str = ""


def links(text: str) -> list[TweeLink]:
    found = [*_brackets(text), *_macros(text)]
    found.sort(key=lambda link: link.begin)
    apart: list[TweeLink] = []
    for link in found:
        if not apart or link.begin >= apart[-1].end:
            apart.append(link)
    return apart


def _brackets(text: str) -> Iterator[TweeLink]:
    begin = 0
    while (close := text.find(_CLOSE, begin)) >= 0:
        # The link begins at the last opening brackets. The text before them is not part of it.
        opened = text.rfind(_OPEN, begin, close)
        if opened >= 0 and "\n" not in (inside := text[opened + len(_OPEN) : close]):
            link = _read(inside, opened, close + len(_CLOSE))
            if link.target:
                yield link
        begin = close + len(_CLOSE)


def _read(inside: str, begin: int, end: int) -> TweeLink:
    inside, _, setter = inside.partition(_SETTER)
    words, arrow, target = inside.rpartition("->")
    if not arrow:
        target, arrow, words = inside.partition("<-")
    if not arrow:
        words, arrow, target = inside.partition("|")
    if not arrow:
        words = target = inside
    words, target = " ".join(words.split()), " ".join(target.split())
    return TweeLink(words or target, target, begin, end, setter.strip())


def _macros(text: str) -> Iterator[TweeLink]:
    for match in _MACROS.finditer(text):
        texts = [" ".join(given.split()) for given in match.groups() if given]
        if all(texts):
            yield TweeLink(texts[0], texts[-1], match.start(), match.end())


def without_links(text: str, taken: Sequence[TweeLink]) -> str:
    """Return a passage's text with each link replaced by the link's own text.

    Lines that contain only links are removed.
    """
    kept: list[str] = []
    waiting = deque(taken)
    begin = 0
    for line in text.split("\n"):
        end = begin + len(line)
        place, whole, bare = begin, "", ""
        while waiting and waiting[0].begin < end:
            link = waiting.popleft()
            before = text[place : link.begin]
            whole, bare, place = f"{whole}{before}{link.words}", f"{bare}{before}", link.end
        rest = text[place:end]
        if place == begin or not _ALONE.fullmatch(f"{bare}{rest}"):
            kept.append(f"{whole}{rest}")
        begin = end + 1
    return "\n".join(kept).strip("\n")


def beside_links(text: str, taken: Sequence[TweeLink]) -> str:
    """Return a passage's text with each link replaced by a space. Line numbers stay the same."""
    parts, place = [], 0
    for link in taken:
        parts += [text[place : link.begin], " "]
        place = link.end
    return "".join([*parts, text[place:]])


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Macros recognized in any format. Other words with a colon in parentheses may be plain text.
_HARLOWE: Final = word_set(
    """
    set put if unless else else-if elseif cond either for loop live stop print display visited goto go-to undo
    redirect alert prompt confirm input-box link link-goto link-repeat link-replace link-reveal link-reveal-goto
    link-show link-undo click click-goto click-replace mouseover mouseout cycling-link seq-link storylet replace
    append prepend show hidden enchant macro save-game load-game text-style text-color text-color color color
    transition t8n align font css
    """
)
_SUGARCUBE: Final = re.compile(r"<<\s{0,4}(/?[A-Za-z_=\-][\w\-]{0,40})")
_PARENTHESIS: Final = re.compile(r"\(([A-Za-z0-9][\w\-]{0,40}):")
#: A macro whose first argument is a string, possibly the name of a passage.
_NAMED: Final = re.compile(
    r"""(?:<<[\w\-]{1,40}[ \t]{1,8}|\([\w\-]{1,40}:[ \t]{0,8})(?:"([^"\n]{1,500})"|'([^'\n]{1,500})')"""
)
_SNOWMAN: Final = re.compile(r"<%[=\-]?")
_CHAPBOOK: Final = re.compile(
    r"^\[(?:if|unless|else|cont|continue|after|append|align|note|n\.b\.|ifalways|ifnever|JavaScript|CSS)\b[^\]]{0,200}\]\s*$",
    re.IGNORECASE,
)
_VARIABLE: Final = re.compile(r"\$[A-Za-z_]\w{0,60}")
_MARKUP: Final = re.compile(r"(?<!<)</?([A-Za-z][A-Za-z0-9\-]{0,30})(?=[\s/>])|<!--|/\*|/%")
#: The only element with a meaning in a narrative graph (decision 36).
_KEPT: Final = "speak"


class Found(NamedTuple):
    """A piece of code in the text of a passage.

    ``line`` is counted from 0.

    ``example`` is an excerpt of the code. If the kind is ``Misfit.NAMED``, the excerpt is a string that may be the name
    of a passage.
    """

    misfit: Misfit
    line: int
    example: str


def code_in(text: str, story_format: str) -> Iterator[Found]:
    """Yield the macros, variables and markup in the text of a passage, line by line.

    ``story_format`` is the name of the story format, or empty if unknown.
    """
    everything = story_format.casefold() == "harlowe"
    for number, line in enumerate(text.split("\n")):
        for match in _SUGARCUBE.finditer(line):
            yield Found(Misfit.CODE, number, f"<<{match[1]}>>")
        for match in _PARENTHESIS.finditer(line):
            if everything or match[1].casefold() in _HARLOWE:
                yield Found(Misfit.CODE, number, f"({match[1]}:)")
        for match in _NAMED.finditer(line):
            yield Found(Misfit.NAMED, number, match[1] or match[2])
        for match in (*_SNOWMAN.finditer(line), *_CHAPBOOK.finditer(line)):
            yield Found(Misfit.CODE, number, match[0].strip())
        for match in _VARIABLE.finditer(line):
            yield Found(Misfit.VARIABLE, number, match[0])
        for match in _MARKUP.finditer(line):
            if (match[1] or "").casefold() != _KEPT:
                yield Found(Misfit.MARKUP, number, f"<{match[1]}>" if match[1] else match[0])
