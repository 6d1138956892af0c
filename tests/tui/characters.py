"""What tests do with characters: stage settings, review them, and look at what is stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pytest
from textual.screen import ModalScreen

from chartui.core.characters.reasoning import CLEAR
from chartui.core.clock import seeded_ids
from chartui.core.jsontext import Wire, dumps
from chartui.core.profiles import BUILT_IN
from chartui.core.service import Service
from chartui.core.session import Session, open_session
from chartui.core.spec.models.characters import CharacterSettings
from chartui.demos import fill
from chartui.tui.screens.characters.tabs.settings_form import level_text
from chartui.tui.widgets.chooser import Chooser
from chartui.tui.widgets.review import Review
from tests import writes
from tests.tui.sessions import Double, clock, doubled, remote
from tests.tui.user import User

ELENA: Final = "Elena Marsh"
PLACES: Final = pytest.mark.parametrize("place", ["local", "remote"])
LEVELS: Final = ("none", "minimal", "low", "medium", "high", "xhigh", "max")


async def sees_tab(user: User, tab: str, *texts: str) -> None:
    """Wait for a tab beside the list, and for texts on the screen."""
    await user.until(lambda: user.characters.tab == tab, f"for the tab {tab}")
    await user.sees(*texts)


class Store:
    """What really holds the character, below whatever is said of it."""

    def __init__(self, session: Session) -> None:
        self._service = Service(session.recorder, embedded=True)

    async def read(self) -> CharacterSettings:
        """The settings as they are."""
        summaries = await self._service.summaries()
        [found] = [s for s in summaries if s.character_name == ELENA]
        return await self._service.settings(found.character_id)

    async def put(self, model: str, level: str | None) -> None:
        """Give the character a model and a setting."""
        settings = await self.read()
        await writes.update_character(
            self._service, settings.character_id, model=model, reasoning_effort=CLEAR if level is None else level
        )


def at(place: str, *, promising: Sequence[str] = ()) -> tuple[Session, Double, Store]:
    """A session there; of the models that it lists, ``promising`` are said to take everything."""
    session, double = doubled() if place == "local" else remote()
    if promising:
        taking: Wire = {"levels": list(LEVELS), "supports_auto": True}
        entries: Wire = [{"model_group_name": code, "reasoning": taking} for code in promising]
        double.answers["list-models"] = {"STATUS": dumps(entries)}
    return session, double, Store(session)


async def choose_level(user: User, setting: str) -> None:
    await user.press("home", "down", "down", "enter")
    await user.sees("meaning")
    await user.write(level_text(setting))
    await user.press("enter")
    await user.until(lambda: user.at_work)


async def choose_model(user: User, code: str) -> None:
    await user.press("home", "enter")
    await user.sees("Model of Elena Marsh")
    await user.write(code)
    await user.press("enter")
    await user.until(lambda: user.at_work)


async def review(user: User) -> None:
    await user.press("S")
    await user.at(Review)


def words(user: User) -> str:
    """What is seen in the dialogue, or beside the list, as one line: whatever was broken where."""
    in_front = user.at_work
    seen = user.pane("#detail" if in_front else "Dialog > Vertical")
    return " ".join(" ".join(line.strip(" │╭╮╰╯─▌▁") for line in seen.splitlines()).split())


async def reads(user: User, *texts: str) -> None:
    """Wait until every text can be read there."""
    for text in texts:
        await user.until(lambda: text in words(user), f"to read {text!r}")  # noqa: B023 - awaited here


def kept() -> Session:
    """The demo data in a store that the next session finds again, as another program would."""
    ids = seeded_ids(7)
    return open_session(BUILT_IN["demo"], fill=lambda store: fill(store, ids=ids, clock=clock), clock=clock, ids=ids)


async def stored(session: Session, name: str = ELENA) -> CharacterSettings:
    """The settings of a character, as the embedded store has them."""
    summaries = await session.service.summaries()
    [found] = [s for s in summaries if s.character_name == name]
    return await session.service.settings(found.character_id)


async def edit(user: User) -> None:
    """Go to the settings of the first character, and wait until they are there."""
    await user.press("e")
    await user.sees("Temperature", "Backstory")
    await user.misses("Reading the settings…")


async def stage_temperature(user: User, text: str = "0.9") -> None:
    await edit(user)
    await user.press("down", *text, "enter")
    await user.sees("1 change staged")


async def reviewing(user: User) -> None:
    await user.at(Review)
    await user.settle()


async def agreed(user: User, number: str) -> None:
    await reviewing(user)
    await user.press(*number, "enter")
    await user.leaves(ModalScreen)
    await user.ready()


async def asked_for(user: User, member: str) -> None:
    """Press the key of the change and choose what to change."""
    await user.press("b")
    await user.at(Chooser)
    await user.write(member)
    await user.press("enter")


async def shows_record(user: User) -> None:
    """Wait until the record is that of the character under the cursor."""
    await user.rests()

    def holds() -> bool:
        current = user.characters.current
        return current is not None and user.characters.shown_id == current.character_id

    if user.characters.shows_detail:
        await user.until(holds, "for the record")
