"""From the estimator to a character and back: a model that is staged for it, and its configuration as the inputs."""

from __future__ import annotations

import pytest

from chartui.core.estimation.pins import change_pins
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.tui.screens.characters.state import Tab
from tests.long import sampled
from tests.tui.keyboard import covers
from tests.tui.sessions import demo, doubled, remote
from tests.tui.user import NARROW, WIDE, User, opened


async def choose_model(user: User, key: str) -> None:
    """Put a model into the form."""
    await user.press("enter", *key, "enter")
    await user.until(lambda: user.estimator.now.chosen.get("llm") == key and user.is_ready())


async def apply_to(user: User, name: str) -> None:
    await user.press("c")
    await user.sees("Elena Marsh", "of 12")
    await user.press(*name, "enter")
    await user.until(lambda: user.app.scope == "characters", "for the characters")


@covers("apply-to-character")
@pytest.mark.parametrize("size", sampled([NARROW, WIDE], NARROW))
@pytest.mark.parametrize("seen_before", [False, True])
async def test_a_model_and_its_level_are_staged(size: tuple[int, int], seen_before: bool) -> None:
    session, double = doubled()
    async with opened(session, size=size) as user:
        if seen_before:
            await user.press("C")
            await user.ready()
            await user.press("E")
        await choose_model(user, "mdlc_3_5_flash_high")
        await apply_to(user, "camille")
        await user.is_told("Staged, not sent.", "Not applied: memory, knowledge and speech output")
        await user.sees("2 changes staged", "was MDLB Sonnet, newest", "level high")  # once no message covers it
        assert double.count("update-character") == 0
        await user.characters.kept()
        [draft] = await session.drafts.all(session.profile.place)
        assert draft.document["changes"] == {"model_group_name": "mdlc-3.5-flash", "reasoning_effort": "high"}
        assert user.characters.pane is Tab.SETTINGS
        await user.press("escape", "escape")
        assert user.app.scope == "estimator"


async def test_what_was_staged_before_stays() -> None:
    """Also where it waits in a draft that this program has not read yet."""
    session = demo()
    async with opened(session, size=WIDE) as user:
        await choose_model(user, "mdla_4o")
        [first, *_] = await session.service.summaries()
        draft = {
            "format": "chartui-settings-draft",
            "version": 1,
            "character_id": first.character_id,
            "name": "Elena Marsh",
            "base": {"temperature": 0},
            "changes": {"temperature": "0.9"},
        }
        await session.drafts.save(session.profile.place, first.character_id, "settings", draft)
        await apply_to(user, "elena")
        await user.uncovers("3 changes staged", "0.9")
        await user.characters.kept()
        kept = await session.drafts.load(session.profile.place, first.character_id, "settings")
        assert kept is not None
        assert kept.document["changes"] == {"temperature": "0.9", "model_group_name": "mdla-4o"}


async def test_of_several_ways_the_user_chooses() -> None:
    session = demo()
    change_pins(lambda pins: pins.with_model("mdla-5.x", "mdla_5_4"), session.pins_path)
    async with opened(session, size=WIDE) as user:
        await choose_model(user, "mdla_5_4")
        await user.press("c")
        await user.sees("Apply mdla_5_4 as", "From your pinned prices.")
        await user.press("down", "enter")
        await user.sees("Apply mdla-5.x to")
        await user.press(*"bran", "enter")
        await user.uncovers("1 change staged", "mdla-5.x")


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("mdla_5_6_luna", "no model code selects it for a character"),
        ("byo_mdla_compatible_endpoint", "A model that the account registered itself"),
    ],
)
async def test_a_model_without_a_code_is_not_applied(key: str, why: str) -> None:
    async with opened(size=WIDE) as user:
        await choose_model(user, key)
        await user.press("c")
        await user.is_told("Nothing to apply", why)
        assert user.app.scope == "estimator"


async def test_a_match_that_is_a_guess_says_so() -> None:
    async with opened(size=WIDE) as user:
        await choose_model(user, "mdld_4_31b_fast")
        await apply_to(user, "marcus")
        await user.is_told("the match is an assumption")


async def test_who_has_it_already_gets_no_change() -> None:
    session = demo()
    async with opened(session, size=WIDE) as user:
        await choose_model(user, "mdla_4o")
        await apply_to(user, "avery")
        await user.is_told("Avery Cole already has these settings (stored or staged).")
        assert await session.drafts.all(session.profile.place) == ()


async def test_under_the_lock_nothing_is_staged() -> None:
    session = demo(read_only=True)
    async with opened(session, size=WIDE) as user:
        await choose_model(user, "mdla_4o")
        await user.press("c")
        await user.is_told("applying a model is disabled.")
        assert user.at_work
        assert await session.drafts.all(session.profile.place) == ()


async def test_a_service_that_refuses_the_list() -> None:
    session, double = remote()
    async with opened(session, size=WIDE) as user:
        await choose_model(user, "mdla_4o")
        double.failures["list-characters"] = ServiceError(ErrorKind.BAD_KEY, "The API key was rejected.", status=401)
        await user.press("c")
        await user.is_told("The API key was rejected.")
        await user.press("I")
        await user.settle()
        assert user.app.scope == "estimator"


# -- the other way -----------------------------------------------------------------------------------------------------


async def begin_with(user: User, name: str) -> None:
    await user.press("I")
    await user.sees("Import from a character", "of 12")
    await user.press(*name, "enter")


@covers("load-character")
@pytest.mark.parametrize("size", sampled([NARROW, WIDE], NARROW))
async def test_a_characters_configuration_becomes_the_inputs(size: tuple[int, int]) -> None:
    async with opened(size=size) as user:
        await begin_with(user, "elena")
        await user.is_told("Inputs loaded from Elena Marsh. Assumed: Speech output.")
        await user.ready()
        assert user.estimator.now.value("llm") == "mdla_5_1_medium"
        assert user.estimator.now.value("memory") is True


async def test_an_alias_is_asked_about() -> None:
    async with opened(size=WIDE) as user:
        await begin_with(user, "camille")
        await user.sees("depends on which model “mdlb-sonnet” stands for", "8.832")
        await user.press("escape")
        await user.settle()
        assert user.estimator.now.chosen == {}
        await begin_with(user, "camille")
        await user.sees("depends on which model")
        await user.press(*["down"] * 4, "enter")
        await user.is_told("Inputs loaded from Camille")
        assert user.estimator.now.chosen.get("llm") == "mdlb_4_5_sonnet"


async def test_what_has_no_price_is_not_loaded() -> None:
    async with opened(size=WIDE) as user:
        await begin_with(user, "nova")
        await user.is_told("Nova Adeyemi has no configuration", "“crew-trainer-8b” is not in the catalogue.")
        assert user.estimator.now.chosen == {}
