"""The palette finds what a newcomer means."""

from __future__ import annotations

from tests.project.searches import SEARCHES, found
from tests.tui.user import run_app


def test_a_newcomer_finds_everything() -> None:
    assert run_app(found()) == SEARCHES
