"""Exploring from the keyboard: what fits, the front with its one cursor, and constraints that show at once."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from decimal import Decimal

import pytest

from chartui.cli.explore import constraints_of
from chartui.cli.parser import parse
from chartui.core.estimation.card import RateCard, load_card
from chartui.core.estimation.constraints import DEFAULTS, Constraints, Need
from chartui.core.estimation.exploration import Found, Point, explore
from chartui.core.estimation.prices import Configuration
from chartui.core.estimation.rates import Rates, RateSource
from chartui.core.profiles import BUILT_IN
from chartui.core.session import RatesInUse, Session
from chartui.core.sheet import Kind, squeezed
from chartui.tui.numbers import count, credits_difference, credits_text, signed_text
from chartui.tui.screens.estimator.constraints import ConstraintsDialog
from chartui.tui.screens.estimator.explore import ExploreView
from chartui.tui.screens.estimator.front import FrontTable
from chartui.tui.screens.estimator.screen import EstimatorScreen
from chartui.tui.shell.palette import Palette
from chartui.tui.widgets.chooser import Chooser
from chartui.tui.widgets.form import FieldRow, FormView
from chartui.tui.widgets.plot import PlotView
from tests.long import sampled
from tests.tui.keyboard import covers
from tests.tui.sessions import demo
from tests.tui.user import NARROW, SMALL, WIDE, User, opened

#: What is asked at first on the demo data, whose default hears and speaks.
FIRST = replace(DEFAULTS, speech_in=Need.MUST, speech_out=Need.MUST)
#: Where the cursor of the constraints starts, and how far below it other rows are.
KNOWLEDGE, REALTIME, BILLED, ODD, CREDITS, LATENCY, FAMILY = 1, 5, 6, 7, 9, 10, 14


def asked(user: User) -> Constraints:
    """The constraints of the view, also while their dialog is open."""
    study = user.estimator.find(ExploreView).study
    assert study is not None
    return study.constraints


def found(user: User, constraints: Constraints | None = None) -> Found:
    """What the core finds for the inputs of the screen and the constraints of the view."""
    return explore(user.estimator.study.pricing, asked(user) if constraints is None else constraints)


def plotted(user: User) -> tuple[float, float] | None:
    """Where the plot has its cursor."""
    plot = user.estimator.plot
    return plot.cursor if plot else None


def at(point: Point) -> tuple[float, float]:
    assert point.latency is not None
    return float(point.credits), float(point.latency)


def is_plotted(user: User) -> bool:
    return user.estimator.find(PlotView).display


class Fixed(RatesInUse):
    """Rates that are what a test says."""

    def __init__(self, rates: Rates) -> None:
        super().__init__(BUILT_IN["demo"])
        self._rates = rates

    def forget(self) -> None:
        """They stay."""


def with_card(card: RateCard, banner: str = "") -> Session:
    return replace(demo(), rates=Fixed(Rates(card, RateSource.LEARNED if banner else RateSource.STORE, banner)))


# -- the front ---------------------------------------------------------------------------------------------------------


@covers("view-explore", "explore-constraints")
async def test_it_starts_with_what_the_present_configuration_can() -> None:
    async with opened(size=WIDE) as user:
        await user.finds("view-explore")
        assert asked(user) == FIRST
        assert found(user, FIRST).count > 0
        await user.sees(f"{count(found(user, FIRST).count)} of 48 720 fit")
        await user.sees("speech in · speech out · no provider billing")
        await user.press("f", "right", "escape")
        assert asked(user).memory is Need.MUST


async def test_a_row_is_pinned_and_so_are_the_inputs() -> None:
    async with opened(size=WIDE) as user:
        await user.finds("view-explore")
        await user.press("end", "p", "enter")
        await user.until(lambda: bool(user.estimator.now.pinned))
        (pinned,) = user.estimator.now.pinned
        assert pinned.configuration == found(user).front[-1].first != user.estimator.study.configuration
        assert pinned.name.startswith("MDLA Realtime Mini")
        await user.press("escape", "p", "enter")
        await user.until(lambda: len(user.estimator.now.pinned) == 2)
        assert user.estimator.study.configuration in [one.configuration for one in user.estimator.now.pinned]


@pytest.mark.parametrize("limit", ["", "1200"])
async def test_a_speech_option_keeps_what_distinguishes_it_whatever_the_limits(limit: str) -> None:
    async with opened(size=(110, 34)) as user:
        await user.finds("view-explore")
        if limit:
            await user.press("f", *["down"] * LATENCY, *limit, "enter", "escape")
            await user.ready()
        await user.reads("#front", "Vendor B 3 ", "Cloud Stan")
        assert not re.search("Ven…|Clo…|Vendor…", user.pane("#front"))
        assert "Vendor B 3 S" not in user.pane("#front")


async def test_the_border_tells_how_many_of_the_matches_are_on_the_front() -> None:
    async with opened(size=(110, 34)) as user:
        await user.finds("view-explore")
        there = found(user)
        listed = sum(point.count for point in there.front)
        await user.sees(f"{count(listed)} of {count(there.count)} on the Pareto front")
        await user.press("f", *["down"] * CREDITS, *"5", "enter", "escape")
        await user.ready()
        fewer = found(user)
        assert fewer.count < there.count
        await user.sees(
            f"{count(sum(point.count for point in fewer.front))} of {count(fewer.count)} on the Pareto front"
        )


async def test_ends_of_the_front_and_the_present_credits_are_told() -> None:
    async with opened() as user:
        await user.finds("view-explore")
        there = found(user)
        assert there.cheapest is not None
        assert there.fastest is not None
        await user.sees(
            "now 10.297",
            f"cheapest {credits_text(there.cheapest.credits)}",
            f"fastest {there.fastest.latency} ms",
        )


async def test_every_point_is_a_row_with_its_differences() -> None:
    async with opened(size=WIDE) as user:
        await user.finds("view-explore")
        await user.press("v", "home")
        front, now = found(user).front, user.estimator.study
        present, span = now.pricing.credits(now.configuration), now.pricing.latency(now.configuration)
        assert present is not None
        assert span is not None
        assert len(front) > 10
        for point in front:
            assert point.latency is not None
            # Rows further down come in sight as the cursor goes there.
            row = user.line(f" {credits_text(point.credits)} ", "#front")
            more = credits_difference(point.credits, present)
            texts = [count(point.latency), signed_text(more), signed_text(point.latency - span[1])]
            assert all(f" {text} " in row for text in texts), row
            await user.press("down")


@pytest.mark.parametrize("size", sampled([WIDE, (160, 45), (200, 55)], WIDE))
async def test_points_with_different_vendors_look_different(size: tuple[int, int]) -> None:
    async with opened(size=size) as user:
        await user.finds("view-explore")
        await user.press("home")
        assert looks_apart(user)
        await user.press(
            "f", *["down"] * 2, "right", *["down"] * 5, "left", "escape"
        )  # no speech input, also unusual inputs
        assert asked(user).speech_in is Need.MUST_NOT
        assert looks_apart(user)


@pytest.mark.parametrize("size", [SMALL, NARROW, (100, 30)])
async def test_small_windows_show_whole_names_in_the_table_or_above_it(size: tuple[int, int]) -> None:
    async with opened(size=size) as user:
        await user.finds("view-explore")
        table = user.estimator.find(FrontTable)
        assert all(place.width >= 7 for place in table.places if table.sheet.columns[place.column].kind is Kind.TEXT)
        assert looks_apart(user) is (size != SMALL)
        point = found(user).front[table.cursor]
        for kind in ("llm", "stt", "tts"):
            await user.reads("#under-cursor", user.estimator.now.label(kind, getattr(point.first, kind)))
        assert is_plotted(user) is (size != SMALL)


def looks_apart(user: User) -> bool:
    """Whether points of one model with different speech input or output have different rows."""
    table, looks = user.estimator.find(FrontTable), dict[tuple[str, ...], set[tuple[str, str]]]()
    for point, texts in zip(found(user).front, table.texts, strict=True):
        names = [place for place in table.places if table.sheet.columns[place.column].kind is Kind.TEXT]
        look = (point.first.llm, *(squeezed(texts[place.column], place.width) for place in names))
        looks.setdefault(look, set()).add((point.first.stt, point.first.tts))
    return max(map(len, looks.values())) == 1


@pytest.mark.parametrize(
    ("size", "vendor"),
    [((80, 24), "input   output"), ((100, 30), "Vendor B 3 Cloud"), (WIDE, "Vendor B 3 Cloud Standard")],
)
async def test_vendors_are_whole_and_headings_too_where_there_is_room(size: tuple[int, int], vendor: str) -> None:
    async with opened(size=size) as user:
        await user.finds("view-explore")
        await user.until(lambda: vendor in user.pane("#front"), "for the vendors")


async def test_a_point_is_described_in_the_words_of_the_inputs() -> None:
    async with opened(size=WIDE) as user:
        await user.finds("view-explore")
        await user.press("v")
        await user.sees("fit your inputs", "model", "input", "output")
        await user.press("end")
        row = user.line("▌", "#front")
        assert row.count("built in") == 2
        await user.sees("speech input: built in · speech output: built in")
        await user.press("home")
        await user.sees("speech input: Vendor C Streaming")


async def test_the_cursor_starts_on_the_cheapest_that_is_no_slower() -> None:
    async with opened() as user:
        await user.finds("view-explore")
        front, now = found(user).front, user.estimator.study
        span = now.pricing.latency(now.configuration)
        assert span is not None
        here = front[user.estimator.find(FrontTable).cursor]
        assert here.latency is not None
        assert here.latency <= span[1]
        assert all(
            other.latency is not None and other.latency > span[1]
            for other in front[: user.estimator.find(FrontTable).cursor]
        )


async def test_plot_table_and_name_share_one_cursor() -> None:
    async with opened() as user:
        await user.finds("view-explore")
        front, start = found(user).front, user.estimator.find(FrontTable).cursor
        assert plotted(user) == at(front[start])
        await user.press("right")
        assert user.estimator.find(FrontTable).cursor == start + 1
        assert plotted(user) == at(front[start + 1])
        await user.press("left", "left", "up")
        assert plotted(user) == at(front[max(0, start - 2)])
        await user.press("end")
        assert plotted(user) == at(front[-1])
        await user.sees("MDLA Realtime Mini", "speech input: built in", "speech output: built in")
        await user.press("home")
        assert plotted(user) == at(front[0])
        await user.press("f", *["down"] * BILLED, "right", "right", "escape", "home")
        await user.sees("▲ Own endpoint, MDLA-compatible", "▲ External voice, own key")
        await user.press("v")
        await user.sees("model and voice billed by your provider")


async def test_enter_puts_a_configuration_into_the_form() -> None:
    async with opened() as user:
        await user.finds("view-explore")
        await user.press("down")
        chosen = found(user).front[user.estimator.find(FrontTable).cursor].first
        await user.press("enter")
        await user.ready()
        state = user.estimator.now
        assert Configuration(*(state.value(name) for name in Configuration._fields)) == chosen  # type: ignore[arg-type]
        amount = user.estimator.study.pricing.credits(chosen)
        assert amount is not None
        await user.sees(f"now {credits_text(amount)}")
        assert user.line(f"  {credits_text(amount)}", "#front").startswith("▌›")


async def test_a_digit_typed_searches_again_and_the_cursor_stays_on_its_configuration() -> None:
    async with opened() as user:
        await user.finds("view-explore")
        await user.press("down", "down")
        before = found(user).front[user.estimator.find(FrontTable).cursor]
        await user.press("escape", *["down"] * 6, *"4100")
        await user.ready()
        front = found(user).front
        assert front[user.estimator.find(FrontTable).cursor].first == before.first
        assert front[user.estimator.find(FrontTable).cursor].credits > before.credits
        assert plotted(user) == at(front[user.estimator.find(FrontTable).cursor])
        await user.sees(credits_text(front[user.estimator.find(FrontTable).cursor].credits))


async def test_where_its_configuration_left_the_front_the_cursor_goes_to_what_is_about_as_fast() -> None:
    async with opened() as user:
        await user.finds("view-explore")
        await user.press("end", "up")
        before = found(user).front[user.estimator.find(FrontTable).cursor]
        await user.press("f", *["down"] * REALTIME, "right", "right", "escape")
        front = found(user).front
        assert before.first not in [point.first for point in front]
        assert before.latency is not None
        apart = [abs((point.latency or 0) - before.latency) for point in front]
        assert apart[user.estimator.find(FrontTable).cursor] == min(apart)


# -- constraints -------------------------------------------------------------------------------------------------------


async def test_constraints_open_over_the_inputs_and_show_at_once() -> None:
    async with opened(size=NARROW) as user:
        await user.finds("view-explore")
        await user.press("f")
        await user.sees("Constraints", "speech in · speech out")
        await user.press(*["down"] * KNOWLEDGE, "right")
        wanted = replace(FIRST, knowledge=Need.MUST)
        assert asked(user) == wanted
        await user.sees(f"{count(found(user, wanted).count)} of 48 720 fit")
        await user.press("right")
        assert asked(user).knowledge is Need.MUST_NOT
        await user.press("left", "left")
        assert asked(user).knowledge is Need.ANY
        await user.press("right", "escape")
        assert asked(user) == wanted


@pytest.mark.parametrize(
    "name", ["memory", "knowledge", "speech_in", "speech_out", "animation", "realtime", "unusual_inputs", "beta"]
)
async def test_every_feature_can_be_asked_for_and_ruled_out(name: str) -> None:
    rows = ["memory", "knowledge", "speech_in", "speech_out", "animation", "realtime", "billed_elsewhere"]
    rows += ["unusual_inputs", "beta"]
    async with opened() as user:
        await user.finds("view-explore")
        await user.press("f", *["down"] * rows.index(name))
        seen = set()
        for _ in Need:
            await user.press("right")
            seen.add(getattr(asked(user), name))
            assert user.estimator.found == found(user)
        assert seen == set(Need)


async def test_limits_are_typed_and_stay_when_the_dialogue_closes() -> None:
    async with opened() as user:
        await user.finds("view-explore")
        await user.press("f", *["down"] * CREDITS, *"7", "down", *"1200", "enter", "escape")
        assert asked(user) == replace(FIRST, max_credits=Decimal("7"), max_latency=1200)
        front = found(user).front
        assert all(point.credits <= Decimal("7") and (point.latency or 0) <= 1200 for point in front)
        await user.press("v")
        await user.sees("at most 7 credits", "at most 1 200 ms", "≤ 7", "≤ 1 200 ms")
        await user.press("f")
        await user.sees("7 credits", "1 200 ms")
        await user.press(*["down"] * LATENCY, "backspace", "enter", "escape")
        assert asked(user).max_latency is None


async def test_a_latency_limit_takes_units_and_says_what_it_means() -> None:
    async with opened() as user:
        await user.finds("view-explore")
        await user.press("f", *["down"] * LATENCY, *"1.2")
        await user.reads("#constraints", "1.2 is not a whole number of milliseconds; for seconds, write 1.2 s.")
        assert asked(user).max_latency is None
        await user.press(*" s")
        await user.reads("#constraints", "1 200 ms")
        assert asked(user).max_latency == 1200
        await user.press("enter", *"5 ms")
        fastest = found(user, replace(FIRST, max_latency=None)).fastest
        assert fastest is not None
        await user.reads("#constraints", f"5 ms is too low: the minimum is {count(fastest.latency or 0)} ms.")
        await user.press("enter", "up", *"0.1")
        await user.reads("#constraints", "The cheapest configuration costs ")


@covers("undo-input", "redo-input")
@pytest.mark.parametrize("size", [(60, 20), (120, 40)])
async def test_a_gap_is_between_every_label_of_the_constraints_and_its_value(size: tuple[int, int]) -> None:
    async with opened(size=size) as user:
        await user.finds("view-explore")
        await user.press("f")
        await user.sees("Unusual inputs excluded", "Speech output  required")


async def test_a_visit_to_the_constraints_is_undone_and_redone_as_one_step() -> None:
    async with opened(size=WIDE) as user:
        await user.press("down", "space")  # memory
        await user.finds("view-explore")
        before = asked(user)
        await user.press("f", "right", "down", "right", "escape")
        after = asked(user)
        assert after != before
        await user.sees("z undo")
        await user.press("z")
        await user.sees("Undone: Constraints")
        assert asked(user) == before
        await user.press("z")
        await user.sees("Undone: Memory")
        await user.press("Z")
        await user.sees("Redone: Memory")
        assert asked(user) == before
        await user.press("Z")
        await user.sees("Redone: Constraints")
        assert asked(user) == after


async def test_the_palette_opens_from_the_constraints_and_keeps_them() -> None:
    async with opened() as user:
        await user.finds("view-explore")
        await user.press("f", "right", ":")
        await user.at(Palette)
        await user.press("escape")
        assert asked(user).memory is Need.MUST
        await user.press("z")
        await user.sees("Undone: Constraints")


async def test_escape_restores_a_limit_being_typed_and_only_then_closes_the_constraints() -> None:
    async with opened() as user:
        before = user.estimator.now.selections()
        await user.finds("view-explore")
        await user.press("f", *["down"] * CREDITS, *"8", "enter", *"90")
        assert asked(user).max_credits == 90
        await user.press("escape")
        assert asked(user).max_credits == 8
        await user.press(*"0", "enter")
        await user.sees("Constraints")
        # The digit began another number, and Enter ended it: neither reached the table behind.
        assert asked(user).max_credits == 0
        assert user.estimator.now.selections() == before
        await user.press("escape")
        await user.until(lambda: user.is_at(EstimatorScreen), "for the constraints to close")
        assert user.app.focused is not None
        assert user.app.focused.id == "front"


async def test_what_is_no_number_limits_nothing_and_says_so() -> None:
    async with opened() as user:
        await user.finds("view-explore")
        await user.press("f", *["down"] * CREDITS)
        await user.paste("1.2.3")
        assert asked(user).max_credits is None
        assert "✗" in user.line("Credits", "#constraints")
        await user.sees("1.2.3 is not a number.")


async def test_families_and_vendors_say_how_many_would_be_left() -> None:
    async with opened() as user:
        await user.finds("view-explore")
        await user.press("f", *["down"] * FAMILY)
        form = user.app.screen.query_one(FormView)
        row = form.current
        assert row is not None
        family = row.id.partition("/")[2]
        alone = replace(FIRST, families=frozenset({family}))
        await user.sees(f"{count(found(user, alone).count)} would fit")
        await user.press("space")
        assert asked(user) == alone
        await user.sees("Model families: 1 chosen")
        await user.press("down", "space")
        assert len(asked(user).families) == 2
        await user.press("space", "up", "space")
        assert asked(user).families == frozenset()
        for _ in range(12):
            await user.press("down")
        assert isinstance(form.current, FieldRow)
        assert form.current.id.startswith("speech_in_vendors/")
        await user.press("space")
        assert asked(user).speech_in_vendors == {form.current.id.partition("/")[2]}


async def test_footer_and_help_of_the_constraints_list_their_keys() -> None:
    async with opened() as user:
        await user.finds("view-explore")
        await user.press("f")
        await user.sees("⏎ change", "→ step", "* match inputs", "R defaults", "esc close")
        await user.press("?")
        await user.sees(
            "Opens the list, flips the switch or edits the number.", "Requires the features of the current inputs."
        )


async def test_a_key_asks_for_what_the_present_one_can_and_another_resets_everything() -> None:
    async with opened() as user:
        await user.press("down", "down", "enter", "home")  # with knowledge
        await user.finds("view-explore")
        await user.press("f", "R")
        assert asked(user) == FIRST
        await user.press("*")
        assert asked(user) == replace(FIRST, memory=Need.MUST, knowledge=Need.MUST)
        await user.press(*["down"] * CREDITS, *"12", "enter")
        before = asked(user)
        await user.press("R")
        await user.is_told("All constraints reset. z undoes it.")
        assert asked(user) == FIRST
        assert " any credits" in user.line("Credits", "#constraints")
        await user.press("z")
        await user.is_told("Undone: Constraints")
        assert asked(user) == before
        assert " 12 credits" in user.line("Credits", "#constraints")
        await user.press("Z")
        await user.is_told("Redone: Constraints")
        assert asked(user) == FIRST


async def test_undoing_one_constraint_names_it() -> None:
    async with opened() as user:
        await user.finds("view-explore")
        await user.press("f", "right", *["down"] * CREDITS, *"12", "enter", "z")
        await user.is_told("Undone: Maximum credits")
        await user.press("z")
        await user.is_told("Undone: Memory")
        await user.press("Z")
        await user.is_told("Redone: Memory")


async def test_a_constraint_with_options_opens_their_list() -> None:
    async with opened() as user:
        await user.finds("view-explore")
        await user.press("f", "enter")
        await user.at(Chooser)
        await user.press(*"exc", "enter")
        await user.at(ConstraintsDialog)
        assert asked(user).memory is Need.MUST_NOT
        await user.press("space", "up", "escape")
        assert asked(user).memory is Need.MUST_NOT


async def test_no_command_runs_while_a_limit_is_typed() -> None:
    async with opened() as user:
        await user.finds("view-explore")
        await user.press("f", "right", *["down"] * LATENCY, *"1000", "enter")
        before = asked(user)
        await user.press("enter", *"R*f")
        await user.is_told("“f” is not part of a number. Enter keeps the number, Esc cancels.")
        assert user.is_at(ConstraintsDialog)
        assert asked(user) == before
        await user.press(*"9", "escape")
        assert asked(user) == before
        await user.press("z", "z")
        assert asked(user) == FIRST


async def test_a_number_of_interactions_below_zero_is_refused() -> None:
    async with opened() as user:
        await user.finds("view-explore")
        await user.press("f", *["down"] * (LATENCY + 1), *"800", "enter", *"-5", "enter")
        await user.reads("#constraints", "-5 ✗", "The number must be 0 or more, not -5.")
        assert asked(user).interactions is None


# -- nothing to show ---------------------------------------------------------------------------------------------------


async def test_no_match_says_which_single_constraint_to_give_up() -> None:
    async with opened() as user:
        await user.finds("view-explore")
        await user.press("f", *["down"] * LATENCY, *"500", "enter", "escape")
        assert found(user).count == 0
        assert not is_plotted(user)
        # Without the limit the fastest takes 710 ms; without a voice, less than 500.
        await user.sees("No configuration fits.", "at most 500 ms: ", " fit without", "the fastest in 710 ms")
        shown = " ".join(user.pane("#front").split())
        for name in ("speech_in", "speech_out"):
            without = found(user, replace(asked(user), **{name: Need.ANY})).count  # type: ignore[arg-type]
            phrase = f"with {name.replace('_', ' ')}: {count(without)} fit without"
            assert (phrase in shown) is (without > 0)
        await user.press("f", *["down"] * LATENCY, *"900", "enter", "escape")
        assert is_plotted(user)


async def test_where_two_constraints_are_in_the_way_that_is_said() -> None:
    async with opened() as user:
        await user.finds("view-explore")
        await user.press("f", *["down"] * CREDITS, *"1", "down", *"5", "enter", "escape")
        assert found(user).count == 0
        await user.sees("No configuration fits, and dropping one", "constraint is not enough.")


async def test_a_card_without_latencies_has_no_plot_and_says_so() -> None:
    card = load_card()
    options = {kind: {k: o._replace(latency=None) for k, o in of.items()} for kind, of in card.options.items()}
    untimed = card._replace(options=options, timed=False)
    async with opened(with_card(untimed, "Rates learned on 2026-11-20.")) as user:
        await user.finds("view-explore")
        assert not is_plotted(user)
        await user.sees("The rates have no latencies: only the", "Rates learned on 2026-11-20")
        assert " – " in user.line("▌", "#front")
        await user.press("f", *["down"] * LATENCY, *"900", "enter")
        await user.sees("The rates include no latencies.")
        await user.press("escape")
        assert found(user, replace(asked(user), max_latency=None)).count > 0
        await user.press("v")
        await user.sees("at most 900 ms: unknown")


async def test_configurations_whose_price_is_unknown_are_counted() -> None:
    card = load_card()
    options = {kind: dict(entries) for kind, entries in card.options.items()}
    del options["tts"]["cloud_tts_standard"]
    async with opened(with_card(card._replace(options=options))) as user:
        await user.finds("view-explore")
        assert found(user).unpriced > 0
        await user.sees(f"{count(found(user).unpriced)} left out (price unknown)")


async def test_a_present_configuration_without_a_price_is_not_compared() -> None:
    card = load_card()
    options = {kind: dict(entries) for kind, entries in card.options.items()}
    del options["llm"]["mdlc_2_5_flash"]  # the default
    async with opened(with_card(card._replace(options=options)), size=WIDE) as user:
        await user.finds("view-explore")
        await user.press("v")
        assert "current" not in user.pane("#front-plot")
        point = found(user).front[user.estimator.find(FrontTable).cursor]
        assert user.line(credits_text(point.credits), "#front").count(" – ") == 2


# -- to take along -----------------------------------------------------------------------------------------------------


async def test_the_command_line_finds_the_same() -> None:
    async with opened() as user:
        await user.finds("view-explore")
        await user.press("f", "down", "right", *["down"] * 8, *"20", "down", *"2000", *["down"] * 4, "space", "escape")
        await user.press("escape", *["down"] * 6, *"250")
        now = asked(user)
        command = user.estimator.find(ExploreView).command(BUILT_IN["demo"])
        arguments = parse(shlex.split(command)[1:])
        assert arguments.handler is not None
        assert (arguments.max_credits, arguments.max_latency) == (now.max_credits, now.max_latency)
        assert set(arguments.family) == now.families
        assert constraints_of(arguments, load_card(), Configuration.default(load_card())) == now
        assert (arguments.require, arguments.forbid) == (["knowledge"], [])
        assert arguments.input_tokens == 250


async def test_the_sheet_is_the_front() -> None:
    async with opened() as user:
        await user.finds("view-explore")
        (sheet,) = user.estimator.find(ExploreView).sheets()
        front = found(user).front
        assert [row[:3] for row in sheet.rows] == [(p.credits, p.latency, p.count) for p in front]
        said = "with speech input, with speech output, no option billed by its provider, no unusual inputs."
        assert f"Constraints: {said}" in sheet.notes


async def test_a_key_resets_one_constraint_and_leaves_the_others() -> None:
    async with opened() as user:
        await user.finds("view-explore")
        await user.press("f", "right", *["down"] * CREDITS, *"12", "enter")
        assert asked(user) == replace(FIRST, memory=Need.MUST, max_credits=Decimal(12))
        await user.press("r")
        assert asked(user) == replace(FIRST, memory=Need.MUST)
        assert " any credits" in user.line("Credits", "#constraints")
        await user.press("home", "r")
        assert asked(user) == FIRST


async def test_what_is_seen_behind_a_dialog_is_laid_out_when_the_program_is_at_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("textual.screen.UPDATE_PERIOD", 3600.0)
    async with opened(demo(), screen="estimator", size=NARROW) as user:
        await user.app.action_command("view-explore")
        await user.press("f")
        await user.at(ConstraintsDialog)
        behind = user.app.screen_stack[-2].query_one("#front")
        whole = behind.size.height
        for padding in (1, 0):
            behind.styles.padding = (padding, 0)
            await user.settle()
            assert behind.size.height == whole - 2 * padding


async def test_the_forms_in_which_the_front_is_copied_can_be_told_apart() -> None:
    async with opened(size=(120, 40)) as user:
        await user.finds("view-explore")
        await user.sees("on the Pareto front")
        await user.press("y")
        await user.sees(*(f"Pareto front: credits and latency ({form})" for form in ("Markdown", "CSV", "JSON")))


async def test_heads_say_what_a_difference_is_relative_to() -> None:
    async with opened(size=(200, 50)) as user:
        await user.finds("view-explore")
        await user.reads("#front", "± now", "± ms now")
        await user.finds("view-trail")
        await user.reads("#trail", "± before")
        await user.finds("view-rank")
        await user.press("v")
        await user.reads("#ranking", "± now")
