"""The packaged rate card, and what is said of a user's file that cannot be used."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from chartui.core.estimation import card as card_module
from chartui.core.estimation.card import FREE, QUANTITIES, BadCard, RateCard, load_card
from chartui.core.estimation.estimator import Estimator
from chartui.core.spec.catalogue import KINDS, is_billed_by_provider, options
from chartui.core.spec.errors import ServiceError
from chartui.core.spec.operation import Tier

PACKAGED = Path(card_module.__file__).with_name("data") / "rate-card.toml"


@pytest.fixture
def edited(tmp_path: Path) -> EditedCard:
    return EditedCard(tmp_path / "my-card.toml")


class EditedCard:
    """A copy of the packaged file with one thing changed."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __call__(self, old: str, new: str) -> Path:
        text = PACKAGED.read_text("utf-8")
        assert text.count(old) >= 1, old
        self.path.write_text(text.replace(old, new, 1), "utf-8")
        return self.path


# -- the packaged card -------------------------------------------------------------------------------------------------


def test_it_prices_every_option_of_the_catalogue(card: RateCard) -> None:
    for kind in KINDS:
        assert list(card.options[kind]) == [option.key for option in options(kind)]
        for key, option in card.options[kind].items():
            costs_nothing = key in FREE[kind] or is_billed_by_provider(key)
            assert bool(option.rates) is not costs_nothing
            assert all(rate > 0 for rate in option.rates.values())
            assert (option.latency is None) is (key in FREE[kind])


def test_memory_and_knowledge_are_one_credit_each(card: RateCard) -> None:
    assert card.components["memory"].rates == card.components["knowledge"].rates == {"flat": 1}


def test_defaults_are_complete(card: RateCard) -> None:
    assert tuple(card.selections) == ("llm", "memory", "knowledge", "stt", "tts", "animation")
    assert dict(card.assumptions) == dict(zip(QUANTITIES, (4000, 150, 8, 10), strict=True))


def test_there_is_a_subscription_for_every_tier(card: RateCard) -> None:
    assert {one.tier for one in card.subscriptions} == {tier.value for tier in Tier}
    assert [one.monthly_credits for one in card.subscriptions] == sorted(
        one.monthly_credits for one in card.subscriptions
    )


def test_ratios_are_believable(card: RateCard) -> None:
    llm = card.options["llm"]
    for big, middle, small in (
        ("mdla_5_4", "mdla_5_4_mini", "mdla_5_4_nano"),
        ("mdla_4_1", "mdla_4_1_mini", "mdla_4_1_nano"),
    ):
        for rate in ("prompt_per_1k", "output_per_1k"):
            assert llm[big].rates[rate] > 2 * llm[middle].rates[rate] > 4 * llm[small].rates[rate]
    for stem in ("mdla_5_1", "mdlb_5_sonnet"):
        by_level = [llm[f"{stem}_{level}"] for level in ("none", "low", "medium", "high")]
        assert by_level == sorted(by_level, key=lambda option: (option.rates["output_per_1k"], option.latency))


def test_it_says_that_its_numbers_are_made_up() -> None:
    head = PACKAGED.read_text("utf-8").partition("format =")[0]
    assert "reference rates" in head
    assert "made up" in head


def test_it_is_read_once() -> None:
    assert load_card() is load_card()


# -- a user's file -----------------------------------------------------------------------------------------------------


def test_a_copy_of_the_packaged_file_is_the_same_card(card: RateCard, edited: EditedCard) -> None:
    assert load_card(edited("format", "format")) == card


def test_a_users_rates_labels_and_version_are_used(edited: EditedCard) -> None:
    edited("prompt_per_1k = 5.25", 'label = "Mine", prompt_per_1k = 6')
    text = edited.path.read_text().replace("[card]\nversion = 1", "[card]\nversion = 12")
    edited.path.write_text(text)
    body = Estimator(load_card(edited.path)).estimate({"selections": {"llm": "mdla_4o"}})
    assert body["rate_card"]["version"] == 12
    assert {line["key"]: line["credits"] for line in body["lines"]}["prompt"] == 24
    assert load_card(edited.path).options["llm"]["mdla_4o"].label == "Mine"


def test_an_option_that_the_card_lacks_is_no_valid_option(edited: EditedCard) -> None:
    path = edited("tts_1 = { per_second = 0.473, latency = { min = 240, max = 620 } }\n", "")
    estimator = Estimator(load_card(path))
    with pytest.raises(ServiceError) as caught:
        estimator.estimate({"selections": {"tts": "tts_1"}})
    assert caught.value.member == "tts"
    assert "tts_1_hd" in caught.value.message
    assert "tts_1" not in [entry["key"] for entry in estimator.options()["options"]["tts"]]


def test_an_option_beyond_the_catalogue_is_priced_and_comes_last(edited: EditedCard) -> None:
    path = edited(
        "[stt]", "new_live_1 = { prompt_per_1k = 1, audio_in_per_second = 2, audio_out_per_second = 3 }\n[stt]"
    )
    card = load_card(path)
    assert list(card.options["llm"])[-1] == "new_live_1"
    body = Estimator(card).estimate({"selections": {"llm": "new_live_1", "animation": "no_animation"}})
    assert [(line["key"], line["credits"]) for line in body["lines"] if line["key"].startswith("voice")] == [
        ("voice_input", 16),
        ("voice_output", 30),
    ]


def test_subscriptions_may_be_left_out(edited: EditedCard) -> None:
    edited("format", "format")
    edited.path.write_text(edited.path.read_text().partition("# Subscriptions")[0])
    assert load_card(edited.path).subscriptions == ()


