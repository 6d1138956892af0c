"""One store with the seed in it, and the three paths to it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path as FilePath
from typing import Any, Final

import httpx
import pytest

from chartui.core.backends.base import Answer, Backend, Context
from chartui.core.backends.layers import ReadOnly
from chartui.core.backends.local.backend import LocalBackend
from chartui.core.backends.local.store import Account as StoreAccount
from chartui.core.backends.local.store import Store
from chartui.core.backends.remote.backend import RemoteBackend
from chartui.core.clock import seeded_ids
from chartui.core.credentials import Key
from chartui.core.jsontext import Wire, dumps, loads
from chartui.core.profiles import Profile, ProfileKind
from chartui.core.server.app import make_app
from chartui.core.server.http import ASGIApp, Receive, Scope, Send
from chartui.core.service import Service
from chartui.core.spec.errors import ErrorKind, ErrorShape, ServiceError
from chartui.core.spec.operation import Operation, Tier
from chartui.core.spec.operations import KEY_HEADER, operation
from tests.contract import seed

__all__ = ["EVERY_PATH", "LOCAL", "WIRE", "Account", "Path", "Switch", "Template", "World", "make_template"]


class Path(StrEnum):
    """How a call comes to the store."""

    LOCAL = "local"  # in process
    ASGI = "asgi"  # the remote backend and the server, without a network between them
    SOCKET = "socket"  # the same with a real connection


EVERY_PATH: Final = tuple(Path)
WIRE: Final = (Path.ASGI, Path.SOCKET)
LOCAL: Final = (Path.LOCAL,)


class Account(StrEnum):
    """Who calls; one account of each tier."""

    FREE = "free"
    PROFESSIONAL = "professional"
    ENTERPRISE = "enterprise"


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """The prepared store file, which is copied for each case, and its accounts."""

    path: FilePath
    accounts: Mapping[Account, StoreAccount]
    keys: Mapping[Account, str]


def make_template(folder: FilePath) -> Template:
    """Fill a store with the seed."""
    path = folder / "seed.db"
    store = Store(path)
    made = {account: store.add_account(Tier(account.value), user_id=f"{account}-user") for account in Account}
    store.close()
    template = Template(
        path=path,
        accounts={account: owner for account, (owner, _) in made.items()},
        keys={account: key for account, (_, key) in made.items()},
    )
    asyncio.run(_fill(template))
    return template


async def _fill(template: Template) -> None:
    following = [""]
    backend = LocalBackend(lambda: Store(template.path), clock=lambda: seed.NOW, ids=lambda: following[0])
    services = {
        account: Service(backend.for_account(owner), embedded=True) for account, owner in template.accounts.items()
    }

    async def make(account: Account, name: str, new_id: str, **payload: Wire) -> None:
        following[0] = new_id
        await services[account].call(operation(name), payload)

    async def section(account: Account, character: str, new_id: str, name: str, objective: str) -> None:
        given = {"character_id": character, "section_name": name, "objective": objective}
        await make(account, "create-section", new_id, **given)

    async def trigger(account: Account, character: str, new_id: str, name: str, message: str, **more: Wire) -> None:
        given = {"character_id": character, "trigger_name": name, "trigger_message": message, **more}
        await make(account, "create-trigger", new_id, **given)

    own = Account.PROFESSIONAL
    mara = {"character_name": "Mara", "backstory": seed.BACKSTORY, "record": seed.KEEPER_RECORD}
    await make(own, "create-character", seed.KEEPER, **mara)
    for new_id, name, model in ((seed.GUIDE, "Ori", "mdla-4o"), (seed.SCRIBE, "Tove", "mdla-oss-120b")):
        record = {"personalised_prompt_config": {"MODEL": model, "TEMPERATURE": 0}}
        await make(own, "create-character", new_id, character_name=name, record=record)
    await section(own, seed.KEEPER, seed.GATE, "The gate", seed.SPOKEN)
    await section(own, seed.KEEPER, seed.HALL, "The hall", "Show the lamp.")
    await section(own, seed.KEEPER, seed.END, "The end", "Say farewell.")
    await section(own, seed.KEEPER, seed.GONE, "Gone", "Forgotten.")
    for at, decisions in ((seed.GATE, seed.GATE_DECISIONS), (seed.HALL, seed.HALL_DECISIONS)):
        changes = {"character_id": seed.KEEPER, "section_id": at, "updated_data": {"decisions": decisions}}
        await make(own, "edit-section", "", **changes)
    await make(own, "delete-section", "", character_id=seed.KEEPER, section_id=seed.GONE)
    await trigger(own, seed.KEEPER, seed.ALARM, "alarm", "The bell rings.", destination_section=seed.END)
    await trigger(own, seed.KEEPER, seed.BELL, "bell", "")
    override = {"section_id": seed.HALL, "trigger_id": seed.ALARM, "destination_section": seed.GATE}
    await make(own, "set-override", "", character_id=seed.KEEPER, **override)
    await section(own, seed.SCRIBE, seed.SCRIBE_SECTION, "The desk", "Write.")
    await trigger(own, seed.SCRIBE, seed.SCRIBE_TRIGGER, "ink", "The ink is spilt.")

    await make(Account.FREE, "create-character", seed.PUPIL, character_name="Pim")
    await section(Account.FREE, seed.PUPIL, seed.PUPIL_SECTION, "Class", "Learn.")
    await make(Account.ENTERPRISE, "create-character", seed.FOREIGN, character_name="Zoe")
    await section(Account.ENTERPRISE, seed.FOREIGN, seed.FOREIGN_SECTION, "Far", "Away.")
    await trigger(Account.ENTERPRISE, seed.FOREIGN, seed.FOREIGN_TRIGGER, "call", "A call.")
    await backend.aclose()


class Switch:
    """The application of the one server that all cases share: it passes on to the case's own."""

    def __init__(self) -> None:
        self.app: ASGIApp | None = None
        self.base_url = ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self.app is not None
        await self.app(scope, receive, send)


