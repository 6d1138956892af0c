"""What the page about tours says is so."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from chartui.demos.tour import Service, Step, Tour
from chartui.demos.tour_file import find_tour, read_tour, shipped_tours
from chartui.tui.tour.run import recorded
from tests.project.pages import kept, made_parts, with_parts

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "tours.md").read_text(encoding="utf-8")


def test_the_example_plays(tmp_path: Path) -> None:
    [example] = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    path = tmp_path / "models.toml"
    path.write_text(example, encoding="utf-8")
    assert [picture.name for picture in recorded(read_tour(path))] == ["rank", "found"]


def test_all_there_is_to_a_tour_is_described() -> None:
    members = {field.name for field in (*fields(Tour), *fields(Step))} - {
        "name",
        "file",
        "steps",
        "actions",
        "more_sizes",
    } | {"keys"}
    assert {name for name in members if f"| `{name}` |" not in PAGE} == set()
    assert {how for how in Service if f'`"{how}"`' not in PAGE} == set()


def test_every_tour_is_in_the_table() -> None:
    assert set(re.findall(r"^\| `([a-z-]+)` \| [^|]{20,} \|$", PAGE, re.MULTILINE)) >= set(shipped_tours())
    assert all(find_tour(name).about for name in shipped_tours())


def storyboard(words: str) -> str | None:
    """A tour as it is shown on a page: what is said, and what is seen then."""
    kind, _, name = words.partition(" ")
    if kind != "tour":
        return None
    tour = find_tour(name)
    parts = [f"## {tour.title}", tour.about]
    for step in tour.steps:
        if step.caption:
            parts.append(step.caption)
        if step.picture:
            parts.append(f"![{step.caption or parts[-1]}](pictures/{name}/{step.picture}.svg)")
    return "\n\n".join(parts) + "\n"


def test_the_look_at_it_is_made_of_the_tours() -> None:
    """``UPDATE_GOLDEN=1`` writes it."""
    path = DOCS / "showcase.md"
    text = path.read_text(encoding="utf-8")
    made = with_parts(text, storyboard)
    assert kept(path, made) == made
    assert {words.partition(" ")[2] for words in made_parts(text)} == {
        name for name in shipped_tours() if find_tour(name).pictures
    }
