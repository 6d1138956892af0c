"""What the bytes of a terminal are taken for."""

from __future__ import annotations

import pytest
from textual import events

from chartui.tui.driver import KeyParser


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("\x1bl", ["alt+l"]),
        ("\x1bC", ["alt+C"]),
        ("\x1bb1", ["alt+b", "1"]),
        ("\x1b1", ["alt+1"]),
        ("\x1b?", ["alt+question_mark"]),
        ("\x1b ", ["alt+space"]),
        ("\x1b\x1bl", ["escape", "alt+l"]),
        ("\x1b", ["escape"]),
        ("\x1b[", ["alt+left_square_bracket"]),
        ("\x1bO", ["alt+O"]),
        ("\x1b[A", ["up"]),
        ("\x1bOA", ["up"]),
        ("\x1b\x1b[A", ["escape", "up"]),
        ("\x1b[27u", ["escape"]),
        ("\x1b\x7f", ["ctrl+w"]),
        ("\x1b\t", ["shift+tab"]),
        # Not understood: no Escape that would close something.
        ("\x1b[?9z", ["left_square_bracket", "question_mark", "9", "z"]),
    ],
)
def test_a_character_behind_an_escape(typed: str, keys: list[str]) -> None:
    parser = KeyParser()
    found = [*parser.feed(typed), *parser.feed("")]
    assert [event.key for event in found if isinstance(event, events.Key)] == keys


def test_pasted_text_is_no_key() -> None:
    found = list(KeyParser().feed("\x1b[200~a[Ob\x1b[201~c"))
    assert [event.text for event in found if isinstance(event, events.Paste)] == ["a[Ob"]
    assert [event.key for event in found if isinstance(event, events.Key)] == ["c"]
