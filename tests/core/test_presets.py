"""Presets: kept, found by name, given to others, and never lost to a slip."""

from __future__ import annotations

import os
import re
import stat
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chartui.core.named_files import MOST_OF_A_NAME
from chartui.core.paths import data_dir
from chartui.core.presets import PinFiles, Preset, PresetError, PresetFileError, Presets, as_toml, read_preset
from chartui.core.spec.models.estimation import Assumptions, Selections

QUICK = Preset(
    name="Quick and cheap",
    note="For the kiosk.",
    selections=Selections(llm="mdla_4o", memory=False),
    assumptions=Assumptions(input_tokens=Decimal(1500), stt_seconds=Decimal("2.50")),
)
QUICK_TOML = """\
format = "chartui-preset"
version = 1
name = "Quick and cheap"
note = "For the kiosk."

[selections]
llm = "mdla_4o"
memory = false

[assumptions]
inputTokens = 1500
sttSeconds = 2.5
"""
HEAD = 'format = "chartui-preset"\nversion = 1\n'


def named(name: str, note: str = "") -> Preset:
    return Preset(name=name, note=note)


def written(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


# -- the form ---------------------------------------------------------------------------------------------------------


def test_what_a_file_looks_like() -> None:
    path = Presets().save(QUICK)
    assert path == data_dir() / "presets" / "quick-and-cheap.toml"
    assert path.read_text(encoding="utf-8") == as_toml(QUICK) == QUICK_TOML
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert Presets().get("Quick and cheap") == QUICK == read_preset(path)


def test_a_preset_of_nothing_is_one_too() -> None:
    Presets().save(named("All as usual"))
    assert Presets().get("All as usual") == Preset(name="All as usual")


def test_only_what_was_chosen_is_held() -> None:
    """What is left out is the service's to choose, also when its defaults have changed."""
    Presets().save(QUICK)
    selections = Presets().get("Quick and cheap").selections
    assert (selections.llm, selections.memory, selections.knowledge, selections.tts) == ("mdla_4o", False, None, None)


NUMBERS = st.one_of(
    st.integers(0, 10**12).map(Decimal),
    st.decimals(0, 10**12, allow_nan=False, allow_infinity=False),
    st.decimals(0, 1, places=30),
)
TEXTS = st.text(
    st.characters(exclude_categories=("C", "Z"), exclude_characters="\u180e\u034f"), min_size=1, max_size=20
)


@given(
    st.builds(
        Preset,
        name=TEXTS,
        note=st.one_of(st.just(""), TEXTS),
        selections=st.builds(
            Selections, llm=st.none() | TEXTS, memory=st.none() | st.booleans(), tts=st.none() | st.just("a.b=[c]#")
        ),
        assumptions=st.builds(Assumptions, input_tokens=st.none() | NUMBERS, tts_seconds=st.none() | NUMBERS),
    )
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_kept_comes_back_the_same(tmp_path: Path, preset: Preset) -> None:
    """Whatever the names and keys are; numbers to the last digit."""
    presets = Presets(tmp_path / "presets")
    path = presets.save(preset)
    assert presets.get(preset.name) == read_preset(path) == preset
    assert presets.remove(preset.name) == path


def test_a_key_that_nobody_knows_is_kept() -> None:
    """The options are an open set: the service may know it."""
    Presets().save(Preset(name="new", selections=Selections(llm="mdlz_9_huge")))
    assert Presets().get("new").selections.llm == "mdlz_9_huge"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("version = 1", 'the file must start with: format = "chartui-preset".'),
        ('format = "chartui-preset"\nversion = 2', "version 2 is not supported; this program reads version 1."),
        (HEAD, 'name is missing; write name = "…".'),
        (HEAD + "name = 3", "name must be text."),
        (HEAD + 'name = " "', "name must not be empty, and must not start or end with a space."),
        (HEAD + f'name = "{"x" * 61}"', "name can have at most 60 characters."),
        (HEAD + 'name = "\\u001b[2J"', "name contains characters that cannot be shown; remove them."),
        (HEAD + 'name = "a"\nnotes = ""', "Unknown key “notes” in the file. Did you mean “note”?"),
        (HEAD + 'name = "a"\n[selections]\nlmm = ""', "Unknown key “lmm” in 'selections'. Did you mean “llm”?"),
        (HEAD + 'name = "a"\n[selections]\nmemory = "on"', "selections.memory must be true or false."),
        (HEAD + 'name = "a"\n[selections]\nllm = true', "selections.llm must be a string containing an option key."),
        (
            HEAD + 'name = "a"\n[selections]\nllm = ""',
            "selections.llm is not an option key. 'chartui options' lists all keys.",
        ),
        (HEAD + 'name = "a"\nselections = 1', "selections must be a table."),
        (HEAD + 'name = "a"\n[assumptions]\ninputTokens = "1"', "assumptions.inputTokens must be a number from 0 to"),
        (HEAD + 'name = "a"\n[assumptions]\ninputTokens = true', "assumptions.inputTokens must be a number from 0 to"),
        (HEAD + 'name = "a"\n[assumptions]\ninputTokens = -1', "assumptions.inputTokens must be a number from 0 to"),
        (HEAD + 'name = "a"\n[assumptions]\nttsSeconds = nan', "assumptions.ttsSeconds must be a number from 0 to"),
        (HEAD + 'name = "a"\n[assumptions]\nttsSeconds = 1e13', "assumptions.ttsSeconds must be a number from 0 to"),
        (HEAD + 'name = "a"\n[assumptions]\nttsSeconds = 1e-999', "assumptions.ttsSeconds has too many digits."),
        (
            HEAD + 'name = "a"\n[assumptions]\nttsSeconds = 1e99999999999999999999',
            "a number is out of range.",
        ),
        (HEAD + f'name = "a"\n[assumptions]\nttsSeconds = {"9" * 5000}', "not TOML: "),
        ("name = ", "not TOML: "),
    ],
)
def test_a_mistake_is_told_with_file_place_and_cure(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path, "wrong.toml", text)
    with pytest.raises(PresetFileError) as refused:
        read_preset(path)
    [told] = refused.value.lines
    assert re.match(rf"{re.escape(str(path))}(:[0-9]+)?: {re.escape(message)}", told)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PresetError, match=r"none\.toml: no such file\.$"):
        read_preset(tmp_path / "none.toml")


