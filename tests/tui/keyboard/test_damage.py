"""Files that are damaged, removed or missing, as somebody at the keyboard meets them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from chartui.core.backends.local.seed import seed
from chartui.core.backends.local.store import BUILT_IN_ACCOUNT, Store
from chartui.core.clock import seeded_ids
from chartui.core.profiles import BUILT_IN
from chartui.core.session import Session, journal_path, open_session, store_path
from chartui.demos import fill
from tests import writes
from tests.tui.user import opened

LOCAL = BUILT_IN["local"]


def _filled() -> Path:
    """A store with the demo characters."""
    path = store_path(LOCAL)
    with closing(Store(path)) as store:
        fill(store, ids=seeded_ids(7))
    return path


def _session() -> Session:
    return open_session(LOCAL)


async def _change() -> None:
    """A change from before, which the journal knows."""
    session = _session()
    try:
        [first, *_] = await session.service.summaries()
        await writes.rename_character(session.service, first.character_id, "Renamed")
    finally:
        await session.aclose()


async def test_a_store_that_is_removed_takes_no_change_and_what_is_staged_is_kept() -> None:
    path = _filled()
    async with opened(_session(), screen="characters", size=(120, 40)) as user:
        await user.press("e", "down", "+")
        await user.sees("Δ1")
        for file in path.parent.glob("local.db*"):
            file.unlink()
        await user.press("S")
        await user.is_told("was removed while the program was using it. Nothing was changed.")
        assert "Δ1" in user.screen
    assert not path.exists()
    [rescued] = path.parent.glob("local.db.rescued-*")
    with closing(Store(rescued)) as store, store.reading() as tables:
        assert tables.characters.summaries(BUILT_IN_ACCOUNT.user_id)


async def test_a_store_that_takes_the_place_of_another_is_read_after_it_was_reported() -> None:
    path = _filled()
    other = path.with_name("other.db")
    with closing(Store(other)) as store:
        seed(store, BUILT_IN_ACCOUNT, characters=2, sections=0, seed=1)
    async with opened(_session(), screen="characters", size=(120, 40)) as user:
        await user.sees("Elena Marsh")
        for file in path.parent.glob("local.db*"):
            file.unlink()
        other.rename(path)
        await user.press("f5")
        await user.is_told("was replaced by another file")
        await user.press("f5")
        await user.misses("Elena Marsh")
        await user.sees("· 2")


async def test_a_damaged_journal_is_named_at_the_start_and_characters_are_read() -> None:
    _filled()
    await _change()
    journal_path().write_bytes(b"x" * 8192)
    async with opened(_session(), screen="characters", size=(120, 40)) as user:
        await user.is_told("is damaged", "Changes are disabled until this is fixed.")
        await user.sees("Renamed")
        await user.press("H")
        await user.settle()
        user.app.assert_whole()


async def test_the_history_opens_beside_a_damaged_store() -> None:
    path = _filled()
    await _change()
    path.write_bytes(b"x" * 8192)
    async with opened(_session(), screen="estimator", size=(120, 40)) as user:
        await user.press("H")
        await user.sees("History")
        await user.sees("Renamed")


async def test_a_store_that_is_missing_at_the_start_is_reported() -> None:
    path = _filled()
    await _change()
    path.unlink()
    async with opened(_session(), screen="characters", size=(120, 40)) as user:
        await user.is_told("the history contains changes made to it", "chartui store backups")
