"""What was changed here and elsewhere: shown before anything is sent, decided setting by setting, never overwritten."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from chartui.core.session import Session, open_session
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.tui.widgets.conflicts import Conflicts
from chartui.tui.widgets.review import Review
from tests import writes
from tests.tui.characters import edit, kept, stage_temperature
from tests.tui.serving import VARIABLE, Time, serving
from tests.tui.sessions import doubled, remote
from tests.tui.user import NARROW, WIDE, User, opened

Change = Callable[..., Awaitable[None]]
CONFIG = "personalised_prompt_config"


@asynccontextmanager
async def two_programs(
    kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int] = WIDE
) -> AsyncIterator[tuple[User, Session, str]]:
    """A user before the first character, and another program on the same data."""
    if kind == "local":
        mine, other = kept(), kept()
        async with opened(mine, screen="characters", size=size) as user:
            await edit(user)
            yield user, other, user.characters.shown_id or ""
        await other.aclose()
        return
    with serving(folder) as service:
        monkeypatch.setenv(VARIABLE, service.key)
        mine, other = open_session(service.profile()), open_session(service.profile("other"))
        async with opened(mine, screen="characters", size=size) as user:
            await edit(user)
            yield user, other, user.characters.shown_id or ""
        await other.aclose()


async def present(session: Session, character_id: str) -> dict[str, Any]:
    """Model and temperature as they are."""
    record = await session.service.character(character_id)
    assert record is not None
    found: dict[str, Any] = record.raw[CONFIG]
    return {"model": found["MODEL"], "temperature": found["TEMPERATURE"]}


both = pytest.mark.parametrize("kind", ["local", "remote"])


@both
async def test_a_save_over_somebody_elses_change_asks_first(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with two_programs(kind, tmp_path, monkeypatch) as (user, other, elena):
        await user.press("down", *"0.9")
        await user.sees("1 change staged")
        await writes.update_character(other.service, elena, temperature=Decimal("0.2"))
        await user.press("enter", "S")
        await user.at(Conflicts)
        await user.sees("Conflict · Elena Marsh", "1 undecided")
        assert " 0.6 " in user.line("original  ")
        assert " 0.2 " in user.line("   theirs  ")
        assert " 0.9 " in user.line("   yours  ")
        await user.press("enter")  # nothing goes on before all is decided
        assert user.is_at(Conflicts)
        await user.press("m")
        await user.sees("✓ yours", "all decided")
        await user.press("enter")
        await user.sees("Apply settings to Elena Marsh", "0.2 → 0.9")
        assert (await present(other, elena))["temperature"] == Decimal("0.2")
        await user.press("y")
        await user.is_told("Applied: ")
        assert (await present(other, elena))["temperature"] == Decimal("0.9")
        assert not user.characters.staged  # before it is reported, and not some time after


@both
async def test_of_two_settings_one_is_kept_and_one_given_up(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with two_programs(kind, tmp_path, monkeypatch) as (user, other, elena):
        await user.press("plus", "down", *"0.9")
        await user.sees("changes staged: model, temperature")
        await writes.update_character(other.service, elena, model="mdla-4o", temperature=Decimal("0.2"))
        await user.press("enter", "S")
        await user.sees("Conflict", "2 settings", "mdla-4o", "2 undecided")
        await user.press("t", "m")
        await user.sees("✓ theirs", "✓ yours", "all decided")
        await user.press("enter")
        await user.sees("0.2 → 0.9", "1 change")
        await user.press("y")
        await user.is_told("Applied: ")
        assert await present(other, elena) == {"model": "mdla-4o", "temperature": Decimal("0.9")}
        assert not user.characters.staged  # before it is reported, and not some time after


@both
async def test_a_decision_can_be_turned_round(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with two_programs(kind, tmp_path, monkeypatch) as (user, other, elena):
        await user.press("down", *"0.9")
        await writes.update_character(other.service, elena, temperature=Decimal("0.2"))
        await user.press("enter", "S")
        await user.sees("Conflict")
        await user.press("m", "t", "enter")
        await user.is_told("Nothing left to apply")
        await user.uncovers("Changes are staged here")
        await user.until(lambda: user.line("Temperature", "#detail").split()[1] == "0.2", "for the present value")
        assert (await present(other, elena))["temperature"] == Decimal("0.2")


@both
async def test_giving_up_sends_nothing_and_shows_the_conflict_beside_the_setting(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with two_programs(kind, tmp_path, monkeypatch) as (user, other, elena):
        await user.press("down", *"0.9")
        await writes.update_character(other.service, elena, temperature=Decimal("0.2"))
        await user.press("enter", "S")
        await user.sees("Conflict")
        await user.press("m", "escape")
        await user.sees("⇄ Changed elsewhere from 0.6 to 0.2", "1 change staged")
        assert (await present(other, elena))["temperature"] == Decimal("0.2")


@both
async def test_a_change_while_the_review_is_looked_at(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What only the write itself finds is refused, and then asked about in the same way.

    A service cannot compare by itself: it is read again where the review stood open for long.
    """
    time = Time()
    async with two_programs(kind, tmp_path, monkeypatch) as (user, other, elena):
        user.app.connection.ticks = time.ticks
        told: list[str] = []
        tell = user.app.tell

        def telling(text: str, **rest: Any) -> None:
            told.append(text)
            tell(text, **rest)

        monkeypatch.setattr(user.app, "tell", telling)
        await user.press("down", *"0.9")
        await user.sees("1 change staged")
        await user.press("enter", "S")
        await user.at(Review)
        await writes.update_character(other.service, elena, temperature=Decimal("0.2"))
        time.pass_by(45)
        await user.press("y")
        await user.sees("Not applied", "refused, nothing was changed")
        # The dialog removes the message that it follows, so the screen may never show it at rest.
        again = "The values were read again because the review was open for 45 s."
        assert (again in told) is (kind == "remote")
        assert (await present(other, elena))["temperature"] == Decimal("0.2")
        await user.press("escape")
        await user.sees("Conflict", "theirs")
        await user.press("m", "enter")
        await user.sees("0.2 → 0.9")
        await user.press("y")
        await user.is_told("Applied: ")
        assert (await present(other, elena))["temperature"] == Decimal("0.9")


