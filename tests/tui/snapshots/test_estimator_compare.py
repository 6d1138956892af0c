"""Pictures of the comparison, of pins and of presets."""

from __future__ import annotations

from chartui.core.presets import Preset, Presets, presets_folder
from chartui.core.spec.models.estimation import Selections
from chartui.tui.widgets.questions import AskLine
from chartui.tui.widgets.table_dialog import TableDialog
from tests.tui.conftest import Screen
from tests.tui.estimates import model, pin, two_pinned
from tests.tui.pictures import sizes
from tests.tui.user import WIDE, User


def test_nothing_pinned(screen: Screen) -> None:
    async def play(user: User) -> None:
        await user.finds("view-compare")

    screen(play)


@sizes("120x40", svg="120x40")
def test_two_pinned(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await two_pinned(user)
        await user.finds("view-compare")
        await user.press("down")

    screen(play, size=size)


def test_the_cursor_on_the_baseline(screen: Screen) -> None:
    async def play(user: User) -> None:
        await two_pinned(user)
        await user.finds("view-compare")
        await user.press("right", "right", "end")

    screen(play)


def test_in_the_whole_window(screen: Screen) -> None:
    async def play(user: User) -> None:
        await two_pinned(user)
        await model(user, "byo")
        await pin(user, "[/nope] of somebody else, and rather long")
        await user.finds("view-compare")
        await user.press("v")

    screen(play, size=WIDE)


@sizes("80x24")
def test_a_milliard_tokens(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await pin(user, "usual")
        await user.press(*["down"] * 6)
        await user.paste("1000000000")
        await user.ready()
        await user.finds("view-compare")
        await user.press(*["down"] * 6)

    screen(play, size=size)


def test_an_unknown_price(screen: Screen) -> None:
    async def play(user: User) -> None:
        await pin(user, "usual")
        user.estimator.begin_with({"llm": "mdlx_9"}, {})
        await user.until(lambda: user.estimator.now.error)
        await user.finds("view-compare")

    screen(play)


def test_a_pin_is_named(screen: Screen) -> None:
    async def play(user: User) -> None:
        await user.press("p")
        await user.until(lambda: isinstance(user.app.screen, AskLine))

    screen(play)


@sizes("80x24")
def test_presets(screen: Screen, size: tuple[int, int]) -> None:
    saved = (("Kiosk", "mdla_4o"), ("Museum, with a long name of its own", "mdla_4_1"), ("[/nope]", "mdlx_9"))

    async def play(user: User) -> None:
        presets = Presets(presets_folder(user.app.session.folder))
        for name, key in saved:
            note = "For the hall." if key == "mdla_4o" else ""
            presets.save(Preset(name=name, note=note, selections=Selections(llm=key)))
        (presets.folder / "broken.toml").write_text("format = 3")
        await user.press("o")
        await user.until(lambda: isinstance(user.app.screen, TableDialog))
        await user.press("down")

    screen(play, size=size)
