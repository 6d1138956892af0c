"""Taking changes back, on the embedded store and over HTTP: everything is as it was before."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path as FilePath
from typing import Any

import pytest

from chartui.core.backends.layers import Journaled
from chartui.core.clock import seeded_ids
from chartui.core.journal import Journal, Outcome
from chartui.core.jsontext import Wire
from chartui.core.plans.executor import Executor, Progress, StepState
from chartui.core.plans.history import known_names, past_changes
from chartui.core.plans.plan import Plan, Step
from chartui.core.plans.undo import NothingToUndo, undo_plan
from chartui.core.plans.wording import sentence
from chartui.core.profiles import Place
from chartui.core.service import Service
from chartui.core.spec.errors import ErrorKind
from chartui.core.spec.operations import operation
from tests import writes
from tests.contract.seed import ALARM, BELL, END, GATE, GUIDE, HALL, KEEPER, SCRIBE
from tests.contract.world import Path, Switch, Template, World, make_template
from tests.core.plans.pretended import PLACE as PRETENDED
from tests.core.plans.pretended import Bench, Pretended

PLACE = Place("work", "somewhere")
pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    return make_template(tmp_path_factory.mktemp("seed"))


class Changes:
    """Changes made and taken back through the journal, by one of the paths to the same store."""

    def __init__(self, world: World, journal: Journal) -> None:
        self.world = world
        self.journal = journal
        embedded = world.path is Path.LOCAL
        self.service = Service(Journaled(world.connect(), lambda: journal, PLACE, embedded=embedded), embedded=embedded)
        self.ids = seeded_ids(5)
        self.moment = datetime(2026, 3, 1, 12, tzinfo=UTC)

    async def do(self, name: str, **payload: Wire) -> Any:
        return (await self.service.call(operation(name), payload)).body

    async def plan(self, target: str | None = None) -> Plan:
        """How ``target`` is taken back."""
        of = await known_names(self.world.inside(), self.journal, PLACE)
        return await undo_plan(self.service, self.journal, PLACE, target, ids=self.ids, of=of)

    async def carry_out(self, plan: Plan) -> Progress:
        return [progress async for progress in Executor(self.service, self.journal, PLACE).run(plan)][-1]

    async def undo(self, target: str | None = None) -> Plan:
        """Take ``target`` back, which must succeed."""
        plan = await self.plan(target)
        progress = await self.carry_out(plan)
        assert progress.ok, progress.errors
        return plan

    async def everything(self) -> dict[str, Any]:
        inside = self.world.inside()
        characters = await inside.summaries()
        return {
            character.character_id: (
                await inside.call(operation("snapshot-character"), {"charID": character.character_id})
            ).body
            for character in characters
        }

    async def refused(self, target: str | None = None) -> str:
        with pytest.raises(NothingToUndo) as refused:
            await self.plan(target)
        return str(refused.value)


@asynccontextmanager
async def changing(path: Path, template: Template, folder: FilePath) -> AsyncIterator[Changes]:
    """The seed in a store of its own, reached by ``path``, with an empty journal."""
    async with World.opened(path, template, folder, Switch()) as world:
        journal = Journal(folder / "journal.db", lambda: changes.moment)
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
        await writes.update_character(changes.world.inside(), KEEPER, temperature=Decimal("0.5"))
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


@pytest.mark.parametrize(
    ("name", "independent"),
    [("temperature", True), ("decisions", True), ("new section", False), ("deleted section", False), ("copy", False)],
)
async def test_only_values_are_reverted_independently(
    name: str, independent: bool, template: Template, tmp_path: FilePath
) -> None:
    """Behind a step that makes or removes something and is refused, the next ones are not tried."""
    async with changing(Path.LOCAL, template, tmp_path) as changes:
        operation_name, payload = EMBEDDED[name]
        await changes.do(operation_name, **payload)
        assert (await changes.plan()).independent is independent


async def test_undoing_again_goes_further_back(template: Template, tmp_path: FilePath) -> None:
    async with changing(Path.LOCAL, template, tmp_path) as changes:
        states = [await changes.everything()]
        for temperature in ("0.1", "0.2", "0.3"):
            await changes.do("update-character", charID=KEEPER, temperature=Decimal(temperature))
            states.append(await changes.everything())
        for state in reversed(states[:-1]):
            await changes.undo()
            assert await changes.everything() == state
        assert "Nothing left to undo" in await changes.refused()


async def test_undo_takes_changes_in_the_order_of_the_history(template: Template, tmp_path: FilePath) -> None:
    """Whatever the clock did meanwhile."""
    async with changing(Path.LOCAL, template, tmp_path) as changes:
        for hour in (12, 3, 20, 3):
            changes.moment = datetime(2026, 3, 1, hour, tzinfo=UTC)
            await changes.do("update-character", charID=KEEPER, temperature=Decimal(hour) / 100)
        listed = [item.name for item in await past_changes(changes.journal, PLACE)]
        taken = [(await changes.undo()).undoes for _ in listed]
        assert taken == listed == ["#4", "#3", "#2", "#1"]


#: Something that no service of the catalogue would take, and that a character of the store has all the same.
HELD: Mapping[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "a model that is not in the catalogue": ({"MODEL": "own-model-8b"}, {"model_group_name": "mdla-4o"}),
    "a temperature out of range": ({"MODEL": "mdla-4o", "TEMPERATURE": Decimal("1.5")}, {"temperature": 1}),
}


@pytest.mark.parametrize("path", [Path.LOCAL, Path.ASGI])
@pytest.mark.parametrize("what", HELD)
async def test_what_a_character_had_comes_back(what: str, path: Path, template: Template, tmp_path: FilePath) -> None:
    config, settings = HELD[what]
    async with changing(path, template, tmp_path) as changes:
        made = {"character_name": "Nova", "record": {"personalised_prompt_config": {"TEMPERATURE": 0, **config}}}
        answer = await changes.world.inside().call(operation("create-character"), made)
        before = await changes.everything()
        await changes.do("update-character", charID=answer.body["character_id"], **settings)
        [item] = await past_changes(changes.journal, PLACE)
        assert item.undoable
        await changes.undo()
        assert await changes.everything() == before


@pytest.mark.parametrize("path", [Path.LOCAL, Path.ASGI])
async def test_a_decision_that_led_nowhere_comes_back(path: Path, template: Template, tmp_path: FilePath) -> None:
    """As after a repair that removed it."""
    async with changing(path, template, tmp_path) as changes:
        before = await changes.everything()
        await changes.do("edit-section", character_id=KEEPER, section_id=HALL, updated_data={"decisions": []})
        await changes.undo()
        assert await changes.everything() == before


async def test_an_undo_that_cannot_be_carried_out_is_not_offered(template: Template, tmp_path: FilePath) -> None:
    async with changing(Path.LOCAL, template, tmp_path) as changes:
        made = {"character_name": "Nova", "record": {"personalised_prompt_config": {"MODEL": "mdla-4o"}}}
        answer = await changes.world.inside().call(operation("create-character"), made)
        await changes.do("update-character", charID=answer.body["character_id"], temperature=1)
        [item] = await past_changes(changes.journal, PLACE)
        assert not item.undoable
        assert "a request cannot set the earlier temperature" in await changes.refused()


async def test_what_was_taken_back_is_taken_back_once_only(template: Template, tmp_path: FilePath) -> None:
    async with changing(Path.LOCAL, template, tmp_path) as changes:
        await changes.do("update-character", charID=KEEPER, temperature=Decimal("0.1"))
        undone = await changes.undo("#1")
        assert "already been undone. To redo it, undo “Undo: temperature" in await changes.refused("#1")
        redone = await changes.undo(undone.id)
        again = await changes.undo("#1")  # it stands again, so it can be taken back again
        back, forth = "Undo: temperature back to 0.7 · Mara", "Redo: temperature back to 0.1 · Mara"
        assert [undone.title, redone.title, again.title] == [back, forth, back]


async def test_of_a_change_that_could_be_read_in_part_that_part_is_taken_back(
    template: Template, tmp_path: FilePath
) -> None:
    async with changing(Path.ASGI, template, tmp_path) as changes:
        before = await changes.everything()
        await changes.do("update-character", charID=KEEPER, temperature=Decimal("0.1"), backstory="New.")
        plan = await changes.undo()
        assert plan.steps[0].payload == {"charID": KEEPER, "temperature": Decimal("0.7")}
        assert "Cannot restore backstory" in plan.steps[0].reason
        after = (await changes.everything())[KEEPER]
        assert after["record"] == before[KEEPER]["record"]
        assert after["backstory"] == "New."


async def test_what_cannot_be_taken_back_says_why(template: Template, tmp_path: FilePath) -> None:
    async with changing(Path.ASGI, template, tmp_path) as changes:
        assert "no changes have been made to profile" in await changes.refused()
        for target in ("#7", "#x", "#", "nobody"):
            assert "does not contain" in await changes.refused(target)
        await changes.do("update-character", charID=KEEPER, backstory="Unknown before.")
        assert "does not report the earlier backstory" in await changes.refused()
        number = await changes.journal.intend(
            PLACE, "rename-character", {"charID": KEEPER}, before=None, context=_Asked()
        )
        await changes.journal.conclude(number, Outcome.UNKNOWN)
        assert "Resolve it" in await changes.refused(f"#{number}")
        await changes.journal.resolve(number, Outcome.REFUSED)
        assert "this change was refused" in await changes.refused(f"#{number}")


class _Asked:
    origin, plan_id, step = "test", None, None


async def test_a_level_that_somebody_chose_after_the_model_is_not_overwritten(
    template: Template, tmp_path: FilePath
) -> None:
    async with changing(Path.LOCAL, template, tmp_path) as changes:
        await changes.do("update-character", charID=SCRIBE, model_group_name="mdla-5.4", reasoning_effort="xhigh")
        await changes.do("update-character", charID=SCRIBE, model_group_name="mdla-5.1")
        plan = await changes.plan("#2")
        assert plan.steps[0].expected == {"model_group_name": "mdla-5.1", "reasoning_effort": "auto"}
        assert [(c.label, c.before, c.after) for c in plan.steps[0].changes] == [
            ("model", "mdla-5.1", "mdla-5.4"),
            ("reasoning level", "auto", "xhigh"),
        ]
        await changes.do("update-character", charID=SCRIBE, reasoning_effort="high")
        before = await changes.everything()
        progress = await changes.carry_out(plan)
        assert progress.first_error is not None
        assert progress.first_error.kind is ErrorKind.CONFLICT
        assert await changes.everything() == before
        await changes.undo("#3")
        await changes.undo("#2")


@pytest.mark.parametrize("level", ["auto", None])
async def test_a_level_that_is_only_sent_with_the_model_is_no_change(
    level: str | None, template: Template, tmp_path: FilePath
) -> None:
    async with changing(Path.LOCAL, template, tmp_path) as changes:
        await changes.do("update-character", charID=SCRIBE, model_group_name="mdla-5.4", reasoning_effort=level or "")
        model = {"model_group_name": "mdla-5.1", "temperature": Decimal("0.25")}
        await changes.do("update-character", charID=SCRIBE, **model)
        undo = await changes.undo("#2")
        redo = await changes.plan(undo.id)
        for plan in (undo, redo):
            assert plan.steps[0].payload["reasoning_effort"] == (level or "")
            assert [change.label for change in plan.steps[0].changes] == ["model", "temperature"]
            assert "reasoning level" not in plan.title
        latest, *_ = await past_changes(changes.journal, PLACE)
        assert "reasoning level" not in sentence(
            "update-character", latest.entries[0].payload, latest.entries[0].before
        )


async def test_a_level_that_cannot_be_read_is_left_and_said_to_be(template: Template, tmp_path: FilePath) -> None:
    async with changing(Path.ASGI, template, tmp_path) as changes:
        await changes.do("update-character", charID=GUIDE, model_group_name="mdla-5.1")
        (step,) = (await changes.plan()).steps
        assert "reasoning_effort" not in step.payload
        assert "cannot be read" in step.changes[0].note


@both
@pytest.mark.parametrize("made", ["create-section", "create-trigger"])
async def test_what_was_made_and_changed_since_is_not_taken_away(
    made: str, path: Path, template: Template, tmp_path: FilePath
) -> None:
    kind = made.removeprefix("create-")
    payload = {"section_name": "New", "objective": ""} if kind == "section" else {}
    payload |= {"trigger_name": "new", "trigger_message": "New."} if kind == "trigger" else {}
    async with changing(path, template, tmp_path) as changes:
        answer = await changes.do(made, character_id=KEEPER, **payload)
        plan = await changes.plan()
        edit = "edit-section" if kind == "section" else "update-trigger"
        address = {"character_id": KEEPER, f"{kind}_id": answer[f"{kind}_id"]}
        await changes.world.inside().call(operation(edit), {**address, "updated_data": {f"{kind}_name": "Theirs"}})
        before = await changes.everything()
        progress = await changes.carry_out(plan)
        assert progress.first_error is not None
        assert progress.first_error.kind is ErrorKind.CONFLICT
        assert await changes.everything() == before


async def test_a_character_that_was_made_and_changed_since_is_not_taken_away(
    template: Template, tmp_path: FilePath
) -> None:
    async with changing(Path.LOCAL, template, tmp_path) as changes:
        answer = await changes.do("create-character", character_name="New", backstory="Old.")
        await writes.update_character(changes.world.inside(), answer["character_id"], backstory="Theirs.")
        progress = await changes.carry_out(await changes.plan())
        assert progress.first_error is not None
        assert progress.first_error.kind is ErrorKind.CONFLICT


@both
async def test_first_decisions_are_taken_back(path: Path, template: Template, tmp_path: FilePath) -> None:
    async with changing(path, template, tmp_path) as changes:
        made = await changes.do("create-section", character_id=KEEPER, section_name="New", objective="")
        before = await changes.everything()
        address = {"character_id": KEEPER, "section_id": made["section_id"]}
        await changes.do("edit-section", **address, updated_data={"decisions": _LEADS})
        undone = await changes.undo()
        redone = await changes.undo(undone.id)
        assert _LEADS in [section["decisions"] for section in (await changes.everything())[KEEPER]["sections"]]
        await changes.undo(redone.id)
        after = await changes.everything()
        for everything in (before, after):
            for section in everything[KEEPER]["sections"]:
                section["decisions"] = section["decisions"] or None  # none at all are answered as null
        assert after == before


def _names(snapshot: Any) -> Any:
    """The graph with names instead of ids; what leads nowhere leads to None."""
    names = {section["section_id"]: section["section_name"] for section in snapshot["sections"]}
    decisions = {
        section["section_name"]: [names.get(d["next_section_id"]) for d in section["decisions"] or ()]
        for section in snapshot["sections"]
    }
    return decisions, {t["trigger_name"]: names.get(t["destination_section"]) for t in snapshot["triggers"]}


async def test_sections_that_led_to_one_another_do_so_again(template: Template, tmp_path: FilePath) -> None:
    """A plan that renamed, changed and deleted: what a service makes anew is found by all steps that need it."""
    async with changing(Path.ASGI, template, tmp_path) as changes:
        for section, targets in ((GATE, (HALL, END)), (HALL, (END, GATE)), (END, (HALL,))):
            leads = [{"criteria": "goes", "next_section_id": target} for target in targets]
            await changes.do("edit-section", character_id=KEEPER, section_id=section, updated_data={"decisions": leads})
        await changes.do(
            "update-trigger", character_id=KEEPER, trigger_id=ALARM, updated_data={"destination_section": END}
        )
        before = _names((await changes.everything())[KEEPER])
        to_gate: list[Wire] = [{"criteria": "back", "next_section_id": GATE}]

        def step(name: str, **payload: Wire) -> Step:
            return Step(operation=name, payload={"character_id": KEEPER, **payload})

        steps = (
            step("edit-section", section_id=HALL, updated_data={"section_name": "The cellar"}),
            step("edit-section", section_id=HALL, updated_data={"decisions": to_gate}),
            step("update-trigger", trigger_id=ALARM, updated_data={"trigger_name": "siren"}),
            step("delete-section", section_id=HALL),
            step("delete-section", section_id=END),
            step("delete-trigger", trigger_id=ALARM),
        )
        assert (await changes.carry_out(Plan(id="away", title="Away", steps=steps))).ok
        await changes.undo("away")
        assert _names((await changes.everything())[KEEPER]) == before


async def test_a_trigger_that_led_nowhere_comes_back_leading_nowhere(template: Template, tmp_path: FilePath) -> None:
    async with changing(Path.ASGI, template, tmp_path) as changes:
        await changes.do("delete-section", character_id=KEEPER, section_id=END)
        await changes.do("delete-trigger", character_id=KEEPER, trigger_id=ALARM)
        plan = await changes.undo()
        assert "no longer exists" in plan.steps[0].reason
        triggers = {
            t["trigger_name"]: t["destination_section"] for t in (await changes.everything())[KEEPER]["triggers"]
        }
        assert triggers["alarm"] is None


async def test_a_plan_that_is_being_carried_out_is_not_taken_back(template: Template, tmp_path: FilePath) -> None:
    async with changing(Path.LOCAL, template, tmp_path) as changes:
        steps = tuple(
            Step(operation="update-character", payload={"charID": character, "temperature": Decimal("0.9")})
            for character in (KEEPER, GUIDE)
        )
        plan = Plan(id="bulk", title="Warmer", steps=steps, independent=True)
        told = [0]
        async for progress in Executor(changes.service, changes.journal, PLACE).run(plan):
            if progress.done == 1:
                told.append(1)
                assert "This change is still being applied." in await changes.refused("bulk")
                assert "This change is still being applied." in await changes.refused()
        assert told == [0, 1]
        await changes.undo("bulk")


async def test_only_what_was_done_is_taken_back(template: Template, tmp_path: FilePath) -> None:
    """Of a plan: what was so before was never sent, and what was refused changed nothing."""
    async with changing(Path.LOCAL, template, tmp_path) as changes:
        await writes.update_character(changes.world.inside(), GUIDE, temperature=Decimal("0.9"))
        before = await changes.everything()
        steps = tuple(
            Step(operation="update-character", payload={"charID": character, "temperature": Decimal("0.9")})
            for character in (KEEPER, GUIDE, "nobody", SCRIBE)
        )
        progress = await changes.carry_out(Plan(id="bulk", title="Warmer", steps=steps, independent=True))
        assert progress.states == (StepState.DONE, StepState.ALREADY, StepState.FAILED, StepState.DONE)
        undone = await changes.undo("bulk")
        assert [step.payload["charID"] for step in undone.steps] == [SCRIBE, KEEPER]
        assert await changes.everything() == before


async def test_another_profile_or_place_has_nothing_of_this_to_take_back(
    template: Template, tmp_path: FilePath
) -> None:
    async with changing(Path.LOCAL, template, tmp_path) as changes:
        steps = (Step(operation="update-character", payload={"charID": KEEPER, "temperature": Decimal("0.9")}),)
        await changes.carry_out(Plan(id="bulk", title="Warmer", steps=steps))
        for place in (Place("other", PLACE.base), Place(PLACE.profile, "elsewhere")):
            for target in (None, "#1", "bulk"):
                with pytest.raises(NothingToUndo):
                    await undo_plan(changes.service, changes.journal, place, target, ids=changes.ids)


async def test_nothing_is_taken_back_unseen(tmp_path: FilePath) -> None:
    """A service that does not say any more what is there might hold somebody else's change by now."""
    pretended = Pretended({"a": Decimal("0.5")})
    bench = Bench(tmp_path, pretended)
    try:
        steps = (Step(operation="update-character", payload={"charID": "a", "temperature": Decimal("0.9")}),)
        assert (await bench.run(Plan(id="one", title="One", steps=steps, independent=True))).ok
        undo = await undo_plan(bench.service, bench.journal, PRETENDED, "one", ids=seeded_ids(1))
        (now,) = pretended.temperatures.values()
        pretended.temperatures.clear()
        progress = await bench.run(undo)
        assert progress.states == (StepState.FAILED,)
        assert progress.first_error is not None
        assert "cannot be read (temperature)" in progress.first_error.message
        assert len(pretended.sent) == 1
        pretended.temperatures["a"] = now
        assert (await bench.resume(undo.id)).ok
        assert pretended.temperatures == {"a": Decimal("0.5")}
    finally:
        await bench.aclose()


@both
async def test_an_undo_names_sections_and_decisions(path: Path, template: Template, tmp_path: FilePath) -> None:
    async with changing(path, template, tmp_path) as changes:
        here = {"character_id": KEEPER, "section_id": HALL}
        now = next(one for one in await changes.service.sections(KEEPER) if one.section_id == HALL).raw["decisions"]
        made = await changes.do("create-section", character_id=KEEPER, section_name="Attic", objective="Be.")
        climbs = {"criteria": "climbs", "next_section_id": made["section_id"]}
        await changes.do("edit-section", **here, updated_data={"decisions": [*now, climbs]})
        undo = await changes.plan()
        assert undo.title.startswith("Undo: decision removed: climbs → “Attic”")
        assert "“The hall” · Mara" in undo.title
        (step,) = undo.steps
        assert step.subject.endswith("section “The hall”")
        (change,) = step.changes
        assert (change.label, change.sign, change.before) == ("decision", "−", "climbs → “Attic”")
        of = await known_names(changes.service, changes.journal, PLACE)
        (edited, created) = await past_changes(changes.journal, PLACE, of=of)
        assert edited.title.startswith("+ decision: climbs → “Attic” · “The hall”")
        assert created.title.startswith("added a section · “Attic”")
