"""Find a profile's API key and keep it secret.

An API key is never given on a command line and never written to the profile file. Instead, a profile names the *source*
of its API key. A :class:`Key` contains the value of an API key. The value is never displayed. It is revealed only for
the request header or, at the user's request, for storage.
"""

from __future__ import annotations

import os
import stat
import sys
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NoReturn, Protocol

from chartui.core.classes import NamedTuple
from chartui.core.files import dangers
from chartui.core.paths import config_dir, write_private
from chartui.core.spec.errors import ErrorKind, ServiceError

#: The variable with the API key of profiles that do not name a key source.
KEY_VARIABLE: Final = "CHARTUI_API_KEY"
#: The maximum length of an API key. If a file is longer, it is probably the wrong file.
MAX_LENGTH: Final = 4096
#: The minimum length of an API key. A shorter one could also occur inside other words, which would then be redacted.
MIN_LENGTH: Final = 8
#: The time limit of a command in seconds. The command may ask for a pass phrase in its own window.
COMMAND_TIMEOUT: Final = 60.0
_REDACTED: Final = "[key]"

#: Asks the user for an API key; the argument is the prompt. May block. The function is called outside the event loop,
#: in a thread that the program waits for when it ends, so it must return at that time. An empty answer means that the
#: user canceled.
Ask = Callable[[str], str]


class Key:
    """An API key.

    Wherever an API key is displayed, ``Key(…)`` appears in place of its value. :meth:`reveal` returns the value, for
    the request header and for :func:`keep_key`. White space around the value is removed. Raises :class:`ServiceError`
    (kind ``bad_key``) if the value has fewer than 8 or more than 4096 characters, or if it contains spaces, control
    characters or non-ASCII characters.
    """

    __slots__ = ("_value",)

    def __init__(self, text: str) -> None:
        value, text = text.strip(), ""
        problem = _problem(value)
        if problem:
            # The variable is cleared, because a crash report may show the variables of this stack frame.
            value = ""
            raise ServiceError(ErrorKind.BAD_KEY, f"The API key cannot be used because it {problem}.", sent="no")
        self._value = value
        _HELD.append(self)

    def reveal(self) -> str:
        return self._value

    def redact(self, text: str) -> str:
        """Return ``text`` with the API key removed, in case a service sent it back."""
        return text.replace(self._value, _REDACTED)

    def __repr__(self) -> str:
        return "Key(…)"

    def __format__(self, spec: str) -> str:
        return format(repr(self), spec)

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("API keys cannot be pickled")


#: The latest API keys, for :func:`without_keys`.
_HELD: Final[deque[Key]] = deque(maxlen=16)


def without_keys(text: str) -> str:
    """Remove API keys from ``text``: the ones this program used last, and the one in ``CHARTUI_API_KEY``.

    Use this function for reports of unexpected errors, which may quote any text.
    """
    variable = os.environ.get(KEY_VARIABLE, "").strip()
    if len(variable) >= MIN_LENGTH:
        text = text.replace(variable, _REDACTED)
    for key in _HELD:
        text = key.redact(text)
    return text


def child_environment(sources: Iterable[KeySource | None] = ()) -> dict[str, str]:
    """Return the environment variables to pass to another program.

    Variables that contain or may contain API keys are removed. ``sources`` contains the key sources of the profiles.
    """
    hidden = {source.argument[0] for source in sources if source is not None and source.kind is SourceKind.ENV}
    hidden.add(KEY_VARIABLE)
    return {name: text for name, text in os.environ.items() if name not in hidden and without_keys(text) == text}


def _problem(value: str) -> str | None:
    if not value:
        return "is empty"
    if len(value) > MAX_LENGTH:
        return f"is longer than {MAX_LENGTH} characters"
    if not value.isascii():
        return "contains non-ASCII characters"
    if not value.isprintable() or " " in value:
        return "contains spaces or control characters"
    if len(value) < MIN_LENGTH:
        return f"is shorter than {MIN_LENGTH} characters"
    return None


class SourceKind(StrEnum):
    """The kinds of key sources."""

    ENV = "env"
    COMMAND = "command"
    FILE = "file"
    KEYRING = "keyring"
    ASK = "ask"


class KeySource(NamedTuple):
    """A profile's key source: its kind and, depending on the kind, a variable, a command line or a path."""

    kind: SourceKind
    argument: tuple[str, ...] = ()

    def describe(self) -> str:
        """Describe the source. The description never includes the API key."""
        match self.kind:
            case SourceKind.ENV:
                return f"the environment variable {self.argument[0]}"
            case SourceKind.COMMAND:
                return f"the command '{self.argument[0]}'"
            case SourceKind.FILE:
                return f"the file {self.argument[0]}"
            case SourceKind.KEYRING:
                return "the system's keyring"
            case SourceKind.ASK:
                return "a prompt at first use"


