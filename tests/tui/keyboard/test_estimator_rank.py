"""The ranking: every option of a kind under the present inputs, in an order."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from chartui.core.estimation.constraints import default_constraints
from chartui.core.session import RatesInUse
from chartui.core.sheet import as_records, squeezed
from chartui.core.spec.models.estimation import Assumptions, Selections
from chartui.tui.numbers import credits_difference, credits_text, signed_text
from tests.tui.keyboard import covers
from tests.tui.sessions import demo, doubled, remote
from tests.tui.user import WIDE, User, opened

TOKENS = 6


def shown(user: User) -> list[str]:
    return [row.entry.key for row in user.estimator.ranking]


async def test_it_is_in_sight_from_the_start_where_there_is_room() -> None:
    async with opened(size=WIDE) as user:
        await user.sees("↑credits", "58 models")
        assert "8.369" in user.line("▌ MDLA 4.1 Nano", "#ranking")  # the best one
        assert "MDLG 4 Scout β " in user.pane("#ranking")


@covers("view-rank")
async def test_a_key_shows_it_with_the_cursor_on_the_best_option_and_a_sign_marks_the_current_one() -> None:
    async with opened() as user:
        await user.finds("view-rank")
        await user.sees("↑credits")
        await user.reads("#rank-about", "MDLA 4.1 Nano · 520")
        first, chosen = (
            user.estimator.ranking[0].entry,
            [row.entry.chosen for row in user.estimator.ranking].index(True),
        )
        assert user.estimator.ranked.current == first
        await user.press(*["down"] * chosen)
        await user.reads("#rank-about", "MDLC 2.5 Flash · current")
        assert "›" in user.line("MDLC 2.5 Flash  ", "#ranking")


async def test_without_a_match_nothing_is_described() -> None:
    async with opened() as user:
        for view, about in (
            ("view-rank", "#rank-about"),
            ("view-trail", "#trail-about"),
            ("view-explore", "#under-cursor"),
        ):
            await user.finds(view)
            await user.until(lambda: bool(user.pane(about).strip()), "for a row")  # noqa: B023 - awaited
            await user.press("slash", *"nobody has this name")
            await user.sees("No matches")
            await user.until(lambda: not user.pane(about).strip(), "for no description")  # noqa: B023 - awaited
            await user.press("escape", "escape")


async def test_every_figure_is_that_of_the_service() -> None:
    session = demo()
    async with opened(session, size=WIDE) as user:
        await user.press(*["down"] * TOKENS, *"12500")
        await user.ready()
        quantities = Assumptions(input_tokens=Decimal(12500))
        present = await session.service.estimate(Selections(), quantities)
        rows = user.estimator.ranking
        assert len(rows) == 58
        for row in (rows[0], rows[20], rows[-1], next(r for r in rows if "realtime" in r.entry.key)):
            estimate = await session.service.estimate(Selections(llm=row.entry.key), quantities)
            assert row.amount == credits_text(estimate.credits)
            more = credits_difference(estimate.known_credits, present.known_credits)
            assert row.difference == ("–" if row.entry.unmet else signed_text(more))
            assert estimate.latency_ms is not None
            assert row.latency == f"{estimate.latency_ms.max:,}".replace(",", " ")


async def test_the_copied_ranking_and_its_command_are_sorted_as_the_table_is() -> None:
    async with opened() as user:
        await user.finds("view-rank")
        ranking = user.estimator.ranked
        profile = user.app.session.profile

        def copied(member: str) -> list[Any]:
            return [row[member] for row in as_records(ranking.sheets()[0])]

        assert copied("key") == shown(user)
        assert copied("credits")[:-1] == sorted(copied("credits")[:-1])  # the last one does not fit
        assert "--sort credits" in ranking.command(profile)
        await user.press("down")
        held = ranking.current
        await user.finds("sort-table")  # by name
        assert ranking.current == held
        assert copied("key") == shown(user)
        assert copied("label")[:-1] == sorted(copied("label")[:-1], key=str.casefold)
        assert "--sort name" in ranking.command(profile)
        await user.finds("sort-table")  # the other way round, which the command line cannot do
        assert copied("key") == shown(user)
        assert "--sort" not in ranking.command(profile)


@pytest.mark.parametrize("size", [(60, 20), (120, 40)])
async def test_options_that_do_not_fit_are_below_a_heading_in_every_order(size: tuple[int, int]) -> None:
    async with opened(size=size) as user:
        await user.finds("view-rank")
        await user.misses("Do not fit")
        await user.press("end")
        await user.sees("Do not fit")
        above, heading, last = user.pane("#ranking").splitlines()[-3:]
        assert "65.580" in above
        assert heading.startswith(" Do not fit: no opti")
        assert "7.580" in last
        await user.finds("sort-table")  # by name
        await user.press("end")
        assert user.estimator.ranked.current is not None
        assert user.estimator.ranked.current.unmet
        assert user.pane("#ranking").splitlines()[-2].startswith(" Do not fit: no opti")


async def test_the_heading_says_which_constraints_the_options_below_do_not_meet() -> None:
    async with opened(size=WIDE) as user:
        constraints = replace(default_constraints(user.estimator.study.configuration), max_latency=1000)
        user.estimator.show(replace(user.estimator.now, constraints=constraints))
        await user.finds("view-rank")
        await user.press("home")
        await user.sees("Do not fit: at most 1 000 ms")


async def test_options_at_an_incomplete_price_are_below_a_heading() -> None:
    async with opened() as user:
        await user.finds("view-explore")
        await user.press("f", *["down"] * 6, "right", "escape")  # options billed by their provider may be used
        await user.finds("view-rank")
        await user.press("end")
        await user.sees("Plus provider price", "58 models")


async def test_below_the_inputs_its_border_names_it_and_its_category() -> None:
    async with opened(size=WIDE) as user:
        for category in ("Models", "Speech input", "Speech output", "Animation"):
            await user.sees(f"╭─ Rank · {category} ─")
            await user.press("t")


@covers("rank-kind")
async def test_kinds_follow_each_other() -> None:
    async with opened() as user:
        await user.press("t")
        await user.sees("Speech input", "5 options")
        await user.press("t")
        await user.sees("Speech output", "21 options")
        await user.press("t")
        await user.sees("Animation", "2 options")
        await user.press("t")
        await user.sees("Models", "58 models")


async def test_enter_puts_the_row_into_the_form() -> None:
    async with opened() as user:
        await user.finds("view-rank")
        await user.press("home", "enter")
        await user.ready()
        wanted = shown(user)[0]
        assert user.estimator.now.value("llm") == wanted
        assert "›" in user.line("MDLA 4.1 Nano", "#ranking")
        await user.press("t", "t", "end")
        wanted = shown(user)[-1]  # the constraints follow the inputs, and the order with them
        await user.press("enter")
        await user.ready()
        assert user.estimator.now.value("tts") == wanted


async def test_a_default_that_is_put_back_counts_as_not_chosen() -> None:
    async with opened() as user:
        await user.finds("view-rank")
        chosen = [row.entry.chosen for row in user.estimator.ranking].index(True)
        await user.press(*["down"] * (chosen + 1), "enter")
        await user.ready()
        assert user.estimator.now.selections().llm is not None
        await user.press("up", "enter")
        await user.ready()
        assert user.estimator.now.selections() == Selections()


async def test_unknown_prices_come_last_and_are_never_nothing() -> None:
    session, double = doubled()
    double.answers["options"] = {
        "options": {"llm": [{"key": "mdla_4o"}, {"key": "mdlx_9_ours", "label": "Ours [/nope]"}]}
    }
    async with opened(session) as user:
        await user.finds("view-rank")
        await user.press("end")
        await user.sees("59 models")
        line = user.line("Ours [/nope]  ", "#ranking")
        assert "unknown" in line
        assert "0.000" not in line
        await user.press("enter")
        assert user.estimator.now.value("llm") == "mdlx_9_ours"


async def test_a_service_over_the_network_is_ranked_under_a_banner_and_not_asked() -> None:
    session, double = remote()
    session = replace(session, rates=RatesInUse(session.profile))
    async with opened(session) as user:
        before = double.count("estimate")
        await user.finds("view-rank")
        await user.sees("Use reference rates")
        await user.press("y")
        await user.press("t", "t", "down", "down")
        await user.sees("Speech output")
        await user.sees("reference rates")
        assert double.count("estimate") == before


async def test_huge_quantities_lose_no_digit() -> None:
    session = demo()
    async with opened(session, size=WIDE) as user:
        await user.press(*["down"] * TOKENS, *"1000000000")
        await user.ready()
        rows = user.estimator.ranking
        pane = user.pane("#ranking")
        assert rows[0].amount in pane
        assert all(len(line) <= 44 for line in pane.splitlines())
        assert "…" not in "".join(line[-20:] for line in pane.splitlines())


async def test_every_window_has_room_for_credits_and_latency_and_for_what_tells_names_apart() -> None:
    async with opened() as user:
        await user.finds("view-rank")
        for width, height in ((80, 24), (92, 30), (100, 30), (120, 40), (136, 36), (160, 45), (200, 55), (240, 70)):
            await user.resize(width, height)
            await user.until(lambda wanted=width: user.app.size.width == wanted)  # type: ignore[misc]
            await user.ready()
            table = user.estimator.ranked.table
            drawn = {table.sheet.columns[place.column].name: place for place in table.places}
            assert {"label", "credits", "latency_max_ms"} <= set(drawn), width
            assert " ms" in user.pane("#ranking"), width
            name = drawn["label"]
            names = [text[name.column] for text in table.texts]
            assert len({squeezed(text, name.width) for text in names}) == len(names), width
            if "difference" in drawn:  # names are cut last
                assert name.width == max(map(len, names)), width


async def test_every_unmet_constraint_of_an_option_is_told_in_a_narrow_pane() -> None:
    async with opened(size=WIDE) as user:
        await user.press("f", *["down"] * 8, "left", "down", *"8", "enter", "escape")  # no beta, at most 8 credits
        await user.finds("view-rank")
        place = [row.entry.key for row in user.estimator.ranking].index("mdlg_4_maverick")
        await user.press(*["down"] * place)
        await user.reads("#rank-about", "unmet: no beta model", "at most 8 credits")
