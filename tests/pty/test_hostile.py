"""A store full of hostile text, shown in a real terminal: nothing of it is obeyed, everything of it can be read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from chartui.core.backends.local.store import BUILT_IN_ACCOUNT, Store
from chartui.core.clock import seeded_ids, system_clock
from chartui.core.text import display_text, is_plain
from tests.long import sampled
from tests.pty.terminal import CHARTUI, ESCAPE, Terminal, running
from tests.tui.hostile import HOSTILE, hostile_characters, hostile_store

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
            ("N", "HOSTILE-TITLE"),
            ("c", "12 of 12"),
            (ESCAPE, "on/off"),
            ("T", "Cancel"),
            ("y", "□ graph off"),
        ):
            terminal.forget()
            terminal.type(keys)
            terminal.wait_for(shown)
        terminal.type("q")
        assert terminal.end() == 0
        terminal.assert_restored()
    for payload in (CLIPBOARD, TITLE, CLEAR, C1, BIDI):
        assert payload.encode() not in terminal.raw
    for obeyed in ("\x1b]52", "\x1b]0;HOST", "\x9b", "\x9d", "\u202e", "\u2066"):
        assert obeyed.encode() not in terminal.raw
    # The program's own: before the first picture, and when the screen is left.
    assert terminal.raw.count(b"\x1b[2J") == 2
    assert display_text(CLIPBOARD).encode() in terminal.raw


# -- a record, in all its panes ---------------------------------------------------------------------------------------

#: Everything short in one text; what is long makes others.
SHORT = " | ".join([EVERYTHING, "\x1b[31;5mHOSTILE-COLOUR", *(text for text in HOSTILE.values() if len(text) < 1_000)])
LONG = "".join(text[:3_000] for text in HOSTILE.values() if len(text) >= 1_000)
#: Sequences of the program's own: colors, the cursor, erasing, scrolling, modes, the pointer's shape.
_OWN = re.compile(rb"\x1b\[[?<>=]?[0-9;:]*[mABCDGHJKSTXrshlnupt$]+|\x1b[()][AB0]|\x1b[78=>]|\x1b\]22;[a-z]+\x07")
#: A title or a link of its own: what it holds must be plain as well.
_WINDOW = re.compile(rb"\x1b\](?:2;|8;(?:id=[-0-9]+)?;)([^\x00-\x1f\x7f]*)\x1b\\")
#: What fills a pane, by its key.
_PANES = {"i": "not editable", "J": "the whole record", "e": "0 to 1", "$": "Unknown", "h": "Only changes made"}


@pytest.fixture
def records(own_folders: Path) -> Path:
    """The folder of a demo profile in which every field of every record is hostile, and so are names of members."""
    store = Store(own_folders / "data" / "demo.db")
    texts = (SHORT, LONG, HOSTILE["blank"])
    hostile_characters(store, texts, account=BUILT_IN_ACCOUNT, ids=seeded_ids(1), clock=system_clock)
    store.close()
    return own_folders


def look(terminal: Terminal, keys: str, *shown: str) -> None:
    """Press keys, and wait until what they bring is there as a whole."""
    terminal.forget()
    terminal.type(keys)
    terminal.wait_for(*shown)
    terminal.wait_for_rest()


@pytest.mark.parametrize("number", sampled(range(3), 0))
def test_nothing_in_any_field_of_a_record_is_obeyed(records: Path, number: int) -> None:
    assert records
    with running([CHARTUI, "--profile", "demo", "--screen", "characters"]) as terminal:
        terminal.wait_for("Characters", "filter")
        look(terminal, "\x1b[H" + "\x1b[B" * number)
        for key, shown in _PANES.items():
            look(terminal, key, shown)
            look(terminal, "\x1b[6~\x1b[6~\x1b[F")
        look(terminal, "J*", "the whole record")
        look(terminal, "\x1b[F")
        look(terminal, "/HOSTILE", " of " if not number else "not found")
        look(terminal, ESCAPE)
        look(terminal, "Y", "Support card")
        look(terminal, "t")
        look(terminal, ESCAPE)
        look(terminal, "y", "Copy")
        look(terminal, ESCAPE)
        look(terminal, ESCAPE, "filter")
        terminal.type("q")
        assert terminal.end() == 0
        terminal.assert_restored()
    assert_nothing_obeyed(terminal.raw)


def assert_nothing_obeyed(raw: bytes) -> None:
    """All that the program wrote are its own sequences and text that a terminal only shows."""
    assert re.search(rb"\x1b\[31[;m]", raw) is None  # a color that no theme has
    rest = _OWN.sub(b"", _WINDOW.sub(rb"\1", raw)).decode()
    assert [line for line in re.split(r"[\r\n]+", rest) if not is_plain(line)] == []
