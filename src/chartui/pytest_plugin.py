"""The plugin for pytest. It imports the rest of the program only when a test uses it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from chartui.testing.collect import TourFile
    from chartui.testing.drive import OpenTour


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("chartui", "chartui tours")
    group.addoption("--chartui-update", action="store_true", help="replace the stored pictures of the tours")
    group.addoption("--chartui-report", type=Path, metavar="FILE", help="file for an HTML report of all differences")


def pytest_configure(config: pytest.Config) -> None:
    if config.option.chartui_update or config.option.chartui_report:
        from chartui.testing.report import Reporter

        config.pluginmanager.register(Reporter(config), "chartui-report")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> TourFile | None:
    if not file_path.name.endswith(".tour.toml"):
        return None
    from chartui.testing.collect import TourFile

    return TourFile.from_parent(parent, path=file_path)


@pytest.fixture
def chartui_tour(request: pytest.FixtureRequest) -> OpenTour:
    """Opens chartui on demo data, to be driven step by step: ``with chartui_tour() as tour: tour.step(…)``."""
    from chartui.testing.drive import OpenTour

    return OpenTour(request.node)
