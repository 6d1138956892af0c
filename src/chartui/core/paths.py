"""The folders that the program uses, and functions that write files safely."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

#: The reason why a pipe, a device or a socket is refused.
NOT_REGULAR: Final = "not a regular file"


def config_dir() -> Path:
    """Return the folder for profiles, settings and the user's themes. ``CHARTUI_CONFIG_DIR`` overrides it.

    The folder is not created.
    """
    return _folder("CHARTUI_CONFIG_DIR", "user_config_path")


def data_dir() -> Path:
    """Return the folder for embedded stores and the program's own data. ``CHARTUI_DATA_DIR`` overrides it.

    The folder is not created.
    """
    return _folder("CHARTUI_DATA_DIR", "user_data_path")


def pins_path(folder: Path | None = None) -> Path:
    """Return the path of the file that contains pinned prices. ``folder`` defaults to the configuration folder."""
    return (folder or config_dir()) / "pins.toml"


def pinned_folder(folder: Path | None = None) -> Path:
    """Return the folder for pinned configurations, which are stored as presets.

    It is inside ``folder``, which defaults to the data folder.
    """
    return (folder or data_dir()) / "pinned"


def store_file(kind: str) -> Path:
    """Return the path of the store file for a kind of embedded profile, such as ``demo``."""
    return data_dir() / f"{kind}.db"


def own_tours() -> Path:
    """Return the folder for the user's own tours. The folder is not created."""
    return config_dir() / "tours"


def shipped_themes() -> tuple[Path, ...]:
    return tuple(sorted(_themes_folder().glob("*.toml")))


def shipped_theme(name: str) -> Path:
    """Return the path of a built-in theme."""
    return _themes_folder() / f"{name}.toml"


def own_themes() -> Path:
    """Return the folder for the user's own themes. The folder is not created."""
    return config_dir() / "themes"


def from_home(text: str) -> str:
    """Return ``text`` with every path below the home directory shortened to ``~/…``."""
    with suppress(RuntimeError):
        return text.replace(f"{Path.home()}{os.sep}", f"~{os.sep}")
    return text


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
    """Create the folder ``path`` and its missing parents, with access for the owner only (0700).

    Raises ``OSError`` if a folder cannot be created.
    """
    try:
        path.mkdir(mode=0o700, exist_ok=True)
    except FileNotFoundError:
        if path.parent == path:
            raise
        # ``parents=True`` would create the parents with permissions from the user's mask.
        private_folder(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)
    return path


def file_stem(title: str, *, otherwise: str) -> str:
    """Return a file name derived from a title. It contains only letters, digits and dashes, so every file system
    accepts it.

    If nothing remains of the title, ``otherwise`` is returned.
    """
    import unicodedata

    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:60].strip("-") or otherwise


def write_private(path: Path, data: bytes) -> None:
    """Write ``data`` to a file that only the owner can read, and replace any existing content.

    If the program crashes, the file contains either the complete old content or the complete new content. A missing
    folder is created. Raises ``OSError`` if the file cannot be written.
    """
    private_folder(path.parent)
    with naming(path), _written_beside(path, data, 0o600) as scratch:
        scratch.replace(path)


def write_file(path: Path, data: bytes, *, replace: bool = False) -> None:
    """Write a file in an existing folder. A new file gets default permissions (the umask applies).

    If the program crashes, the file contains either the complete old content or the complete new content. An existing
    file keeps its permissions. If ``path`` is a symbolic link, the target of the link is written. Raises
    ``FileExistsError`` and writes nothing if the file exists and ``replace`` is false. Every ``OSError`` contains
    ``path`` as its file name.
    """
    target, mode = _target(path, replace=replace)
    with naming(path), _written_beside(target, data, mode) as scratch:
        _give_name(scratch, target, replace=mode is not None)


def write_output(path: Path, data: bytes, *, replace: bool = False, folders: bool = False) -> None:
    """Write a file named by the user, in the same way as :func:`write_file`.

    If ``folders`` is True, missing folders are created with access for the owner only (0700). Raises ``OSError``, for
    example if ``path`` is in a folder reserved for the program's own files. Every command and dialog that writes to a
    file named by the user uses this function or :func:`output_file`.
    """
    check_output(path, replace=replace)
    if folders:
        private_folder(path.parent)
    write_file(path, data, replace=replace)


@contextmanager
def output_file(path: Path, *, replace: bool = False) -> Iterator[Path]:
    """Yield an empty scratch file that replaces ``path`` when the block ends without an error.

    The same rules apply as for :func:`write_output`. Only the owner can read the scratch file. If the block changes the
    permissions of the scratch file, ``path`` gets these permissions. Raises ``OSError`` if ``path`` cannot be written.
    If no file can be created next to ``path``, the error is raised before the block begins.
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
        with suppress(OSError):  # the earlier error says more
            scratch.unlink()


def check_output(path: Path, *, replace: bool = False) -> None:
    """Raise the ``OSError`` that :func:`write_output` would raise for ``path``.

    Call this function before a long job, so that the job does not fail at the end.
    """
    target, _ = _target(path, replace=replace)
    for folder in (config_dir(), data_dir()):
        if target.is_relative_to(os.path.realpath(folder)):
            # Any name in this folder may later be used by the program, for example for a log of the store.
            reason = f"{folder} is reserved for chartui's own files, so choose another folder"
            raise PermissionError(errno.EPERM, reason, str(path))


def _target(path: Path, *, replace: bool) -> tuple[Path, int | None]:
    """Return the target of ``path`` and its mode (None for a new file).

    Raises ``OSError`` if it must not be written.
    """
    target = Path(os.path.realpath(path))  # Path.resolve() reports circular links differently in each Python version
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
    """Within the block, make every ``OSError`` name ``path``, even if the error concerns a temporary file."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def _give_name(scratch: Path, path: Path, *, replace: bool) -> None:
    """Give a file its final name. Without ``replace``, raises ``FileExistsError`` if the name has since been taken."""
    if replace:
        scratch.replace(path)
        return
    try:
        path.hardlink_to(scratch)
    except FileExistsError:
        raise
    except OSError:  # The file system has no hard links, so check first whether the name is taken.
        if path.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        scratch.replace(path)


@contextmanager
def _written_beside(path: Path, data: bytes, mode: int | None) -> Iterator[Path]:
    """Yield a scratch file next to ``path`` with ``data`` synced to disk, ready to be renamed. It is removed
    afterwards.

    If ``mode`` is None, the user's mask decides.
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
    """Sync a folder to disk, so that the names of new files in it survive a crash."""
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
