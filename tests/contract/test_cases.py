"""Every case on each of its paths."""

from __future__ import annotations

import asyncio
from pathlib import Path as FilePath

import pytest

from tests.contract import cases_actions, cases_estimation, cases_held, cases_narrative, cases_settings, cases_transport
from tests.contract.case import CASES, Case
from tests.contract.world import Path, Switch, Template, World

__all__ = ["cases_actions", "cases_estimation", "cases_held", "cases_narrative", "cases_settings", "cases_transport"]

_RUNS = [
    pytest.param(case, path, id=f"{path}-{case.id}") for case in CASES.values() for path in Path if path in case.paths
]
#: What the store itself said in a case, for its other paths.
_said_by_the_store: dict[str, list[tuple[str, str]]] = {}


async def _run(case: Case, path: Path, template: Template, folder: FilePath, server: Switch) -> list[tuple[str, str]]:
    async with World.opened(path, template, folder, server) as world:
        await case.run(world)
        return world.transcript


@pytest.mark.parametrize(("case", "path"), _RUNS)
def test_case(case: Case, path: Path, template: Template, tmp_path: FilePath, server: Switch) -> None:
    said = asyncio.run(_run(case, path, template, tmp_path, server))
    if path is Path.LOCAL:
        _said_by_the_store[case.id] = said
    elif Path.LOCAL in case.paths:
        if case.id not in _said_by_the_store:
            _said_by_the_store[case.id] = asyncio.run(_run(case, Path.LOCAL, template, tmp_path, server))
        assert said == _said_by_the_store[case.id]
