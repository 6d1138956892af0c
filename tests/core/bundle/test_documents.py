"""The page about bundles shows a file as the program writes it, and says what may stand in one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from chartui.core.bundle.difference import Verdict
from chartui.core.bundle.model import MEMBERS
from chartui.core.bundle.reader import read_bundle
from chartui.core.bundle.writer import bundle_text

PAGE = (Path(__file__).parents[3] / "docs" / "bundles.md").read_text(encoding="utf-8")


def test_the_example_is_what_the_program_writes() -> None:
    [example] = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert bundle_text(read_bundle(example)) == example


@pytest.mark.parametrize("word", [*MEMBERS, "narrative", "start", "unread", "also", *map(str, Verdict)])
def test_everything_is_named(word: str) -> None:
    assert re.search(rf"`{word}`|^{word} = ", PAGE, re.MULTILINE)
