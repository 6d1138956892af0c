"""The scenes of the demo: one for each character, and the planner does all that each asks for."""

from __future__ import annotations

from typing import Any

import pytest

from chartui.core.actions.planner import plan
from chartui.core.actions.remarks import Remarks
from chartui.core.actions.turn import faults
from chartui.core.clock import seeded_ids, system_clock
from chartui.demos.sample import samples, scene_of

RECORDS = [sample.record for sample in samples("local", ids=seeded_ids(1), clock=system_clock)]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: str(record["character_name"]))
def test_a_scene_fits_its_character_and_every_word_is_obeyed(record: dict[str, Any]) -> None:
    scene = scene_of(record["character_name"])
    assert scene is not None
    actions = record["character_actions"]
    assert list(faults(actions, scene["objects"])) == []
    objects, people = ([entry["name"] for entry in scene[kind]] for kind in ("objects", "characters"))
    planned = plan(scene["text"], actions, objects, people)
    assert len(planned.steps) >= 3
    # There is nothing to say but what is done.
    assert planned.reply == Remarks(actions, [*objects, *people]).reply(planned.steps)


def test_nobody_else_has_one() -> None:
    assert scene_of("Somebody") is None
