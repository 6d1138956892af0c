"""JSON Schemas of the files that people write, for editors that check and complete them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields
from pathlib import Path
from types import MappingProxyType, NoneType
from typing import Any, Final, get_args, get_type_hints

from chartui.core import config, profiles, themes
from chartui.core.credentials import KeySource, SourceKind
from chartui.core.profiles import BUILT_IN, OF_BUILT_IN, SCREEN_NAMES, Mark, Profile

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_SCREEN: Final = {"enum": list(SCREEN_NAMES)}
_SOURCE: Final = {
    "oneOf": [
        {
            "type": "object",
            "properties": {
                kind.value: {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1}
                if kind is SourceKind.COMMAND
                else {"type": "string", "minLength": 1}
                if kind in (SourceKind.ENV, SourceKind.FILE)
                else {"const": True}
            },
            "required": [kind.value],
            "additionalProperties": False,
        }
        for kind in SourceKind
    ],
}
#: Type of a profile's attribute → what its value is in the file.
_TYPES: Final[Mapping[Any, Mapping[str, Any]]] = MappingProxyType(
    {
        bool: {"type": "boolean"},
        float: {"type": "number", "exclusiveMinimum": 0, "maximum": 3600},
        int: {"type": "integer", "minimum": 1, "maximum": profiles.MOST_MIB},
        str: {"type": "string"},
        Path: {"type": "string"},
        Mark: {"enum": list(Mark)},
        KeySource: _SOURCE,
    }
)
#: What each setting of a profile says; the page about the configuration says it in the same words.
_SAYS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "base_url": "The address of the service.",
        "key": "Where the key comes from; never the key itself.",
        "read_only": "Refuse everything that changes something.",
        "allow_act": "Let characters be spoken to all the same.",
        "production": "Ask for the profile's name before the first change of a session.",
        "color": "The colour it is marked with; else by its kind.",
        "theme": "The theme of the terminal UI; else that of config.toml.",
        "screen": "The screen to start with; else that of config.toml.",
        "rate_card": "A file of rates for a store to compute with; else the one that comes along.",
        "key_header": "The header that carries the key.",
        "send_key_to_estimation": "Ask for estimates with the key as well.",
        "allow_http": "Send the key unencrypted to another machine.",
        "ca_file": "The certificate authorities to trust; else those of the system.",
        "proxy": "The address of a proxy; else none.",
        "connect_timeout": "Seconds to wait for a connection.",
        "read_timeout": "Seconds without data, or with less than 1 KiB of it, until an answer is given up.",
        "deadline": "Seconds for a call, retries included; for a large answer, until it begins.",
        "transfer_timeout": "Seconds for a large answer (lists, options), if that is more than `deadline`.",
        "answer_limit_mib": "The largest such answer, in MiB; 64 is about 22 000 characters of 3 kB.",
    }
)


def config_schema(commands: Iterable[str], rules: Iterable[str]) -> dict[str, Any]:
    """The schema of ``config.toml``: ``commands`` can be given keys, ``rules`` switched off, all by their ids."""
    key = {"type": "string", "minLength": 1}
    keys = {"anyOf": [key, {"type": "array", "items": key}]}
    reason = {"type": "string", "pattern": r"\S"}
    off = _table(dict.fromkeys(rules, reason))
    return document(
        "The settings of chartui",
        config.FORMAT,
        config.VERSION,
        {
            "theme": {"type": "string", "description": "The theme of the terminal UI."},
            "screen": {"description": "The screen to start with.", **_SCREEN, "default": SCREEN_NAMES[0]},
            "clipboard": {
                "description": "Where copied text goes.",
                "enum": list(config.CLIPBOARDS),
                "default": config.CLIPBOARDS[0],
            },
            "ascii": {"type": "boolean", "description": "Whether nothing but ASCII is drawn.", "default": False},
            "relock_minutes": {
                "type": "number",
                "description": "Idle minutes until an unlocked production profile is read-only again; 0 for never.",
                "minimum": 0,
                "maximum": config.MOST_MINUTES,
                "default": config.RELOCK_MINUTES,
            },
            "keys": {
                "type": "object",
                "description": "The keys of commands, by id; an empty list takes them all away.",
                "properties": dict.fromkeys(commands, keys),
                "additionalProperties": False,
            },
            "backups": {
                **_table(
                    {
                        "enabled": {"type": "boolean", "default": True},
                        "keep": {"type": "integer", "minimum": 1, "default": config.Backups().keep},
                        "max_mb": {"type": "integer", "minimum": 1, "default": config.Backups().max_mb},
                    }
                ),
                "description": "The daily copies of store and journal.",
            },
            "lint": _table({"off": {**off, "description": "Rules about stories that are not looked at, and why."}}),
        },
    )


def profiles_schema() -> dict[str, Any]:
    """The schema of ``profiles.toml``."""
    hints = get_type_hints(Profile)
    settings = {f.name: _setting(f, hints[f.name]) for f in fields(Profile) if f.name not in ("name", "kind")}
    of_built_in = {name: settings[name] for name in OF_BUILT_IN}
    # As :mod:`chartui.core.profiles` has it: nobody's live account is changed by accident.
    of_service = {**settings, "read_only": {**settings["read_only"], "default": True}}
    return document(
        "The profiles of chartui",
        profiles.FORMAT,
        profiles.VERSION,
        {
            "current": {"type": "string", "description": "The profile that is used when none is named."},
            "profiles": {
                "type": "object",
                "properties": dict.fromkeys(BUILT_IN, _table(of_built_in)),
                "additionalProperties": {**_table(of_service), "required": ["base_url"]},
            },
        },
    )


def theme_schema() -> dict[str, Any]:
    """The schema of a theme's file."""
    color = {"type": "string", "pattern": rf"^(#[0-9a-fA-F]{{6}}|{'|'.join(themes.TERMINAL_COLORS)})$"}
    attribute = "|".join(themes.ATTRIBUTES)
    attributes = {"type": "string", "pattern": rf"^\s*(({attribute})(\s+|$))*$"}
    about = {"type": "string", "maxLength": themes.LONGEST_ABOUT, "description": "What it is like, in a sentence."}
    return document(
        "A theme of chartui",
        themes.FORMAT,
        themes.VERSION,
        {
            "name": {"type": "string", "description": "As the file is called."},
            "about": about,
            "dark": {"type": "boolean", "description": "Whether its ground is dark."},
            "colors": _table(dict.fromkeys(themes.COLORS, color)),
            "meanings": _table(dict.fromkeys(themes.MEANINGS, color)),
            "styles": _table(dict.fromkeys(themes.STYLED, attributes)),
        },
    )


def document(title: str, name: str, version: int, properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of a file that says its format and version, and has these other members."""
    head = {"format": {"const": name}, "version": {"const": version}}
    table = _table({**head, **properties})
    return {"$schema": _DIALECT, "title": title, **table, "required": list(head)}


def _table(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(properties), "additionalProperties": False}


def _setting(setting: Field[Any], hint: Any) -> Mapping[str, Any]:
    [kind] = [part for part in get_args(hint) if part is not NoneType] or [hint]
    form = _SCREEN if setting.name == "screen" else _TYPES[kind]
    said = {"description": _SAYS[setting.name], **form}
    return said if setting.default in (None, MISSING) else {**said, "default": setting.default}
