"""Settings of the tests with faults, and the service of a row."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chartui.core.backends.remote.backend import RemoteBackend
from tests.faults.client import KEY
from tests.faults.rows import VARIABLE, Played, Row, playing, write_profile


@pytest.fixture
def service(row: Row, own_folders: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Played]:
    """The service of a row, and a profile for it; the waits between two tries are left out."""

    async def no_sleep(_: float) -> None:
        await asyncio.sleep(0)

    look_up, defaults = socket.getaddrinfo, RemoteBackend.__init__.__kwdefaults__ or {}

    def no_host(host: Any, *arguments: Any, **options: Any) -> Any:
        if host == row.host:
            raise socket.gaierror(socket.EAI_NONAME, "name or service not known")
        return look_up(host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", no_host)
    monkeypatch.setattr(RemoteBackend.__init__, "__kwdefaults__", {**defaults, "sleep": no_sleep})
    monkeypatch.setenv(VARIABLE, KEY)
    with playing(row) as played:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, played.proxy.base_url)
            monkeypatch.setenv(name.lower(), played.proxy.base_url)
        monkeypatch.delenv("NO_PROXY")
        monkeypatch.delenv("no_proxy")
        write_profile(Path(os.environ["CHARTUI_CONFIG_DIR"]), row, played.url)
        yield played
    assert played.proxy.connections == 0
