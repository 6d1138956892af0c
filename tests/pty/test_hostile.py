"""A store full of hostile text, shown in a real terminal: nothing of it is obeyed, everything of it can be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from chartui.core.backends.local.store import BUILT_IN_ACCOUNT, Store
from chartui.core.clock import seeded_ids, system_clock
from chartui.core.text import display_text
from tests.pty.terminal import CHARTUI, running
from tests.tui.hostile import hostile_store

#: A name, and what must never come out as it is.
CLIPBOARD = "\x1b]52;c;SE9TVElMRQ==\x07"
TITLE = "\x1b]0;HOSTILE-TITLE\x1b\\"
CLEAR = "\x1b[2J\x1b[1;1HHOSTILE-CLEAR"
C1 = "\x9b31mHOSTILE-C1\x9d0;x\x9c"
BIDI = "\u202eHOSTILE-BIDI\u2066"
MARKUP = "[bold]HOSTILE[/] [/nope] [@click=app.quit]x[/]"
EVERYTHING = " ".join((CLIPBOARD, TITLE, CLEAR, C1, BIDI, MARKUP))


@pytest.fixture
def data(own_folders: Path) -> Path:
    """The folder of a demo profile whose every text is hostile."""
    store = Store(own_folders / "data" / "demo.db")
    hostile_store(store, lambda _: EVERYTHING, account=BUILT_IN_ACCOUNT, ids=seeded_ids(1), clock=system_clock)
    store.close()
    return own_folders


def test_nothing_from_the_store_is_obeyed(data: Path) -> None:
    with running([CHARTUI, "--profile", "demo"], size=(160, 50)) as terminal:
        terminal.wait_for("Configuration", "credits per interaction")
        for keys, shown in (
            ("C", "HOSTILE"),
            ("\r", "Identity"),
            ("n", "HOSTILE-TITLE"),
            ("c", "12 of 12"),
            ("\x1b", "on/off"),
            ("T", "Cancel"),
            ("y", "□ off"),
        ):
            terminal.forget()
            terminal.type(keys)
            terminal.wait_for(shown)
            # What comes at once behind an escape would be a key with Alt.
            terminal.wait_for_silence()
        terminal.type("q")
        assert terminal.end() == 0
        terminal.assert_restored()
    for payload in (CLIPBOARD, TITLE, CLEAR, C1, BIDI):
        assert payload.encode() not in terminal.raw
    for obeyed in ("\x1b]52", "\x1b]0;HOST", "\x9b", "\x9d", "\u202e", "\u2066", "\x1b[2J"):
        assert obeyed.encode() not in terminal.raw
    assert display_text(CLIPBOARD).encode() in terminal.raw
