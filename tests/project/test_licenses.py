"""The license written beside each pin is the one that the package's metadata states, and none is of the GPL family."""

from __future__ import annotations

import re
from importlib.metadata import metadata
from pathlib import Path

import pytest

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"
_PIN = re.compile(r'    "([a-z0-9-]+)[=<>~][^"]*",(?:  # (.*))?')
#: How metadata without an SPDX expression name a license.
_SPDX = {
    "License :: OSI Approved :: MIT License": "MIT",
    "BSD 2-Clause License": "BSD-2-Clause",
}


def pins() -> dict[str, str]:
    """Each pinned package and the comment that covers it: behind the pin, or the nearest one above it."""
    found: dict[str, str] = {}
    above: list[str] = []
    after_pin = False
    for line in PYPROJECT.read_text(encoding="utf-8").splitlines():
        if pin := _PIN.fullmatch(line):
            found[pin[1]] = pin[2] or " ".join(above)
            after_pin = True
        elif line.startswith("    # "):
            if after_pin:
                above, after_pin = [], False
            above.append(line[6:])
    return found


def stated(package: str) -> str:
    about = metadata(package)
    classifiers = [value for value in about.get_all("Classifier") or () if value.startswith("License ::")]
    named = [about[field] for field in ("License-Expression", "License") if field in about]
    license_ = named[0] if named else "".join(classifiers)
    return _SPDX.get(license_, license_)


@pytest.mark.parametrize("package", pins())
def test_the_license_beside_a_pin_is_the_one_in_the_metadata(package: str) -> None:
    comment, license_ = pins()[package], stated(package)
    assert re.search(rf"(?<![\w-]){re.escape(license_)}(?![\w-])", comment), f"{package} is {license_}: {comment!r}"
    assert "GPL" not in license_


def test_every_pinned_package_is_checked() -> None:
    import tomllib

    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    assert set(pins()) == {re.split(r"[=<>~]", pin)[0] for pin in wanted}
