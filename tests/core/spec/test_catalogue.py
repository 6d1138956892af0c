"""The option lists, the model codes, and the map between the two (C 2.1, decisions 3, 21 and section 5)."""

from __future__ import annotations

from collections import Counter

import pytest

from chartui.core.spec.catalogue import (
    KINDS,
    codes_for,
    counterpart,
    estimator_keys,
    is_billed_by_provider,
    is_realtime_key,
    key_at_level,
    key_without_code,
    model_code,
    model_codes,
    option,
    options,
    read_data,
)

KEYS = [entry.key for entry in options("llm")]
CODES = [entry.code for entry in model_codes()]
LEVELS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")


# -- options -----------------------------------------------------------------------------------------------------------


def test_there_are_as_many_options_as_specified() -> None:
    assert [len(options(kind)) for kind in KINDS] == [58, 5, 21, 2]
    for kind in KINDS:
        keys = [entry.key for entry in options(kind)]
        assert len(keys) == len(set(keys))


def test_options_keep_the_order_of_the_specification() -> None:
    assert (KEYS[0], KEYS[6], KEYS[-1]) == ("mdla_realtime_1_5", "mdle_4_20", "byo_mdla_compatible_endpoint")
    assert [entry.key for entry in options("stt")] == [
        "included_in_realtime",
        "stt_v2_vendora_real_time",
        "vendorb_3_streaming",
        "no_stt_input",
        "vendorc_stt_streaming",
    ]
    assert [entry.key for entry in options("tts")][:: len(options("tts")) - 1] == ["included_in_realtime", "no_tts"]
    assert [entry.key for entry in options("animation")] == ["no_animation", "service_neurosync"]


def test_every_option_has_a_label_of_its_own() -> None:
    for kind in KINDS:
        labels = [entry.label for entry in options(kind)]
        assert len(set(labels)) == len(labels)
        assert all(entry.label and entry.family for entry in options(kind))


def test_an_option_is_found_by_kind_and_key() -> None:
    found = option("tts", "mdla_4o_mini_tts")
    assert found is not None
    assert found.label == "MDLA 4o Mini TTS"
    assert option("llm", "mdla_4o_mini_tts") is None


def test_realtime_and_provider_billed_keys() -> None:
    assert [key for key in KEYS if is_realtime_key(key)] == [
        "mdla_realtime_1_5",
        "mdlc_2_5_flash_live",
        "mdla_realtime_mini",
    ]
    every = [entry.key for kind in KINDS for entry in options(kind)]
    assert [key for key in every if is_billed_by_provider(key)] == [
        "byo_mdla_compatible_endpoint",
        "external_tts_via_api_key",
    ]


@pytest.mark.parametrize("name", ["options.json", "models.json", "model-map.json"])
def test_every_data_file_says_what_it_is(name: str) -> None:
    data = read_data(name)
    assert data["format"].startswith("chartui-")
    assert data["version"] == 1


# -- models ------------------------------------------------------------------------------------------------------------


def test_there_are_as_many_models_as_specified() -> None:
    assert len(set(CODES)) == len(CODES) == 35
    assert Counter(entry.group for entry in model_codes()) == {
        "Realtime / live": 5,
        "Standard, family a": 14,
        "Standard, family b": 4,
        "Standard, family c": 6,
        "Standard, family f": 2,
        "Standard, family g": 3,
        "Standard, family e": 1,
    }


def test_flagship_and_beta_flags() -> None:
    assert [entry.code for entry in model_codes() if entry.flagship] == [
        "mdla-5.x",
        "mdla-5.x-nano",
        "mdla-5.x-mini",
        "mdlb-sonnet",
        "mdlb-haiku",
        "mdlc-flash",
        "mdlc-flash-lite",
    ]
    beta = {entry.code for entry in model_codes() if entry.beta}
    assert beta == {entry.code for entry in model_codes() if entry.live} | {
        "mdla-oss-120b",
        "mdla-5.1",
        "mdlb-4-5-sonnet",
        "mdlb-4-5-haiku",
        "mdlf3.6-27b",
        "mdlf3.6-35b-a3b",
        "mdlg-4-maverick",
        "mdlg-4-scout",
    }
    assert all(entry.label.endswith(" (beta)") == entry.beta for entry in model_codes())
    assert len({entry.label for entry in model_codes()}) == 35


@pytest.mark.parametrize(
    ("codes", "levels", "auto", "default"),
    [
        ("mdla-5.4 mdla-5.x", "none low medium high xhigh", True, "medium"),
        ("mdla-5.1 mdla-5.4-mini mdla-5.4-nano mdla-5.x-mini mdla-5.x-nano", "none low medium high", True, "medium"),
        ("mdla-oss-120b", "low medium high", False, "medium"),
        ("mdlb-4-5-sonnet mdlb-4-5-haiku mdlb-haiku", "none low medium high", True, None),
        ("mdlb-sonnet", "none low medium high max", True, None),
        ("mdlc-3.5-flash mdlc-flash mdlc-3.1-flash-lite mdlc-flash-lite", "minimal low medium high", True, "low"),
        ("mdle-4.3", "low high", False, None),
    ],
)
def test_reasoning_levels(codes: str, levels: str, auto: bool, default: str | None) -> None:
    for code in codes.split():
        entry = model_code(code)
        assert entry is not None
        assert entry.reasoning is not None
        assert entry.reasoning == (tuple(levels.split()), auto, default)
        assert entry.reasoning.accepted == (*levels.split(), *(["auto"] if auto else []))


