"""The characters: a list that is filtered while one types, and the record of the one under the cursor."""

from __future__ import annotations

import gc
import weakref

import pytest

from chartui.core.backends.base import Context
from chartui.core.journal import Outcome
from chartui.core.jsontext import Wire, dumps
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.tui.screens.characters.screen import CharactersScreen
from chartui.tui.widgets.questions import AskLine
from chartui.tui.widgets.review import Review
from tests import writes
from tests.tui.characters import sees_tab, stage_temperature
from tests.tui.keyboard import covers
from tests.tui.serving import Time
from tests.tui.sessions import demo, doubled, remote, seeded
from tests.tui.starting import LOCAL, fill_local, started
from tests.tui.user import NARROW, WIDE, User, opened, words

SIZE = 10_000


async def test_every_character_is_listed() -> None:
    async with opened(screen="characters") as user:
        assert len(user.characters.names) == 12
        await user.sees("Elena Marsh", "小林 静", "Inês Duarte", "· 12 ─")


@covers("filter-characters")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("marsh", ["Elena Marsh"]),
        ("MARSH elena", ["Elena Marsh"]),
        ("crew-trainer", ["Nova Adeyemi"]),
        ("ja-jp", ["小林 静"]),
        ("lucía", ["Lucía Ferrer"]),
        ("静", ["小林 静"]),
        ("mdla-5.4", ["Dr. Katharina Vogt", "سلمى الحكواتية"]),
        ("  ", None),
        ("elena bran", []),
    ],
)
async def test_the_filter_finds_names_ids_models_and_languages(query: str, found: list[str] | None) -> None:
    async with opened(screen="characters") as user:
        await user.press("slash", *query)
        assert user.characters.names == found if found is not None else len(user.characters.names) == 12


async def test_the_filter_finds_an_id() -> None:
    async with opened(screen="characters") as user:
        wanted = user.characters.summaries[4]
        await user.press("slash", *wanted.character_id[:13].upper())
        assert user.characters.names == [wanted.character_name]


@covers("fuzzy-filter")
async def test_who_was_not_looking_begins_to_with_the_key_for_slips() -> None:
    async with opened(screen="characters") as user:
        await user.press("f", *"mrsh")
        await user.until(lambda: user.characters.names == ["Elena Marsh"], "for the one that is meant")


@covers("leave-record")
async def test_a_filter_without_matches_says_how_to_leave_it() -> None:
    async with opened(screen="characters") as user:
        await user.press("slash", *"zzz")
        await user.sees("No matches. Esc clears the filter.", "· 0 of 12 ─")
        await user.press("enter", "enter", "c", "down", "end")
        assert user.characters.name is None
        await user.press("escape")
        await user.sees("· 12 ─")
        assert len(user.characters.names) == 12
        assert user.app.focused is user.characters.view
        assert not user.filter.display


@covers("filter-characters", "open-record")
async def test_enter_goes_from_the_filter_to_the_list_and_on_to_the_record() -> None:
    async with opened(screen="characters") as user:
        await user.press("slash", *"mdla", "enter", "down", "enter")
        await user.sees("Identity", "Description")
        assert user.characters.name == user.characters.names[1]
        await user.press("escape", "escape")
        assert len(user.characters.names) == 12


@covers("show-record")
async def test_the_record_is_a_key_away_from_every_pane() -> None:
    async with opened(screen="characters") as user:
        for other in ("e", "c"):
            await user.press(other, "i")
            await sees_tab(user, "Record", "Identity", "Description")
            await user.press("escape")


@covers("open-record", "leave-record")
async def test_in_a_narrow_window_the_record_takes_the_place_of_the_list() -> None:
    async with opened(screen="characters") as user:
        await user.press("down", "down", "enter")
        await user.sees("─ Avery Cole │", "Identity", "Description")
        assert "Bran Alder" not in user.screen
        await user.press("end")
        await user.press("escape")
        await user.sees("Bran Alder", "· 12 ─")
        assert user.characters.name == "Avery Cole"
        assert user.app.focused is user.characters.view


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_the_key_of_the_screen_returns_from_the_record_to_the_list(size: tuple[int, int]) -> None:
    async with opened(screen="characters", size=size) as user:
        await user.press("enter")
        await user.until(lambda: user.focus != "list", "to be in the record")
        await user.press("C")
        await user.until(lambda: user.focus == "list", "to be in the list")
        await user.sees("Bran Alder", "Inês Duarte")


