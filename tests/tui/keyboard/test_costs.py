"""What a character costs: from its record, the user's own table and the estimator, with the keyboard alone."""

from __future__ import annotations

from decimal import Decimal

import pytest

from chartui.core.estimation.pins import Pins, change_pins, load_pins
from chartui.core.estimation.scenario import Scenarios, from_table
from chartui.core.paths import pins_path
from chartui.core.session import Session
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.estimation import Assumptions, Selections
from chartui.demos.sample import Sample
from chartui.tui.numbers import credits_text
from chartui.tui.screens.characters.screen import CharactersScreen
from chartui.tui.screens.characters.state import Tab
from tests.long import sampled
from tests.tui.characters import sees_tab
from tests.tui.hostile import HOSTILE, SHORT_RUN, look
from tests.tui.keyboard import covers
from tests.tui.sessions import demo, doubled, filled_with, remote
from tests.tui.user import NARROW, SMALL, WIDE, User, opened

ELENA, BRAN, AVERY, CAMILLE, NOVA = range(5)
#: Where they stand in the list: a level, another level, none, an alias, a code that nobody knows.
PLACES = {ELENA: 0, BRAN: 1, AVERY: 2, CAMILLE: 7, NOVA: 10}
UNIT = "credits per interaction"
#: The input tokens estimated from the texts of Elena and of Camille.
ELENAS, CAMILLES = (Assumptions(input_tokens=Decimal(number)) for number in (267, 170))


async def look_at(user: User, who: int, *texts: str) -> None:
    """Go to what a character costs, from the list."""
    await user.press(*["down"] * PLACES[who], "$")
    await user.sees(*(texts or (UNIT,)))


async def amount(session: Session, assumed: Assumptions | None = None, **selections: str | bool) -> str:
    """What the service says that a configuration costs, as the screen writes it."""
    selected = Selections(**selections)  # type: ignore[arg-type]
    return credits_text((await session.service.estimate(selected, assumed or Assumptions())).credits)


def head(user: User) -> str:
    """The line with the price."""
    return user.line(UNIT, "#cost").split(UNIT)[0].strip(" │▌")


def words(user: User) -> str:
    """The words of the pane, a blank apart."""
    return " ".join(user.pane("#cost").split())


# -- the price ---------------------------------------------------------------------------------------------------------


@covers("show-cost")
@pytest.mark.parametrize("size", sampled([NARROW, WIDE], NARROW))
async def test_the_price_is_what_the_service_says_of_the_configuration(size: tuple[int, int]) -> None:
    session = demo()
    async with opened(session, screen="characters", size=size) as user:
        await look_at(user, ELENA)
        assert head(user) == await amount(session, ELENAS, llm="mdla_5_1_medium", memory=True)
        await user.reads("#cost", "MDLA 5.1 · medium", "mdla-5.1 → mdla_5_1_medium", "The reasoning level is medium.")
        assert "assumed" not in user.line("Memory        on", "#cost")
        await user.press("end")
        assert "▲ assumed · default" in user.line("Speech output Managed voice", "#cost")


async def test_the_price_and_what_it_is_for_are_in_sight_in_a_small_window() -> None:
    async with opened(screen="characters", size=SMALL) as user:
        await look_at(user, ELENA)
        quantities = "150 output characters, 8 s of user speech, 10 s of spoken reply"
        await user.reads("#cost", f"end to end with default inputs: {quantities}")


async def test_a_range_of_quantities_gives_the_lowest_and_the_highest_cost() -> None:
    session = demo()
    async with opened(session, screen="characters", size=(160, 45)) as user:
        kinds = [{"name": "A", "outputChars": {"low": 100, "typical": 150, "high": 900}}]
        Scenarios(session.folder).save(from_table({"name": "Museum", "kinds": kinds}))
        await look_at(user, ELENA)
        await user.reads("#cost", "267 input tokens")
        assert "lowest quantities" not in user.pane("#cost")
        await user.press("E")
        await user.finds("open-scenario")
        await user.press("down", "enter")
        await user.until(lambda: user.estimator.now.scenario is not None)
        await user.press("C")
        await user.reads("#cost", "From 9.751 credits with the lowest quantities to 21.511 with the highest.")


