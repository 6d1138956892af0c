"""Export the texts of a story to a CSV file for translators and editors, and import the edited texts.

Each row contains one text, in the columns ``id``, ``kind``, ``place`` and ``text``. Catch-all decisions have no text.
IDs do not depend on the wording, so they stay the same when a text is edited. Examples of IDs are ``s1/objective``, and
``s1/decision/s2/1`` for the first decision in section s1 with the target s2.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Final

from chartui.core.classes import NamedTuple
from chartui.core.narrative.graph import IMMEDIATE
from chartui.core.narrative.outline import reading_order
from chartui.core.narrative.story import Story, decision
from chartui.core.narrative.story_import import MOST_BYTES, IncomingError, text_in
from chartui.core.numbers import number_of
from chartui.core.sheet import defused, without_defusing
from chartui.core.text import display_text, single_line

_COLUMNS: Final = ("id", "kind", "place", "text")
_NEEDED: Final = ("id", "text")
#: Spreadsheets write the separator of their language.
_SEPARATORS: Final = ",;\t"


class TextKind(StrEnum):
    SECTION_NAME = "section name"
    OBJECTIVE = "objective"
    CRITERIA = "criteria"
    TRIGGER_NAME = "trigger name"
    MESSAGE = "message"


class TextRow(NamedTuple):
    """A text in a story.

    ``owner`` is the ID of the section or trigger that contains the text. For the criteria of a decision, ``position``
    is the index of the decision.
    """

    id: str
    kind: TextKind
    place: str
    text: str
    owner: str
    position: int = 0


class ReadTexts(NamedTuple):
    """The texts in a file. ``texts`` maps the ID of each text to its line number (starting at 1) and its wording."""

    path: Path
    texts: Mapping[str, tuple[int, str]]


class Reworded(NamedTuple):
    """The result of importing texts, with the new story and the numbers and IDs of the affected texts.

    ``changed`` is the number of changed texts. ``unknown`` lists the IDs that are in the file but not in the story,
    each with its line number. ``missing`` lists the IDs that are in the story but not in the file, and ``empty`` lists
    the IDs whose text in the file is empty. The texts listed in ``missing`` and ``empty`` stay unchanged in the story.
    """

    story: Story
    changed: int
    unknown: tuple[tuple[int, str], ...]
    missing: tuple[str, ...]
    empty: tuple[str, ...]

    def notes(self) -> Iterator[str]:
        """Yield a sentence for each reason why texts were not imported, with the IDs of these texts."""
        if self.unknown:
            yield f"Not in the story: {_listed(f'{item_id} (line {line})' for line, item_id in self.unknown)}."
        if self.missing:
            yield f"Not in the file, so unchanged: {_listed(self.missing)}."
        if self.empty:
            yield f"Empty in the file, so unchanged: {_listed(self.empty)}."


def _listed(ids: Iterable[str], most: int = 8) -> str:
    every = [single_line(item_id, limit=120) for item_id in ids]
    more = [f"and {len(every) - most} more"] if len(every) > most else []
    return ", ".join([*every[:most], *more])


def texts_of(story: Story) -> Iterator[TextRow]:
    """Yield the texts of a story, first those of the sections in reading order, then those of the triggers."""
    graph = story.graph()
    for section_id in reading_order(graph):
        section, name = story.sections[section_id], graph.section_name(section_id)
        yield TextRow(f"{section_id}/name", TextKind.SECTION_NAME, name, section.section_name or "", section_id)
        yield TextRow(f"{section_id}/objective", TextKind.OBJECTIVE, name, section.objective or "", section_id)
        numbers: Counter[str] = Counter()
        for position, way in enumerate(section.decisions or ()):
            target = way.next_section_id or ""
            numbers[target] += 1
            if way.criteria != IMMEDIATE:
                item_id = f"{section_id}/decision/{target}/{numbers[target]}"
                place = f"{name} → {graph.section_name(target)}"
                yield TextRow(item_id, TextKind.CRITERIA, place, way.criteria or "", section_id, position)
    for trigger_id, trigger in story.triggers.items():
        name = trigger.trigger_name or ""
        yield TextRow(f"{trigger_id}/trigger-name", TextKind.TRIGGER_NAME, name, name, trigger_id)
        yield TextRow(f"{trigger_id}/message", TextKind.MESSAGE, name, trigger.trigger_message or "", trigger_id)


def write(story: Story, title: str) -> str:  # noqa: ARG001 - as every format
    """Return the texts as CSV.

    Lines end with a line feed, and an apostrophe is added before a text that looks like a formula.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for row in texts_of(story):
        writer.writerow((display_text(row.id), row.kind.value, defused(row.place), _cell(row.text)))
    return file.getvalue()


