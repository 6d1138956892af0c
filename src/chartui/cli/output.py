"""What a command writes: data on standard output, everything else on standard error.

Data is collected and written when the command has succeeded, so a failure leaves standard output empty. Text passes
:mod:`chartui.core.text` here and nowhere else, so no command can forget it.
"""

from __future__ import annotations

import io
import os
from collections.abc import Collection, Sequence
from contextlib import suppress
from enum import Enum
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, Final, TextIO

from chartui.cli.errors import Exit, Failure, UsageError, is_of_the_disk
from chartui.core.jsontext import Wire, aligned, dumps
from chartui.core.text import cell_width, cut, display_text, escape_json, padded, single_line

if TYPE_CHECKING:
    from chartui.cli.parser import Arguments, Parser
    from chartui.core.sheet import Sheet

__all__ = ["Output", "add_forms", "aligned", "cell_width", "members", "moment", "padded", "write_sheet", "yes_no"]

#: The fewest cells that a column is cut to: one of texts, and one of ids, codes and moments, which are copied whole.
_TEXT: Final = 12
_CODE: Final = 40


class Output:
    """Standard output and standard error of one command. ``as_json`` is what ``--json`` asks for."""

    def __init__(self, stdout: TextIO | None, stderr: TextIO | None, *, as_json: bool) -> None:
        self._stdout = stdout
        self._stderr = stderr
        self._parts: list[str] = []
        self.as_json = as_json

    def text(self, text: str = "") -> None:
        self._parts.append(display_text(text, multiline=True) + "\n")

    def json(self, value: Wire, *, indent: int | None = 2) -> None:
        """Add one JSON document. What a terminal would obey is escaped, which leaves the value as it is."""
        self._parts.append(escape_json(dumps(value, indent=indent)) + "\n")

    def table(
        self, rows: Sequence[Sequence[str]], *, header: Sequence[str] | None = None, right: Collection[int] = ()
    ) -> None:
        """Two blanks between columns. Texts are cut to the width of a terminal; elsewhere every cell is whole."""
        cells = [[single_line(cell) for cell in row] for row in ([header, *rows] if header else rows)]
        if not cells:
            return
        widths = [max(map(cell_width, column)) for column in zip(*cells, strict=True)]
        if self._stdout is not None and self._stdout.isatty():
            first = 1 if header else 0
            floors = [_TEXT if any(" " in c for c in column[first:]) else _CODE for column in zip(*cells, strict=True)]
            widths = _fitting(widths, floors, get_terminal_size().columns - 2 * (len(widths) - 1))
            cells = [[cut(cell, width) for cell, width in zip(row, widths, strict=True)] for row in cells]
        for row in cells:
            line = [padded(cell, widths[i], right=i in right) for i, cell in enumerate(row)]
            self._parts.append("  ".join(line).rstrip() + "\n")  # every cell is safe by now

    def fields(self, pairs: Sequence[tuple[str, str]], *, indent: int = 0) -> None:
        """Add labels with a value each; a value may have several lines, which stay in its column."""
        labels = [single_line(label) for label, _ in pairs]
        width = max(map(cell_width, labels), default=0)
        for label, (_, value) in zip(labels, pairs, strict=True):
            # Cleaned before it is split: what only a terminal takes for a line break is none.
            first, *rest = display_text(value, multiline=True).split("\n")
            self.text(f"{' ' * indent}{padded(label, width)}  {first}".rstrip())
            for line in rest:
                self.text(f"{' ' * (indent + width + 2)}{line}".rstrip())

    def note(self, text: str) -> None:
        """Tell a person something at once; with ``--json`` nobody is told, standard error is for errors then."""
        if not self.as_json:
            self._tell(display_text(text, multiline=True))

    def tell(self, facts: Wire, sentence: str) -> None:
        """What was done: ``facts`` as JSON where that is asked for, else a sentence for a person."""
        if self.as_json:
            self.json(facts)
        else:
            self.note(sentence)

    def warn(self, text: str) -> None:
        """Say at once what whoever uses the data has to know, with ``--json`` as well."""
        self._tell(f"warning: {single_line(text, limit=len(text) + 1)}")

    def fail(self, failure: Failure) -> None:
        """A line for a person, or one JSON object. Mistakes in a file have a line each, beginning with the place."""
        if not self.as_json:
            for line in failure.lines or (f"chartui: {failure.message}",):
                self._tell(display_text(line))
            if failure.answer:
                self._tell(f"it says: {display_text(failure.answer, multiline=True)}")
            return
        error: dict[str, Wire] = {
            "code": failure.code,
            "message": failure.message,
            "status": failure.http_status,
            "retryable": failure.retryable,
            **({"answer": failure.answer} if failure.answer else {}),
        }
        if failure.lines:
            error["problems"] = list(failure.lines)
        self._tell(escape_json(dumps({"error": error})))

    def flush(self) -> None:
        """Raises ``BrokenPipeError`` without a reader, and :class:`UsageError` on a full disk."""
        data, self._parts = "".join(self._parts), []
        if not data or self._stdout is None:  # nothing to say, or closed before the program started
            return
        if isinstance(self._stdout, io.TextIOWrapper):
            # JSON is UTF-8 whatever the locale says; text that the locale cannot say must not stop a command.
            encoding = "utf-8" if self.as_json else self._stdout.encoding
            self._stdout.reconfigure(encoding=encoding, errors="backslashreplace")
        try:
            self._stdout.write(data)
            self._stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            self.abandon()
            status = Exit.STORE if is_of_the_disk(error) else Exit.USAGE
            message = f"standard output cannot be written: {error.strerror}"
            raise UsageError(message, code="output", exit=status) from None

    def abandon(self) -> None:
        """Send what is still buffered nowhere, so that the interpreter does not complain about it at its end."""
        if self._stdout is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._stdout.fileno())

    def _tell(self, line: str) -> None:
        if self._stderr is None:
            return
        with suppress(OSError):  # when nobody listens, the exit status still tells
            print(line, file=self._stderr, flush=True)