async def test_a_scenario_is_named_where_costs_are_for_it() -> None:
    async with opened(screen="characters", size=(160, 45)) as user:
        kinds = [{"name": name, "outputChars": chars} for name, chars in (("A", 60), ("B", 61), ("C", 61))]
        Scenarios(user.app.session.folder).save(from_table({"name": "Museum", "kinds": kinds}))
        await look_at(user, ELENA)
        assert "Museum" not in user.screen
        await user.press("E")
        await user.finds("open-scenario")
        await user.press("down", "enter")
        await user.until(lambda: user.estimator.now.scenario is not None)
        await user.press("C")
        await user.sees("scenario Museum ─")
        await user.reads("#cost", "with scenario “Museum”, averages of 3 kinds", "60.667 output characters")
        await user.press("escape", *["down"] * PLACES[CAMILLE])
        await user.reads("#cost", "depends on which model")
        assert "scenario Museum ─" in user.screen
        await user.press("home", "$")
        await user.press("escape", *["s"] * 9)
        await user.sees("by cost · scenario Museum")


INCLUDED = "included_in_realtime"


@pytest.mark.parametrize(
    "chosen",
    [
        {"llm": "mdla_realtime_1_5", "stt": INCLUDED, "tts": INCLUDED},
        {"stt": "no_stt_input", "tts": "tts_1_hd"},
    ],
)
async def test_the_speech_of_the_estimator_is_not_that_of_characters(chosen: dict[str, str]) -> None:
    session = demo()
    async with opened(session, size=(160, 45)) as user:
        user.estimator.begin_with(chosen, {})
        await user.ready()
        await user.press("C", *["s"] * 9)
        await user.sees("by cost")
        await look_at(user, ELENA)
        price = head(user)
        assert price == await amount(session, ELENAS, llm="mdla_5_1_medium", memory=True)
        assert price in user.line("Elena", "#list")
        await user.press("o")  # the estimator takes the speech of the price
        await user.until(lambda: user.app.scope == "estimator" and user.is_ready())
        estimate = user.estimator.now.estimate
        assert estimate is not None
        assert credits_text(estimate.credits) == price


@covers("next-character-tab", "previous-character-tab")
async def test_the_cost_is_one_of_the_panes() -> None:
    async with opened(screen="characters", size=WIDE) as user:
        for pane in ("JSON", "Cost", "History", "Settings", "Record"):
            await user.press("right_square_bracket")
            await sees_tab(user, pane)
        for pane in ("Settings", "History", "Cost"):
            await user.press("left_square_bracket")
            await sees_tab(user, pane)
        await user.sees(UNIT)
        await user.press("down")
        await user.sees("Bran Alder │", "mdlc-3.5-flash → mdlc_3_5_flash_low")


@pytest.mark.parametrize(("before", "wanted"), [("e", "Cost"), ("$", "Settings"), ("$", "Record"), ("e", "Record")])
async def test_a_click_on_a_pane_leads_to_it(before: str, wanted: str) -> None:
    async with opened(screen="characters", size=WIDE) as user:
        await user.press(before)
        await sees_tab(user, "Settings" if before == "e" else "Cost")
        title = user.pane("#detail").splitlines()[0]
        await user.pilot.click("#detail", offset=(title.index(wanted) + 1, 0))
        await sees_tab(user, wanted)


async def test_an_alias_is_a_range_and_asked_once() -> None:
    session, double = doubled()
    async with opened(session, screen="characters", size=WIDE) as user:
        await look_at(user, CAMILLE, "The price depends on which model “mdlb-sonnet” stands for.")
        amounts = [
            await amount(session, CAMILLES, llm=key, memory=False)
            for key in ("mdlb_5_sonnet_none", "mdlb_5_sonnet_high", "mdlb_4_5_sonnet")
        ]
        assert head(user) == f"{amounts[0]} – {amounts[1]}"
        asked = double.count("estimate")
        await user.press("escape", "up", "down")
        await user.rests()
        await user.sees("The price depends on which model")
        assert double.count("estimate") <= asked + 1  # the character between them
        asked = double.count("estimate")
        await user.press("f5")
        await user.until(lambda: double.count("estimate") == asked + 5)


