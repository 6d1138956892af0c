"""Scenarios, ranges and the link of text and speech on the estimator."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from chartui.core.estimation.conversation import Conversation, conversations
from chartui.core.estimation.prices import Pricing, Quantities
from chartui.core.estimation.prompt import InputTokens, prompt_of
from chartui.core.estimation.scenario import Scenario, Scenarios, as_table, from_table, read_scenario
from chartui.core.estimation.source import Source
from chartui.core.typed_numbers import Range
from chartui.tui.numbers import credits_text
from chartui.tui.screens.estimator.quantities import Proposal
from tests.tui.keyboard import covers
from tests.tui.user import WIDE, User, opened


def museum() -> Scenario:
    kinds = [{"name": "Greeting", "weight": 3, "outputChars": 60}, {"name": "Question", "inputTokens": 2500}]
    ends = {"low": 60, "typical": 150, "high": 400}
    table = {"assumptions": {"inputTokens": 1500, "outputChars": ends}, "kinds": kinds, "usage": {"users": 7}}
    return from_table({"name": "Museum", **table})


async def apply(user: User) -> None:
    await user.finds("open-scenario")
    await user.sees("Greeting, Question")
    await user.press("down", "enter")
    await user.until(lambda: user.estimator.now.scenario is not None and not user.estimator.now.stale)


@covers("open-scenario")
async def test_a_scenario_is_applied_and_undone() -> None:
    async with opened(size=WIDE) as user:
        Scenarios(user.app.session.folder).save(museum())
        await apply(user)
        now, study = user.estimator.now, user.estimator.study
        assert now.estimate is not None
        assert now.estimate.credits == study.pricing.credits(study.configuration)
        assert now.value("output_chars") == Decimal("82.5")
        assert study.ends is not None
        await user.press("z")
        await user.until(lambda: user.estimator.now.scenario is None)


async def test_the_turns_of_a_what_if_say_what_they_are_computed_with() -> None:
    async with opened(size=WIDE) as user:
        Scenarios(user.app.session.folder).save(museum())
        await apply(user)
        await user.finds("what-if-conversation")
        await user.until(lambda: user.focus == "what-if-conversation")
        study = user.estimator.study
        assert study.ends is not None
        given = [("now", study.configuration, Conversation.of(one)) for one in study.ends.quantities]
        least, most = (credits_text(one.total) for one in conversations(study.rates.card, given).costs)
        await user.sees("typical average credits per turn")
        await user.sees(
            "Credits for 20 turns, typical averages of 2 kinds",
            f"“current”: From {least} credits with the lowest quantities to {most}",
        )
        await user.press("t")
        await user.sees("Credits now, at 1 750 input tokens, typical averages of 2 kinds")


@covers("save-scenario")
async def test_typed_ranges_are_saved_as_a_scenario() -> None:
    async with opened(size=WIDE) as user:
        await user.press(*["down"] * 7, *"100-300")
        await user.until(lambda: user.estimator.now.value("output_chars") == 200)
        assert user.estimator.study.ends is not None
        await user.press("enter")
        await user.finds("save-scenario")
        await user.press(*"Hall", "enter")
        await user.until(lambda: user.estimator.now.scenario is not None)
        saved = Scenarios(user.app.session.folder).get("Hall")
        assert saved.assumptions["output_chars"] == Range(Decimal(100), Decimal(200), Decimal(300))


async def kinds(user: User) -> None:
    await user.finds("open-scenario")
    await user.sees("Greeting, Question")
    await user.press("down", "e")
    await user.sees("Interactions in Museum")


async def test_the_price_of_each_kind_is_shown() -> None:
    async with opened(size=WIDE) as user:
        Scenarios(user.app.session.folder).save(museum())
        await kinds(user)
        study = user.estimator.study
        for case in museum().cases():
            quantities = case.quantities(Quantities.default(study.rates.card))
            amount = Pricing(study.rates.card, quantities).credits(study.configuration)
            assert credits_text(amount) in user.line(case.name, "#kinds")


async def test_kinds_are_added_renamed_weighed_and_removed() -> None:
    async with opened(size=WIDE) as user:
        scenarios = Scenarios(user.app.session.folder)
        scenarios.save(museum())
        await apply(user)
        await user.press(*["down"] * 7, *"900", "enter")
        await kinds(user)
        await user.press("a", *"Tour", "enter")
        await user.sees("Tour")
        await user.press("e", *"Answer", "enter")  # the kind that was added
        await user.sees("Answer")
        await user.press("home", "enter", "0", "enter")
        await user.sees("The weight must be above 0 and at most 1 000 000.")
        await user.press("backspace", *"5", "enter")
        await user.until(lambda: scenarios.get("Museum").kinds[0].weight == 5)
        answer = scenarios.get("Museum").kinds[2]
        assert (answer.name, answer.ranges) == ("Answer", {"output_chars": Range.of(Decimal(900))})
        assert not user.app.answers.leaving()  # every answer is saved
        await user.press("end", "up", "d")
        await user.sees("Remove “Answer”")
        await user.press("y")
        await user.until(lambda: len(scenarios.get("Museum").kinds) == 2)
        greeting, question = scenarios.get("Museum").kinds
        assert (greeting.name, greeting.weight, question.name) == ("Greeting", Decimal(5), "Question")
        assert user.estimator.now.scenario == scenarios.get("Museum")  # which applied, and applies as it is now


async def test_the_quantities_of_a_kind_and_those_of_all_kinds_can_be_ranges() -> None:
    async with opened(size=WIDE) as user:
        scenarios = Scenarios(user.app.session.folder)
        scenarios.save(museum())
        await kinds(user)
        before = user.line("Mix", "#kinds")
        await user.press("i")
        await user.sees("Quantities of Greeting")
        assert "the scenario" in user.line("Input tokens", "#quantities")
        assert "this kind" in user.line("Response", "#quantities")
        await user.press("down", "down", "enter", *"300-100", "enter")
        await user.sees("not a range")
        await user.press(*["backspace"] * 7, *"2-3-9", "enter")
        await user.until(
            lambda: scenarios.get("Museum").kinds[0].ranges["stt_seconds"] == Range(*map(Decimal, (2, 3, 9)))
        )
        await user.is_told("credits per interaction in this scenario")
        await user.press("up", "r")
        await user.until(lambda: "output_chars" not in scenarios.get("Museum").kinds[0].ranges)
        await user.press("escape")
        await user.sees("Interactions in Museum")
        assert user.line("Mix", "#kinds") != before
        await user.press("end", "i")
        await user.sees("Quantities of all kinds")
        await user.press("enter", *"100-300", "enter")
        await user.until(lambda: scenarios.get("Museum").assumptions["input_tokens"].high == 300)


async def test_the_first_kind_leaves_the_other_interactions_as_a_kind_and_says_so() -> None:
    async with opened(size=WIDE) as user:
        scenarios = Scenarios(user.app.session.folder)
        scenarios.save(from_table({"name": "Hall", "assumptions": {"outputChars": 600}}))
        await user.press(*["down"] * 7, *"50", "enter")
        await user.finds("open-scenario")
        await user.sees("Hall")
        await user.press("down", "e", "a")
        await user.sees("“Other interactions”, with weight 1")
        await user.press(*"Greeting", "enter")
        await user.until(lambda: len(scenarios.get("Hall").kinds) == 2)
        others, greeting = scenarios.get("Hall").kinds
        assert (others.name, others.ranges, greeting.name) == ("Other interactions", {}, "Greeting")
        assert scenarios.get("Hall").cases()[0].ranges == {"output_chars": Range.of(Decimal(600))}
        await user.is_told("credits per interaction in this scenario")


def imported(user: User) -> None:
    """With input tokens estimated from the texts of a character."""
    prompt = prompt_of(backstory=2000, backstory_from=Source.RECORD, prompt=0, objective=0, scene=0, actions=0)
    user.estimator.show(user.estimator.now.put({}, proposal=Proposal("Elena", InputTokens(prompt))))


async def test_scenarios_are_listed_at_the_price_that_applying_them_has() -> None:
    async with opened(size=WIDE) as user:
        Scenarios(user.app.session.folder).save(
            from_table({"name": "Museum", "kinds": [{"name": "Greeting"}, {"name": "Question", "inputTokens": 2500}]})
        )
        imported(user)
        await user.finds("open-scenario")
        await user.sees("Greeting, Question")
        listed = user.line("Museum", "#scenarios")
        await user.press("down", "e")
        await user.sees("Interactions in Museum")
        mix = user.line("Mix", "#kinds")
        await user.press("escape", "enter")
        await user.until(lambda: user.estimator.now.scenario is not None and not user.estimator.now.stale)
        assert user.estimator.now.estimate is not None
        price = credits_text(user.estimator.now.estimate.credits)
        assert price in listed
        assert price in mix


async def test_estimated_tokens_are_not_saved_in_a_scenario() -> None:
    async with opened(size=WIDE) as user:
        imported(user)
        await user.finds("save-scenario")
        await user.sees("Estimated input tokens are not")
        await user.press(*"Hall", "enter")
        await user.until(lambda: user.estimator.now.scenario is not None)
        assert Scenarios(user.app.session.folder).get("Hall").assumptions == {}
        assert user.estimator.now.value("input_tokens") == 500


@covers("link-reply")
async def test_speech_follows_the_linked_text() -> None:
    async with opened(size=WIDE) as user:
        await user.finds("link-reply")
        await user.until(lambda: user.estimator.now.link is not None)
        await user.press(*["down"] * 7, *"300")
        await user.until(lambda: user.estimator.now.value("tts_seconds") == 20)
        await user.press("enter", "z")
        await user.until(lambda: user.estimator.now.value("tts_seconds") == 10)


async def test_the_link_is_mentioned_once_when_one_of_them_changes() -> None:
    async with opened(size=WIDE) as user:
        await user.press(*["down"] * 7, "right")
        await user.is_told("Response and Spoken reply change independently")
        await user.press("right")
        assert sum("independently" in told for told in user.toasts) <= 1


@covers("volume")
async def test_a_range_of_users_is_refused_and_not_read_as_its_last_number() -> None:
    async with opened(size=WIDE) as user:
        await user.finds("volume")
        await user.until(lambda: user.top.query_one("#usage").has_focus)
        await user.press(*"100-300")
        await user.sees("100-300 is not a number; enter a single number, not a range.")


def commands(user: User) -> dict[str, str]:
    """The command lines that the estimator offers to copy, by their titles."""
    titled = {copy.title.removesuffix(": chartui command"): copy.text for copy in user.estimator.copy_choices()}
    return {title: text for title, text in titled.items() if "\nchartui " in f"\n{text}"}


async def test_a_command_from_the_demo_needs_no_scenario_of_the_demo(tmp_path: Path) -> None:
    """The scenarios of the demo are thrown away: their quantities are written, or the whole scenario beside."""
    async with opened(size=WIDE) as user:
        scenarios = Scenarios(user.app.session.folder)
        scenarios.save(from_table({**as_table(museum()), "kinds": []}))
        await user.finds("open-scenario")
        await user.press("down", "enter")
        await user.until(lambda: user.estimator.now.scenario is not None)
        await user.finds("view-subscriptions")
        await user.until(lambda: user.estimator.now.view == "subscriptions")
        quantities = "--input-tokens 1500 --output-chars 60-150-400"
        assert commands(user)["Estimate"] == f"chartui estimate --profile demo {quantities}"
        told = commands(user)["Subscriptions"]
        assert "--users 7 " in told
        assert told.endswith(quantities)

        user.estimator.show(user.estimator.now.applied(museum()))
        for title, command in commands(user).items():
            first, *lines, end, line = command.splitlines()
            assert (first, end) == ("cat > ./demo-museum.toml <<'END'", "END"), title
            assert line.endswith(" --scenario ./demo-museum.toml")
            written = tmp_path / "museum.toml"
            written.write_text("\n".join(lines))
            assert read_scenario(written) == museum()
