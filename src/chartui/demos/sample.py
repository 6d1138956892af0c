"""The demo data: a dozen characters, three of them with a narrative graph, for an embedded store.

The data files name sections and triggers by readable slugs, which are replaced by generated identifiers in the store.
Records are complete records of C 2.2, written in full; times are given as ages, so the demo is always fresh. A slug
that begins with ``gone:`` stands for something deleted: the reference to it is stored and dangles, as after a deletion
(decision 39).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from chartui.core.classes import NamedTuple
from chartui.core.clock import Clock, Ids, random_ids, seeded_ids, system_clock, timestamp
from chartui.core.jsontext import Wire, loads

if TYPE_CHECKING:
    from chartui.core.backends.local.store import Account, Store, Tables

_DATA: Final = Path(__file__).with_name("data")
_GONE: Final = "gone:"


class Sample(NamedTuple):
    record: dict[str, Wire]
    backstory: str
    reasoning_effort: str | None
    sections: list[dict[str, Wire]]
    triggers: list[dict[str, Wire]]


def fill(store: Store, account: Account | None = None, *, ids: Ids | None = None, clock: Clock = system_clock) -> None:
    """Give ``account`` (default: the built-in one) a copy of the demo data, in one transaction.

    An account that has characters is not changed. By default, an account gets the same ids every time, and no two
    accounts share ids. Raises :class:`~chartui.core.spec.errors.ServiceError` if the store cannot be written.
    """
    from chartui.core.backends.local.store import BUILT_IN_ACCOUNT

    user_id = (account or BUILT_IN_ACCOUNT).user_id
    with store.reading() as tables:
        if tables.characters.summaries(user_id):
            return
    cast = tuple(samples(user_id, ids=ids or seeded_ids(f"demo of {user_id}"), clock=clock))
    with store.writing() as tables:
        if not tables.characters.summaries(user_id):  # otherwise another process was faster
            _insert(tables, cast)


def refill(store: Store, *, ids: Ids = random_ids, clock: Clock = system_clock) -> None:
    """Replace all demo characters in one transaction, with new ids, so that no draft of the old ones applies.

    Raises :class:`~chartui.core.spec.errors.ServiceError`.
    """
    from chartui.core.backends.local.store import BUILT_IN_ACCOUNT

    user_id = BUILT_IN_ACCOUNT.user_id
    cast = tuple(samples(user_id, ids=ids, clock=clock))
    with store.writing() as tables:
        for summary in tables.characters.summaries(user_id):
            tables.characters.delete(str(summary["character_id"]))
        _insert(tables, cast)


def _insert(tables: Tables, cast: Iterable[Sample]) -> None:
    from chartui.core.backends.local.tables import StoredCharacter

    for sample in cast:
        tables.characters.insert(StoredCharacter(sample.record, sample.backstory, sample.reasoning_effort))
        for section in sample.sections:
            tables.narrative.sections.insert(section)
        for trigger in sample.triggers:
            tables.narrative.triggers.insert(trigger)


def samples(user_id: str, *, ids: Ids, clock: Clock) -> Iterator[Sample]:
    """The demo characters owned by ``user_id``, in order of creation."""
    for entry in read_data("characters.json"):
        character_id = ids()
        story = _Story(entry["story"], character_id, ids) if "story" in entry else None
        now = clock()
        yield Sample(
            record={
                "character_id": character_id,
                "user_id": user_id,
                **entry["record"],
                "timestamp": timestamp(now - timedelta(days=entry["created_days_ago"])),
                "last_interacted_with": timestamp(now - timedelta(minutes=entry["last_seen_minutes_ago"])),
                "start_narrative_section_id": story and story.start,
                "is_narrative_driven": story is not None,
            },
            backstory="\n".join(entry["backstory"]),
            reasoning_effort=entry.get("reasoning_effort"),
            sections=story.sections if story else [],
            triggers=story.triggers if story else [],
        )


class _Story:
    """A narrative graph from the data files, with identifiers instead of slugs."""

    def __init__(self, name: str, character_id: str, ids: Ids) -> None:
        data = read_data(f"stories/{name}.json")
        self._character_id = character_id
        self._new_id = ids
        self._sections = {section["slug"]: ids() for section in data["sections"]}
        self._triggers = {trigger["slug"]: ids() for trigger in data["triggers"]}
        self.start = self._sections[data["start"]]
        self.sections = [self._section(section) for section in data["sections"]]
        self.triggers = [self._trigger(trigger) for trigger in data["triggers"]]

    def _destination(self, slug: str) -> str:
        if slug.startswith(_GONE) and slug not in self._sections:
            self._sections[slug] = self._new_id()
        return self._sections[slug]

    def _trigger_id(self, slug: str) -> str:
        # Of a deleted item only its id is left.
        return self._destination(slug) if slug.startswith(_GONE) else self._triggers[slug]

    def _section(self, section: Mapping[str, Wire]) -> dict[str, Wire]:
        decisions = section.get("decisions")
        return {
            "character_id": self._character_id,
            "section_id": self._sections[section["slug"]],
            "section_name": section["name"],
            "objective": section["objective"],
            "decisions": None if decisions is None else [self._decision(decision) for decision in decisions],
            "triggers": [
                {
                    "trigger_id": self._trigger_id(override["trigger"]),
                    "destination_section": self._destination(override["to"]),
                }
                for override in section.get("overrides", ())
            ],
            "updated_character_data": None,
            "bt_constants": None,
            "behavior_tree_code": None,
            "node_position": section.get("at", []),
        }

    def _decision(self, decision: Mapping[str, Wire]) -> dict[str, Wire]:
        priority = {"priority": decision["priority"]} if "priority" in decision else {}
        return {"criteria": decision["criteria"], "next_section_id": self._destination(decision["to"]), **priority}

    def _trigger(self, trigger: Mapping[str, Wire]) -> dict[str, Wire]:
        return {
            "character_id": self._character_id,
            "trigger_id": self._triggers[trigger["slug"]],
            "trigger_name": trigger["name"],
            "trigger_message": trigger["message"],
            "destination_section": self._destination(trigger["to"]) if "to" in trigger else None,
            "node_position": trigger.get("at", []),
        }


def read_data(name: str) -> Any:
    return loads((_DATA / name).read_bytes())


def scene_of(character_name: str) -> Mapping[str, Any] | None:
    """The members ``text``, ``objects`` and ``characters`` of a demo character's scene; None for others."""
    found: Mapping[str, Any] | None = read_data("scenes.json").get(character_name)
    return found
