"""Pictures of the estimator."""

from __future__ import annotations

from chartui.core.spec.errors import ErrorKind, ServiceError
from tests.tui.conftest import Screen
from tests.tui.pictures import sizes
from tests.tui.sessions import doubled, remote
from tests.tui.user import User

TOKENS = ["down"] * 6


@sizes("60x20", "80x24", "120x40", svg="60x20 80x24 120x40", whole="120x40")
def test_start(screen: Screen, size: tuple[int, int]) -> None:
    screen(size=size)


@sizes("120x40")
def test_realtime_model(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("enter", *"realtime", "enter")
        await user.ready()

    screen(play, size=size)


@sizes("120x40")
def test_a_realtime_model_beside_a_vendors_voice_is_odd(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        # The voices were chosen before, for a text model.
        await user.press("enter", *"mdla_realtime_mini", "enter")
        await user.ready()

    screen(play, size=size)


@sizes("120x40")
def test_own_endpoint_and_own_voice_are_billed_elsewhere(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("enter", *"byo", "enter")
        await user.press(*["down"] * 4, "enter", *"external", "enter")
        await user.ready()

    screen(play, size=size)


@sizes("120x40")
def test_nothing_of_everything(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press(*TOKENS)
        for _ in range(4):
            await user.press("0", "down")
        await user.ready()

    screen(play, size=size)


@sizes("80x24")
def test_a_milliard_tokens(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press(*TOKENS)
        await user.paste("1000000000")
        await user.ready()

    screen(play, size=size)


@sizes("120x40")
def test_a_face_moves_while_it_speaks(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press(*["down"] * 5, "right")
        await user.ready()

    screen(play, size=size)


@sizes("160x50")
def test_other_windows(screen: Screen, size: tuple[int, int]) -> None:
    screen(size=size)


@sizes("120x40")
def test_number_being_typed(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press(*TOKENS, *"12500.5", "left")
        await user.ready()

    screen(play, size=size)


@sizes("120x40")
def test_result_with_the_focus(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("tab", "down", "down")

    screen(play, size=size)


@sizes("80x24")
def test_refused_quantity(screen: Screen, size: tuple[int, int]) -> None:
    session, double = doubled()

    async def play(user: User) -> None:
        await user.press(*TOKENS, "down")
        refused = "'outputChars' must be at most 5000, not 5001."
        double.failures["estimate"] = ServiceError(ErrorKind.INVALID, refused, member="outputChars")
        # At once: which of the numbers before it are answered is a matter of time.
        await user.paste("5001")
        await user.until(lambda: user.estimator.now.error)

    screen(play, session=session, size=size)


@sizes("80x24")
def test_chooser(screen: Screen, size: tuple[int, int]) -> None:
    async def play(user: User) -> None:
        await user.press("enter", *"mdla 5", "down")

    screen(play, size=size)


def test_figures_of_earlier_inputs(screen: Screen) -> None:
    session, double = remote()

    async def play(user: User) -> None:
        double.hold("estimate")
        await user.press("down", "enter")
        await user.until(lambda: double.waiting("estimate"))

    screen(play, session=session)


@sizes("80x24")
def test_no_answer_at_all(screen: Screen, size: tuple[int, int]) -> None:
    session, double = doubled()
    double.failures["estimate"] = ServiceError(ErrorKind.UNREACHABLE, "characters.example did not answer within 10 s.")
    screen(session=session, size=size)