async def test_the_record_shows_every_member() -> None:
    session = demo()
    async with opened(session, screen="characters", size=(100, 400)) as user:
        await user.sees("Identity")
        wanted = user.characters.summaries[0].character_id
        record = await session.service.character(wanted)
        settings = await session.service.settings(wanted)
        assert record is not None
        shown = " ".join(user.pane("#record").replace("│", " ").split())
        texts = list(_texts(record.raw)) + list(_texts(settings.raw))
        assert len(texts) > 30
        assert [text for text in texts if " ".join(text.split()[:2]) not in shown] == []


def _texts(value: Wire) -> list[str]:
    """Every text in a value that is short enough not to be wrapped."""
    if isinstance(value, dict):
        return [text for member in value.values() for text in _texts(member)]
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    return [value] if isinstance(value, str) and 0 < len(value) < 20 else []


async def test_in_a_wide_window_the_record_follows_the_cursor_once_it_rests() -> None:
    session, double = doubled()
    async with opened(session, screen="characters", size=WIDE) as user:
        await user.sees("─ Elena Marsh │")
        read = double.count("get-character")
        await user.press(*["down"] * 5)
        await user.sees("─ 小林 静 │")
        assert double.count("get-character") == read + 1
        await user.press("up")
        await user.sees("─ Dr. Katharina V")


async def test_a_record_that_comes_too_late_is_dropped() -> None:
    session, double = doubled()
    async with opened(session, screen="characters", size=WIDE) as user:
        await user.sees("─ Elena Marsh │")
        double.hold("get-character")
        await user.press("down")
        await user.until(lambda: double.waiting("get-character") == 1)
        await user.press("down")
        await user.until(lambda: double.waiting("get-character") == 2)
        double.let_go("get-character", 1)
        await user.sees("─ Avery Cole │")
        double.let_go("get-character", 0)
        await user.settle()
        assert "─ Avery Cole │" in user.screen


async def test_a_record_that_comes_while_it_is_out_of_sight_is_there_when_it_is_seen_again() -> None:
    session, double = doubled()
    async with opened(session, screen="characters") as user:
        await user.press("enter")
        await user.until(lambda: "Elena Marsh" in user.pane("#record"))
        await user.press("escape")
        double.hold("get-settings")
        await user.press("down", "enter")
        await user.until(lambda: double.waiting("get-settings"))
        await user.rests()  # which reads it once more, instead
        await user.press("escape")
        double.let_go("get-settings", double.waiting("get-settings") - 1)
        [_, second] = user.characters.view.items[:2]
        await user.until(lambda: user.characters.shown_id == second.character_id)
        await user.press("enter")  # and what is read now is still held back
        await user.until(lambda: "Bran Alder" in user.pane("#record"))
        assert "Elena Marsh" not in user.pane("#record")


@covers("refresh")
async def test_the_cursor_stays_on_its_character_over_a_refresh() -> None:
    session, double = doubled()
    async with opened(session, screen="characters") as user:
        await user.press(*["down"] * 6)
        chosen = user.characters.name
        first = user.characters.summaries[0].character_id
        await writes.delete_character(session.service, first)
        created = await writes.create_character(session.service, "Zora Newcomer")
        await user.press("f5")
        await user.sees("Zora Newcomer")
        assert user.characters.name == chosen
        assert created in [s.character_id for s in user.characters.summaries]
        assert double.count("summarize-characters") == 2


async def test_the_filter_stays_over_a_refresh() -> None:
    session, _ = doubled()
    async with opened(session, screen="characters") as user:
        await user.press("slash", *"marsh", "enter")
        await writes.create_character(session.service, "Pia Marsh")
        await user.press("f5")
        await user.sees("Pia Marsh")
        assert user.characters.names == ["Elena Marsh", "Pia Marsh"]


async def test_the_narrative_of_the_character_under_the_cursor_is_opened() -> None:
    async with opened(screen="characters") as user:
        await user.press("down", "down")
        await user.press("N")
        await user.sees("─ Avery Cole ─", "▶ Welcome")
        await user.press("C", "up")
        await user.press("N")
        await user.sees("─ Bran Alder ─", "At the forge door")


async def test_escape_leads_from_the_story_back_to_the_character() -> None:
    async with opened(screen="characters") as user:
        await user.press("down", "down", "enter")
        await user.press("N")
        await user.ready()
        assert "esc back" in user.bottom_line
        await user.press("f2", *"Hall", "enter", "i")
        await user.press("escape", "escape")
        assert (user.characters.name, user.characters.in_detail) == ("Avery Cole", True)
        await user.press("N")
        await user.sees("Δ 1 section, S applies")
        await user.press("E", "N")
        await user.ready()
        await user.press("escape")
        assert user.app.scope == "estimator"


def order(user: User) -> str:
    return user.pane("#left").splitlines()[-1]


