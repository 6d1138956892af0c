"""``chartui complete SHELL LINE``: completions of the last word on a command line, for the script of a shell.

It runs at every press of Tab, so it imports little, and reads ``commands.json`` instead of building the parser. It
calls no service, fetches no API key, writes nothing and reports no errors: if something fails, there are no candidates.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from chartui.cli.errors import Exit
from chartui.cli.output import Output
from chartui.core.classes import NamedTuple
from chartui.core.naming import BadName, Item, find, folded, is_whole_id
from chartui.core.text import single_line

#: The exit statuses that let the shell complete names of files, or of folders.
FILES, FOLDERS = 10, 11
_STATUS: Final = {"file": FILES, "folder": FOLDERS}
#: The longest description, in characters.
_LONGEST: Final = 60


class Candidate(NamedTuple):
    """A possible completion: a value with its description, also found by the start of its ``name``, if any."""

    value: str
    about: str = ""
    name: str = ""


class Word(NamedTuple):
    """A word of a command line: its text, the quote that is still open, and where the shell starts to replace it."""

    text: str
    quote: str = ""
    start: int = 0


def complete(shell: str, line: str, output: Output) -> int:
    """Write the candidates for the last word of ``line``, one per line, and return the exit status."""
    words = split(line)
    try:
        found = candidates(words)
    except (OSError, ValueError, LookupError, RuntimeError):
        return Exit.DONE
    if isinstance(found, str):
        return _STATUS[found]
    for value, about, _ in found:
        if shell != "bash":
            output.cells(value, single_line(about, limit=_LONGEST))
        elif folded(value).startswith(folded(words[-1].text[: words[-1].start])):  # bash keeps that part
            output.cells(_quoted(value[words[-1].start :], words[-1].quote))
    return Exit.DONE


# -- quotes ------------------------------------------------------------------------------------------------------------


def split(line: str) -> list[Word]:
    """Split a command line into words. The last word may be incomplete."""
    words: list[Word] = []
    text, quote, start, begun = "", "", 0, False
    characters = iter(line)
    for character in characters:
        if character == "\\" and quote != "'":
            following = next(characters, "")
            text += following if quote != '"' or following in '"\\$`' else character + following
            begun = True
        elif quote:
            if character == quote:
                quote, start = "", 0
            else:
                text += character
        elif character in "'\"":
            quote, start, begun = character, len(text), True
        elif character.isspace():
            if begun:
                words.append(Word(text))
            text, start, begun = "", 0, False
        else:
            text, begun = text + character, True
            if character in "=:":
                start = len(text)
    return [*words, Word(text, quote, start)]


def _quoted(text: str, quote: str) -> str:
    if quote == "'":
        return text.replace("'", "'\\''")
    return re.sub(r'([\\"$`])' if quote else r"([^\w@%+=:,./-])", r"\\\1", text)


# -- the command line --------------------------------------------------------------------------------------------------


class _Reading:
    """The words before the last one, parsed: the command, its values and options, and what may follow."""

    def __init__(self, table: Mapping[str, Any], words: Sequence[Word]) -> None:
        self.table = table
        self.name = ""
        self.given: set[str] = set()
        #: The values given, by their source.
        self.values: dict[str, str] = {}
        #: The option that takes the next word, and how many it has taken.
        self.option: Mapping[str, Any] | None = None
        self._taken = 0
        self._arguments = 0
        self._only_arguments = False
        for word in words:
            self._read(word.text)

    @property
    def command(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.table["commands"][self.name]
        return found

    @property
    def options(self) -> Iterator[Mapping[str, Any]]:
        yield from self.command.get("options", ())
        yield from self.table["everywhere"]

    @property
    def options_allowed(self) -> bool:
        """Whether the next word can be an option: no earlier option still needs a value."""
        needed = self.option is not None and (self._needs() or (self.option["count"] == "+" and not self._taken))
        return not needed and not self._only_arguments

    @property
    def argument(self) -> Mapping[str, Any] | None:
        slots = self.command.get("arguments", ())
        if self._arguments < len(slots):
            return slots[self._arguments]  # type: ignore[no-any-return]
        return slots[-1] if slots and slots[-1]["count"] in "*+" else None

    def option_called(self, name: str) -> Mapping[str, Any] | None:
        return next((option for option in self.options if name in option["names"]), None)

    def _needs(self) -> bool:
        count = "0" if self.option is None else self.option["count"]
        return count.isdecimal() and self._taken < int(count)

    def _read(self, text: str) -> None:
        if self.options_allowed and text.startswith("-") and text != "-":
            if text == "--":
                self.option, self._only_arguments = None, True
                return
            name, has_value, value = text.partition("=")
            option = self.option_called(name)
            self.given.update(option["names"] if option else ())
            self.option, self._taken = (option if option and "count" in option else None), 0
            if has_value:
                self._take(self.option, value)
                self.option = None
        elif self.option is not None:
            self._take(self.option, text)
            self._taken += 1
            if self.option["count"] not in "*+" and not self._needs():
                self.option = None
        elif "verbs" in self.command:
            if text not in self.command["verbs"]:
                raise LookupError(text)
            self.name = f"{self.name} {text}".strip()
        elif (argument := self.argument) is not None:
            self._take(argument, text)
            self._arguments += 1

    def _take(self, slot: Mapping[str, Any] | None, text: str) -> None:
        source = slot.get("values") if slot else None
        if isinstance(source, str):
            self.values.setdefault(source, text)


def candidates(words: Sequence[Word]) -> list[Candidate] | str:
    """The candidates for the last word; ``file`` or ``folder`` if the shell completes it itself.

    Raises ``LookupError`` for an unknown command, and the errors of unusable files.
    """
    table = json.loads(Path(__file__).with_name("commands.json").read_bytes())
    reading = _Reading(table, words[1:-1])
    typed = words[-1].text
    name, has_value, value = typed.partition("=")
    if reading.options_allowed and typed.startswith("-"):
        if not has_value:
            return _matching(typed, _options(reading))
        option = reading.option_called(name) or {}
        found = _values(reading, option, value)
        return found if isinstance(found, str) else [each._replace(value=f"{name}={each.value}") for each in found]
    if reading.option is not None:
        return _values(reading, reading.option, typed)
    if "verbs" in reading.command:
        return _matching(typed, (Candidate(*verb) for verb in reading.command["verbs"].items()))
    if reading.argument is not None:
        return _values(reading, reading.argument, typed)
    return [] if typed or not reading.options_allowed else _matching(typed, _options(reading))


def _options(reading: _Reading) -> Iterator[Candidate]:
    for option in reading.options:
        if option.get("again") or not reading.given.intersection(option["names"]):
            yield from (Candidate(name, option["about"]) for name in option["names"] if name.startswith("--"))


def _matching(typed: str, all_of_them: Iterable[Candidate]) -> list[Candidate]:
    start = folded(typed)
    return [each for each in all_of_them if any(folded(text).startswith(start) for text in (each.value, each.name))]


# -- values ------------------------------------------------------------------------------------------------------------


def _values(reading: _Reading, slot: Mapping[str, Any], typed: str) -> list[Candidate] | str:
    source = slot.get("values", ())
    if not isinstance(source, str):
        return _matching(typed, map(Candidate, source))
    if source in _STATUS:
        return source
    before, comma, typed = typed.rpartition(",") if source == "feature" else ("", "", typed)
    known = [Candidate(*value) for value in reading.table["values"].get(source, {}).items()]
    if source in _SOURCES:
        known += _SOURCES[source](reading, typed)
    return [each._replace(value=f"{before}{comma}{each.value}") for each in _matching(typed, known)]


def _profiles(_: _Reading, __: str) -> Iterator[Candidate]:
    from chartui.core.profiles_file import load_profiles

    for profile in load_profiles().by_name.values():
        yield Candidate(profile.name, profile.host or "embedded store")


def _presets(_: _Reading, __: str) -> Iterator[Candidate]:
    from chartui.core.presets import Presets

    return _saved(Presets().entries())


def _scenarios(_: _Reading, __: str) -> Iterator[Candidate]:
    from chartui.core.estimation.scenario import Scenarios

    return _saved(Scenarios().entries())


def _saved(entries: Iterable[Any]) -> Iterator[Candidate]:
    items = (entry.item for entry in entries if entry.item is not None)
    return (Candidate(item.name, item.note) for item in items if not item.name.startswith("-"))


def _themes(_: _Reading, __: str) -> Iterator[Candidate]:
    from chartui.core.themes import theme_names

    return map(Candidate, theme_names())


def _tours(reading: _Reading, _: str) -> Iterator[Candidate]:
    from chartui.core.paths import own_tours

    names = sorted({path.stem.removesuffix(".tour") for path in own_tours().glob("*.toml")})
    return (Candidate(name) for name in names if name not in reading.table["values"]["tour"])


def _characters(reading: _Reading, typed: str) -> Iterator[Candidate]:
    from chartui.core.backends.local.names import character_names

    store = _store(reading)
    return _offered(character_names(store) if store else (), typed)


def _sections(reading: _Reading, typed: str) -> Iterator[Candidate]:
    from chartui.core.backends.local.names import section_names

    return _of_character(section_names, reading, typed)


def _triggers(reading: _Reading, typed: str) -> Iterator[Candidate]:
    from chartui.core.backends.local.names import trigger_names

    return _of_character(trigger_names, reading, typed)


def _of_character(read: Callable[[Path, str], Iterable[Any]], reading: _Reading, typed: str) -> Iterator[Candidate]:
    from chartui.core.backends.local.names import character_names

    store, given = _store(reading), reading.values.get("character")
    if store is None or given is None:
        return iter(())
    try:
        character = find("character", given, (Item(one.id, one.name) for one in character_names(store)))
    except BadName:
        return iter(())
    return _offered(read(store, character.id), typed)


def _store(reading: _Reading) -> Path | None:
    from chartui.core.paths import store_file
    from chartui.core.profiles_file import load_profiles

    profiles = load_profiles()
    local = reading.name.startswith(("store", "serve"))
    profile = profiles.choose(reading.values.get("profile")) or profiles.get("local" if local else "demo")
    return store_file(profile.kind.value) if profile.embedded else None


def _offered(rows: Iterable[Any], typed: str) -> Iterator[Candidate]:
    """Candidates by name, or by ID if the start of an ID is typed or the name is not unique or cannot be typed.

    IDs are given in full, because a change without confirmation accepts nothing shorter.
    """
    rows = list(rows)
    names = [folded(row.name) for row in rows]
    often = {name for name in names if names.count(name) > 1} if len(set(names)) < len(names) else ()
    for row, name in zip(rows, names, strict=True):
        usable = name and name not in often and row.name.isprintable() and not row.name.startswith(("-", "@"))
        if usable and not is_whole_id(row.name):
            yield Candidate(row.name, row.about)
        if (typed and row.id.startswith(typed)) or not usable:
            yield Candidate(row.id, " · ".join(filter(None, (row.name, row.about))), "" if usable else row.name)


#: The values that are read from files, by their source.
_SOURCES: Final[Mapping[str, Callable[[_Reading, str], Iterable[Candidate]]]] = {
    "profile": _profiles,
    "other_profile": _profiles,
    "preset": _presets,
    "scenario": _scenarios,
    "theme": _themes,
    "tour": _tours,
    "character": _characters,
    "section": _sections,
    "trigger": _triggers,
}
