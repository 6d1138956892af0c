"""Export a narrative graph as a diagram, as data, or as readable text.

The functions turn a story and its title into text, and have no side effects. Graphs include every section, decision,
trigger and override, even broken ones. The text never contains control characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from chartui.core.classes import NamedTuple
from chartui.core.narrative.graph import Graph, edges_of
from chartui.core.narrative.nodes import GROUP_TITLES, MAY_BE_REACHED, Group, Kind
from chartui.core.narrative.outline import outline
from chartui.core.narrative.story import Story
from chartui.core.numbers import number_of
from chartui.core.sheet import escape_markdown
from chartui.core.spec.models.narrative import Section, Trigger
from chartui.core.text import display_text, single_line


class Form(StrEnum):
    MERMAID = "mermaid"
    DOT = "dot"
    JSON = "json"
    MARKDOWN = "markdown"
    TWEE = "twee"
    TWINE = "twine"
    TEXTS = "texts"


class FormFacts(NamedTuple):
    """The name, file suffix and typical use of an export format."""

    title: str
    suffix: str
    use: str


FORMS: Final[Mapping[Form, FormFacts]] = MappingProxyType(
    {
        Form.MERMAID: FormFacts("Mermaid flowchart", ".mmd", "rendered by wikis and code hosts"),
        Form.DOT: FormFacts("Graphviz DOT", ".dot", "rendered by dot"),
        Form.JSON: FormFacts("JSON", ".json", "for programs; can be imported"),
        Form.MARKDOWN: FormFacts("Markdown outline", ".md", "for people to read"),
        Form.TWEE: FormFacts("Twee 3", ".twee", "for Twee editors; can be imported"),
        Form.TWINE: FormFacts("Twine archive", ".html", "opened by Twine; can be imported"),
        Form.TEXTS: FormFacts("Story text as CSV", ".csv", "for translation; can be imported"),
    }
)


def export(story: Story, form: Form, title: str) -> str:
    """Return the story as text in the given format. The text ends with a line feed."""
    # A format's module is imported only when needed.
    match form:
        case Form.MERMAID:
            from chartui.core.narrative.diagram import write_mermaid as write
        case Form.DOT:
            from chartui.core.narrative.diagram import write_dot as write
        case Form.JSON:
            from chartui.core.narrative.graph_json import write
        case Form.MARKDOWN:
            return "\n".join(_Document(story.graph()).lines(title)) + "\n"
        case Form.TWEE:
            from chartui.core.narrative.twee import write
        case Form.TWINE:
            from chartui.core.narrative.twine import write
        case Form.TEXTS:
            from chartui.core.narrative.texts import write
    return write(story, title)


#: Text that would, at the beginning of a line, start a heading, a list or a rule, or turn the line above into a
#: heading.
_BEGINS: Final = re.compile(r"[#+\-=]|[0-9]+(?=[.)])")


class _Document:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._outline = outline(graph)
        shown = [node.section for node in self._outline.nodes if node.kind is Kind.SECTION and node.section is not None]
        # Unreachable sections come last, even if they have incoming links.
        self._order = sorted(shown, key=lambda section_id: section_id not in graph.reachable)
        self._numbers = {section_id: number for number, section_id in enumerate(self._order, start=1)}

    def lines(self, title: str) -> Iterator[str]:
        graph = self._graph
        start = f"Start: {self._to(graph.start, 0)}." if graph.start else "No start section."
        yield f"# {_inline(title) or 'A story'}"
        yield ""
        yield f"{number_of(len(graph.sections), 'section')}, {number_of(len(graph.triggers), 'trigger')}. {start}"
        reachable = [section_id for section_id in self._order if section_id in graph.reachable]
        yield from self._sections("Sections", reachable)
        yield from self._sections(
            MAY_BE_REACHED if graph.missed.ways else GROUP_TITLES[Group.UNREACHABLE], graph.unreachable
        )
        yield from self._triggers(GROUP_TITLES[Group.TRIGGERS], tuple(graph.triggers.values()))
        yield from self._dangling()
        if graph.duplicate_sections:
            yield from ("", f"## {GROUP_TITLES[Group.DUPLICATES]}: sections")
            for section in graph.duplicate_sections:
                yield from self._section(section)
        yield from self._triggers(f"{GROUP_TITLES[Group.DUPLICATES]}: triggers", graph.duplicate_triggers)

    def _sections(self, title: str, section_ids: Sequence[str]) -> Iterator[str]:
        if section_ids:
            yield from ("", f"## {title}")
        for section_id in section_ids:
            yield from self._section(self._graph.sections[section_id], self._numbers[section_id])

    def _section(self, section: Section, number: int = 0) -> Iterator[str]:
        """Yield the lines of a section with its outgoing and incoming links. ``number`` is 0 if it is unreachable."""
        graph = self._graph
        place = f'<a id="s{number}"></a>' if number else ""
        yield from ("", f"### {place}{_inline(section.section_name or section.section_id)}")
        if section.objective:
            yield from ("", *_quoted(section.objective))
        ways = [
            f"{order}. {_inline(edge.criteria) or '(no criteria)'} → {self._to(edge.target, number)}"
            f"{' (never runs)' if edge.never_runs else ''}"
            for order, edge in enumerate(edges_of(section), start=1)
        ]
        ways += [
            f"- ϟ {_inline(graph.trigger_name(override.trigger_id))} → {self._to(override.destination_section, number)}"
            f"{'' if override.trigger_id in graph.triggers else ' (never fires)'}"
            for override in section.triggers or ()
        ]
        if ways:
            yield from ("", *ways)
        parents = graph.parents[section.section_id] if number else ()
        if parents:
            yield from ("", f"Incoming: {', '.join(self._to(parent, 0) for parent in parents)}.")

    def _triggers(self, title: str, triggers: Sequence[Trigger]) -> Iterator[str]:
        if triggers:
            yield from ("", f"## {title}", "")
        for trigger in triggers:
            name = _inline(trigger.trigger_name or trigger.trigger_id)
            yield f"- ϟ {name} → {self._to(trigger.destination_section, 0)}"
            if trigger.trigger_message:
                yield from ("", *(f"  {line}" for line in _quoted(trigger.trigger_message)), "")

    def _dangling(self) -> Iterator[str]:
        nodes = [node for node in self._outline.nodes if node.kind is Kind.DANGLING]
        if nodes:
            yield from ("", f"## {GROUP_TITLES[Group.DANGLING]}", "")
        for node in nodes:
            yield f"- {_inline(node.label)} → ∅ {_inline(node.title)}"

    def _to(self, section_id: str | None, here: int) -> str:
        """Return a link to a section. ``here`` is the number of the section that contains the link, or 0."""
        if not section_id:
            return "nowhere"
        if section_id not in self._numbers:
            sign = "?" if self._graph.has_section(section_id) is None else "∅"
            return f"{sign} {_inline(section_id)} ({self._graph.absence(section_id, 'missing')})"
        number = self._numbers[section_id]
        back = "↩ " if number <= here else ""
        return f"{back}[{_inline(self._graph.section_name(section_id))}](#s{number})"


def _inline(text: str) -> str:
    return _begun(escape_markdown(single_line(text)))


def _quoted(text: str) -> Iterator[str]:
    lines = [_begun(escape_markdown(line.strip())) for line in display_text(text, multiline=True).strip().split("\n")]
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        yield f"> {line}\\" if line and following else f"> {line}".rstrip()


def _begun(line: str) -> str:
    found = _BEGINS.match(line)
    if found is None:
        return line
    sign, rest = found[0], line[found.end() :]
    return f"{sign}\\{rest}" if sign.isdigit() else f"\\{sign}{rest}"
