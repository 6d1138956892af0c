"""Taking changes back, on the embedded store and over HTTP: everything is as it was before."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from decimal import Decimal
from pathlib import Path as FilePath
from typing import Any

import pytest

from chartui.core.backends.layers import Journaled
from chartui.core.clock import seeded_ids
from chartui.core.journal import Journal, Outcome
from chartui.core.jsontext import Wire
from chartui.core.plans.executor import Executor, Progress, StepState
from chartui.core.plans.history import character_names
from chartui.core.plans.plan import Plan, Step
from chartui.core.plans.undo import NothingToUndo, undo_plan
from chartui.core.profiles import Place
from chartui.core.service import Service
from chartui.core.spec.errors import ErrorKind
from chartui.core.spec.operations import operation
from tests.contract.seed import ALARM, BELL, END, GATE, GUIDE, HALL, KEEPER, SCRIBE
from tests.contract.world import Path, Switch, Template, World, make_template

PLACE = Place("work", "somewhere")
pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    return make_template(tmp_path_factory.mktemp("seed"))


class Changes:
    """Changes made and taken back through the journal, by one of the paths to the same store."""

    def __init__(self, world: World, journal: Journal) -> None:
        self.world = world
        self.journal = journal
        embedded = world.path is Path.LOCAL
        self.service = Service(Journaled(world.connect(), journal, PLACE, embedded=embedded), embedded=embedded)
        self.ids = seeded_ids(5)

    async def do(self, name: str, **payload: Wire) -> Any:
        """Perform a change; the body of its answer."""
        return (await self.service.call(operation(name), payload)).body

    async def plan(self, target: str | None = None) -> Plan:
        """How ``target`` is taken back."""
        of = await character_names(self.world.inside())
        return await undo_plan(self.service, self.journal, PLACE, target, ids=self.ids, of=of)

    async def carry_out(self, plan: Plan) -> Progress:
        """Carry a plan out to its end."""
        return [progress async for progress in Executor(self.service, self.journal, PLACE).run(plan)][-1]

    async def undo(self, target: str | None = None) -> Plan:
        """Take ``target`` back, which must succeed."""
        plan = await self.plan(target)
        progress = await self.carry_out(plan)
        assert progress.ok, progress.errors
        return plan

    async def everything(self) -> dict[str, Any]:
        """All that the store holds of the account's characters."""
        inside = self.world.inside()
        characters = await inside.characters()
        return {
            character.character_id: (
                await inside.call(operation("snapshot-character"), {"charID": character.character_id})
            ).body
            for character in characters
        }

    async def refused(self, target: str | None = None) -> str:
        """The sentence with which taking back is refused."""
        with pytest.raises(NothingToUndo) as refused:
            await self.plan(target)
        return str(refused.value)


@asynccontextmanager
async def changing(path: Path, template: Template, folder: FilePath) -> AsyncIterator[Changes]:
    """The seed in a store of its own, reached by ``path``, with an empty journal."""
    async with World.opened(path, template, folder, Switch()) as world:
        journal = Journal(folder / "journal.db")
        changes = Changes(world, journal)
        try:
            yield changes
        finally:
            await changes.service.aclose()
            await journal.aclose()


both = pytest.mark.parametrize("path", [Path.LOCAL, Path.ASGI])
Payload = dict[str, Wire]
_LEADS: list[Wire] = [{"criteria": "goes", "next_section_id": END}]

