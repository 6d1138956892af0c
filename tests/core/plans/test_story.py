"""From one story to another in the fewest operations, whatever the two are, on the embedded store and over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path as FilePath
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.journal import Journal
from chartui.core.narrative.edits import difference
from chartui.core.narrative.story import Story, decision, overrides_of, said
from chartui.core.plans.executor import Executor, Progress
from chartui.core.plans.narrative import BadReference
from chartui.core.plans.plan import Plan, from_wire, to_wire
from chartui.core.plans.story import StorySteps, story_steps, with_errors
from chartui.core.plans.wording import brings_text, fixes_text
from chartui.core.profiles import Place
from chartui.core.service import Service
from chartui.core.spec.models.characters import Character
from chartui.core.spec.models.narrative import Decision, Section, Trigger
from chartui.core.spec.operations import operation
from chartui.core.spec.shape import build
from tests.contract.seed import ALARM, BELL, END, GATE, HALL, KEEPER
from tests.contract.world import Path, Switch, Template, World, make_template

PLACE = Place("work", "somewhere")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    return make_template(tmp_path_factory.mktemp("seed"))


class Desk:
    """Somebody who reads stories and sends others by one of the paths to a store."""

    def __init__(self, world: World, journal: Journal, character_id: str = KEEPER) -> None:
        self.service: Service = world.service()
        self._inside = world.inside()
        self._journal = journal
        self.character_id = character_id

    async def put(self, story: Story, character_id: str) -> None:
        """Store a story for a character of its own."""
        self.character_id = character_id
        record = {
            "character_id": character_id,
            "character_name": "Any",
            "start_narrative_section_id": story.start,
            "is_narrative_driven": bool(story.enabled),
        }
        snapshot = {
            "record": record,
            "sections": [dict(section.raw) for section in story.sections.values()],
            "triggers": [dict(trigger.raw) for trigger in story.triggers.values()],
        }
        await self._inside.call(operation("restore-character"), {"snapshot": snapshot})

    async def read(self) -> tuple[Character, Story]:
        character = await self.service.character(self.character_id)
        assert character is not None
        sections, triggers = (
            await self.service.sections(self.character_id),
            await self.service.triggers(self.character_id),
        )
        return character, Story.of(character, sections, triggers)

    async def send(self, wanted: Story) -> tuple[StorySteps, Progress]:
        character, stored = await self.read()
        made = story_steps(character, stored, wanted, embedded=self.service.embedded)
        plan = Plan(id=f"plan-{id(made)}", title="Story", steps=made.steps, notes=made.left_out)
        progress = [one async for one in Executor(self.service, self._journal, PLACE).run(plan)][-1]
        return made, progress


def made_ids(made: StorySteps, progress: Progress) -> dict[str, str]:
    ids = {}
    for number, item in made.makes.items():
        answer: Any = progress.answers[number]
        ids[item] = answer.get("section_id") if "trigger_id" not in answer else answer["trigger_id"]
    return ids


@asynccontextmanager
async def desk(path: Path, template: Template, folder: FilePath) -> AsyncIterator[Desk]:
    async with World.opened(path, template, folder, Switch()) as world:
        journal = Journal(folder / "journal.db")
        try:
            yield Desk(world, journal)
        finally:
            await journal.aclose()


# -- any story into any other ------------------------------------------------------------------------------------------


def any_story(random: Random, prefix: str) -> Story:
    """A story as a store may hold it: cycles, self loops, dangling references, overrides of what is there or gone."""
    sections = [f"{prefix}s{number}" for number in range(random.choice([0, 1, 2, 4, 8, 15]))]
    triggers = [f"{prefix}t{number}" for number in range(random.choice([0, 1, 3, 5]))]
    targets = [*sections, f"{prefix}gone"]

    def ways() -> list[dict[str, Any]] | None:
        if random.random() < 0.2:
            return None
        priority = random.choice([{}, {}, {"priority": random.randrange(3)}])
        return [
            {"criteria": random.choice(["a", "b", "*"]), "next_section_id": random.choice(targets), **priority}
            for _ in range(random.randrange(3))
        ]

    def overrides() -> list[dict[str, Any]]:
        chosen = random.sample([*triggers, f"{prefix}t-gone"], k=random.choice([0, 0, 1]))
        # One of a trigger that is gone can only be taken away.
        return [
            {"trigger_id": one, "destination_section": random.choice(targets) if one in triggers else f"{prefix}off"}
            for one in chosen
        ]

    raw = {"objective": "o", "updated_character_data": None, "bt_constants": None, "behavior_tree_code": None}
    return Story(
        sections={
            key: build(
                Section,
                {**raw, "section_id": key, "section_name": key, "decisions": ways(), "triggers": overrides()}
                | {"node_position": []},
            )
            for key in sections
        },
        triggers={
            key: build(
                Trigger,
                {
                    "trigger_id": key,
                    "trigger_name": key,
                    "trigger_message": "m",
                    "destination_section": random.choice([*targets, None]),
                    "node_position": [],
                },
            )
            for key in triggers
        },
        start=random.choice([*sections, None, f"{prefix}gone"]),
        enabled=random.random() < 0.5,
    )


def any_other(random: Random, story: Story) -> Story:
    """Another story that somebody may make of it."""
    wanted = story
    for _ in range(random.choice([0, 1, 3])):
        wanted = wanted.with_section(wanted.fresh_id(), name="New", objective="n")
    for key in [key for key in wanted.sections if random.random() < 0.2]:
        wanted = wanted.without_section(key)
    if "gone" in str(wanted.start) and random.random() < 0.5:
        wanted = wanted.with_section(str(wanted.start), name="Back again", objective="n")
    for key in [key for key in wanted.triggers if random.random() < 0.2]:
        if wanted.sections and random.random() < 0.5:
            wanted = wanted.overriding(random.choice(list(wanted.sections)), key, random.choice(list(wanted.sections)))
        wanted = wanted.without_trigger(key)
    for _ in range(random.choice([0, 0, 1, 2])):
        key = wanted.fresh_id("trigger")
        wanted = wanted.with_trigger(key, name=f"{key}!", message="n")
    places = list(wanted.sections)
    for key in [key for key in places if random.random() < 0.5]:
        kept = list(wanted.sections[key].decisions or ())
        random.shuffle(kept)
        new = [decision("c", random.choice(places)) for _ in range(random.choice([0, 1, 2]))]
        wanted = wanted.with_ways(key, [*kept[:2], *new])
        if random.random() < 0.4:
            wanted = wanted.with_section(key, name="Renamed", objective=random.choice(["o", "p"]))
    for key in [key for key in wanted.triggers if places and random.random() < 0.5]:
        wanted = wanted.with_trigger(key, destination=random.choice([*places, None]))
        if random.random() < 0.5:
            wanted = wanted.overriding(random.choice(places), key, random.choice([*places, None]))
    return _renaming(random, wanted).starting_at(random.choice([*places, None, wanted.start]))


def _renaming(random: Random, wanted: Story) -> Story:
    """Names of triggers that go round, in circles and along chains."""
    keys = [key for key in wanted.triggers if random.random() < 0.7]
    names = [wanted.triggers[key].trigger_name for key in keys]
    random.shuffle(names)
    if names and random.random() < 0.5:
        names[random.randrange(len(names))] = "quite another"
    for key, name in zip(keys, names, strict=True):
        wanted = wanted.with_trigger(key, name=name)
    return wanted


def fewest(stored: Story, wanted: Story) -> int:
    """How many operations it takes at least: one for every changed thing, two for a new section of which one
    knows what comes next, and one more for every circle of names.
    """
    # What is there again has another id, and everything that mentions it is to be changed.
    wanted = wanted.renamed({key: f"{key} again" for key in stored.mentioned() if key in _new(stored, wanted)})
    edits = difference(stored, wanted)
    number = 0
    for key, (before, after) in edits.sections.items():
        old, new = overrides_of(before), overrides_of(after)
        number += sum(old.get(one) != new.get(one) for one in {*old, *new}) if after is not None else 0
        if before is None and after is not None:
            number += 1 if after.decisions is None else 2
        elif before is None or after is None:
            number += 1
        else:
            members = ("section_name", "objective", "decisions")
            number += any(said(before, m) != said(wanted.sections[key], m) for m in members)
    number += len(edits.triggers) + _circles(stored, wanted)
    number += wanted.enabled != stored.enabled
    first = next((key for key in wanted.sections if key not in stored.sections), None)
    new_start = wanted.start if wanted.start not in stored.sections and wanted.start in wanted.sections else first
    taken = new_start if stored.start is None and first is not None else stored.start
    start = wanted.start if wanted.start in wanted.sections or wanted.start == stored.start else None
    falls = start is None and taken in stored.sections and taken not in wanted.sections
    return number + (start != taken and not falls and wanted.start != taken)


def _new(stored: Story, wanted: Story) -> set[str]:
    return {key for key in wanted.sections if key not in stored.sections}


def _circles(stored: Story, wanted: Story) -> int:
    holder = {one.trigger_name: key for key, one in stored.triggers.items() if key in wanted.triggers}
    leads = {key: holder.get(wanted.triggers[key].trigger_name) for key in holder.values()}
    found: set[frozenset[str]] = set()
    for key in leads:
        path: list[str] = []
        here: str | None = key
        while here is not None and here not in path:
            path.append(here)
            here = leads.get(here)
        if here == key and len(path) > 1:
            found.add(frozenset(path))
    return len(found)


@contextmanager
def own_loop() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


def test_any_story_becomes_any_other_in_the_fewest_operations(template: Template, tmp_path: FilePath) -> None:
    with own_loop() as runner:
        context = desk(Path.LOCAL, template, tmp_path)
        somebody = runner.run(context.__aenter__())
        turns = iter(range(1_000_000))

        @given(st.randoms(use_true_random=True))
        def check(random: Random) -> None:
            prefix = f"c{next(turns)}-"
            stored = any_story(random, prefix)
            wanted = any_other(random, stored)
            runner.run(_becomes(somebody, prefix, stored, wanted))

        try:
            check()
        finally:
            runner.run(context.__aexit__(None, None, None))


async def _becomes(somebody: Desk, prefix: str, stored: Story, wanted: Story) -> None:
    await somebody.put(stored, f"{prefix}character")
    _, read = await somebody.read()
    assert not difference(stored, read)
    wanted = wanted.switched(not read.enabled) if len(wanted.sections) % 2 else wanted
    made, progress = await somebody.send(wanted)
    assert progress.ok, (progress.errors, made.steps)
    assert len(made.steps) == fewest(read, wanted), [step.changes for step in made.steps]
    assert made.left_out == ()
    _, after = await somebody.read()
    aim = wanted.renamed(made_ids(made, progress))
    left = difference(after, aim)
    if left.start is not None:
        # The start went with its section.
        assert (after.start, aim.start in aim.sections) == (None, False)
    assert len(left) == (left.start is not None), left
    again, _ = await somebody.send(after)
    assert again.steps == ()


@pytest.mark.anyio
@pytest.mark.parametrize("path", [Path.LOCAL, Path.ASGI])
async def test_an_ending_is_told_from_what_is_undecided(path: Path, template: Template, tmp_path: FilePath) -> None:
    async with desk(path, template, tmp_path) as somebody:
        _, stored = await somebody.read()
        last, open_end = stored.fresh_id("ending"), stored.fresh_id("open")
        wanted = stored.with_section(last, name="Last").with_section(open_end, name="Open").ending(last)
        assert wanted.ending(GATE) == wanted == wanted.ending(last)  # what leads on is no ending
        made, progress = await somebody.send(wanted)
        ids = made_ids(made, progress)
        assert [step.operation for step in made.steps] == ["create-section", "create-section", "edit-section"]
        _, stored = await somebody.read()
        assert stored.sections[ids[last]].raw["decisions"] == []
        assert stored.sections[ids[open_end]].raw["decisions"] is None

        # By itself as well, in one step that is read back; and nothing can be taken back from a service.
        made, _ = await somebody.send(stored.ending(ids[open_end]))
        [step] = made.steps
        assert [(one.label, one.before, one.after) for one in step.changes] == [
            ("decisions", None, "none: the story ends here")
        ]
        _, stored = await somebody.read()
        assert stored.sections[ids[open_end]].raw["decisions"] == []
        made, _ = await somebody.send(stored.ending(ids[open_end], ends=False))
        assert (made.steps, made.left_out) == (
            (),
            ("“Open” stays an ending, because the service cannot remove a list of decisions.",),
        )


# -- the same over HTTP, and what cannot be had ------------------------------------------------------------------------


@pytest.mark.anyio
async def test_a_service_is_sent_what_it_takes_and_told_what_it_does_not(
    template: Template, tmp_path: FilePath
) -> None:
    async with desk(Path.ASGI, template, tmp_path) as somebody:
        _, stored = await somebody.read()
        fresh = stored.fresh_id()
        wanted = (
            stored.with_section(fresh, name="Cellar", objective="Dark.", decisions=[decision("up", fresh)])
            .with_ways(GATE, [*stored.ways(GATE), decision("down", fresh, priority=7)])
            .with_trigger(ALARM, name="bell", destination=fresh)
            .with_trigger(BELL, name="alarm")
            .without_section(END)
            .overriding(HALL, BELL, fresh)
            .starting_at(fresh)
        )
        made, progress = await somebody.send(wanted)
        assert progress.ok, progress.errors
        operations = [step.operation for step in made.steps]
        # Two names change places by way of a third; what nothing leads to any more goes last.
        triggers = ["update-trigger"] * 3
        assert operations == ["create-section", *triggers, "edit-section", "edit-section", "delete-section"]
        assert made.left_out == (
            "The overrides of “The hall” are kept, because the service cannot change them.",
            "The service cannot set the story's start to “Cellar”.",
        )
        _, after = await somebody.read()
        left = difference(after, wanted.renamed(made_ids(made, progress)))
        assert (set(left.sections), set(left.triggers), left.start is not None) == ({HALL}, set(), True)
        again, _ = await somebody.send(after)
        assert (again.steps, again.left_out) == ((), ())


@pytest.mark.anyio
async def test_what_cannot_be_is_refused_before_anything_is_sent(template: Template, tmp_path: FilePath) -> None:
    async with desk(Path.LOCAL, template, tmp_path) as somebody:
        character, stored = await somebody.read()

        def steps(wanted: Story) -> StorySteps:
            return story_steps(character, stored, wanted, embedded=True)

        for wanted in (
            stored.with_ways(GATE, [decision("x", "nowhere")]),
            stored.with_trigger(BELL, destination="nowhere"),
            stored.overriding(GATE, BELL, "nowhere"),
            stored.starting_at("nowhere"),
        ):
            with pytest.raises(BadReference, match="There is no section 'nowhere'"):
                steps(wanted)
        # A name that stays taken is sent once, to be refused: nothing steps aside for it.
        twice = steps(stored.with_trigger(BELL, name="alarm"))
        assert [step.operation for step in twice.steps] == ["update-trigger"]
        unset = steps(stored.overriding(GATE, "no-trigger", END))
        assert (unset.steps, len(unset.left_out)) == ((), 1)


# -- errors that a plan brings -----------------------------------------------------------------------------------------


def rooms(*decisions: Decision) -> Story:
    story = Story(sections={}, triggers={}, enabled=True)
    return story.with_section("a", name="A", objective="Greet.", decisions=decisions).starting_at("a")


def errors(before: Story, after: Story, *off: str) -> tuple[tuple[str, ...], int]:
    made = with_errors(Plan(id="1", title="", steps=()), before, after, off)
    return made.new_errors, made.fixed_errors


def test_a_plan_names_the_errors_it_brings_and_counts_those_it_fixes() -> None:
    lost, home, far = decision("lost", "gone"), decision("home", "a"), decision("far", "away")
    before = rooms(home, lost)
    brought, fixed = errors(before, rooms(home, lost, far))
    assert brought == ("“A”, decision 3 “far” goes to a missing section (away)",)
    assert fixed == 0
    assert errors(before, rooms(home)) == ((), 1)
    assert errors(before, rooms(home, far)) == (("“A”, decision 2 “far” goes to a missing section (away)",), 1)
    # A decision that moves, or is worded otherwise, keeps its error.
    assert errors(before, rooms(lost, home)) == ((), 0)
    assert errors(before, rooms(home, decision("astray", "gone"))) == ((), 0)
    # Of two errors in one section, the new one is named.
    (new,), _ = errors(before, rooms(far, home, lost))
    assert "“far”" in new
    assert errors(before, before.starting_at(None)) == (("The story has no start",), 0)
    assert errors(before, before.starting_at(None), "no-start") == ((), 0)


def test_a_plan_that_brings_errors_is_read_before_it_is_confirmed_and_kept_with_them() -> None:
    made = with_errors(Plan(id="1", title="", steps=()), rooms(), rooms(decision("far", "away")))
    assert made.at_stake
    assert from_wire(to_wire(made)) == made
    assert brings_text(made.new_errors) == f"Causes 1 error: {made.new_errors[0]}."
    assert brings_text(("x",) * 7) == "Causes 7 errors: x; x; x; x; x; and 2 more."
    assert (fixes_text(0), fixes_text(1), fixes_text(3)) == ("", "Fixes 1 error.", "Fixes 3 errors.")
