"""Where the program keeps its files."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["config_dir", "data_dir", "private_folder"]


def config_dir() -> Path:
    """Profiles, settings and the user's themes; ``CHARTUI_CONFIG_DIR`` overrides. Not created here."""
    return _folder("CHARTUI_CONFIG_DIR", "user_config_path")


def data_dir() -> Path:
    """The embedded stores and what the program remembers; ``CHARTUI_DATA_DIR`` overrides. Not created here."""
    return _folder("CHARTUI_DATA_DIR", "user_data_path")


def _folder(variable: str, function: str) -> Path:
    override = os.environ.get(variable)
    if override:
        return Path(override).expanduser().absolute()
    import platformdirs

    path: Path = getattr(platformdirs, function)("chartui", appauthor=False)
    return path


def private_folder(path: Path) -> Path:
    """``path`` as a folder that only its owner can enter, created when it is not there."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path
