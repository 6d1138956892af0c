"""Pull, push onto an empty character, pull: the same file. A second push does nothing."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from hypothesis import given, settings
from hypothesis import strategies as st

from chartui.core.bundle.present import compared, pull
from chartui.core.bundle.push import push_plan
from chartui.core.bundle.reader import read_bundle
from chartui.core.bundle.writer import bundle_text
from chartui.core.narrative.story import Story
from chartui.core.text import is_plain
from tests import writes

from .remote import remote_session
from .sessions import carried_out, local_session, stopped
from .stories import Cast, cast, casts, hall_and_gate


@contextmanager
def _folder() -> Iterator[Path]:
    with TemporaryDirectory() as folder, mock.patch.dict(os.environ, {"CHARTUI_DATA_DIR": folder}):
        yield Path(folder)


@given(casts())
@settings(max_examples=12, deadline=None)
def test_it_comes_back_the_same(made: Cast) -> None:
    with _folder():
        asyncio.run(_comes_back(made))


async def _comes_back(made: Cast) -> None:
    async with local_session() as session:
        first, notes = await pull(session, await cast(session.service, made))
        text = bundle_text(first)
        assert notes == ()
        assert is_plain(text.replace("\n", ""))
        read = read_bundle(text)
        assert bundle_text(read) == text == bundle_text(read, text)

        push = await push_plan(session, read, None)
        assert (push.left_out, push.unpruned, push.conflicts) == ((), (), ())
        done = await carried_out(session, push)
        assert done.different == ()
        new = done.bundle
        assert bundle_text(new, text) == text
        [character_id] = set(new.known_as("local")) - set(first.known_as("local"))
        again, _ = await pull(session, character_id)
        assert bundle_text(again) == text
        assert await compared(session, new, character_id) == ()
        second = await push_plan(session, new, character_id)
        assert (second.plan.steps, second.plan.notes) == ((), ())


@given(casts(largest=8), casts(largest=8), st.integers(0, 30))
@settings(max_examples=6, deadline=None)
def test_any_character_becomes_any_other(made: Cast, other: Cast, steps: int) -> None:
    """Onto one that is there already, stopped on the way, and pruned."""

    async def story() -> None:
        async with local_session() as session:
            bundle, _ = await pull(session, await cast(session.service, made))
            bundle = read_bundle(bundle_text(bundle))
            character_id = await cast(session.service, other)
            push = await push_plan(session, bundle, character_id, prune=True)
            await stopped(session, push, min(steps, len(push.plan.steps)))
            push = await push_plan(session, bundle, character_id, prune=True)
            assert (push.conflicts, push.unpruned) == ((), ())
            done = await carried_out(session, push)
            assert done.different == ()
            left = await compared(session, done.bundle, character_id)
            # What somebody has decided once is never undecided again, and words are given to what is made only.
            undecided = [one for one in left if one.member == "decisions" and (one.file, one.there) == (None, [])]
            assert {one.member for one in left if one not in undecided} <= {"actions"}
            assert (await push_plan(session, done.bundle, character_id, prune=True)).plan.steps == ()

    with _folder():
        asyncio.run(story())


@given(casts(largest=8))
@settings(max_examples=6, deadline=None)
def test_any_character_comes_to_a_service_but_for_what_it_cannot_take(made: Cast) -> None:
    async def story(folder: Path) -> None:
        async with local_session() as here, remote_session(folder) as (there, another):
            bundle, _ = await pull(here, await cast(here.service, made))
            empty = await another()
            push = await push_plan(there, bundle, empty)
            done = await carried_out(there, push)
            assert done.different == ()
            again, _ = await pull(there, empty, like=done.bundle)
            assert _without_overrides(again.story) == _without_overrides(bundle.story)
            assert again.story.enabled is made.enabled
            if made.start is not None:
                assert again.story.start == bundle.story.start
            second = await push_plan(there, done.bundle, empty)
            assert (second.plan.steps, second.conflicts) == ((), ())

    with _folder() as folder:
        asyncio.run(story(folder))


def _without_overrides(story: Story) -> object:
    sections = {slug: (one.section_name, one.objective, one.decisions) for slug, one in story.sections.items()}
    return sections, story.triggers


def test_onto_a_service_all_comes_that_it_has_a_call_for(tmp_path: Path) -> None:
    """An empty character there is given everything but overrides; what cannot be verified is listed."""

    async def story() -> None:
        async with local_session() as here, remote_session(tmp_path) as (there, another):
            empty = await another()
            source = await hall_and_gate(here.service)
            await writes.toggle_narrative(here.service, source, True)
            bundle, _ = await pull(here, source)
            push = await push_plan(there, bundle, empty)
            assert list(push.left_out) == [
                "The service cannot change the name to “Mira”.",
                "The service cannot change the overrides of section “Hall”.",
            ]
            assert len(push.notes) == 1
            done = await carried_out(there, push)
            assert done.different == ()
            again, notes = await pull(there, empty)
            assert again.unread == ("reasoning_effort", "backstory")
            assert len(notes) == 1
            kept, notes = await pull(there, empty, like=done.bundle)
            assert (kept.unread, kept.settings["backstory"]) == (("reasoning_effort",), "She keeps the gate.")
            assert len(notes) == 2
            mine, other = bundle.story, again.story
            assert list(mine.sections) == list(other.sections) == ["gate", "hall"]
            assert (mine.start, mine.enabled) == (other.start, other.enabled) == ("gate", True)
            # The backstory is what was last written from this machine, so it is not sent again.
            second = await push_plan(there, done.bundle, empty)
            assert second.plan.steps == ()
            assert "last written from this machine" in " ".join(second.notes)

    with _folder():
        asyncio.run(story())
