"""The advice on adding a package fits the way the program was installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from chartui.core.credentials import command_to_add

RECEIPT = """[tool]
requirements = [{first}, {{ name = "keyring" }}]
entrypoints = [{{ name = "chartui", install-path = "/opt/bin/chartui", from = "chartui" }}]
"""


@pytest.mark.parametrize(
    ("first", "source"),
    [
        ('{ name = "chartui" }', "chartui"),
        ('{ name = "chartui", directory = "/opt/a checkout" }', "'/opt/a checkout'"),
        ('{ name = "chartui", editable = "/src/chartui" }', "/src/chartui"),
        ('{ name = "chartui", path = "/tmp/chartui-1-py3-none-any.whl" }', "/tmp/chartui-1-py3-none-any.whl"),
        ("1", "chartui"),
    ],
)
def test_uv_installs_it_again_from_the_same_source(tmp_path: Path, first: str, source: str) -> None:
    (tmp_path / "uv-receipt.toml").write_text(RECEIPT.format(first=first), encoding="utf-8")
    assert command_to_add("keyring", tmp_path) == f"uv tool install --with keyring {source}"


def test_pipx_injects_it_into_the_environment_of_that_name(tmp_path: Path) -> None:
    environment = tmp_path / "chartui-next"
    environment.mkdir()
    (environment / "pipx_metadata.json").touch()
    assert command_to_add("keyring", environment) == "pipx inject chartui-next keyring"


def test_a_virtual_environment_has_its_own_pip(tmp_path: Path) -> None:
    environment = tmp_path / "my env"
    environment.mkdir()
    (environment / "pyvenv.cfg").touch()
    assert command_to_add("keyring", environment) == f"'{environment}/bin/python' -m pip install keyring"


def test_without_pip_uv_installs_into_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chartui.core.credentials.find_spec", lambda name: None)
    assert command_to_add("keyring").startswith("uv pip install --python ")


def test_the_python_of_the_operating_system_takes_its_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "EXTERNALLY-MANAGED").touch()
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path))
    assert command_to_add("keyring", tmp_path).startswith("apt install python3-keyring")
