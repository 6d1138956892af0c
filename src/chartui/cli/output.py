"""What a command writes: data on standard output, everything else on standard error.

Data is collected and written when the command has succeeded, so a failure leaves standard output empty. All text passes
:mod:`chartui.core.text` here, so no command can forget it.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from enum import Enum
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, Final, TextIO

from chartui.cli.errors import Exit, Failure, UsageError, is_of_the_disk
from chartui.core.jsontext import Wire, dumps
from chartui.core.text import cell_width, cut, display_text, escape_json, padded, single_line, wrapped

if TYPE_CHECKING:
    from chartui.cli.parser import Alternatives, Arguments, Parser
    from chartui.core.sheet import Sheet

#: The minimum width of a column in cells: for texts, and for ids, codes and times, which people copy.
_TEXT: Final = 12
_CODE: Final = 40
#: A command in a text, such as ``'chartui undo``, for which the profile counts.
_COMMAND: Final = (
    r"'chartui (?=(?:act|call|characters|check|diff|estimate|explore|history|narrative|options|plans|pull|push|rank"
    r"|rates|store|subscriptions|undo|whatif)\b)(?![^']*--(?:help|profile))"
)
#: The space in a number such as 12 000.
_GROUPS: Final = r"(?<=\d) (?=\d{3}\b)"
#: What is not broken: a word, with the spaces inside a number or a quoted command.
_UNBROKEN: Final = rf"(?:'chartui [^']*'|{_GROUPS}|[^ ])+"


class Output:
    """Standard output and standard error of one command. ``as_json`` is set by ``--json``.

    ``profile`` is the name given with ``--profile``: commands that a message suggests name it too.
    """

    def __init__(
        self, stdout: TextIO | None, stderr: TextIO | None, *, as_json: bool, profile: str | None = None
    ) -> None:
        self._stdout = stdout
        self._stderr = stderr
        self._parts: list[str] = []
        self.as_json = as_json
        self.profile = profile

    def text(self, text: str = "") -> None:
        self._parts.append(display_text(text, multiline=True) + "\n")

    def texts(self, texts: Iterable[str]) -> None:
        for text in texts:
            self.text(text)

    def sentence(self, text: str, *, after: str = "") -> None:
        """Add text for people, its first line behind ``after``; on a terminal, wrapped at words."""
        for line in _lines_of(text, self._columns(self._stdout), after=display_text(after)):
            self._parts.append(f"{line}\n")

    def sentences(self, texts: Iterable[str]) -> None:
        for text in texts:
            self.sentence(text)

    def cells(self, *cells: str) -> None:
        """Add one line, with tabs between the cells, for a program to read."""
        self._parts.append("\t".join(map(display_text, cells)) + "\n")

    def json(self, value: Wire, *, indent: int | None = 2) -> None:
        """Add one JSON document. Control characters are escaped, which leaves the value unchanged."""
        self._parts.append(escape_json(dumps(value, indent=indent)) + "\n")

    def table(
        self,
        rows: Sequence[Sequence[str]],
        *,
        header: Sequence[str] | None = None,
        right: Collection[int] = (),
        wraps: bool = False,
        drops: Sequence[int] = (),
    ) -> None:
        """Add a table, two spaces between columns. On a terminal, texts are cut to its width.

        With ``wraps``, the last column is wrapped instead. ``drops`` are columns that a terminal may be too narrow for,
        the first one to leave out first.
        """
        cells = [[single_line(cell) for cell in row] for row in ([header, *rows] if header else rows)]
        if not cells:
            return
        columns = list(zip(*cells, strict=True))
        widths = [max(map(cell_width, column)) for column in columns]
        if self._stdout is not None and self._stdout.isatty():
            first = 1 if header else 0
            floors = [_TEXT if any(" " in c for c in column[first:]) else _CODE for column in columns]
            kept = _kept([min(pair) for pair in zip(widths, floors, strict=True)], drops, get_terminal_size().columns)
            cells = [[row[place] for place in kept] for row in cells]
            widths, floors = [widths[place] for place in kept], [floors[place] for place in kept]
            right = [new for new, place in enumerate(kept) if place in right]
            widths = _fitting(widths, floors, get_terminal_size().columns - 2 * (len(widths) - 1))
            if wraps:
                cells = [line for row in cells for line in _continued(row, widths[-1])]
            cells = [[cut(cell, width) for cell, width in zip(row, widths, strict=True)] for row in cells]
        for row in cells:
            line = [padded(cell, widths[i], right=i in right) for i, cell in enumerate(row)]
            self._parts.append("  ".join(line).rstrip() + "\n")  # every cell is safe by now

    def fields(self, pairs: Sequence[tuple[str, str]], *, indent: int = 0) -> None:
        """Add labels with their values; the lines of a value stay in its column."""
        labels = [single_line(label) for label, _ in pairs]
        width = max(map(cell_width, labels), default=0)
        for label, (_, value) in zip(labels, pairs, strict=True):
            self.sentence(value, after=f"{' ' * indent}{padded(label, width)}  ")

    def for_profile(self, text: str) -> str:
        """The program's own ``text`` with the profile named in every command that it suggests."""
        if self.profile is None or "'chartui " not in text:
            return text
        return re.sub(_COMMAND, f"'chartui --profile {self.profile} ", text)

    def note(self, text: str) -> None:
        """Write a note for people to standard error. With ``--json``, write nothing, since only errors go there."""
        if not self.as_json:
            self._write_sentence(self.for_profile(text))

    def notes(self, notes: Iterable[str]) -> None:
        for note in notes:
            self.note(note)

    def report(self, facts: Wire, sentence: str) -> None:
        """Report the result: ``facts`` with ``--json``, a sentence without."""
        if self.as_json:
            self.json(facts)
        else:
            self.note(sentence)

    def warn(self, text: str) -> None:
        """Write a warning about the data to standard error, with ``--json`` as well."""
        text = self.for_profile(text)
        self._write_sentence(f"warning: {single_line(text, limit=len(text) + 1)}")

    def fail(self, failure: Failure) -> None:
        """Write a failure as one line for people, or as a JSON object. Each mistake in a file has its own line."""
        message = self.for_profile(failure.message)
        if not self.as_json:
            for line in failure.lines or (f"chartui: {message}",):
                self._write_sentence(display_text(line))
            if failure.answer:
                self._write_line(f"response: {display_text(failure.answer, multiline=True)}")
            return
        error: dict[str, Wire] = {
            "code": failure.code,
            "message": message,
            "status": failure.http_status,
            "retryable": failure.retryable,
            **({"answer": failure.answer} if failure.answer else {}),
        }
        if failure.lines:
            error["problems"] = list(failure.lines)
        self._write_line(escape_json(dumps({"error": error})))

    def flush(self) -> None:
        """Write the collected data. Raises ``BrokenPipeError`` without a reader, :class:`UsageError` on a full disk."""
        data, self._parts = "".join(self._parts), []
        if not data or self._stdout is None:  # no data, or closed before the program started
            return
        if isinstance(self._stdout, io.TextIOWrapper):
            # JSON is UTF-8 in every locale; text that the locale cannot encode must not stop a command.
            encoding = "utf-8" if self.as_json else self._stdout.encoding
            self._stdout.reconfigure(encoding=encoding, errors="backslashreplace")
        try:
            self._stdout.write(self._linked(data, self._stdout))
            self._stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            self.abandon()
            status = Exit.STORE if is_of_the_disk(error) else Exit.USAGE
            message = f"writing to standard output failed: {error.strerror}"
            raise UsageError(message, code="output", exit=status) from None

    def abandon(self) -> None:
        """Discard the buffered data, so that the interpreter does not report an error when it exits."""
        if self._stdout is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._stdout.fileno())

    def _columns(self, stream: TextIO | None) -> int | None:
        """The width of a terminal; None for a file or a pipe."""
        return get_terminal_size().columns if stream is not None and stream.isatty() else None

    def _write_sentence(self, text: str) -> None:
        """Write text for people to standard error. A line with gaps belongs to a table and is not wrapped."""
        columns = None if self.as_json else self._columns(self._stderr)
        lines = (
            line
            for part in display_text(text, multiline=True).split("\n")
            for line in _lines_of(part.lstrip(" "), None if "  " in part.strip(" ") else columns, after=_indent(part))
        )
        self._write_line("\n".join(lines))

    def _write_line(self, line: str) -> None:
        if self._stderr is None:
            return
        with suppress(OSError):  # without a reader, the exit status still reports the failure
            print(self._linked(line, self._stderr), file=self._stderr, flush=True)

    def _linked(self, text: str, stream: TextIO) -> str:
        """``text``, with links if ``stream`` is a terminal that supports them."""
        if self.as_json or "/" not in text or not stream.isatty():
            return text
        from chartui.core.links import WITHOUT_WINDOW, with_links

        if os.environ.get("TERM", "dumb") in WITHOUT_WINDOW:
            return text
        from chartui.core.config import load_config

        return with_links(text) if load_config().terminal.links else text


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" "))]


