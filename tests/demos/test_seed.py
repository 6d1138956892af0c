"""The seeded generator: the same numbers give the same store."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from chartui.core.backends.local.seed import seed
from chartui.core.backends.local.store import BUILT_IN_ACCOUNT, Store
from chartui.core.backends.local.tables import Characters, StoredCharacter
from chartui.core.jsontext import dumps
from chartui.core.narrative.graph import Graph
from chartui.core.spec.catalogue import model_code
from chartui.core.spec.check import adapter
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.narrative import Section, Trigger
from chartui.core.spec.operation import Ref, Tier
from chartui.core.spec.records import Records
from chartui.core.spec.shape import build


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "store" / "store.db")
    yield opened
    opened.close()


def records(store: Store, user_id: str = BUILT_IN_ACCOUNT.user_id) -> Records:
    with store.reading() as tables:
        return tables.characters.records(user_id)


def test_the_same_numbers_give_the_same_data(tmp_path: Path) -> None:
    dumped = []
    for number, chosen in enumerate((5, 5, 6)):
        store = Store(tmp_path / str(number) / "store.db")
        seed(store, BUILT_IN_ACCOUNT, characters=20, sections=60, seed=chosen)
        with store.reading() as tables:
            found = tables.characters.records(BUILT_IN_ACCOUNT.user_id)
            first = found[0]["character_id"]
            graph = [tables.narrative.sections.all(first), tables.narrative.triggers.all(first)]
        dumped.append(dumps([found, graph]))
        store.close()
    assert dumped[0] == dumped[1] != dumped[2]


def test_records_are_of_the_size_asked_for_and_fit_the_declaration(store: Store) -> None:
    seed(store, BUILT_IN_ACCOUNT, characters=200, sections=0, seed=1)
    found = records(store)
    assert len(found) == 200
    assert {record["is_narrative_driven"] for record in found} == {False}
    for record in found:
        assert 2_800 < len(dumps(record).encode()) < 3_200
        adapter(Ref("characters", "Character")).validate_json(dumps(record))
        assert record["timestamp"] <= record["last_interacted_with"]
    with store.reading() as tables:
        for record in found:
            character = tables.characters.get(BUILT_IN_ACCOUNT.user_id, record["character_id"])
            model = model_code(record["personalised_prompt_config"]["MODEL"])
            assert character is not None
            assert model is not None
            accepted = model.reasoning.accepted if model.reasoning else ()
            assert character.reasoning_effort in (None, *accepted)
    assert store.check() == ()


def test_a_record_can_be_small(store: Store) -> None:
    seed(store, BUILT_IN_ACCOUNT, characters=3, sections=0, seed=1, record_bytes=0)
    assert all(record["personalised_prompt_config"]["PROMPT"] == "" for record in records(store))


def test_the_graph_is_connected_and_loops(store: Store) -> None:
    seed(store, BUILT_IN_ACCOUNT, characters=2, sections=1_200, seed=1)
    first, second = records(store)
    with store.reading() as tables:
        sections = [build(Section, s) for s in tables.narrative.sections.all(first["character_id"])]
        triggers = [build(Trigger, t) for t in tables.narrative.triggers.all(first["character_id"])]
        assert tables.narrative.sections.all(second["character_id"]) == []
    graph = Graph.build(sections, [], first["start_narrative_section_id"])
    assert len(graph.sections) == 1_200
    assert graph.unreachable == ()
    assert sum(len(ways) for ways in graph.edges.values()) > 1_199
    assert Graph.build(sections, triggers, None).dangling == ()
    assert len(triggers) == 24
    assert any(section.triggers for section in sections)
    assert (first["is_narrative_driven"], second["is_narrative_driven"]) == (True, False)


def test_a_seed_is_used_once_for_an_account(store: Store) -> None:
    other, _ = store.add_account(Tier.FREE, user_id="other")
    for account in (BUILT_IN_ACCOUNT, other):
        seed(store, account, characters=2, sections=0, seed=1)
    with pytest.raises(ServiceError) as caught:
        seed(store, BUILT_IN_ACCOUNT, characters=2, sections=0, seed=1)
    assert caught.value.kind is ErrorKind.CONFLICT
    seed(store, BUILT_IN_ACCOUNT, characters=2, sections=0, seed=2)
    assert (len(records(store)), len(records(store, "other"))) == (4, 2)


@pytest.mark.parametrize(
    ("characters", "sections", "record_bytes"), [(-1, 0, 0), (1, -1, 0), (1, 0, -1), (0, 1, 3_000)]
)
def test_numbers_that_make_no_sense_are_refused(
    store: Store, characters: int, sections: int, record_bytes: int
) -> None:
    with pytest.raises(ServiceError) as caught:
        seed(
            store,
            BUILT_IN_ACCOUNT,
            characters=characters,
            sections=sections,
            seed=1,
            record_bytes=record_bytes,
        )
    assert caught.value.kind is ErrorKind.INVALID
    assert records(store) == []


def test_nothing_is_a_number_too(store: Store) -> None:
    seed(store, BUILT_IN_ACCOUNT, characters=0, sections=0, seed=1)
    assert records(store) == []


@pytest.mark.parametrize("failure", [sqlite3.OperationalError("no room"), KeyboardInterrupt()], ids=["disk", "Ctrl+C"])
def test_an_interrupted_seed_leaves_nothing_and_can_be_repeated(
    failure: BaseException, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    inserted = 0
    insert = Characters.insert

    def fails_later(self: Characters, character: StoredCharacter) -> None:
        nonlocal inserted
        inserted += 1
        if inserted == 1_025:
            raise failure
        insert(self, character)

    monkeypatch.setattr(Characters, "insert", fails_later)
    with pytest.raises(type(failure)):
        seed(store, BUILT_IN_ACCOUNT, characters=1_100, sections=3, seed=1, record_bytes=0)
    assert records(store) == []
    monkeypatch.setattr(Characters, "insert", insert)
    seed(store, BUILT_IN_ACCOUNT, characters=2, sections=3, seed=1)
    [first, _] = records(store)
    with store.reading() as tables:
        assert len(tables.narrative.sections.all(first["character_id"])) == 3


def test_a_graph_that_cannot_be_written_takes_the_characters_with_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(*_: object) -> None:
        raise sqlite3.OperationalError("no room")

    with store.reading() as tables:
        monkeypatch.setattr(type(tables.narrative.sections), "insert", no_room)
    with pytest.raises(sqlite3.OperationalError):
        seed(store, BUILT_IN_ACCOUNT, characters=3, sections=2, seed=1)
    assert records(store) == []
