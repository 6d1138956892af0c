"""The editor of settings, without a terminal: steps, newer values, conflicts, the plan and the drafts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal
from pathlib import Path

from chartui.core.characters.models import from_catalogue
from chartui.core.clock import seeded_ids
from chartui.core.drafts import Drafts
from chartui.core.jsontext import Wire
from chartui.core.plans.settings import MODEL, SETTINGS_PART, TEMPERATURE, Staged, plan
from chartui.core.profiles import Place
from chartui.core.spec.errors import ServiceError
from chartui.tui.drafts import Keeper
from chartui.tui.screens.characters.editor import SettingsEditor, read_staged, what_is_staged, write_staged

ELENA = "c1"
NOW: dict[str, Wire] = {MODEL: "mdla-5.1", TEMPERATURE: Decimal("0.6")}


@asynccontextmanager
async def editing(folder: Path) -> AsyncIterator[SettingsEditor]:
    """An editor over a file of drafts, which are written when it ends."""

    def failed(error: ServiceError) -> None:
        raise error

    def met(mine: Staged, theirs: Staged | None) -> None:
        raise AssertionError((mine, theirs))

    drafts = Drafts(folder / "drafts.db")
    place = Place("own", "embedded")
    keeper = Keeper(drafts, place, SETTINGS_PART, write=write_staged, read=read_staged, met=met, failed=failed)
    yield SettingsEditor(keeper)
    await keeper.settled()
    await drafts.aclose()


def present(editor: SettingsEditor) -> Staged:
    return editor.of(ELENA, "Elena", NOW)


def change(editor: SettingsEditor, member: str, text: str, *, field: str = "") -> None:
    editor.stage(present(editor).with_change(member, text), field=field)


async def test_every_edit_is_a_step_and_what_is_typed_into_one_field_is_one(tmp_path: Path) -> None:
    async with editing(tmp_path) as editor:
        change(editor, MODEL, "mdla-5.4-mini")
        for text in ("0", "0.", "0.9"):
            change(editor, TEMPERATURE, text, field=TEMPERATURE)
        assert what_is_staged(present(editor)) == "model mdla-5.4-mini, temperature 0.9"
        assert editor.turn(present(editor), NOW, -1) == "Change temperature"
        assert present(editor).changes == {MODEL: "mdla-5.4-mini"}
        assert editor.turn(present(editor), NOW, -1) == "Change model"
        assert editor.staged == {}
        assert editor.turn(present(editor), NOW, -1) is None
        assert editor.turn(present(editor), NOW, 1) == "Change model"
        assert editor.turn(present(editor), NOW, 1) == "Change temperature"
        assert editor.turn(present(editor), NOW, 1) is None
        assert present(editor).changes == {MODEL: "mdla-5.4-mini", TEMPERATURE: "0.9"}


async def test_an_edit_that_reverts_a_change_says_so(tmp_path: Path) -> None:
    async with editing(tmp_path) as editor:
        change(editor, TEMPERATURE, "0.9")
        change(editor, TEMPERATURE, "0.6")
        assert editor.staged == {}
        assert editor.turn(present(editor), NOW, -1) == "Revert temperature"


async def test_what_was_written_elsewhere_is_a_change_no_longer(tmp_path: Path) -> None:
    async with editing(tmp_path) as editor:
        change(editor, TEMPERATURE, "0.9")
        change(editor, MODEL, "mdla-5.4-mini")
        editor.rebase(ELENA, {**NOW, TEMPERATURE: Decimal("0.9")})
        assert editor.staged[ELENA].changes == {MODEL: "mdla-5.4-mini"}
        editor.rebase("nobody", NOW)
        assert list(editor.staged) == [ELENA]


async def test_a_conflict_ends_with_yours_or_theirs(tmp_path: Path) -> None:
    now = {**NOW, TEMPERATURE: Decimal("0.2"), MODEL: "mdla-4.1"}
    async with editing(tmp_path) as editor:
        assert editor.conflicts(ELENA, now) == {}
        change(editor, TEMPERATURE, "0.9")
        change(editor, MODEL, "mdla-5.4-mini")
        met = editor.conflicts(ELENA, now)
        assert {member: (one.base, one.now, one.mine) for member, one in met.items()} == {
            TEMPERATURE: (Decimal("0.6"), Decimal("0.2"), "0.9"),
            MODEL: ("mdla-5.1", "mdla-4.1", "mdla-5.4-mini"),
        }
        editor.resolve(ELENA, now, {MODEL})
        assert editor.conflicts(ELENA, now) == {}
        assert editor.staged[ELENA].changes == {MODEL: "mdla-5.4-mini"}


async def test_the_plan_sends_what_is_staged_in_one_request(tmp_path: Path) -> None:
    async with editing(tmp_path) as editor:
        change(editor, TEMPERATURE, "0.9")
        change(editor, MODEL, "mdla-5.4-mini")
        made = plan(present(editor), from_catalogue(), new_id=seeded_ids(1))
        [step] = made.steps
        assert (step.operation, step.payload) == (
            "update-character",
            {"charID": ELENA, MODEL: "mdla-5.4-mini", TEMPERATURE: Decimal("0.9")},
        )
        assert made.title == "Apply settings to Elena"
        editor.saved(present(editor).without(MODEL, TEMPERATURE))
        assert editor.staged == {}
        assert editor.turn(present(editor), NOW, -1) is None


async def test_a_draft_is_found_again_with_its_history(tmp_path: Path) -> None:
    async with editing(tmp_path) as editor:
        change(editor, TEMPERATURE, "0.9")
        change(editor, MODEL, "mdla-5.4-mini")
    async with editing(tmp_path) as editor:
        found = await editor.load()
        assert found == editor.staged
        assert present(editor).changes == {MODEL: "mdla-5.4-mini", TEMPERATURE: "0.9"}
        assert editor.turn(present(editor), NOW, -1) == "Change model"
