"""Sentences with the sequence that each one asks for, read from a file; commands.toml says how it is written."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from chartui.core.actions.planner import Plan, plan
from chartui.core.clock import seeded_ids, system_clock
from chartui.demos.sample import samples, scene_of

__all__ = ["TABLE", "Command", "read_commands"]

TABLE: Final = Path(__file__).with_name("commands.toml")
_LISTS: Final = ("actions", "objects", "characters")
_DEMO: Final = {"museum": "Elena Marsh", "forge": "Bran Alder", "bank": "Avery Cole"}


class Scene(NamedTuple):
    """The declared names, in their order."""

    actions: Sequence[str]
    objects: Sequence[str]
    characters: Sequence[str]


class Command(NamedTuple):
    """A sentence in a scene with what is expected; ``miss`` says why it is known to fail, where it is."""

    scene: Scene
    place: str
    say: str
    steps: Sequence[str]
    reply: Sequence[str] = ()
    earlier: Sequence[str] = ()
    whole: bool = False
    miss: str = ""

    def plan(self) -> Plan:
        mentioned: Mapping[str, str] = {}
        for text in self.earlier:
            mentioned = plan(text, *self.scene, mentioned=mentioned).mentioned
        return plan(self.say, *self.scene, mentioned=mentioned)

    def mistake(self) -> str:
        """How the plan differs from what is expected; empty where it does not."""
        planned = self.plan()
        steps = [str(step) for step in planned.steps]
        if steps != list(self.steps):
            return f"expected {list(self.steps)}, planned {steps}; {planned.reply}"
        if self.whole and [planned.reply] != list(self.reply):
            return f"the reply is more than {list(self.reply)}: {planned.reply}"
        lacking = [text for text in self.reply if text.casefold() not in planned.reply.casefold()]
        return f"the reply lacks {lacking}: {planned.reply}" if lacking else ""


def read_commands(path: Path = TABLE) -> list[Command]:
    found = []
    scenes = _demo_scenes()
    for name, table in tomllib.loads(path.read_text(encoding="utf-8")).items():
        scenes[name] = scene = _scene(table, scenes.get(table.get("like", name), Scene((), (), ())))
        for category, rows in table.items():
            if category != "like" and category not in _LISTS:
                found += [Command(scene, f"{name}: {category}", **row) for row in rows]
    return found


def _scene(table: Mapping[str, Any], otherwise: Scene) -> Scene:
    return Scene(*(table.get(name, getattr(otherwise, name)) for name in _LISTS))


def _demo_scenes() -> dict[str, Scene]:
    records = [sample.record for sample in samples("local", ids=seeded_ids(1), clock=system_clock)]
    actions = {str(record["character_name"]): record["character_actions"] for record in records}
    found = {}
    for name, character in _DEMO.items():
        scene = scene_of(character)
        assert scene is not None
        objects, people = ([entry["name"] for entry in scene[kind]] for kind in ("objects", "characters"))
        found[name] = Scene(actions[character], objects, people)
    return found
