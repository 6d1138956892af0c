"""The documents as the tests read them: their blocks, headings and links, and the parts that are made from the program.

A part that is made stands between two comments, ``<!-- made: … -->`` and ``<!-- end -->``; what is around them is
written by hand. ``UPDATE_GOLDEN=1`` in the environment writes what is made anew, for reading.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final
from urllib.parse import unquote

__all__ = [
    "DOCS",
    "DOCUMENTS",
    "FOR_DEVELOPERS",
    "ROOT",
    "anchors",
    "blocks",
    "cell",
    "kept",
    "links",
    "made_parts",
    "pictures",
    "prose",
    "section_of",
    "table",
    "with_parts",
]

ROOT: Final = Path(__file__).parents[2]
DOCS: Final = ROOT / "docs"
#: What is written for those who use the program.
DOCUMENTS: Final = (ROOT / "README.md", *sorted(DOCS.glob("*.md")))
#: What is written for those who work on it.
FOR_DEVELOPERS: Final = (ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", ROOT / "benchmarks" / "README.md")

_FENCE: Final = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PART: Final = re.compile(r"(<!-- made: (.*?) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
_LINK: Final = re.compile(r"(!?)\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^()\s]+)\)")


def blocks(document: str, kind: str) -> list[str]:
    return [text for found, text in _FENCE.findall(document) if found == kind]


def prose(document: str) -> str:
    return _FENCE.sub("", document)


def links(document: str) -> list[str]:
    return [target for mark, target in _LINK.findall(prose(document)) if not mark]


def pictures(document: str) -> list[str]:
    return [unquote(target) for mark, target in _LINK.findall(prose(document)) if mark]


def anchors(document: str) -> set[str]:
    """What the headings of the document are called in addresses: as the usual viewers of Markdown make them."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.*)$", prose(document), re.MULTILINE):
        plain = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).strip().replace(" ", "-")
        assert plain not in found, f"two headings are called {plain}"
        found.add(plain)
    return found


def section_of(document: str, place: int) -> str:
    """The part from the heading of the second level before ``place`` to the next one."""
    starts = [match.start() for match in re.finditer(r"^## ", document, re.MULTILINE)]
    begin = max((start for start in starts if start <= place), default=0)
    return document[begin : min((start for start in starts if start > place), default=len(document))]


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = list(header)
    lines = ["|" + "".join(f" {one} |" if one else " |" for one in row) for row in (head, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]]) + "\n"


def cell(text: str) -> str:
    """``text`` in a cell of a table, each of its characters itself."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|").replace("\n", " ")


def made_parts(document: str) -> list[str]:
    return [words for _, words, _, _ in _PART.findall(document)]


def with_parts(document: str, make: Callable[[str], str | None]) -> str:
    """The document with its parts made anew; ``make`` gets the words of their first comments, and None leaves one."""

    def anew(part: re.Match[str]) -> str:
        made = make(part[2])
        return part[0] if made is None else f"{part[1]}\n{made}\n{part[4]}"

    return _PART.sub(anew, document)


def kept(path: Path, made: str) -> str:
    """What the file holds, to be compared with ``made``; which is written to it first where that is asked for."""
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(made, encoding="utf-8")
    return path.read_text(encoding="utf-8") if path.exists() else ""