def _fitting(widths: Sequence[int], floors: Sequence[int], room: int) -> list[int]:
    """The widest columns shrink first, to their floors; below these only very long texts do: rows break anyway."""
    fitting = list(widths)
    if sum(map(min, widths, floors)) > room:
        floors = [_CODE] * len(floors)
    while sum(fitting) > room:
        able = [place for place, width in enumerate(fitting) if width > floors[place]]
        if not able:
            break
        fitting[max(able, key=fitting.__getitem__)] -= 1
    return fitting


def members(one: object, *names: str) -> dict[str, Wire]:
    return {name: _plain(getattr(one, name)) for name in names}


def _plain(value: Any) -> Wire:
    match value:
        case Enum():
            return value.value
        case tuple():
            return list(value)
        case os.PathLike():
            return os.fspath(value)
    return value


def moment(at: str) -> str:
    return at[:19].replace("T", " ")


def yes_no(value: bool | None) -> str:
    return "–" if value is None else "yes" if value else "no"


# -- tables of the core ------------------------------------------------------------------------------------------------


def add_forms(parser: Parser) -> None:
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--csv", action="store_true", help="write a table for spreadsheets")
    forms.add_argument("--markdown", action="store_true", help="write a table for documents")


def write_sheet(sheet: Sheet, arguments: Arguments, output: Output) -> None:
    """A table with its notes, CSV, Markdown or JSON. Raises :class:`UsageError` for more than one form."""
    from chartui.core.sheet import as_csv, as_markdown, as_records, as_texts

    form = next((form for form in ("csv", "markdown") if getattr(arguments, form)), None)
    if output.as_json and form:
        raise UsageError(f"--json and --{form} are two forms of one answer; choose one")
    if output.as_json:
        output.json(as_records(sheet))
    elif form == "csv":
        output.text(as_csv(sheet).removesuffix("\n"))
    elif form == "markdown":
        output.text(as_markdown(sheet).removesuffix("\n"))
    else:
        texts = as_texts(sheet)
        output.table(texts.rows, header=texts.header, right=texts.right)
        output.text()
        for note in sheet.notes:
            output.text(note)