def _cell(text: str) -> str:
    return defused(text, multiline=True)


def read_texts(path: Path) -> ReadTexts:
    """Read the texts in a CSV file. Columns other than ``id`` and ``text`` are ignored.

    Raises :class:`~chartui.core.narrative.story_import.IncomingError` if the file is invalid.
    """
    text = text_in(path)
    head, _, _ = text.partition("\n")
    separator = max(_SEPARATORS, key=head.count)
    found: dict[str, tuple[int, str]] = {}
    # Without newline="", line ends inside texts would be changed.
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    csv.field_size_limit(MOST_BYTES)
    try:
        names = [name.strip().lower() for name in next(reader, [])]
        if not all(names.count(name) == 1 for name in _NEEDED):
            raise IncomingError(path, f"the first line must name the columns {', '.join(_COLUMNS)}.", 1)
        end = reader.line_num
        for cells in reader:
            line, end = end + 1, reader.line_num
            row = dict(zip(names, cells, strict=False))
            item_id = row.get("id", "").strip()
            if not any(cells):
                continue
            if not item_id or len(cells) < len(names):
                raise IncomingError(path, f"a row needs {len(names)} columns and an ID.", line)
            if item_id in found:
                raise IncomingError(path, f"the ID {single_line(item_id)} is also on line {found[item_id][0]}.", line)
            found[item_id] = line, row["text"].replace("\r\n", "\n")
    except csv.Error as error:
        raise IncomingError(path, f"not CSV: {error}.", reader.line_num) from None
    return ReadTexts(path, found)


def reworded(story: Story, read: ReadTexts) -> Reworded:
    """Return the story with the texts from a file.

    A text that is unchanged in the file keeps its exact stored form.
    """
    left = dict(read.texts)
    changes: list[tuple[TextRow, str]] = []
    missing: list[str] = []
    empty: list[str] = []
    for row in texts_of(story):
        _, text = left.pop(display_text(row.id), (0, None))
        if text is None:
            missing.append(row.id)
        elif not text and row.text:
            empty.append(row.id)
        elif text not in (_cell(row.text), row.text):
            changes.append((row, without_defusing(text)))
    unknown = tuple((line, item_id) for item_id, (line, _) in left.items())
    return Reworded(with_texts(story, changes), len(changes), unknown, tuple(missing), tuple(empty))


def with_texts(story: Story, changes: Iterable[tuple[TextRow, str]]) -> Story:
    """Return the story with the texts in ``changes``.

    Each change consists of a row that :func:`texts_of` returned, and the new text.
    """
    for row, text in changes:
        match row.kind:
            case TextKind.SECTION_NAME:
                story = story.with_section(row.owner, name=text)
            case TextKind.OBJECTIVE:
                story = story.with_section(row.owner, objective=text)
            case TextKind.CRITERIA:
                ways = list(story.sections[row.owner].decisions or ())
                way = ways[row.position]
                ways[row.position] = decision(text, way.next_section_id, priority=way.priority, like=way)
                story = story.with_section(row.owner, decisions=ways)
            case TextKind.TRIGGER_NAME:
                story = story.with_trigger(row.owner, name=text)
            case TextKind.MESSAGE:
                story = story.with_trigger(row.owner, message=text)
    return story


def summary(read: ReadTexts, made: Reworded) -> str:
    """Return a phrase such as “40 texts, of which 2 differ from the story”."""
    differ = f"of which {made.changed} {'differs' if made.changed == 1 else 'differ'} from the story"
    return f"{number_of(len(read.texts), 'text')}, {differ}"
