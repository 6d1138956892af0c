"""What a push plans, tells and leaves: nothing goes unasked, nobody's change is lost, and what was stopped goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from chartui.core.actions.turn import SCENE_PART, Turn
from chartui.core.bundle.difference import Difference, Verdict, difference_lines
from chartui.core.bundle.model import Bundle, Identities
from chartui.core.bundle.present import compared, pull
from chartui.core.bundle.push import push_plan
from chartui.core.bundle.reader import read_bundle
from chartui.core.bundle.writer import bundle_text
from chartui.core.session import Session
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.operation import Tier
from tests import writes

from .remote import remote_session
from .sessions import carried_out, local_session, stopped
from .stories import hall_and_gate


def on_a_store(story: Callable[[Session], Awaitable[None]]) -> None:
    async def told() -> None:
        async with local_session() as session:
            await story(session)

    asyncio.run(told())


def edited(bundle: Bundle, *changes: tuple[str, str]) -> Bundle:
    text = bundle_text(bundle)
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    return replace(read_bundle(text), ids=bundle.ids)


def places(found: tuple[Difference, ...]) -> list[tuple[str, str, str, Verdict]]:
    return [(one.part, one.slug, one.member, one.verdict) for one in found]


def test_only_what_is_otherwise_is_sent() -> None:
    async def story(session: Session) -> None:
        character_id = await hall_and_gate(session.service)
        bundle, _ = await pull(session, character_id)
        assert bundle.story.sections.keys() == {"gate", "hall"}
        assert (await push_plan(session, bundle, character_id)).plan.steps == ()
        changed = edited(
            bundle,
            ('"Mira"', '"Mara"'),
            ("temperature = 0.7", "temperature = 0.25"),
            ("guest around", "guest out"),
            ('"gives a name"', '"says who"'),
            ("narrative = false", "narrative = true"),
        )
        assert places(await compared(session, changed, character_id)) == [
            ("character", "", "name", Verdict.DIFFERENT),
            ("character", "", "temperature", Verdict.DIFFERENT),
            ("character", "", "narrative", Verdict.DIFFERENT),
            ("section", "gate", "decisions", Verdict.DIFFERENT),
            ("section", "hall", "objective", Verdict.DIFFERENT),
        ]
        push = await push_plan(session, changed, character_id)
        assert [step.operation for step in push.plan.steps] == [
            "rename-character",
            "update-character",
            "edit-section",
            "edit-section",
            "toggle-narrative",
        ]
        assert (await carried_out(session, push)).different == ()
        assert await compared(session, changed, character_id) == ()

    on_a_store(story)


def test_what_is_not_in_the_file_stays_unless_it_is_pruned() -> None:
    file = """format = "chartui-bundle"