ANYWHERE: dict[str, tuple[str, Payload]] = {
    "temperature": ("update-character", {"charID": KEEPER, "temperature": Decimal("0.25")}),
    "model": ("update-character", {"charID": GUIDE, "model_group_name": "mdla-5.1"}),
    "flag": ("toggle-narrative", {"character_id": KEEPER, "is_narrative_driven": True}),
    "name of a section": (
        "edit-section",
        {"character_id": KEEPER, "section_id": GATE, "updated_data": {"section_name": "X"}},
    ),
    "decisions": ("edit-section", {"character_id": KEEPER, "section_id": GATE, "updated_data": {"decisions": _LEADS}}),
    "no decisions": ("edit-section", {"character_id": KEEPER, "section_id": GATE, "updated_data": {"decisions": []}}),
    "trigger": (
        "update-trigger",
        {
            "character_id": KEEPER,
            "trigger_id": ALARM,
            "updated_data": {"trigger_name": "x", "trigger_message": "y", "destination_section": None},
        },
    ),
    "new section": ("create-section", {"character_id": KEEPER, "section_name": "New", "objective": "Be."}),
    "new trigger": ("create-trigger", {"character_id": KEEPER, "trigger_name": "new", "trigger_message": "New."}),
}
EMBEDDED: dict[str, tuple[str, Payload]] = {
    **ANYWHERE,
    "model and level": ("update-character", {"charID": SCRIBE, "model_group_name": "mdla-4o"}),
    "everything": (
        "update-character",
        {"charID": SCRIBE, "model_group_name": "mdla-5.4", "reasoning_effort": "xhigh", "temperature": 1},
    ),
    "level": ("update-character", {"charID": KEEPER, "reasoning_effort": "auto"}),
    "cleared level": ("update-character", {"charID": SCRIBE, "reasoning_effort": ""}),
    "backstory": ("update-character", {"charID": KEEPER, "backstory": "Another."}),
    "name": ("rename-character", {"charID": KEEPER, "character_name": "New"}),
    "start": ("set-start-section", {"character_id": KEEPER, "section_id": END}),
    "no start": ("set-start-section", {"character_id": KEEPER, "section_id": None}),
    "override": (
        "set-override",
        {"character_id": KEEPER, "section_id": GATE, "trigger_id": BELL, "destination_section": END},
    ),
    "no override": (
        "set-override",
        {"character_id": KEEPER, "section_id": HALL, "trigger_id": ALARM, "destination_section": None},
    ),
    "deleted section": ("delete-section", {"character_id": KEEPER, "section_id": HALL}),
    "deleted start": ("delete-section", {"character_id": KEEPER, "section_id": GATE}),
    "deleted trigger": ("delete-trigger", {"character_id": KEEPER, "trigger_id": ALARM}),
    "deleted character": ("delete-character", {"charID": KEEPER}),
    "new character": ("create-character", {"character_name": "New"}),
    "copy": ("duplicate-character", {"charID": KEEPER}),
}
CASES = [pytest.param(Path.ASGI, *what, id=f"http: {name}") for name, what in ANYWHERE.items()]
CASES += [pytest.param(Path.LOCAL, *what, id=f"embedded: {name}") for name, what in EMBEDDED.items()]


def unordered(everything: Mapping[str, Any]) -> Any:
    """Without the order of sections and triggers: what comes back comes back last."""
    return {
        character: {
            **snapshot,
            "sections": sorted(snapshot["sections"], key=lambda s: s["section_id"]),
            "triggers": sorted(snapshot["triggers"], key=lambda t: t["trigger_id"]),
        }
        for character, snapshot in everything.items()
    }


@pytest.mark.parametrize(("path", "name", "payload"), CASES)
async def test_a_change_is_taken_back_and_the_taking_back_as_well(
    path: Path, name: str, payload: Payload, template: Template, tmp_path: FilePath
) -> None:
    async with changing(path, template, tmp_path) as changes:
        if payload.get("charID") == SCRIBE:  # a level that another model would not take
            await changes.world.set_reasoning(SCRIBE, "high")
        before = await changes.everything()
        await changes.do(name, **payload)
        after = await changes.everything()
        assert unordered(after) != unordered(before)
        undone = await changes.undo()
        assert undone.undoes == "#1"
        assert unordered(await changes.everything()) == unordered(before)
        if not name.startswith(("create-", "duplicate-")) or path is Path.LOCAL:
            await changes.undo(undone.id)
            assert unordered(await changes.everything()) == unordered(after)


async def test_a_section_that_a_service_makes_anew_is_found_by_what_led_to_the_old_one(
    template: Template, tmp_path: FilePath
) -> None:
    async with changing(Path.ASGI, template, tmp_path) as changes:
        before = await changes.everything()
        await changes.do("delete-section", character_id=KEEPER, section_id=HALL)
        plan = await changes.undo()
        sections = {section["section_name"]: section for section in (await changes.everything())[KEEPER]["sections"]}
        hall, gate = sections["The hall"], sections["The gate"]
        assert hall["section_id"] != HALL
        assert [d["next_section_id"] for d in gate["decisions"]] == [hall["section_id"], GATE]
        was = next(s for s in before[KEEPER]["sections"] if s["section_id"] == HALL)
        assert hall["objective"] == was["objective"]
        # The only decision of the hall led to a section that was gone before.
        assert [step.operation for step in plan.steps] == ["create-section", "edit-section"]


