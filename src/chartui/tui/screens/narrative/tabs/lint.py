"""The lint tab: findings in the story, updated after every edit, and their fixes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import ClassVar, TypeVar

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.strip import Strip
from textual.widgets import Input

from chartui.commands import DataEffect
from chartui.core.classes import NamedTuple
from chartui.core.lint import Severity, in_numbers, tally
from chartui.core.narrative.lint import Finding, FindingKey, Fix, fix_all, lint, switched_off, where
from chartui.core.narrative.lint.findings import Place
from chartui.core.narrative.signs import endings_text
from chartui.core.narrative.story import Story
from chartui.core.text import fold
from chartui.tui.bindings import bindings_for
from chartui.tui.garbage import lasting
from chartui.tui.glyphs import GLYPHS
from chartui.tui.guides import NO_FIX, NO_FIXES, NO_MATCHES, guide
from chartui.tui.lines import Line, fit, wrap
from chartui.tui.numbers import count, number_of
from chartui.tui.screens.narrative.state import AT_ONCE, Desk, NarrativeState, Tab
from chartui.tui.screens.narrative.tabs.tab import StoryTab
from chartui.tui.severity import SIGNS
from chartui.tui.widgets.filter import FilterCursor, ListFilter
from chartui.tui.widgets.laid_out import Stops
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.questions import Confirm
from chartui.tui.widgets.screen import Copyable

R = TypeVar("R")

#: Cells before a sentence: the sign, and a space on either side.
_INDENT = 3
#: Shortest cut of a place.
_LEAST = 20


class Listed(NamedTuple):
    """A finding and the description of its place."""

    finding: Finding
    where: str

    @property
    def words(self) -> str:
        return f"{self.where} {self.finding.message}"


class LintView(Stops[Strip | None, Listed]):
    """The findings, most severe first; the selected one explains its rule and its fix.

    Findings are drawn only when visible, so ten thousand cost no more than ten.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings_for("narrative.lint")

    _told: Sequence[Listed] = ()
    _notes: Sequence[str] = ()
    _fix_key = ""
    _open = 0
    #: Rows of explanation below the open finding.
    _explanation = 0

    def show(
        self, told: Sequence[Listed], notes: Sequence[str], fix_key: str, *, keep: FindingKey | None = None
    ) -> None:
        """Show these findings with notes below them; ``fix_key`` is the shortcut that fixes one.

        The cursor stays on its finding or moves to its successor; with ``keep`` it moves to that finding.
        """
        if self._rows and keep is None and (told, notes, fix_key) == (self._told, self._notes, self._fix_key):
            return
        held = keep or (self.at_cursor.finding.key if self.at_cursor is not None else None)
        self._told, self._notes, self._fix_key = told, notes, fix_key
        if held is not None:
            self._open = next((number for number, one in enumerate(told) if one.finding.key == held), self._open)
        self._open = max(0, min(self._open, len(told) - 1))
        self.lay_out()

    @property
    def shows_cursor(self) -> bool:
        """Also without the focus, since the selected finding can be fixed from the tree."""
        return self.can_stop_at(self.cursor)

    @property
    def at_cursor(self) -> Listed | None:
        """The finding under the cursor, whether or not it has been drawn."""
        return self._told[self._open] if self._open < len(self._told) else None

    def lay_out(self) -> None:
        width = self.room
        if width <= 0:
            return
        rows: list[tuple[Strip | None, Listed | None]] = [(None, one) for one in self._told]
        if self._told:
            one = self._told[self._open]
            first, *more = self._explained(one, width)
            rows[self._open : self._open + 1] = [(first, one), *((strip, None) for strip in more)]
            self._explanation = len(more)
        rows += [(Line(width).strip(), None)] if rows and self._notes else []
        for note in self._notes:
            rows += [(Line(width).gap().add(line, self.palette.label).strip(), None) for line in wrap(note, width - 2)]
        # Every row above the open finding is a finding, so its row is its number.
        self.set_reactive(LineView.cursor, self._open)
        self.put(rows)
        self.scroll_to_row(self._open)

    def scroll_to_row(self, index: int) -> None:
        """Scroll as little as needed to show a row; with the open finding, its explanation too."""
        if index == self._open:
            # With the last finding, show the notes below it too, since the cursor can't reach them.
            last = self._open == len(self._told) - 1
            super().scroll_to_row(self.row_count - 1 if last else self._open + self._explanation)
        super().scroll_to_row(index)

    def _explained(self, told: Listed, width: int) -> list[Strip]:
        """The full finding: its sentence, its rule's reason, and its fix."""
        palette, room = self.palette, width - _INDENT - 1
        room -= 2 if told.finding.sign else 0
        first, *more = wrap(told.words, room)
        why = f"{told.finding.rule.why} ({told.finding.rule.id})"
        rows = [self._begun(told, width).add(first, palette.value)]
        rows += [Line(width).gap(_INDENT).add(line, palette.value) for line in more]
        rows += [Line(width).gap(_INDENT).add(line, palette.label) for line in wrap(why, room)]
        if told.finding.fix is not None:
            line = Line(width).gap(_INDENT).add(self._fix_key, palette.key).gap()
            rows.append(line.add(told.finding.fix.words, palette.quiet))
        return [line.strip() for line in rows]

    def _begun(self, told: Listed, width: int) -> Line:
        sign, role = SIGNS[told.finding.rule.severity]
        line = Line(width).gap().add(sign, getattr(self.palette, role)).gap()
        return line.add(f"{told.finding.sign} ", self.palette.label) if told.finding.sign else line

    def draw_row(self, index: int, width: int) -> Strip:
        painted, told = self._rows[index]
        if painted is not None:
            return painted.adjust_cell_length(width)
        assert told is not None  # noqa: S101 - rows without a finding are painted already
        line = self._begun(told, width)
        # The sentence is shown whole if that leaves room for part of the place.
        room = line.left - cell_len(told.finding.message) - 1
        if room < min(cell_len(told.where), _LEAST):
            words = fit(told.words, line.left).rstrip()
        else:
            words = f"{fit(told.where, room).rstrip()} {told.finding.message}"
        return line.add(words, self.palette.value).strip()

    def said_current(self) -> Iterator[str]:
        """The whole finding: its sentence, its rule's reason and its fix; with the last one, the notes below it."""
        behind = (row for row in range(self.cursor + 1, self.row_count) if self.can_stop_at(row))
        for index in range(self.cursor, next(behind, self.row_count)):
            yield from self.said_row(index)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return super().check_action(action, parameters) if action != "choose" else self.at_cursor is not None

    def watch_cursor(self, old: int, new: int) -> None:
        """Open the explanation of the selected finding and close the previous one."""
        told = self._rows[new][1] if new < len(self._rows) else None
        if told is not None:
            self._open = new if new <= self._open else new - self._explanation
            self.lay_out()
            new = self._open
        super().watch_cursor(old, new)


