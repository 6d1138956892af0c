"""Every dialog of the program: made for a user, or opened with the keys that lead to it."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from textual.screen import ModalScreen

import chartui.tui
from chartui.core.lock import Lock
from chartui.core.narrative.story import Story
from chartui.core.narrative.walk.random_walks import RandomWalks
from chartui.core.plans.executor import Progress, StepState
from chartui.core.plans.plan import Plan, Step
from chartui.core.sheet import Sheet
from chartui.core.spec.elements import Unreadable
from chartui.core.spec.operations import operation
from chartui.core.unreadable import Missed
from chartui.keymap import Keymap
from chartui.tui.drafts import TwoDrafts
from chartui.tui.run_plan import Report
from chartui.tui.screens.actions.dialogs import EntryDialog, OpenScene
from chartui.tui.screens.actions.state import Group
from chartui.tui.screens.characters.columns_dialog import ColumnsDialog
from chartui.tui.screens.characters.model_chooser import ModelChooser
from chartui.tui.screens.characters.saved_filters import FilterChooser
from chartui.tui.screens.characters.tabs.record import CardDialog
from chartui.tui.screens.estimator.constraints import ConstraintsDialog
from chartui.tui.screens.estimator.rates import Learning, RatesQuestion
from chartui.tui.screens.narrative.bundles import OpenBundle
from chartui.tui.screens.narrative.dialogs import AskRandomWalks, Impact, KeysForm, OpenWalk, TargetChooser, WalkChooser
from chartui.tui.screens.narrative.import_export import OpenStory
from chartui.tui.shell.add_profile import AddProfile
from chartui.tui.shell.api_key import KeyQuestion
from chartui.tui.shell.files import FileName, FileQuestion, OpenFile
from chartui.tui.shell.help import Help
from chartui.tui.shell.history import History
from chartui.tui.shell.jump import Jump
from chartui.tui.shell.palette import Palette, Search
from chartui.tui.shell.profiles import ProfilesDialog
from chartui.tui.shell.themes import ThemeChooser
from chartui.tui.shell.unreadable import UnreadableDialog
from chartui.tui.wait import Waiting
from chartui.tui.widgets.chooser import Choice, Chooser, Picker
from chartui.tui.widgets.conflicts import Clash, Conflicts
from chartui.tui.widgets.dialog import Dialog, Overview
from chartui.tui.widgets.editor import Editor
from chartui.tui.widgets.questions import AskLine, Confirm, Hint, TypeName
from chartui.tui.widgets.review import Review
from chartui.tui.widgets.table_dialog import TableDialog
from chartui.tui.widgets.told_list import ToldList
from tests.tui.user import User

PLAN = Plan(id="p", title="Warmer", steps=(Step(operation="update-character", payload={"charID": "c"}),))
#: What others are made of.
ABSTRACT: frozenset[type[ModalScreen[Any]]] = frozenset({Dialog, Overview, Picker, FileQuestion, OpenFile})
_ELEMENT = Unreadable(kind="section", where="/4", reason="expected an object, got null", raw=None)
_MISSED = Missed(operation=operation("list-sections"), payload={}, unreadable=(_ELEMENT,))

MADE: dict[type[Dialog[Any]], Callable[[User], Dialog[Any]]] = {
    AddProfile: lambda _: AddProfile(),
    AskLine: lambda _: AskLine("Name", "What it is called.", lambda text: Hint(), verb="Make it"),
    AskRandomWalks: lambda _: AskRandomWalks(RandomWalks()),
    WalkChooser: lambda _: WalkChooser([]),
    Chooser: lambda _: Chooser("Which?", [Choice("a", "A", "")], None),
    Confirm: lambda _: Confirm("Delete it", "Really?", "Delete it"),
    Conflicts: lambda _: Conflicts("Elena", {"model": Clash("model", "a", "b", "c")}, what="setting"),
    Editor: lambda _: Editor("Backstory", "She keeps a parrot."),
    EntryDialog: lambda _: EntryDialog(Group.OBJECTS, None, ()),
    Help: lambda _: Help([], keymap=Keymap(), locked=(), lock=Lock()),
    History: lambda _: History("demo", [], str),
    Impact: lambda _: Impact("Remove", [Choice("a", "A", "")]),
    KeyQuestion: lambda _: KeyQuestion("Key", "For this service."),
    KeysForm: lambda _: KeysForm(("Name",), {}),
    Learning: lambda user: Learning(user.app.session, lambda: None),
    RatesQuestion: lambda user: RatesQuestion(user.app.session.rates.get(), user.app.session.where),
    OpenBundle: lambda _: OpenBundle(),
    OpenScene: lambda _: OpenScene(),
    OpenStory: lambda _: OpenStory(),
    OpenWalk: lambda _: OpenWalk(None),
    Palette: lambda _: Palette(Search([])),
    ProfilesDialog: lambda _: ProfilesDialog(),
    Report: lambda _: Report(Progress(plan=PLAN, states=(StepState.NOT_TRIED,), finished=True), "H"),
    Review: lambda _: Review(PLAN, agree="Change it"),
    TableDialog: lambda _: TableDialog(Sheet("Presets", (), ()), table="presets", enter="Open", about={"a": "b"}),
    TargetChooser: lambda _: TargetChooser("Target", Story(sections={}, triggers={}), None, nowhere="Nowhere"),
    ToldList: lambda _: ToldList("Import", lambda _: [], {"y": "Import it"}),
    ColumnsDialog: lambda _: ColumnsDialog((), lambda _: {}),
    TwoDrafts: lambda _: TwoDrafts("Elsewhere", "a model", None),
    TypeName: lambda _: TypeName("Unlock", "Type its name.", "shop"),
    UnreadableDialog: lambda _: UnreadableDialog({"list-sections": _MISSED}),
    Waiting: lambda _: Waiting(),
}
#: The screen, and the keys.
OPENED: dict[type[Dialog[Any]], tuple[str, tuple[str, ...]]] = {
    CardDialog: ("characters", ("Y",)),
    ConstraintsDialog: ("estimator", ("f",)),
    FileName: ("characters", ("W", "enter")),
    Jump: ("narrative", (";",)),
    FilterChooser: ("characters", ("slash", "x", "f3")),
    ModelChooser: ("characters", ("e", "enter")),
    ThemeChooser: ("requests", ("@",)),
}


def dialog_classes(parent: type[ModalScreen[Any]] = ModalScreen) -> Iterator[type[ModalScreen[Any]]]:
    """Every class of dialogs in the program, whichever module it is in."""
    if parent is ModalScreen:
        for module in pkgutil.walk_packages(chartui.tui.__path__, "chartui.tui."):
            import_module(module.name)
    for child in parent.__subclasses__():
        if child.__module__.startswith("chartui."):
            yield child
        yield from dialog_classes(child)
