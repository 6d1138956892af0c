"""A story is written from nothing with few keys besides its words, and what is asked stands at the cursor."""

from __future__ import annotations

from collections import Counter

import pytest

from chartui.core.narrative.lint import lint
from chartui.core.narrative.nodes import Kind
from chartui.core.narrative.story import overrides_of
from chartui.tui.screens.narrative.dialogs import TargetChooser
from chartui.tui.widgets.editor import Editor
from chartui.tui.widgets.questions import Confirm
from chartui.tui.widgets.review import Review
from tests.tui.keyboard import covers
from tests.tui.sessions import demo, seeded
from tests.tui.stories import edit, go_to, named, ways
from tests.tui.user import NARROW, WIDE, User, opened


class Author:
    """Writes a story at the cursor. ``keys`` counts all keys that are not typed text, by what they are pressed for."""

    def __init__(self, user: User) -> None:
        self.user = user
        self.keys: Counter[str] = Counter()
        self.most: dict[str, int] = {}

    async def _press(self, kind: str, *parts: str | list[str]) -> None:
        """Press the keys of ``parts``; a list is a text."""
        structural = [part for part in parts if isinstance(part, str)]
        self.keys[kind] += len(structural)
        self.most[kind] = max(self.most.get(kind, 0), len(structural))
        for part in parts:
            await self.user.press(*([part] if isinstance(part, str) else part))
            await self.user.settle()

    async def moves(self, *keys: str) -> None:
        await self._press("move", *keys)

    async def begins(self, name: str) -> None:
        await self._press("first section", "a", list(name), "enter")

    async def continues(self, *names: str) -> None:
        """The next sections of a chain, or an existing one."""
        for name in names:
            await self._press("chain", "enter", list(name), "enter")

    async def decides(self, name: str, criteria: str) -> None:
        """A decision with criteria, to a new section or an existing one."""
        await self._press("decision", "a", list(name), "enter", list(criteria), "enter")

    async def ends(self) -> None:
        await self._press("ending", "full_stop")

    async def triggers(self, name: str, message: str, target: str) -> None:
        """A trigger: after another one, or else beside a decision."""
        after = self.user.narrative.here.kind is Kind.TRIGGER
        place = () if after else ("down",)
        await self._press("trigger", "a", list(name), *place, "enter", list(message), "enter", list(target), "enter")

    async def overrides(self, name: str, target: str) -> None:
        await self._press("override", "a", list(name), "down", "down", "enter", list(target), "enter")


@covers("continue-story", "add-to-story", "end-here", "apply-story")
async def test_a_story_is_written_from_nothing_with_three_keys_a_section_besides_its_words() -> None:
    async with opened(demo(fill_store=seeded(1)), screen="narrative", size=NARROW) as user:
        await user.sees("This graph is empty. Press a to add the first section")
        assert user.bottom_line.split()[:2] == ["a", "add"]
        author = Author(user)
        await author.begins("The hall")
        await author.decides("Gallery", "They like pictures")
        await author.decides("Tower", "They like heights")
        await author.decides("Garden", "They need air")
        await author.moves("down")
        await author.continues("Portrait", "Frame", "Hidden door", "Cellar", "Exit")
        await author.ends()
        await author.moves("down")
        await author.continues("Stairs", "Bell", "Exit")
        await author.moves("down", "down")
        await author.continues("Fountain", "Maze")
        await author.decides("Left turn", "They go left")
        await author.decides("Right turn", "They go right")
        await author.moves("down")
        await author.decides("Fountain", "They want to go back")
        await author.moves("down", "down")
        await author.continues("Exit")
        await author.triggers("Alarm", "The alarm rings", "Exit")
        await author.triggers("Closing time", "The museum closes", "Hall")
        await author.triggers("Rain", "It begins to rain", "Gallery")
        await author.moves("home")
        await author.overrides("Alarm", "Cellar")

        story = user.narrative.story
        assert (len(story.sections), len(story.triggers)) == (15, 3)
        assert story.start == named(story, "The hall")
        assert ways(user, "The hall") == [
            ("They like pictures", "Gallery"),
            ("They like heights", "Tower"),
            ("They need air", "Garden"),
        ]
        assert ways(user, "Bell") == ways(user, "Cellar") == ways(user, "Right turn") == [("*", "Exit")]
        assert ways(user, "Maze") == [("They go left", "Left turn"), ("They go right", "Right turn")]
        assert ways(user, "Left turn") == [("They want to go back", "Fountain")]
        alarm = next(key for key, one in story.triggers.items() if one.trigger_name == "Alarm")
        assert overrides_of(story.sections[story.start]) == {alarm: named(story, "Cellar")}
        assert not {"unreachable", "dead-end", "dangling", "not-connected"} & {one.rule.id for one in lint(story)}

        decisions = sum(len(section.decisions or ()) for section in story.sections.values())
        written = sum(author.keys[kind] for kind in ("first section", "chain", "decision", "ending"))
        assert max(author.most[kind] for kind in ("first section", "chain", "decision", "ending")) <= 3
        assert author.most["chain"] == 2
        assert decisions == 17
        assert written + author.keys["move"] <= 3 * (1 + decisions), author.keys  # even with each move counted
        assert author.keys["trigger"] <= 3 * 5
        assert author.keys["override"] <= 5

        await user.press("S")
        await user.at(Review)
        await user.press("y")
        await user.until(lambda: user.at_work and not user.narrative.staged, "for everything to be sent")
        assert len(user.narrative.stored.sections) == 15


