"""A change on a service reads each list once before it is applied and once after, counted where it is answered."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from decimal import Decimal
from pathlib import Path

import httpx
import pytest
from textual.screen import ModalScreen

from chartui.core.backends.remote.backend import RemoteBackend
from chartui.core.narrative.nodes import Kind
from chartui.core.server.http import Receive, Scope, Send
from chartui.core.session import Session, open_session
from chartui.core.spec.operation import Tier
from chartui.tui.run_plan import READ_BACK, Report
from chartui.tui.tour.player import messages
from chartui.tui.widgets.review import Review
from tests import writes
from tests.tui.characters import agreed, asked_for, stage_temperature
from tests.tui.serving import VARIABLE, Service, Time, serving
from tests.tui.stories import START, go_to
from tests.tui.user import WIDE, User, opened

CHARACTERS = "/character/list"
SECTIONS = "/character/narrative/list-sections"
TRIGGERS = "/character/narrative/list-triggers"
UPDATE = "/character/update"


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    with serving(tmp_path) as running:
        monkeypatch.setenv(VARIABLE, running.key)
        yield running


def session_of(service: Service, path: str) -> Session:
    """A session over a socket, or over the same application without one."""
    if path == "socket":
        return open_session(service.profile())
    transport = httpx.ASGITransport(service.app())
    return open_session(service.profile(), reach=lambda profile, key: RemoteBackend(profile, key, transport=transport))


async def at_rest(user: User) -> None:
    """Nothing covers the screen, and nothing is being read any more."""
    await user.leaves(ModalScreen)
    await user.ready()
    await user.until(lambda: not any(w.group in (READ_BACK, "read") and not w.is_finished for w in user.app.workers))
    await user.ready()


@asynccontextmanager
async def counting(service: Service, user: User) -> AsyncIterator[Counter[str]]:
    """What was read in the block, by path."""
    await at_rest(user)
    before, read = Counter(service.asked), Counter[str]()
    yield read
    await at_rest(user)
    asked = service.asked - before
    read.update({path: asked[path] for path in asked if "list-" in path or path == CHARACTERS or "/get-" in path})


async def agree(user: User) -> None:
    await user.at(Review)
    await user.settle()
    await user.press("y")


@pytest.mark.parametrize("path", ["asgi", "socket"])
async def test_settings_of_one_and_their_undo(path: str, service: Service) -> None:
    async with opened(session_of(service, path), screen="characters", size=WIDE) as user:
        await stage_temperature(user)
        async with counting(service, user) as read:
            await user.press("S")
            await agree(user)
            await user.is_told("Applied: ")
        assert read == {CHARACTERS: 2}
        async with counting(service, user) as read:
            await user.press("u")
            await agree(user)
            await user.is_told("Undone: ")
        assert read == {CHARACTERS: 2}


@pytest.mark.parametrize("path", ["asgi", "socket"])
async def test_a_setting_of_many(path: str, service: Service) -> None:
    async with opened(session_of(service, path), screen="characters", size=WIDE) as user:
        await user.press("*")
        async with counting(service, user) as read:
            await asked_for(user, "temp")
            await user.write("0.17")
            await user.press("enter")
            await agreed(user, "12")
        assert read == {CHARACTERS: 2}
        assert service.asked[UPDATE] == 12


async def test_the_graph_switched_and_its_story_changed(service: Service) -> None:
    async with opened(session_of(service, "socket"), screen="narrative", size=WIDE) as user:
        async with counting(service, user) as read:
            await user.press("T")
            await agree(user)
            await user.uncovers("□ graph off")
        assert read == {CHARACTERS: 2, SECTIONS: 1, TRIGGERS: 1}
        for section, name in ((START, "Hall"), ("The case", "Yard")):
            await go_to(user, Kind.SECTION, section)
            await user.press("f2", *name, "enter")
            await user.sees(name)
        async with counting(service, user) as read:
            await user.press("S")
            await agree(user)
            await user.is_told("2 steps done.")
        assert read == {CHARACTERS: 2, SECTIONS: 2, TRIGGERS: 2}


async def test_a_plan_that_was_stopped_reads_again_when_it_is_resumed(service: Service) -> None:
    """What was read for the first try is older than the second."""

    def refuse(path: str) -> None:
        service.tier = Tier.FREE if path == UPDATE and service.asked[UPDATE] == 3 else Tier.PROFESSIONAL

    service.on_request = refuse
    async with opened(session_of(service, "socket"), screen="characters", size=WIDE) as user:
        await user.press("*")
        async with counting(service, user) as read:
            await asked_for(user, "temp")
            await user.write("0.17")
            await user.press("enter")
            await user.at(Review)
            await user.settle()
            await user.press(*"12", "enter")
            await user.at(Report)
            await user.settle()
            await user.press("r")
            await user.is_told("steps done.")
        assert read == {CHARACTERS: 3}  # before each of the two runs, and after both


async def test_a_review_that_stood_open_is_read_again(service: Service) -> None:
    time = Time()
    async with opened(session_of(service, "socket"), screen="characters", size=WIDE) as user:
        user.app.connection.ticks = time.ticks
        await stage_temperature(user)
        for open_for, reads in ((30, 2), (45, 3)):
            async with counting(service, user) as read:
                await user.press("S")
                await user.at(Review)
                await user.settle()
                time.pass_by(open_for)
                await user.press("y")
                await user.is_told("Applied: ")
            assert read == {CHARACTERS: reads}
            assert any(
                "The values were read again because the review was open for 45 s." in m for m in messages(user.app)
            ) == (open_for == 45)
            await user.press(*"0.3", "enter")


async def test_the_list_on_screen_is_never_what_a_change_is_compared_with(service: Service) -> None:
    """Another program was quicker before the review: that is asked about, whatever the list showed."""
    async with opened(session_of(service, "socket"), screen="characters", size=WIDE) as user:
        await stage_temperature(user)
        other = open_session(service.profile("other"))
        elena = user.characters.shown_id or ""
        await writes.update_character(other.service, elena, temperature=Decimal("0.2"))
        await other.aclose()
        await user.press("S")
        await user.sees("Conflict", "0.2")


async def test_screens_that_are_opened_while_the_list_is_read_wait_for_that_read(service: Service) -> None:
    go, asked = asyncio.Event(), list[str]()
    answering = service.app()

    async def slowly(scope: Scope, receive: Receive, send: Send) -> None:
        asked.append(scope["path"])
        if scope["path"] == CHARACTERS:
            await go.wait()
        await answering(scope, receive, send)

    transport = httpx.ASGITransport(slowly)
    session = open_session(
        service.profile(), reach=lambda profile, key: RemoteBackend(profile, key, transport=transport)
    )
    async with opened(session, screen="characters", size=WIDE, ready=False) as user:
        await user.until(lambda: CHARACTERS in asked, "for the list to be asked for")
        await user.press("N")
        await user.sees("─ Section │ Map")
        await user.press("A")
        await user.sees("Say")
        go.set()
        await user.sees("Say to Elena Marsh")
        await user.press("C")
        await user.sees("Elena Marsh", "loaded just now")
        assert asked.count(CHARACTERS) == 1
        await user.press("f5")
        await user.until(lambda: asked.count(CHARACTERS) == 2, "for the list to be asked for again")
