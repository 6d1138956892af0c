"""A narrative graph as Twee 3: sections as passages, decisions as links, and triggers as passages with a tag of ours.

Twee knows no overrides and no priorities: links stand in the order in which decisions are tried. Ids are the reader's
to make. Signs that part a link are written as others that look alike, since no format of stories lets them be escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final
from uuid import NAMESPACE_OID, uuid5

from chartui.core.jsontext import Wire, dumps
from chartui.core.names import numbered
from chartui.core.narrative.graph import Graph, edges_of
from chartui.core.narrative.story import Story
from chartui.core.narrative.twee.passages import MARK, escaped
from chartui.core.narrative.twee.reading import DATA, START, TITLE, TRIGGER_TAG
from chartui.core.text import display_text, single_line

__all__ = ["write"]

#: What would end a link or part it, and what is written instead.
_PARTS: Final = (("->", "→"), ("<-", "←"), ("|", "¦"), ("[[", "[ ["), ("]]", "] ]"), ("][", "] ["))
_FIRED: Final = "leads to"


def write(story: Story, title: str) -> str:
    """The story as the text of a Twee file."""
    return "\n".join(_Writer(story.graph()).lines(title)) + "\n"


class _Writer:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._taken = {TITLE, DATA, *([] if graph.start else [START])}
        self._names = {section_id: self._name(graph.section_name(section_id)) for section_id in graph.sections}

    def _name(self, wanted: str) -> str:
        """A name that no other passage has, and that a link can hold."""
        name = numbered(_linkable(wanted) or "Passage", self._taken)
        self._taken.add(name)
        return name

    def lines(self, title: str) -> Iterator[str]:
        graph = self._graph
        data: dict[str, Wire] = {"ifid": self._ifid(title)}
        if graph.start is not None:
            data["start"] = self._to(graph.start)
        yield from (f"{MARK} {TITLE}", *_plain(single_line(title)), "")
        yield from (f"{MARK} {DATA}", dumps(data, indent=2))
        for section_id, section in graph.sections.items():
            links = [f"[[{_linkable(edge.criteria)}->{self._to(edge.target)}]]" for edge in graph.edges[section_id]]
            yield from self._passage(self._names[section_id], "", section.objective, links)
        for trigger in (*graph.triggers.values(), *graph.duplicate_triggers):
            target = trigger.destination_section
            links = [f"[[{_FIRED}->{self._to(target)}]]"] if target else []
            name = self._name(trigger.trigger_name or trigger.trigger_id)
            yield from self._passage(name, TRIGGER_TAG, trigger.trigger_message, links)
        for section in graph.duplicate_sections:
            links = [f"[[{_linkable(edge.criteria)}->{self._to(edge.target)}]]" for edge in edges_of(section)]
            name = self._name(section.section_name or section.section_id)
            yield from self._passage(name, "", section.objective, links)

    def _passage(self, name: str, tag: str, text: str | None, links: Iterable[str]) -> Iterator[str]:
        yield ""
        yield f"{MARK} {escaped(name)}{f' [{tag}]' if tag else ''}"
        if text:
            yield from _plain(text)
        if links:
            yield from (*([""] if text else []), *links)

    def _to(self, section_id: str) -> str:
        return self._names.get(section_id) or _linkable(section_id)

    def _ifid(self, title: str) -> str:
        """The id that a story has among all stories: the same for the same sections under the same title."""
        return str(uuid5(NAMESPACE_OID, "\n".join((title, *self._graph.sections)))).upper()


def _linkable(text: str) -> str:
    line = single_line(text)
    for part, instead in _PARTS:
        line = line.replace(part, instead)
    # A bracket at an end would belong to those of the link.
    line = f"({line[1:]}" if line.startswith("[") else line
    return f"{line[:-1]})" if line.endswith("]") else line


def _plain(text: str) -> Iterator[str]:
    """A text in which nothing is a link and no line begins a passage."""
    for line in display_text(text, multiline=True).strip("\n").split("\n"):
        line = line.replace("[[", "[ [").replace("]]", "] ]")
        yield f" {line}" if line.startswith(MARK) else line
