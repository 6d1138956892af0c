"""Gates: command lines that fail if a cost is too high, with their exit statuses, and with their output unchanged."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from chartui.core.estimation.baseline import read_baseline
from chartui.core.presets import Preset, Presets
from chartui.core.spec.models.estimation import Selections

from .conftest import Run

#: The default configuration costs 10.296875 credits and takes up to 1 520 ms.
CARD: Final = Decimal("10.296875")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run, demo_ids: dict[str, str]) -> Path:
    """The current folder, with a baseline of the default configuration and of two characters, and a bundle of Bran."""
    monkeypatch.chdir(tmp_path)
    Presets().save(Preset(name="Kiosk", selections=Selections(llm="mdlc_2_5_flash_lite", memory=False)))
    scenario = 'format = "chartui-scenario"\nversion = 1\nname = "Museum"\n[assumptions]\n'
    (tmp_path / "museum.toml").write_text(f"{scenario}outputChars = {{ low = 60, typical = 150, high = 400 }}\n")
    assert run("pull", demo_ids["Bran Alder"], "bran.toml").status == 0
    for words in (["estimate"], ["characters", "list", "--filter", "name:marsh"], ["estimate", "--preset", "Kiosk"]):
        assert run(*words, "--baseline", "base.toml", "--update-baseline").status == 0
    return tmp_path


class Row(NamedTuple):
    """A command line, its exit status, and what it says on standard error. The status without gates is ``plain``."""

    line: str
    status: int
    said: str = ""
    plain: int = 0


ROWS: Final = (
    Row("estimate --fail-above 10.296875", 0),
    Row(
        "estimate --fail-above 10.2",
        1,
        "The configuration of this command costs 10.296875 credits per interaction. The --fail-above limit is 10.2.",
    ),
    Row("estimate --fail-slower 1520", 0),
    Row(
        "estimate --fail-slower 1.5s",
        1,
        "The configuration of this command takes up to 1 520 ms end to end. The --fail-slower limit is 1 500 ms.",
    ),
    Row("estimate --fail-over 0 --baseline base.toml", 0),
    Row("estimate --input-tokens 4100 --fail-over 1% --baseline base.toml", 0),
    Row(
        "estimate --llm mdla_4o --fail-over 5% --baseline base.toml",
        1,
        "The configuration of this command costs 29.3675 credits per interaction, "
        "185.2% more than in base.toml (10.296875 credits). The --fail-over limit is 5%.",
    ),
    Row("estimate --preset Kiosk --fail-over 5 --baseline base.toml --fail-above 7.5", 0),
    Row("estimate --llm byo_mdla_compatible_endpoint --fail-above 100", 0),
    Row("estimate --character {Avery Cole} --fail-above 8", 1, "“Avery Cole” costs 8.37025 credits"),
    Row(
        "estimate --output-chars 60-150-400 --fail-above 10.3",
        1,
        "The configuration of this command costs at most 10.625 credits per interaction (typically 10.296875). ",
    ),
    Row(
        "estimate --scenario museum.toml --preset Kiosk --compare Kiosk --fail-above 7.4 --fail-over 1%",
        1,
        "“Kiosk” costs at most 7.504 credits per interaction (typically 7.4515) with scenario “Museum”. "
        "The --fail-above limit is 7.4.",
    ),
    Row(
        "estimate --scenario museum.toml --fail-slower 1s",
        1,
        "The configuration of this command takes up to 1 520 ms end to end with scenario “Museum”.",
    ),
    Row("estimate --output-chars 60-150-400 --fail-above 10.7", 0),
    Row("estimate --character {Avery Cole} --output-chars 60-150-400 --fail-above 9", 1, "“Avery Cole” costs "),
    Row("estimate --character {Avery Cole} --output-chars 60-150-400 --fail-above 20", 0),
    Row(
        "estimate --character {Nova Adeyemi} --fail-above 1000",
        1,
        "The cost of “Nova Adeyemi” is unknown: “crew-trainer-8b” is not in the catalogue.",
    ),
    Row("estimate --character {Nova Adeyemi} --fail-slower 99s", 1, "“Nova Adeyemi” has an unknown latency."),
    Row(
        "estimate --character {Avery Cole} --fail-over 5% --baseline base.toml",
        1,
        "The cost increase of “Avery Cole” is unknown, because base.toml contains no matching entry.",
    ),
    Row(
        "estimate --turns 4 --fail-above 41", 1, "The configuration of this command costs 41.44265 credits for 4 turns."
    ),
    Row("estimate --turns 4 --fail-above 42", 0),
    Row("estimate --compare Kiosk --fail-above 10", 1, "The configuration of this command costs 10.296875 credits"),
    Row("estimate --compare Kiosk --fail-over 5%", 0),
    Row(
        "estimate --compare Kiosk --baseline Kiosk --fail-over 5%",
        1,
        "The configuration of this command costs 10.296875 credits per interaction, "
        "38.19% more than “Kiosk” (7.4515 credits).",
    ),
    Row("characters list --fail-above 100", 1, "The cost of “Nova Adeyemi” is unknown"),
    Row("characters list --filter name:marsh --fail-above 21", 0),
    Row("characters list --filter name:marsh --fail-slower 2s", 1, "“Elena Marsh” takes up to 4 630 ms end to end."),
    Row("characters list --filter name:marsh --fail-over 0% --baseline base.toml", 0),
    Row(
        "characters list --filter name:avery --fail-over 9% --baseline base.toml",
        1,
        "base.toml contains no matching entry",
    ),
    Row("characters list --filter name:nobody --fail-above 1", 1, "0 of 12", plain=1),
    Row("push bran.toml --dry-run --fail-above 9", 0),
    Row("push bran.toml --dry-run --fail-above 8", 1, "“bran.toml” costs 8.16905 credits per interaction."),
    Row("push bran.toml --dry-run --fail-over 5%", 0),
    Row(
        "push dear.toml --dry-run --fail-over 5%",
        1,
        "more than the stored character (8.16905 credits). The --fail-over limit is 5%.",
    ),
    Row("push dear.toml --dry-run --fail-slower 1s", 1, "“dear.toml” takes up to"),
    Row("push new.toml --create --dry-run --fail-over 5%", 1, "The cost increase of “new.toml” is unknown"),
)


def words_of(line: str, ids: dict[str, str]) -> list[str]:
    for name, identity in ids.items():
        line = line.replace(f"{{{name}}}", identity)
    return line.split()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.line)
def test_a_gate_sets_the_status_and_changes_no_output(
    row: Row, run: Run, folder: Path, demo_ids: dict[str, str]
) -> None:
    bran = (folder / "bran.toml").read_text(encoding="utf-8")
    before, model, after = bran.partition('model = "mdlc-3.5-flash"')
    assert model
    (folder / "dear.toml").write_text(f'{before}model = "mdla-5.4"{after}', encoding="utf-8")
    (folder / "dear.lock").write_bytes((folder / "bran.lock").read_bytes())
    (folder / "new.toml").write_text(bran, encoding="utf-8")
    words = words_of(row.line, demo_ids)
    gated = run(*words)
    assert (gated.status, row.said in gated.err) == (row.status, True), gated.err
    cut = next(place for place, word in enumerate(words) if word.startswith("--fail-"))
    plain = run(*words[:cut], *(["--baseline", "Kiosk"] if "--baseline Kiosk" in row.line else []))
    assert (plain.status, plain.out) == (row.plain, gated.out)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("estimate --fail-over 5%", "--fail-over needs --baseline or --compare"),
        ("characters list --fail-over 5%", "--fail-over needs --baseline"),
        ("estimate --baseline base.toml", "--baseline needs --fail-over or --update-baseline"),
        ("estimate --update-baseline", "--update-baseline needs --baseline FILE"),
        ("estimate --baseline Kiosk --fail-over 5%", "--baseline needs --compare, or a file with stored costs"),
        ("estimate --fail-over 5% --baseline none.toml", "none.toml: no such file; use --update-baseline to write it"),
        ("estimate --fail-over five --baseline base.toml", "five is not a number (a percentage, such as 5 or 5%)"),
        ("estimate --fail-over -5% --baseline base.toml", "expected one argument"),
        ("estimate --turns 3 --fail-slower 1s", "a conversation has no latency"),
        ("estimate --turns 3 --fail-over 5% --baseline base.toml", "cannot be combined with --turns"),
        ("estimate --fail-over 5% --baseline bran.toml", 'bran.toml:2: the file must start with: format = "chartui-b'),
    ],
)
def test_gates_that_cannot_be_used_are_refused_before_anything_is_asked(
    line: str, said: str, run: Run, folder: Path
) -> None:
    refused = run(*line.split())
    assert (refused.status, refused.out, said in refused.err) == (2, "", True), refused.err


def test_the_reason_is_an_object_with_json(run: Run, folder: Path) -> None:
    result = run("estimate", "--fail-above", "5", "--fail-slower", "1s", "--json")
    assert result.status == 1
    assert result.value["totals"]["credits"] == CARD
    assert (result.error["code"], len(result.error["problems"])) == ("gate", 2)
    assert result.error["problems"][0] in result.error["message"]


def test_a_push_whose_gate_fails_sends_nothing(run: Run, folder: Path, bran: str) -> None:
    path = folder / "bran.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("mdlc-3.5-flash", "mdla-5.4"), encoding="utf-8")
    before = run("characters", "show", bran, "--raw").out
    refused = run("push", "bran.toml", "--yes", "--fail-over", "5%")
    assert (refused.status, refused.out) == (1, "")
    assert refused.err.endswith("The --fail-over limit is 5%.\nNothing was sent.\n")
    assert run("characters", "show", bran, "--raw").out == before
    assert run("push", "bran.toml", "--yes", "--fail-over", "500%").status == 0
    assert run("characters", "show", bran, "--raw").out != before


def test_a_baseline_is_sorted_and_keeps_what_was_not_priced(run: Run, folder: Path) -> None:
    path = folder / "base.toml"
    before = path.read_text(encoding="utf-8")
    listing = ["characters", "list", "--baseline", "base.toml", "--update-baseline"]
    assert run(*listing, "--sort", "name").status == 0
    once = path.read_text(encoding="utf-8")
    assert set(before.splitlines()) < set(once.splitlines())
    assert run(*listing, "--reverse").status == 0
    assert path.read_text(encoding="utf-8") == once
    stored = read_baseline(path)
    assert stored is not None
    assert list(stored["characters"]) == sorted(stored["characters"])
    assert "Nova Adeyemi" not in stored["characters"]  # its cost is unknown, which is not 0
    assert stored["configurations"] == {"current": CARD}
    path.write_text(once.replace("current = 10.296875", "current = -1"), encoding="utf-8")
    refused = run("estimate", "--fail-over", "5%", "--baseline", "base.toml")
    assert (refused.status, "configurations.current must be a number of credits" in refused.err) == (2, True)


def test_characters_of_the_same_name_are_stored_by_their_ids(run: Run, folder: Path, demo_ids: dict[str, str]) -> None:
    twin = demo_ids["Marcus Reed"]
    assert run("characters", "rename", twin, "Elena Marsh", "--yes").status == 0
    words = ("characters", "list", "--filter", "name:marsh model:realtime", "--baseline", "twins.toml")
    assert run(*words, "--update-baseline").status == 0
    stored = read_baseline(folder / "twins.toml")
    assert stored is not None
    assert list(stored["characters"]) == [twin]
    assert (
        run("characters", "list", "--filter", f"id:{twin}", "--baseline", "twins.toml", "--fail-over", "0").status == 0
    )
