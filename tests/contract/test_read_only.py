"""Under the lock nothing is changed, on whichever path; the decision is made from the row's effect alone."""

from __future__ import annotations

import asyncio
from pathlib import Path as FilePath

import pytest

from chartui.core.backends.layers import ReadOnly
from chartui.core.jsontext import Wire, dumps
from chartui.core.service import Service
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Effect, Operation
from chartui.core.spec.operations import OPERATIONS, operation
from tests.contract.samples import SAMPLES
from tests.contract.seed import KEEPER
from tests.contract.world import EVERY_PATH, Path, Switch, Template, World

_ROWS = [
    pytest.param(row, path, id=f"{path}-{row.name}")
    for row in OPERATIONS.values()
    for path in EVERY_PATH
    if row.path is not None or path is Path.LOCAL
]


async def _everything(world: World) -> str:
    """All that the store holds of the account."""
    inside = world.inside()
    records = (await inside.call(operation("list-characters"), {})).body["characters"]
    parts: list[Wire] = [records]
    for record in records:
        character = record["character_id"]
        for name, address in (
            ("get-settings", "charID"),
            ("list-sections", "character_id"),
            ("list-triggers", "character_id"),
        ):
            parts.append((await inside.call(operation(name), {address: character})).body)
    return dumps(parts)


@pytest.mark.parametrize(("row", "path"), _ROWS)
def test_only_reads_pass(row: Operation, path: Path, template: Template, tmp_path: FilePath, server: Switch) -> None:
    async def run() -> None:
        async with World.opened(path, template, tmp_path, server) as world:
            before = await _everything(world)
            service = world.read_only()
            if row.effect is Effect.READ:
                await service.call(row, SAMPLES[row.name])
            else:
                with pytest.raises(ServiceError) as refused:
                    await service.call(row, SAMPLES[row.name])
                assert refused.value.kind is ErrorKind.READ_ONLY
                assert refused.value.sent == "no"
                assert world.sent_nothing
            assert await _everything(world) == before
            await service.aclose()

    asyncio.run(run())


def test_the_samples_do_change_something(template: Template, tmp_path: FilePath, server: Switch) -> None:
    """Without the lock every write and act above leaves a trace, so the comparison above says something."""

    async def run(row: Operation) -> bool:
        async with World.opened(Path.LOCAL, template, tmp_path, server) as world:
            await world.inside().call(operation("update-character"), {"charID": KEEPER, "temperature": 0})
            before = await _everything(world)
            await world.inside().call(row, SAMPLES[row.name])
            return await _everything(world) != before

    # The clock stands still here, so an act leaves no other time behind.
    silent = {"get-response"}
    for row in OPERATIONS.values():
        assert asyncio.run(run(row)) == (row.effect is not Effect.READ and row.name not in silent), row.name


@pytest.mark.parametrize("path", EVERY_PATH)
def test_acts_pass_where_they_are_allowed(path: Path, template: Template, tmp_path: FilePath, server: Switch) -> None:
    async def run() -> None:
        async with World.opened(path, template, tmp_path, server) as world:
            locked = ReadOnly(world.connect(), allow_act=True)
            service = Service(locked, embedded=path is Path.LOCAL)
            await service.call(operation("get-response"), SAMPLES["get-response"])
            with pytest.raises(ServiceError) as refused:
                await service.call(operation("toggle-narrative"), SAMPLES["toggle-narrative"])
            assert refused.value.kind is ErrorKind.READ_ONLY
            await service.aclose()

    asyncio.run(run())