def test_other_models_take_no_level() -> None:
    without = [entry for entry in model_codes() if entry.reasoning is None]
    assert len(without) == 35 - 17
    assert all(entry.reasoning is None for entry in model_codes() if entry.live)


def test_levels_go_from_least_to_most() -> None:
    for entry in model_codes():
        if entry.reasoning:
            assert list(entry.reasoning.levels) == sorted(entry.reasoning.levels, key=LEVELS.index)
            assert entry.reasoning.default in (None, *entry.reasoning.levels)


def test_an_unknown_code_is_no_error() -> None:
    assert model_code("my-own-model") is None
    assert counterpart("my-own-model") is None
    assert estimator_keys("my-own-model") == {}


# -- the map -----------------------------------------------------------------------------------------------------------


def test_every_code_and_every_key_stands_in_the_map_exactly_once() -> None:
    data = read_data("model-map.json")
    paired_codes = dict.fromkeys(pair["code"] for pair in data["pairs"])
    codes = [*paired_codes, *(entry["code"] for entry in data["codes_without_key"])]
    keys = [pair["key"] for pair in data["pairs"]] + [entry["key"] for entry in data["keys_without_code"]]
    assert sorted(codes) == sorted(CODES)
    assert sorted(keys) == sorted(KEYS)
    assert (len(paired_codes), len(data["pairs"])) == (27, 36)
    assert (len(data["codes_without_key"]), len(data["keys_without_code"])) == (8, 22)
    assert len({(pair["code"], pair.get("level")) for pair in data["pairs"]}) == 36


def test_every_row_has_its_reason() -> None:
    for code in CODES:
        entry = counterpart(code)
        assert entry is not None
        assert entry.reason
    for key in KEYS:
        assert bool(key_without_code(key)) is not bool(codes_for(key))


def test_the_map_reads_the_same_both_ways() -> None:
    for code in CODES:
        for level, key in estimator_keys(code).items():
            assert codes_for(key) == ((code, level),)


@pytest.mark.parametrize(
    ("code", "key"),
    [
        ("mdla-realtime-1.5", "mdla_realtime_1_5"),
        ("mdlc-2.5-flash-live", "mdlc_2_5_flash_live"),
        ("mdlc-2.5-flash", "mdlc_2_5_flash"),
        ("mdla-4o", "mdla_4o"),
        ("mdla-4o-mini", "mdla_4o_mini"),
        ("mdlg3-70b", "mdlg3_70b"),
        ("mdle-4.3", "mdle_4_3"),
        ("mdlb-4-5-haiku", "mdlb_haiku_4_5"),
        ("mdlf3.6-27b", "mdlf_3_6_27b"),
        ("mdlf3.6-35b-a3b", "mdlf_3_6_35b_a3b"),
        ("realtime-mdld-4-31b-it", "mdld_4_31b_fast"),
        ("realtime-mdld-4-26b-a4b-it", "mdld_4_26b_a4b_fast"),
    ],
)
def test_single_counterparts(code: str, key: str) -> None:
    assert estimator_keys(code) == {None: key}


@pytest.mark.parametrize("code", ["mdla-5.1", "mdlc-3.5-flash", "mdlc-3.1-flash-lite"])
def test_three_codes_are_priced_by_level(code: str) -> None:
    entry = model_code(code)
    assert entry is not None
    assert entry.reasoning is not None
    stem = code.replace("-", "_").replace(".", "_")
    assert estimator_keys(code) == {level: f"{stem}_{level}" for level in entry.reasoning.levels}


def test_two_matches_are_assumed() -> None:
    assumed = [code for code in CODES if (entry := counterpart(code)) and entry.assumed]
    assert assumed == ["realtime-mdld-4-31b-it", "realtime-mdld-4-26b-a4b-it"]
    # Live codes whose keys are billed as text: the rule for keys must never be asked of a code (decision 3).
    assert not any(is_realtime_key(key) for code in assumed for key in estimator_keys(code).values())


def test_an_alias_offers_candidates_and_picks_none() -> None:
    for entry in model_codes():
        found = counterpart(entry.code)
        assert found is not None
        assert bool(found.candidates) is entry.flagship
        assert set(found.candidates) <= set(KEYS)
        if entry.flagship:
            assert found.keys == {}
            assert key_at_level(entry.code, None) is None


@pytest.mark.parametrize(
    ("code", "level", "key"),
    [
        ("mdla-5.1", "high", "mdla_5_1_high"),
        ("mdla-5.1", None, None),
        ("mdla-5.1", "auto", None),
        ("mdla-5.1", "minimal", None),
        ("mdla-5.4", "low", "mdla_5_4"),
        ("mdla-5.4", None, "mdla_5_4"),
        ("mdla-5.4", "xhigh", None),
        ("mdla-5.3-instant", None, None),
        ("my-own-model", "low", None),
    ],
)
def test_a_level_is_priced_by_its_key_or_not_at_all(code: str, level: str | None, key: str | None) -> None:
    assert key_at_level(code, level) == key


def test_the_own_endpoint_fits_a_code_of_the_account() -> None:
    assert "registered itself" in (key_without_code("byo_mdla_compatible_endpoint") or "")
    assert key_without_code("mdla_4o") is None
    assert codes_for("mdla_4o_mini_tts") == ()
