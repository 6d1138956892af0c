"""Split the text of a section or trigger into spoken words, instructions and template keys.

Text between ``<speak>`` and ``</speak>`` is spoken word for word. All other text is an instruction to the character
(decision 36). The application that hosts the character fills in keys such as ``{Key}``. Any text is accepted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from chartui.core.classes import NamedTuple

if TYPE_CHECKING:
    from chartui.core.narrative.graph import Graph

#: A template key in a text. The group is its name.
KEY: Final = re.compile(r"\{([^\W\d][\w.-]*(?: [\w.-]+)*)\}")
#: No values, so every template key is unknown.
NO_VALUES: Final[Mapping[str, str]] = MappingProxyType({})
#: A tag. The group is a slash if it closes the spoken words.
TAG: Final = re.compile(r"<\s*(/?)\s*speak\s*>", re.IGNORECASE)


class Part(NamedTuple):
    """A piece of text, which is either plain text or a template key.

    For a template key, ``key`` is the name of the key and ``text`` is its value. If the key has no value, ``known`` is
    false and ``text`` is the key in braces.
    """

    text: str
    key: str = ""
    known: bool = True


class Passage(NamedTuple):
    """A passage of text.

    ``exactly`` is true if the passage is spoken word for word, and false if it is an instruction.
    """

    exactly: bool
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.parts)


class Speech(NamedTuple):
    """Text that is split into non-empty passages. ``balanced`` is false if a tag is nested or has no counterpart."""

    passages: tuple[Passage, ...]
    balanced: bool


def speech(text: str, values: Mapping[str, str] = NO_VALUES) -> Speech:
    """Split text into passages. An unclosed ``<speak>`` extends to the end of the text."""
    passages: list[Passage] = []
    exactly, balanced, begin = False, True, 0
    for mark in TAG.finditer(text):
        closes = bool(mark[1])
        if closes is not exactly:
            balanced = False
            continue
        _add(passages, exactly, text[begin : mark.start()], values)
        exactly, begin = not closes, mark.end()
    _add(passages, exactly, text[begin:], values)
    return Speech(tuple(passages), balanced and not exactly)


def _add(passages: list[Passage], exactly: bool, text: str, values: Mapping[str, str]) -> None:
    # An unmatched tag is not spoken.
    text = TAG.sub("", text).strip()
    if text:
        passages.append(Passage(exactly, tuple(_parts(text, values))))


def _parts(text: str, values: Mapping[str, str]) -> Iterable[Part]:
    begin = 0
    for found in KEY.finditer(text):
        if found.start() > begin:
            yield Part(text[begin : found.start()])
        name = found[1]
        yield Part(values[name], name) if name in values else Part(found[0], name, known=False)
        begin = found.end()
    if begin < len(text):
        yield Part(text[begin:])


def filled(text: str, values: Mapping[str, str]) -> str:
    return KEY.sub(lambda found: values.get(found[1], found[0]), text)


def keys_in(texts: Iterable[str | None]) -> tuple[str, ...]:
    """Return the names of the template keys in ``texts``, each once, in order of first use."""
    return tuple(dict.fromkeys(name for text in texts if text for name in KEY.findall(text)))


def keys_of(graph: Graph) -> tuple[str, ...]:
    """Return the names of the template keys in a story, each once, in order of first use."""
    sections = graph.sections.values()
    return keys_in(
        (
            *(section.objective for section in sections),
            *(edge.criteria for edges in graph.edges.values() for edge in edges),
            *(trigger.trigger_message for trigger in graph.triggers.values()),
        )
    )
