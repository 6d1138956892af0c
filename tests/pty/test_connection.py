"""A service that is stopped and started again while the installed program works on it."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pty.terminal import CHARTUI, running
from tests.tui.serving import Service, serving

VARIABLE = "CHARTUI_TEST_KEY"


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with serving(tmp_path) as running_service:
        yield running_service


def keep(service: Service) -> None:
    """A file of profiles with the service in it."""
    folder = Path(os.environ["CHARTUI_CONFIG_DIR"])
    folder.mkdir(parents=True, exist_ok=True)
    text = f'[profiles.far]\nbase_url = "{service.url}"\nkey = {{ env = "{VARIABLE}" }}\n'
    (folder / "profiles.toml").write_text(f'format = "chartui-profiles"\nversion = 1\ndefault = "far"\n\n{text}')


def test_a_lost_server_never_ends_the_program_and_comes_back_by_itself(service: Service) -> None:
    keep(service)
    with running((CHARTUI, "--screen", "characters"), environment={VARIABLE: service.key}) as terminal:
        terminal.wait_for("far", "Elena Marsh")
        terminal.forget()
        service.stop()
        terminal.type("\x1b[15~")  # F5
        terminal.wait_for("unreachable", "retry in")
        terminal.forget()
        service.start()
        terminal.wait_until_gone("unreachable")  # by itself
        terminal.wait_for("127.0.0.1:")
        terminal.type("q")
        assert terminal.end() == 0
        terminal.assert_restored()


def test_it_starts_without_a_server() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = Path(os.environ["CHARTUI_CONFIG_DIR"])
    folder.mkdir(parents=True)
    text = f'[profiles.gone]\nbase_url = "http://127.0.0.1:{port}"\nkey = {{ env = "{VARIABLE}" }}\n'
    (folder / "profiles.toml").write_text(f'format = "chartui-profiles"\nversion = 1\ndefault = "gone"\n\n{text}')
    with running((CHARTUI, "--screen", "characters"), environment={VARIABLE: "some-key"}) as terminal:
        terminal.wait_for("unreachable", "retry in")
        terminal.type("q")
        assert terminal.end() == 0
        terminal.assert_restored()
