"""JSON Schemas for the files that users write. Editors use the schemas to check and complete these files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from pathlib import Path
from types import MappingProxyType, NoneType
from typing import Any, Final, get_args, get_type_hints

from chartui.core import config, own_commands, own_prices, profiles, profiles_file, themes
from chartui.core.credentials import KeySource, SourceKind
from chartui.core.profiles import BUILT_IN, OF_BUILT_IN, SCREEN_NAMES, Mark, Profile
from chartui.core.spec.catalogue import MAX_RATE

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
TEXT: Final[Mapping[str, Any]] = {"type": "string"}
TEXTS: Final[Mapping[str, Any]] = {"type": "array", "items": TEXT}
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
    ]
}
#: Type of a profile's attribute → the schema of its value in the file.
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
#: The settings that have their own schema.
_FORMS: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {"screen": _SCREEN, "refresh": {"type": "number", "minimum": 0, "maximum": 3600}}
)
#: One of the user's own commands.
_OWN: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "title": {"type": "string", "minLength": 1, "maxLength": own_commands.MOST_TITLE},
        "run": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "scope": _SCREEN,
        "key": {"type": "string", "minLength": 1},
        "output": {"enum": list(own_commands.OutputTo), "default": own_commands.OutputTo.PANE},
        "changes": {"type": "boolean", "default": True},
        "seconds": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": own_commands.MOST_SECONDS,
            "default": own_commands.SECONDS,
        },
    }
)
#: A description of each profile setting; the configuration page uses the same words.
_DESCRIPTIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "base_url": "Address of the service.",
        "key": "Source of the API key, never the API key itself.",
        "read_only": "Block all changes.",
        "allow_act": "Allow sending turns to characters even while read-only.",
        "production": "Ask for the profile's name before the first change in a session.",
        "color": "Color that marks the profile (default: depends on the kind of profile).",
        "theme": "Theme of the terminal UI (default: the one in config.toml).",
        "screen": "Screen shown at startup (default: the one in config.toml).",
        "refresh": "Seconds between live refreshes in the terminal UI (at least 5), or 0 to refresh only on request.",
        "remember": (
            "Start with the screens as you left them (default: the value in config.toml, or `false` with `key.ask`)."
        ),
        "rate_card": "Rate card file for an embedded store (default: the reference rates).",
        "key_header": "Header that carries the API key.",
        "send_key_to_estimation": "Send the API key with estimates too.",
        "allow_http": "Allow sending the API key unencrypted to another machine.",
        "ca_file": "File with the certificate authorities to trust (default: the system's).",
        "proxy": "Address of a proxy (default: none).",
        "connect_timeout": "Seconds to wait for a connection.",
        "read_timeout": "Seconds allowed for each 1 KiB of a response.",
        "deadline": "Seconds allowed for a call, including retries; a large response need only begin within this time.",
        "transfer_timeout": "Seconds allowed for large responses (lists, options), if longer than `deadline`.",
        "answer_limit_mib": "Size limit for large responses, in MiB. 64 MiB is about 22 000 character records of 3 kB.",
    }
)


def config_schema(commands: Iterable[str], rules: Iterable[str]) -> dict[str, Any]:
    """Return the JSON Schema of ``config.toml``.

    ``commands`` contains the IDs of the commands that can have shortcuts, and ``rules`` contains the IDs of the lint
    rules that can be disabled.
    """
    key = {"type": "string", "minLength": 1}
    keys = {"anyOf": [key, {"type": "array", "items": key}]}
    reason = {"type": "string", "pattern": r"\S"}
    rate = {"type": "number", "minimum": 0, "maximum": MAX_RATE}
    off = table(dict.fromkeys(rules, reason))
    return document(
        "chartui settings",
        config.FORMAT,
        config.VERSION,
        {
            "theme": {"type": "string", "description": "Theme of the terminal UI."},
            "screen": {"description": "Screen shown at startup.", **_SCREEN, "default": SCREEN_NAMES[0]},
            "clipboard": {
                "description": "Destination of copied text.",
                "enum": list(config.CLIPBOARDS),
                "default": config.CLIPBOARDS[0],
            },
            "ascii": {"type": "boolean", "description": "Draw with ASCII only.", "default": False},
            "plain": {
                "type": "boolean",
                "description": "Write lines of text instead of drawing the screen, for screen readers and logs.",
                "default": False,
            },
            "remember": {"type": "boolean", "description": "Start with the screens as you left them.", "default": True},
            "relock_minutes": {
                "type": "number",
                "description": "Minutes of inactivity before an unlocked production profile locks again (0: never).",
                "minimum": 0,
                "maximum": config.MOST_MINUTES,
                "default": config.RELOCK_MINUTES,
            },
            "price": {
                "type": "string",
                "description": (
                    "Price of 1 000 credits, such as `0.50 EUR`, to show costs in a currency alongside credits."
                ),
            },
            "prices": {
                **table(
                    {
                        key: {**table(dict.fromkeys(rates, rate)), "required": list(rates)}
                        for key, rates in own_prices.RATES.items()
                    }
                ),
                "description": "Your own prices, in credits, for options billed by their provider.",
            },
            "keys": {
                "type": "object",
                "description": "Shortcuts for each command ID. An empty list removes the shortcuts.",
                "properties": dict.fromkeys(commands, keys),
                "additionalProperties": False,
            },
            "commands": {
                "type": "array",
                "description": "Your own commands, which run programs from the terminal UI.",
                "items": {**table(_OWN), "required": ["title", "run"]},
            },
            "backups": {
                **table(
                    {
                        "enabled": {"type": "boolean", "default": True},
                        "keep": {"type": "integer", "minimum": 1, "default": config.Backups().keep},
                        "max_mb": {"type": "integer", "minimum": 1, "default": config.Backups().max_mb},
                    }
                ),
                "description": "Daily copies of the store and the journal.",
            },
            "terminal": {
                **table({name: {"type": "boolean", "default": True} for name in config.TerminalUse._fields}),
                "description": "Terminal features: window title, links, notifications, mouse, partial redraws.",
            },
            "lint": table(
                {"off": {**off, "description": "Story lint rules that are switched off, each with a reason."}}
            ),
        },
    )


def profile_settings_schemas() -> dict[str, Mapping[str, Any]]:
    """Return the schema of each setting of a profile."""
    hints = get_type_hints(Profile)
    return {f.name: _setting(f, hints[f.name]) for f in fields(Profile) if f.name not in ("name", "kind")}


def profiles_schema() -> dict[str, Any]:
    settings = profile_settings_schemas()
    of_built_in = {name: settings[name] for name in OF_BUILT_IN}
    # As in :mod:`chartui.core.profiles`: a service is read-only unless its profile says otherwise.
    of_service = {**settings, "read_only": {**settings["read_only"], "default": True}}
    return document(
        "chartui profiles",
        profiles_file.FORMAT,
        profiles_file.VERSION,
        {
            "default": {"type": "string", "description": "The default profile."},
            "profiles": {
                "type": "object",
                "properties": dict.fromkeys(BUILT_IN, table(of_built_in)),
                "additionalProperties": {**table(of_service), "required": ["base_url"]},
            },
        },
    )


def theme_schema() -> dict[str, Any]:
    color = {"type": "string", "pattern": rf"^(#[0-9a-fA-F]{{6}}|{'|'.join(themes.TERMINAL_COLORS)})$"}
    attribute = "|".join(themes.ATTRIBUTES)
    attributes = {"type": "string", "pattern": rf"^\s*(({attribute})(\s+|$))*$"}
    about = {"type": "string", "maxLength": themes.LONGEST_ABOUT, "description": "Short description of the theme."}
    return document(
        "chartui theme",
        themes.FORMAT,
        themes.VERSION,
        {
            "name": {"type": "string", "description": "Name of the theme. It must match the file name."},
            "about": about,
            "dark": {"type": "boolean", "description": "Whether the background is dark."},
            "colors": table(dict.fromkeys(themes.COLORS, color)),
            "meanings": table(dict.fromkeys(themes.MEANINGS, color)),
            "styles": table(dict.fromkeys(themes.STYLED, attributes)),
        },
    )


def document(
    title: str, name: str, version: int, properties: Mapping[str, Any], *, needed: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the schema of a file with the given format, version and fields. Fields in ``needed`` are required."""
    head = {"format": {"const": name}, "version": {"const": version}}
    return {"$schema": _DIALECT, "title": title, **table({**head, **properties}, needed=(*head, *needed))}


def table(properties: Mapping[str, Any], *, needed: Sequence[str] = ()) -> dict[str, Any]:
    """Return the schema of a table that may contain only the given fields. Fields in ``needed`` are required."""
    members = {name: dict(schema) for name, schema in properties.items()}
    required = {"required": list(needed)} if needed else {}
    return {"type": "object", "properties": members, "additionalProperties": False, **required}


def list_of(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a list whose elements have the given schema."""
    return {"type": "array", "items": dict(item)}


def _setting(setting: Field[Any], hint: Any) -> Mapping[str, Any]:
    [kind] = [part for part in get_args(hint) if part is not NoneType] or [hint]
    form = _FORMS.get(setting.name) or _TYPES[kind]
    schema = {"description": _DESCRIPTIONS[setting.name], **form}
    return schema if setting.default in (None, MISSING) else {**schema, "default": setting.default}
