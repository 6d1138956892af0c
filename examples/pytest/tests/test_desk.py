"""The ferry desk, driven from code: for checks that need more than a list of texts."""

import tomllib
from pathlib import Path

import pytest

from chartui.testing.drive import OpenTour

BUNDLE = Path(__file__).parents[1] / "characters" / "ferry-desk.toml"


@pytest.mark.parametrize("columns", [80, 120])
def test_every_section_is_in_the_outline(chartui_tour: OpenTour, columns: int) -> None:
    sections = tomllib.loads(BUNDLE.read_text(encoding="utf-8"))["sections"]
    with chartui_tour(bundles=[str(BUNDLE)], screen="characters", size=(columns, 40)) as tour:
        tour.step(keys=["show-narrative"], expect=f"{len(sections)} sections")
        for section in sections.values():
            assert section["name"] in tour.screen


def test_a_tour_can_be_continued_from_code(chartui_tour: OpenTour) -> None:
    with chartui_tour("../tours/meet-maren.tour.toml") as tour:
        tour.play()
        tour.step(keys=["show-estimator"], expect="credits per interaction", picture="estimator")
