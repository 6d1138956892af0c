"""What is shown of the answer to a turn beside its words and its sequence: it may have cost credits (decision 70)."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from chartui.core.jsontext import Wire, dumps
from chartui.core.spec.models.actions import ActionReply
from chartui.core.spec.shape import wire_names

__all__ = ["Part", "as_it_came", "has_members", "is_read", "other_parts", "unread_parts"]

#: So many characters of a part are shown; the requests hold more of it, and ``--json`` the whole.
LONGEST: Final = 4_000
#: Sound or a picture, written as text: base64.
_NO_WORDS: Final = re.compile(r"[A-Za-z0-9+/_-]{200}")


class Part(NamedTuple):
    """A member of an answer, and what it holds in words; not yet cleaned."""

    name: str
    text: str


def other_parts(reply: ActionReply) -> tuple[Part, ...]:
    """The members that no document names, but for empty ones, in the service's order."""
    named = set(wire_names(ActionReply).values()) | {unread.where.strip("/") for unread in reply.unreadable}
    return tuple(
        Part(name, _in_words(value))
        for name, value in reply.raw.items()
        if name not in named and value not in (None, "", [], {})
    )


def unread_parts(reply: ActionReply) -> tuple[Part, ...]:
    """What could not be read: why not, and as much of it as can be shown."""
    parts = ((unread.where.strip("/") or "the answer", unread) for unread in reply.unreadable)
    return tuple(Part(name, f"{one.reason.removeprefix(f'{name}: ')}: {_in_words(one.raw)}") for name, one in parts)


def as_it_came(reply: ActionReply) -> Wire:
    """The answer in wire form, also where it is not the object that it should be."""
    return next((unread.raw for unread in reply.unreadable if not unread.where), reply.raw)


def has_members(reply: ActionReply) -> bool:
    """Whether the answer was an object, of which something could be read; False where nothing of it was."""
    return is_read(reply, "")


def is_read(reply: ActionReply, member: str) -> bool:
    """Whether a member is as the service sent it: False where it is empty because it could not be read."""
    return not any(unread.where in ("", f"/{member}") for unread in reply.unreadable if unread.kind != "duplicate")


def _in_words(value: Wire) -> str:
    text = value if isinstance(value, str) else dumps(value)
    if _NO_WORDS.search(text):
        return f"{len(text)} characters that are not words, such as sound"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
