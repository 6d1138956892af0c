"""Every kind of refusal that a row lists: its status and shape on the wire, and what a client makes of it."""

from __future__ import annotations

import asyncio
from pathlib import Path as FilePath

import pytest

from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Operation
from chartui.core.spec.operations import OPERATIONS
from tests.contract.samples import SAMPLES, WITH_PATH
from tests.contract.world import WIRE, Path, Switch, Template, World

_LISTED = [
    pytest.param(row, kind, path, id=f"{path}-{row.name}-{kind}")
    for row in WITH_PATH
    for kind in row.errors
    for path in WIRE
]


@pytest.mark.parametrize(("row", "kind", "path"), _LISTED)
def test_a_refusal_keeps_its_kind_or_its_sentence(
    row: Operation, kind: ErrorKind, path: Path, template: Template, tmp_path: FilePath, server: Switch
) -> None:
    async def run() -> None:
        async with World.opened(path, template, tmp_path, server) as world:
            world.failure = ServiceError(kind, "Ünsaid [/] reason.")
            if kind is ErrorKind.INTERNAL:
                assert await world.refused(row.name, SAMPLES[row.name], kind) == "internal error"
            else:
                assert await world.refused(row.name, SAMPLES[row.name], kind) == "Ünsaid [/] reason."

    asyncio.run(run())


@pytest.mark.parametrize("path", WIRE)
@pytest.mark.parametrize("name", [row.name for row in OPERATIONS.values() if row.path is None])
def test_what_only_a_store_can_do_is_not_sent(
    name: str, path: Path, template: Template, tmp_path: FilePath, server: Switch
) -> None:
    async def run() -> None:
        async with World.opened(path, template, tmp_path, server) as world:
            await world.refused_unsent(name, SAMPLES[name], ErrorKind.NOT_AVAILABLE)

    asyncio.run(run())
