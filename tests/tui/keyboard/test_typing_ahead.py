"""Keys typed while a service takes its time: each reaches what it was meant for, or is refused where it can be seen."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual.events import Key

from chartui.core.backends.layers import ConfirmFirstWrite
from chartui.core.profiles import BUILT_IN
from chartui.core.service import Service
from chartui.core.session import Session
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Effect
from chartui.core.spec.operations import OPERATIONS
from chartui.tui.run_plan import Report
from chartui.tui.screens.characters.screen import CharactersScreen
from chartui.tui.shell.history import History
from chartui.tui.shell.open_profile import Opening
from chartui.tui.shell.profiles import ProfilesDialog
from chartui.tui.wait import Waiting
from chartui.tui.widgets.chooser import Chooser
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.questions import AskLine, TypeName
from chartui.tui.widgets.review import Review
from tests.tui.characters import choose_level, edit, stage_temperature
from tests.tui.serving import Time
from tests.tui.sessions import Double, demo, doubled, remote
from tests.tui.user import WIDE, User, opened


async def waits(user: User, double: Double, operation: str) -> None:
    await user.until(lambda: double.waiting(operation) and user.is_at(Waiting), f"for {operation} to be asked")


def hold_reads(double: Double) -> None:
    for row in OPERATIONS.values():
        if row.effect is Effect.READ:
            double.hold(row.name)


def production() -> tuple[Session, Double, Opening]:
    session, double = remote()
    way = Opening()
    profile = replace(session.profile, production=True)
    service = Service(ConfirmFirstWrite(double, way.confirm, name=profile.name), embedded=False)
    return replace(session, profile=profile, service=service), double, way


class TestBeforeTheReview:
    """From the key that asks for a review to the review."""

    async def test_an_early_answer_waits_for_the_review(self) -> None:
        session, double = remote()
        async with opened(session, screen="characters", size=WIDE) as user:
            await stage_temperature(user)
            double.hold("list-characters")
            await user.press("S")
            await waits(user, double, "list-characters")
            await user.press("y")
            await user.sees("Apply changes to Elena Marsh", "esc cancels", "1 key waiting")
            assert not any(isinstance(screen, Chooser) for screen in user.app.screen_stack)
            double.let_all_go()
            await user.is_told("Applied: ")
            assert double.count("update-character") == 1

    async def test_escape_cancels_and_forgets_what_was_typed(self) -> None:
        session, double = remote()
        async with opened(session, screen="characters", size=WIDE) as user:
            await stage_temperature(user)
            double.hold("list-characters")
            await user.press("S")
            await waits(user, double, "list-characters")
            await user.press("y", "escape")
            await user.is_told("Canceled.")
            double.let_all_go()
            await user.at(CharactersScreen)
            assert "1 change staged" in user.screen
            assert double.count("update-character") == 0

    async def test_keys_for_a_review_that_does_not_come_are_refused_and_named(self) -> None:
        session, double = remote()
        async with opened(session, screen="characters", size=WIDE) as user:
            await stage_temperature(user)
            double.hold("list-characters")
            await user.press("S")
            await waits(user, double, "list-characters")
            await user.press("y", "N")
            double.failures["list-characters"] = ServiceError(ErrorKind.REFUSED, "Not today.")
            double.let_all_go()
            await user.is_told("Not today.", "Keys pressed too early were ignored: y N")
            assert user.is_at(CharactersScreen)

    async def test_a_review_on_production_takes_no_early_answer(self) -> None:
        session, double, way = production()
        async with opened(session, screen="characters", size=WIDE, opening=way) as user:
            await stage_temperature(user)
            double.hold("list-characters")
            await user.press("S")
            await waits(user, double, "list-characters")
            await user.press("y", *session.profile.name, "enter")
            double.let_all_go()
            await user.is_told("Keys pressed too early were ignored: y")
            assert user.is_at(Review)
            assert double.count("update-character") == 0

    async def test_a_letter_of_a_name_does_not_agree_to_making_it(self) -> None:
        async with opened(demo(), screen="characters", size=WIDE) as user:
            await user.press("a", *"Mille")
            await user.at(AskLine)
            for key in ("enter", *"yes"):  # in one burst, as from a terminal
                user.app.post_message(Key(key, key if len(key) == 1 else "\r"))
            await user.is_told("Keys pressed too early were ignored: y e s")
            assert user.is_at(Review)

    async def test_a_review_that_warns_takes_no_early_answer(self) -> None:
        session, double = remote()
        async with opened(session, screen="characters", size=WIDE) as user:
            await edit(user)
            await choose_level(user, "high")
            double.hold("list-characters")
            await user.press("S")
            await waits(user, double, "list-characters")
            await user.press("y")
            double.let_all_go()
            await user.is_told("Keys pressed too early were ignored: y")
            await user.sees("This change cannot be undone, because the service does not report the earlier value.")
            assert user.is_at(Review)
            assert double.count("update-character") == 0

    @pytest.mark.parametrize(
        ("screen", "keys", "dialog"),
        [
            ("characters", ("H",), History),
            ("characters", ("a",), AskLine),
            ("characters", ("f2",), AskLine),
            ("characters", ("d",), Review),
            ("characters", ("asterisk", "b"), Chooser),
            ("narrative", ("c",), Chooser),
            ("narrative", ("T",), Review),
            ("estimator", ("I",), Chooser),
        ],
    )
    async def test_a_key_never_reaches_the_screen_behind(
        self, screen: str, keys: tuple[str, ...], dialog: type[Dialog[object]]
    ) -> None:
        session, double = doubled()
        async with opened(session, screen=screen, size=WIDE) as user:
            await user.press(*keys[:-1])
            await user.ready()
            hold_reads(double)
            await user.press(keys[-1], "Q")
            double.let_all_go()
            await user.until(lambda: user.is_at(dialog), f"for {dialog.__name__}")
            await user.until(lambda: not user.app.typeahead.busy, "for the key to be obeyed")
            assert user.app.scope == screen

    async def test_where_nothing_is_to_be_undone_the_answer_is_refused(self) -> None:
        session, double = doubled()
        async with opened(session, screen="characters", size=WIDE) as user:
            double.hold("summarize-characters")
            await user.press("u")
            await waits(user, double, "summarize-characters")
            await user.press("y")
            double.let_all_go()
            await user.is_told("Keys pressed too early were ignored: y")
            assert user.is_at(CharactersScreen)


class TestAfterTheReview:
    """From the answer to a review to the end of the plan."""

    @pytest.mark.parametrize(("key", "pane"), [("h", "history"), ("i", "record")])
    async def test_the_next_key_reaches_the_screen_behind(self, key: str, pane: str) -> None:
        session, double = remote()
        async with opened(session, screen="characters", size=WIDE) as user:
            await stage_temperature(user)
            await user.press("S")
            await user.at(Review)
            double.hold("update-character")
            await user.press("y")
            await waits(user, double, "update-character")
            await user.press(key)
            await user.sees("Step 1 of 1", "esc stops after this step", "1 key waiting")
            double.let_all_go()
            await user.is_told("Applied: ")
            await user.until(lambda: user.characters.pane.value == pane, "for the pane")

    async def test_what_was_typed_before_the_answer_never_reaches_the_screen_behind(self) -> None:
        session, double = remote()
        async with opened(session, screen="characters", size=WIDE) as user:
            await stage_temperature(user)
            double.hold("list-characters")
            await user.press("S")
            await waits(user, double, "list-characters")
            await user.press("y", "y", "enter")
            double.let_all_go()
            await user.is_told("Keys pressed too early were ignored: y")
            await user.is_told("Applied: ")
            await user.at(CharactersScreen)
            assert double.count("update-character") == 1
            assert user.app.clipboard == ""

    async def test_without_a_wait_it_does_not_either(self) -> None:
        session, _ = doubled()
        async with opened(session, screen="characters", size=WIDE) as user:
            await stage_temperature(user)
            pane = user.characters.pane
            await user.press("S", "y", "h")
            await user.is_told("Applied: ")
            await user.is_told("Keys pressed too early were ignored: h")
            assert user.characters.pane is pane

    async def test_keys_do_not_answer_the_question_of_production(self) -> None:
        session, double, way = production()
        time = Time()
        async with opened(session, screen="characters", size=WIDE, opening=way) as user:
            user.app.connection.ticks = time.ticks
            await stage_temperature(user)
            await user.press("S")
            await user.at(Review)
            time.pass_by(45)  # so that it is read again
            double.hold("list-characters")
            await user.press("y")
            await waits(user, double, "list-characters")
            await user.press(*session.profile.name, "enter")
            double.let_all_go()
            await user.at(TypeName)
            await user.is_told("Keys pressed too early were ignored:")
            assert double.count("update-character") == 0

    async def test_keys_do_not_answer_a_report_that_was_not_seen(self) -> None:
        session, double = remote()
        async with opened(session, screen="characters", size=WIDE) as user:
            await stage_temperature(user)
            await user.press("S")
            await user.at(Review)
            double.hold("update-character")
            await user.press("y")
            await waits(user, double, "update-character")
            await user.press("r")
            double.failures["update-character"] = ServiceError(ErrorKind.TIMEOUT, "No answer.", sent="unclear")
            double.let_all_go()
            await user.is_told("Keys pressed too early were ignored: r")
            assert user.is_at(Report)
            assert double.count("update-character") == 1


async def test_an_early_answer_waits_for_the_review_of_a_story() -> None:
    session, double = remote()
    async with opened(session, screen="narrative", size=WIDE) as user:
        await user.press("f2", *"Hall", "enter")
        await user.sees("Δ 1 section")
        double.hold("list-sections")
        await user.press("S")
        await waits(user, double, "list-sections")
        await user.press("y")
        assert not any(isinstance(screen, Chooser) for screen in user.app.screen_stack)
        double.let_all_go()
        await user.is_told("Applied: ")
        assert double.count("edit-section") == 1


async def test_a_profile_that_takes_its_time_takes_the_keys_along() -> None:
    way = Opening(throwaway=True)
    async with opened(way.open(BUILT_IN["demo"]), opening=way) as user:
        await user.press("P")
        await user.at(ProfilesDialog)
        await user.press("down", "enter", "C")
        await user.is_told("'local' is open.")
        await user.until(lambda: user.app.scope == "characters", "for the characters")
        assert user.app.session.profile.name == "local"


def alt(character: str) -> Key:
    """What a terminal sends for Escape and a key directly after it."""
    return Key(f"alt+{character}", character)


async def test_a_key_directly_after_escape_is_two_keys() -> None:
    async with opened(screen="actions", size=WIDE) as user:
        await user.ready()
        await user.press("e", *"hello")
        user.app.post_message(alt("b"))  # in a text an arrow with Alt, which moves by a word
        await user.write("oh ")
        await user.sees("oh hello")
        user.app.post_message(alt("C"))
        await user.at(CharactersScreen)
        await user.press("A")
        await user.sees("oh hello")
