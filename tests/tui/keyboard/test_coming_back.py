"""The program starts as you left it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from chartui.core.bookmark import (
    Bookmark,
    ScreenPlace,
    bookmark_path,
    bookmark_problems,
    load_bookmark,
    remembers,
    save_bookmark,
)
from chartui.core.config import config_path
from chartui.core.credentials import KeySource, SourceKind
from chartui.core.estimation.constraints import Need
from chartui.core.jsontext import Wire
from chartui.core.profiles import BUILT_IN, Profile
from chartui.core.profiles_file import change_profiles
from chartui.demos.stage import Time
from chartui.tui.drafts import Keeper
from chartui.tui.screens.estimator.board import Board
from chartui.tui.screens.narrative.dialogs import TargetChooser
from chartui.tui.shell.profiles import ProfilesDialog
from chartui.tui.widgets.sheet_view import SheetView
from tests.tui.sessions import REMOTE, demo
from tests.tui.starting import LOCAL, fill_local, started
from tests.tui.user import NARROW, WIDE, User, opened

OWNER = BUILT_IN["local"].place


@pytest.fixture(autouse=True)
def _filled() -> None:
    fill_local()


def settings(user: User) -> object:
    """The settings of the views of the estimator."""
    return user.app.screen.query_one(Board).settings


# -- what comes back ---------------------------------------------------------------------------------------------------


async def test_the_section_the_tab_and_the_enlarged_pane_come_back() -> None:
    async with started(f"{LOCAL} --character 'Elena Marsh' --section 'House rules' --tab lint", size=WIDE) as user:
        await user.until(lambda: user.narrative.here.title == "House rules", "for the section")
        await user.press("v")
        assert user.narrative.fills_window()
    async with started(size=WIDE) as user:
        assert user.narrative.name == "Elena Marsh"
        assert user.narrative.here.title == "House rules"
        assert user.narrative.pane == "lint"
        assert user.narrative.fills_window()
        await user.press("escape")
        assert not user.narrative.fills_window()


async def test_the_filter_of_the_tree_comes_back_with_its_section() -> None:
    async with started(f"{LOCAL} --screen narrative --character 'Elena Marsh'") as user:
        await user.press("slash", *"house", "enter")
        await user.rests()
        title = user.narrative.here.title
    async with started() as user:
        assert user.filter.value == "house"
        assert user.narrative.matching
        assert user.narrative.here.title == title
        await user.press("escape")
        assert not user.filter.value
        assert user.narrative.here.title == title


async def test_the_list_comes_back_with_its_cursor_order_and_filter() -> None:
    async with started(f"{LOCAL} --screen characters", size=WIDE) as user:
        await user.press("s", "s", "O", "slash", *"mdla", "enter", "down", "down")
        await user.rests()
        name, names = user.characters.name, user.characters.names
        assert 2 < len(names) < len(user.characters.summaries)
    async with started(size=WIDE) as user:
        await user.until(lambda: user.characters.name == name, f"for {name}")
        assert user.characters.names == names
        assert user.filter.value == "mdla"
        await user.sees("by model, descending")


async def test_a_filter_for_traits_comes_back_with_its_cursor() -> None:
    async with started(f"{LOCAL} --screen characters") as user:
        await user.press("slash", *"openness>0")
        await user.until(lambda: len(user.characters.names) > 1, "for matches")
        await user.press("enter", "down")
        await user.rests()
        name = user.characters.name
    async with started() as user:
        await user.until(lambda: user.characters.described, "for the traits")
        assert user.characters.name == name


async def test_fuzzy_filtering_comes_back() -> None:
    async with started(f"{LOCAL} --screen characters") as user:
        await user.finds("fuzzy-filter")
        await user.press(*"eln", "enter")
        await user.settle()
        assert user.characters.fuzzy
        name = user.characters.name
    async with started() as user:
        await user.until(lambda: user.characters.fuzzy and user.characters.name == name, f"for {name}")


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_the_tab_of_a_character_comes_back_with_the_focus(size: tuple[int, int]) -> None:
    async with started(f"{LOCAL} --screen characters --character 'Avery Cole'", size=size) as user:
        await user.press("J")
        await user.rests()
    async with started(size=size) as user:
        await user.until(lambda: user.characters.in_detail, "for the tab")
        assert (user.characters.name, user.characters.pane) == ("Avery Cole", "raw")


async def test_inputs_constraints_and_volume_come_back() -> None:
    async with started(size=WIDE) as user:
        await user.press("right", *["down"] * 6, *"4321")
        await user.finds("volume")
        await user.press(*"250", "enter")
        await user.finds("view-what-if")
        await user.press("t")
        await user.finds("rank-kind")
        await user.finds("explore-constraints")
        await user.press("right", "escape")
        await user.ready()
        before, kept = user.estimator.now, settings(user)
        await user.press("v")
    async with started(size=WIDE) as user:
        await user.until(lambda: user.estimator.found is not None, "for the front")
        now = user.estimator.now
        assert now.constraints == before.constraints is not None
        assert (now.view, now.typed, now.chosen) == (before.view, before.typed, before.chosen)
        assert now.typed == {"input_tokens": "4321"}
        assert user.app.screen.query_one(Board).zoomed
        for name in ("view-subscriptions", "view-what-if", "view-rank"):
            await user.finds(name)
        assert settings(user) == kept


async def test_the_conversation_comes_back() -> None:
    async with started(f"{LOCAL} --screen actions --character 'Avery Cole'") as user:
        await user.press("l")
        await user.settle()
    async with started() as user:
        assert (user.actions.name, user.actions.tab) == ("Avery Cole", "checks")
        await user.until(lambda: user.focus == "checks", "for the focus")


async def test_of_the_filters_of_the_requests_only_the_text_comes_back() -> None:
    """The calls do not come back, so a view of some of them would look empty."""
    async with started(f"{LOCAL} --screen characters") as user:
        await user.sees("Elena Marsh")
        await user.press("Q", "f", "t")
        await user.sees("No failed changes.")
        await user.press("slash", *"summ", "enter")
    async with started() as user:
        assert user.filter.value == "summ"
        await user.press("C")
        await user.sees("Elena Marsh")
        await user.press("Q")
        await user.sees("summarize-characters")


@pytest.mark.parametrize(
    ("table", "screen", "command"),
    [
        ("ranking", "estimator", "view-rank"),
        ("front", "estimator", "view-explore"),
        ("list", "requests", ""),
        ("profiles", "requests", "profiles"),
    ],
)
async def test_the_order_of_a_table_comes_back(table: str, screen: str, command: str) -> None:
    async def order(user: User) -> tuple[int, bool] | None:
        if command:
            await user.finds(command)
        await user.ready()
        return user.app.screen.query_one(f"#{table}", SheetView).order

    async with started(f"{LOCAL} --screen {screen}", size=WIDE) as user:
        given = await order(user)
        await user.press("s", "s")
        shown = user.app.screen.query_one(f"#{table}", SheetView)
        kept, columns = shown.order, [each for each in shown.sheet.columns if each.title and each.kind is not None]
        assert kept is not None
        assert kept[1]
        await user.press("escape")
    async with started(size=WIDE) as user:
        assert await order(user) == kept
        await user.press(*["s"] * (2 * len(columns) - 1), "escape")
    async with started(size=WIDE) as user:
        assert await order(user) == given


async def test_a_column_that_a_table_has_no_longer_sorts_nothing() -> None:
    for odd in (["gone", True], ["label"], 7, ["label", "x"], {"label": True}):
        save_bookmark(OWNER, Bookmark(screen="estimator", places={"tables": {"ranking": odd}}))
        async with started(size=WIDE) as user:
            await user.finds("view-rank")
            assert user.estimator.ranked.table.order == (5, False)


async def test_a_screen_that_was_not_opened_keeps_its_place() -> None:
    async with started(f"{LOCAL} --character 'Elena Marsh' --section 'House rules'"):
        pass
    async with started(f"{LOCAL} --screen requests"):
        pass
    async with started(f"{LOCAL} --screen narrative") as user:
        assert user.narrative.here.title == "House rules"


# -- what is gone ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("screen", ["characters", "narrative", "actions"])
async def test_without_the_character_you_start_at_the_list(screen: str) -> None:
    save_bookmark(OWNER, Bookmark(screen=screen, character="0" * 8 + "-0000" * 3 + "-" + "0" * 12))
    async with started(size=WIDE) as user:
        await user.is_told("The character you last worked on no longer exists.")
        await user.ready()
        assert user.characters.name == user.characters.names[0]
        await user.press("A")
        await user.ready()
        assert user.actions.name == user.app.work.name_known(user.app.character or "")
        await user.press("N")
        await user.ready()
        assert user.narrative.name


async def test_without_the_section_you_start_at_the_first() -> None:
    async with started(f"{LOCAL} --character 'Elena Marsh' --section 'House rules'"):
        pass
    kept = load_bookmark(OWNER)
    place = {**kept.places["narrative"], "section": "gone"}
    save_bookmark(OWNER, kept._replace(places={"narrative": place}))
    async with started() as user:
        await user.is_told("The section you last worked on no longer exists.")
        assert user.narrative.name == "Elena Marsh"


async def test_a_section_that_was_never_applied_is_found_even_if_its_draft_comes_late(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with started(f"{LOCAL} --character 'Elena Marsh' --section 'House rules'", size=WIDE) as user:
        await user.press("a")
        await user.at(TargetChooser)
        await user.press(*"Attic", "enter")
        await user.back()
        await user.press(*"They climb", "enter", "down")
        await user.until(lambda: user.narrative.here.title == "Attic", "for the new section")
        await user.narrative.kept()
    graph_read, load = asyncio.Event(), Keeper[Any].load

    async def late(keeper: Keeper[Any]) -> Mapping[str, Any]:
        await graph_read.wait()
        return await load(keeper)

    monkeypatch.setattr(Keeper, "load", late)
    async with started(size=WIDE) as user:
        await user.sees("graph on")
        graph_read.set()
        await user.until(lambda: user.narrative.here.title == "Attic", "for the new section")
        await user.is_told("Restored staged changes to the story of Elena Marsh")
        assert "no longer exists" not in user.screen


# -- when nothing is kept ----------------------------------------------------------------------------------------------


async def test_a_fresh_start_reads_and_keeps_nothing() -> None:
    async with started(f"{LOCAL} --screen narrative"):
        pass
    before = bookmark_path("local").read_bytes()
    async with started(f"{LOCAL} --fresh") as user:
        assert user.app.scope == "estimator"
        await user.press("Q")
    assert bookmark_path("local").read_bytes() == before


async def test_the_setting_switches_it_off() -> None:
    config_path().parent.mkdir(parents=True, exist_ok=True)
    config_path().write_text('format = "chartui-config"\nversion = 1\nremember = false\n')
    async with started(f"{LOCAL} --screen narrative"):
        pass
    assert not bookmark_path("local").exists()
    change_profiles(lambda profiles: profiles.adding(replace(BUILT_IN["local"], remember=True)))
    async with started(f"{LOCAL} --screen narrative"):
        pass
    assert bookmark_path("local").exists()


def test_a_prompt_for_the_api_key_means_a_shared_machine() -> None:
    asking = replace(REMOTE, key=KeySource(SourceKind.ASK, ()))
    assert not remembers(asking, None)
    assert not remembers(asking, True)
    assert remembers(replace(asking, remember=True), None)
    assert remembers(REMOTE, None)
    assert not remembers(replace(REMOTE, remember=False), True)


@pytest.mark.parametrize("command", ["chartui demo", "chartui --profile demo"])
async def test_demos_keep_nothing(command: str) -> None:
    async with started(command) as user:
        await user.press("Q")
    assert not bookmark_path("demo").exists()


async def test_arguments_and_settings_come_first() -> None:
    async with started(f"{LOCAL} --tab lint --character 'Elena Marsh'"):
        pass
    change_profiles(lambda profiles: profiles.adding(replace(BUILT_IN["local"], screen="requests")))
    async with started() as user:
        assert user.app.scope == "requests"
        await user.press("N")
        await user.ready()
        assert (user.narrative.name, user.narrative.pane) == ("Elena Marsh", "lint")
    async with started(f"{LOCAL} --tab map --character 'Avery Cole'") as user:
        assert (user.narrative.name, user.narrative.pane) == ("Avery Cole", "map")


async def turn_to(user: User, name: str) -> None:
    """Open another profile."""
    await user.press("P")
    await user.at(ProfilesDialog)
    await user.settle()
    await user.press("home", *["down"] * list(user.table.sheet.keys).index(name), "enter")
    await user.until(lambda: user.app.session.profile.name == name, f"for {name}")
    await user.leaves(ProfilesDialog)
    await user.ready()


async def test_each_profile_comes_back_at_its_place() -> None:
    change_profiles(lambda profiles: profiles.adding(REMOTE))
    async with started(f"{LOCAL} --character 'Elena Marsh' --section 'House rules' --tab lint") as user:
        await turn_to(user, "demo")
        assert user.narrative.pane == "section"
        await user.press("M")
        await turn_to(user, "local")
        await user.until(lambda: user.narrative.here.title == "House rules", "for the section")
        assert user.narrative.pane == "lint"


# -- the file ----------------------------------------------------------------------------------------------------------


async def test_it_is_written_a_moment_after_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    time = Time()
    session = demo()
    session = replace(session, profile=replace(BUILT_IN["local"], name="local"))
    async with opened(session, time=time) as user:
        user.app.opening.remember = True
        await user.press("Q")
        assert not bookmark_path("local").exists()
        time.pass_by(3.0)
        await user.until(bookmark_path("local").exists, "for the bookmark")
        await user.settle()
        assert load_bookmark(session.profile.place).screen == "requests"
        user.app.opening.remember = False


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"\xff\x00", "not a bookmark"),
        (b"[]", "not a bookmark"),
        (b'{"format": "chartui-bookmark", "version": 1, "places": 7}', "damaged"),
        (b'{"format": "chartui-bookmark", "version": 1, "screen": [], "places": {}}', "damaged"),
        (b'{"format": "chartui-bookmark", "version": 2}', "version 2 is not supported"),
    ],
)
async def test_a_file_that_cannot_be_used_is_ignored_told_and_replaced(content: bytes, told: str) -> None:
    bookmark_path("local").parent.mkdir(parents=True, mode=0o700)
    bookmark_path("local").write_bytes(content)
    assert load_bookmark(OWNER) == Bookmark()
    [problem] = bookmark_problems()
    assert told in problem
    async with started() as user:
        await user.press("Q")
    assert not list(bookmark_problems())
    assert load_bookmark(OWNER).screen == "requests"


async def test_odd_values_of_another_version_do_no_harm() -> None:
    odd: dict[str, ScreenPlace] = {
        "estimator": {
            "tab": "gone",
            "chosen": {"llm": 7, "memory": "yes", "odd": "x"},
            "typed": {"input_tokens": []},
            "views": {"rank": {"kind": "odd"}, "what-if": {"quantity": "odd", "end": "1"}, "explore": {"memory": 1}},
        },
        "characters": {"tab": 3, "sort": "odd", "filter": {}, "descending": "x"},
        "narrative": {"tab": None, "section": 5},
        "actions": {"tab": [], "in_tab": 7},
        "requests": {"filter": 7},
        "gone": {},
    }
    save_bookmark(OWNER, Bookmark(screen="estimator", places=odd))
    async with started(size=WIDE) as user:
        assert not user.estimator.now.chosen
        for name in ("view-what-if", "view-rank", "view-explore"):
            await user.finds(name)
        for key in "CNAQ":
            await user.press(key)
            await user.ready()


def test_a_bookmark_belongs_to_the_address() -> None:
    here = Profile(name="work", kind=REMOTE.kind, base_url="https://a.example")
    save_bookmark(here.place, Bookmark(screen="requests"))
    assert load_bookmark(here.place).screen == "requests"
    assert load_bookmark(replace(here, base_url="https://b.example").place) == Bookmark()
    assert bookmark_path("work").stat().st_mode & 0o777 == 0o600


def test_the_need_and_the_limit_of_constraints_are_kept() -> None:
    from chartui.core.estimation.constraints import Constraints
    from chartui.tui.screens.estimator.kept import at_place, place_of
    from chartui.tui.screens.estimator.screen import EstimatorScreen

    asked = Constraints(
        memory=Need.MUST,
        interactions=Decimal(9),
        families=frozenset({"a", "b"}),
        max_credits=Decimal("1.5"),
        max_latency=900,
    )
    state = replace(EstimatorScreen().state, constraints=asked)
    save_bookmark(OWNER, Bookmark(places={"estimator": place_of(state)}))
    back = at_place(EstimatorScreen().state, load_bookmark(OWNER).places["estimator"])
    assert back.constraints == asked


# -- two programs on one profile ---------------------------------------------------------------------------------------


async def test_what_two_programs_keep_is_joined() -> None:
    wide: list[Wire] = [["name", 0], ["id", 0]]
    async with started(f"{LOCAL} --screen characters") as user:
        await user.press("slash", *"marsh", "enter")
        await user.rests()
        # Another program on the same profile chooses columns, sorts a table and uses a filter meanwhile.
        before = load_bookmark(OWNER)
        other: dict[str, ScreenPlace] = {
            "characters": {"columns": wide, "used_filters": ["flash"]},
            "tables": {"ranking": ["credits", True]},
        }
        save_bookmark(OWNER, Bookmark(screen="estimator", places=other), since=before)
        await user.press("escape", "down")
    kept = load_bookmark(OWNER)
    assert kept.screen == "characters"
    assert kept.places["characters"]["columns"] == wide
    assert kept.places["characters"]["used_filters"] == ["marsh", "flash"]
    assert kept.places["tables"] == {"ranking": ["credits", True]}
    async with started() as user:
        assert "Model" not in user.line(" Name")


def test_a_program_in_which_nothing_was_changed_keeps_what_another_has_written() -> None:
    start = Bookmark(screen="estimator", places={"characters": {"tab": "cost", "columns": []}})
    theirs = Bookmark(screen="narrative", character="c", places={"characters": {"tab": "raw", "filter": "b"}})
    here = {"tab": "raw", "filter": "b", "columns": []}
    assert start.over(theirs, start) == theirs._replace(places={"characters": here})
    mine = start._replace(places={"characters": {"tab": "history"}, "tables": {"front": ["a", False]}})
    both = theirs._replace(places={**theirs.places, "tables": {"ranking": ["b", True], "front": ["c", True]}})
    assert mine.over(both, start).places == {
        "characters": {"tab": "history"},
        "tables": {"ranking": ["b", True], "front": ["a", False]},
    }


async def test_a_section_that_is_asked_for_is_shown_whatever_tab_was_open() -> None:
    async with started(f"{LOCAL} --character 'Elena Marsh' --section 'House rules'") as user:
        await user.press("w", "1", "1")
        assert user.narrative.fills_window()
    async with started(f"{LOCAL} --character 'Elena Marsh' --section 'The gallery'") as user:
        await user.until(lambda: user.narrative.here.title == "The gallery", "for the section")
        assert not user.narrative.fills_window()
        assert user.narrative.tree.has_focus
        await user.reads("#section-tab", "The gallery")
