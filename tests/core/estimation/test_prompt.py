"""Input tokens are estimated from the texts that can be read, and the others are named."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from chartui.core.estimation.card import BadCard, load_card, write_card
from chartui.core.estimation.prompt import InputTokens, Prompt, PromptPart, prompt_of, tokens_as_wire
from chartui.core.estimation.source import Source


def prompt(
    backstory: int | None = 400,
    text: int | None = 41,
    objective: int | None = 0,
    scene: int | None = None,
    actions: int = 0,
) -> Prompt:
    return prompt_of(
        backstory=backstory,
        backstory_from=Source.RECORD,
        prompt=text,
        objective=objective,
        scene=scene,
        actions=actions,
    )


def test_the_parts_together_are_rounded_up_once() -> None:
    tokens = InputTokens(prompt(objective=10, scene=10))
    assert (tokens.number, tokens.at_least) == (116, False)
    assert tokens.told("Ada") == (
        "116 input tokens, estimated from the texts of Ada (backstory 100, prompt 11, objective 2, scene 3)."
    )


@pytest.mark.parametrize("per_token", [4, Decimal("3.5")])
@pytest.mark.parametrize("lengths", [(749, 101, 161, 0), (1, 1, 1, 1), (5, 0, 5, 5)])
def test_the_parts_add_up_to_the_number(lengths: tuple[int, int, int, int], per_token: int | Decimal) -> None:
    backstory, prompt, objective, scene = lengths
    whole = prompt_of(
        backstory=backstory, backstory_from=Source.RECORD, prompt=prompt, objective=objective, scene=scene, actions=9
    )
    tokens = InputTokens(whole, per_token)
    assert sum(tokens.each) == tokens.number


def test_a_text_that_cannot_be_read_is_named_and_the_number_is_a_lower_limit() -> None:
    tokens = InputTokens(prompt(backstory=None, objective=None))
    assert tokens.told() == (
        "At least 11 input tokens, estimated from the texts (prompt 11). "
        "Not included (unreadable): backstory, objective."
    )
    wire = tokens_as_wire(tokens)
    assert (wire["number"], wire["estimated"], wire["at_least"]) == (11, True, True)


def test_a_scene_composed_here_replaces_the_actions_of_the_record() -> None:
    assert InputTokens(prompt(actions=40)).parts_text == "backstory 100, prompt 11, scene 10"
    assert InputTokens(prompt(actions=40, scene=0)).parts_text == "backstory 100, prompt 11"


def test_a_staged_backstory_replaces_one_that_cannot_be_read() -> None:
    staged = prompt(backstory=None).with_part(PromptPart("backstory", 8, Source.STAGED))
    assert InputTokens(staged).number == 13
    assert staged.unread == ()
    assert [part.text for part in staged.parts] == ["backstory", "prompt", "objective", "scene"]


def test_without_a_text_of_the_character_nothing_is_proposed() -> None:
    assert not prompt(backstory=None, text=None, scene=500).readable


def card_with(folder: Path, number: str) -> Path:
    path = folder / "card.toml"
    write_card(load_card(), path)
    path.write_text(path.read_text().replace("[card]\n", f"[card]\nchars_per_token = {number}\n", 1))
    return path


def test_a_card_may_have_its_own_number(tmp_path: Path) -> None:
    card = load_card(card_with(tmp_path, "3.5"))
    assert card.chars_per_token == Decimal("3.5")
    write_card(card, tmp_path / "again.toml")
    assert load_card(tmp_path / "again.toml") == card
    assert load_card().chars_per_token == 4


@pytest.mark.parametrize("number", ["0", "-1", "1000", '"4"', "true"])
def test_a_number_that_is_no_ratio_is_refused(number: str, tmp_path: Path) -> None:
    with pytest.raises(BadCard, match=r"card\.chars_per_token"):
        load_card(card_with(tmp_path, number))
