"""What is written about the rules holds; ``UPDATE_GOLDEN=1`` writes their table anew."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from chartui.core.config import config_path, load_config
from chartui.core.narrative.lint import RULES, PlaceKind, switched_off

PAGE = Path(__file__).parents[3] / "docs" / "narrative-lint.md"


def test_every_rule_is_named() -> None:
    rows = "".join(f"| `{rule.id}` | {rule.severity.value} | {rule.why} |\n" for rule in RULES.values())
    text = PAGE.read_text(encoding="utf-8")
    table = r"(\| rule \| severity \| why \|\n\|---\|---\|---\|\n)(?:\|.*\n)*"
    made = re.sub(table, lambda head: head[1] + rows, text)
    if os.environ.get("UPDATE_GOLDEN"):
        PAGE.write_text(made, encoding="utf-8")
        pytest.skip("written")
    assert text == made


def test_every_kind_of_place_is_named() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert {kind for kind in PlaceKind if f"`{kind}`" not in text} == set()


def test_the_settings_that_are_shown_have_nothing_wrong() -> None:
    [block] = re.findall(r"^```toml\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    config_path().parent.mkdir()
    config_path().write_text(block)
    config = load_config()
    assert config.problems == ()
    assert switched_off(config.lint_off) == ({"ending": "All three endings are intended."}, ())
