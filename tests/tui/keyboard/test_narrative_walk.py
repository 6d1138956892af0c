"""A story is played in its pane: by choice, by chance, and as files say."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from textual.widgets import Input

from chartui.core.estimation.scenario import Scenarios, from_table
from chartui.core.narrative.story import Story, decision
from chartui.core.narrative.walk.path import Choice, How, Walk
from chartui.core.narrative.walk.replay import Script, script_of, walk_toml
from chartui.tui.screens.narrative.dialogs import AskRandomWalks, KeysForm, OpenWalk, WalkChooser
from chartui.tui.screens.narrative.state import Tab
from chartui.tui.screens.narrative.tabs.walk_text import Playing, rows_of
from chartui.tui.shell.files import FileName
from chartui.tui.widgets.chooser import Chooser
from tests.tui.hostile import HOSTILE
from tests.tui.keyboard import covers
from tests.tui.sessions import demo
from tests.tui.starting import LOCAL, fill_local, started
from tests.tui.user import SMALL, WIDE, User, opened

WELCOME = "Welcome at the door"


def name_of(user: User, section_id: str | None) -> str:
    return user.narrative.playing.walk.graph.section_name(section_id or "")


def here(user: User) -> str:
    return name_of(user, user.narrative.playing.walk.here)


def in_tree(user: User) -> str:
    """The section that the cursor of the tree is at."""
    node = user.narrative.node
    assert node is not None
    return name_of(user, node.section)


@covers("show-walk", "restart-walk", "go-back")
async def test_decisions_are_taken_triggers_fired_and_choices_taken_back() -> None:
    session = demo(read_only=True)
    async with opened(session, screen="narrative") as user:
        # All at once, as a slow line delivers keys: the pane is there before its picture is.
        await user.press("w", "1")
        await user.sees(
            "▶ Welcome at the door › House rules * The case",
            "“Three rules: walk, whisper, and touch only what I hand you.”",
            "* always → The case",
            "1  They accept the case → Notebooks and pencils",
            "ϟ  Visitor asks for help in this section → House rules",
            "ϟ  Visitor asks for help in House rules → A hint",
        )
        assert user.narrative.fills_window()
        assert in_tree(user) == "The case"
        await user.press("down", "down", "enter")
        assert here(user) == "Everybody out, calmly"
        await user.sees("“Please leave everything and follow me to the courtyard.”", "  Count the group twice.")
        await user.press("9", "space")
        assert here(user) == "The gallery"
        await user.press("backspace", "left")
        assert here(user) == in_tree(user) == "The case"
        await user.press("r")
        assert here(user) == in_tree(user) == "Welcome at the door"
        await user.is_told("Restarted the walk. ⌫ returns to the previous one.")
        await user.press("backspace")
        assert here(user) == in_tree(user) == "The case"
        await user.press("backspace")
        assert here(user) == in_tree(user) == "Welcome at the door"
        await user.press("backspace")
        await user.is_told("The walk started here.")
        await user.press("escape")
        assert not user.narrative.fills_window()
        assert user.app.focused is user.narrative.tree
        await user.press("w", "slash", *"lamp")
        assert not user.narrative.fills_window()
        assert user.filter.value == "lamp"
        assert {call.operation.effect.value for call in session.recorder.calls} == {"read"}


async def test_a_way_that_leads_on_from_an_ending_says_so() -> None:
    async with opened(screen="narrative", size=WIDE) as user:
        graph = user.narrative.story.graph()
        await user.press("slash", *"everybody out", "enter")
        assert in_tree(user) == "Everybody out, calmly"
        await user.finds("path-from")
        await user.at(Chooser)
        ending = next(key for key in graph.sections if graph.section_name(key) == "Farewell at the gift shop")
        await user.press(*"farewell at", "enter")
        await user.sees("▶ ∎ Farewell at the gift shop ϟ Everybody out")
        assert user.narrative.playing.walk.beginning.id == ending
        await user.is_told("continues after the ending “Farewell at the gift shop”")


@covers("show-walk")
async def test_it_begins_where_the_tree_is_and_asks_while_a_walk_is_open() -> None:
    async with opened(screen="narrative", size=WIDE) as user:
        await user.press("right_square_bracket", "right_square_bracket", "right_square_bracket")
        await user.sees("▶ Welcome at the door")
        await user.press("down", "down", "down")
        other = in_tree(user)
        await user.sees(f"▶ {other}")
        await user.press("w", "1")
        assert len(user.narrative.playing.choices) == 1
        walk = user.narrative.playing.walk
        await user.press("escape", "w")
        assert user.narrative.playing.walk == walk
        await user.press("escape", "home", "w")
        await user.at(Chooser)
        start = f"Start a new walk at “{WELCOME}”"
        assert [one.label for one in user.choices] == [
            start,
            f"Resume the walk at “{here(user)}”",
            f"Jump to “{WELCOME}” in this walk",
        ]
        await user.press("escape")
        await user.back()
        assert (user.focused_tab, user.narrative.playing.walk) == (None, walk)
        await user.press("w", "down", "down", "enter")
        await user.back()
        assert (here(user), user.narrative.playing.choices[-1].how.value) == (WELCOME, "jump")
        await user.press("backspace")
        assert user.narrative.playing.walk == walk
        await user.press("escape", "home", "w", "down", "enter")
        await user.back()
        assert (here(user), in_tree(user)) == (name_of(user, walk.here), name_of(user, walk.here))
        assert user.narrative.playing.walk == walk
        await user.press("escape", "home", "w", "enter")
        await user.back()
        assert (user.focused_tab, here(user)) == ("walk", WELCOME)
        assert not user.narrative.playing.choices


async def test_digits_take_decisions_from_the_tree_while_the_walk_is_visible() -> None:
    async with opened(screen="narrative") as user:
        await user.press("1")
        assert user.focus == "tree"
        await user.press("left_square_bracket", "left_square_bracket")
        await user.sees("1–9 take · W save walk")  # in the tree, Backspace goes back to where the cursor was
        await user.press("9")
        await user.is_told("No decision 9 here.")
        await user.press("1")
        assert (user.focused_tab, here(user)) == ("walk", "The case")
        await user.sees("1–9 take · ⌫ back · W save walk")
        await user.press("escape", "tab", "1")
        await user.sees("They accept the case → Notebooks and pencils")


async def test_in_a_low_window_the_decisions_are_visible_and_the_text_is_a_key_away() -> None:
    async with opened(screen="narrative", size=SMALL) as user:
        await user.press("left_square_bracket", "left_square_bracket", "tab", "1")
        await user.sees("1  They accept the case → Notebooks and pencils", "2  They would rather look around")
        await user.sees("↑ text above")
        await user.misses("Tell the case")
        await user.press("v", "v")  # high, and low again
        await user.sees("1  They accept the case → Notebooks and pencils", "2  They would rather look around")
        await user.press(*["up"] * 4)
        await user.sees("* always → The case", "Tell the case")
        await user.press("1")
        await user.sees("… › Notebooks and pencils", "↑ 3 steps above", "1  Everybody has a pencil → The gallery")


async def test_the_footer_of_a_walk_names_the_key_that_restarts_it() -> None:
    async with opened(screen="narrative") as user:
        assert "restart" not in user.bottom_line
        await user.press("w")
        assert "r restart" in user.bottom_line


@covers("new-walk")
async def test_in_a_walk_the_same_key_starts_a_new_one_here_or_at_the_start() -> None:
    async with opened(screen="narrative") as user:
        await user.press("w", "1", "1", "escape", "w")
        there = here(user)
        assert there not in (WELCOME, "The case")  # the walk was resumed where the tree's cursor is
        await user.press("w")
        await user.at(Chooser)
        await user.sees(
            f"Start a new walk at “{there}”", f"Start a new walk at “{WELCOME}”", f"Resume the walk at “{there}”"
        )
        await user.press("down", "enter")
        await user.until(lambda: here(user) == WELCOME)
        assert not user.narrative.playing.choices


async def test_a_number_that_no_decision_has_is_refused_in_words() -> None:
    async with opened(screen="narrative") as user:
        await user.press("w", "9")
        await user.is_told("No decision 9 here.")


async def test_in_a_small_window_the_walks_to_choose_from_are_readable() -> None:
    async with opened(screen="narrative", size=SMALL) as user:
        await user.press("w", "1", "escape", "home", "w")
        await user.sees(f"Start a new walk at “{WELCOME}”", f"Jump to “{WELCOME}” in this walk")


async def test_a_long_walk_shows_where_it_started_and_where_it_is() -> None:
    async with opened(screen="narrative") as user:
        await user.press("w", *"1111")
        path, _, above = user.pane("#walk").splitlines()[0].rpartition("↑")
        assert path.strip().startswith("▶ Welcome at the door … › ")
        assert path.strip().endswith(f"› {here(user)}")
        assert above.strip() == "3 steps above"


async def test_a_walk_scrolls_back_to_its_beginning_and_shows_its_end_after_each_step() -> None:
    async with opened(screen="narrative") as user:
        await user.press("w", *"1111")
        await user.press("pageup", "pageup")
        first = name_of(user, user.narrative.playing.walk.steps[0].section)
        await user.sees(f"▶ {first}")
        await user.misses("above", "1  They")
        await user.press("enter")  # the selected decision is out of sight: it comes into view and is not taken
        await user.sees("1  They find the contradiction", "1 step above")
        await user.press("home")
        await user.misses("above", "1  They")
        await user.press("end")
        await user.sees("Visitor asks for help → A hint", "3 steps above")
        await user.press("home", "1")
        assert here(user) == "Three suspects"
        await user.sees("They find the contradiction → Three suspects", "steps above")


@covers("fill-keys")
async def test_template_keys_are_filled_in_for_the_session() -> None:
    async with opened(screen="narrative") as user:
        await user.press("w")
        await user.sees("Greet {VisitorName} and the group")
        await user.press("{")
        await user.at(KeysForm)
        keys = user.pane("KeysForm VerticalScroll").splitlines()
        number = next(number for number, line in enumerate(keys) if "VisitorName" in line)
        await user.press(*["down"] * number, *"Ada [b]", "enter")
        await user.back()
        await user.sees("Greet Ada [b] and the group")
        await user.press("{")
        await user.at(KeysForm)
        assert user.app.screen.query(Input)[number].value == "Ada [b]"
        await user.press("escape")
        await user.back()
        assert dict(user.narrative.playing.keys) == {"VisitorName": "Ada [b]"}


@covers("random-walks")
async def test_walks_by_chance_list_what_nobody_came_to() -> None:
    async with opened(screen="narrative") as user:
        await user.press("w", "b")
        await user.at(AskRandomWalks)
        await user.press(*"no", "enter")
        await user.sees("Enter the number of walks (at most")
        await user.press(*["backspace"] * 2, *"50, 7", "enter")
        await user.sees("50 walks of 200 steps, seed 7", "of 40 sections", "Sections never reached")
        row = user.narrative.walk.at_cursor
        assert row is not None
        await user.press("enter")
        coverage = user.narrative.playing.coverage
        assert coverage is not None
        assert in_tree(user) == name_of(user, next(iter(coverage.coverage.reasons)))
        await user.sees("Elena Marsh", "Sections never reached")  # the tree has come into sight above the list
        assert user.narrative.untested == coverage.coverage.untested  # the tree and the list say the same
        before = coverage.coverage.visits
        await user.press("b")
        await user.at(AskRandomWalks)
        await user.press("enter")
        await user.until(lambda: user.narrative.playing.coverage is not coverage)
        again = user.narrative.playing.coverage
        assert again is not None
        assert again.coverage.visits == before
        await user.press("escape")
        assert user.narrative.playing.coverage is None
        assert user.app.focused is user.narrative.walk


async def test_the_path_at_the_top_keeps_up_with_the_walk() -> None:
    session = demo()
    summaries = await session.service.summaries()
    character = next(s.character_id for s in summaries if s.character_name == "Avery Cole")
    async with opened(session, screen="narrative", character=character) as user:
        # Two sections with as many lines: only the path and the texts differ.
        await user.press("w", "1")
        await user.press("1")
        await user.sees("▶ Welcome › Check identity › Choose an account")
        await user.press("1")
        await user.sees("› Choose an account › Confirm details")


@covers("save-walk")
async def test_a_walk_is_saved_for_replay_from_the_palette(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened(screen="narrative") as user:
        await user.press("w", "1")
        await user.sees("W save walk")
        await user.finds("save-walk")
        await user.at(FileName)
        for name in ("walks/x.walk.json", "walks/x"):  # the suite of the folder would not read these
            await user.press("ctrl+u")
            await user.paste(name)
            await user.press("enter")
            await user.sees("A saved walk is a TOML file. End its name with .toml.")
        assert not (tmp_path / "walks").exists()
        await user.press("escape")
        await user.back()
        await user.finds("save-walk")
        await user.at(FileName)
        await user.paste("walks/")  # a folder in front of the suffix: the suggested name is kept
        await user.press("enter")
        await user.is_told("Written: walks/welcome-at-the-door-to-the-case.toml")
    assert stat.S_IMODE((tmp_path / "walks").stat().st_mode) == 0o700


async def test_the_commands_of_walks_are_found_by_the_words_people_type() -> None:
    words = {
        "coverage": "Random walks…",
        "dead ends": "Random walks…",
        "fail": "Replay saved walks…",
        "regression": "Save this walk…",
        "test": "Walk through the story",
        "variable": "Fill in template keys…",
        "errors": "Lint the story",
    }
    async with opened(screen="narrative") as user:
        for word, title in words.items():
            await user.press(":")
            await user.paste(word)
            await user.sees(title)
            await user.press("escape")
            await user.back()


@covers("write-file", "replay-walk")
async def test_a_walk_is_written_and_gone_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened(screen="narrative") as user:
        await user.press("w", "1", "1")
        offered = {choice.title: choice.text for choice in user.narrative.copy_choices()}
        said = offered["Transcript of the walk"]
        assert list(offered)[:2] == ["Replayable walk: Elena Marsh", "Transcript of the walk"]
        assert said.startswith("Elena Marsh\n\n▶ Welcome at the door\n")
        assert "* always → The case\n    is to  Tell the case" in said
        await user.press("W")
        await user.at(Chooser)
        await user.press(*"Replayable", "enter")
        await user.at(FileName)
        await user.press("enter")
        await user.is_told("Written: welcome-at-the-door-to-notebooks-and-pencils.toml")
        text = (tmp_path / "welcome-at-the-door-to-notebooks-and-pencils.toml").read_text(encoding="utf-8")
        assert 'take = "They accept the case"' in text
        await user.press("r", "o")
        await user.at(OpenWalk)
        await user.press(*"nothing.toml", "enter")
        await user.sees("Nothing was read:", "no such file")
        await user.press(
            *["backspace"] * len("nothing.toml"), *"welcome-at-the-door-to-notebooks-and-pencils.toml", "enter"
        )
        await user.sees("✓ The path exists and meets all expectations.", "✓   2  decision “They accept the case”")
        assert here(user) == "Notebooks and pencils"
        await user.press("escape")
        await user.sees("▶ Welcome at the door › House rules * The case › Notebooks and pencils")
        (tmp_path / "broken.toml").write_text(text.replace("accept the case", "run away").replace("to_id", "#"))
        await user.press("o")
        await user.at(OpenWalk)
        await user.press(*"broken.toml", "enter")
        await user.sees("✓   2  decision “They run away” to “Notebooks and pencils”", "is now “They accept the case”")


async def test_the_walks_of_a_folder_are_replayed_and_what_they_miss_is_marked(tmp_path: Path) -> None:
    async with opened(screen="narrative", size=WIDE) as user:
        story = user.narrative.story
        walk = Walk.begin(story.graph())
        walk = walk.take(walk.ways[0])
        (tmp_path / "good.toml").write_text(walk_toml(script_of(walk, {})), encoding="utf-8")
        lost = Choice(how=How.DECISION, words="They leave")
        broken = Script(choices=(*walk.choices, lost), said=("Never said",))
        (tmp_path / "lost.toml").write_text(walk_toml(broken), encoding="utf-8")
        (tmp_path / "other.toml").write_text('format = "chartui-scene"', encoding="utf-8")
        await user.press("w", "o")
        await user.at(OpenWalk)
        await user.paste(str(tmp_path))
        await user.press("enter")
        await user.at(WalkChooser)
        await user.sees("All 2 walks", "good.toml", "lost.toml")
        await user.press("enter")
        await user.sees("1 of 2 walks passed.", "of 40 sections", "expected the decision “They leave”")
        await user.press("end")
        await user.sees("Triggers never fired  3", "Fire alarm")
        await user.press("home")
        suite = user.narrative.playing.suite
        assert suite is not None
        untested = suite.coverage.untested
        assert untested.sections == set(story.sections) - {step.section for step in walk.steps}
        # Marked in the tree, both the sections and the decisions that lead to them.
        await user.sees("▫ They have less than an", "▫ They accept")
        assert untested.triggers == set(story.triggers)
        await user.press("end", "enter")
        assert user.narrative.node is not None
        assert user.narrative.node.trigger == list(story.triggers)[-1]
        await user.press("home", "down", "enter")
        await user.sees("decision “They leave”", "Continue recording from where the walk leaves")
        await user.press("enter")
        assert user.narrative.playing.choices == walk.choices
        assert user.narrative.playing.replayed is None
        saved = next(one.text for one in user.narrative.copy_choices() if "Replayable" in one.title)
        assert '"Never said"' in str(saved)
        # The story changes: what was tested then is no longer known, until the walks are replayed.
        user.narrative.tell(story.with_section("new", name="New"))
        assert not user.narrative.untested.sections


async def test_the_folder_of_walks_is_proposed_the_next_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill_local()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "walks").mkdir()
    async with started(f"{LOCAL} --character 'Elena Marsh' --tab walk", size=WIDE) as user:
        walk = Walk.begin(user.narrative.story.graph())
        (tmp_path / "walks" / "only.toml").write_text(walk_toml(script_of(walk, {})), encoding="utf-8")
        await user.press("o")
        await user.at(OpenWalk)
        await user.press(*"walks", "enter")
        await user.sees("1 of 1 walk passed.")
    async with started(size=WIDE) as user:
        await user.press("$")
        await user.sees("only.toml", "random, least")
        await user.press("w", "o")
        await user.at(OpenWalk)
        assert user.app.screen.query_one(Input).value == "walks/"
        await user.press("enter")
        await user.sees("1 of 1 walk passed.")
        # A walk that is saved goes there as well; typing replaces its name only.
        await user.press("escape", "1")
        await user.finds("save-walk")
        await user.at(FileName)
        assert user.app.screen.query_one(Input).value.startswith("walks/welcome-at-the-door")
        await user.press(*"two", "enter")
        await user.is_told("Written: walks/two.toml")
    (tmp_path / "walks").rename(tmp_path / "elsewhere")
    async with started(size=WIDE) as user:
        await user.press("$")
        await user.is_told("Saved walks are not counted: No such file or directory.")
        await user.sees("random, least")


async def test_a_folder_with_a_single_walk_shows_its_coverage(tmp_path: Path) -> None:
    async with opened(screen="narrative", size=WIDE) as user:
        walk = Walk.begin(user.narrative.story.graph())
        (tmp_path / "only.toml").write_text(walk_toml(script_of(walk.take(walk.ways[0]), {})), encoding="utf-8")
        await user.press("w", "o")
        await user.at(OpenWalk)
        await user.paste(str(tmp_path))
        await user.press("enter")
        await user.sees("1 of 1 walk passed.", "of 40 sections", "Sections never reached")


@covers("show-stats")
async def test_the_size_the_length_and_the_cost_of_a_story(tmp_path: Path) -> None:
    async with opened(screen="narrative", size=WIDE) as user:
        walk = Walk.begin(user.narrative.story.graph())
        (tmp_path / "short.toml").write_text(walk_toml(script_of(walk, {})), encoding="utf-8")
        await user.press("$")
        await user.sees("2.69 decisions per choice", "random, least", "speech (s)")
        await user.press("w", "o")
        await user.paste(str(tmp_path / "short.toml"))
        await user.press("enter")
        await user.sees("✓ The path exists")
        await user.press("escape", "$")
        await user.sees("short.toml", "random, least")


async def test_no_figure_of_a_story_is_left_out_beside_the_tree() -> None:
    async with opened(screen="narrative", size=(160, 45)) as user:
        await user.press("$")
        await user.sees("random, expected", "interactions 14.8 · speech (s) ", "instructions  ", "most 7  ")


async def test_the_cost_of_a_story_follows_the_scenario() -> None:
    async with opened(screen="narrative", size=WIDE) as user:
        kinds = [{"name": "Long", "sttSeconds": 60}]
        Scenarios(user.app.session.folder).save(from_table({"name": "Museum", "kinds": kinds}))
        await user.press("$")
        await user.sees("Credits are computed with default inputs.", "random, least")
        usual = user.line("random, least")
        await user.press("E")
        await user.finds("open-scenario")
        await user.press("down", "enter")
        await user.until(lambda: user.estimator.now.scenario is not None)
        await user.press("N")
        await user.sees("Credits are computed with scenario “Museum”.", "random, least")
        assert user.line("random, least") != usual
        await user.press("E")
        await user.finds("open-scenario")
        await user.press("home", "enter")
        await user.until(lambda: user.estimator.now.scenario is None)
        await user.press("N")
        await user.sees("Credits are computed with default inputs.")
        assert user.line("random, least") == usual


async def test_a_walk_goes_as_far_as_the_story_that_has_changed_lets_it() -> None:
    async with opened(screen="narrative", size=WIDE) as user:
        await user.press("w", "1", "1", "1")
        whole, story = user.narrative.playing.walk, user.narrative.story
        assert story is not None
        section_id = whole.steps[2].section
        user.narrative.tell(story.with_section(section_id, decisions=[decision("Now otherwise", section_id)]))
        await user.sees(
            "The story has changed. The walk stops here. Step 2:", "expected the decision “They accept the case” to"
        )
        assert here(user) == "The case"
        user.narrative.tell(story)
        assert user.narrative.playing.walk.steps == whole.steps
        user.narrative.tell(story.without_section(whole.steps[0].section))
        await user.sees("No section to start from.")
        await user.press("1", "enter", "backspace", "r", "b")
        await user.is_told("No section to start from.")
        user.narrative.tell(story)
        await user.sees("▶ Welcome at the door")


def any_story(name: str) -> Story:
    """Sections that turn in a circle, that dangle and that end, all with a text of somebody else's."""
    story = Story.of(None, [], []).with_section("end", name=name, objective=f"<speak>{name}")
    story = story.with_section("ping", name=name, objective=name, decisions=[decision("*", "pong")])
    story = story.with_section("pong", name=name, objective=name, decisions=[decision("*", "ping")])
    ways = [decision(name, "end"), decision(f"{{{name}}}", "gone"), decision("loop", "ping")]
    story = story.with_section("start", name=name, objective=f"{{Key}} {name}", decisions=ways)
    return story.with_trigger("t", name=name, message=name).starting_at("start")