@covers("fuzzy-filter")
async def test_words_with_slips_are_found_once_that_is_wanted() -> None:
    async with opened(screen="characters") as user:
        await user.press("slash", *"elnea mrsh")
        assert user.characters.names == []
        assert "fuzzy" not in order(user)
        await user.press("ctrl+t")
        await user.until(lambda: user.characters.names == ["Elena Marsh"], "for Elena")
        assert "fuzzy, best first" in order(user)
        await user.press("enter", "f")
        await user.until(lambda: user.characters.names == [], "for nobody")
        assert "fuzzy" not in order(user)
        await user.press("f", "f", "f")
        await user.until(lambda: user.characters.names == ["Elena Marsh"], "for her again, after three turns")


async def test_the_filter_finds_traits_once_they_were_read() -> None:
    session, double = doubled()
    async with opened(session, screen="characters") as user:
        double.hold("describe-characters")
        await user.press("slash", *"openness>3 name:elena")
        assert user.characters.names == []
        double.let_all_go()
        await user.until(lambda: user.characters.names == ["Elena Marsh"], "for her openness")
        await user.press("escape")
        [summary, *_] = user.characters.summaries
        record = await session.service.character(summary.character_id)
        assert record is not None
        [phrase, *_] = record.raw["character_traits"]["catch_phrases"]
        await user.press("slash", *f'trait:"{phrase}"')
        await user.until(lambda: summary.character_name in user.characters.names, "for the catch phrase")
        assert len(user.characters.names) < 12


async def test_traits_that_cannot_be_read_are_told_and_the_rest_is_found() -> None:
    session, double = doubled()
    async with opened(session, screen="characters") as user:
        double.failures["describe-characters"] = ServiceError(ErrorKind.BUSY, "Another program is writing the store.")
        await user.press("slash", *"marsh")
        await user.is_told("Another program is writing the store. The filter searches only the columns of the list.")
        assert user.characters.names == ["Elena Marsh"]


async def test_a_filter_by_traits_holds_over_a_refresh() -> None:
    session, double = doubled()
    async with opened(session, screen="characters") as user:
        await user.press("slash", *"openness>3")
        await user.until(lambda: 0 < len(user.characters.names) < 12, "for the open ones")
        found = user.characters.names
        double.hold("describe-characters")
        await user.press("enter", "down", "f5")
        await user.until(lambda: double.waiting("describe-characters") == 1, "for the traits being read again")
        assert user.characters.names == found
        assert user.characters.name == found[1]
        double.let_all_go()
        await user.until(lambda: user.characters.described, "for the traits")
        assert user.characters.names == found


async def test_a_remote_service_is_not_asked_for_traits_that_its_records_hold() -> None:
    session, double = remote()
    async with opened(session, screen="characters") as user:
        await user.press("slash", *"openness>3")
        await user.until(lambda: 0 < len(user.characters.names) < 12, "for the open ones")
        assert {name for name, _ in double.calls} == {"list-characters"}


async def test_the_filter_finds_texts_of_an_embedded_store_once_they_were_read() -> None:
    session, double = doubled()
    async with opened(session, screen="characters") as user:
        await user.press("slash", "n", "backspace")
        await user.until(lambda: user.characters.described, "for the traits")
        double.hold("list-characters")
        await user.press(*"description:guid")
        await user.sees("Loading texts…")
        await user.press("e", "ctrl+u", *"prompt:you", "ctrl+u", *"text:guide")  # other fields, not waited for
        double.let_all_go()
        await user.until(lambda: "Elena Marsh" in user.characters.names, "for the text")
        for query in ("prompt:you", "backstory:harbour", "description:guide", 'text:"guide on her"'):
            await user.press("ctrl+u", *query)
            await user.until(lambda: 0 < len(user.characters.names) < 12, f"for {query}")
        await user.press("enter", "f5")
        await user.until(lambda: user.characters.described, "for the texts being read again")
        assert 0 < len(user.characters.names) < 12


async def test_an_unknown_field_is_told_below_the_filter_with_those_that_are_known() -> None:
    async with opened(screen="characters", size=WIDE) as user:
        await user.press("slash", *"promt:kind")
        await user.sees("Unknown field “promt”. Did you mean “prompt”?")
        assert "Fields: name, model, language," in words(user.pane("#left"))
        assert user.characters.names == []
        await user.press("ctrl+u", *"prompt:you")
        await user.until(lambda: user.characters.names, "for the matches")
        assert "Unknown" not in user.screen


