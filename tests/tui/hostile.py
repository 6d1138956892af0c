"""Text that has broken terminal programs, and stores full of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import pytest

from chartui.core.backends.local.store import BUILT_IN_ACCOUNT, Account, Store
from chartui.core.backends.local.tables import StoredCharacter
from chartui.core.clock import Clock, Ids, seeded_ids
from chartui.core.jsontext import Wire
from chartui.core.session import Session
from chartui.core.text import is_plain
from chartui.demos.sample import samples
from tests.tui.sessions import clock, demo
from tests.tui.user import NARROW, WIDE, User

__all__ = ["HOSTILE", "IN_WINDOWS", "SHORT_RUN", "hostile_characters", "hostile_store", "look", "session_of"]

#: By what each does where it is not held back.
HOSTILE: Final = {
    "markup": "[bold]x[/bold] [/] [/nope] [$primary]y [ foo ] [@click=app.quit]z[/] [link=a]b",
    "open markup": "see [/",
    "markup in quotes": "[type=x, v={'a[0]'}]",
    "escape sequences": "\x1b[2J\x1b]0;title\x07\x1b]52;c;aGk=\x1b\\\x9b31m",
    "controls": "".join(map(chr, range(32))) + "\x7f" + "".join(map(chr, range(0x80, 0xA0))),
    "bidi": "\u202egnp.exe\u2066\u2069\u200f",
    "separators": "a\u2028b\u2029c\ufeffd\u00ade\r\nf\tg",
    "blank": " \t\r\n ",
    "empty": "",
    "combining": "a" + "\u0301" * 3000,
    "emoji": "\U0001f468\u200d\U0001f469\u200d\U0001f467\U000e0041\U0010ffff\ufffe",
    "wide": "漢字仮名交じり文" * 40,
    "right to left": "مرحبا שלום " * 40,
    "long": "x" * 20_000,
    "many words": "x " * 2_000,
    "template": "{VisitorName} {} {0} %s $name ${name}",
}

#: Those of a normal run: one that is obeyed as markup, one by the terminal, one that reorders, one that misaligns.
SHORT_RUN: Final = ("markup", "escape sequences", "bidi", "wide")
#: Those that no window is wide enough for, each with both windows; the others, which do not care, take turns.
_TOO_LONG: Final = frozenset({"combining", "wide", "right to left", "long", "many words"})
IN_WINDOWS: Final = pytest.mark.parametrize(
    ("name", "size"),
    [
        pytest.param(
            name,
            size,
            id=f"{name}-{size[0]}x{size[1]}",
            marks=() if name in SHORT_RUN and turn == number % 2 else pytest.mark.long,
        )
        for number, name in enumerate(HOSTILE)
        for turn, size in enumerate((NARROW, WIDE))
        if name in _TOO_LONG or turn == number % 2
    ],
)

#: Members that name something or are read as something else than text.
_KEPT: Final = frozenset({"character_id", "user_id", "section_id", "trigger_id", "next_section_id"}) | {
    "destination_section",
    "start_narrative_section_id",
}


def hostile_store(store: Store, text: Callable[[str], str], *, account: Account, ids: Ids, clock: Clock) -> None:
    """Fill ``store`` with the demo data, each text in it exchanged for what ``text`` makes of it."""

    def changed(value: Wire, member: str = "") -> Any:
        if isinstance(value, dict):
            return {name: changed(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [changed(item, member) for item in value]
        return text(value) if isinstance(value, str) and member not in _KEPT else value

    with store.writing() as tables:
        for sample in samples(account.user_id, ids=ids, clock=clock):
            effort = sample.reasoning_effort and text(sample.reasoning_effort)
            tables.characters.insert(StoredCharacter(changed(sample.record), text(sample.backstory), effort))
            for section in sample.sections:
                tables.narrative.sections.insert(changed(section))
            for number, trigger in enumerate(sample.triggers):
                # Names of triggers are unique within a character.
                named = {"trigger_name": text(trigger["trigger_name"]) + " " * number}
                tables.narrative.triggers.insert({**changed(trigger), **named})


def hostile_characters(store: Store, texts: Sequence[str], *, account: Account, ids: Ids, clock: Clock) -> None:
    """Fill ``store`` with a character for each of ``texts``, which stands in every field of it: also in place of
    numbers, truths, lists and objects, in members of any name, and in the names of members.
    """
    sample = next(samples(account.user_id, ids=ids, clock=clock))

    def changed(value: Wire, text: str, member: str = "") -> Any:
        if member in _KEPT:
            return value
        if isinstance(value, dict):
            return {name: changed(item, text, name) for name, item in value.items()}
        return [text, "", text] if isinstance(value, list) else text

    with store.writing() as tables:
        for text in texts:
            record = changed(sample.record, text)
            record["pronunciation_metadata"] = {
                "pronunciations": [{"word": text, "ipaPronunciation": text, text: text}]
            }
            record["guard_rails"] = {text: text, "deep": {text: [text, {text: [text]}]}}
            record |= {text: {text: text}, "embodiment": [[text], {text: None}], "character_id": ids()}
            tables.characters.insert(StoredCharacter(record, text, text))


def session_of(text: str) -> Session:
    """The demo data with ``text`` for every text."""

    def fill_store(store: Store) -> None:
        hostile_store(store, lambda _: text, account=BUILT_IN_ACCOUNT, ids=seeded_ids(7), clock=clock)

    return demo(fill_store=fill_store)


async def look(user: User) -> None:
    """Take the screen as it is sent to the terminal."""
    await user.settle()
    strips = user.styles()
    for strip in strips:
        assert strip.cell_length == user.app.size.width
        assert is_plain(strip.text), strip.text
        actions = [segment.style.meta.get("@click", "") for segment in strip if segment.style]
        assert {action.partition("(")[0] for action in actions} <= {"", "app.command", "screen.dismiss"}
