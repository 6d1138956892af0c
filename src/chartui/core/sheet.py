"""A table that can be drawn on screen or written as text, CSV, Markdown or JSON.

Cells hold values rather than text, so numbers stay exact. A value of None is unknown, and is never written as 0. Text
in cells is not trusted, so control characters are made visible, and text that a spreadsheet or Markdown would interpret
is escaped.

A column without a kind appears only in written tables, and a column that is not ``written`` appears only on screen.
Columns of priority 0 identify the rows and are dropped last. Columns of priority 1 are dropped only if the identifying
columns do not fit at their minimum width.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from enum import StrEnum
from itertools import takewhile
from typing import Final, cast

from chartui.core.classes import NamedTuple
from chartui.core.jsontext import Wire, canonical, dumps
from chartui.core.numbers import aligned, count
from chartui.core.text import beginning, cell_width, cut, display_text, fold, padded

#: Text that a spreadsheet would treat as a formula, even after spaces or with a full-width first character.
_FORMULA: Final = re.compile(r"\s*[=+\-@＝＋－＠]")
#: Markdown's special characters inside a line. An underscore inside a word is not special.
_MARKUP: Final = re.compile(r"[\\|`*<>\[\]~&$]|(?<!\w)_|_(?!\w)")
_UNKNOWN: Final = "–"
_BETWEEN_DIGITS: Final = " \u00a0\u202f.,"
_IN_NUMBERS: Final = f"0123456789{_BETWEEN_DIGITS}"
#: An amount with its unit.
_AMOUNT: Final = re.compile("[0-9][0-9 \u00a0\u202f.,]* [^0-9]")


class Kind(StrEnum):
    """The type of the values in a column. The type determines how the values are drawn."""

    TEXT = "text"
    MARK = "mark"  # one or two signs
    CREDITS = "credits"
    MONEY = "money"
    LATENCY = "latency"
    SHARE = "share"
    COUNT = "count"
    DAY = "day"  # a day of a month
    DIFFERENCE = "difference"
    BAR = "bar"  # a share from 0 to 1 as a bar

    @property
    def right(self) -> bool:
        """Whether the cells are numbers, which are right-aligned and never truncated."""
        return self not in (Kind.TEXT, Kind.MARK, Kind.BAR)


class Column(NamedTuple):
    """A column of a table.

    ``name`` is the JSON field and the CSV heading (such as ``credits``), and ``unit`` is the unit of the numbers. If
    ``signed`` is set, positive differences have a plus sign. The other fields are for drawing. They are the heading,
    the ``kind``, the minimum and maximum useful width in terminal cells, and the ``priority``. A width of 0 means the
    width of the widest cell. When space is short, the column with the highest priority number is dropped first.
    """

    name: str
    unit: str = ""
    signed: bool = False
    title: str = ""
    kind: Kind | None = None
    least: int = 0
    best: int = 0
    priority: int = 0
    written: bool = True


class Sheet(NamedTuple):
    """A table whose rows have a cell for every column.

    ``notes`` are sentences about the whole table. ``keys``, ``marks`` and ``groups`` are for drawing. Each of them is
    empty or has an entry for every row. An entry in ``keys`` identifies the row across updates, an entry in ``marks``
    is drawn before the row, and an entry in ``groups`` is the heading of the row's group, which may be empty.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Wire, ...], ...]
    notes: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()


class Slot(NamedTuple):
    """A column to draw, given by its position in the sheet and its width in cells."""

    column: int
    width: int


class Texts(NamedTuple):
    """The header and the rows of a table as text.

    ``right`` contains the positions of the columns that are right-aligned.
    """

    header: list[str]
    rows: list[list[str]]
    right: frozenset[int]


def as_records(sheet: Sheet) -> Wire:
    """Return the rows as a list of JSON objects, with exact numbers and with null for unknown values."""
    sheet = _written(sheet)
    names = _names(sheet)
    return [dict(zip(names, row, strict=True)) for row in sheet.rows]


def as_csv(sheet: Sheet) -> str:
    """Return the table as CSV (RFC 4180, but with plain line feeds), without its title and notes.

    Unknown values are empty cells. Text that a spreadsheet would treat as a formula gets a leading apostrophe.
    """
    sheet = _written(sheet)
    import csv
    import io

    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([defused(name) for name in _names(sheet)])
    for row in sheet.rows:
        writer.writerow([_plain(cell) for cell in row])
    return file.getvalue()


