"""Characters to make bundles of: written by hand, or any at all from hypothesis."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from hypothesis import strategies as st

from chartui.core.character import Reading
from chartui.core.jsontext import Wire
from chartui.core.service import Service
from chartui.core.spec.models.narrative import Decision
from chartui.core.spec.shape import build
from tests import writes

__all__ = ["HOSTILE", "Cast", "cast", "casts", "hall_and_gate", "reading"]

#: Texts that a file must give back letter by letter.
HOSTILE: Final = (
    "",
    " ",
    "Gate",
    "gate",
    'says "yes"',
    '"""',
    'ends in "',
    "'''",
    "back\\slash\\",
    "two\nlines",
    "\nfirst empty, last with a blank \n",
    "carriage\r\nreturn\r",
    "tab\tand\x00null\x1b]0;title\x07",
    "\u202eright to left\u2066",
    "e\u0301\u0302\u0303\u0304\u0305 piled up",
    "日本語 🏰 Ünï",
    "# no comment",
    "[sections.gate]",
    "id:gate",
    "*",
    "{Key}",
    "<speak>a</speak>",
    "\ufeff\u2028\x85\x0b",
    'line """ with\nthree """" quotes"""',
    "blank at the end \nand none",
)


def reading(now: dict[str, Wire] | None = None, **record: Wire) -> Reading:
    """A character as it was read; without ``now`` all four settings are told."""
    settings = {"model_group_name": None, "temperature": None, "reasoning_effort": None, "backstory": None}
    told = {**settings, **(now or {})}
    return Reading({"character_id": "c1", "character_name": "Mira", **record}, told, told, {})


class Cast:
    """What a character is made of, in the order in which it is made; a target is the number of a section."""

    def __init__(self, random: Random, sections: int, triggers: int) -> None:
        numbers = range(sections)
        self.name = random.choice(HOSTILE[2:])
        self.backstory = random.choice((None, *HOSTILE))
        self.temperature = random.choice(("0", "0.25", "1"))
        self.level = random.choice(("", "low", "auto"))
        self.enabled = random.random() < 0.5
        self.start = random.choice((None, *numbers))
        self.words = [random.choice(HOSTILE[2:]) for _ in range(random.choice((0, 2)))]
        self.sections = [(random.choice(HOSTILE), random.choice(HOSTILE)) for _ in numbers]
        self.decisions: list[list[dict[str, Any]] | None] = [
            random.choice((None, self._ways(random, sections))) if sections else None for _ in numbers
        ]
        self.triggers = [
            (f"{random.choice(HOSTILE)}{number}", random.choice(HOSTILE), random.choice((None, *numbers)))
            for number in range(triggers)
        ]
        self.overrides = [
            (random.randrange(sections), random.randrange(triggers), random.randrange(sections))
            for _ in range(random.choice((0, 1, 3)) if sections and triggers else 0)
        ]

    def _ways(self, random: Random, sections: int) -> list[dict[str, Any]]:
        ways = []
        for _ in range(random.choice((0, 1, 1, 2, 4))):
            priority = random.choice(({}, {}, {"priority": random.choice((-1, 0, 3))}))
            ways.append({"criteria": random.choice(HOSTILE), "target": random.randrange(sections), **priority})
        return ways


@st.composite
def casts(draw: st.DrawFn, *, largest: int = 12) -> Cast:
    random = draw(st.randoms(use_true_random=False))
    return Cast(random, draw(st.integers(0, largest)), draw(st.integers(0, 4)))


async def cast(service: Service, made: Cast) -> str:
    """Put a character into a store; gives its id."""
    character_id = await writes.create_character(
        service, made.name, backstory=made.backstory, record={"character_actions": made.words}
    )
    from decimal import Decimal

    await writes.update_character(
        service, character_id, model="mdla-5.1", temperature=Decimal(made.temperature), reasoning_effort=made.level
    )
    ids = [await writes.create_section(service, character_id, name, objective) for name, objective in made.sections]
    for section_id, ways in zip(ids, made.decisions, strict=True):
        if ways is not None:
            decisions = [build(Decision, {**_without(way), "next_section_id": ids[way["target"]]}) for way in ways]
            await writes.edit_section(service, character_id, section_id, decisions=decisions)
    events = []
    for name, message, target in made.triggers:
        destination = None if target is None else ids[target]
        events.append((await writes.create_trigger(service, character_id, name, message, destination)).trigger_id)
    for holder, event, target in made.overrides:
        await writes.set_override(service, character_id, ids[holder], events[event], ids[target])
    await writes.set_start_section(service, character_id, None if made.start is None else ids[made.start])
    await writes.toggle_narrative(service, character_id, made.enabled)
    return character_id


def _without(way: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in way.items() if name != "target"}


async def hall_and_gate(service: Service, name: str = "Mira") -> str:
    """A small character with something of everything; gives its id."""
    character_id = await writes.create_character(service, name, backstory="She keeps the gate.")
    gate = await writes.create_section(service, character_id, "Gate", "Ask who is there.")
    hall = await writes.create_section(service, character_id, "Hall", "Show the guest around.")
    way = build(Decision, {"criteria": "gives a name", "next_section_id": hall})
    await writes.edit_section(service, character_id, gate, decisions=[way])
    bell = (await writes.create_trigger(service, character_id, "bell", "It rings.", gate)).trigger_id
    await writes.set_override(service, character_id, hall, bell, hall)
    return character_id
