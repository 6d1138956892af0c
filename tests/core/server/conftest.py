"""Servers to talk to."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from chartui.core.server.app import Limits, make_app
from tests.core.server.doubles import Scripted, account_of, echo
from tests.served import running_server


@pytest.fixture(scope="session")
def base_url() -> Iterator[str]:
    """A server that echoes what arrives, with short times and small bodies."""
    app = make_app(
        backend_for=lambda tier: Scripted(echo, tier),
        authenticate=account_of,
        key_header="X-Other-Key",
        limits=Limits(body=10_000, body_seconds=0.3, drain_seconds=0.3, wrong_keys=100_000),
    )
    with running_server(app, head_seconds=0.3) as url:
        yield url


@pytest.fixture(scope="session")
def client(base_url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=base_url, headers={"SERVICE-API-KEY": "pro-key"}, trust_env=False) as opened:
        yield opened
