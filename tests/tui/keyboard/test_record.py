"""The record of a character: how each field is known, looking for something in it, its JSON, and its card."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chartui.core.backends.base import Context
from chartui.core.journal import Outcome
from chartui.core.jsontext import dumps, loads
from chartui.core.jsontree import path_text
from chartui.core.plans.settings import REASONING
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.records import read_records
from chartui.tui.screens.characters.tabs.cost import CostTab
from chartui.tui.screens.characters.tabs.record import CardDialog
from chartui.tui.screens.characters.tabs.settings import SettingsTab
from chartui.tui.widgets.chooser import Chooser
from tests.long import sampled
from tests.tui.keyboard import covers
from tests.tui.recorded import served
from tests.tui.sessions import demo, doubled, filled_with, remote
from tests.tui.user import NARROW, WIDE, User, opened


async def at_record(user: User, key: str = "i") -> None:
    """Go to the record of the first character, or with another key to another pane of it."""
    await user.press(key)
    await user.until(lambda: user.characters.record, "for the record")
    await user.settle()


async def copied(user: User, title: str) -> str:
    """Copy one of the things that are offered."""
    user.forget_copies()
    await user.press("y")
    await user.at(Chooser)
    await user.write(title)
    await user.press("enter")
    await user.until(lambda: user.clipboard, "for the copy")
    return user.clipboard


# -- how a field is known ---------------------------------------------------------------------------------------------


async def test_on_an_embedded_store_every_field_is_readable() -> None:
    async with opened(screen="characters", size=(100, 200)) as user:
        await at_record(user)
        shown = user.pane("#record").splitlines()[1:]
        assert [line for line in shown if "↦" in line or "⌂" in line] == []
        assert user.line("Backstory", "#record").startswith("·Backstory")


async def test_a_service_says_what_can_only_be_written_and_what_is_known_here() -> None:
    session, _ = remote()
    character = (await session.service.summaries())[0].character_id
    async with opened(session, screen="characters", size=(100, 200)) as user:
        await at_record(user)
        assert user.line("Reasoning", "#record").startswith("↦Reasoning")
        assert user.line("Temperature", "#record").startswith("·Temperature")
        assert user.line("Language ", "#record").startswith("¬Language")
        assert "not reported" in user.line("Changed by", "#record")
        journal, place = user.app.session.journal, session.profile.place
        payload = {"charID": character, "reasoning_effort": "high"}
        number = await journal.intend(place, "update-character", payload, before=None, context=Context())
        await journal.conclude(number, Outcome.DONE)
        await user.press("f5")
        await user.sees("last written from this machine on", "2026-11-21 09:30 UTC")
        assert user.line("Reasoning", "#record").startswith("⌂Reasoning")
        assert "high" in user.line("Reasoning", "#record")


async def test_the_line_at_the_top_says_where_the_cursor_is() -> None:
    async with opened(screen="characters", size=WIDE) as user:
        await user.sees("· editable   ¬ not editable")
        await at_record(user)
        await user.press("down")
        await user.sees("·  character_name")
        await user.press("down")
        await user.sees("¬ not editable  description")


async def test_the_cursor_has_the_same_sign_in_every_tab() -> None:
    async with opened(screen="characters", size=WIDE) as user:
        for key, tab in (("i", "#record"), ("J", "#raw"), ("$", "#cost"), ("e", "#settings")):
            await user.press(key)
            await user.settle()
            await user.press("down")
            assert [line[:1] for line in user.pane(tab).splitlines()].count("▌") == 1, user.pane(tab)


# -- looking for something --------------------------------------------------------------------------------------------


@covers("filter-characters", "leave-record")
@pytest.mark.parametrize("size", sampled([NARROW, WIDE], NARROW), ids=["80x24", "120x40"])
async def test_a_text_is_looked_for_in_names_paths_and_values(size: tuple[int, int]) -> None:
    async with opened(screen="characters", size=size) as user:
        await at_record(user)
        view = user.characters.record_view
        await user.press("slash")
        for text, path in (
            ("catchphr", "character_traits.catch_phrases"),
            ("two captains", ""),
            ("limitresponse", "guardrail_meta.limitResponseLevel"),
            ("grey streak", "embodiment_data.looks_description"),
        ):
            await user.write(text)
            if path:
                await user.sees("1 of 1")
                assert view.entry is not None
                assert view.entry.path == path
            else:
                await user.sees("not found")
            await user.press(*["backspace"] * len(text))
        await user.press("escape")
        assert user.app.focused is view
        assert not user.characters.is_finding
        assert user.characters.view.row_count == 12


@covers("next-match", "previous-match")
@pytest.mark.parametrize("tab", ["i", "J"])
async def test_the_arrows_while_you_type_and_n_in_the_text_go_from_match_to_match(tab: str) -> None:
    async with opened(screen="characters") as user:
        await at_record(user, tab)
        view = user.characters.record_view if tab == "i" else user.characters.raw_view
        await user.press("slash", *"no")
        await user.sees("1 of ")
        last = view.hits
        assert last > 3
        for key, number in (("down", 2), ("down", 3), ("up", 2), ("up", 1), ("up", last), ("down", 1)):
            await user.press(key)
            await user.sees(f" {number} of {last}")
        await user.press("enter")
        assert user.app.focused is view
        await user.sees("n next", "N previous")
        for key, number in (("n", 2), ("n", 3), ("N", 2), ("N", 1), ("N", last), ("n", 1)):
            await user.press(key)
            await user.sees(f" {number} of {last}")
        await user.press("escape", "slash")
        await user.sees(f"1 of {last}")  # what was looked for is still in the box
        await user.press("escape")
        await user.misses("n next")
        await user.press("escape")
        assert not user.characters.in_detail


async def test_without_a_search_n_is_free_and_the_other_goes_to_the_narrative() -> None:
    async with opened(screen="characters") as user:
        await at_record(user)
        await user.press("slash", *"no", "enter", "N", "escape", "n")
        assert user.app.scope == "characters"
        await user.press("slash", *["backspace"] * 2, "enter")  # nothing to find: the search closes
        assert not user.characters.is_finding
        await user.press("N")
        await user.until(lambda: user.app.scope == "narrative")


async def test_another_pane_ends_the_search() -> None:
    async with opened(screen="characters") as user:
        await at_record(user)
        await user.press("slash", *"voice", "escape", "right_square_bracket", "left_square_bracket")
        assert not user.characters.record_view.search
        await user.press("slash")
        await user.app.action_command("show-raw")
        await user.sees("the whole record")
        assert not user.characters.is_finding
        assert not user.characters.record_view.search


async def test_nothing_is_found_in_a_record_that_could_not_be_read() -> None:
    session, double = doubled()
    double.failures["get-character"] = ServiceError(ErrorKind.INTERNAL, "Broken.")
    async with opened(session, screen="characters") as user:
        await user.press("J", "slash", "n")  # as in null, which stands for what is not there
        assert not user.characters.raw_view.hits


async def test_without_the_focus_in_a_record_the_list_is_filtered() -> None:
    async with opened(screen="characters", size=WIDE) as user:
        await user.sees("Identity")
        await user.press("slash", *"marsh")
        assert user.characters.view.row_count == 1
        await user.press("escape", "e", "escape", "slash", *"bran")
        assert user.characters.view.row_count == 1


# -- JSON -------------------------------------------------------------------------------------------------------------


def folds(user: User) -> list[str]:
    """The paths of what is folded."""
    rows = [line.row for line in user.characters.raw_rows]
    return [path_text(row.place) for row in rows if row.foldable and not row.open]


@covers("show-raw")
async def test_the_record_as_json_is_the_record() -> None:
    async with opened(screen="characters", size=(200, 400)) as user:
        await at_record(user, "J")
        await user.press("*")
        assert folds(user) == []
        text = "".join(
            line.text if line.more else f"{line.row.key}{':' if line.row.key else ''}{line.text}"
            for line in user.characters.raw_rows
        )
        assert dumps(user.characters.record).replace(" ", "").replace(",", "") == text.replace(" ", "").replace(",", "")


@covers("unfold-node", "fold-node", "open-record")
async def test_a_node_is_folded_and_unfolded_under_the_cursor() -> None:
    async with opened(screen="characters") as user:
        await at_record(user, "J")
        view = user.characters.raw_view
        view.move_to(
            next(n for n, line in enumerate(user.characters.raw_rows) if line.row.key == '"character_actions"')
        )
        await user.sees("character_actions")
        before = view.row_count
        await user.press("left")
        await user.sees('"character_actions": [ 7 items ],')
        assert view.row_count == before - 8
        await user.press("enter")
        assert view.row_count == before
        await user.press("right", "right")
        await user.sees("character_actions[0]")
        await user.press("left")
        assert view.path == "character_actions"
        await user.press("left", "left")
        assert view.path == ""
        await user.sees("the whole record")


@covers("fold-record", "toggle-node")
async def test_everything_is_folded_and_unfolded() -> None:
    async with opened(screen="characters") as user:
        await at_record(user, "J")
        view = user.characters.raw_view
        await user.press("*")
        assert folds(user) == []
        await user.press("*", "home")
        await user.sees('"model_details": { 4 members },')
        view.move_to(next(n for n, line in enumerate(user.characters.raw_rows) if line.row.key == '"model_details"'))
        before = view.row_count
        await user.press("space")
        assert view.row_count == before + 5
        await user.press("space")
        assert view.row_count == before
        await user.press("*")
        assert folds(user) == []


async def test_a_long_text_opens_into_its_lines() -> None:
    async with opened(screen="characters") as user:
        await at_record(user, "J")
        view = user.characters.raw_view
        view.move_to(next(n for n, line in enumerate(user.characters.raw_rows) if line.row.key == '"description"'))
        before = view.row_count
        await user.press("right")
        assert view.row_count > before
        await user.sees("runs its mystery tour.")
        await user.press("left")
        assert view.row_count == before


async def test_what_is_folded_away_is_found_and_unfolded() -> None:
    async with opened(screen="characters") as user:
        await at_record(user, "J")
        await user.press("*", "*", "slash", *"fray-nell")
        await user.sees("1 of 1", '"customPronunciation": "fray-NELL"')
        assert user.characters.raw_view.path == "pronunciation_metadata.pronunciations[0].customPronunciation"
        await user.press(*["backspace"] * 9, *"pronunciation")
        await user.sees(" of 6")
        await user.press("up")
        assert "ronunciation" in user.characters.raw_view.path


async def test_a_refresh_keeps_the_folds_and_another_character_has_its_own() -> None:
    async with opened(screen="characters", size=WIDE) as user:
        await at_record(user, "J")
        await user.press("*", "*", "f5")
        await user.ready()
        assert len(folds(user)) > 5
        folded = folds(user)
        await user.press("escape", "down")
        await user.rests()
        await user.until(lambda: user.characters.record["character_name"] == "Bran Alder")
        await user.settle()
        assert folds(user) != folded


async def test_huge_lists_are_shown_in_pieces() -> None:
    session = demo(fill_store=filled_with(lambda s: s._replace(record={**s.record, "huge": list(range(100_000))})))
    async with opened(session, screen="characters") as user:
        await at_record(user, "J")
        await user.press("end", "up")
        await user.sees('"huge": [ 100000 items ]')
        await user.press("right")
        assert user.characters.raw_view.row_count < 400
        await user.press("right", "right")
        await user.sees("0 … 999")


# -- taking it along --------------------------------------------------------------------------------------------------


@covers("copy")
async def test_the_field_under_the_cursor_is_copied_as_it_is() -> None:
    async with opened(screen="characters") as user:
        await at_record(user)
        record = user.characters.record
        view = user.characters.record_view
        for label, wanted in (("Name", "Elena Marsh"), ("Languages", dumps(record["language_codes"], indent=2))):
            view.move_to(
                next(
                    n
                    for n, r in enumerate(user.characters.record_rows)
                    if r.entry is not None and r.entry.label == label
                )
            )
            assert await copied(user, f"Value of {label}") == wanted


async def test_what_is_under_the_cursor_of_the_json_is_copied() -> None:
    async with opened(screen="characters") as user:
        await at_record(user, "J")
        record, view = user.characters.record, user.characters.raw_view
        view.move_to(next(n for n, line in enumerate(user.characters.raw_rows) if line.row.key == '"PROMPT"'))
        prompt = record["personalised_prompt_config"]["PROMPT"]
        assert await copied(user, "Selected text") == prompt
        assert loads(await copied(user, "Selected value as JSON")) == prompt
        assert await copied(user, "Path") == "personalised_prompt_config.PROMPT"


def written_about(record: Any) -> list[str]:
    return [
        record["description"],
        record["personalised_prompt_config"]["PROMPT"],
        record["speaking_style"]["description"],
    ]


@covers("show-card")
async def test_the_card_says_nothing_personal_until_it_is_asked_to() -> None:
    async with opened(screen="characters") as user:
        await at_record(user)
        record = user.characters.record
        await user.press("escape", "Y")
        await user.at(CardDialog)
        await user.sees(
            "Elena Marsh", record["character_id"], "Profile demo (made-up prices), embedded store", "chartui "
        )
        await user.press("y")
        plain = user.clipboard
        assert record["character_id"] in plain
        assert [text for text in written_about(record) if text[:20] in plain] == []
        await user.press("t", "y")
        await user.sees("t hide content")
        assert [text for text in written_about(record) if text[:20] not in user.clipboard] == []
        await user.press("escape")
        again = await copied(user, "Support card")
        assert again.splitlines()[:-1] == plain.splitlines()[:-1]  # the last line has the time


async def test_a_card_names_the_start_section_and_the_cost_and_can_be_written(tmp_path: Path) -> None:
    async with opened(screen="characters") as user:
        await user.press("Y")
        await user.at(CardDialog)
        await user.sees(
            "Start section    Welcome at the door (", "Per interaction  10.486 credits, ", ", default inputs"
        )
        await user.press("W")
        await user.sees("Write to file")
        await user.paste(str(tmp_path / "card"))
        await user.press("enter")
        await user.at(CardDialog)
        assert "10.486 credits" in (tmp_path / "card.txt").read_text()


async def test_a_card_says_what_is_unknown() -> None:
    session, double = doubled()
    double.failures["estimate"] = double.failures["list-sections"] = ServiceError(ErrorKind.BUSY, "Too busy.")
    async with opened(session, screen="characters") as user:
        await user.press("Y")
        await user.at(CardDialog)
        await user.sees("Unknown: Too busy")
        await user.press("escape", "down", "down", "down", "Y")
        await user.at(CardDialog)
        await user.sees("Start section    none")


async def test_a_card_in_the_list_of_a_narrow_window_waits_for_its_record() -> None:
    session, double = doubled()
    double.hold("get-character")
    async with opened(session, screen="characters") as user:
        await user.press("Y")
        assert not user.is_at(CardDialog)
        double.let_all_go()
        await user.at(CardDialog)
        await user.sees("Elena Marsh", "Profile demo (made-up prices), embedded store")


async def test_a_card_that_waits_is_given_up_with_its_character() -> None:
    session, double = doubled()
    double.hold("get-character")
    async with opened(session, screen="characters") as user:
        await user.press("Y", "down")
        double.let_all_go()
        await user.press("enter")
        await user.sees("─ Bran Alder │", "Identity")
        assert not user.is_at(CardDialog)


async def test_a_card_of_a_record_that_cannot_be_read_says_why() -> None:
    session, double = doubled()
    async with opened(session, screen="characters") as user:
        double.failures["get-character"] = ServiceError(ErrorKind.BUSY, "Another program has the store.")
        await user.press("Y")
        await user.is_told("Another program has the store.")


async def test_keys_of_the_settings_change_nothing_while_the_record_is_looked_at() -> None:
    async with opened(screen="characters") as user:
        await user.press("e")
        await user.until(lambda: user.characters.are_settings_shown, "for the settings")
        await user.press("down", "i", "plus", "right", "minus", "right_square_bracket", "right", "right")
        await user.settle()
        assert user.characters.staged == {}


async def test_a_member_given_twice_is_marked() -> None:
    session, double = served()
    text = '{"characters": [{"character_id": "a", "character_name": "Ann", "listing": "one", "listing": "two"}]}'
    double.answers["list-characters"] = read_records(text.encode())
    async with opened(session, screen="characters", size=WIDE) as user:
        await user.sees("two", "The record contains listing more than once. The last value is")


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (160, 45)])
async def test_settings_and_costs_are_searched_in_their_tab(size: tuple[int, int]) -> None:
    async with opened(demo(), screen="characters", size=size) as user:
        await user.press("e")
        form = user.app.focused
        assert isinstance(form, SettingsTab)
        await user.press("slash", *"reason")
        assert user.characters.is_finding
        assert form.current is not None
        assert form.current.id == REASONING
        await user.sees("1 of 1")
        # What is typed is looked for, and runs no command.
        await user.press(*"zqS")
        await user.sees("not found")
        assert not user.app.screen.is_modal
        await user.press("escape")
        assert form.has_focus
        await user.misses("not found")
        await user.press("dollar_sign")
        await user.sees("per interaction")
        cost = user.app.focused
        assert isinstance(cost, CostTab)
        await user.press("slash", *"end to end", "enter")
        assert cost.has_focus
        await user.sees("▌1 550 – 4 630 ms end to end")
        assert not user.characters.query
