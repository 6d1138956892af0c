"""A store that is removed, and made again by another program, while this one has it open."""

from __future__ import annotations

from decimal import Decimal

import pytest

from chartui.core.backends.local.store import Store
from chartui.core.database import BESIDE
from tests import writes
from tests.tui.characters import kept, stage_temperature, stored
from tests.tui.user import WIDE, opened


@pytest.mark.parametrize("restored", [False, True])
async def test_an_empty_store_in_the_place_of_the_open_one_is_reported(restored: bool) -> None:
    session = kept()
    path = session.store_file
    assert path is not None
    await writes.update_character(session.service, (await stored(session)).character_id, temperature=Decimal("0.6"))
    async with opened(session, screen="characters", size=WIDE) as user:
        await stage_temperature(user)
        await user.characters.kept()
        user.app.clear_notifications()
        copy = path.with_name("copy.db")
        whole = Store(path)
        whole.backup(copy)
        whole.close()
        for name in (path, *(path.with_name(path.name + beside) for beside in BESIDE)):
            name.unlink(missing_ok=True)
        if restored:
            copy.rename(path)
        else:
            Store(path).close()
        await user.press("f5")
        await user.until(lambda: session.recorder.calls[-1].error is not None, "for the loss")
        await user.press("f5")
        await user.until(lambda: session.recorder.calls[-1].error is None, "for the new store")
        if restored:
            await user.settle()
            assert not any("is missing" in message for message in user.toasts)
        else:
            await user.is_told("The store is missing", "A new store was created.", "chartui store backups")
        [staged] = user.characters.staged.values()
        assert staged.changes == {"temperature": "0.9"}
        assert len(await session.drafts.all(session.profile.place)) == 1