async def test_what_somebody_else_changed_beside_it_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with two_programs("local", tmp_path, monkeypatch) as (user, other, elena):
        await user.press("down", *"0.9")
        await user.sees("1 change staged")
        await writes.update_character(other.service, elena, model="mdla-4.1")
        await user.press("enter", "S")
        await user.at(Review)
        await user.press("y")
        await user.is_told("Applied: ")
        assert await present(other, elena) == {"model": "mdla-4.1", "temperature": Decimal("0.9")}
        await user.until(lambda: user.line("Model", "#detail").count("4.1"), "for the other model")


async def test_long_texts_are_shown_by_what_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with two_programs("local", tmp_path, monkeypatch, NARROW) as (user, other, elena):
        story = (await other.service.settings(elena)).backstory or ""
        await user.press("end", "enter", *" Mine.", "escape")
        await user.sees("1 change staged")
        await writes.update_character(other.service, elena, backstory=f"{story}\nTheirs.")
        await user.press("S")
        await user.sees("theirs, compared with the original", "+ Theirs.", "yours, compared with theirs")
        await user.press("end")
        await user.sees("Mine.", "− Theirs.")
        await user.press("m", "enter")
        await user.at(Review)
        await user.press("y")
        await user.is_told("Applied: ")
        assert (await other.service.settings(elena)).backstory == f"{story} Mine."


async def test_a_character_that_is_gone_is_told_and_what_is_staged_stays() -> None:
    other = kept()
    async with opened(kept(), screen="characters", size=WIDE) as user:
        await stage_temperature(user)
        elena = user.characters.shown_id or ""
        await writes.delete_character(other.service, elena)
        await user.press("S")
        await user.is_told(f"No character has the ID '{elena}'. Nothing was sent. Staged changes are kept.")
        assert user.characters.staged
    await other.aclose()


async def test_gone_from_a_service_as_well() -> None:
    session, double = remote()
    async with opened(session, screen="characters", size=WIDE) as user:
        await stage_temperature(user)
        double.answers["list-characters"] = {"characters": []}
        await user.press("S")
        await user.is_told("no longer exists")
        assert double.count("update-character") == 0
        assert user.characters.staged


async def test_what_cannot_be_read_is_not_written_over() -> None:
    session, double = doubled()
    async with opened(session, screen="characters", size=WIDE) as user:
        await stage_temperature(user)
        double.failures["get-settings"] = ServiceError(ErrorKind.BUSY, "The store is busy.")
        await user.press("S")
        await user.is_told("The store is busy. Nothing was sent. Staged changes are kept.")
        assert double.count("update-character") == 0
        assert user.characters.staged
