"""Edits at the cursor: asked for in a line or a dialog, then staged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from textual.screen import ModalScreen
from textual.widget import Widget

from chartui.core.narrative.nodes import section_node
from chartui.core.narrative.signs import endings_text
from chartui.core.narrative.story import Story
from chartui.core.text import single_line
from chartui.tui.drafts import TURNED
from chartui.tui.screens.narrative.spot import Spot
from chartui.tui.screens.narrative.state import Desk
from chartui.tui.screens.narrative.tabs.panel import StoryTabs
from chartui.tui.widgets.chooser import Choice, Chooser
from chartui.tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from chartui.tui.screens.narrative.dialogs import Target

#: Returns a changed story. Raises ``LookupError`` if the item to change is gone.
Change = Callable[[Story], Story]
R = TypeVar("R")


#: Why a service can't change these.
_NO_CALL: Final = "Use an embedded store instead."
FIXED_OVERRIDES: Final = f"Overrides can't be changed on a service. {_NO_CALL}"
FIXED_START: Final = f"The start can't be changed on a service. {_NO_CALL}"


def needs_name(name: str) -> str:
    """The reason a name is invalid; empty if it is valid."""
    return "" if name else "Enter a name."


class Writer:
    """The common parts of all story edits."""

    def __init__(self, desk: Desk, tabs: StoryTabs) -> None:
        self.desk = desk
        self.section = tabs.section.view
        self._entry = tabs.entry
        self._asked_from: Widget | None = None
        #: The typed answers to the questions before the current one, each with what asks its question again.
        self._earlier: list[tuple[str, Callable[[], object]]] = []
        self._follows = False

    @property
    def story(self) -> Story | None:
        return self.desk.state.story

    @property
    def embedded(self) -> bool:
        """Whether the story is in an embedded store, which can change more than a service."""
        return self.desk.service.embedded

    @property
    def spot(self) -> Spot:
        return self.desk.spot

    def refuses(self) -> bool:
        return self.desk.refuses()

    def tell(self, message: str, *, title: str = "", topic: str | None = None) -> None:
        self.desk.workbench.tell(message, title=title, topic=topic)

    def nothing_here(self, what: str) -> None:
        """Say that there is nothing to change at the cursor."""
        self.tell(f"Select {what} first.")

    def stage(self, story: Story, title: str, *, keep: str | None = None) -> None:
        self.desk.stage(story, title, keep=keep)

    def change(self, change: Change, title: str, *, keep: str | None = None, field: str = "") -> bool:
        """Apply ``change`` to the current story, which may differ from that of the question, and stage the result.

        Returns whether the story changed.
        """
        before = self.story
        if before is None:
            return False
        try:
            changed = change(before)
        except LookupError:
            self.tell("The item to change no longer exists.", title="Nothing was changed")
            return False
        self.desk.stage(changed, title, keep=keep, field=field)
        return self.story is not before

    def change_out_of_sight(self, change: Change, title: str, *, keep: str | None = None) -> None:
        """Stage a change, and name it in a message, since the cursor's line does not show it."""
        before = self.story
        if self.change(change, title, keep=keep):
            self._tell_staged(title, endings_text(before, self.story))

    def _tell_staged(self, title: str, effect: str = "") -> None:
        undo = self.desk.label("undo-edit")
        self.tell(f"Staged: {single_line(title, limit=80)}. {effect}{undo} reverts it.", topic=TURNED)

    # -- asking -------------------------------------------------------------------------------------------------------

    def open(self, dialog: ModalScreen[R], then: Callable[[R | None], None]) -> None:
        """Open a dialog; canceling it returns to the question before, if it follows one."""
        self._begin_question()

        def answered(result: R | None) -> None:
            if result is None:
                then(None)
                self.ask_again()
            else:
                self._go_on(partial(then, result))

        self.desk.workbench.push_screen(dialog, answered)

    def _begin_question(self) -> None:
        if self._entry.asking:  # left open for another question
            self._earlier.clear()
        self._follows = True

    def _go_on(self, then: Callable[[], object]) -> None:
        """Act on an answer; typed answers are kept only until no question follows."""
        self._follows = False
        then()
        if not self._follows:
            self._earlier.clear()

    def ask_again(self) -> None:
        """Return to the question before with its answer, if there was one."""
        if self._earlier:
            _, again = self._earlier.pop()
            again()

    def leaving(self) -> str:
        """A sentence on typed answers that are lost when the program ends; empty without any."""
        typed = [*(answer for answer, _ in self._earlier), self._entry.typed]
        named = ", ".join(f"“{single_line(one, limit=40)}”" for one in typed if one)
        return f"Typed text that is not staged yet will be lost: {named}." if named else ""

    def choose(self, title: str, actions: Mapping[str, Callable[[], object]]) -> None:
        """Ask for one of several actions, given by their labels."""

        def chosen(label: str | None) -> None:
            if label is not None:
                actions[label]()

        self.open(Chooser(title, [Choice(label, label) for label in actions]), chosen)

    def ask(self, question: str, text: str, then: Callable[[str], object], refusal: Callable[[str], str]) -> None:
        """Ask for a line below the cursor; ``refusal`` says why a line is invalid."""
        if not self._entry.has_focus_within:  # otherwise this question follows another
            self._asked_from = self.desk.workbench.focused
        self._begin_question()

        def answered(answer: str) -> None:
            self._earlier.append((answer, lambda: self.ask(question, answer, then, refusal)))
            self._go_on(partial(then, answer))

        beside = self._asked_from if isinstance(self._asked_from, LineView) else None
        back = self.ask_again if self._earlier else None
        self._entry.ask(question, text, answered, refusal, beside=beside, back=back)

    def answered(self) -> None:
        """Restore the focus from before the question, unless another follows."""
        focused = self.desk.workbench.focused
        inside = self._entry.has_focus_within or focused is None
        if inside and not self._entry.asking:
            if self._asked_from is not None:
                self._asked_from.focus()
            else:
                self.desk.focus_tree()

    def choose_target(
        self,
        question: str,
        present: str | None,
        then: Callable[[str | None, str], object],
        *,
        nowhere: str = "",
        others: Mapping[str, Callable[[str], object]] | None = None,
        typed: str = "",
    ) -> None:
        """Ask for a section; ``then`` gets the id of an existing one, or the name of a new one.

        ``others`` can be chosen instead, by their labels; they get the typed name, which may be empty. ``typed`` is
        in the box at first.
        """
        from chartui.tui.screens.narrative.dialogs import TargetChooser

        if self.story is None:
            return

        def chosen(target: Target | None) -> None:
            if target is None:
                return
            name = dialog.typed
            again = partial(self.choose_target, question, present, then, nowhere=nowhere, others=others, typed=name)
            self._earlier.append((target.new or "", again))
            if others is not None and target.other:
                others[target.other](target.new or "")
            elif target.new is None:
                then(target.section, "")
            elif target.new:
                then(None, target.new)
            else:
                self.ask("Name of the new section", "", partial(then, None), needs_name)

        title = single_line(question, limit=60)
        dialog = TargetChooser(
            title,
            self.story,
            present,
            nowhere=nowhere,
            others=tuple(others or ()),
            typed=typed,
            follows=bool(self._earlier),
        )
        self.open(dialog, chosen)

    def lead(
        self,
        section_id: str | None,
        new: str,
        lead: Callable[[Story, str | None], Story],
        title: str,
        *,
        keep: str | None = None,
        along: bool = False,
    ) -> None:
        """Stage the result of ``lead`` for a section, or for a new section called ``new``.

        The cursor stays, or moves to the node ``keep``, or goes ``along`` to the new section.
        """
        if not new or self.story is None:
            self.change(lambda story: lead(story, section_id), title, keep=keep)
            return
        fresh = self.story.fresh_id()

        def change(story: Story) -> Story:
            return lead(story.with_section(fresh, name=new), fresh)

        there, title = section_node(fresh), f"{title}, and add the section “{new}”"
        if self.change(change, title, keep=there if along else keep) and not self.desk.shows(there):
            self._tell_staged(title)

    def choose_section(
        self,
        question: str,
        present: str | None,
        lead: Callable[[Story, str | None], Story],
        title: str,
        *,
        nowhere: str = "",
        keep: str | None = None,
        along: bool = False,
    ) -> None:
        """Ask for an existing or a new section, and stage the result of ``lead`` for it."""

        def chosen(section_id: str | None, new: str) -> None:
            self.lead(section_id, new, lead, title, keep=keep, along=along)

        self.choose_target(question, present, chosen, nowhere=nowhere)
