"""``commands.json`` is made from the parser: ``UPDATE_GOLDEN=1`` writes it again."""

from __future__ import annotations

from pathlib import Path

import chartui.cli
from chartui.cli.completion import table

from .pages import kept


def test_the_table_is_that_of_the_parser() -> None:
    made = table()
    assert kept(Path(chartui.cli.__path__[0]) / "commands.json", made) == made
