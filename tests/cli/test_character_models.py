"""``chartui characters models``: what a character can be given, and what it would cost with each."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from chartui.core.jsontext import dumps
from chartui.core.spec.catalogue import model_codes
from chartui.core.spec.errors import ErrorKind, ServiceError

from .conftest import Run, Scripted

Golden = Callable[[str, str], None]
Install = Callable[..., Scripted]


def test_without_a_character_there_are_no_prices(run: Run, golden: Golden, demo_ids: dict[str, str]) -> None:
    result = run("characters", "models")
    assert (result.status, result.err) == (0, "")
    golden("characters-models.txt", result.out)
    found = run("characters", "models", "--json").value
    assert found["current"] is None
    assert [model["model_group_name"] for model in found["models"]] == [model.code for model in model_codes()]
    assert "credits" not in found["models"][0]


TOKENS = "267 input tokens, estimated from the texts (backstory 188, prompt 26, objective 40, scene 13)."


def test_of_a_character_each_has_its_price(run: Run, golden: Golden, demo_ids: dict[str, str]) -> None:
    elena = demo_ids["Elena Marsh"]
    result = run("characters", "models", elena)
    assert (result.status, result.err) == (0, f"Costs are per interaction with default inputs. {TOKENS}\n")
    golden("characters-models-of-one.txt", result.out)
    as_json = run("characters", "models", elena, "--json")
    golden("characters-models-of-one.json", as_json.out)
    found = as_json.value
    assert (found["from_service"], found["current"]) == (True, "mdla-5.1")
    [present] = [model for model in found["models"] if model["model_group_name"] == "mdla-5.1"]
    cost = run("estimate", "--character", elena, "--json").value
    [estimate] = cost["estimates"]
    assert present["credits"] == {"min": estimate["totals"]["credits"], "max": estimate["totals"]["credits"]}
    assert present["latency_ms"] == estimate["latency_ms"]


def test_a_model_that_no_list_has_is_among_them(run: Run, demo_ids: dict[str, str]) -> None:
    nova = demo_ids["Nova Adeyemi"]
    found = run("characters", "models", nova, "--json").value
    [own] = [model for model in found["models"] if model["group"] == "Other"]
    assert own["model_group_name"] == found["current"] == "crew-trainer-8b"
    assert own["credits"] is None
    assert "“crew-trainer-8b” is not in the catalogue." in own["unknown_reason"]
    [line] = [line for line in run("characters", "models", nova).out.splitlines() if "crew-trainer-8b" in line]
    assert line.split() == ["›", "Other", "crew-trainer-8b", "unlisted", "unknown", "unknown", "unknown"]


def test_a_service_says_what_it_has_and_the_rates_say_what_they_are(run: Run, scripted: Install) -> None:
    entries = [
        {"model_group_name": "mdla-4o", "display_name": "Four", "is_deprecated": True},
        {"model_group_name": "own", "reasoning": {"levels": ["low"], "supports_auto": True}},
    ]
    record = {
        "character_id": "c1",
        "personalised_prompt_config": {"MODEL": "own"},
        "memory_settings": {"enabled": True},
    }
    scripted(embedded=False, list_models={"STATUS": dumps(entries)}, list_characters={"characters": [record]})
    found = run("characters", "models", "c1", "--json").value
    assert [model["model_group_name"] for model in found["models"]] == ["mdla-4o", "own"]
    assert found["models"][0]["is_deprecated"] is True
    assert found["models"][0]["credits"]["min"] > Decimal(0)
    assert found["models"][1]["reasoning"] == {"levels": ["low"], "supports_auto": True, "default": None}


def test_without_the_tier_the_catalogue_stands_in_and_says_so(run: Run, scripted: Install) -> None:
    scripted(embedded=False, list_models=ServiceError(ErrorKind.TIER, "A professional account is needed."))
    result = run("characters", "models")
    assert result.status == 0
    assert "This account cannot list the service's models. The models shown are from the catalogue." in result.err
    assert run("characters", "models", "--json").value["from_service"] is False


@pytest.mark.parametrize(
    ("kind", "status"), [(ErrorKind.UNREACHABLE, 3), (ErrorKind.BAD_KEY, 4)], ids=["unreachable", "key"]
)
def test_any_other_failure_is_one(run: Run, scripted: Install, kind: ErrorKind, status: int) -> None:
    scripted(embedded=False, list_models=ServiceError(kind, "No."))
    assert run("characters", "models").status == status


def test_a_character_that_is_not_there(run: Run, demo_ids: dict[str, str]) -> None:
    result = run("characters", "models", "nobody")
    assert (result.status, result.out) == (3, "")
    assert "“nobody”" in result.err
