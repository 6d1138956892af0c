"""Two characters, or one on two profiles, held against each other on the screen."""

from __future__ import annotations

from contextlib import closing
from decimal import Decimal
from pathlib import Path

import pytest

from chartui.core.backends.local.store import Store
from chartui.core.clock import seeded_ids
from chartui.core.profiles import BUILT_IN
from chartui.core.profiles_file import change_profiles
from chartui.core.session import Session, open_session, store_path
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.demos import fill
from chartui.demos.sample import Sample
from chartui.tui.shell.open_profile import Opening
from chartui.tui.widgets.chooser import Chooser
from tests import writes
from tests.long import sampled
from tests.tui.characters import sees_tab
from tests.tui.hostile import HOSTILE
from tests.tui.keyboard import covers
from tests.tui.serving import VARIABLE, Time, serving
from tests.tui.sessions import clock, demo, doubled, filled_with, remote
from tests.tui.user import NARROW, SMALL, WIDE, User, opened, words

both = pytest.mark.parametrize("size", sampled([NARROW, WIDE], NARROW), ids=["80x24", "120x40"])


async def compare_first_two(user: User) -> None:
    await user.press("c")
    await user.sees("≠ Elena Marsh: c picks another, esc cancels")
    await user.press("down", "c")
    await user.sees("Elena Marsh and Bran Alder", "differences")


@covers("compare-characters")
@both
async def test_two_characters_are_held_against_each_other(size: tuple[int, int]) -> None:
    session = demo()
    async with opened(session, screen="characters", size=size) as user:
        await user.press("c")
        await user.sees("≠ Elena Marsh: c picks another, esc cancels")
        await user.press("down", "c")
        await user.sees("Elena Marsh and Bran Alder", "Identity", "≠ Listing", "private", "public")
        await user.misses("Last used", "Characters ─")
        await user.ready()
        differing = user.pane("#comparison")
        await user.press("end")
        await user.sees("Story", "Triggers", "The stories differ.")
        await user.press("c")  # everything
        await user.sees("shows differences only")
        await user.press("home")
        await user.sees("· ID", "= Owner")
        await user.press("c", "home")
        await user.sees("shows everything")
        assert user.pane("#comparison") == differing
        await user.press("escape")
        await user.sees("Bran Alder", "Nova Adeyemi")
        await user.misses("≠ Elena Marsh:", "Elena Marsh and Bran Alder")
        assert user.characters.view.has_focus


@pytest.mark.parametrize("size", [SMALL, (100, 30), (160, 40)], ids=["60x20", "100x30", "160x40"])
async def test_tabs_that_are_hidden_are_not_switched(size: tuple[int, int]) -> None:
    async with opened(screen="characters", size=size) as user:
        await user.press("i")
        await user.sees("Identity")
        await user.press("escape", "c", "down", "c")
        await user.sees("Elena Marsh and Bran Alder", "differences")
        await user.rests()  # the stories are compared last
        assert "tabs" not in user.bottom_line
        shown, tab = user.pane("#comparison"), user.characters.pane
        await user.press("]", "[", "]")
        await user.settle()
        assert (user.pane("#comparison"), user.characters.pane) == (shown, tab)
        await user.press("escape", "]", "]")  # where the tabs are not in sight, the first key opens the current one
        await user.until(lambda: user.characters.pane is not tab, "for the next tab")


@both
async def test_the_names_are_shown_whole(size: tuple[int, int]) -> None:
    name = "Elena Marsh, keeper of the lamp room"

    def renamed(sample: Sample) -> Sample:
        return sample._replace(record={**sample.record, "character_name": f"{name} {sample.record['character_name']}"})

    async with opened(demo(fill_store=filled_with(renamed)), screen="characters", size=size) as user:
        await user.press("c")
        await user.sees(": c picks another, esc cancels")
        await user.press("down", "c")
        await user.sees("shows everything")
        lines = user.pane("#comparison").splitlines()[1:]
        heading = words("\n".join(lines[: next(n for n, line in enumerate(lines) if "Cost" in line)])).split()
        both_names = f"{name} Elena Marsh {name} Bran Alder".split()
        assert sorted(word for word in heading if word.isascii()) == sorted(both_names)


async def test_giving_up_and_choosing_the_same_one_compares_nothing() -> None:
    async with opened(demo(), screen="characters", size=NARROW) as user:
        await user.press("c")
        await user.sees("≠ Elena Marsh:")
        await user.press("escape")
        await user.misses("≠ Elena Marsh:")
        await user.press("c", "c")
        await user.is_told("A character cannot be compared with itself")
        await user.misses("≠ Elena Marsh:")


