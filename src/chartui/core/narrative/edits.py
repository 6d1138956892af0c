"""Compare two stories, and apply the difference to a third story.

In this way, your edits are combined with changes made by others. :func:`difference` compares two stories and returns
:class:`Edits`. :meth:`Edits.on` applies the edits to a version of the story that was read later. If both you and
someone else changed a field, a :class:`Conflict` is reported. Until you resolve the conflict, your version is shown and
the edits keep their original base (decision 37). This module has no side effects.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import field, replace
from difflib import SequenceMatcher
from typing import Any, Final, Generic, Literal, TypeVar

from chartui.core.classes import NamedTuple, dataclass
from chartui.core.jsontext import Wire, same
from chartui.core.narrative.nodes import Link
from chartui.core.narrative.story import (
    Story,
    differing_members,
    overrides_of,
    said,
    section_overriding,
    section_with_ids,
    trigger_with_ids,
    written_members,
)
from chartui.core.numbers import number_of
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.models.narrative import Section, Trigger
from chartui.core.spec.shape import build

T = TypeVar("T", Section, Trigger)
V = TypeVar("V")

#: The subject of an edit: a section, a trigger, or the story itself.
_Subject = Literal["section", "trigger", "story"]
#: A member, identified by part, ID and name.
Key = tuple[_Subject, str, str]

#: The ID that stands for the story itself.
STORY: Final = ""
#: The member that stands for a whole section or trigger, if one side removed it.
WHOLE: Final = ""


class Turned(NamedTuple, Generic[V]):
    """The old and the new value of a field. A value is None if the field did not exist."""

    before: V
    after: V


class Conflict(NamedTuple):
    """A field that you and someone else both changed, with its original value, its current value and your value.

    If one side removed the whole section or trigger, the field is :data:`WHOLE`. Each of the three values then holds
    all fields that users can edit, or is None on the side that removed the section or trigger. The value of an
    ``overrides`` field is a mapping from triggers to sections.
    """

    key: Key
    before: Wire
    now: Wire
    mine: Wire


class Rebased(NamedTuple):
    """The result of applying edits to a story, with the new story, the new base of the edits, and the conflicts."""

    story: Story
    base: Story
    conflicts: tuple[Conflict, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edits:
    """The changes from one story to another.

    Each changed section or trigger has an old and a new version. ``start`` and ``enabled`` are None if unchanged.
    """

    sections: Mapping[str, Turned[Section | None]] = field(default_factory=dict)
    triggers: Mapping[str, Turned[Trigger | None]] = field(default_factory=dict)
    start: Turned[str | None] | None = None
    enabled: Turned[bool | None] | None = None

    def __len__(self) -> int:
        return len(self.sections) + len(self.triggers) + (self.start is not None) + (self.enabled is not None)

    @property
    def counted(self) -> str:
        """A summary of the changes, such as ``2 sections, 1 trigger, start``.

        A section counts once, however many of its fields have changed.
        """
        parts = (("section", len(self.sections)), ("trigger", len(self.triggers)))
        members = (("start", self.start), ("on/off", self.enabled))
        return ", ".join([*(number_of(n, word) for word, n in parts if n), *(word for word, one in members if one)])

    def links(self) -> frozenset[tuple[str, Link, int]]:
        """The new, changed and moved decisions and overrides, each identified by its section, kind and index."""
        found = set()
        for key, (before, after) in self.sections.items():
            for kind, member in ((Link.DECISION, "decisions"), (Link.OVERRIDE, "triggers")):
                old, new = ([repr(one) for one in getattr(each, member, None) or ()] for each in (before, after))
                blocks = SequenceMatcher(None, old, new, autojunk=False)
                equal = {at for block in blocks.get_matching_blocks() for at in range(block.b, block.b + block.size)}
                found |= {(key, kind, at) for at in range(len(new)) if at not in equal}
        return frozenset(found)

    def on(
        self, now: Story, settled: Mapping[Key, bool] | None = None, ours: Mapping[Key, Collection[Wire]] | None = None
    ) -> Rebased:
        """Apply the edits to ``now``, the story as last read.

        For each resolved conflict, ``settled`` says whether your version wins. All other conflicts are returned with
        the result. ``ours`` contains temporary values that this program wrote while it sent the edits. They do not
        count as changes by others.
        """
        return _Rebasing(now, settled or {}, ours or {}).done(self)

    def renamed(self, ids: Mapping[str, str]) -> Edits:
        """Return the same edits with new IDs, for use after new sections or triggers have been created."""
        if not ids:
            return self
        return Edits(
            sections={ids.get(key, key): _renamed(both, section_with_ids, ids) for key, both in self.sections.items()},
            triggers={ids.get(key, key): _renamed(both, trigger_with_ids, ids) for key, both in self.triggers.items()},
            start=self.start and Turned(*(one and ids.get(one, one) for one in self.start)),
            enabled=self.enabled,
        )


def difference(before: Story, after: Story) -> Edits:
    """Return the edits that turn ``before`` into ``after``. Only fields that users can edit are compared."""
    if before is after:
        return Edits()
    return Edits(
        sections=_turned(before.sections, after.sections),
        triggers=_turned(before.triggers, after.triggers),
        start=Turned(before.start, after.start) if before.start != after.start else None,
        enabled=Turned(before.enabled, after.enabled) if before.enabled != after.enabled else None,
    )


def _turned(before: Mapping[str, T], after: Mapping[str, T]) -> dict[str, Turned[T | None]]:
    found: dict[str, Turned[T | None]] = {}
    for key, new in after.items():
        old = before.get(key)
        if old is not new and (old is None or differing_members(old, new)):
            found[key] = Turned(old, new)
    found.update((key, Turned(old, None)) for key, old in before.items() if key not in after)
    return found


def _renamed(
    both: Turned[T | None], with_ids: Callable[[T, Mapping[str, str]], T], ids: Mapping[str, str]
) -> Turned[T | None]:
    before, after = both
    return Turned(before and with_ids(before, ids), after and with_ids(after, ids))


class _Rebasing:
    def __init__(self, now: Story, settled: Mapping[Key, bool], ours: Mapping[Key, Collection[Wire]]) -> None:
        self._now = now
        self._settled = settled
        self._ours = ours
        self._conflicts: list[Conflict] = []
        self._unread: set[str] = set()

    def done(self, edits: Edits) -> Rebased:
        now = self._now
        sections, base_sections = self._records("section", edits.sections, now.sections)
        triggers, base_triggers = self._records("trigger", edits.triggers, now.triggers)
        start, base_start = self._member(("story", STORY, "start"), edits.start, now.start)
        enabled, base_enabled = self._member(("story", STORY, "enabled"), edits.enabled, now.enabled)
        now = replace(now, unread=frozenset(self._unread))
        story = replace(now, sections=sections, triggers=triggers, start=start, enabled=enabled)
        base = replace(now, sections=base_sections, triggers=base_triggers, start=base_start, enabled=base_enabled)
        return Rebased(story, base, tuple(self._conflicts))

    def _verdict(self, conflict: Conflict) -> bool | None:
        """Return whether your version wins. If you have not decided yet, report the conflict and return None."""
        verdict = self._settled.get(conflict.key)
        if verdict is None:
            self._conflicts.append(conflict)
        return verdict

    def _is_ours(self, key: Key, now: Wire) -> bool:
        return any(same(now, value) for value in self._ours.get(key, ()))

    def _member(self, key: Key, turned: Turned[V] | None, now: V) -> tuple[V, V]:
        if turned is None or same(now, turned.after):
            return now, now
        if same(now, turned.before) or self._is_ours(key, now):
            return turned.after, now
        verdict = self._verdict(Conflict(key, turned.before, now, turned.after))
        return (now if verdict is False else turned.after), (turned.before if verdict is None else now)

    def _records(
        self, part: _Subject, turned: Mapping[str, Turned[T | None]], now: Mapping[str, T]
    ) -> tuple[dict[str, T], dict[str, T]]:
        wanted, base = dict(now), dict(now)
        for key, both in turned.items():
            after, before = self._record(part, key, both, now.get(key))
            for records, record in ((wanted, after), (base, before)):
                if record is None:
                    records.pop(key, None)
                else:
                    records[key] = record
        return wanted, base

    def _record(self, part: _Subject, key: str, both: Turned[T | None], now: T | None) -> tuple[T | None, T | None]:
        before, after = both
        missing = self._now.missing
        if before is not None and now is None and (missing.sections if part == "section" else missing.triggers):
            # The record may be unreadable, so it is neither removed nor changed.
            self._unread.add(key)
            return after, before
        removed_once = before is not None and (now is None) != (after is None)
        if removed_once and (after is not None or differing_members(before, now)):
            verdict = self._verdict(Conflict((part, key, WHOLE), _said(before), _said(now), _said(after)))
            return (now if verdict is False else after), (before if verdict is None else now)
        if now is None or after is None:
            return after, now
        wanted, base = dict(now.raw), dict(now.raw)
        for member in differing_members(before, after):
            old, new, there = (said(one, member) for one in (before, after, now))
            if same(there, new):
                continue
            if isinstance(now, Section) and isinstance(after, Section) and member == "triggers":
                wanted[member], base[member] = self._overrides(key, before, after, now)
                continue
            mine: bool | None = True
            foreign = not same(there, old) and not self._is_ours((part, key, member), there)
            if before is not None and foreign:
                mine = self._verdict(Conflict((part, key, member), old, there, new))
            if mine is not False:
                wanted[member] = after.raw.get(member)
            if mine is None and before is not None:
                base[member] = before.raw.get(member)
        return _built(now, wanted), _built(now, base)

    def _overrides(self, key: str, before: T | None, after: Section, now: Section) -> tuple[Wire, Wire]:
        """Return the resulting overrides of a section, and their base.

        Overrides are merged by trigger, since each is sent separately. If both sides changed some overrides of the
        section, your decision applies to all of them.
        """
        old = overrides_of(before if isinstance(before, Section) else None)
        new, there = overrides_of(after), overrides_of(now)
        turned = [trigger_id for trigger_id in {**old, **new} if old.get(trigger_id) != new.get(trigger_id)]
        apart = [one for one in turned if there.get(one) not in (old.get(one), new.get(one))]
        verdict: bool | None = True
        if apart and before is not None:
            verdict = self._verdict(Conflict(("section", key, "triggers"), old or None, there or None, new or None))
        wanted = base = now
        for trigger_id in turned:
            if verdict is not False or trigger_id not in apart:
                wanted = section_overriding(wanted, trigger_id, new.get(trigger_id))
            if verdict is None and trigger_id in apart:
                base = section_overriding(base, trigger_id, old.get(trigger_id))
        return wanted.raw.get("triggers"), base.raw.get("triggers")


def _built(like: T, raw: dict[str, Wire]) -> T:
    return like if raw == like.raw else build(type(like), raw)


def _said(record: T | None) -> Wire:
    if record is None:
        return None
    return {member: said(record, member) for member in written_members(record)}


# -- a draft ----------------------------------------------------------------------------------------------------------


_FORMAT: Final = "chartui-story-draft"
_VERSION: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    """A plan that sent the edits.

    ``makes`` contains the steps that create sections and triggers. It maps the index of each of these steps to the ID
    that the section or trigger has in the edited story. The store assigns its own IDs, which are read from the journal
    when the draft is opened again (:func:`chartui.core.plans.story.outcomes_of`).
    """

    plan: str
    makes: Mapping[int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryDraft:
    """The staged changes to one character's story. ``name`` is the character's name, for display only.

    ``sent`` lists the plans that sent the changes, oldest first. Any of these plans may be unfinished. A later plan
    includes the remaining steps of the earlier plans. It is possible that a later plan was never started.
    """

    character_id: str
    name: str
    edits: Edits
    sent: tuple[Sending, ...] = ()

    @property
    def empty(self) -> bool:
        return not self.edits


def draft_to_wire(draft: StoryDraft) -> dict[str, Wire]:
    edits = draft.edits
    return {
        "format": _FORMAT,
        "version": _VERSION,
        "character_id": draft.character_id,
        "name": draft.name,
        "sections": {key: _turned_to_wire(both) for key, both in edits.sections.items()},
        "triggers": {key: _turned_to_wire(both) for key, both in edits.triggers.items()},
        "start": edits.start and list(edits.start),
        "enabled": edits.enabled and list(edits.enabled),
        "sent": [{"plan": one.plan, "makes": {str(n): made for n, made in one.makes.items()}} for one in draft.sent],
    }


def _turned_to_wire(both: Turned[Any]) -> Wire:
    return [None if record is None else record.raw for record in both]


def draft_from_wire(document: Wire) -> StoryDraft | None:
    """Build a draft from the output of :func:`draft_to_wire`. Returns None for any other input."""
    try:
        table: Any = document
        if table["format"] != _FORMAT or table["version"] != _VERSION:
            return None
        return StoryDraft(
            character_id=str(table["character_id"]),
            name=str(table["name"]),
            edits=Edits(
                sections={key: _records(Section, both) for key, both in table["sections"].items()},
                triggers={key: _records(Trigger, both) for key, both in table["triggers"].items()},
                start=_values(table["start"]),
                enabled=_values(table["enabled"]),
            ),
            sent=tuple(
                Sending(plan=str(one["plan"]), makes={int(n): str(made) for n, made in one["makes"].items()})
                for one in table["sent"]
            ),
        )
    except (KeyError, TypeError, ValueError, AttributeError, ServiceError):
        return None


def staged_edits(documents: Iterable[Wire]) -> Mapping[str, int]:
    """Return the number of edits in each draft, by character. Unreadable drafts are left out."""
    drafts = filter(None, map(draft_from_wire, documents))
    return {draft.character_id: len(draft.edits) for draft in drafts}


def _records(model: type[Any], both: Any) -> Turned[Any]:
    before, after = (None if raw is None else build(model, raw) for raw in both)
    return Turned(before, after)


def _values(both: Any) -> Turned[Any] | None:
    if both is None:
        return None
    before, after = both
    return Turned(before, after)
