"""A table for export: made once by each view, written as CSV, Markdown or JSON.

Cells are values and not texts, so that numbers stay exact numbers: None is unknown, and is never written as 0. Text in
a cell may be anybody's: what a terminal would obey is made visible, what a spreadsheet would take for a formula is
defused, and what Markdown would take for markup is escaped.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final, NamedTuple

from chartui.core.jsontext import Wire, aligned, canonical, dumps
from chartui.core.text import cell_width, display_text, padded

__all__ = ["Column", "Sheet", "Texts", "as_csv", "as_markdown", "as_records", "as_texts", "escape_markdown"]

#: What makes a spreadsheet take a text for a formula, also behind blanks and in the full-width form.
_FORMULA: Final = re.compile(r"\s*[=+\-@＝＋－＠]")
#: What Markdown gives a meaning inside a line. An underscore inside a word has none.
_MARKUP: Final = re.compile(r"[\\|`*<>\[\]~&$]|(?<!\w)_|_(?!\w)")
_UNKNOWN: Final = "–"


class Column(NamedTuple):
    """A column: the member's name in JSON and the heading in CSV (``credits``), and the unit of its numbers.

    ``signed`` is for differences: where people read them, they carry their sign.
    """

    name: str
    unit: str = ""
    signed: bool = False


class Sheet(NamedTuple):
    """A table; every row has a cell for each column. ``notes`` say what holds for all of it, a sentence each."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Wire, ...], ...]
    notes: tuple[str, ...] = ()


class Texts(NamedTuple):
    """A table as people read it; ``right`` are the numbers of the columns that stand to the right."""

    header: list[str]
    rows: list[list[str]]
    right: frozenset[int]


def as_records(sheet: Sheet) -> Wire:
    """The rows as a list of objects, for JSON: numbers as they are, unknown as null."""
    names = _names(sheet)
    return [dict(zip(names, row, strict=True)) for row in sheet.rows]


def as_csv(sheet: Sheet) -> str:
    """The table as CSV (RFC 4180, but for lines that end in a line feed alone): headings, then the rows.

    Unknown is an empty cell. A text that a spreadsheet would take for a formula gets an apostrophe in front; a number
    gets none. Title and notes have no place in CSV.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([_defused(name) for name in _names(sheet)])
    for row in sheet.rows:
        writer.writerow([_plain(cell) for cell in row])
    return file.getvalue()


def as_texts(sheet: Sheet) -> Texts:
    """The table in words: fractions of a column with equally many decimals, numbers to the right, unknown as a dash.

    Texts are as they came and not yet safe to show.
    """
    columns = [_column(column, [row[i] for row in sheet.rows]) for i, column in enumerate(sheet.columns)]
    return Texts(
        header=[
            f"{name} ({column.unit})" if column.unit else name
            for name, column in zip(_names(sheet), sheet.columns, strict=True)
        ],
        rows=[list(row) for row in zip(*columns, strict=True)],
        right=frozenset(i for i in range(len(columns)) if any(_is_number(row[i]) for row in sheet.rows)),
    )


def as_markdown(sheet: Sheet) -> str:
    """The table of :func:`as_texts` in Markdown, its columns in line, with its title and its notes."""
    texts = as_texts(sheet)
    cells = [[escape_markdown(cell) for cell in row] for row in (texts.header, *texts.rows)]
    widths = [max(3, *(cell_width(row[i]) for row in cells)) for i in range(len(texts.header))]
    lines = [[padded(cell, widths[i], right=i in texts.right) for i, cell in enumerate(row)] for row in cells]
    lines.insert(1, ["-" * (w - 1) + ":" if i in texts.right else "-" * w for i, w in enumerate(widths)])
    head = [f"## {escape_markdown(sheet.title)}", ""] if sheet.title else []
    foot = ["", *(f"- {escape_markdown(note)}" for note in sheet.notes)] if sheet.notes else []
    return "\n".join([*head, *(f"| {' | '.join(line)} |" for line in lines), *foot]) + "\n"


def _names(sheet: Sheet) -> list[str]:
    """The names of the columns, each once: a second column of a name is told apart by a number."""
    names: list[str] = []
    for column in sheet.columns:
        name, number = column.name, 2
        while name in names:
            name, number = f"{column.name} {number}", number + 1
        names.append(name)
    return names


def _column(column: Column, cells: Sequence[Wire]) -> list[str]:
    """The cells of a column in words. Whole numbers stand beside fractions of another unit, and stay as they are."""
    fractions = iter(aligned([cell for cell in cells if isinstance(cell, Decimal)]))
    return [_in_words(column, cell, fractions) for cell in cells]


def _in_words(column: Column, cell: Wire, fractions: Iterator[str]) -> str:
    if cell is None:
        return _UNKNOWN
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if not _is_number(cell):
        return _text(cell)
    text = next(fractions) if isinstance(cell, Decimal) else str(cell)
    return f"+{text}" if column.signed and cell > 0 else text


def _plain(cell: Wire) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return canonical(Decimal(cell)) if _is_number(cell) else _defused(_text(cell))


def _is_number(cell: Wire) -> bool:
    return isinstance(cell, int | Decimal) and not isinstance(cell, bool)


def _text(cell: Wire) -> str:
    """A text as it is; a list or an object as JSON."""
    return cell if isinstance(cell, str) else dumps(cell)


def _defused(text: str) -> str:
    shown = display_text(text)
    return f"'{shown}" if _FORMULA.match(shown) else shown


def escape_markdown(text: str) -> str:
    """A text of one line, safe to show, in which Markdown finds no markup but at its very beginning."""
    return _MARKUP.sub(r"\\\g<0>", display_text(text))
