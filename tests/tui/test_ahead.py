"""What the screens share is imported after the first picture."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from chartui.tui import ahead
from tests.tui.user import opened


async def test_modules_are_imported_once_the_program_is_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    names = ["ahead_of_time_one", "ahead_of_time_two"]
    for name in names:
        (tmp_path / f"{name}.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(ahead, "SHARED", names)
    try:
        async with opened() as user:
            await user.until(lambda: {*names} <= sys.modules.keys(), "for the modules")
    finally:
        for name in names:
            sys.modules.pop(name, None)


def test_the_modules_exist() -> None:
    assert all(find_spec(name) for name in ahead.SHARED)