async def test_backstories_that_a_service_does_not_return_are_not_asked_for_but_counted() -> None:
    session, double = remote()
    async with opened(session, screen="characters", size=WIDE) as user:
        elena = user.characters.summaries[0].character_id
        journal, payload = session.journal, {"charID": elena, "backstory": "Came by boat."}
        number = await journal.intend(
            session.profile.place, "update-character", payload, before=None, context=Context(origin="test")
        )
        await journal.conclude(number, Outcome.DONE)
        await user.press("slash", *"backstory:boat")
        await user.until(lambda: user.characters.names == ["Elena Marsh"], "for the one that is known")
        assert "Only 1 of 12 backstories can be searched, namely those applied from this" in words(user.pane("#left"))
        await user.press("ctrl+u", *"prompt:you")
        await user.until(lambda: "Avery Cole" in user.characters.names, "for a prompt, which came with the list")
        assert "Only" not in user.pane("#left")
        assert {name for name, _ in double.calls} == {"list-characters"}


async def test_records_that_are_no_longer_listed_are_let_go() -> None:
    session, _ = remote()
    async with opened(session, screen="characters", size=WIDE) as user:
        await user.sees("─ Elena Marsh │", "Identity")
        before = weakref.ref(user.characters.records)
        await user.press("f5")
        await user.until(lambda: gc.collect() >= 0 and before() is None, "for the old records to be given back")
        assert len(user.characters.records) == 12
        await user.press("down")
        await user.sees("─ Bran Alder │", "Identity")


@covers("sort-characters", "reverse-sort")
async def test_every_column_sorts_and_the_header_says_so() -> None:
    async with opened(screen="characters") as user:
        as_listed, chosen = user.characters.names, "Avery Cole"
        await user.press("down", "down")
        titles = ["Name", "Model", "Lang", "Graph", "Mem", "Gone", "Created", "Used", "Cost", "ID"]
        for title in titles:
            await user.press("s")
            await user.sees(f" {title}↑")
            assert user.characters.name == chosen
            upwards = user.characters.names
            await user.press("O")
            await user.sees(f" {title}↓")
            assert user.characters.name == chosen
            assert sorted(map(str, user.characters.names)) == sorted(map(str, upwards))
            await user.press("O")
        assert user.characters.names != as_listed
        await user.press("s")
        assert user.characters.names == as_listed
        assert "↑" not in user.pane("#list")
        await user.press("O")
        assert user.characters.names == as_listed[::-1]
        assert "reversed" in order(user)


async def test_a_sorted_list_is_filtered_and_read_again_in_its_order() -> None:
    session, _ = doubled()
    async with opened(session, screen="characters") as user:
        await user.press("s", "O", "slash", *"a", "enter")
        listed = user.characters.names
        assert listed == sorted(listed, key=lambda name: str(name).casefold(), reverse=True)
        assert "by name, descending" in order(user)
        await writes.create_character(session.service, "Zz Last")
        await user.press("f5")
        await user.sees("Zz Last")
        assert user.characters.names == sorted(
            [*listed, "Zz Last"], key=lambda name: str(name).casefold(), reverse=True
        )


async def test_headings_explain_the_marks_and_models_that_are_gone_are_marked() -> None:
    async with opened(screen="characters") as user:
        await user.sees("Gone", "Graph Mem")
        assert "†" in user.line("Nova Adeyemi")
        assert "†" not in user.line("Elena Marsh")
        await user.press("e")
        await user.until(lambda: user.characters.models is not None, "for the models")
        await user.press("escape")
        assert "†" in user.line("Nova Adeyemi")


async def test_the_model_list_of_the_service_counts_more_than_the_catalogue() -> None:
    session, double = doubled()
    own = [{"model_group_name": "crew-trainer-8b", "display_name": "Crew trainer"}]
    double.answers["list-models"] = {"STATUS": dumps(own)}
    async with opened(session, screen="characters") as user:
        await user.press("e")
        await user.until(lambda: user.characters.models is not None, "for the models")
        await user.press("escape")
        await user.until(lambda: "†" in user.line("Elena Marsh"), "for the mark")
        assert "†" not in user.line("Nova Adeyemi")


async def test_the_list_says_how_old_it_is_and_seldom_anew() -> None:
    time = Time()
    session, double = doubled()
    async with opened(session, screen="characters") as user:
        user.app.connection.ticks, user.app.connection.later = time.ticks, time.later
        await user.press("f5")
        await user.until(lambda: len([timer for timer in time.timers if not timer.stopped]) == 1, "for the list")
        assert "loaded just now" in order(user)
        said = [order(user)]
        for _ in range(12 * 24 + 1):
            time.pass_by(300)
            await user.settle()
            if order(user) != said[-1]:
                said.append(order(user))
        ages = ["5 min", "15 min", "1 h", "6 h", "1 d"]
        assert [age for age, words in zip(ages, said[1:], strict=True) if f"loaded over {age} ago" not in words] == []
        await user.press("f5")
        await user.until(lambda: "loaded just now" in order(user), "for a new list")
        assert len([timer for timer in time.timers if not timer.stopped]) == 1
        assert double.count("summarize-characters") == 3
    assert all(timer.stopped for timer in time.timers)