async def test_a_pane_or_the_filter_takes_the_place_of_the_comparison() -> None:
    async with opened(demo(), screen="characters", size=WIDE) as user:
        await compare_first_two(user)
        await user.press("$")
        await sees_tab(user, "Cost", "Nova Adeyemi")
        await user.press("escape", "home")
        await compare_first_two(user)
        await user.press("slash", *"nova")
        await user.sees("1 of 12")


async def test_what_is_under_the_cursor_and_the_tables_are_copied() -> None:
    async with opened(demo(), screen="characters", size=WIDE) as user:
        await compare_first_two(user)
        await user.until(lambda: user.characters.is_comparing)
        titles = [choice.title for choice in user.characters.copy_choices()]
        assert titles[:2] == ["Credits of Elena Marsh", "Credits of Bran Alder"]
        assert "Elena Marsh and Bran Alder (CSV)" in titles
        assert "All fields, Elena Marsh and Bran Alder (JSON)" in titles
        await user.press(*["down"] * 3)  # from the costs to the first member
        await user.until(lambda: user.characters.copy_choices()[1].title == "Name of Bran Alder")
        await user.press("y")
        await user.at(Chooser)
        await user.press(*"Name of Bran", "enter")
        await user.until(lambda: user.app.clipboard == "Bran Alder")


async def test_reading_again_shows_what_is_there_now() -> None:
    session = demo()
    async with opened(session, screen="characters", size=WIDE) as user:
        await compare_first_two(user)
        first, *_ = await session.service.summaries()
        await writes.update_character(session.service, first.character_id, temperature=Decimal("0.05"))
        await user.press("f5")
        await user.until(lambda: "0.05" in user.pane("#comparison"))


async def test_the_stories_are_compared_after_the_rest() -> None:
    session, double = doubled()
    async with opened(session, screen="characters", size=WIDE) as user:
        double.hold("list-triggers")
        await compare_first_two(user)
        await user.press("end")
        await user.sees("Story", "loading…")
        double.let_all_go()
        await user.sees("Sections", "only here")
        await user.press("end")
        await user.sees("Decisions", "Start section", "y copies commands")
        assert user.characters.comparison is not None
        commands = {choice.title: choice.text for choice in user.characters.copy_choices()}
        assert "chartui --profile demo diff story.toml" in str(commands["Commands to compare the stories"])


async def test_a_story_that_cannot_be_read_is_unknown() -> None:
    session, double = doubled()
    double.failures["list-triggers"] = ServiceError(ErrorKind.BUSY, "The store is busy.")
    async with opened(session, screen="characters", size=WIDE) as user:
        await compare_first_two(user)
        await user.press("end")
        await user.sees("1 unknown", "? Story", "not read: The store is busy.")


async def test_one_that_cannot_be_read_is_told() -> None:
    session, double = doubled()
    async with opened(session, screen="characters", size=NARROW) as user:
        await user.press("c", "down")
        double.failures["get-character"] = ServiceError(ErrorKind.BUSY, "The store is busy.")
        await user.press("c")
        await user.is_told("The store is busy.")
        await user.sees("Bran Alder", "Nova Adeyemi")


# -- on two profiles --------------------------------------------------------------------------------------------------


def kept() -> Session:
    """The demo data, and a copy of them with another model in the user's own store."""
    ids = seeded_ids(7)
    other = filled_with(
        lambda sample: sample._replace(
            record={
                **sample.record,
                "personalised_prompt_config": {**sample.record["personalised_prompt_config"], "MODEL": "mdla-4o"},
            },
        )
    )
    with closing(Store(store_path(BUILT_IN["local"]))) as store:
        other(store)
    return open_session(BUILT_IN["demo"], fill=lambda store: fill(store, ids=ids, clock=clock), clock=clock, ids=ids)


async def choose(user: User, title: str, text: str) -> None:
    await user.at(Chooser)
    await user.sees(title)
    await user.press(*text, "enter")


@covers("compare-profiles")
@both
async def test_one_character_on_two_profiles(size: tuple[int, int]) -> None:
    async with opened(kept(), screen="characters", size=size, opening=Opening(clock=clock)) as user:
        await user.press("&")
        await choose(user, "Compare with which profile?", "local")
        await user.sees("Elena Marsh on demo and Elena Marsh on local", "1 difference", "mdla-4o")
        assert user.app.session.profile.name == "demo"
        other = user.characters.other_profile
        assert other is not None
        await user.press("escape")
        await user.sees("Nova Adeyemi")
        await user.until(lambda: user.characters.other_profile is None)


