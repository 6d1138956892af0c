"""The rows N, H and P of the fault list as a table: what the service does, and what a user of the program gets.

Each row is driven through a command (``test_commands.py``) and through a screen (``test_screens.py``). Whether a call
is repeated, and what may have been done, is tested at the HTTP client: ``test_network.py``, ``test_status.py`` and
``test_payload.py``.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

from chartui.core.paths import write_private
from chartui.core.tables import as_toml
from tests.faults.server import (
    CERTS,
    Connection,
    Fault,
    FaultServer,
    closes,
    cut,
    drip,
    flood,
    raw,
    reply,
    resets,
    silence,
    unused_port,
)

__all__ = ["EVERY_ROW", "LISTED", "ROWS", "VARIABLE", "Played", "Row", "playing", "write_profile"]

#: Every row of the list that is about a service.
LISTED: Final = (
    *(f"N{number}" for number in range(1, 16)),
    *(f"H{number}" for number in range(1, 10)),
    *(f"P{number}" for number in range(1, 9)),
)
#: Where the profile of a test finds its API key.
VARIABLE: Final = "CHARTUI_TEST_KEY"

_HTML: Final = "<html><body><h1>Bad gateway</h1></body></html>"
_LIST: Final = ("characters", "list")
_STORY: Final = ("narrative", "show", "c1")


def _record(**members: Any) -> dict[str, Any]:
    return {"character_id": "c1", "character_name": "Mara Finch", **members}


def _section(**members: Any) -> dict[str, Any]:
    return {"section_id": "s1", "section_name": "The gate", "objective": "Greet", "decisions": None, **members}


def _decision(target: str, criteria: str = "They ask") -> dict[str, Any]:
    return {"criteria": criteria, "next_section_id": target}


def _listing(*records: dict[str, Any]) -> bytes:
    return json.dumps({"characters": records}).encode()


def by_path(answers: Mapping[str, Fault]) -> Fault:
    """Another answer for each operation, found by the end of its path."""

    async def play(connection: Connection) -> None:
        target = connection.server.seen[-1].target.rstrip("/").rpartition("/")[2]
        await answers.get(target, reply(404, '{"ERROR": "Nothing here"}'))(connection)

    return play


def _story(*sections: dict[str, Any], **answers: Fault) -> Fault:
    """A service with one character and these sections; ``answers`` are for other operations."""
    story = {
        "list": reply(200, _listing(_record(is_narrative_driven=True, narrative_graph_id="g"))),
        "list-sections": reply(200, json.dumps(sections)),
        "list-triggers": reply(200, "[]"),
    }
    return by_path({**story, **{name.replace("_", "-"): answer for name, answer in answers.items()}})


def _stale(fault: Fault) -> Fault:
    """A connection that is found closed when it is used for the second time."""

    async def play(connection: Connection) -> None:
        if len(connection.server.seen) == 2:
            connection.close()
        else:
            await fault(connection)

    return play


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of the list, or one variant of it.

    The service plays ``fault``; without one nothing listens, or, with ``hangs``, no connection is taken. ``words`` is
    the command, which ends with status ``exit``; ``keys`` are pressed on the screen of the same noun, and confirmed
    with ``y``. A failure is named by ``says`` on standard error and on the screen; ``shows`` is what can be read all
    the same. ``scheme`` and ``host`` change the address of the profile, ``settings`` its other keys.
    """

    name: str
    fault: Fault | None = None
    says: str = ""
    exit: int = 3
    words: tuple[str, ...] = _LIST
    keys: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()
    hangs: bool = False
    certificate: str | None = None
    scheme: str | None = None
    host: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def number(self) -> str:
        return self.name.partition(" ")[0]

    @property
    def screen(self) -> str:
        return self.words[0]


_AUTHORITY: Final = {"ca_file": str(CERTS / "authority.pem")}
_TRIGGER: Final = ("narrative", "triggers", "create", "c1", "Rain", "It rains", "--yes")
_SWITCH: Final = ("narrative", "disable", "c1", "--yes")
_LOOP: Final = _section(decisions=[_decision("s1"), _decision("s2"), _decision("nowhere")])

