"""Where the program keeps its files, and how it writes those that matter."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["config_dir", "data_dir", "private_folder", "shipped_themes", "theme_names", "write_private"]


def config_dir() -> Path:
    """Profiles, settings and the user's themes; ``CHARTUI_CONFIG_DIR`` overrides. Not created here."""
    return _folder("CHARTUI_CONFIG_DIR", "user_config_path")


def data_dir() -> Path:
    """The embedded stores and what the program remembers; ``CHARTUI_DATA_DIR`` overrides. Not created here."""
    return _folder("CHARTUI_DATA_DIR", "user_data_path")


def shipped_themes() -> tuple[Path, ...]:
    """The files of the themes that come with the program: inside an installed package, at the top of a checkout."""
    package = Path(__file__).parents[1]
    packaged = package / "themes"
    return tuple(sorted((packaged if packaged.is_dir() else package.parents[1] / "themes").glob("*.toml")))


def theme_names() -> tuple[str, ...]:
    """The names of the shipped themes; a theme's file is called as it is."""
    return tuple(path.stem for path in shipped_themes())


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


def write_private(path: Path, data: bytes) -> None:
    """Replace ``path`` by ``data``, readable by its owner alone; after a crash it holds the old or the new, whole.

    The folder is created when it is not there. Raises ``OSError``.
    """
    folder = private_folder(path.parent)
    scratch = folder / f".{path.name}.{os.getpid()}"
    scratch.unlink(missing_ok=True)
    try:
        with open(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)  # the new name itself must survive, not only the content
    finally:
        os.close(descriptor)
