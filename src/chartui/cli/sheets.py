"""Tables of the core on standard output, in the form that is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chartui.cli.errors import UsageError
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Parser

if TYPE_CHECKING:
    from chartui.core.sheet import Sheet

__all__ = ["add_forms", "write_sheet"]


def add_forms(parser: Parser) -> None:
    """Add ``--csv`` and ``--markdown``; ``--json`` is everybody's."""
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--csv", action="store_true", help="write a table for spreadsheets")
    forms.add_argument("--markdown", action="store_true", help="write a table for documents")


def write_sheet(sheet: Sheet, arguments: Arguments, output: Output) -> None:
    """Write ``sheet``: as CSV, as Markdown, as a list of objects, else as a table with its notes below it.

    Raises :class:`UsageError` when more than one form is asked for.
    """
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
