"""The program run in this process, on a store of its own or on a backend that says what a test wants."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from chartui.core.backends.base import Answer, Context
from chartui.core.backends.layers import Recorder
from chartui.core.jsontext import Wire, loads
from chartui.core.profiles import Profile
from chartui.core.service import Service
from chartui.core.session import Session
from chartui.core.spec.operations import Operation
from chartui.main import main

GOLDEN = Path(__file__).with_name("golden")


@dataclass(frozen=True)
class Result:
    """How a command ended, and what it wrote."""

    status: int
    out: str
    err: str

    @property
    def value(self) -> Any:
        """Standard output as JSON."""
        return loads(self.out)

    @property
    def error(self) -> Any:
        """The object on standard error after a failure with ``--json``."""
        return loads(self.err)["error"]


Run = Callable[..., Result]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the program on the words given."""
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
            return Session(profile=profile, service=service, recorder=Recorder(backend), where="a test")

        monkeypatch.setattr("chartui.core.session.open_session", open_session)
        return backend

    return install
