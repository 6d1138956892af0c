"""A key is seen nowhere but in its header.

One key goes in by every way there is, through everything that can go wrong, and is then looked for wherever the program
writes or can be seen: its output, its files, its log, what other processes see of it, its pictures, and what objects
say of themselves.
"""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
import threading
import traceback
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from chartui.core.backends.remote import backend as remote_backend
from chartui.core.backends.remote.replies import Retrying
from chartui.core.credentials import Key, KeySource, SourceKind
from chartui.core.jsontext import Wire, dumps
from chartui.core.paths import config_dir, data_dir
from chartui.core.plans.executor import Executor
from chartui.core.plans.plan import Change, Plan, Step
from chartui.core.profiles import Profile
from chartui.core.profiles_file import change_profiles
from chartui.core.session import Session, open_session
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.operations import operation
from chartui.main import main
from chartui.tui.widgets.chooser import Chooser
from tests.faults.client import profile_for
from tests.faults.server import (
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
from tests.pty.terminal import CHARTUI, running
from tests.served import PROGRAM
from tests.tui.serving import Service, serving
from tests.tui.user import WIDE, opened, run_app

CANARY = "canary-5d1e0f7a93b2c4"
VARIABLE = "CANARY_VARIABLE"


def seen_in(key: str, *texts: str | bytes) -> bool:
    forms = {key.encode(), b64encode(key.encode()).rstrip(b"="), key.encode().hex().encode(), key[::-1].encode()}
    return any(form in (text if isinstance(text, bytes) else text.encode()) for text in texts for form in forms)


def files() -> dict[str, bytes]:
    folders = (config_dir(), data_dir())
    return {str(path): path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file()}


def kept_with(key: str) -> list[str]:
    return [name for name, content in files().items() if seen_in(key, name, content)]


def test_what_looks_for_the_key_finds_it() -> None:
    for text in (f"a {CANARY} b", b64encode(CANARY.encode()), CANARY.encode().hex(), CANARY[::-1]):
        assert seen_in(CANARY, "nothing", text)
    assert not seen_in(CANARY, "canary", "")
    data_dir().mkdir(parents=True)
    (data_dir() / "deep").mkdir()
    (data_dir() / "deep" / "log").write_text(f"Key {CANARY}\n")
    assert len(kept_with(CANARY)) == 1


# -- every way a key comes in, and what other processes see -----------------------------------------------------------


class Watch:
    """Looks at a process when it is asked to, which is while its request is being answered."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[Any] | None = None
        self._started = threading.Event()
        self.command_lines: list[bytes] = []
        self.environments: list[bytes] = []

    def started(self, process: subprocess.Popen[Any]) -> None:
        self.process = process
        self._started.set()

    def look(self) -> None:
        self._started.wait(30)
        assert self.process is not None
        for pid in family(self.process.pid):
            self.command_lines.append(Path(f"/proc/{pid}/cmdline").read_bytes())
            self.environments.append(Path(f"/proc/{pid}/environ").read_bytes())


def family(pid: int) -> Iterator[int]:
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in children.read_text().split():
            yield from family(int(child))


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with serving(tmp_path) as running_service:
        yield running_service


@pytest.fixture
def watch(service: Service, monkeypatch: pytest.MonkeyPatch) -> Watch:
    """Looks at the program each time it shows its key."""
    watch = Watch()
    real = service._authenticate

    async def looking(key: str) -> Any:
        watch.look()
        return await real(key)

    # The server took the method as it is when it was started.
    service.stop()
    monkeypatch.setattr(service, "_authenticate", looking)
    service.start()
    return watch


def kept(path: Path, text: str) -> Path:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    path.write_text(text)
    path.chmod(0o600)
    return path


def source_of(kind: SourceKind, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KeySource | None:
    """A source that has ``key``."""
    secret = kept(tmp_path / "secret" / "key", f"{key}\n")
    match kind:
        case SourceKind.ENV:
            monkeypatch.setenv(VARIABLE, key)
            return KeySource(kind, (VARIABLE,))
        case SourceKind.FILE:
            return KeySource(kind, (str(secret),))
        case SourceKind.COMMAND:
            looking = f"print(open({str(secret)!r}).read())\n"
            looking += "import os, pathlib\n"
            looking += "seen = b''.join(pathlib.Path(f'/proc/{pid}/{what}').read_bytes() for pid in "
            looking += "(os.getpid(), os.getppid()) for what in ('cmdline', 'environ'))\n"
            looking += f"pathlib.Path({str(tmp_path / 'seen')!r}).write_bytes(seen)\n"
            return KeySource(kind, (sys.executable, str(kept(tmp_path / "secret" / "command.py", looking))))
        case SourceKind.KEYRING:
            text = "class errors:\n    class KeyringError(Exception): pass\n"
            text += f"def get_password(service, name):\n    return open({str(secret)!r}).read()\n"
            kept(tmp_path / "modules" / "keyring.py", text)
            monkeypatch.setenv("PYTHONPATH", str(tmp_path / "modules"))
            return KeySource(kind)
        case SourceKind.ASK:
            return KeySource(kind)


def save(profile: Profile) -> None:
    change_profiles(lambda known: known.adding(profile))


COMMANDS = (
    "characters list",
    "characters set --where name~marsh --temperature 0.44 --yes",
    "characters set --all --backstory Once --dry-run --json",
    "call toggle-narrative --yes --data {}",
    "profiles show far --json",
    "profiles test far",
    "doctor",
    "plans list --json",
)


@pytest.mark.parametrize("kind", [kind for kind in SourceKind if kind is not SourceKind.ASK])
def test_a_key_from_a_source_is_used_and_not_seen(
    kind: SourceKind, service: Service, watch: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(replace(service.profile(), key=source_of(kind, service.key, tmp_path, monkeypatch)))
    for words in ("characters list", "characters set --where name~marsh --temperature 0.44 --yes"):
        watch._started.clear()
        process = subprocess.Popen(
            [*PROGRAM, *words.split(), "--profile", "far"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        watch.started(process)
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        assert not seen_in(service.key, out, err), words
    assert kept_with(service.key) == []
    assert len(watch.command_lines) > 2
    assert not seen_in(service.key, *watch.command_lines)
    # A variable is seen by what the program starts as well; that is what a variable is.
    assert seen_in(service.key, *watch.environments) is (kind is SourceKind.ENV)
    if kind is SourceKind.COMMAND:
        assert not seen_in(service.key, (tmp_path / "seen").read_bytes())


def test_a_key_that_is_typed_is_not_seen(service: Service, watch: Watch) -> None:
    save(replace(service.profile(), key=KeySource(SourceKind.ASK)))
    words = ["characters", "set", "--where", "name~marsh", "--temperature", "0.44", "--yes", "--profile", "far"]
    with running([CHARTUI, *words]) as terminal:
        watch.started(terminal.process)
        terminal.wait_for("API key for profile 'far'")
        terminal.type(f"{service.key}\n")
        assert terminal.end() == 0
    assert not seen_in(service.key, terminal.raw)
    assert kept_with(service.key) == []
    assert watch.command_lines
    assert not seen_in(service.key, *watch.command_lines, *watch.environments)


def test_a_key_without_a_source_of_its_own_is_not_seen(
    service: Service, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    save(replace(service.profile(), key=None))
    monkeypatch.setenv("CHARTUI_API_KEY", service.key)
    for words in COMMANDS:
        assert main([*words.split(), "--profile", "far"]) in ((3,) if words.startswith("call") else (0,)), words
    assert not seen_in(service.key, *capsys.readouterr())
    assert kept_with(service.key) == []


# -- everything that can go wrong -------------------------------------------------------------------------------------

ECHO = f'{{"API_ERROR": "The key {CANARY} is not valid.", "ERROR": "{CANARY}"}}'
#: A record that holds the key where a name should be: what is written down of it must not.
RECORD = {"character_id": "c1", "character_name": f"I know {CANARY}", "personalised_prompt_config": {"MODEL": CANARY}}
FAULTS: Mapping[str, Sequence[Fault]] = {
    **{f"status-{status}": [reply(status, ECHO)] for status in (400, 401, 403, 404, 409, 413, 422, 429, 500, 502, 503)},
    "plain-text": [reply(401, f"No: {CANARY}")],
    "page": [reply(403, f"<html><title>{CANARY}</title></html>", content_type="text/html")],
    "elsewhere": [reply(302, "", location=f"https://elsewhere.example/?key={CANARY}")],
    "header": [reply(401, ECHO, www_authenticate=f"Key {CANARY}", set_cookie=f"key={CANARY}", x_seen=CANARY)],
    "not-json": [reply(200, f"I had {CANARY}")],
    "wrong-shape": [reply(200, f'{{"{CANARY}": ["{CANARY}"]}}')],
    "echo": [reply(200, dumps({"characters": [RECORD], "STATUS": f"Done with {CANARY}", "response": CANARY}))],
    "not-http": [raw(CANARY.encode() + b"\r\n\r\n")],
    "bad-header": [raw(b"HTTP/1.1 200 OK\r\n" + CANARY.encode() + b"\r\n\r\n")],
    "cut": [cut()],
    "closes": [closes],
    "resets": [resets],
    "silence": [silence],
    "drip": [drip],
    "flood": [flood(80 * 1024 * 1024)],
}


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    async def no_sleep(_: float) -> None:
        pass

    monkeypatch.setattr(remote_backend, "Retrying", lambda _, random, ticks: Retrying(no_sleep, random, ticks))


def profile_at(base_url: str, **settings: Any) -> Profile:
    return profile_for(
        base_url,
        read_only=False,
        read_timeout=0.1,
        deadline=0.4,
        key=KeySource(SourceKind.ENV, (VARIABLE,)),
        **settings,
    )


async def used(session: Session) -> list[str]:
    """Read, change, act and carry out a plan; what the program says of all that."""
    said: list[str] = []
    calls: Mapping[str, dict[str, Wire]] = {
        "list-characters": {},
        "update-character": {"charID": "c1", "temperature": 1},
        "get-response": {"userText": "Go", "charID": "c1", "actions": ["Go"], "classification": "multistep"},
    }
    for name, payload in calls.items():
        try:
            await session.service.call(operation(name), payload)
        except ServiceError as error:
            said += [repr(error), str(error), *traceback.format_exception(error)]
            said += [repr(vars(error)), repr(error.__cause__), repr(error.__context__)]
    changes = (Change(label="temperature", before=None, after=1, known=False),)
    step = Step(operation="update-character", payload={"charID": "c1", "temperature": 1}, changes=changes)
    plan = Plan(id="p1", title="A plan", steps=(step,))
    async for progress in Executor(session.service, session.journal, session.profile.place).run(plan):
        said += [repr(progress.errors), repr(progress.states)]
    said += [repr(entry) for entry in await session.journal.entries()]
    said += [repr(call) for call in session.recorder.calls]
    said += [repr(session), repr(session.service), repr(session.profile), repr(session.keyed)]
    return said


async def at(base_url: str) -> list[str]:
    session = open_session(profile_at(base_url))
    try:
        await session.drafts.save(session.profile.place, "c1", "settings", {"temperature": "1"})
        return await used(session)
    finally:
        await session.aclose()


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("fault", [*FAULTS, "nobody", "not-encrypted"])
def test_whatever_a_service_does_the_key_is_not_told(
    fault: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(VARIABLE, CANARY)
    caplog.set_level(logging.DEBUG)
    arrived: list[str] = []

    async def run() -> list[str]:
        if fault == "nobody":
            return await at(f"http://127.0.0.1:{unused_port()}")
        script = FAULTS.get(fault, [reply(200)])
        async with FaultServer(*script) as server:
            url = server.base_url
            said = await at(url.replace("http:", "https:") if fault == "not-encrypted" else url)
            arrived.extend(header for seen in server.seen for header in seen.headers.values())
            return said

    said = run_app(run())
    assert said
    assert seen_in(CANARY, *arrived) is (fault not in ("nobody", "not-encrypted"))
    assert not seen_in(CANARY, *said)
    # The library would log the headers of an answer, were its log ever turned on; nothing here does that.
    logged = [record.getMessage() for record in caplog.records]
    assert not seen_in(CANARY, *(text for text in logged if not text.startswith("receive_response_headers")))
    assert kept_with(CANARY) == []
    assert {Path(name).name for name in files()} >= {"journal.db", "drafts.db"}


@contextmanager
def answering(*script: Fault) -> Iterator[FaultServer]:
    """A server beside this thread. It can only tell a key to whoever has sent it one."""
    server, ready, loop = FaultServer(*map(_to_who_has_told, script)), threading.Event(), asyncio.new_event_loop()
    done = asyncio.Event()

    async def serve() -> None:
        async with server:
            ready.set()
            await done.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        assert ready.wait(30)
        yield server
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join(30)
        loop.close()


def _to_who_has_told(fault: Fault) -> Fault:
    async def play(connection: Connection) -> None:
        told = CANARY in connection.server.seen[-1].headers.values()
        await (fault if told else reply(401, "{}"))(connection)

    return play


@pytest.mark.usefixtures("impatient")
def test_a_key_that_comes_back_later_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """An estimate is asked for without the key; the service remembers it nevertheless."""
    monkeypatch.setenv(VARIABLE, CANARY)

    async def run() -> str:
        async with FaultServer(
            reply(200, '{"characters": []}'), reply(400, f'{{"error": "Mind {CANARY}."}}')
        ) as server:
            session = open_session(profile_at(server.base_url))
            await session.service.records()
            with pytest.raises(ServiceError) as refused:
                await session.service.estimate()
            await session.aclose()
            assert CANARY not in server.seen[-1].headers.values()
            return str(refused.value)

    assert "Mind [key]" in run_app(run())


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("fault", ["status-401", "status-500", "header", "not-json", "elsewhere", "cut"])
@pytest.mark.parametrize("extra", [[], ["--json"]], ids=["text", "json"])
def test_a_command_that_fails_does_not_tell_the_key(
    fault: str, extra: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(VARIABLE, CANARY)

    with answering(*FAULTS[fault]) as server:
        save(replace(profile_at(server.base_url), name="far"))
        for words in COMMANDS:
            assert main([*words.split(), "--profile", "far", *extra]) != 70
        assert server.seen
    out, err = capsys.readouterr()
    assert err
    assert not seen_in(CANARY, out, err)
    assert kept_with(CANARY) == []


# -- when the program itself is at fault ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [SourceKind.ENV, SourceKind.FILE, SourceKind.COMMAND, SourceKind.KEYRING])
def test_a_crash_does_not_tell_the_key(
    kind: SourceKind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A library stumbles over the header and quotes it."""
    if kind is SourceKind.KEYRING:
        keyring: Any = ModuleType("keyring")
        keyring.errors = ModuleType("keyring.errors")
        keyring.errors.KeyringError = OSError
        keyring.get_password = lambda *_: CANARY
        monkeypatch.setitem(sys.modules, "keyring", keyring)
    save(replace(profile_at("http://127.0.0.1:9"), name="far", key=source_of(kind, CANARY, tmp_path, monkeypatch)))
    from chartui.core.backends.remote import http

    def stumble(auth: Any, *_: object) -> None:
        header = auth._key.reveal()
        raise RuntimeError(f"{header} cannot be a header")

    monkeypatch.setattr(http._KeyHeader, "auth_flow", stumble)
    assert main(["characters", "list", "--profile", "far"]) == 70
    assert not seen_in(CANARY, *capsys.readouterr())
    (report,) = (data_dir() / "logs").iterdir()
    assert "cannot be a header" in report.read_text()
    assert kept_with(CANARY) == []


# -- the terminal UI --------------------------------------------------------------------------------------------------


def test_the_terminal_ui_does_not_show_the_key(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every screen, a change, a key that is entered, and what is copied into files, on a service that knows the key."""
    monkeypatch.setenv("CANARY_KEY", service.key)
    monkeypatch.setenv("TERM", "dumb")  # no clipboard: what is copied goes into files
    pictures: list[str] = []

    async def run() -> None:
        session = open_session(service.profile(variable="CANARY_KEY"))
        async with opened(session, screen="characters", size=WIDE) as user:

            async def look() -> None:
                await user.rests()
                pictures.append(user.app.export_screenshot())

            for screen in "CENAQ":
                await user.press(screen)
                await user.ready()
                await look()
                await user.press("y")
                await look()
                if isinstance(user.app.screen, Chooser):
                    await user.press("enter")
                    await look()
            await user.press("K")
            await user.sees("API key for far")
            await user.paste(service.key)
            await look()
            await user.press("enter")
            await user.is_told("The API key works")
            await look()
            pictures.extend(repr(call) for call in session.recorder.calls)
            pictures.append(repr(user.app))
        await session.aclose()

    run_app(run())
    assert len(pictures) > 15
    assert not seen_in(service.key, *pictures)
    assert kept_with(service.key) == []
    assert any("clipboard" in name for name in files())


def test_the_key_of_a_request_that_is_shown_is_a_variable(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """What can be copied of a request is a command that works, without the key in it."""
    from chartui.core.reproduce import as_command, as_curl

    profile = service.profile()
    curl = as_curl(operation("list-characters"), {}, profile)
    command = as_command(operation("list-characters"), {}, profile)
    assert curl is not None
    assert "$CHARTUI_API_KEY" in curl
    assert not seen_in(service.key, curl, command)


# -- what the key says of itself --------------------------------------------------------------------------------------


@pytest.mark.parametrize("shown", [repr, str, "{}".format, lambda key: f"{key!r:>20}", lambda key: f"{key}"])
def test_a_key_says_nothing_of_itself(shown: Callable[[Key], str]) -> None:
    key = Key(CANARY)
    assert not seen_in(CANARY, shown(key), repr([key]), repr({"key": key}))
    assert os.fsencode(repr(key))