_NETWORK: Final = (
    Row(name="N1", says="cannot be reached"),
    Row(name="N2", says="Unknown host nowhere.invalid", host="nowhere.invalid", scheme="https"),
    Row(name="N3", says="did not accept a connection within 0.3 s", hangs=True),
    Row(name="N4", fault=silence, says="was silent for 0.3 s"),
    Row(name="N5", fault=drip, says="s, which is too slow for read_timeout in the profile"),
    Row(name="N6", fault=cut(), says="closed the connection"),
    Row(name="N7", fault=resets, says="closed the connection"),
    Row(name="N7 closed", fault=closes, says="closed the connection"),
    Row(name="N8", fault=_stale(_story(_section())), exit=0, words=_STORY, shows=("The gate",)),
    Row(
        name="N9",
        fault=reply(302, Location="http://elsewhere.example/list"),
        says="redirects to http://elsewhere.example",
    ),
    Row(
        name="N10",
        fault=reply(301, Location="http://localhost/list"),
        says="redirects to http://localhost",
        certificate="good.pem",
        settings=_AUTHORITY,
    ),
    Row(name="N11", fault=reply(200), says="is not trusted", certificate="expired.pem", settings=_AUTHORITY),
    Row(name="N12", fault=reply(200), says="answers without encryption", scheme="https"),
    Row(name="N13", fault=reply(200, _listing(_record())), exit=0, shows=("Mara Finch",)),
    Row(
        name="N14",
        fault=reply(200, gzip.compress(b" " * 20_000_000) * 10, Content_Encoding="gzip"),
        says="unpacks to more than 200 times its size",
    ),
    Row(
        name="N14 whole",
        fault=reply(200, gzip.compress(_listing(_record())), Content_Encoding="gzip"),
        exit=0,
        shows=("Mara Finch",),
    ),
    Row(
        name="N14 other",
        fault=reply(200, _listing(_record()), Content_Encoding="br"),
        says="a response encoded as “br”, which was not requested",
    ),
    Row(
        name="N15",
        fault=flood(1 << 28),
        says="sent more than 2 MiB. Raise answer_limit_mib in the profile (currently 2, enough for about 700 ch",
        settings={"answer_limit_mib": 2},
    ),
)
_STATUS: Final = (
    Row(name="H1", fault=reply(400, '{"ERROR": "The account is closed."}'), says="The account is closed."),
    Row(name="H1 text", fault=reply(400, "The account is closed."), says="The account is closed."),
    Row(name="H2", fault=reply(401, '{"API_ERROR": "Invalid key"}'), says="Invalid key", exit=4),
    Row(name="H2 text", fault=reply(401, "Invalid key"), says="Invalid key", exit=4),
    Row(name="H3", fault=reply(403, '{"ERROR": "Professional only"}'), says="Professional only", exit=4),
    Row(
        name="H4",
        fault=_story(_section(), toggle_is_narrative_driven=reply(404, '{"ERROR": "No such character"}')),
        says="No such character",
        words=_SWITCH,
        keys=("T",),
    ),
    Row(
        name="H5",
        fault=_story(_section(), create_trigger=reply(409, '{"ERROR": "Trigger Rain exists"}')),
        says="Trigger Rain exists",
        words=_TRIGGER,
        keys=("a", *"Trigger", "enter", *"Rain", "enter", *"It rains", "enter", "enter", "S"),
    ),
    Row(name="H6", fault=reply(429, '{"ERROR": "Too many calls"}', Retry_After="10000"), says="Too many calls"),
    Row(name="H6 soon", fault=reply(429, '{"ERROR": "Too many calls"}', Retry_After="soon"), says="Too many calls"),
    Row(name="H7", fault=reply(500, '{"ERROR": "It fell over"}'), says="It fell over"),
    Row(name="H7 page", fault=reply(502, _HTML, Content_Type="text/html"), says="Bad Gateway"),
    Row(name="H7 503", fault=reply(503), says="Service Unavailable"),
    Row(name="H8", fault=reply(200, '{"ERROR": "Not today"}'), says="Not today"),
    Row(name="H8 204", fault=reply(204), says="response"),
    Row(name="H8 304", fault=reply(304), says="304"),
    Row(name="H9", fault=reply(600), says="600"),
    Row(name="H9 junk", fault=raw(b"GARBAGE\r\n\r\n"), says="does not speak HTTP"),
)
_PAYLOAD: Final = (
    Row(name="P1", fault=reply(200, "not json"), says="response"),
    Row(name="P1 empty", fault=reply(200, ""), says="response"),
    Row(name="P1 null", fault=reply(200, "null"), says="response"),
    Row(name="P2", fault=reply(200, '{"characters": [{"character_id": NaN}]}'), says="response"),
    Row(name="P3", fault=reply(200, '{"Characters": []}'), says="characters"),
    Row(
        name="P3 odd",
        fault=_story(_section(decisions=[_decision("s1"), 5], triggers=["t1"], parents=["s0"], weather="fine"), {}),
        exit=0,
        words=_STORY,
        shows=("The gate",),
    ),
    Row(
        name="P4",
        fault=reply(200, _listing(_record(listing="secret", personalised_prompt_config={"MODEL": "mdlz-9"}))),
        exit=0,
        shows=("Mara Finch", "mdlz-9"),
    ),
    Row(name="P5", fault=reply(200, '{"characters": ' + "[" * 200_000 + "]" * 200_000 + "}"), says="nested too deeply"),
    Row(
        name="P6",
        fault=reply(200, b'{"characters": [{"character_id": "c1", "character_name": "\xff"}]}'),
        says="response",
    ),
    Row(
        name="P7",
        fault=_story(_LOOP, _section(section_id="s2", section_name="The court", decisions=[_decision("s1")])),
        exit=0,
        words=_STORY,
        shows=("The gate", "The court", "nowhere"),
    ),
    Row(
        name="P8",
        fault=reply(200, _listing(_record(timestamp="yesterday", last_interacted_with="2999-01-01T00:00:00"))),
        exit=0,
        shows=("Mara Finch",),
    ),
)
ROWS: Final = (*_NETWORK, *_STATUS, *_PAYLOAD)
#: Runs a test once for each of them.
EVERY_ROW: Final = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)


