"""The turn as it would be sent: the fields of the form, and what keeps it from being sent."""

from __future__ import annotations

from contextlib import suppress

from chartui.core.fields import Access, Entry, Group
from chartui.core.spec.operation import BadText
from chartui.core.spec.operations import operation
from chartui.tui.glyphs import GLYPHS
from chartui.tui.screens.actions.report import field
from chartui.tui.screens.actions.state import Talk

__all__ = ["to_be_sent"]


def to_be_sent(talk: Talk) -> tuple[Group, ...]:
    """The groups of the pane; each field exactly as it goes into the body, before that is encoded (decision 42)."""
    fault, groups = talk.fault(), []
    if fault is not None:
        why = Entry("Why", "", fault.message, access=Access.WRITE_ONLY)
        groups.append(Group(f"{GLYPHS.danger} Not sent as it is", (why,)))
    with suppress(BadText):  # an action with a comma cannot be written as text
        row, form = operation("get-response"), talk.turn.form()
        groups.append(Group(f"{row.method} {row.path}", tuple(field(name, text) for name, text in form.items())))
    return tuple(groups)
