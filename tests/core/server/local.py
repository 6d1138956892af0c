"""The server over an embedded store, as it is meant to run, and its document to hold it to."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import jsonschema_rs

from chartui.core.backends.local.backend import LocalBackend
from chartui.core.backends.local.store import Account, Store
from chartui.core.jsontext import dumps
from chartui.core.server.app import Limits, make_app
from chartui.core.service import Service
from chartui.core.spec.operation import Encoding, Operation, Tier
from chartui.core.spec.operations import KEY_HEADER
from tests import writes
from tests.served import running_server


@dataclass(frozen=True)
class Served:
    """A running server, and the key and the service of each of its accounts."""

    url: str
    keys: Mapping[Tier, str]
    services: Mapping[Tier, Service]

    def client(self, tier: Tier) -> httpx.Client:
        return httpx.Client(base_url=self.url, headers={KEY_HEADER: self.keys[tier]}, trust_env=False)

    def character(self, tier: Tier = Tier.PROFESSIONAL, name: str = "Ada") -> str:
        return asyncio.run(writes.create_character(self.services[tier], name))


@contextmanager
def serving(path: Path) -> Iterator[Served]:
    """A server over a new store in ``path`` with an account of each tier."""
    with closing(Store(path)) as store:
        accounts = {tier: store.add_account(tier) for tier in Tier}
    backend = LocalBackend(lambda: Store(path))

    def account_of(key: str) -> Account | None:
        with closing(Store(path)) as store:
            return store.authenticate(key)

    async def authenticate(key: str) -> Account | None:
        return await asyncio.to_thread(account_of, key)

    keys = {tier: key for tier, (_, key) in accounts.items()}
    services = {tier: Service(backend.for_account(account), embedded=True) for tier, (account, _) in accounts.items()}
    try:
        with running_server(
            make_app(backend_for=backend.for_account, authenticate=authenticate, limits=Limits(wrong_keys=1_000_000))
        ) as url:
            yield Served(url, keys, services)
    finally:
        asyncio.run(backend.aclose())


def ask(client: httpx.Client, row: Operation, payload: Mapping[str, Any]) -> httpx.Response:
    """Send ``payload`` as the row says; what cannot be said in UTF-8 is sent all the same."""
    path = row.path or ""
    text = {name: value if isinstance(value, str) else dumps(value) for name, value in payload.items()}
    pairs = urlencode(text, errors="surrogatepass")
    if row.method == "GET":
        return client.get(f"{path}?{pairs}")
    if row.encoding is Encoding.FORM:
        return client.post(path, content=pairs, headers={"content-type": "application/x-www-form-urlencoded"})
    return client.request(row.method, path, content=dumps(payload) if payload else None)


@dataclass
class Document:
    """What the server promises to answer."""

    served: Mapping[str, Any]
    _validators: dict[str, jsonschema_rs.Draft202012Validator] = field(default_factory=dict)

    def hold(self, row: Operation, response: httpx.Response) -> None:
        """Raise unless ``response`` is one that the document lists, in status, type and schema."""
        listed = self.served["paths"][row.path][row.method.lower()]["responses"]
        assert str(response.status_code) in listed, f"{row.name} answers {response.status_code}"
        content = listed[str(response.status_code)].get("content", {})
        media_type = response.headers.get("content-type", "").partition(";")[0]
        if not content:
            assert response.content == b""
            return
        assert media_type in content
        if media_type == "application/json":
            self._validator(content[media_type]["schema"]).validate(response.json())

    def _validator(self, schema: Mapping[str, Any]) -> jsonschema_rs.Draft202012Validator:
        name = repr(schema)
        if name not in self._validators:
            whole = {**schema, "components": self.served["components"]}
            self._validators[name] = jsonschema_rs.Draft202012Validator(whole)
        return self._validators[name]
