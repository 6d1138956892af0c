"""Where the program keeps its files, and how it writes those that matter."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = [
    "config_dir",
    "data_dir",
    "file_stem",
    "own_themes",
    "private_folder",
    "shipped_theme",
    "shipped_themes",
    "write_file",
    "write_private",
]


def config_dir() -> Path:
    """Profiles, settings and the user's themes; ``CHARTUI_CONFIG_DIR`` overrides. Not created here."""
    return _folder("CHARTUI_CONFIG_DIR", "user_config_path")


def data_dir() -> Path:
    """The embedded stores and what the program remembers; ``CHARTUI_DATA_DIR`` overrides. Not created here."""
    return _folder("CHARTUI_DATA_DIR", "user_data_path")


def shipped_themes() -> tuple[Path, ...]:
    """The files of the themes that come with the program."""
    return tuple(sorted(_themes_folder().glob("*.toml")))


def shipped_theme(name: str) -> Path:
    """The file that a theme of this name has where it comes with the program; a theme's file is called as it is."""
    return _themes_folder() / f"{name}.toml"


def own_themes() -> Path:
    """The folder of the user's own themes. Not created here."""
    return config_dir() / "themes"


def _themes_folder() -> Path:
    """Inside an installed package, at the top of a checkout."""
    package = Path(__file__).parents[1]
    packaged = package / "themes"
    return packaged if packaged.is_dir() else package.parents[1] / "themes"


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


def file_stem(title: str, *, otherwise: str) -> str:
    """A name for a file made of a title: letters, digits and dashes that every file system takes."""
    import unicodedata

    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:60].strip("-") or otherwise


def write_private(path: Path, data: bytes) -> None:
    """Replace ``path`` by ``data``, readable by its owner alone; after a crash it holds the old or the new, whole.

    The folder is created when it is not there. Raises ``OSError``.
    """
    private_folder(path.parent)
    with _written_beside(path, data, 0o600) as scratch:
        scratch.replace(path)


def write_file(path: Path, data: bytes, *, replace: bool = False) -> None:
    """Write a file that a user asked for, in a folder that is there, as readable as they let their files be.

    After a crash it holds the old or the new, whole. What is replaced keeps its permissions, and its place behind a
    link. Raises ``FileExistsError``, with nothing written, where there is a file and ``replace`` is not given, and
    ``OSError``.
    """
    target = Path(os.path.realpath(path))  # Path.resolve() tells of a circle of links in another way in each Python
    mode: int | None = None
    try:
        found = target.stat()
    except FileNotFoundError:
        replace = False
    else:
        if stat.S_ISDIR(found.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is no ordinary file", str(path))
        mode = stat.S_IMODE(found.st_mode)
    if not replace and mode is not None:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    with _written_beside(target, data, mode) as scratch:
        if replace:
            scratch.replace(target)
        else:
            _take_name(scratch, target)


def _take_name(scratch: Path, path: Path) -> None:
    """Give a file its name, which nobody has taken meanwhile; raises ``FileExistsError``."""
    try:
        path.hardlink_to(scratch)
    except FileExistsError:
        raise
    except OSError:  # a file system without links has no other way than to look first
        if path.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        scratch.replace(path)


@contextmanager
def _written_beside(path: Path, data: bytes, mode: int | None) -> Iterator[Path]:
    """A file beside ``path`` that holds ``data`` and is on the disk, to be given its name; it is gone afterwards.

    ``mode`` None lets the user's mask decide.
    """
    scratch = path.parent / f".{path.name}.{os.getpid()}"
    scratch.unlink(missing_ok=True)
    try:
        descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode or 0o666)
        with open(descriptor, "wb") as file:
            if mode is not None:
                os.fchmod(descriptor, mode)
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        yield scratch
    finally:
        scratch.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)  # the new name itself must survive, not only the content
    finally:
        os.close(folder)