@dataclass(slots=True)
class Played:
    """A service that plays a row. ``proxy`` is what the environment names as one; nothing may reach it."""

    url: str
    server: FaultServer | None
    proxy: FaultServer


@contextmanager
def playing(row: Row) -> Iterator[Played]:
    """The service of a row, in a thread of its own."""
    servers = [FaultServer(closes)]
    if row.fault is not None:
        servers.append(FaultServer(row.fault, certificate=row.certificate))
    with _running(servers), _hanging() if row.hangs else nullcontext(unused_port()) as port:
        url = servers[1].base_url if row.fault is not None else f"http://localhost:{port}"
        if row.scheme is not None:
            url = f"{row.scheme}:{url.partition(':')[2]}"
        if row.host is not None:
            url = url.replace("localhost", row.host)
        yield Played(url, servers[1] if row.fault is not None else None, servers[0])


@contextmanager
def _running(servers: list[FaultServer]) -> Iterator[None]:
    """Let the servers answer, while this thread waits for what they say."""
    started, stopping = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        async with AsyncExitStack() as stack:
            for server in servers:
                await stack.enter_async_context(server)
            started.set()
            await stopping.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    started.wait()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(stopping.set)
        thread.join()
        loop.close()


@contextmanager
def _hanging() -> Iterator[int]:
    """A port whose queue of connections is full: what connects to it hangs."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener, ExitStack() as waiting:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        port: int = listener.getsockname()[1]
        for _ in range(4):
            client = waiting.enter_context(socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP))
            client.setblocking(False)
            client.connect_ex(("127.0.0.1", port))
        yield port


def write_profile(folder: Path, row: Row, url: str) -> None:
    """Write ``far``, the profile of a row, into the folder of the configuration."""
    limits = {"connect_timeout": 0.3, "read_timeout": 0.3, "deadline": 5.0}
    key = {"env": VARIABLE}
    entry = {"base_url": url, "read_only": False, "key": key, **limits, **row.settings}
    table = {"format": "chartui-profiles", "version": 1, "default": "far", "profiles": {"far": entry}}
    write_private(folder / "profiles.toml", as_toml(table).encode())
