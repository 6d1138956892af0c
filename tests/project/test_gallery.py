"""The page of pictures shows every picture of every tour, with what the tour says of it."""

from __future__ import annotations

import os

import pytest

from chartui.demos.tour_file import PICTURES, find_tour, shipped_tours

from .pages import DOCS, kept, made_parts, with_parts

GALLERY = DOCS / "gallery.md"


def pictures_of(words: str) -> str | None:
    """The pictures of the tour that a made part names, each below its caption; None for another part."""
    kind, *names = words.split()
    if kind != "tour":
        return None
    folder = PICTURES.relative_to(DOCS)
    return "\n".join(
        f"{step.caption}\n\n![{step.caption}]({folder}/{name}/{step.picture}.svg)\n"
        for name in names
        for step in find_tour(name).steps
        if step.picture
    )


def test_the_gallery_is_made_from_the_tours() -> None:
    made = with_parts(GALLERY.read_text(encoding="utf-8"), pictures_of)
    if os.environ.get("UPDATE_GOLDEN"):
        kept(GALLERY, made)
    assert GALLERY.read_text(encoding="utf-8") == made


@pytest.mark.parametrize("tour", shipped_tours())
def test_every_tour_has_its_place_in_the_gallery(tour: str) -> None:
    assert f"tour {tour}" in made_parts(GALLERY.read_text(encoding="utf-8"))
