"""The user's own table: read with its mistakes told, written whole, and never against the map."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chartui.core.estimation.pins import Pins, change_pins, load_pins, why_not_pinned
from chartui.core.paths import pins_path
from chartui.core.spec.catalogue import estimator_keys, model_codes

HEAD = 'format = "chartui-pins"\nversion = 1\n'
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200)


def written(text: str) -> Path:
    path = pins_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_without_a_file_nothing_is_pinned() -> None:
    assert load_pins() == Pins()


def test_what_is_written_is_read() -> None:
    pins = Pins().with_model("mdlc-flash", "mdlc_3_7_flash_low").with_voice("English UK, warm, female 2", "tts_1_hd")
    change_pins(lambda _: pins)
    assert load_pins() == pins
    assert pins_path().stat().st_mode & 0o077 == 0
    change_pins(lambda pins: pins.with_model("mdlc-flash", None).with_voice("English UK, warm, female 2", None))
    assert load_pins() == Pins()


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(st.dictionaries(names.filter(lambda name: not why_not_pinned(name)), names), st.dictionaries(names, names))
def test_any_text_comes_back_as_it_was(models: dict[str, str], voices: dict[str, str]) -> None:
    pins = Pins(models=models, voices=voices)
    change_pins(lambda _: pins)
    assert load_pins() == pins


@pytest.mark.parametrize("code", [m.code for m in model_codes()])
def test_only_a_code_without_a_key_can_be_pinned(code: str) -> None:
    assert bool(why_not_pinned(code)) == bool(estimator_keys(code))


def test_a_code_that_nobody_knows_can_be_pinned() -> None:
    assert why_not_pinned("our-own-13b") == ""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("format = 3", 'the file must start with: format = "chartui-pins".'),
        ('format = "chartui-pins"\nversion = 2', "version 2 is not supported; this program reads version 1."),
        ("[models", "not TOML"),
        (HEAD + "models = 3", "models must be a table."),
        (HEAD + "[modells]", "Unknown key “modells” in the file. Did you mean “models”?"),
        (HEAD + '[voices]\n"soft" = 3', 'voices."soft" must be an estimator option, as text.'),
        (HEAD + '[voices]\n"soft" = ""', 'voices."soft" must be between 1 and 200 characters long'),
        (
            HEAD + '[models]\nmdla-4o = "mdla_4o_mini"',
            "'mdla-4o' needs no pin, because the estimator prices it as mdla_4o.",
        ),
    ],
)
def test_a_mistake_is_told_with_its_place(text: str, told: str) -> None:
    path = written(text)
    [problem] = load_pins().problems
    assert re.match(rf"{re.escape(str(path))}:[0-9]+: ", problem)
    assert told in problem


def test_what_is_right_counts_beside_what_is_wrong() -> None:
    written(HEAD + '[models]\nmdla-4o = "x"\nmdlb-haiku = "mdlb_haiku_4_5"\n[voices]\n"a" = 1\n"b" = "tts_1"\n')
    pins = load_pins()
    assert (dict(pins.models), dict(pins.voices)) == ({"mdlb-haiku": "mdlb_haiku_4_5"}, {"b": "tts_1"})
    assert len(pins.problems) == 2
