"""The program run in this process, on a store of its own or on a backend that says what a test wants."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from chartui.core.backends.base import Answer, Context
from chartui.core.backends.local.store import Store
from chartui.core.backends.recorder import Recorder
from chartui.core.clock import seeded_ids
from chartui.core.jsontext import Wire, loads
from chartui.core.paths import private_folder
from chartui.core.profiles import BUILT_IN, Profile
from chartui.core.service import Service
from chartui.core.session import RatesInUse, Session, open_session, store_path
from chartui.core.spec.operation import Operation
from chartui.demos import fill
from chartui.main import main

GOLDEN = Path(__file__).with_name("golden")
#: IDs of characters of a service: a whole ID is taken without reading a list.
C1, C2 = (f"00000000-0000-4000-8000-0000000000c{number}" for number in (1, 2))
NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Result:
    """How a command ended, and what it wrote."""

    status: int
    out: str
    err: str

    @property
    def value(self) -> Any:
        return loads(self.out)

    @property
    def error(self) -> Any:
        """The object on standard error after a failure with ``--json``."""
        return loads(self.err)["error"]


Run = Callable[..., Result]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("COLUMNS", "80")

    def run(*words: str) -> Result:
        status = main(words)
        return Result(status, *capsys.readouterr())

    return run


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compares text with a file of :data:`GOLDEN`; ``UPDATE_GOLDEN=1`` in the environment writes the file instead."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if os.environ.get("UPDATE_GOLDEN"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return compare


class Scripted:
    """A backend that answers each operation with the body given for it, or raises it."""

    def __init__(self, answers: Mapping[str, Wire | BaseException]) -> None:
        self.answers = answers
        self.calls: list[tuple[str, Mapping[str, Wire]]] = []

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        self.calls.append((operation.name, payload))
        answer = self.answers[operation.name]
        if isinstance(answer, BaseException):
            raise answer
        return Answer(body=answer)

    async def aclose(self) -> None:
        pass


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Scripted]:
    """Lets the next commands find a backend with the answers given, by operation (dashes written as underscores)."""

    def install(*, embedded: bool = True, **answers: Wire | BaseException) -> Scripted:
        backend = Scripted({name.replace("_", "-"): answer for name, answer in answers.items()})

        def open_session(profile: Profile, **_: Any) -> Session:
            service = Service(backend, embedded=embedded)
            return Session(
                profile=profile,
                service=service,
                recorder=Recorder(backend),
                rates=RatesInUse(profile),
                where="a test",
            )

        monkeypatch.setattr("chartui.core.session.open_session", open_session)
        return backend

    return install


@pytest.fixture(scope="session")
def demo_data(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The demo store, made once, and the ids of its characters by their names."""
    path = tmp_path_factory.mktemp("demo") / "store.sqlite3"
    with closing(Store(path)) as store:
        fill(store, ids=seeded_ids(7), clock=lambda: NOON)
        with store.reading() as tables:
            found = tables.characters.summaries("local")
    return path, {summary["character_name"]: summary["character_id"] for summary in found}


@pytest.fixture
def demo_ids(demo_data: tuple[Path, dict[str, str]], own_folders: Path) -> dict[str, str]:
    """A copy of the demo store, the same in every run; gives the ids of its characters by their names."""
    made, ids = demo_data
    path = store_path(BUILT_IN["demo"])
    private_folder(path.parent)
    shutil.copy(made, path)
    return dict(ids)


@pytest.fixture
def repeatable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the next commands take time and ids from the test, so that all they write is the same in every run."""
    ids, clock = seeded_ids(11), lambda: NOON
    monkeypatch.setattr("chartui.core.session.open_session", partial(open_session, ids=ids, clock=clock))
    for module in ("run_plan", "character_changes", "history"):
        monkeypatch.setattr(f"chartui.cli.{module}.random_ids", ids)


@pytest.fixture
def elena(demo_ids: dict[str, str]) -> str:
    return demo_ids["Elena Marsh"]


@pytest.fixture
def avery(demo_ids: dict[str, str]) -> str:
    return demo_ids["Avery Cole"]


@pytest.fixture
def bran(demo_ids: dict[str, str]) -> str:
    return demo_ids["Bran Alder"]