version = 1
[sections.gate]
name = "Gate"
[sections.yard]
name = "Yard"
decisions = [{ when = "in", to = "gate" }]
"""

    async def story(session: Session) -> None:
        character_id = await hall_and_gate(session.service)
        bundle = read_bundle(file)
        push = await push_plan(session, bundle, character_id)
        assert [step.operation for step in push.plan.steps] == ["create-section", "edit-section"]
        assert push.left_out == ()
        assert push.unpruned == (
            "The backstory is not in the file.",
            "The objective of section “Gate” is not in the file.",
            "The decision list of section “Gate” is not in the file.",
            "Section “Hall” is not in the file.",
            "Trigger “bell” is not in the file.",
            "The story starts at “Gate”, but the file does not set a start.",
        )
        done = await carried_out(session, push)
        assert done.different == ()
        left = await compared(session, done.bundle, character_id)
        assert {one.verdict for one in left} == {Verdict.THERE}
        assert len(left) == 6

        pruned = await push_plan(session, done.bundle, character_id, prune=True)
        assert pruned.unpruned == ()
        # The gate led to the hall, and nothing can make a section undecided again.
        assert pruned.left_out == ("The empty decision list of section “Gate” is kept because it cannot be removed.",)
        assert (await carried_out(session, pruned)).different == ()
        [left_over] = await compared(session, done.bundle, character_id)
        assert (left_over.slug, left_over.member, left_over.there) == ("gate", "decisions", [])
        assert (await push_plan(session, done.bundle, character_id, prune=True)).plan.steps == ()
        now, _ = await pull(session, character_id)
        assert set(now.story.sections) == {"gate", "yard"}
        assert (now.story.start, now.story.triggers, now.settings["backstory"]) == (None, {}, "")

    on_a_store(story)


def test_an_ending_is_pulled_compared_and_pushed_as_one() -> None:
    file = 'format = "chartui-bundle"\nversion = 1\n[sections.gate]\nname = "Gate"\nobjective = "o"\n'

    async def story(session: Session) -> None:
        made = await carried_out(session, await push_plan(session, read_bundle(file), None))
        [character_id] = made.bundle.known_as("local")
        undecided, _ = await pull(session, character_id, like=made.bundle)
        assert (undecided.story.sections["gate"].decisions, made.different) == (None, ())

        ends = edited(undecided, ('objective = "o"', 'objective = "o"\ndecisions = []'))
        [one] = await compared(session, ends, character_id)
        assert (one.member, one.verdict, one.file, one.there) == ("decisions", Verdict.DIFFERENT, [], None)
        assert [line.strip() for line in difference_lines([one])][1:] == ["decisions", "+ none: the story ends here"]
        push = await push_plan(session, ends, character_id)
        assert [step.payload["updated_data"] for step in push.plan.steps] == [{"decisions": []}]
        done = await carried_out(session, push)
        assert (done.different, await compared(session, done.bundle, character_id)) == ((), ())
        assert (await push_plan(session, done.bundle, character_id)).plan.steps == ()
        assert (await pull(session, character_id))[0].story.sections["gate"].decisions == ()

        # Whoever pulled before does not lead it on unseen.
        on = edited(undecided, ('objective = "o"', 'objective = "o"\ndecisions = [{ when = "x", to = "gate" }]'))
        assert [sentence[:14] for sentence in (await push_plan(session, on, character_id)).conflicts] == [
            "Section “Gate”"
        ]

    on_a_store(story)


def test_what_was_renamed_is_one_thing_with_another_name() -> None:
    async def story(session: Session) -> None:
        character_id = await hall_and_gate(session.service)
        bundle, _ = await pull(session, character_id)
        renamed = edited(bundle, ('name = "Hall"', 'name = "Yard"'), ('name = "bell"', 'name = "horn"'))
        assert places(await compared(session, renamed, character_id)) == [
            ("section", "hall", "name", Verdict.DIFFERENT),
            ("trigger", "bell", "name", Verdict.DIFFERENT),
        ]
        push = await push_plan(session, renamed, character_id)
        assert [step.operation for step in push.plan.steps] == ["update-trigger", "edit-section"]
        # Without the ids, names are all there is.
        unknown = replace(renamed, ids={})
        apart = [one for one in places(await compared(session, unknown, character_id)) if one[2] == ""]
        assert apart == [
            ("section", "hall", "", Verdict.IN_FILE),
            ("section", "hall-2", "", Verdict.THERE),
            ("trigger", "bell", "", Verdict.IN_FILE),
            ("trigger", "bell-2", "", Verdict.THERE),
        ]

    on_a_store(story)


def test_the_order_of_decisions_counts_and_that_of_tables_does_not() -> None:
    file = """format = "chartui-bundle"
