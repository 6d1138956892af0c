"""``rates pin-model`` and ``rates pin-voice``: the user's own table, from the command line."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chartui.core.estimation.pins import load_pins
from chartui.core.paths import pins_path

from .conftest import Run

Golden = Callable[[str, str], None]


def test_an_alias_is_pinned_shown_and_let_go(run: Run) -> None:
    pinned = run("rates", "pin-model", "mdlc-flash", "mdlc_3_7_flash_low")
    assert (pinned.status, pinned.out) == (0, "")
    assert "mdlc-flash: now priced as mdlc_3_7_flash_low, in every profile" in pinned.err
    assert load_pins().models == {"mdlc-flash": "mdlc_3_7_flash_low"}
    assert run("rates", "pin-model", "--json").value == {"mdlc-flash": "mdlc_3_7_flash_low"}
    assert "mdlc-flash → mdlc_3_7_flash_low" in run("rates", "show").out
    assert run("rates", "show", "--json").value["pins"]["models"] == {"mdlc-flash": "mdlc_3_7_flash_low"}
    assert run("rates", "pin-model", "mdlc-flash", "--clear").status == 0
    assert load_pins().models == {}
    assert "nothing to change" in run("rates", "pin-model", "mdlc-flash", "--clear").err


def test_a_voice_is_named_under_the_lock(run: Run) -> None:
    """The table is the user's own, and no data of a service."""
    named = run("rates", "pin-voice", "English UK, warm, female 2", "tts_1_hd", "--read-only", "--json")
    assert (named.status, named.value) == (0, {"name": "English UK, warm, female 2", "key": "tts_1_hd"})
    assert load_pins().voices == {"English UK, warm, female 2": "tts_1_hd"}
    assert "billed as tts_1_hd" in run("rates", "pin-voice", "English UK, warm, female 2").out
    assert run("rates", "pin-voice").out.splitlines()[1].split() == [
        "English",
        "UK,",
        "warm,",
        "female",
        "2",
        "tts_1_hd",
    ]


@pytest.mark.parametrize(
    "words", ["pin-model mdlb-sonnet", "pin-model our-own-13b", "pin-model mdla-5.3-instant", "pin-voice soft"]
)
def test_what_there_is_to_choose_from(words: str, run: Run, golden: Golden) -> None:
    result = run("rates", *words.split())
    assert result.status == 0
    golden(f"rates-{words.replace(' ', '-')}.txt", result.out)


def test_what_there_is_to_choose_from_as_json(run: Run) -> None:
    found = run("rates", "pin-model", "mdlb-haiku", "--json").value
    assert (found["name"], found["key"]) == ("mdlb-haiku", None)
    [candidate] = found["candidates"]
    alone = run("estimate", "--llm", "mdlb_haiku_4_5", "--json").value
    assert (candidate["key"], candidate["credits"]) == ("mdlb_haiku_4_5", alone["totals"]["credits"])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("pin-model mdla-4o mdla_4_1", "'mdla-4o' needs no pin, because the estimator prices it as mdla_4o"),
        ("pin-model mdlc-flash mdlc_3_7_flash_lwo", "Unknown model “mdlc_3_7_flash_lwo”"),
        ("pin-voice soft mdla_4o", "“mdla_4o” is only the start of"),
        ("pin-model mdlc-flash mdlc_3_7_flash_low --clear", "--clear takes the name of a pin and nothing else"),
        ("pin-model --clear", "--clear takes the name of a pin and nothing else"),
    ],
)
def test_what_is_not_taken(words: str, told: str, run: Run) -> None:
    result = run("rates", *words.split())
    assert (result.status, result.out) == (2, "")
    assert told in result.err
    assert not pins_path().exists()


def test_an_option_that_only_the_card_has_is_taken(run: Run, tmp_path_factory: pytest.TempPathFactory) -> None:
    from pathlib import Path

    from chartui.core.estimation import card

    packaged = (Path(card.__file__).with_name("data") / "rate-card.toml").read_text()
    own = tmp_path_factory.mktemp("card") / "card.toml"
    own.write_text(packaged + "\n[llm.our_own_13b]\nprompt_per_1k = 0.1\noutput_per_1k = 0.2\n")
    assert run("rates", "pin-model", "our-own-13b", "our_own_13b").status == 2
    assert run("rates", "pin-model", "our-own-13b", "our_own_13b", "--rate-card", str(own)).status == 0


def test_a_table_with_a_mistake_is_not_written_over(run: Run) -> None:
    pins_path().parent.mkdir(parents=True)
    pins_path().write_text('format = "chartui-pins"\nversion = 1\n[modells]\n')
    assert "Unknown key “modells”" in run("rates", "show").err
    result = run("rates", "pin-model", "mdlc-flash", "mdlc_3_7_flash_low", "--json")
    assert (result.status, result.error["code"]) == (2, "configuration")
    assert "[modells]" in pins_path().read_text()


def test_a_name_that_no_file_can_hold(run: Run) -> None:
    result = run("rates", "pin-voice", "a\udce4b", "tts_1")
    assert (result.status, result.out) == (2, "")
    assert not pins_path().exists()