@pytest.mark.parametrize(
    "preset",
    [
        named(""),
        named(" a"),
        named("x" * (MOST_OF_A_NAME + 1)),
        named("a\x1bb"),
        named("a", "\udc80"),
        Preset(name="a", selections=Selections(llm="\udc80")),
        Preset(name="a", assumptions=Assumptions(input_tokens=Decimal("NaN"))),
        Preset(name="a", assumptions=Assumptions(input_tokens=Decimal(-1))),
        Preset(name="a", assumptions=Assumptions(input_tokens=Decimal("1e999999"))),
    ],
)
def test_nothing_is_written_that_could_not_be_read(preset: Preset) -> None:
    with pytest.raises(PresetError, match=r"^The preset cannot be saved: "):
        Presets().save(preset)
    assert Presets().all() == ()


# -- the folder -------------------------------------------------------------------------------------------------------


def test_a_name_is_taken_once_unless_it_is_meant() -> None:
    presets = Presets()
    path = presets.save(QUICK)
    with pytest.raises(PresetError, match="Preset 'Quick and cheap' already exists"):
        presets.save(named("Quick and cheap"))
    assert presets.get("Quick and cheap") == QUICK
    assert presets.save(named("Quick and cheap", "New."), replace=True) == path
    assert presets.get("Quick and cheap").note == "New."


def test_two_names_never_share_a_file() -> None:
    names = ["A b", "a-b", "A B!", "ä b", "日本", "中国", "…"]
    paths = [Presets().save(named(name)) for name in names]
    assert [path.name for path in paths] == [
        *("a-b.toml", "a-b-2.toml", "a-b-3.toml", "a-b-4.toml"),
        *("preset.toml", "preset-2.toml", "preset-3.toml"),
    ]
    assert [Presets().get(name).name for name in names] == names


def test_nor_when_they_are_saved_at_once() -> None:
    names = [f"a{mark}b" for mark in " -+*/!?#"]
    with ThreadPoolExecutor(len(names)) as pool:
        paths = list(pool.map(lambda name: Presets().save(named(name)), names))
    assert len(set(paths)) == len(names)
    assert [Presets().get(name).name for name in names] == names


def test_a_file_of_somebody_elses_is_not_written_over(tmp_path: Path) -> None:
    """Neither a broken one, nor one whose name differs in case, where a file system takes both for one."""
    broken, other = written(tmp_path, "a.toml", "?"), written(tmp_path, "A-2.toml", as_toml(named("other")))
    assert Presets(tmp_path).save(named("a")) == tmp_path / "a-3.toml"
    assert broken.read_text() == "?"
    assert read_preset(other).name == "other"


