"""Single steps of plans: an operation with what it expects to find and what it changes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

from chartui.core.jsontext import Wire, same
from chartui.core.plans.plan import Change, Step
from chartui.core.plans.wording import changes, stored

__all__ = ["changing"]

#: Operations whose changes stand in an object of their own.
_NESTED: Final = frozenset({"edit-section", "update-trigger"})


def changing(
    operation: str,
    address: Mapping[str, Wire],
    wanted: Mapping[str, Wire],
    present: Mapping[str, Wire],
    *,
    subject: str = "",
    reason: str = "",
    worded: Mapping[str, Sequence[Change]] | None = None,
    watching: Collection[str] = (),
) -> Step | None:
    """The step that gives members the values ``wanted``; None when they have them.

    ``present`` holds the members as they were read, by the names that the operation gives them: what is so already is
    not sent, and what is sent expects to find it. ``worded`` replaces how the change of a member is shown;
    ``watching`` names members that are not changed and yet expected to stay.
    """
    read_back = stored(operation, wanted)
    news = {
        member: value
        for member, value in wanted.items()
        if member not in present or not same(read_back[member], present[member])
    }
    if not news:
        return None
    payload = {**address, **({"updated_data": news} if operation in _NESTED else news)}
    worded = worded or {}
    shown = zip(news, changes(operation, payload, present), strict=True)
    expected = {member: present[member] for member in (*news, *watching) if member in present}
    return Step(
        operation=operation,
        payload=payload,
        expected=expected or None,
        subject=subject,
        reason=reason,
        changes=tuple(
            part for member, change in shown for part in worded.get(member, (replace(change, after=read_back[member]),))
        ),
    )