def _lines_of(text: str, columns: int | None, *, after: str) -> Iterator[str]:
    """Yield the lines of a text, the first one behind ``after`` and the others below it.

    With ``columns``, they are wrapped at words. A longer word and a quoted command stay whole, so they can be copied.
    """
    start = cell_width(after)
    for number, line in enumerate(display_text(text, multiline=True).split("\n")):
        made = [line]
        if columns is not None and start + cell_width(line) > columns:
            made = []
            for word in re.findall(_UNBROKEN, line):
                if made and start + cell_width(made[-1]) + 1 + cell_width(word) <= columns:
                    made[-1] += f" {word}"
                else:
                    made.append(word)
        for place, piece in enumerate(made):
            yield f"{' ' * start if number or place else after}{piece}".rstrip()


def _kept(least: Sequence[int], drops: Sequence[int], columns: int) -> list[int]:
    """The columns of a table that fit a terminal at their ``least`` widths: all without the first of ``drops``."""
    kept = list(range(len(least)))
    for place in drops:
        if sum(least[at] + 2 for at in kept) - 2 <= columns:
            break
        kept.remove(place)
    return kept


def _fitting(widths: Sequence[int], floors: Sequence[int], room: int) -> list[int]:
    """Reduce column widths to ``room``, the widest first. If the ``floors`` do not fit, columns shrink below them."""
    fitting = list(widths)
    if sum(map(min, widths, floors)) > room:
        floors = [_CODE] * len(floors)
    while sum(fitting) > room:
        able = [place for place, width in enumerate(fitting) if width > floors[place]]
        if not able:
            break
        fitting[max(able, key=fitting.__getitem__)] -= 1
    return fitting


