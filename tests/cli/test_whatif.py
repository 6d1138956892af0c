"""``chartui whatif``: the cost over a range of a quantity, with break-even points."""

from __future__ import annotations

import csv
import io
from decimal import Decimal

import pytest

from chartui.core.presets import Preset, Presets
from chartui.core.spec.models.estimation import Selections

from .conftest import Run


def credits_at(run: Run, amount: int, *words: str) -> Decimal:
    found = run("estimate", "--output-chars", str(amount), "--json", *words).value["totals"]["credits"]
    return Decimal(found)


def test_the_line_goes_through_the_estimates(run: Run) -> None:
    found = run("whatif", "output-chars", "--to", "8000", "--json").value
    assert (found["quantity"], found["current"], found["end"]) == ("output_chars", 150, 8000)
    [line] = found["configurations"]
    assert (line["at_zero"], line["current"]) == (credits_at(run, 0), credits_at(run, 150))
    assert line["at_end"] == credits_at(run, 8000)
    assert sum(part["credits"] for part in found["breakdown"]) == line["current"]


def test_a_break_even_point_is_where_two_estimates_are_equal(run: Run) -> None:
    Presets().save(Preset(name="Terse", selections=Selections(llm="mdla_4o", tts="no_tts")))
    found = run("whatif", "output-chars", "--to", "8000", "--compare", "Terse", "--json").value
    [point] = found["break_even"]
    assert (point["first"], point["second"]) == ("current", "Terse")
    near = {name: credits_at(run, 0, *words) for name, words in (("current", ()), ("Terse", ("--preset", "Terse")))}
    assert min(near, key=near.__getitem__) == (point["less_below"] or point["less_above"])
    assert point["text"] in run("whatif", "output-chars", "--to", "8000", "--compare", "Terse").out
    rows = list(csv.DictReader(io.StringIO(run("whatif", "--compare", "Terse", "--csv").out)))
    assert [row["configuration"] for row in rows] == ["current", "Terse"]
    assert "All configurations have the same quantities." in run("whatif", "--compare", "Terse", "--markdown").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--to", "0"], "--to: the end of a range must be above 0"),
        (["output-char"], "Did you mean “output-chars”?"),
        (["--json", "--csv"], "--json and --csv cannot be combined"),
    ],
)
def test_what_cannot_be_is_refused(run: Run, words: list[str], said: str) -> None:
    refused = run("whatif", *words)
    assert (refused.status, refused.out, said in refused.err) == (2, "", True), refused.err


def test_the_volume_of_one_configuration_is_a_table_too(run: Run) -> None:
    month = ("subscriptions", "--users", "10", "--interactions", "3", "--per", "month")
    [row] = csv.DictReader(io.StringIO(run(*month, "--volume", "--csv").out))
    assert (row["configuration"], row["interactions"], Decimal(row["credits"])) == (
        "current",
        "30",
        Decimal("308.90625"),
    )
    assert "CONFIGURATION" in run(*month, "--volume").out
    assert "CONFIGURATION" not in run(*month).out
