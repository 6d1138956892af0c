"""Replaying the turns of a conversation: in the present scene, or in the one that each was sent with."""

from __future__ import annotations

from typing import Any

from tests.tui.keyboard import covers
from tests.tui.scenes import SENT, answered, go_to, replay
from tests.tui.sessions import doubled, remote
from tests.tui.user import WIDE, User, opened, words


async def replayed(user: User, number: int) -> None:
    """Wait until the turns are replayed for the ``number``-th time, and the pane shows it."""
    await user.until(
        lambda: user.actions.repetition.number == number and not user.actions.repetition.running,
        "for the last turn",
    )


@covers("replay-turns")
async def test_a_removed_action_is_missed_in_the_present_scene_and_not_in_the_recorded_one() -> None:
    session, double = doubled()
    async with opened(session, screen="actions", size=WIDE) as user:
        await user.press("e", "f7", *"Elena rings.", "enter")
        await answered(user, 1)
        await user.press("escape")
        await go_to(user, f"actions[{user.actions.turn.actions.index('Rings')}]")
        await user.press("d")
        await replay(user, "in this")
        await replayed(user, 1)
        await user.is_told("1 of 1 action sequences differs. The scene differs from the recorded scene.")
        await user.press("h")
        await user.until(lambda: "scene action “Rings” removed" in words(user.pane("#turns")))
        assert "step 1 is missing: “Rings”" in words(user.pane("#turns"))

        await replay(user, "as recorded")
        await replayed(user, 2)
        await user.is_told("The action sequence is identical.")
        await user.until(lambda: "✓ identical actions" in user.pane("#turns"))
        assert "scene without" not in words(user.pane("#turns"))
        sent: list[Any] = [payload["actions"] for name, payload in double.calls if name == SENT]
        assert sent == [sent[0], [word for word in sent[0] if word != "Rings"], sent[0]]


async def test_on_a_service_the_question_names_the_scene() -> None:
    session, double = remote()
    async with opened(session, screen="actions", size=WIDE) as user:
        await user.press("e", *"Hello", "enter")
        await answered(user, 1)
        for chosen, scene in (("in this", "in this scene"), ("as recorded", "in its own scene")):
            await user.press("escape")
            await replay(user, chosen)
            await user.until(lambda scene=scene: scene in words(user.screen), f"for {scene!r}")  # type: ignore[misc]
            await user.press("escape")
            await user.misses("The turn will be sent again")
        assert double.count(SENT) == 1