def _continued(row: Sequence[str], width: int) -> Iterator[list[str]]:
    """Yield a row with its last cell wrapped, and then empty cells beside what remains of it."""
    first, *rest = (line.replace("\xa0", " ") for line in wrapped(re.sub(_GROUPS, "\xa0", row[-1]), width))
    yield [*row[:-1], first]
    yield from ([*[""] * (len(row) - 1), line] for line in rest)


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


def add_forms(parser: Parser) -> Alternatives:
    """Add the options for tables, and return their group for others."""
    forms = parser.add_mutually_exclusive_group()
    forms.flag("--csv", "write a table as CSV")
    forms.flag("--markdown", "write a table as Markdown")
    return forms


def write_sheet(sheet: Sheet, arguments: Arguments, output: Output) -> None:
    """Write a table as CSV or Markdown, with its notes. Raises :class:`UsageError` if ``--json`` is given too."""
    from chartui.core.sheet import as_csv, as_markdown

    if output.as_json:
        form = "csv" if arguments.csv else "markdown"
        raise UsageError(f"--json and --{form} cannot be combined")
    output.text((as_csv if arguments.csv else as_markdown)(sheet).removesuffix("\n"))


def write_texts(sheet: Sheet, output: Output) -> None:
    """Write a table as text, without its title and notes."""
    from chartui.core.sheet import as_texts

    texts = as_texts(sheet)
    output.table(texts.rows, header=[name.upper().replace("_", " ") for name in texts.header], right=texts.right)
    output.text()