async def test_whatever_a_story_holds_is_shown_as_it_is() -> None:
    name = " ".join(HOSTILE[kind] for kind in ("markup", "open markup", "escape sequences", "bidi", "template"))
    async with opened(screen="narrative") as user:
        user.narrative.tell(any_story(name))
        await user.press("home", "w")
        await user.sees("gone does not exist")
        await user.press("2")
        await user.is_told("so the walk cannot go there")
        await user.press("1")
        await user.sees(
            "A dead end: the section has no decisions but is not marked as an ending.",
            "Unbalanced <speak> tags, so it is unclear where the spoken words end.",
        )
        offered = {choice.title: choice.text for choice in user.narrative.copy_choices()}
        assert offered["Transcript of the walk"].endswith(
            "\n\nA dead end: the section has no decisions but is not marked as an ending.\n"
        )
        await user.press("backspace", "3")
        await user.sees("An infinite loop:")
        await user.press("down", "enter", "pagedown", "home", "end", "b")
        await user.at(AskRandomWalks)
        await user.press("enter")
        await user.sees("200 walks of 200 steps", "Closed loops", "Dead ends", "walks · automatic")
        assert user.narrative.pane is Tab.WALK


def lines(story: Story) -> list[str]:
    rows = rows_of(Playing.beginning(story.graph(), "s0"), 78)
    return ["".join(piece.text for piece in row) for row, _ in rows]