async def test_a_section_comes_back_with_its_decisions_also_those_that_lead_to_itself(
    template: Template, tmp_path: FilePath
) -> None:
    async with changing(Path.ASGI, template, tmp_path) as changes:
        await changes.do("delete-section", character_id=KEEPER, section_id=GATE)
        plan = await changes.undo()
        sections = (await changes.everything())[KEEPER]["sections"]
        gate = next(section for section in sections if section["section_name"] == "The gate")
        assert [d["next_section_id"] for d in gate["decisions"]] == [HALL, gate["section_id"]]
        assert [step.operation for step in plan.steps] == ["create-section", "edit-section"]


async def test_a_trigger_that_led_to_the_deleted_section_is_led_to_the_new_one(
    template: Template, tmp_path: FilePath
) -> None:
    async with changing(Path.ASGI, template, tmp_path) as changes:
        await changes.do("delete-section", character_id=KEEPER, section_id=END)
        await changes.undo()
        snapshot = (await changes.everything())[KEEPER]
        end = next(s["section_id"] for s in snapshot["sections"] if s["section_name"] == "The end")
        assert end != END
        assert {t["trigger_name"]: t["destination_section"] for t in snapshot["triggers"]} == {
            "alarm": end,
            "bell": None,
        }


@both
async def test_a_value_that_somebody_changed_since_is_not_overwritten(
    path: Path, template: Template, tmp_path: FilePath
) -> None:
    async with changing(path, template, tmp_path) as changes:
        await changes.do("update-character", charID=KEEPER, temperature=Decimal("0.25"))
        plan = await changes.plan()
        await changes.world.inside().update_character(KEEPER, temperature=Decimal("0.5"))
        before = await changes.everything()
        progress = await changes.carry_out(plan)
        assert progress.states == (StepState.FAILED,)
        assert progress.first_error is not None
        assert progress.first_error.kind is ErrorKind.CONFLICT
        assert await changes.everything() == before


@both
async def test_a_bulk_change_is_taken_back_as_one(path: Path, template: Template, tmp_path: FilePath) -> None:
    async with changing(path, template, tmp_path) as changes:
        before = await changes.everything()
        steps = tuple(
            Step(operation="update-character", payload={"charID": character, "temperature": Decimal("0.9")})
            for character in (KEEPER, GUIDE, SCRIBE)
        )
        assert (await changes.carry_out(Plan(id="bulk", title="Warmer", steps=steps, independent=True))).ok
        assert (await changes.everything()) != before
        undone = await changes.undo()
        assert (undone.undoes, len(undone.steps), undone.title) == ("bulk", 3, "Undo: Warmer")
        assert await changes.everything() == before


async def test_undoing_again_goes_further_back(template: Template, tmp_path: FilePath) -> None:
    async with changing(Path.LOCAL, template, tmp_path) as changes:
        states = [await changes.everything()]
        for temperature in ("0.1", "0.2", "0.3"):
            await changes.do("update-character", charID=KEEPER, temperature=Decimal(temperature))
            states.append(await changes.everything())
        for state in reversed(states[:-1]):
            await changes.undo()
            assert await changes.everything() == state
        assert "nothing was changed from here" in await changes.refused()


async def test_what_was_taken_back_is_taken_back_once_only(template: Template, tmp_path: FilePath) -> None:
    async with changing(Path.LOCAL, template, tmp_path) as changes:
        await changes.do("update-character", charID=KEEPER, temperature=Decimal("0.1"))
        undone = await changes.undo("#1")
        assert "taken back already" in await changes.refused("#1")
        redone = await changes.undo(undone.id)
        again = await changes.undo("#1")  # it stands again, so it can be taken back again
        deed = "temperature 0.7 → 0.1 · Mara"
        assert [undone.title, redone.title, again.title] == [f"Undo: {deed}", f"Redo: {deed}", f"Undo: {deed}"]


async def test_what_cannot_be_taken_back_says_why(template: Template, tmp_path: FilePath) -> None:
    async with changing(Path.ASGI, template, tmp_path) as changes:
        assert "nothing was changed from here" in await changes.refused()
        for target in ("#7", "#x", "#", "nobody"):
            assert "has no" in await changes.refused(target)
        await changes.do("update-character", charID=KEEPER, backstory="Unknown before.")
        assert "does not say what there was before (backstory)" in await changes.refused()
        number = await changes.journal.intend(
            PLACE, "rename-character", {"charID": KEEPER}, before=None, context=_Asked()
        )
        await changes.journal.conclude(number, Outcome.UNKNOWN)
        assert "settle it" in await changes.refused(f"#{number}")
        await changes.journal.settle(number, Outcome.REFUSED)
        assert "it was refused" in await changes.refused(f"#{number}")


class _Asked:
    origin, plan_id, step = "test", None, None
