"""A store of the test's own, and the service on it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from chartui.core.backends.local.store import Store
from tests.core.local.embedded import Embedded


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "store.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    store = Store(path)
    yield store
    store.close()


@pytest.fixture
def embedded(path: Path) -> Iterator[Embedded]:
    """The service on a new store, called without awaiting; ids and clock repeat."""
    with asyncio.Runner() as runner:
        embedded = Embedded(path, runner)
        yield embedded
        embedded.close()
