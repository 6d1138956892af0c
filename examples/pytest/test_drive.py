from chartui.testing.drive import OpenTour


def test_filter(chartui_tour: OpenTour) -> None:
    with chartui_tour(size=(100, 30)) as tour:
        tour.step(keys=["show-characters", "filter-characters", {"text": "marsh"}, "enter"], expect=["1 of 12"])
        assert "Elena Marsh" in tour.screen
        tour.step(keys=["show-estimator"], expect="credits per interaction", picture="estimator")
