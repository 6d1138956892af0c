"""Find URLs and paths of existing files in text, so that a terminal can open them as links (OSC 8)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from chartui.core.classes import NamedTuple

_CANDIDATE: Final = r"(?<![^\s'\"“‘(])(?:https?://|~?/)[^\s'\"”’<>()…]+"
#: Values of ``TERM`` for consoles that display the escape sequences of links and titles as text.
WITHOUT_WINDOW: Final = ("linux", "dumb", "vt100", "vt102", "vt220")
#: Punctuation that belongs to the sentence and not to the link.
_AFTER: Final = ".,:;!?"


class Link(NamedTuple):
    """A link that was found in text.

    ``start`` and ``end`` are its positions in the text. ``target`` is in ASCII, without control characters.
    """

    start: int
    end: int
    target: str


def links_in(text: str) -> Iterator[Link]:
    """Yield the URLs and paths of existing files in ``text``.

    The text must be safe to display (:mod:`chartui.core.text`).
    """
    from urllib.parse import quote

    for match in re.finditer(_CANDIDATE, text):
        if text[match.end() :].startswith("…"):  # the end of the address was cut off
            continue
        found = match[0].rstrip(_AFTER)
        end = match.start() + len(found)
        if found.startswith("http"):
            yield Link(match.start(), end, quote(found, safe="%/:?#[]@!$&'()*+,;=-._~"))
        elif (path := os.path.expanduser(found)) != "/" and Path(path).exists():
            # The link includes the host, so that a terminal on another machine does not open a file of its own.
            yield Link(match.start(), end, f"file://{os.uname().nodename}{quote(path)}")


def with_links(text: str) -> str:
    """Return ``text`` with its links marked by terminal escape sequences."""
    parts, done = [], 0
    for start, end, target in links_in(text):
        parts += [text[done:start], f"\x1b]8;;{target}\x1b\\{text[start:end]}\x1b]8;;\x1b\\"]
        done = end
    return "".join([*parts, text[done:]])
