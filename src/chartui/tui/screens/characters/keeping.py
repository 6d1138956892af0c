"""Keeping the settings that are staged, as drafts of a part of their own."""

from __future__ import annotations

from typing import Final

from chartui.core.jsontext import Wire
from chartui.core.plans.settings import BadDraft, Staged, staged_from_wire, staged_to_wire

__all__ = ["PART", "read_staged", "write_staged"]

#: What the drafts of settings are called.
PART: Final = "settings"


def write_staged(staged: Staged) -> Wire:
    """What is kept of the settings of a character; None where nothing of them is staged."""
    return staged_to_wire(staged) if staged.changes else None


def read_staged(document: Wire) -> Staged | None:
    """The settings that were kept; None for a draft that cannot be read."""
    try:
        return staged_from_wire(document)
    except BadDraft:
        return None