def as_texts(sheet: Sheet) -> Texts:
    """Return the cells of the table as text.

    Numbers in a column have the same number of decimal places, and unknown values are shown as a dash. The text is not
    sanitized, so it is not yet safe to show.
    """
    sheet = _written(sheet)
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
    """Return the table in Markdown, with its title and notes. The columns are aligned."""
    texts = as_texts(sheet)
    cells = [[escape_markdown(cell) for cell in row] for row in (texts.header, *texts.rows)]
    widths = [max(3, *(cell_width(row[i]) for row in cells)) for i in range(len(texts.header))]
    lines = [[padded(cell, widths[i], right=i in texts.right) for i, cell in enumerate(row)] for row in cells]
    lines.insert(1, ["-" * (w - 1) + ":" if i in texts.right else "-" * w for i, w in enumerate(widths)])
    head = [f"## {escape_markdown(sheet.title)}", ""] if sheet.title else []
    foot = ["", *(f"- {escape_markdown(note)}" for note in sheet.notes)] if sheet.notes else []
    return "\n".join([*head, *(f"| {' | '.join(line)} |" for line in lines), *foot]) + "\n"


# -- which rows, and in what order -------------------------------------------------------------------------------------


def sorted_sheet(sheet: Sheet, column: int, *, descending: bool = False) -> Sheet:
    """Return the sheet with its rows sorted by one column.

    Rows stay within their groups. Rows with equal values keep their order, and unknown values come last in both
    directions.
    """

    def value(row: int) -> tuple[bool, bool, Wire]:
        cell = sheet.rows[row][column]
        return (False, False, cell) if _is_number(cell) else (False, True, _text(cell).casefold())

    known = [row for row in range(len(sheet.rows)) if sheet.rows[row][column] not in (None, "")]
    rest = [row for row in range(len(sheet.rows)) if sheet.rows[row][column] in (None, "")]
    order = sorted(known, key=value, reverse=descending) + rest
    if sheet.groups:
        rank = {group: number for number, group in reversed(list(enumerate(sheet.groups)))}
        order.sort(key=lambda row: rank[sheet.groups[row]])
    return with_rows(sheet, order)


def filtered(sheet: Sheet, words: str) -> Sheet:
    """Return the sheet with only the rows that contain all search words in their text cells or group heading.

    Case and accents are ignored.
    """
    wanted = fold(words).split()
    if not wanted:
        return sheet
    order = []
    for number, row in enumerate(sheet.rows):
        texts = [cell for cell in row if isinstance(cell, str)] + list(sheet.groups[number : number + 1])
        searched = fold("\n".join(texts))
        if all(word in searched for word in wanted):
            order.append(number)
    return with_rows(sheet, order)