async def test_the_estimators_inputs_count_for_what_no_record_says() -> None:
    session = demo()
    async with opened(session, screen="estimator", size=WIDE) as user:
        await user.press("down", "down", "space")  # knowledge
        await user.sees("on")
        await user.press("C")
        await user.ready()
        await look_at(user, ELENA)
        await user.sees("current form")
        assert head(user) == await amount(session, ELENAS, llm="mdla_5_1_medium", memory=True, knowledge=True)
        await user.press("E", *["down"] * 4, *"200", "enter", "C")
        await user.reads("#cost", "200 input tokens")


async def test_the_review_of_a_change_shows_the_prices_of_the_cost_tab() -> None:
    """Both use the estimator's inputs and say so."""
    session = demo()
    async with opened(session, screen="estimator", size=WIDE) as user:
        await user.press("down", "down", "space")  # knowledge
        await user.sees("on")
        await user.press(*["down"] * 4, *"200", "enter", "C")
        await user.ready()
        await user.press("e")
        await user.sees("Temperature", "0 to 1")
        assumed = Assumptions(input_tokens=Decimal(200))
        before = await amount(session, assumed, llm="mdla_5_1_medium", memory=True, knowledge=True)
        after = await amount(session, assumed, llm="mdla_4_1_mini", memory=True, knowledge=True)
        await user.press("enter", *"mdla-4.1-mini")
        await user.sees(after)
        await user.press("enter")
        await user.sees("was MDLA 5.1")
        await user.press("S")
        await user.sees(f"{before} → {after} credits", "With the estimator's inputs. Assumed: speech output")
        await user.press("escape", "$")
        await user.sees(f"{before} → {after} credits", "with the estimator's inputs: 200 input tokens")
        await user.press("Y")
        await user.sees("Support card", "Per interaction  11.310 credits, 1 550–4 630 ms, estimator's inputs")


async def test_settings_that_wait_are_shown_as_a_difference() -> None:
    session = demo()
    async with opened(session, screen="characters", size=WIDE) as user:
        await user.press("e")
        await user.sees("Temperature", "0 to 1")
        await user.press("enter", *"mdla-4.1-mini", "enter")
        await user.sees("was MDLA 5.1")
        await user.press("$")
        await user.sees("Δ Not applied yet")
        before = await amount(session, ELENAS, llm="mdla_5_1_medium", memory=True)
        after = await amount(session, ELENAS, llm="mdla_4_1_mini", memory=True)
        assert f"{before} → {after} credits" in user.line("Not applied yet", "#cost")
        difference = Decimal(after) - Decimal(before)
        assert f"(−{abs(difference):.3f}, −" in words(user)
        assert head(user) == after
        await user.press("D", "y")
        await user.misses("Not applied yet")
        assert head(user) == before


async def test_a_staged_backstory_moves_the_cost_in_the_tab_and_in_the_review() -> None:
    session = demo()
    async with opened(session, screen="characters", size=WIDE) as user:
        await user.press("e")
        await user.sees("Temperature", "0 to 1")
        await user.press("end", "enter")
        await user.sees("Backstory of Elena Marsh")
        await user.press("enter", *"She adds a lot.", "escape")
        await user.sees("was 750 characters")
        await user.press("S")
        await user.sees("+ She adds a lot.", "10.486 → 10.496 credits", "estimated from the texts: 267 → 271.")


async def test_what_the_service_refuses_is_said_and_nothing_is_made_up() -> None:
    session, double = remote()
    double.failures["estimate"] = ServiceError(ErrorKind.UNREACHABLE, "No answer at characters.example.")
    async with opened(session, screen="characters", size=WIDE) as user:
        await look_at(user, ELENA, "✗ No answer at characters.example.")
        assert UNIT not in user.screen
        del double.failures["estimate"]
        await user.press("f5")
        await user.reads("#cost", UNIT, "The price depends on the reasoning level, which this service does not")


