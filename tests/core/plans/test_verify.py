"""How an interrupted step ended, read from what the store holds afterwards."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path as FilePath
from typing import Any

import pytest

from chartui.core.journal import Journal, Outcome
from chartui.core.jsontext import Wire
from chartui.core.plans.history import look_at
from chartui.core.plans.reads import Reads
from chartui.core.plans.verify import Ended, Found, how_it_ended
from chartui.core.profiles import Place
from chartui.core.service import Service
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operations import operation
from tests.contract.seed import ALARM, END, GATE, HALL, KEEPER
from tests.contract.world import Path, Switch, Template, World, make_template

pytestmark = pytest.mark.anyio
NOWHERE = "00000000-0000-4000-8000-000000000000"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    return make_template(tmp_path_factory.mktemp("seed"))


@pytest.fixture
async def service(template: Template, tmp_path: FilePath) -> AsyncIterator[Service]:
    async with World.opened(Path.LOCAL, template, tmp_path, Switch()) as world:
        yield world.inside()


async def body(service: Service, name: str, **payload: Wire) -> Any:
    return (await service.call(operation(name), payload)).body


async def ended(service: Service, name: str, **payload: Wire) -> Found:
    """How ``name`` ended; the reader is a new one, as after a restart."""
    return await how_it_ended(operation(name), payload, None, Reads(service))


async def test_an_interrupted_restore_of_a_character(service: Service) -> None:
    snapshot = await body(service, "snapshot-character", charID=KEEPER)
    await body(service, "delete-character", charID=KEEPER)
    assert await ended(service, "restore-character", snapshot=snapshot) == Found(ended=Ended.NOT_DONE)
    restored = await body(service, "restore-character", snapshot=snapshot)
    found = await ended(service, "restore-character", snapshot=snapshot)
    assert found == Found(ended=Ended.DONE, answer={"character_id": KEEPER})
    assert restored["character_id"] == KEEPER


@pytest.mark.parametrize(("kind", "thing"), [("section", HALL), ("trigger", ALARM)])
async def test_an_interrupted_restore_of_a_part(kind: str, thing: str, service: Service) -> None:
    address: dict[str, Wire] = {"character_id": KEEPER, f"{kind}_id": thing}
    part = await body(service, f"get-{kind}", **address)
    payload: dict[str, Wire] = {"character_id": KEEPER, kind: part}
    await body(service, f"delete-{kind}", **address)
    assert (await ended(service, f"restore-{kind}", **payload)).ended is Ended.NOT_DONE
    await body(service, f"restore-{kind}", **payload)
    assert (await ended(service, f"restore-{kind}", **payload)).ended is Ended.DONE


async def test_a_restore_is_unclear_while_the_service_cannot_say(service: Service) -> None:
    """A failure to read is not the answer that nothing is there."""

    class Busy(Reads):
        async def body(self, name: str, payload: object) -> Any:
            raise ServiceError(ErrorKind.BUSY, "The store is busy.")

    snapshot = await body(service, "snapshot-character", charID=KEEPER)
    with pytest.raises(ServiceError, match="busy"):
        await how_it_ended(operation("restore-character"), {"snapshot": snapshot}, None, Busy(service))


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("delete-character", {"charID": KEEPER}),
        ("delete-section", {"character_id": KEEPER, "section_id": GATE}),
        ("delete-trigger", {"character_id": KEEPER, "trigger_id": ALARM}),
    ],
)
async def test_an_interrupted_removal(name: str, address: dict[str, Wire], service: Service) -> None:
    assert (await ended(service, name, **address)).ended is Ended.NOT_DONE
    await body(service, name, **address)
    assert (await ended(service, name, **address)).ended is Ended.DONE


async def test_a_change_to_what_is_gone_was_not_made(service: Service) -> None:
    changed = {"character_id": KEEPER, "section_id": END, "updated_data": {"section_name": "X"}}
    await body(service, "delete-section", character_id=KEEPER, section_id=END)
    assert (await ended(service, "edit-section", **changed)).ended is Ended.NOT_DONE
    assert (await ended(service, "rename-character", charID=NOWHERE, character_name="X")).ended is Ended.NOT_DONE


@pytest.mark.parametrize("applied", [True, False])
async def test_the_second_of_two_equal_creations(applied: bool, service: Service, tmp_path: FilePath) -> None:
    """A plan reads the list once, so its second entry does not name what its first step created."""

    class Sent:
        origin, plan_id, step = "library", "plan", None

    journal = Journal(tmp_path / "journal.db")
    payload: dict[str, Wire] = {"character_id": KEEPER, "section_name": "Twin", "objective": "Wait."}
    numbers, made = [], []
    for sent in (True, applied):
        number = await journal.intend(
            Place("local", "embedded"), "create-section", payload, before={"equal_ids": []}, context=Sent()
        )
        numbers.append(number)
        if sent:
            made.append(await body(service, "create-section", **payload))
    first, second = numbers
    try:
        await journal.conclude(first, Outcome.DONE, answer=made[0])
        entry = await journal.entry(second)
        assert entry is not None
        assert await look_at(Reads(service), journal, entry) is (Ended.DONE if applied else Ended.NOT_DONE)
        entry = await journal.entry(second)
        assert entry is not None
        assert entry.answer == (made[1] if applied else None)
    finally:
        await journal.aclose()
