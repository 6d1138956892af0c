"""The character of ``--character`` by its name."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tui.sessions import doubled, remote
from tests.tui.user import opened


@pytest.mark.parametrize("screen", ["characters", "narrative", "actions"])
@pytest.mark.parametrize("open_session", [doubled, remote])
async def test_a_character_is_found_by_its_name(screen: str, open_session: Any) -> None:
    session, double = open_session()
    summaries = await session.service.summaries()
    avery = next(one.character_id for one in summaries if one.character_name == "Avery Cole")
    before = double.count("list-characters")
    async with opened(session, screen=screen, character="avery COLE", size=(120, 40)) as user:
        await user.until(lambda: user.app.character == avery, "for the ID")
        await user.sees("Avery Cole")
        await user.ready()
        assert double.count("list-characters") - before == (open_session is remote)


async def test_the_start_of_a_name_is_enough_and_the_list_shows_its_character() -> None:
    async with opened(doubled()[0], screen="characters", character="inês", size=(80, 10)) as user:
        await user.sees("▌Inês Duarte")


async def test_a_name_without_a_character_is_told_with_the_nearest() -> None:
    session, _ = doubled()
    async with opened(session, screen="characters", character="Avry Cole") as user:
        await user.is_told("No character named “Avry Cole”. Did you mean Avery Cole")
