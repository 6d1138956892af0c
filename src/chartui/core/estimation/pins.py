"""Pins assign a price to models and voices that no built-in rule covers.

They are set in a file in the configuration folder::

    format = "chartui-pins"
    version = 1

    [models]
    "mdlc-flash" = "mdlc_3_7_flash_low"          # a model code → the estimator option that prices it

    [voices]
    "English UK, warm, female 2" = "tts_1_hd"    # a character's voice → the speech output option that prices it

Pins are needed for flagship aliases, because the model behind an alias changes over time, and for the custom models of
an account, which the program does not know (section 5 of the decisions). Voices need pins because the specification
does not say which option is billed for a voice (decision 63). Mistakes in the file never stop the program. They are
reported, and the affected entries are skipped. The program rewrites the whole file, so comments in the file are lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from chartui.core.classes import dataclass
from chartui.core.file_lock import rewrite
from chartui.core.paths import pins_path
from chartui.core.spec.catalogue import counterpart
from chartui.core.tables import BadTable, Reader, as_toml, typed

FORMAT: Final = "chartui-pins"
VERSION: Final = 1
#: Maximum length of a code or key.
_MOST: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Pins:
    """The options pinned to models and voices.

    ``problems`` contains a sentence for each mistake in the file. The sentence names the file and the location, and
    suggests a fix.
    """

    models: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    voices: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    problems: tuple[str, ...] = ()

    def with_model(self, code: str, key: str | None) -> Pins:
        return replace(self, models=_with(self.models, code, key))

    def with_voice(self, voice: str, key: str | None) -> Pins:
        return replace(self, voices=_with(self.voices, voice, key))


def _with(entries: Mapping[str, str], name: str, key: str | None) -> Mapping[str, str]:
    others = {other: value for other, value in entries.items() if other != name}
    return MappingProxyType(others if key is None else {**others, name: key})


def why_not_pinned(code: str) -> str:
    """Return a sentence that says why a model code cannot be pinned. Return an empty string if it can be pinned."""
    entry = counterpart(code)
    if entry is None or not entry.keys:
        return ""
    keys = dict.fromkeys(entry.keys.values())
    return f"'{code}' needs no pin, because the estimator prices it as {', '.join(keys)}."


def load_pins(path: Path | None = None) -> Pins:
    """Read the pins file, if it exists.

    No errors are raised. Mistakes in the file are listed in ``problems``.
    """
    path = path or pins_path()
    reader = Reader(path, FORMAT, VERSION, ("models", "voices"))
    models = _entries(reader, "models")
    for code, why in {code: why_not_pinned(code) for code in models}.items():
        if why:
            reader.add(f"models: {why} Remove the line.", at=f"models.{code}")
            del models[code]
    voices = _entries(reader, "voices")
    return Pins(models=MappingProxyType(models), voices=MappingProxyType(voices), problems=reader.problems)


def _entries(reader: Reader, part: str) -> dict[str, str]:
    found = {name: reader.take(_key, name, value, part) for name, value in reader.entries(part).items()}
    return {name: key for name, key in found.items() if key is not None}


def _key(name: str, value: Any, part: str) -> str:
    key = typed(value, str, f'{part}."{name}"', "an estimator option, as text")
    if not name or not key or max(len(name), len(key)) > _MOST:
        raise BadTable(f'{part}."{name[:40]}" must be between 1 and {_MOST} characters long, and so must its option.')
    return key


def pins_schema() -> dict[str, Any]:
    from chartui.core.schemas import document

    text = {"type": "string", "minLength": 1, "maxLength": _MOST}
    entries = {"type": "object", "propertyNames": text, "additionalProperties": text}
    return document(
        "Prices for models and voices without a built-in price",
        FORMAT,
        VERSION,
        {
            "models": {**entries, "description": "Model codes, each with the estimator option that sets its price."},
            "voices": {**entries, "description": "Character voices, each with the estimator option for speech output."},
        },
    )


def change_pins(change: Callable[[Pins], Pins], path: Path | None = None) -> None:
    """Read the pins, apply ``change`` and write the result, all under one lock.

    Raises ``OSError`` if the file cannot be written. Raises :class:`BadTable` if the file contains mistakes, because
    rewriting the file would lose the incorrect entries. Raises ``ValueError`` for values that TOML cannot contain. If
    an error is raised, the file is unchanged.
    """
    path = path or pins_path()

    def content() -> bytes:
        pins = load_pins(path)
        if pins.problems:
            raise BadTable(f"{pins.problems[0]} Fix this problem first. Nothing was written.")
        pins = change(pins)
        table = {"format": FORMAT, "version": VERSION, "models": dict(pins.models), "voices": dict(pins.voices)}
        return as_toml(table).encode()

    rewrite(path, content)
