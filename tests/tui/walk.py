"""A walk over all screens with their tabs and fields, and all dialogs."""

from __future__ import annotations

from typing import Final

from tests.long import every
from tests.tui.dialogs import MADE, OPENED
from tests.tui.user import User

__all__ = ["walk"]

#: The keys pressed on each screen, which lead back to where they began.
SCREENS: Final = {
    "estimator": "] ] ] [ down right down left p escape",
    "characters": "down down pagedown end home / m a r escape enter ] ] ] escape e down right z escape",
    "narrative": "down down space right M down escape / i d escape ] ] escape",
    "actions": "down tab down escape",
    "requests": "down down enter escape",
}
KEYS: Final = {"estimator": "E", "characters": "C", "narrative": "N", "actions": "A", "requests": "Q"}


async def walk(user: User) -> None:
    """All screens with their tabs and fields, and all dialogs, one over the other; in a normal run every other one."""
    for name, keys in SCREENS.items():
        await user.press(KEYS[name])
        await user.settle()
        for key in keys.split():
            await user.press(key)
            await user.settle()
    for kind, make in [*MADE.items()][:: every(2)]:
        dialog = make(user)
        user.app.push_screen(dialog)
        await user.at(kind)
        await user.settle()
        dialog.dismiss()
        await user.back()
    for screen, opening in [*OPENED.values()][:: every(2)]:
        await user.press(KEYS[screen])
        for key in opening:
            await user.press(key)
            await user.settle()
        while not user.at_work:
            await user.press("escape")
            await user.settle()
