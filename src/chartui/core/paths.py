"""Where the program keeps its files, and how it writes those that matter."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

#: Why a pipe, a device or a socket is refused.
NOT_REGULAR: Final = "it is not a regular file"


def config_dir() -> Path:
    """Profiles, settings and the user's themes; ``CHARTUI_CONFIG_DIR`` overrides. Not created here."""
    return _folder("CHARTUI_CONFIG_DIR", "user_config_path")


def data_dir() -> Path:
    """The embedded stores and what the program remembers; ``CHARTUI_DATA_DIR`` overrides. Not created here."""
    return _folder("CHARTUI_DATA_DIR", "user_data_path")


def shipped_themes() -> tuple[Path, ...]:
    return tuple(sorted(_themes_folder().glob("*.toml")))


def shipped_theme(name: str) -> Path:
    """The file that a theme of this name has where it comes with the program; a theme's file is called as it is."""
    return _themes_folder() / f"{name}.toml"


def own_themes() -> Path:
    """The folder of the user's own themes. Not created here."""
    return config_dir() / "themes"


def _themes_folder() -> Path:
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
    """``path`` as a folder; it and every parent that is missing are made for their owner alone (0700).

    Raises ``OSError``.
    """
    try:
        path.mkdir(mode=0o700, exist_ok=True)
    except FileNotFoundError:
        if path.parent == path:
            raise
        # ``parents=True`` would leave the mode of the parents to the user's mask.
        private_folder(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)
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
    with naming(path), _written_beside(path, data, 0o600) as scratch:
        scratch.replace(path)


def write_file(path: Path, data: bytes, *, replace: bool = False) -> None:
    """Write a file in a folder that exists, as readable as the user's mask makes it.

    After a crash it holds the old or the new, whole. What is replaced keeps its permissions, and its place behind a
    link. Raises ``FileExistsError``, with nothing written, for an existing file without ``replace``, and ``OSError``
    with ``path`` as its file name.
    """
    target, mode = _target(path, replace=replace)
    with naming(path), _written_beside(target, data, mode) as scratch:
        _give_name(scratch, target, replace=mode is not None)


def write_output(path: Path, data: bytes, *, replace: bool = False) -> None:
    """Write a file that the user named, as :func:`write_file`, but never one of the program's own.

    Every command and dialog that writes to a named file comes through here or :func:`output_file`. Raises ``OSError``.
    """
    check_output(path, replace=replace)
    write_file(path, data, replace=replace)


@contextmanager
def output_file(path: Path, *, replace: bool = False) -> Iterator[Path]:
    """A scratch file to be made by the block, which then becomes ``path``; the rules of :func:`write_output` hold.

    The scratch file is empty and readable by its owner alone; it keeps the mode that the block gives it. Raises
    ``OSError``, before the block begins where no file can be made beside ``path``.
    """
    check_output(path, replace=replace)
    target, mode = _target(path, replace=replace)
    scratch = _scratch(target)
    scratch.unlink(missing_ok=True)
    with naming(path):
        os.close(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    try:
        yield scratch
        with naming(path):
            _give_name(scratch, target, replace=mode is not None)
            keep_names(target.parent)
    finally:
        with suppress(OSError):  # what went wrong before says more
            scratch.unlink()


def check_output(path: Path, *, replace: bool = False) -> None:
    """Raise the ``OSError`` with which :func:`write_output` would refuse ``path``; to be asked before a long job."""
    target, _ = _target(path, replace=replace)
    for folder in (config_dir(), data_dir()):
        if target.is_relative_to(os.path.realpath(folder)):
            # Any name there may be one that the program gives a file tomorrow, such as a log of the store.
            reason = f"{folder} is for files of chartui itself; choose another folder"
            raise PermissionError(errno.EPERM, reason, str(path))


def _target(path: Path, *, replace: bool) -> tuple[Path, int | None]:
    """The file behind ``path`` and its mode, None where there is none yet; raises ``OSError`` for what may not be."""
    target = Path(os.path.realpath(path))  # Path.resolve() reports a circle of links in another way in each Python
    try:
        found = target.stat()
    except FileNotFoundError:
        return target, None
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, NOT_REGULAR, str(path))
    if not replace:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    return target, stat.S_IMODE(found.st_mode)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Gives an ``OSError`` the name of the file that was meant: a full disk names none, a scratch file its own."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def _give_name(scratch: Path, path: Path, *, replace: bool) -> None:
    if replace:
        scratch.replace(path)
    else:
        _take_name(scratch, path)


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
    scratch = _scratch(path)
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
    keep_names(path.parent)


def _scratch(path: Path) -> Path:
    return path.parent / f".{path.name}.{os.getpid()}"


def keep_names(path: Path) -> None:
    """Have the disk keep the names in a folder: a new one must survive, not only its content."""
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
