"""The part of the narrative screen that tells what is wrong with the story, and puts it right."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from textual import on
from textual.content import Content
from textual.widgets import Input

from chartui.core.lint import Severity, in_numbers, tally
from chartui.core.narrative.lint import Finding, FindingKey, Place, fix_all, lint, switched_off, where
from chartui.core.narrative.story import Story
from chartui.tui.garbage import lasting
from chartui.tui.numbers import number_of
from chartui.tui.screens.narrative.lint_view import Told
from chartui.tui.screens.narrative.mapping import MappingStory
from chartui.tui.screens.narrative.state import AT_ONCE, Pane
from chartui.tui.severity import SIGNS
from chartui.tui.widgets.chooser import matches
from chartui.tui.widgets.filter import FilterCursor
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.screen import Copyable

__all__ = ["LintingStory"]

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class _LookedOver:
    """What was found in a story, None before one was looked over."""

    story: Story | None = None
    told: tuple[Told, ...] = ()


def _look_over(story: Story, find: Callable[..., Sequence[Finding]]) -> _LookedOver:
    graph = story.graph()
    return _LookedOver(story, tuple(Told(finding, where(graph, finding.place)) for finding in find(story, graph=graph)))


class LintingStory(MappingStory):
    """Looks the story over as it is being written; a large one beside the keyboard, and the latest only."""

    def __init__(self) -> None:
        super().__init__()
        self._looked_over = _LookedOver()
        self._looking = False
        self._least = Severity.NOTE
        self._sought = ""
        self._finding_cursor: FilterCursor[FindingKey] = FilterCursor()

    # -- looking over -------------------------------------------------------------------------------------------------

    @property
    def _off(self) -> Mapping[str, str]:
        """The rules that are not looked at, and why."""
        return switched_off(self.workbench.config.lint_off)[0]

    def _find(self) -> Callable[..., tuple[Finding, ...]]:
        """What looks a story over, with everything that is known besides it."""
        state = self.state
        return partial(lint, stored=state.stored, record=state.character, off=self._off, embedded=self.service.embedded)

    def _keep_up(self) -> None:
        """Look the present story over, unless that was done."""
        story = self.state.story
        if story is self._looked_over.story:
            return
        if story is None or not story.start_known:  # what is reachable depends on the start
            self._looked_over = _LookedOver()
        elif len(story.sections) <= AT_ONCE:
            # At once, so that the next key finds what is wrong now and not what was.
            self._looked_over = _look_over(story, self._find())
        elif not self._looking and not self.state.pending:
            # After the tree was laid out: two that work beside the keyboard would keep it waiting.
            self._looking = True
            self.start(self._look, group="lint")

    async def _look(self) -> None:
        try:
            while (story := self.state.story) is not None and story is not self._looked_over.story:
                with lasting():
                    found = await asyncio.to_thread(_look_over, story, self._find())
                if story is self.state.story:
                    self._looked_over = found
        finally:
            self._looking = False
        self.show_panes()

    # -- showing ------------------------------------------------------------------------------------------------------

    def marks(self) -> Mapping[Pane, str]:
        """The gravest findings, besides what waits in the other panes."""
        counts = tally(told.finding.rule for told in self._looked_over.told)
        graver = [severity for severity in (Severity.ERROR, Severity.WARNING) if counts[severity]]
        return {**super().marks(), **({Pane.LINT: f"{SIGNS[graver[0]][0]} {counts[graver[0]]}"} if graver else {})}

    def show_panes(self) -> None:
        """Show what is found in the story, while that is what is looked at."""
        self._keep_up()
        super().show_panes()
        here = self.state.pane is Pane.LINT
        if here:
            self._show_findings()
            self.panes.border_subtitle = Content(self._standing())
        self.panes.set_class(here and self._seeking, "-finding")

    def _show_findings(self, *, keep: FindingKey | None = None) -> None:
        told = self._looked_over.told
        shown = self._shown()
        if self.state.story is None:
            notes = ["Here stands what is wrong with a story, as soon as there is one."]
        elif not self.state.story.start_known:
            notes = ["The story is checked once its start section is known."]
        elif self._looked_over.story is None:
            notes = ["Looking the story over…"]
        elif not told:
            notes = ["Nothing was found: the story is in order."]
        elif not shown:
            rest = self.keymap_label("least-severity")
            notes = [
                "Nothing matches." if self._sought.strip() else f"Nothing so grave was found; {rest} shows the rest."
            ]
        else:
            notes = []
        notes += [f"Switched off: {rule}. {reason}" for rule, reason in self._off.items()]
        self.panes.findings.show(shown, notes, self.keymap_label("fix-story-finding"), keep=keep)

    def _shown(self) -> list[Told]:
        """The findings that are grave enough and hold every word that is sought."""
        severities = list(Severity)
        grave = frozenset(severities[: severities.index(self._least) + 1])
        told = [one for one in self._looked_over.told if one.finding.rule.severity in grave]
        if self._sought.strip():
            told = [one for one in told if matches(self._sought, f"{one.words} {one.finding.rule.id}")]
        return told

    def _standing(self) -> str:
        """How many findings there are, and what is left out."""
        shown, off = self._shown(), len(self._off)
        left_out = len(self._looked_over.told) - len(shown)
        parts = [
            "looking…" if self._looked_over.story is not self.state.story else "",
            in_numbers(told.finding.rule for told in shown),
            f"{left_out} left out" if left_out else "",
            f"{number_of(off, 'rule')} off" if off else "",
        ]
        return " · ".join(filter(None, parts))

    def copy_choices(self) -> Sequence[Copyable]:
        """The findings that are shown, besides the rest."""
        choices, shown = super().copy_choices(), self._shown()
        return [*choices, Copyable("What is wrong with the story", partial(_as_text, shown))] if shown else choices

    # -- what the user does -------------------------------------------------------------------------------------------

    @on(LineView.Chosen, "#findings")
    def _finding_chosen(self, message: LineView.Chosen) -> None:
        message.stop()
        told = self.panes.findings.at_cursor
        if told is not None:
            self._go_to_place(told.finding.place)

    def _go_to_place(self, place: Place) -> None:
        """Put the cursor of the tree where something was found."""
        drawn = self.state.outline
        nodes = (drawn.find(node_id) for node_id in place.nodes) if drawn is not None else ()
        node = next((node for node in nodes if node is not None), None)
        if node is not None:
            self._jump(node)
        self.fill_window(False)

    def action_least_severity(self) -> None:
        """Leave out notes, then warnings as well, then nothing."""
        severities = list(Severity)
        if self.state.pane is Pane.LINT:
            self._least = severities[severities.index(self._least) - 1]
            self.show_panes()
        else:
            self.turn_to(Pane.LINT)

    def action_fix_finding(self) -> None:
        """Put right what the finding with the cursor is about; in the tree what was found there, if that is safe."""
        here = self._found_here()
        # What loses something is done where one has read what it is.
        aware = self.panes.findings.has_focus
        ways = [(told.words, told.finding.fix) for told in here if told.finding.fix is not None]
        words, fix = next(((words, fix) for words, fix in ways if aware or fix.safe), ("", None))
        if fix is None:
            self.workbench.tell("There is no one way to put this right safely." if here else "Nothing was found here.")
            return
        title = f"{words}: {fix.words}"
        self._put_right(fix.apply, lambda fixed: self.stage(fixed, title))

    def _found_here(self) -> Sequence[Told]:
        """What the cursor is at: a finding, or in the tree all that was found there."""
        view = self.panes.findings
        if self.state.pane is Pane.LINT and view.has_focus:
            return (view.at_cursor,) if view.at_cursor is not None else ()
        drawn, node = self.state.outline, self.node
        if drawn is None or node is None:
            return ()
        return [
            told
            for told in self._looked_over.told
            if node.id == next((key for key in told.finding.place.nodes if drawn.find(key) is not None), None)
        ]

    def action_fix_findings(self) -> None:
        """Put everything right for which there is a safe way."""
        find = self._find()
        self._put_right(lambda story: fix_all(story, find), lambda result: self._all_put_right(*result))

    def _all_put_right(self, fixed: Story, done: Sequence[str]) -> None:
        if not done:
            self.workbench.tell("There is nothing that can be put right safely.")
            return
        things = number_of(len(done), "thing")
        before = self.state.story
        self.stage(fixed, f"Put {things} right")
        if self.state.story is not before:
            self.workbench.tell(f"{things} put right; {self.keymap_label('undo-edit')} takes that back.")

    def _put_right(self, work: Callable[[Story], R], done: Callable[[R], None]) -> None:
        """Work out a change of the present story, a large one beside the keyboard."""
        story = self.state.story
        if story is None:
            return
        if len(story.sections) <= AT_ONCE:
            done(work(story))
        else:
            self.start(partial(self._work_out, story, work, done), group="fix")

    async def _work_out(self, story: Story, work: Callable[[Story], R], done: Callable[[R], None]) -> None:
        with lasting():
            result = await asyncio.to_thread(work, story)
        if story is self.state.story:
            done(result)
        else:
            self.workbench.tell("The story was changed meanwhile; nothing was put right.")

    # -- the filter ---------------------------------------------------------------------------------------------------

    @property
    def _seeking(self) -> bool:
        """Whether something is sought among the findings."""
        return bool(self._sought) or self.panes.find.has_focus

    def action_filter(self) -> None:
        """Look for words in the findings while keys go there; else in the tree."""
        if self.state.pane is Pane.LINT and self.panes.has_focus_within:
            self.panes.add_class("-finding")
            self.panes.find.focus()
        else:
            super().action_filter()

    @on(Input.Changed, "#find-finding")
    def _finding_sought(self, event: Input.Changed) -> None:
        if event.value != self._sought:
            self._filter_findings(event.value)

    def _filter_findings(self, sought: str) -> None:
        """Show other findings, the cursor on the first; without a filter on the one chosen before."""
        self._sought = sought
        current, shown = self.panes.findings.at_cursor, self._shown()
        self._finding_cursor = self._finding_cursor.turned(
            current.finding.key if current is not None else None,
            shown[0].finding.key if shown else None,
            narrowed=bool(sought.strip()),
        )
        self._show_findings(keep=self._finding_cursor.wanted)
        self.show_panes()

    @on(Input.Submitted, "#find-finding")
    def _finding_wanted(self) -> None:
        self._finding_cursor = FilterCursor()
        self.panes.findings.focus()
        self.show_panes()

    def action_go_back(self) -> None:
        """Out of the filter of the findings; else as everywhere on this screen."""
        if self.state.pane is Pane.LINT and self.panes.has_focus_within and self._seeking:
            if not self.panes.find.has_focus:
                self._finding_cursor = FilterCursor()
            self.panes.findings.focus()
            self.panes.find.value = ""
            self._filter_findings("")
        else:
            super().action_go_back()


def _as_text(found: Sequence[Told]) -> str:
    """Findings as text, a line each."""
    return "\n".join(f"{one.finding.rule.severity}: {one.words} ({one.finding.rule.id})" for one in found)
