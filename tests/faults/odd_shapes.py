"""Every odd shape of an answer as a table: where it is shown, what is said of it, and what is there all the same."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

from tests.faults.odd import SOUND

__all__ = ["COMMANDS", "SCREENS", "SHAPES", "Shape"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The operation at the end of ``path`` answers ``body``.

    ``says`` is the sentence that counts what could not be read, empty where everything can. ``shows`` is written all
    the same, and ``hides`` is not; ``seen`` is what a screen shows, the same unless given. ``raw`` is what of the
    unreadable element is shown when it is asked for.
    """

    name: str
    path: str
    body: Any
    says: str = ""
    shows: tuple[str, ...] = ()
    hides: tuple[str, ...] = ()
    raw: str = ""
    seen: tuple[str, ...] | None = None

    def __str__(self) -> str:
        return f"{self.path}: {self.name}"


#: The screens that show an answer, by the end of the path of its operation.
SCREENS: Final[Mapping[str, tuple[str, ...]]] = {
    "list": ("characters", "narrative", "actions"),
    "list-sections": ("narrative",),
    "list-triggers": ("narrative",),
    "getSupportedModel": ("characters",),
    "estimate": ("estimator",),
    "options": ("estimator",),
    "getResponse": ("actions",),
}
#: The commands that read it and write what they read.
COMMANDS: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "list": (
        ("characters", "list"),
        ("characters", "list", "--json"),
        ("characters", "list", "--filter", "mara"),
        ("characters", "show", "c1"),
        ("characters", "show", "c1", "--json"),
        ("characters", "card", "c1"),
        ("characters", "compare", "c1", "c2"),
        ("characters", "models", "c1"),
        ("narrative", "show", "c1"),
        ("estimate", "--character", "c1"),
        ("pull", "c1"),
    ),
    "list-sections": (
        ("narrative", "show", "c1"),
        ("narrative", "show", "c1", "--json"),
        ("narrative", "sections", "list", "c1"),
        ("narrative", "sections", "list", "c1", "--json"),
        ("narrative", "map", "c1"),
        ("narrative", "lint", "c1"),
        ("narrative", "export", "c1"),
        ("narrative", "walk", "--character", "c1", "--random", "--walks", "2"),
        ("pull", "c1"),
    ),
    "list-triggers": (
        ("narrative", "triggers", "list", "c1"),
        ("narrative", "triggers", "list", "c1", "--json"),
        ("narrative", "show", "c1"),
        ("narrative", "export", "c1"),
        ("pull", "c1"),
    ),
    "getSupportedModel": (("characters", "models"), ("characters", "models", "c1", "--json")),
    "estimate": (("estimate",), ("estimate", "--json")),
    "options": (("options",), ("options", "--json")),
    "getResponse": (("act", "c1", "Go.", "--actions", "Rings"), ("act", "c1", "Go.", "--actions", "Rings", "--json")),
}

_RECORDS: Final = SOUND["list"]["characters"]
_FIRST: Final = ("Mara Finch",)


def _listed(*more: Any) -> Any:
    return {"characters": [*_RECORDS, *more]}


def _record(name: str, record: Any, why: str, raw: str) -> Shape:
    says = f"1 record could not be read: {why}" if why else ""
    return Shape(name=name, path="list", body=_listed(record), says=says, shows=_FIRST, raw=raw)


_OF_RECORDS: Final = (
    _record("a record that is null", None, "expected an object, got null", "null"),
    _record("a record that is text", "c9", "expected an object, got text", '"c9"'),
    _record("a record without an id", {"character_name": "Nobody"}, "character_id: missing", '"Nobody"'),
    _record("a record whose id is null", {"character_id": None}, "character_id: expected text, got null", "null"),
    _record("a record whose id is a number", {"character_id": 7, "character_name": "Seven"}, "", ""),
    _record("a record with a member that is odd", {"character_id": "c3", "is_narrative_driven": [1]}, "", ""),
    Shape(name="records in data", path="list", body={"data": _RECORDS}, shows=_FIRST),
)


def _section(place: int = 0, **members: Any) -> list[Any]:
    sections: list[Any] = deepcopy(SOUND["list-sections"])
    sections[place].update(members)
    return sections


def _without(member: str) -> list[Any]:
    sections = _section()
    del sections[0]["decisions"][0][member]
    return sections


def _graph(name: str, body: Any, says: str = "", raw: str = "", hides: tuple[str, ...] = ()) -> Shape:
    shows = ("The gate", "The hall", "The road")
    return Shape(name=name, path="list-sections", body=body, says=says, shows=shows, hides=hides, raw=raw)


_ONWARD: Final = {"criteria": "They go on", "next_section_id": "s2"}
_OF_SECTIONS: Final = (
    _graph("triggers as ids", _section(triggers=["t1"])),
    _graph("a position as an object", _section(node_position={"x": 1, "y": 2})),
    _graph("criteria that are null", _section(decisions=[{"criteria": None, "next_section_id": "s2"}])),
    _graph("a target that is null", _section(decisions=[{"criteria": "They go on", "next_section_id": None}])),
    _graph("a target that is absent", _without("next_section_id")),
    _graph("decisions as JSON text", _section(decisions=json.dumps([_ONWARD]))),
    _graph("sections in data", {"data": _section()}),
    _graph(
        "decisions as another text",
        _section(decisions="none"),
        "1 member could not be read: decisions: expected a list, got text",
        '"none"',
    ),
    _graph(
        "a decision that is null",
        _section(decisions=[None, _ONWARD]),
        "1 decision could not be read: expected an object, got null",
        "null",
    ),
    _graph(
        "a section without an id",
        [*_section(), {"section_name": "Lost room"}],
        "1 section could not be read: section_id: missing",
        '"Lost room"',
        ("Lost room",),
    ),
    _graph(
        "a section that is null",
        [None, *_section()],
        "1 section could not be read: expected an object, got null",
        "null",
    ),
    _graph(
        "several at once",
        [None, *_section(), 7, {"section_name": "Lost room"}],
        "3 sections could not be read",
        "null",
        ("Lost room",),
    ),
)