class _Tap(httpx.AsyncBaseTransport):
    """A transport that keeps the last exchange, as it was on the wire."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner
        self.request: httpx.Request | None = None
        self.response: httpx.Response | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self._inner.handle_async_request(request)
        body = b"".join([chunk async for chunk in response.aiter_raw()])
        await response.aclose()
        self.request = request
        self.response = httpx.Response(response.status_code, headers=response.headers, content=body)
        return httpx.Response(response.status_code, headers=response.headers, stream=httpx.ByteStream(body))

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Breakable:
    """The account's backend, or what is put in its place."""

    def __init__(self, world: World, backend: LocalBackend) -> None:
        self._world = world
        self._backend = backend

    def authorize(self, row: Operation) -> None:
        self._backend.authorize(row)

    async def perform(self, row: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        if self._world.failure is not None:
            raise self._world.failure
        return await self._backend.perform(row, payload, context)

    async def aclose(self) -> None:
        """The world closes the store."""


@dataclass(slots=True)
class World:
    """A case's own store, and one path to it. ``transcript`` is what was answered, the same on every path.

    ``failure`` is raised in place of performing anything, when the call comes over HTTP.
    """

    path: Path
    template: Template
    backend: LocalBackend
    base_url: str
    app: ASGIApp | None = None
    transcript: list[tuple[str, str]] = field(default_factory=list)
    failure: Exception | None = None
    _taps: dict[Account, _Tap] = field(default_factory=dict)
    _services: dict[Account, Service] = field(default_factory=dict)

    @classmethod
    @asynccontextmanager
    async def opened(cls, path: Path, template: Template, folder: FilePath, server: Switch) -> AsyncIterator[World]:
        """A world on a fresh copy of the seed in ``folder``; the same ids are given out in each."""
        copy = folder / f"{path}.db"
        shutil.copyfile(template.path, copy)
        backend = LocalBackend(lambda: Store(copy), clock=lambda: seed.NOW, ids=seeded_ids(1))
        world = cls(path, template, backend, server.base_url if path is Path.SOCKET else "http://127.0.0.1")
        owners = {template.keys[account]: owner for account, owner in template.accounts.items()}

        async def authenticate(key: str) -> StoreAccount | None:
            return owners.get(key)

        def backend_for(owner: StoreAccount | None) -> _Breakable:
            return _Breakable(world, backend.for_account(owner))

        world.app = make_app(backend_for=backend_for, authenticate=authenticate)
        server.app = world.app
        try:
            yield world
        finally:
            for service in world._services.values():
                await service.aclose()
            await backend.aclose()
            copy.unlink()

    def service(self, account: Account = Account.PROFESSIONAL) -> Service:
        """The service as ``account`` sees it on this path."""
        if account not in self._services:
            self._services[account] = Service(self.connect(account), embedded=self.path is Path.LOCAL)
        return self._services[account]

    def read_only(self) -> Service:
        return Service(ReadOnly(self.connect()), embedded=self.path is Path.LOCAL)

    def inside(self, account: Account = Account.PROFESSIONAL) -> Service:
        return Service(self.backend.for_account(self.template.accounts[account]), embedded=True)

    @property
    def sent_nothing(self) -> bool:
        return all(tap.request is None for tap in self._taps.values())

    def connect(self, account: Account = Account.PROFESSIONAL) -> Backend:
        """A backend of this path without layers; whoever asks for it closes it."""
        if self.path is Path.LOCAL:
            return self.backend.for_account(self.template.accounts[account])
        profile = Profile(name="contract", kind=ProfileKind.REMOTE, base_url=self.base_url)
        tap = self._taps[account] = _Tap(self._transport())
        return RemoteBackend(profile, lambda: Key(self.template.keys[account]), transport=tap)

    def _transport(self) -> httpx.AsyncBaseTransport:
        if self.path is Path.SOCKET:
            # Nothing is encrypted here, and reading the authorities' certificates takes as long as a case.
            return httpx.AsyncHTTPTransport(verify=False)
        assert self.app is not None
        return httpx.ASGITransport(self.app)

    # -- what cases do ------------------------------------------------------------------------------------------------

    async def ok(self, name: str, payload: Mapping[str, Wire], *, account: Account = Account.PROFESSIONAL) -> Wire:
        """Perform, which must succeed; the body. Over HTTP the exchange itself is looked at as well."""
        row = operation(name)
        answer = await self.service(account).call(row, payload, refresh=True)
        body = answer.body
        self.transcript.append((name, dumps(body)))
        if self.path is not Path.LOCAL:
            response = self._last(account)
            assert response.status_code == 200
            assert response.headers["content-type"] == "application/json"
            assert ("deprecation" in response.headers) == (row.deprecated is not None)
            assert loads(response.content) == body
            assert response.content.decode() == dumps(body)
        return body

    async def refused(
        self,
        name: str,
        payload: Mapping[str, Wire],
        kind: ErrorKind,
        *words: str,
        account: Account = Account.PROFESSIONAL,
    ) -> str:
        """Perform, which must be refused as ``kind``, in a sentence that holds ``words``; the whole sentence."""
        row = operation(name)
        error = await self._failure(self.service(account), row, payload)
        if self.path is Path.LOCAL:
            assert error.kind is kind, error
            message = error.message
        else:
            message = self.check_refusal(self._last(account), row, kind)
            status = row.errors[kind][0]
            assert error.status == status, error
            assert error.kind is _seen_as(kind, status)
            assert message[:100].rstrip(".") in error.message
        assert all(word in message for word in words), message
        self.transcript.append((name, message))
        return message

    async def refused_unsent(self, name: str, payload: Mapping[str, Wire], kind: ErrorKind) -> str:
        """Perform, which must be refused before anything is sent."""
        error = await self._failure(self.service(), operation(name), payload)
        assert error.kind is kind
        if self.path is not Path.LOCAL:
            assert error.sent == "no"
            assert self.sent_nothing
        return error.message

    @staticmethod
    def check_refusal(response: httpx.Response, row: Operation, kind: ErrorKind) -> str:
        """The sentence of a refusal that has the row's own status and shape for ``kind``."""
        status, shape = row.errors[kind]
        assert response.status_code == status, response.text
        return sentence_of(response, shape)

    async def _failure(self, service: Service, row: Operation, payload: Mapping[str, Wire]) -> ServiceError:
        with pytest.raises(ServiceError) as refused:
            await service.call(row, payload, refresh=True)
        return refused.value

    def _last(self, account: Account) -> httpx.Response:
        response = self._taps[account].response
        assert response is not None
        return response

    async def conflicts(self, name: str, payload: Mapping[str, Wire], expected: Mapping[str, Wire]) -> None:
        """Perform in process with an expectation, which must be found not to hold."""
        with pytest.raises(ServiceError) as refused:
            await self.expecting(name, payload, expected)
        assert refused.value.kind is ErrorKind.CONFLICT
        assert all(member in refused.value.message for member in expected)

    async def expecting(self, name: str, payload: Mapping[str, Wire], expected: Mapping[str, Wire]) -> None:
        owner = self.template.accounts[Account.PROFESSIONAL]
        await self.backend.for_account(owner).perform(operation(name), payload, Context(expected=expected))

    async def record(self, character: str) -> dict[str, Wire]:
        body = await self.ok("list-characters", {})
        (found,) = (record for record in body["characters"] if record["character_id"] == character)
        record: dict[str, Wire] = found
        return record

    async def settings(self, character: str) -> dict[str, Wire]:
        answer = await self.inside().call(operation("get-settings"), {"charID": character})
        settings: dict[str, Wire] = answer.body
        return settings

    async def set_reasoning(self, character: str, state: str | None) -> None:
        request = {"charID": character, "reasoning_effort": state or ""}
        await self.inside().call(operation("update-character"), request)
        assert (await self.settings(character))["reasoning_effort"] == state

    async def http(
        self,
        method: str,
        target: str,
        *,
        account: Account | None = Account.PROFESSIONAL,
        headers: Mapping[str, str] | None = None,
        content: bytes | str = b"",
    ) -> httpx.Response:
        """One request as it stands; with the key of ``account`` unless that is None."""
        key = {} if account is None else {KEY_HEADER: self.template.keys[account]}
        async with httpx.AsyncClient(transport=self._transport(), base_url=self.base_url) as client:
            return await client.request(method, target, headers={**key, **(headers or {})}, content=content)


def _seen_as(kind: ErrorKind, status: int) -> ErrorKind:
    """What a client that sent a key makes of a refusal: it sees the status alone (decision 27)."""
    if status == 400:
        return ErrorKind.INVALID
    return ErrorKind.BAD_KEY if kind is ErrorKind.NO_KEY else kind


def sentence_of(response: httpx.Response, shape: ErrorShape) -> str:
    """What a refusal says; nothing else may be in it."""
    kind = response.headers["content-type"].partition(";")[0]
    if shape is ErrorShape.TEXT:
        assert kind == "text/plain"
        return response.text
    assert kind == "application/json"
    body: Any = loads(response.content)
    assert list(body) == [shape.value], body
    said: str = body[shape.value]
    assert said
    return said