def resolve(
    source: KeySource | None, ask: Ask | None = None, *, profile: str, environ: Mapping[str, str] = os.environ
) -> Key:
    """Fetch the API key of ``profile`` from its source (default: ``CHARTUI_API_KEY``).

    This call may block. Raises :class:`ServiceError` with the kind ``no_key`` if the source has no API key,
    ``bad_key`` if the text cannot be an API key, or ``unsafe`` if the source is a file that others can read or replace.
    """
    if source is None:
        return _from_variable(KEY_VARIABLE, f"profile '{profile}' does not say where its API key comes from", environ)
    match source.kind:
        case SourceKind.ENV:
            return _from_variable(
                source.argument[0], f"profile '{profile}' reads its API key from this variable", environ
            )
        case SourceKind.COMMAND:
            return _from_command(source.argument)
        case SourceKind.FILE:
            return _from_file(Path(source.argument[0]))
        case SourceKind.KEYRING:
            return _from_keyring(profile)
        case SourceKind.ASK:
            return _from_question(ask, profile)


def key_path(profile: str) -> Path:
    """Return the path of the default file for the API key of ``profile``."""
    return config_dir() / "keys" / profile


def keep_key(key: Key, source: KeySource, *, profile: str) -> None:
    """Store ``key`` at ``source``: in a file that only its owner can read, or in the system's keyring.

    Raises ``OSError`` if the file cannot be written. Raises :class:`ServiceError` with the kind ``no_key`` if the
    keyring is unusable, or ``not_available`` if this kind of source cannot store API keys.
    """
    match source.kind:
        case SourceKind.FILE:
            write_private(Path(source.argument[0]), key.reveal().encode("ascii") + b"\n")
        case SourceKind.KEYRING:
            keyring = _keyring()
            try:
                keyring.set_password("chartui", profile, key.reveal())
            except keyring.errors.KeyringError as error:
                raise _missing(
                    f"The API key was not stored because the keyring refused it ({type(error).__name__})."
                ) from None
        case _:
            raise ServiceError(ErrorKind.NOT_AVAILABLE, f"An API key cannot be stored in {source.describe()}.")


def _missing(message: str) -> ServiceError:
    return ServiceError(ErrorKind.NO_KEY, message, sent="no")


def _from_variable(name: str, why: str, environ: Mapping[str, str]) -> Key:
    if not environ.get(name, "").strip():
        raise _missing(f"No API key: set the environment variable {name} ({why}).")
    return Key(environ[name])