def test_the_presets_are_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b", "C", "a"):
        Presets(tmp_path).save(named(name))
    assert [kept.preset.name for kept in Presets(tmp_path).all() if kept.preset] == ["a", "b", "C"]


def test_a_broken_file_does_not_hide_the_others(tmp_path: Path) -> None:
    presets = Presets(tmp_path)
    presets.save(QUICK)
    path = written(tmp_path, "broken.toml", HEAD)
    kept = presets.all()
    assert [entry.preset for entry in kept] == [QUICK, None]
    assert kept[1] == (path, None, f'{path}: name is missing; write name = "…".')
    assert presets.get(QUICK.name) == QUICK


def test_a_path_is_read_from_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = tmp_path / "given"
    written(given, "from-a-friend.toml", QUICK_TOML)
    assert Presets().get(str(given / "from-a-friend.toml")) == QUICK
    monkeypatch.chdir(given)
    assert Presets().get("from-a-friend.toml") == QUICK
    monkeypatch.setenv("HOME", str(given))
    assert Presets().get("~/from-a-friend.toml") == QUICK
    with pytest.raises(PresetError, match=r"other\.toml: no such file"):
        Presets().get("./other.toml")


def test_a_name_goes_before_a_path() -> None:
    Presets().save(named("with / without"))
    assert Presets().get("with / without").name == "with / without"


def test_an_unknown_name_is_told_with_the_nearest() -> None:
    with pytest.raises(PresetError, match=r"Unknown preset “Quick”\. No presets are saved yet\."):
        Presets().get("Quick")
    Presets().save(QUICK)
    for ask in (Presets().get, Presets().remove):
        with pytest.raises(PresetError, match=r"Unknown preset “quick and cheep”\. Did you mean “Quick and cheap”"):
            ask("quick and cheep")


def test_two_files_of_one_name_are_not_chosen_between(tmp_path: Path) -> None:
    for file in ("one.toml", "two.toml"):
        written(tmp_path, file, QUICK_TOML)
    presets = Presets(tmp_path)
    for ask in (presets.get, presets.remove, lambda name: presets.save(named(name), replace=True)):
        with pytest.raises(PresetError, match=r"Several files .* \(one\.toml, two\.toml\)\. Remove all but one of"):
            ask(QUICK.name)
    assert presets.get(str(tmp_path / "one.toml")) == QUICK


def test_remove() -> None:
    path = Presets().save(QUICK)
    assert Presets().remove(QUICK.name) == path
    assert not path.exists()
    assert Presets().all() == ()


def test_rename() -> None:
    presets = Presets()
    old = presets.save(QUICK)
    presets.save(named("taken"))
    with pytest.raises(PresetError, match="Preset 'taken' already exists"):
        presets.rename(QUICK.name, "taken")
    assert presets.rename(QUICK.name, QUICK.name) == old
    new = presets.rename(QUICK.name, "Slow")
    assert (new.name, old.exists()) == ("slow.toml", False)
    renamed = presets.get("Slow")
    assert (renamed.selections, renamed.assumptions, renamed.note) == (QUICK.selections, QUICK.assumptions, QUICK.note)
    with pytest.raises(PresetError, match="Unknown preset “gone”"):
        presets.rename("gone", "here")


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    presets = Presets(tmp_path / "presets")
    presets.save(QUICK)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        for preset in (named("other"), named(QUICK.name, "new")):
            with pytest.raises(OSError, match="No space left"):
                presets.save(preset, replace=True)
    assert presets.all() == ((presets.folder / "quick-and-cheap.toml", QUICK, ""),)
    assert len(list(presets.folder.iterdir())) == 1


# -- what is given beside one -----------------------------------------------------------------------------------------


def test_what_is_given_goes_before_the_preset() -> None:
    given = QUICK.under(Selections(memory=True, tts="tts_1"), Assumptions(stt_seconds=Decimal(0)))
    assert given.selections == Selections(llm="mdla_4o", memory=True, tts="tts_1")
    assert given.assumptions == Assumptions(input_tokens=Decimal(1500), stt_seconds=Decimal(0))
    assert (given.name, given.note) == (QUICK.name, QUICK.note)


def test_a_pin_that_cannot_be_saved_is_called_a_pin(tmp_path: Path) -> None:
    with pytest.raises(PresetError, match=r"^The pin cannot be saved: "):
        PinFiles(tmp_path).save(Preset(name=""))
