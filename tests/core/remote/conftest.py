"""Settings of the tests of the remote backend."""

from __future__ import annotations

import pytest


@pytest.fixture
def anyio_backend() -> str:
    """The client runs on asyncio, as the program does."""
    return "asyncio"