def test_of_very_many_ways_and_of_very_long_texts_some_is_shown() -> None:
    story = Story.of(None, [], []).with_section("s0", name="Hub", objective="word " * 10_000)
    for number in range(1, 300):
        story = story.with_section(f"s{number}", name=f"Room {number}").with_trigger(f"t{number}", name=f"T {number}")
    wide = story.with_section("s0", decisions=[decision(f"way {n}", f"s{n}") for n in range(1, 300)])
    shown = lines(wide)
    assert "·  way 200 → Room 200" in shown
    assert "   … and 99 more. Play any other section from the tree." in shown
    assert "word … (more text not shown)" in " ".join(" ".join(shown).split())
    for number in range(300):
        story = story.with_section(f"s{number}", decisions=[decision("*", f"s{(number + 1) % 300}")])
    shown = lines(story)
    assert shown[0] == "… 280 sections passed automatically"
    assert "“Room 4” → “Room 5” → “Room 6” → … (292 more). The walk stops here." in " ".join(" ".join(shown).split())


@covers("random-walks", "replay-walk", "fill-keys")
async def test_walks_are_replayed_and_made_from_any_tab() -> None:
    async with opened(screen="narrative", size=WIDE) as user:
        await user.press("o")
        await user.at(OpenWalk)
        await user.press("escape")
        await user.back()
        await user.press("M", "b")
        await user.at(AskRandomWalks)
        await user.press("enter")
        await user.sees("200 walks of 200 steps")
        assert user.focused_tab == "walk"
        await user.press("escape", "escape", "i", "{")
        await user.at(KeysForm)