def with_rows(sheet: Sheet, order: Sequence[int]) -> Sheet:
    """Return the sheet with only the rows at these positions, in this order."""

    def of(entries: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(entries[row] for row in order) if entries else ()

    return sheet._replace(
        rows=tuple(sheet.rows[row] for row in order),
        keys=of(sheet.keys),
        marks=of(sheet.marks),
        groups=of(sheet.groups),
    )


# -- which columns, and how wide ---------------------------------------------------------------------------------------


def widest_cells(sheet: Sheet, texts: Sequence[Sequence[str]]) -> list[int]:
    """Return the width in cells that each column needs for its heading and its widest text.

    ``texts`` contains the text of each table cell.
    """
    widest = [cell_width(column.title) if column.kind is not None else 0 for column in sheet.columns]
    for place, cells in enumerate(zip(*texts, strict=True)):
        widest[place] = max(widest[place], *map(cell_width, set(cells)))
    return widest


def laid_out(columns: Sequence[Column], widest: Sequence[int], width: int, *, keep: int | None = None) -> list[Slot]:
    """Return the columns that fit in ``width`` cells with one space between columns, in their original order.

    Columns are dropped by priority until the identifying columns fit. If this is not enough, text is truncated, and
    finally identifying columns are dropped from the right. ``keep`` is the position of a column that is treated as
    identifying.
    """
    shown = [n for n, column in enumerate(columns) if column.kind is not None and (widest[n] or column.least)]

    def priority(number: int) -> int:
        return 0 if number == keep else columns[number].priority

    def most(number: int) -> int:
        return min(widest[number], columns[number].best or widest[number])

    def needs(number: int, *, best: bool = False) -> int:
        column = columns[number]
        if column.kind is Kind.BAR:
            return column.least
        if column.kind is not Kind.TEXT:
            return widest[number]
        whole = best and column.best and not priority(number)
        return most(number) if whole else min(most(number), column.least or most(number))

    def taken(cells: Sequence[int]) -> int:
        return sum(cells) + len(cells) - 1

    for best in (True, False):
        while taken([needs(n, best=best) for n in shown]) > width and any(priority(n) > best for n in shown):
            shown.remove(max(reversed(shown), key=priority))
    cells = {number: needs(number) for number in shown}
    # No other column can be dropped, so texts are cut, the widest first, but remain distinguishable.
    while taken(list(cells.values())) > width:
        able = [n for n in cells if columns[n].kind is Kind.TEXT and cells[n] > max(1, min(columns[n].least, 8))]
        if able:
            cells[max(able, key=cells.__getitem__)] -= 1
        elif len(cells) > 1:
            del cells[max(cells)]
        else:
            cells = dict.fromkeys(cells, max(0, width))
    spare = width - taken(list(cells.values()))
    # As many texts as possible are whole. What is left when every text has its best width goes to those still cut.
    for wanted in (most, widest.__getitem__):
        for number in sorted(cells, key=lambda n: (priority(n), wanted(n) - cells[n])):
            column = columns[number]
            more = max(0, min((column.best if column.kind is Kind.BAR else wanted(number)) - cells[number], spare))
            cells[number] += more
            spare -= more
    return [Slot(number, cells[number]) for number in cells]


def squeezed(text: str, width: int) -> str:
    """Shorten text to at most ``width`` cells by omitting its middle."""
    if cell_width(text) <= width:
        return text
    if width < 7:
        return cut(text, width) if width > 0 else ""
    tail = ""
    for character in reversed(text):
        if cell_width(tail) + cell_width(character) > (width - 1) // 2:
            break
        tail = character + tail
    # Part of an amount would read as another amount: "0 tokens" of "4 000 tokens".
    inside = _AMOUNT.match(tail.lstrip(_BETWEEN_DIGITS)) and re.search(
        "[0-9][ \u00a0\u202f.,]?$", text.removesuffix(tail)
    )
    if inside:
        tail = f" {tail.lstrip(_IN_NUMBERS)}"
    head = beginning(text, width - cell_width(tail) - 1)
    return f"{head.rstrip(_IN_NUMBERS + '·') if inside else head}…{tail}"


def squeezed_apart(texts: Sequence[str], widths: Sequence[int]) -> list[str]:
    """Shorten strings to the given widths, as :func:`squeezed` does.

    Strings that would then look the same are shortened by omitting their common beginning, so that their differences
    remain visible.
    """
    short = [squeezed(text, width) for text, width in zip(texts, widths, strict=True)]
    return [
        _from_difference(text, others, width)
        if (others := [other for other, same in zip(texts, short, strict=True) if same == shown and other != text])
        else shown
        for text, width, shown in zip(texts, widths, short, strict=True)
    ]


def _from_difference(text: str, others: Sequence[str], width: int) -> str:
    same = takewhile(lambda each: len({*each}) == 1, zip(text, *others, strict=False))
    shared = len(tuple(same))
    word = text.rfind(" ", 0, shared) + 1
    begin = word if shared - word < width - 2 else shared  # a whole word, unless it would hide the difference
    return cut(f"…{text[begin:]}", width) if begin and width > 0 else squeezed(text, width)


# -- how they are written ----------------------------------------------------------------------------------------------


def _written(sheet: Sheet) -> Sheet:
    named = [number for number, column in enumerate(sheet.columns) if column.written]
    if len(named) == len(sheet.columns):
        return sheet
    return sheet._replace(
        columns=tuple(sheet.columns[number] for number in named),
        rows=tuple(tuple(row[number] for number in named) for row in sheet.rows),
    )


def _names(sheet: Sheet) -> list[str]:
    """Return the names of the columns. Duplicates get a number."""
    names: list[str] = []
    for column in sheet.columns:
        name, number = column.name, 2
        while name in names:
            name, number = f"{column.name} {number}", number + 1
        names.append(name)
    return names


def _column(column: Column, cells: Sequence[Wire]) -> list[str]:
    fractions = iter(aligned([cell for cell in cells if isinstance(cell, Decimal)]))
    return [_in_words(column, cell, fractions) for cell in cells]


def _in_words(column: Column, cell: Wire, fractions: Iterator[str]) -> str:
    if cell is None:
        return _UNKNOWN
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if not _is_number(cell):
        return _text(cell)
    text = next(fractions) if isinstance(cell, Decimal) else count(cast(int, cell))
    return f"+{text}" if column.signed and cell > 0 else text


def _plain(cell: Wire) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return canonical(Decimal(cell)) if _is_number(cell) else defused(_text(cell))


def _is_number(cell: Wire) -> bool:
    return isinstance(cell, int | Decimal) and not isinstance(cell, bool)


def _text(cell: Wire) -> str:
    return cell if isinstance(cell, str) else dumps(cell)


def defused(text: str, *, multiline: bool = False) -> str:
    """Return ``text`` in a form that is safe in a CSV cell.

    A leading apostrophe prevents spreadsheets from treating the text as a formula.
    """
    shown = display_text(text, multiline=multiline)
    return f"'{shown}" if _FORMULA.match(shown) else shown


def without_defusing(text: str) -> str:
    """Return the text of a CSV cell without the apostrophe that :func:`defused` adds."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text[1:]) else text


def escape_markdown(text: str) -> str:
    """Return ``text`` as one safe line, with its Markdown escaped.

    Markup that is special only at the start of a line, such as ``#``, is not escaped.
    """
    return _MARKUP.sub(r"\\\g<0>", display_text(text))