def _from_command(command: tuple[str, ...]) -> Key:
    """Return the first lines of the command's output. Its error output is dropped, since it might quote secrets."""
    import subprocess
    from threading import Timer

    try:
        process = subprocess.Popen(  # noqa: S603 - the user's own command, run without a shell
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
    except OSError as error:
        raise _missing(f"No API key: the command '{command[0]}' cannot be run ({error.strerror}).") from None
    timer = Timer(COMMAND_TIMEOUT, process.kill)
    timer.start()
    try:
        with process:
            assert process.stdout is not None  # noqa: S101 - a pipe was asked for
            output = [process.stdout.read(MAX_LENGTH * 2)]
            if len(output[0]) == MAX_LENGTH * 2:
                process.kill()
    finally:
        timer.cancel()
    if process.returncode != 0 and len(output[0]) < MAX_LENGTH * 2:
        output.clear()
        raise _missing(
            f"No API key: the command '{command[0]}' exited with status {process.returncode}; run it to see why."
        )
    return Key(_text(output.pop()))


def _from_file(path: Path) -> Key:
    """Return the content of a file that no other user can read or replace.

    The file is checked after it has been opened, so it cannot be exchanged between the check and the read.
    """
    try:
        # Without O_NONBLOCK, opening a named pipe would block.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise _missing(f"No API key: the file {path} does not exist.") from None
    except OSError as error:
        if path.is_symlink():
            raise _unsafe(path, "is a symbolic link; use the path of the file itself") from None
        raise _missing(f"No API key: the file {path} cannot be read ({error.strerror}).") from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise _unsafe(path, "is not a regular file")
        if status.st_uid != os.geteuid():
            raise _unsafe(path, "belongs to another user; make your own copy")
        if status.st_mode & 0o077:
            raise _unsafe(path, f"can be read by other users; run: chmod 600 {path}")
        if found := dangers(path):
            raise _unsafe(path, f"can be replaced by other users: {found[0]}")
        return Key(_text(os.read(descriptor, MAX_LENGTH * 2)))
    finally:
        os.close(descriptor)


def _unsafe(path: Path, why: str) -> ServiceError:
    return ServiceError(ErrorKind.UNSAFE, f"The API key was not read: {path} {why}.")


def _from_keyring(profile: str) -> Key:
    """Return the API key stored under the service ``chartui`` and the profile's name, using the ``keyring`` package."""
    keyring = _keyring()
    try:
        found = [keyring.get_password("chartui", profile)]
    except keyring.errors.KeyringError as error:
        raise _missing(
            f"No API key: the keyring cannot be read ({type(error).__name__}). Get the API key from another source."
        ) from None
    if found == [None]:
        raise _missing(f"No API key in the keyring. Store the API key with: keyring set chartui {profile}")
    return Key(found.pop())


def _keyring() -> Any:
    try:
        return import_module("keyring")
    except ImportError:
        raise _missing(f"No API key: the keyring needs another package; run: {command_to_add('keyring')}") from None


def _from_question(ask: Ask | None, profile: str) -> Key:
    if ask is None:
        raise _missing(f"No API key: profile '{profile}' prompts for one, but no terminal is available.")
    answer = [ask(f"API key for profile '{profile}'")]
    if not answer[0].strip():
        raise _missing(f"No API key: none was entered for profile '{profile}'.")
    return Key(answer.pop())


def _text(data: bytes) -> str:
    # :class:`Key` refuses non-ASCII text with a message, whereas a decoding error would quote the bytes.
    return data.decode("ascii", "replace")


class Keyed(Protocol):
    """The attributes of :class:`chartui.core.profiles.Profile` that this module needs."""

    @property
    def key(self) -> KeySource | None: ...


class LeftKey(NamedTuple):
    """A key file that a profile no longer uses.

    ``path`` is the path of the file, and ``used_by`` names the other profiles that still use it.
    """

    path: Path
    used_by: tuple[str, ...]

    def remove(self) -> None:
        """Remove the file unless another profile uses it. Raises ``OSError`` if the file cannot be removed."""
        if not self.used_by:
            self.path.unlink(missing_ok=True)

    def describe(self, *, dry_run: bool = False) -> str:
        """Return a phrase that says whether the key file is kept or removed."""
        if self.used_by:
            users = ", ".join(f"'{name}'" for name in self.used_by)
            noun = "profile" if len(self.used_by) == 1 else "profiles"
            return f"the stored API key {self.path} is kept because it is still used by {noun} {users}"
        return f"the stored API key {self.path} {'would be' if dry_run else 'was'} removed"


def left_keys(before: Mapping[str, Keyed], after: Mapping[str, Keyed]) -> tuple[LeftKey, ...]:
    """Return the key files that their own profiles no longer use after a change to the profiles.

    ``before`` and ``after`` map names to profiles. Only profiles that are removed or are given a different key source
    are checked. A key file that such a profile had already stopped using before the change is also returned.
    """
    found = []
    for name, profile in before.items():
        path = key_path(name)
        now = after.get(name)
        if (now is not None and now.key == profile.key) or not path.is_file():
            continue
        users = tuple(other for other, user in after.items() if _uses(user, path))
        if name not in users:
            found.append(LeftKey(path, users))
    return tuple(found)


def _uses(profile: Keyed, path: Path) -> bool:
    source = profile.key
    if source is None:
        return False
    if source.kind is SourceKind.COMMAND:  # such as "cat FILE", or a shell script that names the file
        return any(str(path) in word for word in source.argument)
    return source.kind is SourceKind.FILE and Path(source.argument[0]).resolve() == path.resolve()


def command_to_add(package: str, prefix: Path | None = None) -> str:
    """Return the shell command that adds ``package`` to the program's environment.

    ``prefix`` is the environment's folder (default: the environment of this interpreter). The command uses pip only
    where pip works. An environment created by a tool may lack pip, and pip refuses to change the operating system's own
    environment.
    """
    import shlex

    folder = prefix or Path(sys.prefix)
    if (receipt := folder / "uv-receipt.toml").is_file():
        return f"uv tool install --with {package} {shlex.quote(_source(receipt))}"
    if (folder / "pipx_metadata.json").is_file():
        return f"pipx inject {shlex.quote(folder.name)} {package}"
    if not (folder / "pyvenv.cfg").is_file() and _is_managed():
        return f"apt install python3-{package} (or the equivalent package of your distribution)"
    python = shlex.quote(str(folder / "bin" / "python"))
    if prefix is None and find_spec("pip") is None:
        return f"uv pip install --python {python} {package}"
    return f"{python} -m pip install {package}"


def _source(receipt: Path) -> str:
    """Return the source from which uv installed the program. A bare name would be looked up in the package index."""
    import tomllib

    try:
        (first, *_) = tomllib.loads(receipt.read_text(encoding="utf-8"))["tool"]["requirements"]
        return str(first.get("directory") or first.get("path") or first.get("editable") or first["name"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return "chartui"


def _is_managed() -> bool:
    """Return whether the operating system manages this Python's packages (PEP 668)."""
    import sysconfig

    return (Path(sysconfig.get_path("stdlib")) / "EXTERNALLY-MANAGED").is_file()
