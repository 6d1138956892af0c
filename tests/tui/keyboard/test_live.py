"""Live refresh: what is in sight is read again every few seconds, and nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from chartui.core.profiles import ProfileError, check_profile
from chartui.core.profiles_file import change_profiles
from chartui.core.session import open_session
from chartui.core.spec.operations import operation
from chartui.tui import live
from chartui.tui.widgets.line_list import MARKED
from tests import writes
from tests.tui.serving import Service, Time
from tests.tui.user import User, opened

LIST = "list-characters"


@asynccontextmanager
async def at(service: Service, monkeypatch: pytest.MonkeyPatch, **opening: str) -> AsyncIterator[tuple[User, Time]]:
    """The program on a service that it refreshes every 30 seconds, and the time it lives by."""
    monkeypatch.setattr(live, "JITTER", 0.0)
    profile = replace(service.profile(), refresh=30)
    async with opened(open_session(profile), screen=opening.get("screen", "characters")) as user:
        time, app = Time(), user.app
        app.connection.ticks, app.connection.later = time.ticks, time.later
        app.go_live()
        yield user, time


def lists(service: Service) -> int:
    return service.asked[operation(LIST).path or ""]


async def pass_by(user: User, time: Time, seconds: float) -> None:
    time.pass_by(seconds)
    await user.settle()
    await user.ready()


async def test_the_list_in_sight_is_read_again(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    async with at(service, monkeypatch) as (user, time):
        before = lists(service)
        await pass_by(user, time, 29)
        assert lists(service) == before
        await pass_by(user, time, 2)
        assert lists(service) == before + 1
        await pass_by(user, time, 30)
        assert lists(service) == before + 2


async def test_what_is_not_in_sight_is_left_alone(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    async with at(service, monkeypatch) as (user, time):
        await user.press("Q")
        before = service.asked.total()
        await pass_by(user, time, 100)
        await user.press("C", "question_mark")
        await pass_by(user, time, 100)
        await user.press("escape", "slash", *"el")
        await pass_by(user, time, 100)
        assert service.asked.total() == before


async def test_it_slows_down_while_you_are_away(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    async with at(service, monkeypatch) as (user, time):
        await pass_by(user, time, live.IDLE + 30)
        before = lists(service)
        await pass_by(user, time, 91)
        assert lists(service) <= before + 1
        await user.press("down")
        await pass_by(user, time, 120)
        await pass_by(user, time, 30)
        assert lists(service) >= before + 2


async def test_trouble_stops_it_and_an_answer_starts_it(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    async with at(service, monkeypatch) as (user, time):
        service.stop()
        time.pass_by(30)
        await user.sees("retry in 5 s")
        assert not user.app._notifications  # nobody asked
        service.start()
        before = lists(service)
        await pass_by(user, time, 5)  # the connection's own try
        await user.misses("unreachable")
        assert lists(service) == before + 1
        await pass_by(user, time, 65)
        assert lists(service) > before + 1


async def test_the_profiles_name_the_interval_and_what_stops_it(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = replace(service.profile(), refresh=30)
    change_profiles(lambda profiles: profiles.adding(profile))
    async with at(service, monkeypatch) as (user, time):
        await user.press("P")
        await user.sees("every 30 s, characters and graph")
        assert "(" not in user.line("every 30 s")
        await user.press("down")
        await user.press("escape", "Q", "P")
        await user.sees("(not on this screen)")
        await user.press("escape", "C")
        service.stop()
        time.pass_by(30)
        await user.sees("retry in 5 s")
        await user.press("P")
        await user.sees("(stopped: unreachable)")
        await user.press("home")
        await user.sees("only on request, f5")


async def test_an_interval_that_another_program_changed_holds_from_the_next_start(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = replace(service.profile(), refresh=30)
    change_profiles(lambda profiles: profiles.adding(profile))
    async with at(service, monkeypatch) as (user, _):
        change_profiles(lambda profiles: profiles.removing(profile.name).adding(replace(profile, refresh=60)))
        await user.press("P")
        await user.sees("every 60 s, characters and graph (takes effect at the")


def reversed_text(user: User) -> str:
    segments = (segment for strip in user.styles() for segment in strip)
    return "".join(segment.text for segment in segments if segment.style is not None and segment.style.reverse).strip()


async def test_changed_cells_are_marked_for_a_moment(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    async with at(service, monkeypatch) as (user, time):
        other = open_session(service.profile("other"))
        first = user.listed.current
        assert first is not None
        await writes.update_character(other.service, first.character_id, model="mdla-4o-mini")
        await other.aclose()
        await pass_by(user, time, 30)
        await user.sees("mdla-4o-mini")
        assert reversed_text(user) == "mdla-4o-mini"
        await pass_by(user, time, MARKED)
        assert "mdla-4o-mini" in user.screen
        assert not reversed_text(user)


@pytest.mark.parametrize("seconds", [1, -1, 4000])
def test_the_interval_has_limits(service: Service, seconds: float) -> None:
    with pytest.raises(ProfileError, match="from 5 to 3600"):
        check_profile(replace(service.profile(), refresh=seconds))
