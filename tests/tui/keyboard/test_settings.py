"""The settings of a character: staged, kept, reviewed, saved, and never over somebody else's unseen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from textual.events import Key

from chartui.core.actions.backstory import sentences
from chartui.core.session import Session, open_session
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.text import is_plain
from chartui.tui.screens.characters import state
from chartui.tui.screens.characters.screen import CharactersScreen
from chartui.tui.screens.characters.tabs import settings, settings_form
from chartui.tui.shell.palette import Palette
from chartui.tui.shell.profiles import ProfilesDialog
from chartui.tui.tour.player import messages
from chartui.tui.widgets.editor import Editor
from chartui.tui.widgets.questions import Confirm
from chartui.tui.widgets.review import Review
from tests import writes
from tests.tui.characters import ELENA, edit, kept, reads, review, sees_tab, stage_temperature, stored
from tests.tui.hostile import HOSTILE, IN_WINDOWS, look, session_of
from tests.tui.keyboard import covers
from tests.tui.serving import serving
from tests.tui.sessions import demo, doubled, remote
from tests.tui.user import NARROW, SMALL, WIDE, User, opened


@covers("edit-settings", "apply-settings")
async def test_settings_are_staged_reviewed_saved_and_read_back() -> None:
    session, double = doubled()
    async with opened(session, screen="characters", size=WIDE) as user:
        await stage_temperature(user)
        assert user.line("Temperature", "#detail").split() == ["│▌Temperature", "Δ", "0.9", "│"]
        await user.press("down", "plus")
        await user.press("S")
        await user.sees("Apply settings to Elena Marsh", "0.6 → 0.9", "medium → high", "› Cancel")
        assert double.count("update-character") == 0
        await user.press("y")
        await user.is_told("Applied: ")
        await user.uncovers("0.9", "level high", "Changes are staged here")
        after = await stored(session)
        assert (after.temperature, after.reasoning_effort) == (Decimal("0.9"), "high")
        [payload] = [payload for name, payload in double.calls if name == "update-character"]
        assert payload.keys() == {"charID", "temperature", "reasoning_effort"}
        await user.characters.kept()
        assert await session.drafts.all(session.profile.place) == ()


async def test_keys_typed_ahead_reach_the_settings_they_are_meant_for() -> None:
    session, double = doubled()
    async with opened(session, screen="characters", size=NARROW) as user:
        await user.press("down")
        await user.press_ahead(double, "get-character", "Reading the settings…", "e", "down", "plus")
        await user.sees("Settings Δ1", "was 0.")
        assert "Δ" not in user.line(" Model ")


async def test_each_typed_character_draws_the_form_once_and_leaves_the_backstory_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[str] = []
    async with opened(screen="characters", size=WIDE) as user:
        await user.press("e", "down")
        await user.sees("▌Temperature", "Changes are staged here")
        await user.settle()

        def counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
            def call(*arguments: Any) -> Any:
                drawn.append(name)
                return function(*arguments)

            return call

        monkeypatch.setattr(settings, "rows_of", counted("form", settings_form.rows_of))
        monkeypatch.setattr(state, "sentences", counted("backstory", sentences))
        await user.write("0.9")
        await user.sees("Settings Δ1")
        await user.characters.kept()
        await user.settle()
        assert Counter(drawn) == {"form": 3}


async def test_while_the_settings_are_read_the_cursor_moves_and_nothing_is_changed() -> None:
    session, double = doubled()
    async with opened(session, screen="characters", size=WIDE) as user:
        double.hold("get-character")
        await user.press("down", "e")
        await user.sees("Reading the settings…")
        user.app.typeahead.patience = 0.05
        await user.press("down", "plus", "enter")
        assert "…" in user.line("▌Temperature", "#detail")
        double.let_all_go()
        await user.sees("▌Temperature   0.", "0 to 1", "Changes are staged here")
        assert not user.characters.staged


async def test_why_they_could_not_be_read_stays_in_sight() -> None:
    session, double = doubled()
    double.failures["get-character"] = ServiceError(ErrorKind.BROKEN, "The file is damaged.")
    async with opened(session, screen="characters", size=WIDE) as user:
        for key in ("e", "J"):
            await user.press(key)
            await user.sees("The file is damaged.")
            user.characters.refresh_bars()  # as when the lock is another: nothing is read for that
            await user.settle()
            assert "The file is damaged." in user.pane("#detail")


async def test_cancel_has_the_cursor_and_nothing_is_sent() -> None:
    session, double = doubled()
    async with opened(session, screen="characters", size=WIDE) as user:
        await stage_temperature(user)
        for key in ("enter", "escape"):
            await user.press("S")
            await user.at(Review)
            await user.press("S", key)
            await user.until(lambda: user.at_work)
        assert double.count("update-character") == 0
        await user.sees("1 change staged")


@covers("more", "less", "revert-setting")
async def test_a_temperature_goes_up_and_down_and_back() -> None:
    async with opened(screen="characters", size=WIDE) as user:
        await edit(user)
        assert "⏎ change" in user.bottom_line
        assert "undo" not in user.bottom_line
        await user.press("down", "plus", "plus", "minus")
        await user.sees("0.65", "was 0.6", "⏎ change", "r revert", "S apply", "D discard", "z undo")
        await user.press("5")
        await user.sees("⏎ done")
        await user.press("enter")
        await user.sees("⏎ change")
        await user.press("z")
        await user.press(*["minus"] * 20)
        assert user.line("Temperature", "#detail").split()[2] == "0"
        await user.press("r")
        await user.misses("was 0.6")
        assert user.line("Temperature", "#detail").split()[1] == "0.6"


async def test_the_arrow_keys_change_no_setting() -> None:
    async with opened(screen="characters", size=WIDE) as user:
        await user.press("e")
        await user.sees("Changes are staged here")
        for _ in range(4):
            await user.press("right", "left", "right", "down")
        assert not user.characters.staged
        await user.press("home", "down", "enter", "left", "left", "right")
        assert not user.characters.staged  # in a number that is being edited, they move the caret
        await user.press("escape", "plus")
        assert user.characters.staged


async def test_a_number_that_is_none_keeps_the_settings_from_being_saved() -> None:
    session, double = doubled()
    async with opened(session, screen="characters", size=WIDE) as user:
        await stage_temperature(user, "1.5")
        await reads(user, "The temperature must be a number from 0 to 1, not")
        await reads(user, "1 change staged: temperature. Invalid: temperature. Fix or revert it (r) before you apply.")
        await user.press("S")
        await user.is_told("The temperature must be a number from 0 to 1, not")
        assert double.count("update-character") == 0


async def test_the_keys_of_the_form_and_of_the_search_are_no_part_of_a_temperature() -> None:
    async with opened(screen="characters", size=WIDE) as user:
        await edit(user)
        await user.press("down", *"0.2e", "slash", *"model", "enter")
        await user.sees("Temperature Δ 0.2 ", "Elena Marsh has 1 change staged: temperature. S applies")


@pytest.mark.parametrize("size", [(60, 20), WIDE])
async def test_while_a_temperature_is_typed_a_key_that_the_footer_does_not_show_is_refused(
    size: tuple[int, int],
) -> None:
    async with opened(screen="characters", size=size) as user:
        await edit(user)
        await user.press("down", *"0.")
        for key in "xkN":
            await user.press(key)
            await user.is_told(f"“{key}” is not part of a number. ")
        await user.press("5", "plus", "enter")
        [staged] = user.characters.staged.values()
        assert staged.changes == {"temperature": "0.55"}


async def test_what_another_model_does_to_the_level_is_said_before() -> None:
    session = demo()
    async with opened(session, screen="characters", size=WIDE) as user:
        await edit(user)
        await user.press("enter", *"mdla-4.1-mini", "enter")
        await reads(
            user, "▲ mdla-4.1-mini does not support the reasoning level “medium”, so the level is cleared.", "was MDLA"
        )
        await reads(user, "Reasoning Δ not set", "was level medium", "2 changes staged: model, reasoning level.")
        assert "Settings Δ2" in user.screen
        await review(user)
        await reads(user, "level is cleared", "10.486 → 7.930 credits (−2.556)", "1 550 – 4 630 → 620 – 1 490 ms")
        await user.press("y")
        await user.is_told("Applied: ")
        after = await stored(session)
        assert (after.model_group_name, after.reasoning_effort) == ("mdla-4.1-mini", None)


async def test_not_set_auto_and_the_level_none_are_three_choices() -> None:
    session = demo()
    async with opened(session, screen="characters", size=WIDE) as user:
        for choice, state in (("none", "none"), ("auto", "auto"), ("not set", None)):
            await edit(user)
            await user.press("home", "down", "down", "enter", *choice, "enter", "S")
            await user.at(Review)
            await user.press("y")
            await user.until(lambda: not user.characters.staged)
            assert (await stored(session)).reasoning_effort == state


async def test_a_code_that_no_list_has_can_be_sent_after_a_warning() -> None:
    session, double = remote()
    double.answers["update-character"] = {"STATUS": "SUCCESS"}
    async with opened(session, screen="characters", size=WIDE) as user:
        await edit(user)
        await user.press("enter", *"model code", "enter")
        await user.at(Editor)
        await user.press("f4", "ctrl+u", *"own-model-1", "escape")
        await reads(user, "own-model-1", "Unknown model own-model-1")
        await review(user)
        await reads(user, "mdla-5.1 → own-model-1", "→ unknown credits", "“own-model-1” is not in the catalogue.")
        await user.press("y")
        await user.is_told("Applied: ")
        [payload] = [payload for name, payload in double.calls if name == "update-character"]
        assert payload["model_group_name"] == "own-model-1"


async def test_a_backstory_is_written_in_the_editor_and_kept_while_it_is() -> None:
    session = demo()
    async with opened(session, screen="characters", size=WIDE) as user:
        await edit(user)
        await user.press("end", "enter")
        await user.at(Editor)
        await user.sees("staged as you type; not applied yet")
        await user.press("enter", *"More of it.")
        await written_behind(user, session, "More of it.")
        await user.press("escape")
        await user.sees("was 750 characters")
        await user.press("S")
        await user.sees("+ More of it.")
        await user.press("y")
        await user.is_told("Applied: backstory …", "More of it. · Elena Marsh")
        backstory = (await stored(session)).backstory
        assert backstory is not None
        assert backstory.endswith("\nMore of it.")


async def written_behind(user: User, session: Session, text: str) -> None:
    """Wait until the draft on the disk holds a text, while the editor is open."""
    await user.settle()
    await user.characters.kept()
    [draft] = await session.drafts.all(session.profile.place)
    assert text in draft.document["changes"]["backstory"]


@covers("discard-settings")
async def test_all_changes_are_dropped_after_a_question() -> None:
    session = demo()
    async with opened(session, screen="characters", size=WIDE) as user:
        await stage_temperature(user)
        await user.press("D")
        await user.sees("Discards changes: temperature.")
        await user.press("enter")
        await user.sees("1 change staged")
        await user.press("D", "y")
        await user.sees("Changes are staged here")
        await user.characters.kept()
        assert await session.drafts.all(session.profile.place) == ()


@covers("next-character-tab", "previous-character-tab")
async def test_brackets_turn_the_panes() -> None:
    async with opened(screen="characters", size=WIDE) as user:
        await sees_tab(user, "Record", "Identity")
        for pane, held in (
            ("JSON", "character_name"),
            ("Cost", "credits"),
            ("History", "Record"),
            ("Settings", "0 to 1"),
        ):
            await user.press("right_square_bracket")
            await sees_tab(user, pane, held)
        assert user.app.focused is user.characters.view
        await user.press("down")
        await user.sees("─ Bran Alder │")
        await user.press("left_square_bracket", "left_square_bracket")
        await sees_tab(user, "Cost", "mdlc-3.5-flash → mdlc_3_5_flash_low")
        await user.press("left_square_bracket", "left_square_bracket")
        await sees_tab(user, "Record", "Identity")
    async with opened(screen="characters") as user:
        await user.press(*["left_square_bracket"] * 2)
        await sees_tab(user, "Settings", "Temperature")
        await user.press("escape")
        await user.sees("Bran Alder")


async def test_staged_changes_come_back_marked_in_the_next_program() -> None:
    async with opened(kept(), screen="characters", size=WIDE) as user:
        await stage_temperature(user)
        await user.press("q")
        await user.sees("Quit?")
        kept_as = "The draft is saved and will be restored when you reopen this profile."
        await user.reads("Options", f"Staged changes to Elena Marsh are not applied yet. {kept_as}")
        await user.characters.kept()
    async with opened(kept(), screen="characters", size=WIDE) as user:
        await user.is_told("Restored staged changes to Elena Marsh: temperature 0.9.", "Δ marks characters with")
        await user.until(lambda: "Δ" in user.line(ELENA, "#list"), "for the mark of staged changes")
        await edit(user)
        await user.sees("0.9", "was 0.6")


@covers("quit")
async def test_leaving_is_asked_about() -> None:
    async with opened(screen="characters", size=WIDE) as user:
        await stage_temperature(user)
        for answers in (["enter"], ["escape"], ["q", "escape"]):  # the key that asked does not agree as well
            await user.press("q")
            await user.at(Confirm)
            await user.sees("Quit?", "› Cancel")
            await user.reads(
                "Options",
                "Staged changes to Elena Marsh are not applied yet. These changes are deleted with the demo data",
            )
            await user.press(*answers)
            await user.misses("Quit?")
        assert user.app.return_code is None
        await user.press("E", "q")  # wherever you are by now
        await user.sees("Quit?")
        user.app.post_message(Key("y", "y"))
        await user.until(lambda: user.app.return_code == 0, "for the end")


@covers("profiles")
async def test_opening_another_profile_is_asked_about() -> None:
    async with opened(kept(), screen="characters", size=WIDE) as user:
        await stage_temperature(user)
        for answer, name in (("escape", "demo"), ("y", "local")):
            await user.press("P")
            await user.at(ProfilesDialog)
            await user.press("home", "down", "enter")
            await user.sees("Open 'local'?")
            await user.reads("Options", "The draft is saved and will be restored when you reopen this profile.")
            await user.press(answer)
            await user.misses("Open 'local'?")
            await user.until(lambda: user.app.session.profile.name == name, f"for {name}")  # noqa: B023 - awaited here
        await user.ready()
        assert not user.characters.staged
        user.app.message_seconds = 60.0  # on a busy machine as well
        await user.press("P", "home", "enter")  # nothing is staged here, and nobody asks
        await user.is_told(
            "'demo' is open.", "Restored staged changes to Elena Marsh"
        )  # neither takes the other's place


async def listed(user: User, text: str) -> str:
    """What the palette lists for a text."""
    await user.press(":")
    await user.at(Palette)
    await user.paste(text)
    found = user.screen
    await user.press("escape")
    await user.leaves(Palette)
    return found


@covers("keep-setting", "revert-setting")
@pytest.mark.parametrize(("key", "after"), [("m", "0.9"), ("r", "0.2")])
async def test_two_programs_changing_one_character_are_told(key: str, after: str) -> None:
    """Beside the setting, as soon as it was read; what is found when it is saved has tests of its own."""
    other = kept()
    async with opened(kept(), screen="characters", size=WIDE) as user:
        assert "Keep mine" not in await listed(user, "keep mine")
        await stage_temperature(user)
        before = await stored(other)
        assert "Keep mine" not in await listed(user, "keep mine")
        await writes.update_character(other.service, before.character_id, temperature=Decimal("0.2"))
        await user.press("f5")
        await reads(user, "⇄ Changed elsewhere from 0.6 to 0.2.")
        assert "Keep mine" in await listed(user, "keep mine")
        await user.press(key)
        await user.misses("Changed elsewhere")
        if key == "m":
            await user.press("S")
            await user.sees("0.2 → 0.9")
            await user.press("y")
            await user.until(lambda: not user.characters.staged)
        assert (await stored(other)).temperature == Decimal(after)
        assert not user.characters.staged
    await other.aclose()


async def test_wanting_what_the_other_program_wrote_leaves_nothing_to_save() -> None:
    other = kept()
    async with opened(kept(), screen="characters", size=WIDE) as user:
        await stage_temperature(user)
        await writes.update_character(other.service, (await stored(other)).character_id, temperature=Decimal("0.90"))
        await user.press("f5")
        await user.sees("Changes are staged here")
        assert user.line("Temperature", "#detail").split()[1] == "0.9"
    await other.aclose()


async def test_two_programs_writing_one_draft_are_told() -> None:
    other = kept()
    async with opened(kept(), screen="characters", size=WIDE) as user:
        await stage_temperature(user)
        await user.characters.kept()
        place = other.profile.place
        [draft] = await other.drafts.all(place)
        document = {**draft.document, "changes": {"temperature": "0.1"}}
        theirs = await other.drafts.save(place, draft.character_id, draft.part, document, revision=draft.revision)
        await user.press("enter", "5")
        await user.sees("Another program is editing Elena Marsh", "temperature 0.95", "temperature 0.1")
        assert (await other.drafts.all(place))[0] == theirs
        await user.press("down", "down", "enter")
        await user.sees("was 0.6")
        assert user.line("Temperature", "#detail").split()[2] == "0.1"
        await user.characters.kept()
        assert (await other.drafts.all(place))[0].document["changes"] == {"temperature": "0.1"}
    await other.aclose()


async def test_a_draft_that_cannot_be_written_is_told_once() -> None:
    session = demo()
    full = ServiceError(ErrorKind.BROKEN, "The disk is full.")
    async with opened(session, screen="characters", size=WIDE) as user:
        with mock.patch.object(session.drafts, "save_history", side_effect=full) as save:
            await edit(user)
            await user.press("down", *"0.9")
            await user.is_told("The disk is full. The staged changes exist only in memory")
            await user.press("5")
            await user.until(lambda: save.call_count > 1)
            assert user.characters.settings.unsaved
            assert len(messages(user.app)) == 1


@contextmanager
def far(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Session, Session]]:
    """Two sessions on one served store."""
    with serving(folder) as service:
        monkeypatch.setenv("CHARTUI_TEST_KEY", service.key)
        yield open_session(service.profile()), open_session(service.profile("other"))


async def test_a_service_is_read_again_just_before_the_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with far(tmp_path, monkeypatch) as (mine, other):
        async with opened(mine, screen="characters", size=WIDE) as user:
            await stage_temperature(user)
            elena = user.characters.shown_id
            assert elena is not None
            await writes.update_character(other.service, elena, temperature=Decimal("0.2"))
            await user.press("S")
            await user.sees("Conflict", "theirs", "0.2")
            record = await other.service.character(elena)
            assert record is not None
            assert record.raw["personalised_prompt_config"]["TEMPERATURE"] == Decimal("0.2")
            await user.press("m", "enter")
            await user.sees("0.2 → 0.9", "Changes that others have made")
            await user.press("y")
            await user.is_told("Applied: ")
            assert not any("unnoticed" in message for message in messages(user.app))
        await other.aclose()


async def test_what_cannot_be_read_back_is_known_here_once_it_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with far(tmp_path, monkeypatch) as (mine, other):
        async with opened(mine, screen="characters", size=WIDE) as user:
            await edit(user)
            await user.sees("unknown", "write-only")
            await user.press("end", "up", "enter", *"high", "enter")
            await user.press("S")
            await user.sees("unknown → high", "Cannot be checked")
            await user.press("y")
            await user.is_told("Applied: ")
            await user.sees("level high", "write-only, last written from this machine")
        await other.aclose()


async def test_when_one_member_is_refused_the_others_are_offered() -> None:
    session, double = remote()
    double.failures["update-character"] = ServiceError(ErrorKind.INVALID, "temperature is too hot", status=400)
    async with opened(session, screen="characters", size=WIDE) as user:
        await stage_temperature(user)
        await user.press("down", "enter", *"high", "enter", "S")
        await user.sees("Apply settings to Elena Marsh")
        await user.press("y")
        await user.sees("temperature is too hot")
        await user.press("escape")
        await user.sees("The service rejected the temperature", "Apply the rest")
        del double.failures["update-character"]
        double.answers["update-character"] = {"STATUS": "SUCCESS"}
        await user.press("y")
        await user.sees("Apply settings to Elena Marsh", "→ high")
        await user.press("y")
        await user.is_told("Applied: ")
        last = [payload for name, payload in double.calls if name == "update-character"][-1]
        assert last.keys() == {"charID", "reasoning_effort"}
        await user.sees("1 change staged", "0.9")


async def test_a_service_that_does_not_list_its_models_has_those_of_the_catalogue() -> None:
    session, double = remote()
    double.failures["list-models"] = ServiceError(ErrorKind.TIER, "A professional account is needed.", status=403)
    async with opened(session, screen="characters", size=WIDE) as user:
        await edit(user)
        await user.sees("Models and levels come from the catalogue")
        await user.press("enter")
        await user.sees("MDLA 5.4", "36 of 36")


async def test_the_footer_says_in_every_window_how_staged_changes_are_applied() -> None:
    for size in (SMALL, NARROW, WIDE):
        async with opened(screen="characters", size=size) as user:
            await user.press("e")
            await user.sees("0 to 1")
            assert "S apply" not in user.bottom_line
            await user.press("down", "+")
            assert ("S apply  D discard" if size == WIDE else "S apply  ] tabs") in user.bottom_line


async def test_keys_that_change_a_setting_name_the_lock() -> None:
    async with opened(demo(read_only=True), screen="characters") as user:
        await edit(user)
        for key in ("+", "-", "r", "m"):
            await user.press("down", key)
            await user.is_told("editing settings is disabled")
            user.app.clear_notifications()


async def test_under_read_only_the_settings_are_shown_and_not_changed() -> None:
    async with opened(demo(read_only=True), screen="characters", size=WIDE) as user:
        await edit(user)
        await user.sees("editing settings is disabled")
        await user.press("down", *"0.9", "plus", "down", "enter", "end", "enter", "r", "m")
        assert not user.characters.staged
        assert user.is_at(CharactersScreen)
        await user.is_told("editing settings is disabled")  # beside the field, where a small window shows no note
        await user.press("S")
        await user.is_told("read-only")


@IN_WINDOWS
async def test_hostile_text_in_the_settings_and_their_dialogues(name: str, size: tuple[int, int]) -> None:
    async with opened(session_of(HOSTILE[name]), screen="characters", size=size) as user:
        await user.press("e")
        await user.sees("Temperature")
        await look(user)
        await user.press("enter")
        await look(user)
        await user.press("escape", "end", "enter")
        await user.at(Editor)
        await look(user)
        await user.press("x", "escape")
        await user.sees("Δ")
        await look(user)
        await user.press("D")
        await look(user)
        await user.press("escape", "S")
        await user.at(Review)
        await user.settle()
        await user.press("end", "d")
        await user.settle()
        assert all(is_plain(line) for line in user.screen.splitlines())


async def test_the_cursor_begins_at_the_first_setting_of_another_character() -> None:
    async with opened(screen="characters", size=WIDE) as user:
        await user.press("e")
        await user.sees("Temperature")
        await user.press("down", "down", "escape", "down", "e")
        await user.ready()
        assert "▌Model" in user.screen
        await user.press("down")
        assert "▌Temperature" in user.screen


async def test_a_minus_before_a_digit_is_the_sign_of_the_number_and_several_are_steps() -> None:
    async with opened(screen="characters", size=WIDE) as user:
        await stage_temperature(user)
        await user.press("-", "3")
        await user.sees("✗ The temperature must be a number from 0", "not -3.")
        await user.press("escape")
        await user.misses("not -3.")
        await user.press("-", "-", "3")
        await user.sees("not 3.")


async def test_changes_staged_for_a_story_are_marked_and_reviewed_on_their_screen() -> None:
    async with opened(screen="narrative", size=WIDE) as user:
        await user.press("f2", *"Hall", "enter")
        await user.until(lambda: user.narrative.staged, "for the new name to be staged")
        await user.press("C")
        await user.until(lambda: "Δ" in user.line("▌", "#list"), "for the mark of staged changes")
        await user.sees(": 1 staged change in the story")
        assert "S apply" not in user.bottom_line
        for key in "SD":
            await user.press(key)
            await user.is_told("The story has 1 staged change. Review or discard them in the graph: N opens it.")
            await user.press("escape")
        await user.press("N", "z")
        await user.until(lambda: not user.narrative.staged, "for the new name to be undone")
        await user.press("C")
        await user.until(lambda: "Δ" not in user.pane("#list"), "for the mark to go")
        assert "in the story" not in user.screen
