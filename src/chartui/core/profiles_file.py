"""Read, check and change the profiles file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, TypeVar

from chartui.core.credentials import KeySource, LeftKey, SourceKind, left_keys
from chartui.core.file_lock import locked
from chartui.core.files import read_obeyed
from chartui.core.lock import listed, losses
from chartui.core.naming import unknown
from chartui.core.paths import write_private
from chartui.core.profiles import (
    BUILT_IN,
    OF_BUILT_IN,
    Mark,
    Profile,
    ProfileError,
    ProfileKind,
    Profiles,
    check_profile,
    profiles_path,
)
from chartui.core.tables import BadFile, BadTable, Reader, as_toml, refuse_unknown, typed

T = TypeVar("T")
FORMAT: Final = "chartui-profiles"
VERSION: Final = 1


class ProfilesFileError(BadFile, ProfileError):
    """Raised if the profiles file cannot be used."""


def load_profiles() -> Profiles:
    """Read the profiles, or return the built-in ones if the file is missing. Raises :class:`ProfilesFileError`."""
    reader = Reader(profiles_path(), FORMAT, VERSION, ("default", "profiles"), read=read_obeyed)
    profiles = Profiles()
    for name, entry in reader.entries("profiles").items():
        try:
            profile = _profile(reader, name, entry)
            profiles = profiles if profile is None else profiles.adding(profile)
        except ProfileError as error:
            reader.add(str(error), at=f"profiles.{name}")
    current = reader.take(typed, reader.table.get("default", ""), str, "default", "text")
    if "default" in reader.table and not reader.found:
        try:
            profiles = profiles.using(current or "")
        except ProfileError as error:
            reader.add(str(error), at="default")
    reader.check(ProfilesFileError)
    return profiles


def _profile(reader: Reader, name: str, entry: Any) -> Profile | None:
    """Return a profile, or None if its table has a mistake.

    Raises :class:`ProfileError` for an unsafe or unusable profile.
    """
    where = f"profiles.{name}"
    table: Mapping[str, Any] | None = reader.take(typed, entry, dict, where, "a table")
    built_in = BUILT_IN.get(name)
    known = tuple(_KEYS) if built_in is None else OF_BUILT_IN
    values = None if table is None else profile_settings(reader, table, known, where, f"profile '{name}'")
    if values is None:
        return None
    if built_in is not None:
        return check_profile(replace(built_in, **values))
    # A live account must not be changed by accident, so writing to a service has to be enabled.
    return Profile(**{"name": name, "kind": ProfileKind.REMOTE, "read_only": True, **values})


def profile_settings(
    reader: Reader, table: Mapping[str, Any], known: Iterable[str], where: str, what: str
) -> dict[str, Any] | None:
    """Return the settings from a table of a file, or None if the table has mistakes.

    Mistakes are added to ``reader``. ``known`` lists the settings allowed in the table. ``where`` is the location of
    the table in the file, and ``what`` is the name of the table in messages.
    """
    known, before = tuple(known), len(reader.found)
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key in known:
            values[key] = reader.take(_KEYS[key], value, f"{where}.{key}", reader.path.parent)
        else:
            reader.take(refuse_unknown, (key,), known, what, at=f"{where}.{key}")
    return values if len(reader.found) == before else None


def _of(kind: type[T] | tuple[type[T], ...], wanted: str) -> Callable[[Any, str, Path], T]:
    return lambda value, where, _: typed(value, kind, where, wanted)


_TEXT: Final = _of(str, "text")
_FLAG: Final = _of(bool, "true or false")


def _seconds(value: Any, where: str, _: Path) -> float:
    return float(typed(value, (int, float), where, "a number of seconds"))


def _file(value: Any, where: str, folder: Path) -> Path:
    return folder / Path(typed(value, str, where, "the path of a file")).expanduser()


def _mark(value: Any, where: str, _: Path) -> Mark:
    name = typed(value, str, where, "the name of a color")
    if name not in tuple(Mark):
        raise BadTable(unknown("color", name, Mark, place=f"for {where}"), at=where)
    return Mark(name)


def _key_source(value: Any, where: str, folder: Path) -> KeySource:
    table = typed(value, dict, where, 'a table such as { env = "NAME" }; never write the API key itself in this file')
    refuse_unknown(table, SourceKind, where)
    if len(table) != 1:
        raise BadTable(f"{where} must name exactly one of {', '.join(SourceKind)}.")
    [(name, argument)] = table.items()
    where = f"{where}.{name}"
    match kind := SourceKind(name):
        case SourceKind.ENV:
            return KeySource(kind, (typed(argument, str, where, "the name of a variable"),))
        case SourceKind.FILE:
            return KeySource(kind, (str(_file(argument, where, folder)),))
        case SourceKind.COMMAND:
            words = typed(argument, list, where, "a list of strings")
            if not words or not all(isinstance(word, str) and word for word in words):
                raise BadTable(f"{where} must be a list of strings, starting with the name of the program.")
            return KeySource(kind, tuple(words))
        case _:
            if argument is not True:
                raise BadTable(f"{where} must be true.")
            return KeySource(kind)


#: Key in the file (and attribute of Profile) → what reads its value: (value, where, folder of the file).
_KEYS: Final[Mapping[str, Callable[[Any, str, Path], Any]]] = {
    "base_url": _TEXT,
    "read_only": _FLAG,
    "allow_act": _FLAG,
    "production": _FLAG,
    "color": _mark,
    "theme": _TEXT,
    "screen": _TEXT,
    "refresh": _seconds,
    "remember": _FLAG,
    "key": _key_source,
    "key_header": _TEXT,
    "send_key_to_estimation": _FLAG,
    "allow_http": _FLAG,
    "ca_file": _file,
    "proxy": _TEXT,
    "connect_timeout": _seconds,
    "read_timeout": _seconds,
    "deadline": _seconds,
    "transfer_timeout": _seconds,
    "answer_limit_mib": _of(int, "a whole number"),
    "rate_card": _file,
}


def change_profiles(
    change: Callable[[Profiles], Profiles],
    *,
    agreed: str | None = None,
    first: Callable[[], object] = lambda: None,
    left: Callable[[LeftKey], object] = lambda _: None,
) -> Profiles:
    """Apply ``change`` to the stored profiles, and return the changed profiles.

    The file is read and written under a lock. ``agreed`` is the name of the profile that may lose safeguards
    (:mod:`chartui.core.lock`). ``first`` is a function that is called before the file is written, for example to store
    an API key. After the file has been written, ``left`` is called for each key file that its profile no longer uses.
    The key file is removed unless another profile uses it.

    Raises :class:`ProfileError` if the profiles cannot be read or a profile would lose safeguards without agreement,
    or ``OSError`` if a file cannot be written or removed. Errors raised by the given functions are passed on. If an
    error is raised before the file is written, nothing changes.
    """
    with locked(profiles_path()) as target:
        before = load_profiles()
        after = change(before)
        if lost := [loss for loss in losses(before.by_name, after.by_name) if loss.profile != agreed]:
            raise ProfileError(f"{listed(lost)} must be confirmed with the profile's name. Nothing was changed.")
        first()
        write_private(target, _as_toml(after))
        for key in left_keys(before.by_name, after.by_name):
            key.remove()
            left(key)
    return after


def _as_toml(profiles: Profiles) -> bytes:
    """Return the content of the file, without default values."""
    table: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    if profiles.current is not None:
        table["default"] = profiles.current
    entries = {name: _entry(profile) for name, profile in profiles.by_name.items()}
    table["profiles"] = {name: entry for name, entry in entries.items() if entry}
    return as_toml(table).encode()


def _entry(profile: Profile) -> dict[str, Any]:
    defaults = {f.name: f.default for f in fields(Profile) if f.default is not MISSING}
    if not profile.embedded:
        defaults["read_only"] = MISSING  # Written even if it is the default, because users look for this line.
    values = {key: getattr(profile, key) for key in _KEYS}
    return {key: _plain(value) for key, value in values.items() if value != defaults[key]}


def _plain(value: Any) -> Any:
    if isinstance(value, (Path, StrEnum)):
        return str(value)
    if isinstance(value, KeySource):
        first = value.argument[0] if value.argument else True
        return {value.kind.value: list(value.argument) if value.kind is SourceKind.COMMAND else first}
    return value