async def test_a_list_that_is_refused_leaves_no_price() -> None:
    session, double = remote()
    double.failures["list-characters"] = ServiceError(ErrorKind.BAD_KEY, "The API key was rejected.", status=401)
    async with opened(session, screen="characters", size=WIDE, ready=False) as user:
        await user.sees("The API key was rejected.")
        await user.press("$", "p", "o")
        assert UNIT not in user.screen
        assert double.count("estimate") == 0


async def test_levels_are_the_catalogues_where_the_service_does_not_tell_them() -> None:
    session, double = remote()
    double.failures["list-models"] = ServiceError(ErrorKind.TIER, "A professional account is needed.", status=403)
    async with opened(session, screen="characters", size=WIDE) as user:
        await look_at(user, AVERY)
        await user.sees("mdla-4o → mdla_4o")


async def test_figures_stay_while_new_ones_are_asked_for_and_late_ones_are_dropped() -> None:
    session, double = doubled()
    async with opened(session, screen="characters", size=WIDE) as user:
        await look_at(user, ELENA)
        price = head(user)
        double.hold("estimate")
        await user.press("f5")
        await user.sees(f"{UNIT} …")
        assert head(user) == price
        await user.press("escape", "down")
        await user.sees("Estimating the cost…")
        double.let_all_go()
        await user.sees("mdlc-3.5-flash → mdlc_3_5_flash_low")
        assert "mdla_5_1_medium" not in user.pane("#cost")


async def test_the_cost_is_taken_along_as_tables_and_as_a_command() -> None:
    session = demo()
    async with opened(session, screen="estimator", size=WIDE) as user:
        await user.press("down", "down", "space", *["down"] * 4, *"200", "enter", "C")
        await user.ready()
        await look_at(user, ELENA)
        await user.reads("#cost", "200 input tokens")
        copies = {copy.title: copy for copy in user.characters.copy_choices()}
        assert head(user).rstrip("0") in copies["Cost and sources as Markdown"].text
        assert copies["Cost and sources as CSV"].text.startswith("member,value,source,assumed,reason\n")
        command = copies["Cost as a chartui command"].text
        character_id = user.characters.shown_id
        assert command == (f"chartui estimate --profile demo --character {character_id} --knowledge --input-tokens 200")
        await user.press("e")
        await user.sees("Temperature", "0 to 1")
        await user.press("enter", *"mdla-4.1-mini", "enter", "$")
        await user.sees("Not applied yet")
        assert "Cost as a chartui command" not in {copy.title for copy in user.characters.copy_choices()}


async def test_a_failure_is_about_the_character_it_was_asked_for() -> None:
    session, double = doubled()
    double.failures["estimate"] = ServiceError(ErrorKind.TIMEOUT, "No answer in time.")
    async with opened(session, screen="characters", size=WIDE) as user:
        await look_at(user, ELENA, "✗ No answer in time.")
        del double.failures["estimate"]
        double.hold("estimate")
        await user.press("escape", "down")
        await user.sees("Estimating the cost…")
        assert "No answer in time." not in user.screen
        double.let_all_go()
        await user.sees(UNIT)


# -- the user's own table ----------------------------------------------------------------------------------------------


