"""JSON Schemas for bundles, and for the section files in a bundle's folder."""

from __future__ import annotations

from typing import Any, Final

from chartui.core.actions.scene_file import scene_members
from chartui.core.bundle.model import FORMAT, MEMBERS, SECTION_FORMAT, SLUG, VERSION
from chartui.core.bundle.reader import SCENE_MEMBERS
from chartui.core.schemas import TEXT, TEXTS, document, list_of, table

_FLAG: Final = {"type": "boolean"}
_SLUGS: Final = {"type": "object", "propertyNames": {"pattern": f"^{SLUG.pattern}$"}}
_TARGET: Final = {"type": "string", "minLength": 1}
_SECTION: Final = {
    "name": TEXT,
    "objective": {**TEXT, "description": "What the character does; text in `<speak>…</speak>` is said word for word."},
    "decisions": {
        **list_of(
            table({"when": TEXT, "to": _TARGET, "priority": {"type": "integer"}, "also": TEXT}, needed=("when", "to"))
        ),
        "description": "Decisions in order. An empty list marks an ending.",
    },
    "overrides": {
        **list_of(table({"trigger": _TARGET, "to": TEXT}, needed=("trigger",))),
        "description": "Targets that replace the triggers' own targets in this section.",
    },
}
_TRIGGER: Final = {
    "name": TEXT,
    "message": TEXT,
    "to": {**TEXT, "description": "Target of the trigger. Empty text means no target."},
}


def bundle_schema() -> dict[str, Any]:
    scene = {name: schema for name, schema in scene_members().items() if name in SCENE_MEMBERS}
    settings = {**dict.fromkeys(MEMBERS, TEXT), "temperature": {"type": "number"}}
    return document(
        "A character with its settings, story and scene",
        FORMAT,
        VERSION,
        {
            "folder": {**_FLAG, "description": "Whether each section has its own file in the `sections` folder."},
            "incomplete": {**TEXTS, "description": "Parts that could not be read when the file was written."},
            "character": table(
                {
                    "name": TEXT,
                    **settings,
                    "narrative": {**_FLAG, "description": "Whether the character follows its graph."},
                    "start": {**TEXT, "description": "Start section."},
                    "unread": list_of({"enum": list(MEMBERS)}),
                }
            ),
            "actions": table({"actions": TEXTS, "scene": table(scene)}),
            "keys": {
                "type": "object",
                "description": "Template keys, each with a sample value.",
                "additionalProperties": TEXT,
            },
            "sections": {**_SLUGS, "additionalProperties": table(_SECTION)},
            "triggers": {**_SLUGS, "additionalProperties": table(_TRIGGER)},
            "ids": {"type": "object", "description": "IDs, in files written by earlier versions.", "deprecated": True},
        },
    )


def section_schema() -> dict[str, Any]:
    return document("A section of a bundle, in its own file", SECTION_FORMAT, VERSION, _SECTION)
