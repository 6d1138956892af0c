"""The page about bundles shows a file as the program writes it, and says what may stand in one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from chartui.core.bundle.difference import Verdict
from chartui.core.bundle.model import MEMBERS
from chartui.core.bundle.reader import read_bundle
from chartui.core.bundle.writer import bundle_text, section_text
from chartui.core.spec.models.narrative import Section
from chartui.core.spec.shape import build

PAGE = (Path(__file__).parents[3] / "docs" / "bundles.md").read_text(encoding="utf-8")


def test_the_example_is_what_the_program_writes() -> None:
    whole, part = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    bundle = read_bundle(whole)
    assert bundle_text(bundle) == whole
    gate = bundle.story.sections["gate"]
    first = [dict(one.raw) for one in (gate.decisions or ())[:1]]
    assert section_text(build(Section, {**gate.raw, "decisions": first})) == part


@pytest.mark.parametrize("word", [*MEMBERS, "narrative", "start", "unread", "also", *map(str, Verdict)])
def test_everything_is_named(word: str) -> None:
    assert re.search(rf"`{word}`|^{word} = ", PAGE, re.MULTILINE)
