"""Baseline files store costs for comparison with later costs. They can be kept under version control. An example::

    format = "chartui-baseline"
    version = 1

    [presets]
    Kiosk = 6.9265

    [characters]
    "Elena Marsh" = 10.296875

Values are in credits per interaction. Entries are sorted, so that a changed cost affects only one line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from chartui.core.estimation.card import MAX_QUANTITY
from chartui.core.estimation.gates import KINDS, Kind, Subject
from chartui.core.files import read_named
from chartui.core.jsontext import canonical
from chartui.core.paths import write_output
from chartui.core.tables import BadTable, Reader, as_toml, typed

FORMAT: Final = "chartui-baseline"
VERSION: Final = 1
#: Credits by kind and name of the subject.
Baseline = Mapping[Kind, Mapping[str, Decimal]]


def read_baseline(path: Path) -> Baseline | None:
    """Read a baseline file, or return None if the file does not exist.

    Raises :class:`~chartui.core.tables.BadFile` if the file is invalid.
    """
    reader = Reader(path, FORMAT, VERSION, KINDS, number=Decimal, read=read_named)
    found = {kind: _entries(reader, kind) for kind in KINDS}
    reader.check()
    return found if reader.exists else None


def _entries(reader: Reader, kind: str) -> Mapping[str, Decimal]:
    taken = {name: reader.take(_credits, value, f"{kind}.{name}") for name, value in reader.entries(kind).items()}
    return {name: credits_ for name, credits_ in taken.items() if credits_ is not None}


def _credits(value: Any, where: str) -> Decimal:
    amount = Decimal(typed(value, (int, Decimal), where, "a number of credits"))  # type: ignore[arg-type]
    if not amount.is_finite() or not 0 <= amount <= MAX_QUANTITY:
        raise BadTable(f"{where} must be a number of credits from 0 to {MAX_QUANTITY}.")
    return amount


def write_baseline(path: Path, subjects: Iterable[Subject], *, kept: Baseline | None = None) -> None:
    """Write the costs of ``subjects``, such as presets and characters, to a baseline file.

    A subject with an unknown cost gets no entry. ``kept`` contains the entries of an earlier file. The earlier
    entries of subjects that are not in ``subjects`` are written as well. Raises ``OSError`` if the file cannot be
    written.
    """
    entries: dict[Kind, dict[str, Decimal]] = {kind: dict((kept or {}).get(kind, {})) for kind in KINDS}
    for subject in subjects:
        entries[subject.kind].pop(subject.name, None)
        if subject.credits is not None:
            entries[subject.kind][subject.name] = subject.credits
    tables = {kind: {name: _number(entries[kind][name]) for name in sorted(entries[kind])} for kind in KINDS}
    text = as_toml({"format": FORMAT, "version": VERSION, **{kind: table for kind, table in tables.items() if table}})
    write_output(path, text.encode(), replace=True)


def _number(amount: Decimal) -> int | Decimal:
    text = canonical(amount)
    return Decimal(text) if "." in text else int(text)