async def test_letters_in_the_filter_are_text() -> None:
    async with opened(screen="characters") as user:
        await user.press("slash", *"nqECNr?:/ ")
        assert user.filter.value == "nqECNr?:/ "


async def test_a_list_that_cannot_be_read_offers_only_what_works() -> None:
    session, double = remote()
    double.failures["list-characters"] = ServiceError(ErrorKind.UNREACHABLE, "No answer.")
    async with opened(session, screen="characters", ready=False) as user:
        await user.sees("No answer. Press f5 to retry.")
        await user.misses("⏎ open")
        for word in ("sort", "open", "filter", "tabs", "settings", "apply"):
            assert word not in user.bottom_line
        del double.failures["list-characters"]
        await user.press("f5")
        await user.sees("Elena Marsh", "s sort", "⏎ open", "e settings")


async def test_the_character_in_hand_is_the_one_selected_or_open() -> None:
    async with opened(screen="characters") as user:
        await user.press("down")
        screen = user.app.work["characters"]
        assert isinstance(screen, CharactersScreen)
        bran = user.characters.current
        assert bran is not None
        assert screen.in_hand == bran.character_id
        await user.press("enter")
        assert screen.in_hand == bran.character_id
        await user.press("escape", "slash", *"zzz")
        assert screen.in_hand is None


async def test_an_account_without_characters_says_so() -> None:
    async with opened(demo(fill_store=lambda store: None), screen="characters") as user:
        await user.sees("No characters yet.", "Press a to")
        await user.press("enter", "n", "down", "pagedown", "end", "slash", "e", "S", "escape")
        await user.sees("No characters yet.", "a new")
        for word in ("sort", "open", "filter", "settings", "apply", "narrative"):
            assert word not in user.bottom_line
        await user.press("a")
        await user.at(AskLine)
        await user.press(*"Mara", "enter")
        await user.at(Review)
        await user.press("y")
        await user.until(lambda: user.characters.name == "Mara", "for the cursor")
        await user.sees("⏎ open")
        assert "new" not in user.bottom_line


async def test_a_remote_service_is_asked_for_whole_records_once() -> None:
    session, double = remote()
    async with opened(session, screen="characters", size=WIDE) as user:
        await user.press("down")
        await user.sees("─ Bran Alder │", "Identity")
        assert double.count("list-characters") == 1
        assert {name for name, _ in double.calls} == {"list-characters"}


async def test_ten_thousand_characters_are_listed_and_filtered() -> None:
    async with opened(demo(fill_store=seeded(SIZE)), screen="characters", size=WIDE) as user:
        await user.sees("10 000")
        await user.press("end", "pageup", "home", "pagedown")
        last = user.characters.summaries[-1]
        await user.press("slash", *last.character_id)
        assert [s.character_id for s in user.characters.view.items] == [last.character_id]
        await user.sees("1 of 10 000")
        await user.press("escape", "end")
        assert user.characters.view.cursor == SIZE - 1
        await user.press("slash", *"text:0", "backspace", *last.character_id)
        await user.until(lambda: [s.character_id for s in user.characters.view.items] == [last.character_id], "for it")


async def test_keys_typed_ahead_reach_the_list_that_is_being_read() -> None:
    session, double = doubled()
    async with opened(session, screen="estimator", size=NARROW) as user:
        await user.press_ahead(double, "summarize-characters", "Loading characters…", "C", "down", "e")
        await sees_tab(user, "Settings", "Bran Alder")


async def test_characters_with_staged_changes_are_listed_and_again_after_a_restart() -> None:
    fill_local()
    command = f"{LOCAL} --screen characters --filter staged:yes --fresh"
    async with started(f"{LOCAL} --screen characters --character 'Elena Marsh'") as user:
        await stage_temperature(user)
        await user.press("escape", "slash", *"staged:yes", "enter")
        await user.until(lambda: user.characters.names == ["Elena Marsh"], "for the match")
    async with started(command) as user:
        await user.until(lambda: user.characters.names == ["Elena Marsh"], "for the draft")
        await user.press("D")
        await user.press("y")
        await user.until(lambda: not user.characters.names, "for the list without the discarded changes")