# -- the tab ----------------------------------------------------------------------------------------------------------


class _Checked(NamedTuple):
    story: Story | None = None
    told: tuple[Listed, ...] = ()
    mark: str = ""


def _checked(story: Story, find: Callable[..., Sequence[Finding]]) -> _Checked:
    graph = story.graph()
    told = tuple(Listed(finding, where(graph, finding.place)) for finding in find(story, graph=graph))
    counts = tally(each.finding.rule for each in told)
    worst = next((one for one in (Severity.ERROR, Severity.WARNING) if counts[one]), None)
    return _Checked(story, told, f"{SIGNS[worst][0]} {counts[worst]}" if worst is not None else "")


class LintTab(StoryTab):
    """The findings, staged changes included. A large story is checked in the background, latest version only."""

    DEFAULT_CSS = """
    LintTab > #find-finding { display: none; border: none; height: 1; padding: 0 1; background: $panel; }
    LintTab.-finding > #find-finding { display: block; }
    """

    def __init__(self, desk: Desk) -> None:
        self.view = LintView(id="findings")
        super().__init__(desk, self.view, id="lint-tab")
        self._find_box = ListFilter("filter: section, trigger, problem", id="find-finding")
        self._found = _Checked()
        self._checking = False
        self._least = Severity.NOTE
        self._sought = ""
        self._finding_cursor: FilterCursor[FindingKey] = FilterCursor()
        self._going_to = ""

    def compose(self) -> ComposeResult:
        yield self._find_box
        yield self.view

    # -- checking -----------------------------------------------------------------------------------------------------

    @property
    def _off(self) -> Mapping[str, str]:
        return switched_off(self._desk.workbench.config.lint_off)[0]

    def _find(self) -> Callable[..., tuple[Finding, ...]]:
        state, embedded = self._desk.state, self._desk.service.embedded
        return partial(lint, stored=state.stored, record=state.character, off=self._off, embedded=embedded)

    def keep_up(self, state: NarrativeState) -> None:
        """Check the current story, unless already done."""
        story = state.story
        if story is self._found.story:
            return
        if story is None or not story.start_known:  # reachability depends on the start
            self._found = _Checked()
        elif len(story.sections) <= AT_ONCE:
            # Immediately, so that the next key acts on the current findings.
            self._found = _checked(story, self._find())
        elif not self._checking and not state.pending:
            # After the tree is laid out and drawn: a thread beside them would delay both, and the keys.
            self._checking = True
            self.call_after_refresh(self._desk.start, self._check, group="lint")

    async def _check(self) -> None:
        try:
            while (story := self._desk.state.story) is not None and story is not self._found.story:
                with lasting():
                    found = await asyncio.to_thread(_checked, story, self._find())
                if story is self._desk.state.story:
                    self._found = found
        finally:
            self._checking = False
        self._desk.show_tabs()

    # -- showing ------------------------------------------------------------------------------------------------------

    @property
    def mark(self) -> str:
        return self._found.mark

    def show(self, state: NarrativeState) -> None:
        self._show_findings(state)
        self.set_class(self._finding, "-finding")

    def _show_findings(self, state: NarrativeState, *, keep: FindingKey | None = None) -> None:
        if self._going_to and self._found.story is not None and self._found.story is state.story:
            keep, self._going_to = self._named(self._going_to), ""
        shown = self._shown()
        notes = [self._no_findings(state)] if not shown else []
        notes += [f"Switched off: {rule}. {reason}" for rule, reason in self._off.items()]
        locked = DataEffect.STAGE in self._desk.workbench.locked
        fix_key = f"{GLYPHS.read_only} " * locked + self._desk.label("fix-finding-in-story")
        self.view.show(shown, notes, fix_key, keep=keep)
        self.say(self._standing(state))

    def _no_findings(self, state: NarrativeState) -> str:
        if state.story is None or not (state.story.sections or state.story.triggers):
            return self.emptiness("Problems in the story are listed here.")
        if not state.story.start_known:
            return "The story will be checked when the start section is known."
        if self._found.story is None:
            return "Checking the story…"
        if not self._found.told:
            return "No findings. The story is checked again after every edit."
        if self._sought.strip():
            return NO_MATCHES
        hidden = "No errors." if self._least is Severity.ERROR else "No errors or warnings."
        return guide(self._desk.workbench, hidden, "{lint-severity} shows all findings.")

    def _shown(self) -> list[Listed]:
        """The findings that match the severity and the filter."""
        told = [one for one in self._found.told if self._is_severe(one)]
        if self._sought.strip():
            sought = fold(self._sought).split()
            told = [one for one in told if all(word in fold(f"{one.words} {one.finding.rule.id}") for word in sought)]
        return told

    def _is_severe(self, told: Listed) -> bool:
        severities = list(Severity)
        return severities.index(told.finding.rule.severity) <= severities.index(self._least)

    def _standing(self, state: NarrativeState) -> str:
        """The number of findings, how many are hidden and why, and the key that changes the severities shown."""
        shown, off = self._shown(), len(self._off)
        hidden = [told.finding.rule for told in self._found.told if not self._is_severe(told)]
        unmatched = len(self._found.told) - len(shown) - len(hidden)
        level = {Severity.ERROR: "warnings and notes", Severity.WARNING: "notes"}.get(self._least, "")
        then = {Severity.ERROR: "shows errors only", Severity.WARNING: "hides notes"}
        key = f"{self._desk.label('lint-severity')} {then.get(self._next_severity, 'shows all')}"
        parts = [  # the last ones may have no room
            "checking…" if self._found.story is not state.story else "",
            in_numbers(told.finding.rule for told in shown),
            f"{in_numbers(hidden) or level} hidden" if level else "",
            f"{count(unmatched)} filtered out" if unmatched else "",
            f"{number_of(off, 'rule')} off" if off else "",
            key if shown or level else "",
        ]
        return " · ".join(filter(None, parts))

    def copy_choices(self) -> Sequence[Copyable]:
        shown = self._shown()
        return (Copyable("Findings in the story", partial(_as_text, shown)),) if shown else ()

    # -- the selected finding, by a name ------------------------------------------------------------------------------

    @property
    def finding_name(self) -> str:
        """The selected finding by its rule, and its number if it is not the rule's first; empty for none."""
        if self._going_to or (told := self.view.at_cursor) is None:
            return self._going_to
        rule = told.finding.rule.id
        numbers = {key: number for number, key in enumerate(self._keys_of(rule), 1)}
        return f"{rule}:{number}" if (number := numbers.get(told.finding.key, 1)) > 1 else rule

    def go_to(self, name: str) -> None:
        """Select the finding of this name once the story is checked."""
        self._going_to = name

    def _named(self, name: str) -> FindingKey | None:
        rule, _, number = name.partition(":")
        keys, index = self._keys_of(rule), int(number or 1) - 1 if number.isdecimal() or not number else -1
        if 0 <= index < len(keys):
            return keys[index]
        self._desk.workbench.tell(f"The finding “{name}” no longer exists.", severity="warning")
        return None

    def _keys_of(self, rule: str) -> list[FindingKey]:
        return [told.finding.key for told in self._found.told if told.finding.rule.id == rule]

    # -- what the user does -------------------------------------------------------------------------------------------

    @on(LineView.Chosen, "#findings")
    def _chosen(self, message: LineView.Chosen) -> None:
        """Go to the place of a finding in the tree."""
        message.stop()
        if (told := self.view.at_cursor) is not None:
            self._desk.go_to(*told.finding.place.nodes)
            self._desk.fill_window(False)

    @on(LineView.Moved, "#findings")
    def _moved(self) -> None:
        """Offer the fix in the footer only if the selected finding has one."""
        self.refresh_bindings()

    @property
    def _next_severity(self) -> Severity:
        """Hides notes, then warnings too, then shows everything again; the latter also when nothing is left to hide."""
        severities = list(Severity)
        if not any(self._is_severe(one) for one in self._found.told):
            return Severity.NOTE
        return severities[severities.index(self._least) - 1]

    def turn_severity(self) -> None:
        self._least = self._next_severity
        self._desk.show_tabs()

    def forget(self) -> None:
        """Show all findings again, for another character."""
        self._least, self._sought, self._finding_cursor = Severity.NOTE, "", FilterCursor()
        self._find_box.value = ""

    @property
    def selected(self) -> Finding | None:
        """The selected finding; None while another tab is open."""
        told = self.view.at_cursor if self._desk.state.tab is Tab.LINT else None
        return told.finding if told is not None else None

    @property
    def place(self) -> Place | None:
        """The place of the selected finding; None while the findings are those of an earlier story."""
        told = self.view.at_cursor if self._found.story is self._desk.state.story else None
        return told.finding.place if told is not None else None

    def fix_finding(self) -> None:
        """Fix the selected finding; asks first unless the fix is safe."""
        desk, told = self._desk, self.view.at_cursor
        if desk.refuses():
            return
        if self.selected is None or told is None:
            desk.workbench.tell(guide(desk.workbench, "No finding selected.", "{show-lint} lists the findings."))
        elif (fix := told.finding.fix) is None:
            desk.workbench.tell(NO_FIX)
        elif fix.safe:
            self._fix(told.words, fix)
        else:
            message = f"{told.words}. Fix: {fix.words}. {desk.label('undo-edit')} undoes this edit."
            confirm = Confirm("Fix this finding", message, "Fix")
            desk.workbench.push_screen(confirm, lambda agreed: self._fix(told.words, fix) if agreed else None)

    def _fix(self, words: str, fix: Fix) -> None:
        self._work_out(fix.apply, lambda fixed: self._desk.stage(fixed, f"{words}: {fix.words}"))

    def fix_findings(self) -> None:
        if self._desk.refuses():
            return
        find = self._find()
        self._work_out(lambda story: fix_all(story, find), lambda result: self._all_fixed(*result))

    def _all_fixed(self, fixed: Story, done: Sequence[str]) -> None:
        if not done:
            self._desk.workbench.tell(NO_FIXES)
            return
        findings = number_of(len(done), "finding")
        before = self._desk.state.story
        self._desk.stage(fixed, f"fix {findings}")
        if self._desk.state.story is not before:
            effect, undo = endings_text(before, fixed), self._desk.label("undo-edit")
            self._desk.workbench.tell(f"Fixed {findings}. {effect}{undo} undoes this edit.")

    def _work_out(self, work: Callable[[Story], R], done: Callable[[R], None]) -> None:
        """Compute a change of the current story, in the background for a large one."""
        story = self._desk.state.story
        if story is None:
            return
        if len(story.sections) <= AT_ONCE:
            done(work(story))
        else:
            self._desk.start(partial(self._work_out_apart, story, work, done), group="fix")

    async def _work_out_apart(self, story: Story, work: Callable[[Story], R], done: Callable[[R], None]) -> None:
        with lasting():
            result = await asyncio.to_thread(work, story)
        if story is self._desk.state.story:
            done(result)
        else:
            self._desk.workbench.tell("The story has changed in the meantime. Nothing was fixed.")

    # -- the filter ---------------------------------------------------------------------------------------------------

    @property
    def _finding(self) -> bool:
        return bool(self._sought) or self._find_box.has_focus

    def begin_filter(self) -> bool:
        self.add_class("-finding")
        self._find_box.focus()
        return True

    @property
    def _current_key(self) -> FindingKey | None:
        return told.finding.key if (told := self.view.at_cursor) is not None else None

    @on(Input.Changed, "#find-finding")
    def _sought_changed(self, event: Input.Changed) -> None:
        if event.value != self._sought:
            self._filter(event.value)

    def _filter(self, sought: str) -> None:
        """Filter the findings; the cursor moves to the first match, or back in place without a filter."""
        self._sought = sought
        shown = self._shown()
        self._finding_cursor = self._finding_cursor.turned(
            self._current_key,
            shown[0].finding.key if shown else None,
            narrowed=bool(sought.strip()),
        )
        self._show_findings(self._desk.state, keep=self._finding_cursor.wanted)
        self._desk.show_tabs()

    @on(Input.Submitted, "#find-finding")
    def _accept(self) -> None:
        self._finding_cursor = self._finding_cursor.accepted(self._current_key)
        self.view.focus()
        self._desk.show_tabs()

    def go_back(self) -> bool:
        """Clear the filter; without one, move the tree's cursor to the selected finding and return False."""
        if not self._finding:
            if (told := self.view.at_cursor) is not None:
                self._desk.go_to(*told.finding.place.nodes, jump=False)
            return False
        if not self._find_box.has_focus:
            self._finding_cursor = self._finding_cursor.accepted(self._current_key)
        self.view.focus()
        self._find_box.value = ""
        self._filter("")
        return True


def _as_text(found: Sequence[Listed]) -> str:
    return "\n".join(f"{one.finding.rule.severity}: {one.words} ({one.finding.rule.id})" for one in found)