async def test_a_message_on_a_key_goes_with_the_next_key() -> None:
    async with opened(screen="narrative", size=WIDE) as user:
        await user.press("w")
        for key in ("down", "1"):
            await user.press("9")
            await user.is_told("No decision 9 here.")
            await user.press(key)
            await user.misses("No decision 9 here.")
        await user.press("M", *["plus"] * 20)
        await user.is_told("The map already shows")
        await user.press("minus")
        await user.misses("The map already shows")


async def test_the_walk_that_another_one_replaced_comes_back() -> None:
    async with opened(screen="narrative", size=WIDE) as user:
        story = user.narrative.story
        await user.press("w", "1", "1")
        first = user.narrative.playing.choices
        await user.press("r", "2", "r")
        assert not user.narrative.playing.choices
        await user.press("backspace", "backspace", "backspace")
        assert user.narrative.playing.choices == first
        await user.press("w", "enter")
        assert not user.narrative.playing.choices
        # The old walk follows the story as far as it can.
        user.narrative.tell(story.with_section(user.narrative.playing.walk.here or "", name="At the door"))
        await user.press("backspace")
        assert user.narrative.playing.choices == first
        await user.sees("At the door")


async def test_the_footer_names_what_enter_does_in_the_walk() -> None:
    async with opened(screen="narrative", size=WIDE) as user:
        await user.press("w")
        assert " ⏎ take " in user.bottom_line
        await user.press("end")
        assert " ⏎ fire " in user.bottom_line
        await user.press("b")
        await user.at(AskRandomWalks)
        await user.press("enter")
        await user.sees("200 walks of 200 steps")
        assert " ⏎ show " in user.bottom_line


@covers("take-decision", "step-back-in-walk")
async def test_the_help_lists_the_keys_of_the_walk_and_none_of_other_tabs() -> None:
    async with opened(screen="narrative", size=(120, 70)) as user:
        await user.press("w", "?")
        await user.sees("⏎           Take the decision", "Or press 1 to 9.", "⌫           Step back in the walk")
        await user.sees("b           Random walks…", "r           Restart the walk")
        elsewhere = ("Continue the story…", "Show nearby or all sections", "Show more on the map")
        assert [title for title in elsewhere if title in user.screen] == []
        await user.press("escape")
        await user.back()
        await user.press("enter")
        assert len(user.narrative.playing.choices) == 1
        await user.press("backspace")
        assert not user.narrative.playing.choices
