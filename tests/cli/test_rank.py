"""``chartui rank``: the same figures as an estimate of each, in the order that is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from chartui.core.estimation import card
from chartui.core.spec.catalogue import KINDS, Kind, options

from .conftest import Run

PACKAGED = Path(card.__file__).with_name("data") / "rate-card.toml"
KIND_OF = {"models": "llm", "speech-in": "stt", "speech-out": "tts", "animation": "animation"}
CHOSEN = ["--llm=mdla_realtime_mini", "--no-memory", "--tts=no_tts", "--input-tokens=900", "--stt-seconds=2.5"]


@pytest.mark.parametrize("name", KIND_OF)
def test_every_option_has_the_figures_of_an_estimate(name: str, run: Run) -> None:
    value = run("rank", name, *CHOSEN, "--json").value
    now = run("estimate", *CHOSEN, "--json").value
    assert (value["kind"], value["sort"], value["reverse"]) == (KIND_OF[name], "credits", False)
    assert (value["selections"], value["assumptions"]) == (now["selections"], now["assumptions"])
    assert value["rate_card"] == now["rate_card"]
    kind: Kind = next(kind for kind in KINDS if kind == KIND_OF[name])
    assert {entry["key"] for entry in value["options"]} == {option.key for option in options(kind)}
    assert [entry["key"] for entry in value["options"] if entry["selected"]] == [now["selections"][kind]]
    for entry in value["options"][:6]:
        body = run("estimate", *CHOSEN, f"--{kind}", entry["key"], "--json").value
        assert entry["credits"] == body["totals"]["credits"]
        difference = body["totals"]["credits"] - now["totals"]["credits"]
        assert entry["difference"] == (None if entry["unmet_constraints"] else difference)
        assert body["latency_ms"] == {"min": entry["latency_min_ms"], "max": entry["latency_max_ms"]}


def test_the_order_and_how_many(run: Run) -> None:
    fast = run("rank", "--sort", "latency", "--limit", "5", "--json").value["options"]
    slowest = [entry["latency_max_ms"] for entry in fast]
    assert slowest == sorted(slowest)
    assert len(fast) == 5
    slow = run("rank", "--sort", "latency", "--reverse", "--limit", "1", "--json").value["options"]
    fitting = [
        one for one in run("rank", "--sort", "latency", "--json").value["options"] if not one["unmet_constraints"]
    ]
    assert slow[0]["latency_max_ms"] == fitting[-1]["latency_max_ms"] > slowest[-1]
    voices = run(
        "rank", "speech-out", "--sort", "name", "--allow", "billed-elsewhere,unusual-inputs,speech-out", "--json"
    )
    names = [entry["label"] for entry in voices.value["options"]]
    assert names == sorted(names, key=str.casefold)


def test_in_words(run: Run) -> None:
    result = run("rank", "--llm", "mdla_4o", "--sort", "name", "--stt", "vendorb_3_streaming")
    assert (result.status, result.err) == (0, "")
    rows = result.out.splitlines()
    (chosen,) = (row for row in rows if row.startswith("*"))
    assert chosen.split()[1] == "mdla_4o"
    assert float(chosen.split()[3]) == 0
    assert any("mdla_realtime_mini" in row and row.endswith("realtime, beta") for row in rows)
    assert any("byo_mdla_compatible_endpoint" in row and row.endswith("billed by its provider") for row in rows)
    assert "Constraints: with speech input" in result.out


def test_constraints_rank_what_does_not_meet_them_last(run: Run) -> None:
    """The same options as those of a search."""
    given = ["--forbid", "beta,billed-elsewhere", "--max-latency", "1.3s", "--family", "Family C"]
    value = run("rank", *given, "--json").value
    assert value["constraints"]["forbid"] == ["billed-elsewhere", "unusual-inputs", "beta"]
    unmet = [bool(entry["unmet_constraints"]) for entry in value["options"]]
    assert unmet == sorted(unmet)
    assert 0 < sum(unmet) < len(unmet)
    assert {entry["difference"] for entry in value["options"] if entry["unmet_constraints"]} == {None}
    assert not any(entry["beta"] or entry["billed_elsewhere"] for entry in value["options"][: unmet.index(True)])


def test_an_option_that_a_card_lacks_has_no_price(run: Run, tmp_path: Path) -> None:
    lines = PACKAGED.read_text("utf-8").splitlines(keepends=True)
    own = tmp_path / "card.toml"
    own.write_text("".join(line for line in lines if not line.startswith("mdla_4o =")), "utf-8")
    result = run("rank", "--rate-card", str(own))
    last = result.out.partition("\n\n")[0].splitlines()[-1]
    assert last.split() == ["mdla_4o", "unknown", "–", "–"]
    assert (
        run("rank", "--rate-card", str(own), "--csv").out.splitlines()[-1].startswith("mdla_4o,MDLA 4o,Family A,,,,,")
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["voices"], "Unknown value “voices”"),
        (["--sort", "price"], "Unknown value “price”"),
        (["--llm", "mdla_4_o"], "Unknown model “mdla_4_o” for --llm. Did you mean “mdla_4o”?"),
        (["--limit", "0"], "'0' is not a whole number"),
        (["--tts-seconds=-1"], "--tts-seconds must be from 0 to"),
        (["--markdown", "--json"], "--json and --markdown cannot be combined"),
    ],
)
def test_what_cannot_be_asked_is_refused(given: list[str], said: str, run: Run) -> None:
    result = run("rank", *given)
    assert (result.status, result.out) == (2, "")
    assert said in result.err