@pytest.mark.parametrize(
    ("old", "new", "where", "problem"),
    [
        ('format = "chartui-rate-card"', 'format = "chartui-theme"', "format", "chartui-rate-card"),
        ("\nversion = 1\n", "\nversion = 2\n", "version", "must be 1"),
        ("\nversion = 1\n", '\nversion = 1\nowner = "me"\n', "owner", "Unknown key"),
        ("[card]\nversion = 1", "[card]\nversion = true", "card.version", "whole number"),
        ("[card]\nversion = 1", "[card]\nversion = -1", "card.version", "whole number"),
        ("effective_date = 2026-10-01", 'effective_date = "soon"', "card.effective_date", "a date"),
        ("effective_date = 2026-10-01", "effective_date = 2026-10-01T08:00:00", "card.effective_date", "a date"),
        ("effective_date = 2026-10-01", "", "card.effective_date", "missing"),
        ("prompt_per_1k = 5.25", "prompt_per_1K = 5.25", "llm.mdla_4o.prompt_per_1K", "Did you mean “prompt_per_1k”?"),
        ("prompt_per_1k = 5.25, ", "", "llm.mdla_4o.prompt_per_1k", "missing"),
        ("prompt_per_1k = 5.25", "prompt_per_1k = -1", "llm.mdla_4o.prompt_per_1k", "between 0"),
        ("prompt_per_1k = 5.25", "prompt_per_1k = nan", "llm.mdla_4o.prompt_per_1k", "between 0"),
        ("prompt_per_1k = 5.25", "prompt_per_1k = inf", "llm.mdla_4o.prompt_per_1k", "between 0"),
        ("prompt_per_1k = 5.25", "prompt_per_1k = true", "llm.mdla_4o.prompt_per_1k", "a number"),
        ("prompt_per_1k = 5.25", 'prompt_per_1k = "5"', "llm.mdla_4o.prompt_per_1k", "a number"),
        ("prompt_per_1k = 5.25", "prompt_per_1k = 1e7", "llm.mdla_4o.prompt_per_1k", "between 0"),
        ("prompt_per_1k = 5.25", "prompt_per_1k = 0.0000000001", "llm.mdla_4o.prompt_per_1k", "9 decimal places"),
        ("prompt_per_1k = 5.25", 'label = "", prompt_per_1k = 5.25', "llm.mdla_4o.label", "text"),
        ("min = 390, max = 960", "min = 961, max = 960", "llm.mdla_4o.latency", "min at most max"),
        ("min = 390, max = 960", "min = 390.5, max = 960", "llm.mdla_4o.latency", "whole numbers of milliseconds"),
        ("latency = { min = 390, max = 960 }", "latency = 390", "llm.mdla_4o.latency", "a table"),
        ("api_key = {", "api_key = { flat = 1,", "tts.external_tts_via_api_key.flat", "Unknown key"),
        ("[tts]\n", "[tts]\nno_tts = { per_second = 0 }\n", "tts.no_tts", "is free"),
        ("memory = { flat = 1 }", "memory = 1", "components.memory", "a table"),
        ("platform = { flat = 0.5 }", "", "components.platform", "missing"),
        ('llm = "mdlc_2_5_flash"', 'llm = "mdlc"', "defaults.selections.llm", "an option"),
        ('llm = "mdlc_2_5_flash"', "llm = 5", "defaults.selections.llm", "an option"),
        ("memory = true", 'memory = "yes"', "defaults.selections.memory", "true or false"),
        ("memory = true\n", "", "defaults.selections.memory", "missing"),
        ("inputTokens = 4000", "inputTokens = -1", "defaults.assumptions.inputTokens", "between 0"),
        ('tier = "free"', 'tier = "gold"', "subscriptions[0].tier", "free, professional, enterprise"),
        ("price = 0", 'price = "free"', "subscriptions[0].price", "a number"),
        ('label = "Starter"', "label = 1", "subscriptions[0].label", "text"),
        ("[animation]\n", "", "animation", "missing"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_file_and_place(
    edited: EditedCard, old: str, new: str, where: str, problem: str
) -> None:
    path = edited(old, new)
    with pytest.raises(BadCard) as caught:
        load_card(path)
    [mistake] = caught.value.mistakes
    assert mistake.message.startswith(f"{where}: ")
    assert problem in mistake.message
    assert str(caught.value) == f"{path}{f':{mistake.line}' if mistake.line else ''}: {mistake.message}"


@pytest.mark.parametrize(
    "data",
    [
        b"llm = [",
        b"\xff\xfe",
        b'format = "\x00"',
        b"a = " + b"[" * 100_000,
        b"a = 1e99999999999999999999999",
        b"a = 1\na = 2",
    ],
    ids=["cut short", "not UTF-8", "NUL", "nested", "exponent", "twice"],
)
def test_what_is_no_toml_is_refused_with_the_file(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "card.toml"
    path.write_bytes(data)
    with pytest.raises(BadCard, match=r"card\.toml"):
        load_card(path)


def test_a_file_without_an_end_is_no_card() -> None:
    with pytest.raises(OSError, match="larger than 1 MiB"):
        load_card(Path("/dev/zero"))


def test_an_empty_file_is_no_card(tmp_path: Path) -> None:
    path = tmp_path / "card.toml"
    path.touch()
    with pytest.raises(BadCard) as caught:
        load_card(path)
    assert str(caught.value).startswith(f"{path}: format: ")


def test_a_file_that_is_not_there_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_card(tmp_path / "none.toml")


def test_a_rate_may_have_nine_decimals(edited: EditedCard) -> None:
    card = load_card(edited("prompt_per_1k = 5.25", "prompt_per_1k = 0.000000001"))
    assert card.options["llm"]["mdla_4o"].rates["prompt_per_1k"] == Decimal("1e-9")