@covers("pin-price")
async def test_an_alias_is_pinned_and_let_go_again() -> None:
    session = demo()
    async with opened(session, screen="characters", size=WIDE) as user:
        await look_at(user, CAMILLE)
        await user.press("p")
        await user.sees("Pin the price of", "The model", "The voice")
        await user.press("enter")
        await user.sees("Price mdlb-sonnet as", "mdlb_5_sonnet_high")
        assert "8.832" in user.line("mdlb_5_sonnet_none")
        await user.press(*"5 sonnet low", "enter")
        await user.is_told("mdlb-sonnet is priced as mdlb_5_sonnet_low.", "press p and choose “No entry”.")
        await user.misses("depends on which model")
        assert load_pins(session.pins_path) == Pins().with_model("mdlb-sonnet", "mdlb_5_sonnet_low")
        assert head(user) == await amount(session, CAMILLES, llm="mdlb_5_sonnet_low", memory=False)
        assert "pinned" in user.line("MDLB 5 Sonnet · low", "#cost")
        await user.press("p", "enter")
        await user.sees("Price mdlb-sonnet as")
        await user.press("home", *"no entry", "enter")
        await user.is_told("mdlb-sonnet has no pinned price.")
        await user.sees("The price depends on which model")
        assert load_pins(session.pins_path) == Pins()
        assert not pins_path().exists()  # a demo leaves the user's own table alone


@pytest.mark.parametrize("keys", [("p",), ("enter", "enter")])
async def test_nothing_is_pinned_under_a_lock(keys: tuple[str, ...]) -> None:
    """A pin lasts, and changes what every profile shows: Enter pressed twice must not leave one behind."""
    session = demo(read_only=True)
    async with opened(session, screen="characters", size=WIDE) as user:
        await look_at(user, CAMILLE)
        await user.press(*keys)
        await user.is_told("pinning a price is disabled")
        assert user.at_work
    assert not session.pins_path.exists()


async def test_enter_pressed_twice_pins_nothing() -> None:
    async with opened(screen="characters", size=WIDE) as user:
        await look_at(user, CAMILLE)
        await user.press("enter")
        await user.sees("Price mdlb-sonnet as", "No entry")
        await user.press("enter")
        await user.sees("The price depends on which model")
        assert load_pins(user.app.session.pins_path) == Pins()


async def test_a_code_that_nobody_knows_is_pinned_to_a_model_of_ones_own() -> None:
    async with opened(screen="characters", size=WIDE) as user:
        await look_at(user, NOVA, "? Unknown", "“crew-trainer-8b” is not in the catalogue.")
        await user.press("p", "enter", *"byo", "enter")
        await user.sees(UNIT, "pinned")
        assert load_pins(user.app.session.pins_path).models == {"crew-trainer-8b": "byo_mdla_compatible_endpoint"}


async def test_a_voice_gets_its_option() -> None:
    session = demo()
    async with opened(session, screen="characters", size=WIDE) as user:
        await look_at(user, ELENA)
        await user.press("p", *"tts_1_hd", "enter")
        await user.sees("TTS 1 HD")
        assert load_pins(session.pins_path).voices == {"English UK, warm, female 2": "tts_1_hd"}
        assert head(user) == await amount(session, ELENAS, llm="mdla_5_1_medium", memory=True, tts="tts_1_hd")
        assert "assumed" not in user.line("Speech output TTS 1 HD", "#cost")


async def test_enter_on_a_member_does_what_there_is_to_do_about_it() -> None:
    async with opened(screen="characters", size=NARROW) as user:
        await look_at(user, CAMILLE)
        await user.press("enter")
        await user.sees("Price mdlb-sonnet as")
        await user.press("escape", *["down"] * 20)
        await user.until(lambda: user.at_work)
        screen = user.app.work["characters"]
        assert isinstance(screen, CharactersScreen)
        assert screen.detail.cost.at_cursor == "animation"
        await user.press("up", "up", "up")
        while screen.detail.cost.at_cursor != "tts":
            await user.press("down")
        await user.press("enter")
        await user.sees("Bill voice")


async def test_what_needs_no_pin_says_so() -> None:
    async with opened(screen="characters", size=WIDE) as user:
        await look_at(user, AVERY)
        await user.press("enter")
        await user.is_told("'mdla-4o' needs no pin, because the estimator prices it as mdla_4o.")
        await user.press("escape", "right_square_bracket", "p")
        await user.is_told("Open the Cost tab first (press $).")


