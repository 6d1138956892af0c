"""The palette finds what a newcomer means."""

from __future__ import annotations

from tests.project.searches import SEARCHES, found
from tests.tui.user import run_app


def test_a_newcomer_finds_at_least_38_of_40() -> None:
    titles = run_app(found())
    wrong = {typed: title for typed, title in titles.items() if title != SEARCHES[typed]}
    assert len(SEARCHES) >= 40
    assert len(wrong) <= 2, wrong
