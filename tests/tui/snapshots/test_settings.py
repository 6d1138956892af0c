"""Pictures of the settings of a character, and of the dialogues that change them."""

from __future__ import annotations

import pytest

from chartui.core.jsontext import dumps
from chartui.core.plans.plan import Change, Plan, Step
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.tui.widgets.editor import Editor
from chartui.tui.widgets.review import Review
from tests.tui.conftest import Screen
from tests.tui.pictures import sizes
from tests.tui.sessions import demo, doubled, remote
from tests.tui.user import NARROW, WIDE, User

BEFORE = (
    "Nova grew up in the orbital yards and learned to fly before she learned to read. She likes quiet evenings, long "
    "stories, and the smell of ozone.\n\nShe trains new crews.\nShe never shouts."
)
AFTER = BEFORE.replace("orbital", "lunar").replace("quiet evenings", "loud music") + "\nShe owes somebody a ship."


async def edit(user: User) -> None:
    await user.press("e")
    await user.sees("Temperature", "0 to 1")


async def stage(user: User) -> None:
    """A model that drops the level, a temperature, and a backstory."""
    await edit(user)
    await user.press("enter", *"mdla-4.1-mini", "enter", "down", *"0.85", "end", "enter")
    await user.until(lambda: isinstance(user.app.screen, Editor))
    await user.press(*" She has a parrot.", "escape")
    await user.sees("4 changes staged")


@sizes("60x20")
def test_as_stored(screen: Screen, size: tuple[int, int]) -> None:
    screen(edit, screen="characters", size=size)


@sizes("80x24", svg="80x24", whole="80x24")
def test_staged(screen: Screen, size: tuple[int, int]) -> None:
    screen(stage, screen="characters", size=size)


@sizes("80x24")
def test_on_a_service(screen: Screen, size: tuple[int, int]) -> None:
    session, double = remote()
    double.failures["list-models"] = ServiceError(ErrorKind.TIER, "A professional account is needed.", status=403)
    screen(edit, session=session, screen="characters", size=size)


@pytest.mark.whole
@pytest.mark.svg
def test_read_only(screen: Screen) -> None:
    screen(edit, session=demo(read_only=True), screen="characters")


@sizes("120x40")
def test_a_number_that_is_none(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await edit(user)
        await user.press("down", *"1.5", "down")
        await user.sees("must be a number")

    screen(play, screen="characters", size=size)


@sizes("80x24")
def test_choosing_a_level(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await edit(user)
        await user.press("down", "down", "enter")
        await user.sees("not set", "auto")

    screen(play, screen="characters", size=size)


@sizes("120x40")
def test_writing_the_backstory(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await edit(user)
        await user.press("end", "enter")
        await user.until(lambda: isinstance(user.app.screen, Editor))

    screen(play, screen="characters", size=size)


@sizes("80x24")
def test_changed_elsewhere(screen: Screen, size: tuple[int, int]) -> None:
    session, double = doubled()

    async def play(user: User) -> None:
        await edit(user)
        await user.press("down", *"0.9")
        stored = await session.service.settings(user.characters.shown_id or "")
        double.answers["get-settings"] = {**stored.raw, "temperature": 0.2}
        await user.press("f5")
        await user.sees("Changed elsewhere")

    screen(play, session=session, screen="characters", size=size)


@sizes("120x40", svg="120x40")
def test_reviewing(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await stage(user)
        await user.press("S")
        await user.until(lambda: isinstance(user.app.screen, Review))

    screen(play, screen="characters", size=size)


def _step(number: int) -> Step:
    changes = (
        Change(label="temperature", before="0.3", after="0.7"),
        Change(label="backstory", before=BEFORE, after=AFTER),
    )
    return Step(operation="update-character", payload={}, subject=f"Character {number}", changes=changes)


@pytest.mark.parametrize(("size", "steps"), [(NARROW, 1), (WIDE, 200)], ids=["80x24-1", "120x40-200"])
def test_a_plan(screen: Screen, size: tuple[int, int], steps: int) -> None:
    first = Step(
        operation="update-character",
        payload={},
        subject="Nova Adeyemi",
        reason="The story moved to the moon.",
        changes=(
            Change(label="model", before="mdla-5.4", after="mdla-4o", note="The level becomes something else."),
            Change(label="reasoning level", before=None, after="high", known=False),
            Change(label="backstory", before=BEFORE, after=AFTER),
        ),
    )
    plan = Plan(id="p", title="Move the story", steps=(first, *(_step(number) for number in range(2, steps + 1))))

    async def play(user: User) -> None:
        user.app.push_screen(Review(plan))
        await user.sees("Cancel")

    screen(play, size=size)


@sizes("80x24")
def test_not_all_done(screen: Screen, size: tuple[int, int]) -> None:
    session, double = doubled()

    async def play(user: User) -> None:
        await edit(user)
        await user.press("down", *"0.9")
        double.failures["update-character"] = ServiceError(
            ErrorKind.CONFLICT, "This character was changed meanwhile: temperature is 0.2. Nothing was written."
        )
        await user.press("enter", "S")
        await user.until(lambda: isinstance(user.app.screen, Review))
        await user.press("y")
        await user.sees("Not applied")

    screen(play, session=session, screen="characters", size=size)


@sizes("120x40")
def test_choosing_a_model(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await edit(user)
        await user.press("enter")
        await user.sees("Model of Elena Marsh")

    screen(play, screen="characters", size=size)


@sizes("80x24")
def test_choosing_among_what_a_service_lists(screen: Screen, size: tuple[int, int]) -> None:
    session, double = remote()
    double.answers["list-models"] = {
        "STATUS": dumps(
            [
                {"model_group_name": "own-1", "display_name": "Ours (beta)"},
                {"model_group_name": "mdla-5.x", "is_deprecated": True},
                {"model_group_name": "mdle-4.3", "is_active": False},
                {"model_group_name": "mdla-4o"},
            ]
        )
    }

    async def play(user: User) -> None:
        await edit(user)
        await user.press("enter")
        await user.sees("Model of Elena Marsh")
        await user.press("down")

    screen(play, session=session, screen="characters", size=size)


@sizes("120x40")
def test_a_backstory_that_leaves_the_scene_unnamed(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await edit(user)
        await user.press("end", "enter")
        await user.until(lambda: isinstance(user.app.screen, Editor))
        await user.press("f7", "delete", *"She walks about.", "escape")
        await user.sees("does not mention")

    screen(play, screen="characters", size=size)