@covers("continue-story")
async def test_only_an_open_end_of_the_story_is_continued() -> None:
    async with opened(demo(), screen="narrative", size=WIDE) as user:
        await go_to(user, Kind.SECTION, "Farewell at the gift shop")  # an ending
        assert "continue" not in user.bottom_line
        await user.press("enter")
        await user.settle()
        assert user.at_work
        await user.press("a", *"Epilogue", "enter", *"They stay", "enter")
        user.narrative.go_to_section(named(user.narrative.story, "Epilogue"))
        await user.until(lambda: "⏎ continue" in user.bottom_line, "for the footer")
        assert user.bottom_line.index("continue") < user.bottom_line.index("e edit") < user.bottom_line.index("a add")
        await user.press("enter")
        await user.at(TargetChooser)
        await user.sees("Section after “Epilogue” (via catch-all *)")
        await user.press("escape")
        await user.back()
        assert ways(user, "Epilogue") == []


async def test_a_section_added_out_of_sight_is_reported() -> None:
    async with opened(demo(), screen="narrative", size=NARROW) as user:
        await user.press("a", *"The roof", "enter", *"They look up", "enter")
        await user.is_told("Staged: add the decision “They look up”, and add the section “The roof”. z reverts it.")


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "120x40"])
async def test_a_question_stands_at_the_cursor_and_moves_nothing(size: tuple[int, int]) -> None:
    async with opened(demo(), screen="narrative", size=size) as user:
        await go_to(user, Kind.SECTION, "House rules")
        await user.rests()
        before = user.screen.splitlines()
        await user.press("f2")
        await user.sees("New name for the section")
        asked = user.screen.splitlines()
        changed = [number for number, both in enumerate(zip(before, asked, strict=True)) if both[0] != both[1]]
        here = next(number for number, line in enumerate(before) if "▌" in line)
        assert changed[0] == here + 1
        assert changed[-2] <= here + 6  # and the footer
        await user.press("escape")
        await user.until(lambda: user.screen.splitlines() == before, "for the question to go")
        await user.press("end")
        await user.rests()
        here = next(number for number, line in enumerate(user.screen.splitlines()) if "▌" in line)
        await user.press("f2")
        await user.sees("New name for the")
        asked = user.screen.splitlines()
        place = next(number for number, line in enumerate(asked) if "New name for the" in line)
        assert 0 < abs(place - here) <= 4  # above it if there is no room below
        assert "▌" in asked[here]


async def test_tags_and_keys_are_marked_and_completed_in_the_editor() -> None:
    async with opened(demo(), screen="narrative", size=WIDE) as user:
        await edit_objective(user)
        await user.press("enter", *"Say <sp")
        assert "tab complete" in user.bottom_line
        await user.press("tab", *"Hello {Visi", "right", *"</", "tab", *" {Nobody")
        assert "tab complete" not in user.bottom_line
        await user.press("}")
        await user.sees("Say <speak>Hello {VisitorName}</speak> {Nobody}")
        line = next(strip for strip in user.styles() if "Say <speak>" in strip.text)
        style = {segment.text: segment.style.color for segment in line if segment.style is not None}
        assert style["<speak>"] == style["</speak>"] != style["{VisitorName}"] == style["{Nobody}"]
        assert style["Hello "] not in (style["<speak>"], style["{Nobody}"])
        await user.press("escape")
        await user.back()
        section = user.narrative.story.sections[named(user.narrative.story, "House rules")]
        assert str(section.objective).splitlines()[1] == "Say <speak>Hello {VisitorName}</speak> {Nobody}"