async def test_a_table_with_a_mistake_is_told_and_not_written_over() -> None:
    session = demo()
    path = session.pins_path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('format = "chartui-pins"\nversion = 1\n[modells]\n')
    async with opened(session, screen="characters", size=WIDE) as user:
        await look_at(user, CAMILLE)
        await user.sees("Unknown key “modells”")
        await user.press("p")
        await user.is_told("Fix this problem first")
        assert "modells" in path.read_text()


# -- to the estimator --------------------------------------------------------------------------------------------------


@covers("open-in-estimator")
@pytest.mark.parametrize("seen_before", [False, True])
async def test_a_configuration_becomes_the_estimators(seen_before: bool) -> None:
    async with opened(screen="estimator" if seen_before else "characters", size=WIDE) as user:
        if seen_before:
            await user.press("C")
            await user.ready()
        await look_at(user, AVERY)
        price = head(user)
        await user.press("o")
        await user.until(lambda: user.app.scope == "estimator" and user.is_ready())
        assert user.estimator.now.chosen == {"llm": "mdla_4o", "memory": False}
        estimate = user.estimator.now.estimate
        assert estimate is not None
        assert credits_text(estimate.credits) == price
        await user.sees("191 estimated", "191 input tokens, estimated from the texts of Avery Cole (backstory")
        await user.press(*["down"] * 6, *"300", "enter")
        await user.misses("estimated")
        await user.press("z")
        await user.sees("191 estimated")
        assert "esc back" in user.bottom_line
        await user.press("m", "escape", "escape")
        assert user.characters.pane is Tab.COST


async def test_of_several_the_user_chooses() -> None:
    async with opened(screen="characters", size=WIDE) as user:
        await look_at(user, CAMILLE)
        await user.press("o")
        await user.sees("Configuration of Camille Rousseau")
        assert "13.557" in user.line("mdlb_5_sonnet_high")
        await user.press("down", "enter")
        await user.until(lambda: user.app.scope == "estimator" and user.is_ready())
        assert user.estimator.now.chosen["llm"] == "mdlb_5_sonnet_low"


async def test_what_has_no_configuration_is_not_opened() -> None:
    async with opened(screen="characters", size=WIDE) as user:
        await look_at(user, NOVA, "? Unknown")
        await user.press("o")
        await user.is_told("“crew-trainer-8b” is not in the catalogue.")
        assert user.app.scope == "characters"


# -- anybody's text ----------------------------------------------------------------------------------------------------


async def test_a_long_name_is_cut_in_every_sentence() -> None:
    def change(sample: Sample) -> Sample:
        config = {**sample.record["personalised_prompt_config"], "MODEL": "abc" * 1000}
        return sample._replace(record={**sample.record, "voice_type": "v" * 3000, "personalised_prompt_config": config})

    async with opened(demo(fill_store=filled_with(change)), screen="characters", size=WIDE) as user:
        await user.press("$")
        await user.sees("? Unknown")
        assert "abcabc…” is not in the catalogue." in words(user)
        assert "It is unknown which option the voice “vvvv" in words(user)
        assert "vvvv…” uses. The option shown is assumed." in words(user)
        await user.press("e")
        await user.reads("#settings", "abca")
        assert "Temperature" in user.pane("#settings")
        assert user.pane("#settings").count("abcabc") < 25


@pytest.mark.parametrize("name", sampled(HOSTILE, *SHORT_RUN))
async def test_whatever_a_record_and_the_table_hold_is_only_shown(name: str) -> None:
    text = HOSTILE[name]

    def change(sample: Sample) -> Sample:
        config = {**sample.record["personalised_prompt_config"], "MODEL": text}
        return sample._replace(record={**sample.record, "voice_type": text, "personalised_prompt_config": config})

    if 0 < len(text) <= 200:
        change_pins(lambda pins: pins.with_model(text, text).with_voice(text, text))
    async with opened(demo(fill_store=filled_with(change)), screen="characters", size=WIDE) as user:
        await user.press("$")
        await user.sees("? Unknown")
        await look(user)
        await user.press("p")
        await look(user)
        await user.press("enter")
        await look(user)
        await user.press("escape", "p", "down", "enter")
        await look(user)