_TRIGGERS: Final = SOUND["list-triggers"]


def _trigger(name: str, trigger: Any, why: str, raw: str) -> Shape:
    says = f"1 trigger could not be read: {why}"
    body = [*_TRIGGERS, trigger]
    return Shape(name=name, path="list-triggers", body=body, says=says, shows=("Rain", "Night"), raw=raw)


_OF_TRIGGERS: Final = (
    Shape(name="a trigger as its id", path="list-triggers", body=[*_TRIGGERS, "T1"], shows=("Rain", "Night", "T1")),
    _trigger("a trigger that is a number", 5, "expected an object, got a number", "5"),
    _trigger("a trigger that is null", None, "expected an object, got null", "null"),
    _trigger("a trigger without an id", {"trigger_name": "Snow"}, "trigger_id: missing", '"Snow"'),
)


def _models(name: str, status: Any, says: str = "", raw: str = "") -> Shape:
    shows, seen = ("mdla-4o",), ("Family A 4o",)
    return Shape(name=name, path="getSupportedModel", body=status, says=says, shows=shows, raw=raw, seen=seen)


_MODEL: Final = {"model_group_name": "mdla-4o", "display_name": "Family A 4o"}
_OF_MODELS: Final = (
    _models(
        "a model without a code",
        {"STATUS": json.dumps([_MODEL, {"display_name": "Nameless"}])},
        "1 model could not be read: model_group_name: missing",
        '"Nameless"',
    ),
    _models("models as a list", {"STATUS": [_MODEL]}),
    _models("a map of models", {"STATUS": json.dumps({"mdla-4o": {"display_name": "Family A 4o"}})}),
)


def _estimate(name: str, says: str = "", raw: str = "", shows: tuple[str, ...] = ("12.5",), **members: Any) -> Shape:
    body = {name: value for name, value in {**SOUND["estimate"], **members}.items() if value != "absent"}
    seen = ("500 – 900 ms", *shows[1:])
    return Shape(name=name, path="estimate", body=body, says=says, shows=shows, raw=raw, seen=seen)


_LINES: Final = SOUND["estimate"]["lines"]
_OF_ESTIMATES: Final = (
    _estimate("a total as text", totals={"credits": "12.5"}),
    _estimate("no lines", "1 member could not be read: lines: missing", lines="absent"),
    _estimate("a version as text", rate_card={"version": "7", "effective_date": "2026-09-01"}),
    _estimate(
        "a version as a word",
        "1 member could not be read: version: expected a number, got text",
        '"seven"',
        rate_card={"version": "seven"},
    ),
    _estimate(
        "a line that is null",
        "1 line could not be read: expected an object, got null",
        "null",
        ("12.5", "Platform"),
        lines=[None, *_LINES],
    ),
    _estimate(
        "a line without a key",
        "1 line could not be read: key: missing",
        '"Odd one"',
        ("12.5", "Platform"),
        lines=[*_LINES, {"label": "Odd one", "credits": 1}],
    ),
    _estimate(
        "totals as text",
        "1 member could not be read: totals: expected an object, got text",
        '"much"',
        (),
        totals="much",
    ),
)


def _options(name: str, **members: Any) -> Shape:
    return Shape(name=name, path="options", body={**SOUND["options"], **members})


_OF_OPTIONS: Final = (
    _options("options as a list", options=[1, None, "x"]),
    _options("options as text", options="all of them"),
    _options("choices as text", options={"llm": "any", "stt": {"a": None}, "tts": [None, 3]}),
    _options("defaults as a list", defaults=["x"]),
    _options("plans as an object", plans={"a": 1}),
)


def _turn(name: str, says: str = "", raw: str = "", shows: tuple[str, ...] = ("The bell it is.",), **new: Any) -> Shape:
    body = {name: value for name, value in {**SOUND["getResponse"], **new}.items() if value != "absent"}
    return Shape(name=name, path="getResponse", body=body, says=says, shows=shows, raw=raw)


_OF_TURNS: Final = (
    _turn("a sequence that is null", actionSequence=None),
    _turn("no sequence", actionSequence="absent"),
    _turn("a sequence as a list", shows=("The bell it is.", "Rings"), actionSequence=["Rings Bell"]),
    _turn(
        "a sequence as an object",
        "1 member could not be read: actionSequence: expected text, got an object",
        '"first"',
        actionSequence={"first": "Rings"},
    ),
    _turn("no words", shows=("Rings",), text="absent", response="absent"),
    _turn("a session as a number", shows=("The bell it is.", "4711"), sessionID=4711),
    _turn("members that nobody knows", shows=("The bell it is.", "mood", "glad"), mood="glad", audio="QUJD" * 100),
    _turn("an error beside the reply", shows=("The bell it is.", "voice failed"), internal_error="voice failed"),
)

SHAPES: Final = (
    *_OF_RECORDS,
    *_OF_SECTIONS,
    *_OF_TRIGGERS,
    *_OF_MODELS,
    *_OF_ESTIMATES,
    *_OF_OPTIONS,
    *_OF_TURNS,
)
