"""What the page about tours says is so."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from chartui.demos.tour import Service, Step, Tour
from chartui.demos.tour_file import find_tour, read_tour, shipped_tours
from chartui.tui.touring.run import recorded

PAGE = (Path(__file__).parents[3] / "docs" / "tours.md").read_text(encoding="utf-8")


def test_the_example_plays(tmp_path: Path) -> None:
    [example] = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    path = tmp_path / "models.toml"
    path.write_text(example, encoding="utf-8")
    assert [picture.name for picture in recorded(read_tour(path))] == ["rank", "found"]


def test_all_there_is_to_a_tour_is_described() -> None:
    members = {field.name for field in (*fields(Tour), *fields(Step))} - {"name", "steps", "actions"} | {"keys"}
    assert {name for name in members if f"| `{name}` |" not in PAGE} == set()
    assert {how for how in Service if f'`"{how}"`' not in PAGE} == set()


def test_every_tour_is_in_the_table() -> None:
    assert set(re.findall(r"^\| `([a-z-]+)` \| [^|]{20,} \|$", PAGE, re.MULTILINE)) >= set(shipped_tours())
    assert all(find_tour(name).about for name in shipped_tours())