version = 1
[sections.a]
name = "A"
decisions = [{ when = "x", to = "b" }, { when = "y", to = "b" }]
[sections.b]
name = "B"
"""

    async def story(session: Session) -> None:
        character_id = await writes.create_character(session.service, "Mira")
        bundle = (await carried_out(session, await push_plan(session, read_bundle(file), character_id))).bundle
        head, _, sections = file.partition("[sections.a]")
        first, _, second = sections.partition("[sections.b]")
        turned = read_bundle(f"{head}[sections.b]{second}[sections.a]{first}")
        there = [one for one in await compared(session, turned, character_id) if one.part == "section"]
        assert there == []
        other = edited(bundle, ('"x"', '"?"'), ('"y"', '"x"'), ('"?"', '"y"'))
        assert places(await compared(session, other, character_id))[-1] == (
            "section",
            "a",
            "decisions",
            Verdict.DIFFERENT,
        )

    on_a_store(story)


# -- conflicts ---------------------------------------------------------------------------------------------------------


def test_what_somebody_else_changed_is_not_gone_over_unseen() -> None:
    async def story(session: Session) -> None:
        service = session.service
        character_id = await hall_and_gate(service)
        bundle, _ = await pull(session, character_id)
        mine = edited(bundle, ("Ask who is there.", "Ask twice."), ("temperature = 0.7", "temperature = 0.25"))
        assert (await push_plan(session, mine, character_id)).conflicts == ()
        hall, gate = (bundle.ids[f"local/{character_id}"].sections[slug].id for slug in ("hall", "gate"))
        await writes.edit_section(service, character_id, gate, objective="Somebody else's.")
        await writes.edit_section(service, character_id, hall, objective="The same")
        await writes.update_character(service, character_id, temperature=Decimal("0.5"))
        push = await push_plan(session, mine, character_id)
        since = "has been changed in the profile since the file was last pulled or pushed."
        unedited = since.replace("pushed.", "pushed, but not in the file.")
        assert push.conflicts == (f"The temperature {since}", f"Section “Gate” {since}", f"Section “Hall” {unedited}")
        assert push.plan.notes[:3] == tuple(f"Conflict: {sentence}" for sentence in push.conflicts)
        # What was changed to what the file says as well is none, nor is what the file leaves as it is there.
        agreed = edited(mine, ("Show the guest around.", "The same"))
        assert push.conflicts[:2] == (await push_plan(session, agreed, character_id)).conflicts
        # Whoever agrees goes over it, and then it is known.
        done = await carried_out(session, push)
        assert (await push_plan(session, done.bundle, character_id)).conflicts == ()

    on_a_store(story)


def test_what_somebody_else_removed_is_made_again_only_where_one_agrees() -> None:
    async def story(session: Session) -> None:
        character_id = await hall_and_gate(session.service)
        bundle, _ = await pull(session, character_id)
        await writes.delete_section(
            session.service, character_id, bundle.ids[f"local/{character_id}"].sections["hall"].id
        )
        push = await push_plan(session, bundle, character_id)
        assert (
            push.conflicts[0]
            == "Section “Hall” has been removed in the profile since the file was last pulled or pushed."
        )
        done = await carried_out(session, push)
        assert done.different == ()
        assert await compared(session, done.bundle, character_id) == ()

    on_a_store(story)


# -- what a profile cannot take ----------------------------------------------------------------------------------------


def test_references_to_nothing_are_left_out_and_told() -> None:
    file = """format = "chartui-bundle"
version = 1
[character]
model = "nobody-knows-it"
temperature = 3
start = "id:gone"
[sections.gate]
name = "Gate"
decisions = [{ when = "x", to = "id:gone" }, { when = "y", to = "gate", also = '{"a": 1}' }]
overrides = [{ trigger = "id:gone", to = "gate" }]
[triggers.bell]
name = "bell"
message = ""
to = "id:gone"
"""

    async def story(session: Session) -> None:
        push = await push_plan(session, read_bundle(file), None)
        told = " ".join(push.left_out)
        for part in (
            "model",
            "temperature",
            "start of the story",
            "decision “x”",
            "override",
            "Trigger “bell” points to",
            ": a.",
        ):
            assert part in told, part
        assert len(push.left_out) == 7
        done = await carried_out(session, push)
        assert done.different == ()

    on_a_store(story)


def test_of_two_triggers_with_one_name_the_second_is_left_out() -> None:
    file = """format = "chartui-bundle"
