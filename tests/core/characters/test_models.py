"""The models to choose from: what the service says goes before the catalogue, which adds what no service tells."""

from __future__ import annotations

import pytest

from chartui.core.characters.models import UNLISTED, from_catalogue, from_service, model_wire
from chartui.core.spec.catalogue import model_codes
from chartui.core.spec.models.characters import ModelEntry, Reasoning


def test_the_catalogue_gives_group_and_flagship_and_the_service_the_rest() -> None:
    entry = ModelEntry(model_group_name="mdla-5.x", display_name="Newest (Beta)", is_deprecated=True, is_active=True)
    [model] = from_service([entry]).all
    assert (model.group, model.flagship, model.beta) == ("Standard, family a", True, True)
    assert model.marks == ("deprecated", "flagship", "beta")
    assert not model.reasoning.accepted  # the catalogue has levels, and the service says that there are none


@pytest.mark.parametrize(
    ("name", "beta"),
    [("Fast (beta)", True), ("BETA fast", True), ("Alphabeta", False), ("Betamax", False), ("MDLA 5.1", False)],
)
def test_beta_is_what_the_display_name_says(name: str, beta: bool) -> None:
    [model] = from_service([ModelEntry(model_group_name="mdla-5.1", display_name=name)]).all
    assert model.beta is beta


def test_without_a_display_name_the_catalogue_has_one() -> None:
    known, own = from_service([ModelEntry(model_group_name="mdla-5.1"), ModelEntry(model_group_name="own")]).all
    assert (known.label, known.beta) == ("MDLA 5.1 (beta)", True)
    assert (own.label, own.group, own.flagship) == ("own", UNLISTED, False)


def test_groups_are_in_the_catalogues_order_and_unknown_codes_in_one_of_their_own() -> None:
    entries = [
        ModelEntry(model_group_name="own-2", is_active=False),
        ModelEntry(model_group_name="mdle-4.3"),
        ModelEntry(model_group_name="own-1"),
        ModelEntry(model_group_name="mdla-5.4", is_deprecated=True),
        ModelEntry(model_group_name="mdla-5.1"),
        ModelEntry(model_group_name="mdla-5.1"),  # said twice
    ]
    grouped = [(group, [model.code for model in found]) for group, found in from_service(entries).grouped()]
    assert grouped == [
        ("Standard, family a", ["mdla-5.1", "mdla-5.4"]),
        ("Standard, family e", ["mdle-4.3"]),
        (UNLISTED, ["own-1", "own-2"]),
    ]


def test_the_catalogue_is_grouped_whole() -> None:
    grouped = from_catalogue().grouped()
    assert [model.code for _, found in grouped for model in found] == [model.code for model in model_codes()]
    assert len(grouped) == 7


def test_what_speaks_against_a_model_is_said_and_keeps_nobody_from_it() -> None:
    entries = [
        ModelEntry(model_group_name="a", is_active=False, is_deprecated=True),
        ModelEntry(model_group_name="b", is_deprecated=True),
        ModelEntry(model_group_name="c"),
    ]
    doubts = [model.doubt for model in from_service(entries).all]
    assert doubts == [
        "The service lists a as inactive and may reject it.",
        "b is deprecated. The service may retire this model.",
        "",
    ]


def test_a_model_as_json() -> None:
    reasoning = Reasoning(levels=["low", "high"], supports_auto=False)
    own = ModelEntry(model_group_name="own", reasoning=reasoning, is_active=False)
    with_levels, without = from_service([own, ModelEntry(model_group_name="mdla-4o")]).all
    assert model_wire(with_levels) == {
        "model_group_name": "own",
        "display_name": "own",
        "group": UNLISTED,
        "flagship": False,
        "beta": False,
        "is_active": False,
        "is_deprecated": False,
        "reasoning": {"levels": ["low", "high"], "supports_auto": False, "default": None},
    }
    assert model_wire(without)["reasoning"] is None
