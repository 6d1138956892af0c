"""``chartui presets``: kept, shown, given on, renamed and removed, also under the lock."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from chartui.cli.sessions import can_ask
from chartui.core.presets import Preset, Presets, as_toml
from chartui.core.spec.models.estimation import Assumptions, Selections

from .conftest import Run, Scripted

Golden = Callable[[str, str], None]

SAVE = ("presets", "save", "Quick & cheap", "--llm", "mdlc_2_5_flash_lite", "--no-memory", "--input-tokens", "1500.50")
QUICK = Preset(
    name="Quick & cheap",
    note="For the kiosk.",
    selections=Selections(llm="mdlc_2_5_flash_lite", memory=False),
    assumptions=Assumptions(input_tokens=Decimal("1500.5")),
)


def path_of(name: str) -> Path:
    return Presets().folder / name


def test_what_was_chosen_is_kept(run: Run) -> None:
    result = run(*SAVE, "--note", "For the kiosk.")
    path = path_of("quick-cheap.toml")
    assert (result.status, result.err) == (0, f"preset 'Quick & cheap' was saved to {path}\n")
    assert result.out == (
        "name      Quick & cheap\n"
        "note      For the kiosk.\n"
        "selected  model MDLC 2.5 Flash Lite, memory off, input tokens 1 500.5\n"
        f"file      {path}\n"
    )
    assert Presets().get("Quick & cheap") == QUICK
    assert run("presets", "show", "Quick & cheap").out == result.out


def test_as_json(run: Run) -> None:
    fact = {
        "name": "Quick & cheap",
        "note": "For the kiosk.",
        "selections": {"llm": "mdlc_2_5_flash_lite", "memory": False},
        "assumptions": {"inputTokens": Decimal("1500.5")},
        "file": str(path_of("quick-cheap.toml")),
    }
    assert run(*SAVE, "--note", "For the kiosk.", "--json").value == fact
    assert run("presets", "show", "Quick & cheap", "--json").value == fact
    assert run("presets", "list", "--json").value == [fact]


def test_a_name_that_is_taken(run: Run) -> None:
    run(*SAVE)
    refused = run("presets", "save", "Quick & cheap", "--llm", "mdla_4o", "--json")
    assert (refused.status, refused.out, refused.error["code"]) == (2, "", "configuration")
    assert (
        "with different inputs: model MDLC 2.5 Flash Lite → MDLA 4o, memory off → default, input"
        in refused.error["message"]
    )
    assert Presets().get("Quick & cheap").selections.llm == "mdlc_2_5_flash_lite"
    assert run("presets", "save", "Quick & cheap", "--llm", "mdla_4o", "--replace").status == 0
    assert Presets().get("Quick & cheap").selections == Selections(llm="mdla_4o")


def test_one_that_begins_with_another(run: Run, tmp_path: Path) -> None:
    """What is given goes before; so is a preset of somebody else's taken in under a name of one's own."""
    given = tmp_path / "given.toml"
    given.write_text(as_toml(QUICK), encoding="utf-8")
    assert run("presets", "show", str(given)).status == 0
    assert run("presets", "list").out == ""
    assert run("presets", "save", "Mine", "--preset", str(given), "--memory", "--tts", "tts_1").status == 0
    mine = Presets().get("Mine")
    assert mine.selections == Selections(llm="mdlc_2_5_flash_lite", memory=True, tts="tts_1")
    assert (mine.assumptions, mine.note) == (QUICK.assumptions, QUICK.note)


def test_a_slip_in_a_key_is_told_and_kept(run: Run) -> None:
    """The options are an open set: the service may have it."""
    result = run("presets", "save", "odd", "--llm", "mdla_4oo", "--stt", "zzz")
    assert result.status == 0
    assert result.err.splitlines()[:2] == [
        "Unknown model “mdla_4oo” for --llm. Did you mean “mdla_4o”? The service may still offer this option.",
        "Unknown speech input “zzz” for --stt. The service may still offer this option.",
    ]
    assert Presets().get("odd").selections.llm == "mdla_4oo"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--input-tokens", "-1"], "assumptions.inputTokens must be a number from 0 to 1000000000000."),
        (["--llm", ""], "selections.llm is not an option key. 'chartui options' lists all keys."),
        (["--note", "x" * 501], "note can have at most 500 characters."),
    ],
)
def test_what_cannot_be_kept(run: Run, words: list[str], told: str) -> None:
    result = run("presets", "save", "x", *words)
    assert (result.status, result.out) == (2, "")
    assert result.err == f"chartui: The preset cannot be saved: {told}\n"
    assert Presets().all() == ()


def test_the_list(run: Run, golden: Golden) -> None:
    empty = run("presets", "list")
    assert (empty.status, empty.out) == (0, "")
    assert empty.err == "no presets yet; 'chartui presets save' adds a preset\n"
    for preset in (QUICK, Preset(name="All as usual"), Preset(name="\u65e5\u672c", note="wide")):
        Presets().save(preset)
    golden("presets-list.txt", run("presets", "list").out)


def test_a_preset_whose_file_is_broken_is_told_as_that_and_can_be_removed(run: Run) -> None:
    run(*SAVE)
    broken = path_of("quick-cheap.toml")
    broken.write_text("x = [", encoding="utf-8")
    listed = run("presets", "list")
    assert (listed.status, listed.out) == (2, "")
    assert listed.err.startswith(f"{broken}:1: not TOML: ")
    for asked in (("presets", "show", "Quick & cheap"), ("estimate", "--preset", "quick-cheap")):
        result = run(*asked)
        assert result.status == 2
        assert result.err.startswith(f"chartui: {broken}:1: not TOML: ")
    unknown = run("presets", "show", "slow").err
    assert unknown.startswith(f"chartui: Unknown preset “slow”. {broken}:1: not TOML: ")
    assert run("presets", "remove", "quick-cheap", "--yes").status == 0
    assert not broken.exists()
    assert run("presets", "list").status == 0


def test_a_broken_file_does_not_hide_the_others(run: Run) -> None:
    Presets().save(QUICK)
    broken = path_of("broken.toml")
    broken.write_text("\x1b[2J", encoding="utf-8")
    result = run("presets", "list")
    assert result.status == 2
    assert "Quick & cheap" in result.out
    assert result.err.startswith(f"{broken}:1: not TOML: ")
    assert "\x1b" not in result.err
    [_, fault] = run("presets", "list", "--json").value
    assert (fault["name"], fault["file"]) == (None, str(broken))
    assert fault["problem"].startswith(f"{broken}:1: not TOML: ")


def test_hostile_text_of_somebody_elses(run: Run, tmp_path: Path) -> None:
    given = tmp_path / "given.toml"
    text = as_toml(QUICK).replace("For the kiosk.", "a\\nb\u202e")
    given.write_text(text, encoding="utf-8")
    shown = run("presets", "show", str(given))
    assert (shown.status, shown.err) == (
        2,
        f"{given}:4: note contains characters that cannot be shown; remove them.\n",
    )


@pytest.mark.parametrize("verb", [["show"], ["remove", "--yes"], ["rename"]])
def test_a_name_that_there_is_not(run: Run, verb: list[str]) -> None:
    Presets().save(QUICK)
    result = run("presets", *verb, "Quick and cheap", *(["x"] if verb == ["rename"] else []))
    assert (result.status, result.out) == (2, "")
    assert result.err == "chartui: Unknown preset “Quick and cheap”. Did you mean “Quick & cheap”?\n"


def test_rename(run: Run) -> None:
    Presets().save(QUICK)
    result = run("presets", "rename", "Quick & cheap", "Kiosk")
    path = path_of("kiosk.toml")
    assert (result.status, result.out) == (0, "")
    assert result.err == f"preset 'Quick & cheap' was renamed to 'Kiosk' and saved to {path}\n"
    assert [kept.path for kept in Presets().all()] == [path]
    assert run("presets", "rename", "Kiosk", "K", "--json").value == {"name": "K", "file": str(path_of("k.toml"))}


def test_a_ranking_begins_with_one(run: Run) -> None:
    """And what is given goes before it."""
    Presets().save(QUICK)
    ranked = run("rank", "--preset", "Quick & cheap", "--memory", "--tts", "no_tts", "--json").value
    assert {name: ranked["selections"][name] for name in ("llm", "memory", "tts")} == {
        "llm": "mdlc_2_5_flash_lite",
        "memory": True,
        "tts": "no_tts",
    }
    assert ranked["assumptions"]["inputTokens"] == Decimal("1500.5")
    assert run("rank", "--preset", "Slow").err == "chartui: Unknown preset “Slow”. Known: Quick & cheap.\n"


# -- removing ---------------------------------------------------------------------------------------------------------


def _typing(monkeypatch: pytest.MonkeyPatch, answer: str) -> list[str]:
    """Lets ``answer`` be typed at a terminal; gives what was asked."""
    questions: list[str] = []

    def asked(question: str) -> str:
        questions.append(question)
        return answer

    monkeypatch.setattr("chartui.cli.named_files.can_ask", lambda: True)
    monkeypatch.setattr("chartui.cli.named_files.asked", asked)
    return questions


def test_removed_once_it_is_agreed_to(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Presets().save(QUICK)
    questions = _typing(monkeypatch, "n\n")
    assert run("presets", "remove", "Quick & cheap").status == 2
    assert path.exists()
    assert questions == [f"Remove preset 'Quick & cheap' ({path})? y/N "]
    _typing(monkeypatch, "y\n")
    result = run("presets", "remove", "Quick & cheap")
    assert (result.status, result.err) == (0, f"removed preset 'Quick & cheap' and its file {path}\n")
    assert not path.exists()


def test_without_a_terminal_it_is_agreed_to_beforehand(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    assert not can_ask()
    path = Presets().save(QUICK)
    result = run("presets", "remove", "Quick & cheap")
    assert (result.status, path.exists()) == (2, True)
    assert result.err == "chartui: use --yes to remove without a terminal\n"
    done = run("presets", "remove", "Quick & cheap", "--yes", "--json")
    assert (done.value, path.exists()) == ({"removed": "Quick & cheap", "file": str(path)}, False)


def test_a_file_elsewhere_is_not_removed(run: Run, tmp_path: Path) -> None:
    given = tmp_path / "given.toml"
    given.write_text(as_toml(QUICK), encoding="utf-8")
    assert run("presets", "remove", str(given), "--yes").status == 2
    assert given.exists()


def test_the_lock_does_not_concern_them(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are this program's own files, and no data of a service."""
    monkeypatch.setenv("CHARTUI_READ_ONLY", "1")
    assert run(*SAVE, "--read-only").status == 0
    assert run("presets", "rename", "Quick & cheap", "Kiosk", "--read-only").status == 0
    assert run("presets", "remove", "Kiosk", "--yes", "--read-only").status == 0
    assert Presets().all() == ()


def test_no_service_is_asked(run: Run, scripted: Callable[..., Scripted]) -> None:
    backend = scripted()
    assert run(*SAVE).status == run("presets", "list").status == 0
    assert backend.calls == []


def test_a_folder_that_cannot_be_used(run: Run) -> None:
    folder = Presets().folder
    folder.parent.mkdir(parents=True)
    folder.write_text("in the way")
    result = run(*SAVE)
    assert (result.status, result.out) == (2, "")
    assert result.err == f"chartui: {folder} cannot be used: File exists\n"


def test_replacing_a_preset_says_what_changes(run: Run) -> None:
    run("presets", "save", "Night", "--llm", "mdlc_2_5_flash_lite")
    result = run("presets", "save", "Night", "--replace", "--no-memory")
    assert result.status == 0
    assert "changed: model MDLC 2.5 Flash Lite → default, memory default → off" in result.err