async def test_where_the_id_is_not_there_another_one_is_chosen() -> None:
    with closing(Store(store_path(BUILT_IN["local"]))) as store:
        fill(store, ids=seeded_ids(9), clock=clock)
    async with opened(demo(), screen="characters", size=WIDE, opening=Opening(clock=clock)) as user:
        await user.press("&")
        await choose(user, "Compare with which profile?", "local")
        await user.sees("Not on local.")
        await user.press("escape")
        await user.until(lambda: user.characters.other_profile is None)
        await user.press("&")
        await choose(user, "Compare with which profile?", "local")
        await choose(user, "Not on local.", "")  # the namesake has the cursor
        await user.sees("Elena Marsh on demo and Elena Marsh on local", "no difference")


async def test_what_a_service_does_not_tell_is_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(tmp_path) as service:
        monkeypatch.setenv(VARIABLE, service.key)
        change_profiles(lambda known: known.adding(service.profile("far")))
        async with opened(kept(), screen="characters", size=WIDE, opening=Opening(clock=clock)) as user:
            await user.press("&")
            await choose(user, "Compare with which profile?", "far")
            await user.sees("Elena Marsh on demo and Elena Marsh on far", "2 unknown", "not returned by this service")
            await user.press("f5")
            await user.ready()
            await user.sees("2 unknown")


async def test_a_profile_that_does_not_answer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    session = kept()
    async with opened(session, screen="characters", size=NARROW, opening=Opening(clock=clock)) as user:
        store_path(BUILT_IN["local"]).write_bytes(b"no database at all " * 100)
        await user.press("&")
        await choose(user, "Compare with which profile?", "local")
        await user.is_told("is damaged or is not a database")
        await user.press("&", "escape")
        await user.sees("Nova Adeyemi")


async def test_hostile_texts_are_harmless() -> None:
    texts = [text for text in HOSTILE if not any("\ud800" <= character <= "\udfff" for character in text)]

    def hostile(number: int) -> dict[str, str]:
        return {f"x{i}": f"{text}{number}" for i, text in enumerate(texts)} | {
            "description": "\n".join(texts[number:]),
            "character_name": texts[number],
            texts[number]: "member",
        }

    session, double = doubled()
    async with opened(session, screen="characters", size=NARROW) as user:
        first, second, *_ = user.characters.summaries
        await user.press("c", "down")
        records = [
            {**(await session.service.character(one.character_id)).raw, **hostile(number)}  # type: ignore[union-attr]
            for number, one in enumerate((first, second))
        ]
        double.answers["get-character"] = records[0]
        await user.press("c")
        await user.until(lambda: user.characters.comparison is not None)
        for key in ("c", "end", "home", "pagedown", "pagedown"):
            await user.press(key)
            await user.settle()
        assert user.app.return_code is None


async def test_a_slow_comparison_says_that_it_is_loading_and_can_be_canceled() -> None:
    time, (session, double) = Time(), remote()
    async with opened(session, screen="characters", size=WIDE, time=time) as user:
        reads = double.count("list-characters")
        double.hold("list-characters")
        await user.press("c", "down", "c")
        await user.until(lambda: double.waiting("list-characters"), "for the read")
        time.pass_by(3)
        await user.sees("Loading both characters… 3 s · Esc cancels")
        await user.press("escape")
        await user.is_told("Canceled. The characters were not compared.")
        await user.misses("Loading both characters")
        double.let_all_go()
        reads = double.count("list-characters")
        await user.press("up", "c", "down", "c")
        await user.sees("Elena Marsh and Bran Alder", "differences")
        assert double.count("list-characters") == reads + 1


async def test_two_of_one_name_are_told_apart_by_the_end_of_their_ids() -> None:
    def namesakes(sample: Sample) -> Sample:
        return sample._replace(record={**sample.record, "character_name": "Elena Marsh"})

    async with opened(demo(fill_store=filled_with(namesakes)), screen="characters", size=WIDE) as user:
        await user.press("c", "down", "c")
        await user.sees("differences")
        heading = next(line for line in user.pane("#comparison").splitlines() if line.count("Elena Marsh …") == 2)
        assert len({word for word in heading.split() if word.startswith("…")}) == 2
        await user.press("y")
        await user.sees("of Elena Marsh …")
