"""The palette finds everything that has a name, and goes there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chartui.commands import COMMANDS, SCREENS
from chartui.commands.synonyms import ONLY_IN_STORES, SYNONYMS
from chartui.core.credentials import KeySource, SourceKind
from chartui.core.paths import data_dir
from chartui.core.presets import Preset, Presets, presets_folder
from chartui.core.profiles import BUILT_IN
from chartui.core.recent import read_recent, recent_path
from chartui.core.spec.models.estimation import Selections
from chartui.core.unsupported import unsupported
from chartui.tui.screens.actions.screen import ActionsScreen
from chartui.tui.screens.characters.screen import CharactersScreen
from chartui.tui.screens.characters.state import Tab
from chartui.tui.screens.estimator.screen import EstimatorScreen
from chartui.tui.screens.narrative.screen import NarrativeScreen
from chartui.tui.screens.narrative.state import Tab as StoryTab
from chartui.tui.shell.history import History
from chartui.tui.shell.palette import Entry, Group, Palette, Search
from chartui.tui.widgets.review import Review
from tests.tui.sessions import demo, remote
from tests.tui.user import SMALL, User, opened


async def find(user: User, text: str) -> Palette:
    """Type a text into the palette."""
    await user.press(":")
    palette = await user.at(Palette)
    await user.paste(text)
    return palette


async def choose(user: User, text: str, title: str) -> None:
    """Choose the first entry for a text."""
    palette = await find(user, text)
    assert palette.entry is not None, user.screen
    assert palette.entry.label == title, user.screen
    await user.press("enter")
    await user.leaves(Palette)
    await user.settle()


# -- the search --------------------------------------------------------------------------------------------------------


def titles(query: str, *labels: str, recent: tuple[str, ...] = ()) -> list[str]:
    entries = [Entry(label, label) for label in labels]
    return [entry.label for entry in Search([Group.of(entries, ">")], recent=recent).found(query)]


def test_fillers_do_not_count_unless_there_is_nothing_else() -> None:
    assert titles("where is the lint", "Lint the story", "Where it stands") == ["Lint the story"]
    assert titles("where", "Lint the story", "Where it stands") == ["Where it stands"]


def test_an_exact_title_is_listed_before_commands_found_by_id_or_synonym() -> None:
    own = [Entry("preset pin", "Pin", "preset"), Entry("preset new", "New preset…", "preset")]
    commands = [Entry("pin", "Pin this", names=("pin", "new preset")), Entry("new-preset", "New preset or pin")]
    search = Search([Group.of(commands, ">"), Group.of(own)])
    assert search.found("pin")[0].label == "Pin"
    assert search.found("new preset")[0].label == "New preset…"


def test_a_screen_whose_name_begins_with_the_word_comes_first() -> None:
    entries = [
        Entry("apply", "Apply model to a character…"),
        Entry("first", "Characters"),
        Entry("show", "Go to the characters", screen="Characters"),
    ]
    search = Search([Group.of(entries, ">")])
    assert [search.found(typed)[0].key for typed in ("char", "Charact", "characters", "apply model")] == [
        "show", "show", "show", "apply"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "title"),
    [("charact", "Go to the characters"), ("narr", "Go to the narrative graph"), ("act", "Go to the actions")],
)
async def test_a_screen_is_found_by_the_beginning_of_its_name(typed: str, title: str) -> None:
    async with opened() as user:
        palette = await find(user, typed)
        assert palette.entry is not None
        assert palette.entry.label == title


def test_what_matches_only_some_words_is_found_if_nothing_matches_all() -> None:
    assert titles("lint zebra", "Lint the story", "Quit") == ["Lint the story"]
    assert titles("story lint", "Lint", "Lint the story") == ["Lint the story"]


def test_the_last_used_comes_first_among_equals_only() -> None:
    labels = ("Next tab", "Next match", "The next one")
    assert titles("next", *labels) == ["Next tab", "Next match", "The next one"]
    assert titles("next", *labels, recent=("The next one", "Next match")) == ["Next match", "Next tab", "The next one"]


def test_every_synonym_belongs_to_a_command() -> None:
    ids = {command.id for command in COMMANDS}
    assert SYNONYMS.keys() <= ids
    assert ids >= ONLY_IN_STORES


@pytest.mark.parametrize(
    ("typed", "ids"),
    [
        ("folder", {"bundle", "import-story"}),
        ("csv", {"export-story", "import-story"}),
        ("text", {"export-story", "import-story"}),
        ("translate", {"export-story", "import-story"}),
        ("export", {"export-story", "bundle"}),
    ],
)
def test_folders_and_texts_of_a_story_are_found_by_the_words_for_them(typed: str, ids: set[str]) -> None:
    named = {command.id for command in COMMANDS if any(typed in name for name in SYNONYMS.get(command.id, ()))}
    assert ids <= named


# -- commands ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [SMALL, (120, 40)])
async def test_a_command_of_another_screen_goes_there_and_runs(size: tuple[int, int]) -> None:
    async with opened(size=size) as user:
        await choose(user, "story errors", "Lint the story")
        await user.at(NarrativeScreen)
        await user.until(lambda: user.narrative.pane is StoryTab.LINT, "for the tab")
        await choose(user, "change temperature", "Edit the settings")
        await user.at(CharactersScreen)
        await user.until(lambda: user.characters.pane is Tab.SETTINGS, "for the settings")
        await choose(user, "cheapest", "Explore all configurations")
        await user.at(EstimatorScreen)
        await choose(user, "chat", "Go to the actions")
        await user.at(ActionsScreen)


async def test_what_a_service_has_no_call_for_is_not_offered_as_if_it_worked() -> None:
    session, _ = remote()
    async with opened(session, size=(120, 40)) as user:
        palette = await find(user, "clone character")
        assert palette.entry is not None
        assert palette.entry.disabled.endswith("Available only in an embedded store, not on a service.")
        await user.sees("Available only in an embedded store, not on a service.")


async def test_a_slip_and_left_out_letters_are_found_and_marked() -> None:
    async with opened() as user:
        palette = await find(user, "tmp")
        assert palette.entry is not None
        assert palette.entry.label == "Temperature"
        [row] = [line for line in user.styles() if " Temperature " in line.text]
        marked = "".join(part.text for part in row if part.style is not None and part.style.underline)
        assert marked == "Tmp"


# -- names -------------------------------------------------------------------------------------------------------------


async def test_characters_are_found_by_name_and_id_once_they_are_loaded() -> None:
    async with opened(screen="characters") as user:
        camille = next(one for one in user.characters.summaries if one.character_name == "Camille Rousseau")
        await user.press("E")
        for text in ("camile", camille.character_id, "@rousseau"):
            await choose(user, text, "Camille Rousseau")
            await user.at(CharactersScreen)
            assert user.characters.name == "Camille Rousseau"
            await user.press("E")
        palette = await find(user, "> camille")
        assert palette.entry is None or palette.entry.note != "character"


async def test_a_section_is_found_on_any_screen_whatever_character_is_in_hand() -> None:
    async with opened(screen="narrative") as user:
        whose = user.narrative.name
        await user.press("C", "down", "down")
        await user.settle()
        await choose(user, "#gallery", "The gallery")
        await user.at(NarrativeScreen)
        assert user.narrative.name == whose
        assert user.narrative.story.sections[user.narrative.here.section or ""].section_name == "The gallery"


async def test_without_a_match_among_sections_it_is_said_that_only_loaded_graphs_are_searched() -> None:
    async with opened(screen="narrative", size=SMALL) as user:
        await user.until(lambda: user.narrative.here is not None, "for the graph")
        await find(user, "#xxqqzz")
        await user.sees("No matches in the loaded graphs.")
        await user.press("ctrl+u")
        await user.paste("xxqqzz")
        await user.sees("No matches. Esc cancels.")


@pytest.mark.parametrize("name", [screen.name for screen in SCREENS])
async def test_the_name_of_a_screen_finds_that_screen_first(name: str) -> None:
    async with opened() as user:
        palette = await find(user, name.lower())
        assert palette.entry is not None
        assert palette.entry.screen == name


async def test_the_tutorial_is_listed_once() -> None:
    async with opened() as user:
        await find(user, "learn")
        await user.sees("Learn chartui…")
        assert " tour " not in user.screen
        await user.press("escape")
        await find(user, "sixty-seconds")
        await user.sees(" tour ")


async def test_presets_profiles_themes_and_inputs_are_found() -> None:
    session = demo()
    Presets(presets_folder(session.folder)).save(Preset(name="Kiosk", selections=Selections(llm="mdla_5_1")))
    async with opened(session, screen="requests") as user:
        await choose(user, "kiosk", "Kiosk")
        await user.at(EstimatorScreen)
        assert user.estimator.now.value("llm") == "mdla_5_1"
        await choose(user, "spoken reply", "Spoken reply")
        assert "▌Spoken reply" in user.screen
        await choose(user, "daylight", "daylight")
        await user.until(lambda: user.app.theme == "daylight", "for the theme")
        await choose(user, "profile local", "local")
        await user.is_told("'local' is open.")
        assert user.app.session.profile == BUILT_IN["local"]


async def test_a_change_is_found_and_shown_in_the_history() -> None:
    async with opened(screen="characters") as user:
        await user.press("e", "down", "+", "S")
        await user.at(Review)
        await user.press("y")
        await user.until(lambda: user.is_at(CharactersScreen), "for the report")
        await user.press("E")
        await find(user, "temperature elena")
        await user.sees("  change ")
        await user.press("enter")
        await user.at(History)
        await user.sees("Elena")


# -- what is not loaded ------------------------------------------------------------------------------------------------


async def test_nothing_is_fetched_and_what_is_not_loaded_is_offered() -> None:
    session, double = remote()
    async with opened(session) as user:
        double.calls.clear()
        await find(user, "@camille")
        await user.sees("Load the characters to find “camille”")
        await user.settle()
        assert double.calls == []
        await user.press("enter")
        await user.until(lambda: user.is_at(Palette) and "Camille Rousseau" in user.screen, "for the characters")
        assert double.count("list-characters") == 1
        await user.press("enter")
        await user.at(CharactersScreen)
        await user.until(lambda: user.characters.name == "Camille Rousseau")


async def test_an_offer_stands_above_a_command_with_the_letters_far_apart() -> None:
    session, _ = remote()
    async with opened(session) as user:
        for text, title in (("camille", "Load the characters to find “camille”"), ("tmp", "Temperature")):
            palette = await find(user, text)
            assert palette.entry is not None
            assert palette.entry.label == title
            await user.press("escape")


async def test_characters_of_an_embedded_store_are_found_before_they_are_listed() -> None:
    async with opened() as user:
        palette = await find(user, "elena")
        await user.until(lambda: palette.entry is not None and palette.entry.label == "Elena Marsh")
        await user.press("enter")
        await user.at(CharactersScreen)
        await user.until(lambda: user.characters.name == "Elena Marsh" and user.focus == "record")


async def test_what_is_read_meanwhile_leaves_the_cursor_where_it_was_moved() -> None:
    async with opened() as user:
        palette = await find(user, "re")
        await user.press("down")
        chosen = palette.entry
        palette.add(Group.of(()))
        assert palette.entry == chosen


async def test_the_graph_of_the_current_character_is_offered() -> None:
    async with opened(screen="characters") as user:
        await user.press("N")
        await user.sees("Welcome at the door")
        await user.press("C", "down")
        await find(user, "#forge")
        await user.sees("Load the graph of Bran Alder to find “forge”")
        await user.press("enter")
        await user.until(lambda: user.is_at(Palette) and "At the forge door" in user.screen, "for the sections")


@pytest.mark.parametrize("topic", ["Language", "Moderation", "Changed by", "Delete section override"])
async def test_what_a_service_cannot_do_is_answered(topic: str) -> None:
    session, double = remote()
    answer = next(each.answer for each in unsupported(embedded=False) if each.title == topic)
    assert answer.startswith(("The service cannot ", "The service does not "))
    async with opened(session) as user:
        await choose(user, topic.lower(), topic)
        await user.is_told(answer)
        assert not any(operation.startswith("update") for operation, _ in double.calls)


def test_a_store_is_not_said_to_lack_what_it_has() -> None:
    offered, in_stores = ({row.member for row in unsupported(embedded=embedded)} for embedded in (False, True))
    assert offered - in_stores == {"character_name", "start_narrative_section_id"}


@pytest.mark.parametrize("typed", ["who changed", "who changed this", "who changed it and when", "who changed it last"])
async def test_who_changed_it_finds_the_history_and_then_the_answer(typed: str) -> None:
    session, _ = remote()
    async with opened(session) as user:
        await find(user, typed)
        await user.press("down")
        palette = await user.at(Palette)
        assert palette.entry is not None
        assert palette.entry.label == "Changed by"
        await user.press("up", "enter")
        await user.at(History)


async def test_the_answer_about_a_field_is_beside_it_in_the_record() -> None:
    async with opened(screen="characters", size=(120, 40)) as user:
        await choose(user, "moderation", "Moderation")
        await user.sees("¬ not editable  personalised_prompt_config.MODERATION_ENABLED")


# -- what was used last ------------------------------------------------------------------------------------------------


async def test_what_was_used_last_is_kept_and_listed_first() -> None:
    for _ in range(2):
        async with opened(replace(demo(), folder=data_dir())) as user:
            await choose(user, "jump", "Jump to a panel or tab")
            await user.press("escape")
            await user.until(lambda: read_recent(recent_path(data_dir()))[:1] == ("jump",), "for the file")
            await user.press(":")
            await user.sees("Recently used", "Jump to a panel or tab")
            await user.press("escape")


async def test_a_damaged_file_counts_as_empty() -> None:
    recent_path(data_dir()).parent.mkdir(parents=True, exist_ok=True)
    recent_path(data_dir()).write_bytes(b"\xff[1")
    assert read_recent(recent_path(data_dir())) == ()


@pytest.mark.parametrize("kept_in", ["demo", "ask"])
async def test_nothing_is_kept_in_a_demo_or_where_the_api_key_is_typed(kept_in: str) -> None:
    session = demo()
    if kept_in == "ask":
        profile = replace(session.profile, key=KeySource(SourceKind.ASK))
        session = replace(session, folder=data_dir(), profile=profile)
    folder = session.folder
    async with opened(session) as user:
        await choose(user, "jump", "Jump to a panel or tab")
        await user.press("escape", ":")
        await user.sees("Recently used")
        assert not recent_path(folder).exists()
