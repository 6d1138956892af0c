"""The links in the text of a passage: ``[[Target]]``, ``[[words->Target]]``, ``[[Target<-words]]`` and with ``|``.

Two formats of stories also write links as macros; those whose words and target are plain texts are read as well.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

__all__ = ["Link", "beside_links", "links", "without_links"]

# (link-goto: "words", "Target") and <<link "words" "Target">>; with one text, that is both.
_QUOTED: Final = r"""(?:"([^"\n]{1,500})"|'([^'\n]{1,500})')"""
_MACROS: Final = re.compile(
    rf"\(link-goto:[ \t]*{_QUOTED}(?:[ \t]*,[ \t]*{_QUOTED})?[ \t]*\)"
    rf"|<<(?:link|button)[ \t]+{_QUOTED}[ \t]+{_QUOTED}[ \t]*>>(?:[ \t]*<</(?:link|button)>>)?",
    re.IGNORECASE,
)
_OPEN: Final = "[["
_CLOSE: Final = "]]"
_SETTER: Final = "]["
#: What a line of a list begins with, and what of a sentence is left when a link stood alone.
_ALONE: Final = re.compile(r"[\s*+\-–—•|,;.:0-9()]*")


class Link(NamedTuple):
    """A link: ``begin`` and ``end`` are its place in the text, ``setter`` what a story format does when it is taken."""

    words: str
    target: str
    begin: int
    end: int
    setter: str = ""


def links(text: str) -> list[Link]:
    """The links of a text, in the order they stand in."""
    found = [*_brackets(text), *_macros(text)]
    found.sort(key=lambda link: link.begin)
    apart: list[Link] = []
    for link in found:
        if not apart or link.begin >= apart[-1].end:
            apart.append(link)
    return apart


def _brackets(text: str) -> Iterator[Link]:
    begin = 0
    while (close := text.find(_CLOSE, begin)) >= 0:
        # The last pair that opens: what is between two of them is no link.
        opened = text.rfind(_OPEN, begin, close)
        if opened >= 0 and "\n" not in (inside := text[opened + len(_OPEN) : close]):
            link = _read(inside, opened, close + len(_CLOSE))
            if link.target:
                yield link
        begin = close + len(_CLOSE)


def _read(inside: str, begin: int, end: int) -> Link:
    inside, _, setter = inside.partition(_SETTER)
    words, arrow, target = inside.rpartition("->")
    if not arrow:
        target, arrow, words = inside.partition("<-")
    if not arrow:
        words, arrow, target = inside.partition("|")
    if not arrow:
        words = target = inside
    words, target = " ".join(words.split()), " ".join(target.split())
    return Link(words or target, target, begin, end, setter.strip())


def _macros(text: str) -> Iterator[Link]:
    for match in _MACROS.finditer(text):
        texts = [" ".join(given.split()) for given in match.groups() if given]
        if all(texts):
            yield Link(texts[0], texts[-1], match.start(), match.end())


def without_links(text: str, taken: Sequence[Link]) -> str:
    """The text, with the words of a link in its place; lines that hold nothing else than links are left out."""
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


def beside_links(text: str, taken: Sequence[Link]) -> str:
    """The text with blanks in the place of links, so that every line keeps its number."""
    parts, place = [], 0
    for link in taken:
        parts += [text[place : link.begin], " "]
        place = link.end
    return "".join([*parts, text[place:]])
