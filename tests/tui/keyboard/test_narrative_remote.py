"""The narrative screen on a service, which can only be asked for the records of all characters at once."""

from __future__ import annotations

from chartui.core.session import Session
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.tui.widgets.review import Review
from tests.tui.recorded import served
from tests.tui.serving import Time
from tests.tui.sessions import Double
from tests.tui.user import WIDE, opened

LIST = "list-characters"


async def elena(session: Session) -> str:
    records = await session.service.records()
    return next(one.character_id for one in records.summaries if one.character_name == "Elena Marsh")


async def a_service() -> tuple[Session, Double, str]:
    session, double = served()
    character_id = await elena(session)
    double.calls.clear()
    return session, double, character_id


async def test_a_graph_is_shown_before_any_list_is_read() -> None:
    session, double, character_id = await a_service()
    double.hold(LIST)
    # No time passes, so nothing is said of a list that takes long.
    async with opened(session, screen="narrative", character=character_id, size=WIDE, ready=False, time=Time()) as user:
        await user.until(lambda: user.narrative.is_read, "for the graph")
        await user.sees(
            f"─ {character_id} ─", "Loading start section…", "on/off state unknown · 40 sections · 3 triggers"
        )
        await user.misses("Unreachable", "▲ 1")
        await user.press("l")
        await user.sees("The story will be checked when the start")
        assert (double.count(LIST), double.waiting(LIST)) == (1, 1)  # asked for, and not waited for
        double.let_all_go()
        await user.sees("─ Elena Marsh ─", "▶ Welcome at the door", "■ graph on · 40 sections · 3 triggers")
        assert double.count(LIST) == 1


async def test_a_record_that_comes_soon_is_shown_with_its_graph() -> None:
    session, double, character_id = await a_service()
    double.hold(LIST)
    async with opened(session, screen="narrative", character=character_id, size=WIDE, ready=False, time=Time()) as user:
        await user.until(lambda: double.count("list-triggers") == 1, "for the graph to be asked for")
        await user.misses("Start section", "Not reached by a trigger")
        double.let_all_go()
        await user.sees("─ Elena Marsh ─", "▶ Welcome at the door", "■ graph on · 40 sections · 3 triggers")
        assert double.count(LIST) == 1


async def test_a_list_that_was_just_read_is_not_read_again_for_other_screens() -> None:
    session, double, _ = await a_service()
    time = Time()
    async with opened(session, screen="characters", size=WIDE, time=time) as user:
        await user.press("N")
        await user.sees("■ graph on · 40 sections")
        await user.press("C", "down", "N")
        await user.sees("─ Bran Alder ─")
        await user.press("A")
        await user.sees("Say to Bran Alder")
        assert double.count(LIST) == 1
        await user.press("f5")  # which asks for what is current
        await user.until(lambda: double.count(LIST) == 2, "for the list to be read")
        time.pass_by(121)
        await user.press("C", "up", "N")
        await user.until(lambda: double.count(LIST) == 3, "for the list to be read, which is old by now")


async def test_without_an_id_one_list_is_read_for_both_character_and_record() -> None:
    session, double, _ = await a_service()
    async with opened(session, screen="narrative", size=WIDE) as user:
        await user.sees("─ Elena Marsh ─", "■ graph on · 40 sections")
        assert double.count(LIST) == 1


async def test_a_graph_stays_where_its_record_cannot_be_read() -> None:
    session, double, character_id = await a_service()
    double.failures[LIST] = ServiceError(ErrorKind.TIMEOUT, "The list was too slow.")
    async with opened(session, screen="narrative", character=character_id, size=WIDE, ready=False) as user:
        await user.sees("The list was too slow.", "Start section unknown", "on/off state unknown · 40 sections")
        del double.failures[LIST]
        await user.press("f5")
        await user.sees("─ Elena Marsh ─", "■ graph on · 40 sections")


async def test_the_graph_is_not_switched_while_it_is_unknown_whether_it_is_on() -> None:
    session, double, character_id = await a_service()
    double.hold(LIST)
    # No time passes, so nothing is said of a list that takes long.
    async with opened(session, screen="narrative", character=character_id, size=WIDE, ready=False, time=Time()) as user:
        await user.until(lambda: user.narrative.is_read, "for the graph")
        user.narrative.toggle()
        await user.is_told("The graph's on/off state is still loading.")
        double.let_all_go()
        await user.sees("■ graph on · 40 sections")
        user.narrative.toggle()
        await user.at(Review)
        await user.sees("Switch the narrative graph off")


async def test_a_story_that_could_not_be_loaded_says_so_in_every_tab_until_it_is_loaded() -> None:
    session, double, character_id = await a_service()
    unreachable = ServiceError(ErrorKind.UNREACHABLE, "The service cannot be reached.")
    async with opened(session, screen="narrative", character=character_id) as user:
        await user.press("w")
        await user.sees("Elena Marsh", "Welcome at the door")
        await user.press("C")
        await user.sees("Bran Alder")
        double.failures.update(dict.fromkeys(("list-characters", "list-sections", "list-triggers"), unreachable))
        await user.press("down", "N")
        for key in ("l", "M", "w"):
            await user.press(key)
            await user.sees("The story could not be loaded.", "f5")
        assert "ago" not in user.bottom_line  # nothing was loaded, so nothing is old
        await user.press("escape")
        await user.reads("#tree", "The story could not be loaded.")
        # The list knows the name, and F5 loads the story once the service answers.
        await user.sees("─ Bran Alder ─")
        double.failures.clear()
        await user.press("f5")
        await user.sees("sections")
        await user.misses("could not be loaded")


async def test_actions_names_a_character_that_another_screen_knows_while_the_service_is_away() -> None:
    session, double, _ = await a_service()
    time = Time()
    async with opened(session, screen="characters", time=time) as user:
        time.pass_by(121)  # the list is old by now
        double.failures[LIST] = ServiceError(ErrorKind.UNREACHABLE, "The service cannot be reached.")
        await user.press("down", "A")
        await user.sees("unreachable")
        await user.sees("The service cannot be reached.")
        await user.sees("Say to Bran Alder")
