"""Every command that changes a service reads back what is stored, and says whether an undo can be carried out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from chartui.core.backends.base import Answer, Context
from chartui.core.backends.layers import Journaled
from chartui.core.backends.local.backend import LocalBackend
from chartui.core.backends.local.store import Store
from chartui.core.backends.recorder import Recorder
from chartui.core.jsontext import Wire
from chartui.core.profiles import BUILT_IN, Place, Profile, ProfileKind
from chartui.core.service import Service
from chartui.core.session import RatesInUse, Session, SharedFiles, store_path
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Effect, Operation
from tests.cli.conftest import Run

SERVICE = Profile(name="far", kind=ProfileKind.REMOTE, base_url="https://service.example")


class Careless:
    """A service over the demo store, which acknowledges changes without storing them while ``forgets`` is set.

    ``away`` refuses changes as if nothing could be reached; ``unreadable`` refuses everything after the first change.
    """

    def __init__(self) -> None:
        self.forgets = self.away = self.unreadable = False
        self.reads: list[str] = []
        self._changed = False
        self._store = LocalBackend(lambda: Store(store_path(BUILT_IN["demo"])))

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        if operation.effect is Effect.READ:
            self.reads.append(operation.name)
            if self.unreadable and self._changed:
                raise ServiceError(ErrorKind.UNREACHABLE, "Connection refused.", sent="no")
        elif self.away:
            raise ServiceError(ErrorKind.UNREACHABLE, "Connection refused.", sent="no")
        elif self.forgets:
            return Answer(body={"STATUS": "SUCCESS"})
        else:
            self._changed = True
        return await self._store.perform(operation, payload, context)

    async def aclose(self) -> None:
        await self._store.aclose()


@pytest.fixture
def careless(demo_ids: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Careless:
    """Lets the commands of a test find such a service."""
    made = Careless()

    def open_session(profile: Profile, **_: Any) -> Session:
        files = SharedFiles()
        recorder = Recorder(made)
        place = Place(SERVICE.name, SERVICE.base_url or "")
        service = Service(Journaled(recorder, lambda: files.journal, place, embedded=False), embedded=False)
        assert SERVICE.place == place
        return Session(
            profile=SERVICE,
            service=service,
            recorder=recorder,
            rates=RatesInUse(profile),
            where="service.example",
            files=files,
        )

    monkeypatch.setattr("chartui.core.session.open_session", open_session)
    return made


def _section(run: Run, character: str) -> str:
    section: str = run("narrative", "show", character, "--json").value["sections"][0]["section_id"]
    return section


def _trigger(run: Run, character: str) -> str:
    trigger: str = run("narrative", "triggers", "list", character, "--json").value[0]["trigger_id"]
    return trigger


#: What is changed, and the words of the command, from how commands are run and the character.
CHANGES: Mapping[str, Callable[[Run, str], tuple[str, ...]]] = {
    "a setting": lambda _, elena: ("characters", "set", elena, "--temperature", "0.15"),
    "a setting of many": lambda _, elena: ("characters", "set", "--all", "--temperature", "0.15"),
    "a model": lambda _, elena: ("characters", "set", elena, "--model", "mdla-4o"),
    "the flag": lambda _, elena: ("narrative", "disable", elena),
    "a section": lambda run, elena: (
        "narrative",
        "sections",
        "edit",
        elena,
        _section(run, elena),
        "--objective",
        "Go.",
    ),
    "decisions": lambda run, elena: ("narrative", "sections", "edit", elena, _section(run, elena), "--decisions", "[]"),
    "a section less": lambda run, elena: ("narrative", "sections", "delete", elena, _section(run, elena)),
    "a trigger": lambda run, elena: ("narrative", "triggers", "edit", elena, _trigger(run, elena), "--message", "Boo."),
    "a call": lambda _, elena: ("call", "update-character", "--data", f'{{"charID": "{elena}", "temperature": 0.15}}'),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_that_is_not_stored_is_status_1(what: str, run: Run, careless: Careless, elena: str) -> None:
    words = CHANGES[what](run, elena)
    careless.forgets = True
    result = run(*words, "--yes", "--json")
    assert (result.status, result.error["code"]) == (1, "read_back")
    assert "Stored differently from what was sent" in result.error["message"]

    careless.forgets = False
    again = run(*words, "--yes")
    assert (again.status, "Not as it was sent" in again.err) == (0, False)


def test_what_is_stored_otherwise_is_named_with_both_values(run: Run, careless: Careless, elena: str) -> None:
    before = run("characters", "show", elena, "--json").value["personalised_prompt_config"]["TEMPERATURE"]
    careless.forgets = True
    result = run("characters", "set", elena, "--temperature", "0.15", "--yes")
    assert result.status == 1
    assert result.err.endswith(
        f"chartui: Elena Marsh: Stored differently from what was sent: temperature is {before}.\n"
    )


def test_an_undo_that_is_not_stored_is_status_1(run: Run, careless: Careless, elena: str) -> None:
    assert run("characters", "set", elena, "--temperature", "0.15", "--yes").status == 0
    careless.forgets = True
    assert run("undo", "--yes", "--json").error["code"] == "read_back"


def test_a_resumed_plan_that_is_not_stored_is_status_1(run: Run, careless: Careless) -> None:
    """What an earlier run did is left out: it may have been changed by others since."""
    careless.away = True
    stopped = run("characters", "set", "--all", "--temperature", "0.15", "--yes", "--json")
    assert stopped.status == 3
    careless.away, careless.forgets = False, True
    assert run("plans", "resume", stopped.value["plan_id"], "--yes").status == 1


def test_a_service_that_cannot_be_read_afterwards_has_made_the_change(run: Run, careless: Careless, elena: str) -> None:
    """Nothing is known to be wrong, so that is said and is no failure."""
    careless.unreadable = True
    result = run("characters", "set", elena, "--temperature", "0.15", "--yes")
    assert result.status == 0
    assert "could not be read back: Connection refused." in result.err


def test_many_characters_are_read_back_with_one_list(run: Run, careless: Careless) -> None:
    assert run("characters", "set", "--all", "--temperature", "0.15", "--yes").status == 0
    assert (
        careless.reads.count("list-characters") == 2
    )  # to choose them and before the first change, and after the last


# -- whether it can be undone ------------------------------------------------------------------------------------------


def test_a_model_that_the_service_does_not_list_may_not_come_back(
    run: Run, careless: Careless, demo_ids: dict[str, str]
) -> None:
    words = ("characters", "set", demo_ids["Nova Adeyemi"], "--model", "mdla-4o")
    assert (
        "The service may refuse to undo this change, because it might not accept crew-trainer-8b "
        "again." in run(*words, "--dry-run").out
    )
    done = run(*words, "--yes").err
    assert "'chartui undo' undoes the change, if the service accepts the earlier value again" in done
    review = run("undo", "--dry-run").out
    assert "The earlier model is not in the catalogue, so the service may refuse it." in review


def test_an_embedded_store_takes_every_model_back(run: Run, demo_ids: dict[str, str]) -> None:
    words = ("characters", "set", demo_ids["Nova Adeyemi"], "--model", "mdla-4o", "--profile", "demo")
    assert "may refuse" not in run(*words, "--dry-run").out
    done = "Applied: Set model for 1 character; 'chartui --profile demo undo' undoes the change\n"
    assert run(*words, "--yes").err == done
    assert "may refuse" not in run("undo", "--dry-run", "--profile", "demo").out
    assert run("undo", "--yes", "--profile", "demo").status == 0


def test_an_undo_that_cannot_be_carried_out_is_not_promised(run: Run, careless: Careless, elena: str) -> None:
    """A service never returned the earlier backstory."""
    done = run("characters", "set", elena, "--backstory", "Keeps bees.", "--yes")
    assert "undoes it" not in done.err
    assert "cannot be undone: the service does not report the earlier backstory." in done.err
    assert "chartui undo" not in run("history").err
