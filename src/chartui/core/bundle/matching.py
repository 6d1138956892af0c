"""Which part of a file is which on a profile: by the id that the file knows, else by its name (decision 64)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from chartui.core.bundle.model import Bundle, Identity
    from chartui.core.narrative.story import Story

__all__ = ["Matching", "matching"]


class Matching(NamedTuple):
    """The ids on a profile of the sections and triggers of a file, by slug; those that are not there are missing."""

    sections: Mapping[str, str]
    triggers: Mapping[str, str]


class _Named(NamedTuple):
    """Something with a name; of several with one name, the text tells them apart."""

    id: str
    name: str
    text: str


def matching(bundle: Bundle, there: Story, key: str) -> Matching:
    """Find the parts of a bundle in the story that is stored; ``key`` says whose ids count.

    Of several sections of one name, those that are the same in their text come first, then they are taken in the order
    in which a push makes them: so one that was interrupted finds again what it has made.
    """
    ids = bundle.ids.get(key)
    mine = [_Named(slug, one.section_name or "", one.objective or "") for slug, one in bundle.story.sections.items()]
    mine.sort(key=lambda named: named.id != bundle.story.start)
    theirs = [_Named(item_id, one.section_name or "", one.objective or "") for item_id, one in there.sections.items()]
    events = [
        _Named(slug, one.trigger_name or "", one.trigger_message or "") for slug, one in bundle.story.triggers.items()
    ]
    present = [
        _Named(item_id, one.trigger_name or "", one.trigger_message or "") for item_id, one in there.triggers.items()
    ]
    return Matching(
        _matched(mine, theirs, ids.sections if ids is not None else {}),
        _matched(events, present, ids.triggers if ids is not None else {}),
    )


def _matched(mine: Sequence[_Named], there: Sequence[_Named], known: Mapping[str, Identity]) -> dict[str, str]:
    free = {one.id for one in there}
    found: dict[str, str] = {}
    for one in mine:
        identity = known.get(one.id)
        if identity is not None and identity.id in free:
            free.discard(identity.id)
            found[one.id] = identity.id
    for exactly in (True, False):
        waiting: dict[tuple[str, ...], deque[str]] = {}
        for other in _left(there, free):
            waiting.setdefault(other[1:] if exactly else other[1:2], deque()).append(other.id)
        for one in mine:
            alike = waiting.get(one[1:] if exactly else one[1:2])
            if one.id not in found and alike:
                found[one.id] = alike.popleft()
                free.discard(found[one.id])
    return found


def _left(there: Iterable[_Named], free: set[str]) -> list[_Named]:
    return [one for one in there if one.id in free]