async def edit_objective(user: User) -> None:
    await go_to(user, Kind.SECTION, "House rules")
    await edit(user, "objective")
    await user.at(Editor)


@covers("apply-story")
async def test_a_review_counts_new_parts_and_what_was_applied_is_quoted_once() -> None:
    async with opened(demo(fill_store=seeded(1)), screen="narrative", size=NARROW) as user:
        author = Author(user)
        await author.begins("The hall")
        await author.decides("Gallery", "They like pictures")
        await author.decides("Tower", "They like heights")
        await author.triggers("Alarm", "The alarm rings", "Tower")
        await author.moves("home")
        await author.overrides("Alarm", "Gallery")
        await user.press("S")
        await user.at(Review)
        await user.sees(
            "+ 3 new sections: The hall, Gallery, Tower",
            "+ 1 new trigger: Alarm",
            "+ 2 decisions, 1 override in the new sections",
        )
        await user.misses("They like pictures → “Gallery”")
        await user.press("t", "end")
        await user.sees("They like pictures → “Gallery”")
        await user.press("y")
        await user.back()
        await user.press("home", "e", *"Welcome", "escape", "S")
        await user.at(Review)
        await user.press("y")
        await user.is_told("Applied: objective empty → Welcome · Bela Castillo · section “The hall”")


@covers("add-to-story")
async def test_a_staged_decision_is_marked_where_it_is_a_reference() -> None:
    async with opened(screen="narrative", size=WIDE) as user:
        await Author(user).decides("The gallery", "They ask again")
        await user.press("asterisk")
        await user.sees("Δ 1 section", "They ask again")
        marked = [line for line in user.pane("#tree").splitlines() if "Δ" in line]
        assert len(marked) == 2  # the section, and its new decision; no other decision of it
        assert "They ask again" in marked[1]
        assert "↩ The gallery" in marked[1]


@covers("add-to-story", "quit")
async def test_a_later_question_goes_back_to_the_one_before_and_quitting_there_asks() -> None:
    async with opened(screen="narrative", size=NARROW) as user:
        await user.press("a", *"Gong")
        await user.sees("+ new trigger instead “Gong”")
        await user.press("down")
        await user.settle()
        await user.press("enter")
        await user.sees("Message that describes the event", "esc goes back")
        await user.press(*"It rings", "enter")
        await user.at(TargetChooser)
        await user.sees("esc back")
        await user.press("ctrl+q")
        await user.at(Confirm)
        await user.sees("“Gong”", "“It rings”")
        await user.press("escape")
        await user.at(TargetChooser)
        await user.press("escape")
        await user.sees("Message that describes the event", "It rings")
        await user.press("escape")
        await user.at(TargetChooser)
        await user.sees("+ new section “Gong”")
        await user.press("enter")
        await user.sees("Criteria for")
        await user.press("ctrl+q")
        await user.at(Confirm)
        await user.sees("Typed text that is not staged yet", "“Gong”")
        await user.press("escape")
        await user.back()
        await user.press("escape", "escape")
        await user.until(lambda: user.at_work and not user.narrative.asks_line, "for the tree")
        assert not user.narrative.staged


async def test_a_name_is_cut_only_without_room_and_within_its_quotes() -> None:
    name = "They want a tour of the lighthouse before lunch"
    async with opened(screen="narrative", size=WIDE) as user:
        await user.press("down", "a", *name)
        await user.sees(f"+ new section “{name}”", f"+ trigger override instead “{name}”")
        await user.resize(60, 20)
        await user.sees(f"+ new section “{name[:30]}", "+ trigger override instead “They want a tour …”")
        await user.press("enter")
        await user.press("escape", "escape")
        await user.press("f2", *"A name that is longer than the title of any dialog", "enter", "a")
        await user.at(TargetChooser)
        await user.sees("─ Target of the new decision in “A name that is lon…” ─")