version = 1
[triggers.a]
name = "bell"
message = "1"
[triggers.b]
name = "bell"
message = "2"
"""

    async def story(session: Session) -> None:
        push = await push_plan(session, read_bundle(file), None)
        assert push.left_out == ("Trigger “bell” has the same name as another trigger in the file.",)
        done = await carried_out(session, push)
        assert done.different == ()
        [character_id] = done.bundle.known_as("local")
        second = await push_plan(session, done.bundle, character_id)
        assert (second.plan.steps, second.left_out) == ((), push.left_out)

    on_a_store(story)


def test_a_reference_that_dangles_there_already_is_sent_back() -> None:
    async def story(session: Session) -> None:
        service = session.service
        character_id = await hall_and_gate(service)
        before, _ = await pull(session, character_id)
        hall = before.ids[f"local/{character_id}"].sections["hall"].id
        await writes.delete_section(service, character_id, hall)
        bundle, _ = await pull(session, character_id)
        assert f'to = "id:{hall}"' in bundle_text(bundle)
        await writes.create_trigger(service, character_id, "horn", "It sounds.")
        bundle, _ = await pull(session, character_id, like=bundle)
        # What dangles in one place may not be said in another.
        other = edited(
            bundle,
            ('message = "It sounds."', f'message = "It sounds."\nto = "id:{hall}"'),
            ('    { when = "gives', f'    {{ when = "x", to = "id:{hall}" }},\n    {{ when = "gives'),
            ("\n[triggers.bell]", f'overrides = [{{ trigger = "horn", to = "id:{hall}" }}]\n\n[triggers.bell]'),
        )
        assert [told.partition(":")[0] for told in (await push_plan(session, other, character_id)).left_out] == [
            "The override of the trigger 'horn' in section “Gate” points to a missing section",
            "Trigger “horn” points to a missing section",
        ]
        push = await push_plan(session, edited(bundle, ('"gives a name"', '"says who"')), character_id)
        assert push.left_out == ()
        assert (await carried_out(session, push)).different == ()

    on_a_store(story)


def test_a_service_is_told_apart_from_a_store(tmp_path: Path) -> None:
    """What only it knows is kept, what it does not give back is said, and a tier that is too low changes no setting."""

    async def story() -> None:
        async with remote_session(tmp_path, tier=Tier.FREE) as (there, another):
            empty = await another()
            bundle = read_bundle(
                'format = "chartui-bundle"\nversion = 1\n[character]\nmodel = "mdla-5.1"\nbackstory = "B."\n'
                'start = "b"\n[sections.a]\nname = "A"\ndecisions = [{ when = "x", to = "b" }]\n'
                '[sections.b]\nname = "B"\n'
            )
            push = await push_plan(there, bundle, empty)
            assert [step.operation for step in push.plan.steps] == ["create-section", "create-section", "edit-section"]
            assert "subscription" in push.left_out[0]
            assert push.notes == ("The backstory cannot be verified because this service does not return it.",)
            done = await carried_out(there, push)
            assert done.different == ()
            assert places(await compared(there, done.bundle, empty)) == [
                ("character", "", "model", Verdict.DIFFERENT),
                ("character", "", "backstory", Verdict.UNKNOWN),
            ]
            # The start cannot be moved any more.
            moved = await push_plan(there, edited(done.bundle, ('start = "b"', 'start = "a"')), empty)
            assert "The service cannot set the start of the story to “A”" in " ".join(moved.left_out)
            with pytest.raises(ServiceError) as refused:
                await push_plan(there, bundle, None)
            assert refused.value.kind is ErrorKind.NOT_AVAILABLE

    asyncio.run(story())


def test_the_scene_is_kept_for_a_character_that_has_none() -> None:
    async def story(session: Session) -> None:
        turn = Turn(character_id="", text="Hello.", actions=("Takes",))
        place = session.profile.place
        first = await hall_and_gate(session.service)
        await session.drafts.save(place, first, SCENE_PART, turn.payload())
        bundle, _ = await pull(session, first)
        assert bundle.scene is not None
        second = await writes.create_character(session.service, "Mira")
        push = await push_plan(session, bundle, second)
        assert (await carried_out(session, push)).different == ()
        kept = await session.drafts.load(place, second, SCENE_PART)
        assert kept is not None
        assert Turn.from_payload(kept.document).actions == ("Takes",)
        changed = edited(bundle, ('actions = ["Takes"]', 'actions = ["Gives"]'))
        push = await push_plan(session, changed, second)
        assert "this machine has a different one for the character" in " ".join(push.left_out)
        assert (await carried_out(session, push)).different == ()

    on_a_store(story)


# -- what was stopped --------------------------------------------------------------------------------------------------


def test_a_push_that_was_stopped_after_any_step_is_done_by_pushing_again(tmp_path: Path) -> None:
    """On a service, so that nothing is found by other means than what it tells."""

    async def story() -> None:
        async with local_session() as here, remote_session(tmp_path) as (there, another):
            bundle, _ = await pull(here, await hall_and_gate(here.service))
            bundle = edited(bundle, ('name = "Hall"', 'name = "Gate"'), ("Show the guest around.", "Ask who is there."))
            total = len((await push_plan(there, bundle, await another())).plan.steps)
            assert total >= 5
            for steps in range(total):
                character_id = await another()
                await stopped(there, await push_plan(there, bundle, character_id), steps)
                push = await push_plan(there, bundle, character_id)
                assert push.conflicts == ()
                assert len(push.plan.steps) == total - steps
                done = await carried_out(there, push)
                assert done.different == ()
                assert await there.journal.unsettled() == ()
                again, _ = await pull(there, character_id)
                assert len(again.story.sections) == 2
                assert (await push_plan(there, done.bundle, character_id)).plan.steps == ()
            assert [plan.state.value for plan in await there.journal.plans()] == ["done"] * total

    asyncio.run(story())


def test_what_an_interrupted_push_has_changed_is_no_conflict() -> None:
    async def story(session: Session) -> None:
        total = 1
        for steps in range(20):
            if steps >= total:
                break
            service = session.service
            character_id = await hall_and_gate(service)
            await writes.create_trigger(service, character_id, "horn", "It sounds.")
            bundle, _ = await pull(session, character_id)
            mine = edited(
                bundle,
                ('name = "Mira"', 'name = "Mara"'),
                ("temperature = 0.7", "temperature = 0.25"),
                ('name = "bell"', 'name = "?"'),
                ('name = "horn"', 'name = "bell"'),
                ('name = "?"', 'name = "horn"'),
                ("guest around", "guest out"),
                ('{ trigger = "bell", to = "hall" }', '{ trigger = "bell", to = "gate" }'),
                ('start = "gate"', 'start = "hall"'),
                ("narrative = false", "narrative = true"),
            )
            whole = await push_plan(session, mine, character_id)
            total = len(whole.plan.steps)
            await stopped(session, whole, steps)
            push = await push_plan(session, mine, character_id)
            assert push.conflicts == ()
            assert len(push.superseded) == 1
            done = await carried_out(session, push)
            assert done.different == ()
            assert await compared(session, done.bundle, character_id) == ()
        assert total == 9
        assert {plan.state.value for plan in await session.journal.plans()} == {"done"}

    on_a_store(story)


def test_a_character_is_made_once_however_often_that_is_begun() -> None:
    async def story(session: Session) -> None:
        bundle, _ = await pull(session, await hall_and_gate(session.service))
        bundle = bundle.having(*next(iter((key, None) for key in bundle.ids)))
        total = len((await push_plan(session, bundle, None)).plan.steps)
        for times, steps in enumerate((0, 1, total - 1), start=1):
            before = len(await session.service.summaries())
            kept = await stopped(session, await push_plan(session, bundle, None), steps)
            assert kept[0].ids == {"local/": Identities(plan=kept[0].ids["local/"].plan)}
            # Killed before the file could say which character it is.
            push = await push_plan(session, kept[0], None)
            assert (push.character_id is None) is (steps == 0)
            done = await carried_out(session, push)
            assert done.different == ()
            assert len(await session.service.summaries()) == before + 1
            assert "local/" not in done.bundle.ids
            assert [plan.state.value for plan in await session.journal.plans()] == ["done"] * times

    on_a_store(story)
