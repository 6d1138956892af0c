"""A dialog that is closed while it is being built leaves the program as it was."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from chartui.core.lock import Lock
from chartui.core.plans.executor import Progress, StepState
from chartui.core.plans.plan import Plan, Step
from chartui.keymap import Keymap
from chartui.tui.run_plan import Report
from chartui.tui.screens.estimator.pins import NameBox
from chartui.tui.screens.narrative.bundles import OpenBundle
from chartui.tui.shell.add_profile import AddProfile
from chartui.tui.shell.api_key import KeyQuestion
from chartui.tui.shell.help import Help
from chartui.tui.shell.history import History
from chartui.tui.shell.profiles import ProfilesDialog
from chartui.tui.wait import Waiting
from chartui.tui.widgets.chooser import Choice, Chooser
from chartui.tui.widgets.conflicts import Clash, Conflicts
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.editor import Editor
from chartui.tui.widgets.questions import AskLine, Confirm, Hint, TypeName
from chartui.tui.widgets.review import Review
from tests.tui.user import opened

PLAN = Plan(id="p", title="Warmer", steps=(Step(operation="update-character", payload={"charID": "c"}),))

DIALOGS: dict[str, Callable[[], Dialog[Any]]] = {
    "history": lambda: History("demo", [], str),
    "question": lambda: Confirm("Delete it", "Really?", "Delete it"),
    "line": lambda: AskLine("Name", "What it is called.", lambda text: Hint(), deed="Make it"),
    "chooser": lambda: Chooser("Which?", [Choice("a", "A", "")], None),
    "key": lambda: KeyQuestion("Key", "For this service."),
    "file": OpenBundle,
    "help": lambda: Help([], keymap=Keymap(), locked=(), lock=Lock()),
    "profiles": ProfilesDialog,
    "new profile": AddProfile,
    "name": lambda: TypeName("Unlock", "Type its name.", "shop"),
    "preset": lambda: NameBox("Pin", "A configuration.", "Kiosk"),
    "editor": lambda: Editor("Backstory", "She keeps a parrot."),
    "conflicts": lambda: Conflicts("Elena", {"model": Clash("model", "a", "b", "c")}, what="setting"),
    "report": lambda: Report(Progress(plan=PLAN, states=(StepState.NOT_TRIED,), finished=True)),
    "waiting": Waiting,
    "review": lambda: Review(PLAN, deed="Change it"),
}


@pytest.mark.parametrize("dialog", DIALOGS)
async def test_a_dialog_closed_while_it_is_built_is_no_fault(dialog: str, request: pytest.FixtureRequest) -> None:
    """At every moment in a long run; in a normal one at every fourth, the next dialog at others."""
    first, step = (0, 1) if request.config.getoption("long") else (list(DIALOGS).index(dialog) % 4, 4)
    async with opened() as user:
        before = user.screen
        for moments in range(first, 24, step):
            shown = DIALOGS[dialog]()
            user.app.push_screen(shown)
            for _ in range(moments):
                await asyncio.sleep(0)
            shown.dismiss()
            await user.leaves(Dialog)
            await user.settle()
            user.app.assert_whole()
        assert user.screen == before
