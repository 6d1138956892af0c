"""Tables as texts to take along."""

from __future__ import annotations

from chartui.core.reproduce import as_json
from chartui.core.sheet import Sheet, as_csv, as_markdown, as_records
from chartui.tui.widgets.screen import Copyable

__all__ = ["forms_of"]


def forms_of(sheet: Sheet) -> list[Copyable]:
    """A table as Markdown, for a spreadsheet, and for programs."""
    return [
        Copyable(f"{sheet.title}: as Markdown", as_markdown(sheet), ".md"),
        Copyable(f"{sheet.title}: as CSV", as_csv(sheet), ".csv"),
        Copyable(f"{sheet.title}: as JSON", as_json(as_records(sheet)), ".json"),
    ]
