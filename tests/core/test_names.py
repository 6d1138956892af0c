"""Names that people would take for one another."""

from __future__ import annotations

import pytest

from chartui.core.names import alike


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Fire alarm", "fire  ALARM"),
        ("Fire alarm", "FireAlarm"),
        ("fire_alarm", "fire-alarm!"),
        ("Straße", "STRASSE"),
        ("ﬁre", "fire"),
        ("Ärger", "A\u0308rger"),
        ("１２", "12"),
        ("", ""),
    ],
)
def test_alike(name: str, other: str) -> None:
    assert alike(name, other)
    assert alike(other, name)


@pytest.mark.parametrize(("name", "other"), [("Fire", "Fir"), ("!", "?"), ("!", ""), ("Bell 1", "Bell 2"), ("ü", "u")])
def test_not_alike(name: str, other: str) -> None:
    assert not alike(name, other)
