"""Lint a scene before it is sent.

Find errors and likely causes of bad actions (C 4.14). Errors are problems that would make the service reject the scene
(decisions 46 and 60). Warnings concern practices that the service advises against, and names that the service
cannot tell apart. Notes point to things that may be intentional. If a problem has exactly one solution, a fix is
offered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, Final, Literal

from chartui.core.actions.backstory import Declared, unnamed
from chartui.core.actions.language import tokens
from chartui.core.actions.names import core_of, number_of, numbered, split_humps
from chartui.core.actions.turn import Turn
from chartui.core.actions.verbs import bases
from chartui.core.classes import NamedTuple, dataclass
from chartui.core.lint import Rule, Severity
from chartui.core.names import bare
from chartui.core.spec.models.actions import Person, Thing
from chartui.core.text import single_line

_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE
_RULES: Final = (
    Rule("semicolon", _E, "The service separates objects with semicolons and rejects objects that contain semicolons."),
    Rule("comma", _E, "Commas separate action words, so an action word cannot contain a comma."),
    Rule(
        "line-break", _E, "Line breaks separate the steps of a sequence, so an action word cannot contain a line break."
    ),
    Rule("no-actions", _W, "Without an action word, replies have no actions."),
    Rule("no-name", _W, "An action sequence cannot refer to an entry without a name."),
    Rule("blanks", _W, "Extra spaces and line breaks in a name are removed when the name is sent."),
    Rule("twice", _W, "The list already has this entry."),
    Rule("look-alike", _W, "Names that differ only in case or punctuation are easily confused."),
    Rule("same-action", _W, "Two forms of the same verb count as one action, so only the first form is ever chosen."),
    Rule("two-meanings", _W, "An action sequence cannot distinguish an action from a target with the same name."),
    Rule("casing", _W, "Action words work best in one consistent style."),
    Rule("numbering", _W, "Similar objects should have different numbers."),
    Rule("not-general", _W, "Keep action words general, and declare the target as an object."),
    Rule("no-description", _W, "The description determines how an object is used."),
    Rule("no-backstory", _W, "The backstory should list objects, characters and actions."),
    Rule("not-in-backstory", _W, "The backstory strongly influences the actions, so it should mention this entry."),
    Rule("mark", _N, "Semicolons separate objects, so the service may misread a semicolon in other fields."),
    Rule("long-action", _N, "Short action words work best."),
    Rule("no-bio", _N, "The bio tells the service who a character is."),
    Rule("words-only", _N, "The service returns actions only for multistep turns."),
)
#: Every rule by its ID, errors first.
RULES: Final[Mapping[str, Rule]] = MappingProxyType({rule.id: rule for rule in _RULES})
#: Maximum number of words in a simple action.
_MOST_WORDS: Final = 3
#: Maximum number of words of an action that are compared with the names of objects.
_LOOKED_AT: Final = 16


class Fix(NamedTuple):
    words: str
    turn: Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A problem that a lint rule found in a scene.

    ``place`` identifies the entry or list with the problem, in the notation of the service's errors (such as
    ``objects[0].name``). ``place`` may be empty. If ``place`` is an entry, ``message`` is a short predicate that
    follows the entry's name. Otherwise, ``message`` is a complete sentence.
    """

    rule: Rule
    place: str
    message: str
    fix: Fix | None = None


def lint(turn: Turn, *, backstory: str | None = None) -> tuple[Finding, ...]:
    """Return all findings in a turn, errors first.

    Findings of the same severity are listed in the order they occur in the turn. ``backstory`` is the character's
    backstory, or None if unknown. If it is None, the rules about the backstory are skipped.
    """
    found = [finding for look in _LOOKS for finding in look(turn)]
    if backstory is not None:
        found += _not_in_backstory(turn, backstory)
    order = {rule_id: place for place, rule_id in enumerate(RULES)}
    severities = list(Severity)
    lists = {"": 0, "userText": 1, "actions": 2, "objects": 3, "characters": 4}

    def where(finding: Finding) -> tuple[int, int, int, int]:
        name, _, rest = finding.place.partition("[")
        position = int(rest.partition("]")[0]) if rest else -1
        return severities.index(finding.rule.severity), lists[name], position, order[finding.rule.id]

    return tuple(sorted(found, key=where))


def in_words(turn: Turn, finding: Finding) -> str:
    """Return the message of a finding, preceded by the name of the entry with the problem."""
    found = _ENTRY.match(finding.place)
    if found is None:
        return finding.message
    lists = {
        "actions": turn.actions,
        "objects": tuple(thing.name for thing in turn.objects),
        "characters": tuple(person.name for person in turn.people),
    }
    return f"{_quoted(lists[found[1]][int(found[2])])} {finding.message}"


_ENTRY: Final = re.compile(r"(\w+)\[(\d+)\]")


def fix_all(turn: Turn, again: Callable[[Turn], Sequence[Finding]]) -> tuple[Turn, list[str]]:
    """Apply every fix to a turn.

    Return the new turn and a description of each fix. ``again`` is the function that lints a turn. It is called after
    each fix.
    """
    done: list[str] = []
    while len(done) < _MOST_FIXES:
        finding = next((finding for finding in again(turn) if finding.fix is not None), None)
        if finding is None or finding.fix is None:
            break
        done.append(f"{in_words(turn, finding)}: {finding.fix.words}")
        turn = finding.fix.turn
    return turn, done


#: Every fix removes a problem, so this limit only prevents an infinite loop.
_MOST_FIXES: Final = 10_000


def _found(rule_id: str, place: str, message: str, fix: Fix | None = None) -> Finding:
    return Finding(rule=RULES[rule_id], place=place, message=message, fix=fix)


def _quoted(name: str) -> str:
    return f"“{single_line(name, limit=30)}”"


def _with(turn: Turn, entries: Literal["actions", "objects", "people"], position: int, *instead: Any) -> Turn:
    present = getattr(turn, entries)
    changes: dict[str, Any] = {entries: (*present[:position], *instead, *present[position + 1 :])}
    return replace(turn, **changes)


# -- rejected by the service ------------------------------------------------------------------------------------------


def _separators(turn: Turn) -> Iterator[Finding]:
    for position, word in enumerate(turn.actions):
        place = f"actions[{position}]"
        if "," in word:
            fixed = _with(turn, "actions", position, *(part.strip() for part in word.split(",") if part.strip()))
            yield _found("comma", place, "contains a comma", Fix("split the action word", fixed))
        if re.search(r"[\r\n]", word):
            fixed = _with(turn, "actions", position, " ".join(word.split()))
            yield _found("line-break", place, "contains a line break", Fix("join the lines", fixed))
        if ";" in word:
            yield _found("mark", place, "contains a semicolon")
    for position, thing in enumerate(turn.objects):
        for member in ("name", "description"):
            value: str = getattr(thing, member)
            if ";" in value:
                fixed = _with(turn, "objects", position, replace(thing, **{member: value.replace(";", ",")}))
                words = f"contains a semicolon in the {member}"
                yield _found("semicolon", f"objects[{position}].{member}", words, Fix("use a comma instead", fixed))
    for position, person in enumerate(turn.people):
        if ";" in person.name:
            yield _found("mark", f"characters[{position}].name", "contains a semicolon")


# -- names ------------------------------------------------------------------------------------------------------------


class _Name(NamedTuple):
    """An entry of any list, with its name. ``fixed`` returns the turn with this entry replaced by others."""

    place: str
    name: str
    detail: str
    fixed: Callable[..., Turn]

    @property
    def kind(self) -> str:
        return self.place.partition("[")[0]


def _names(turn: Turn) -> list[list[_Name]]:
    def called(entries: Literal["objects", "people"], position: int, old: Thing | Person) -> Callable[..., Turn]:
        return lambda *names: _with(turn, entries, position, *(replace(old, name=name) for name in names))

    return [
        [_Name(f"actions[{n}]", one, "", partial(_with, turn, "actions", n)) for n, one in enumerate(turn.actions)],
        [
            _Name(f"objects[{n}].name", one.name, one.description, called("objects", n, one))
            for n, one in enumerate(turn.objects)
        ],
        [
            _Name(f"characters[{n}].name", one.name, one.bio, called("people", n, one))
            for n, one in enumerate(turn.people)
        ],
    ]


def _spelling(turn: Turn) -> Iterator[Finding]:
    for one in (one for names in _names(turn) for one in names):
        tidy = " ".join(one.name.split())
        if not tidy:
            # An entry without a name is kept if it has other contents.
            fix = None if one.detail.strip() else Fix("remove the entry", one.fixed())
            yield _found("no-name", one.place, "has no name", fix)
        elif one.name != tidy and not (one.kind == "actions" and re.search(r"[\r\n]", one.name)):
            yield _found("blanks", one.place, "has extra spaces", Fix("remove the extra spaces", one.fixed(tidy)))


def _doubles(turn: Turn) -> Iterator[Finding]:
    actions, objects, people = ([one for one in names if one.name.strip()] for names in _names(turn))
    for names in (actions, [*objects, *people]):
        seen: dict[str, _Name] = {}
        entries: set[tuple[str, ...]] = set()
        for one in names:
            near = seen.setdefault(bare(one.name), one)
            entry = (one.kind, one.name, one.detail)
            if entry in entries:
                yield _found("twice", one.place, "is listed twice", Fix("remove the entry", one.fixed()))
            # Objects with the same name are distinguished by numbers, which another rule checks.
            elif near is not one and (near.name != one.name or not one.kind == near.kind == "objects"):
                yield _found("look-alike", one.place, f"is easily confused with {_quoted(near.name)}")
            entries.add(entry)
    yield from _same_verbs(actions)
    targets = {bare(one.name): one for one in (*people, *objects)}
    for one in actions:
        if same := targets.get(bare(one.name)):
            kind = "an object" if same.kind == "objects" else "a character"
            yield _found("two-meanings", one.place, f"is also {kind}")


def _same_verbs(actions: Sequence[_Name]) -> Iterator[Finding]:
    """Yield action words that differ only in the form of their verb, so that a command cannot tell them apart."""
    seen: dict[tuple[str, tuple[str, ...]], _Name] = {}
    for one in actions:
        verb, *rest = tokens(one.name)
        keys = [(base, tuple(rest)) for base in sorted(bases(verb))]
        near = next((seen[key] for key in keys if key in seen), None)
        if near is not None and bare(near.name) != bare(one.name):
            fix = Fix("remove the entry", one.fixed())
            yield _found("same-action", one.place, f"is another form of {_quoted(near.name)}", fix)
        for key in keys:
            seen.setdefault(key, one)


def _numbering(turn: Turn) -> Iterator[Finding]:
    similar: dict[tuple[str, ...], list[_Name]] = {}
    spellings: dict[str, str] = {}
    entries: set[tuple[str, str]] = set()
    for one in _names(turn)[1]:
        # Other rules report duplicate entries and different spellings of a name.
        known = spellings.setdefault(bare(one.name), one.name)
        core = core_of(one.name)
        if core and known == one.name and (one.name, one.detail) not in entries:
            similar.setdefault(core, []).append(one)
        entries.add((one.name, one.detail))
    for core, group in similar.items():
        if len(group) > 1:
            yield from _unnumbered(core, group)


def _unnumbered(core: tuple[str, ...], group: Sequence[_Name]) -> Iterator[Finding]:
    """Yield similar objects without a unique number."""
    numbers = [number_of(one.name) for one in group]
    taken: set[int | None] = set()
    for one, number in zip(group, numbers, strict=True):
        if number is not None and number not in taken:
            taken.add(number)
            continue
        free = next(n for n in range(1, len(group) + 2) if n not in numbers)
        name = numbered(one.name, free)
        fits = core_of(name) == core and number_of(name) == free
        fix = Fix(f"rename to {_quoted(name)}", one.fixed(name)) if fits else None
        words = "has no number, but similar objects need numbers" if number is None else f"repeats the number {number}"
        yield _found("numbering", one.place, words, fix)


# -- action words -----------------------------------------------------------------------------------------------------


def _capital(part: str) -> str:
    return part[:1].upper() + part[1:].lower()


def _title(parts: list[str]) -> str:
    """Capitalize each word. Abbreviations stay unchanged unless everything is in capitals."""
    keep = not all(part == part.upper() for part in parts)
    return " ".join(part if keep and len(part) > 1 and part.isupper() else _capital(part) for part in parts)


#: Styles of action words, each named by an example. The style that fits the most words is used, or the first of
#: several.
_STYLES: Final[Mapping[str, Callable[[list[str]], str]]] = {
    "Picks Up": _title,
    "Picks up": lambda parts: " ".join([_capital(parts[0]), *(part.lower() for part in parts[1:])]),
    "picks up": lambda parts: " ".join(part.lower() for part in parts),
    "PICKS UP": lambda parts: " ".join(part.upper() for part in parts),
    "PicksUp": lambda parts: "".join(map(_capital, parts)),
    "picksUp": lambda parts: parts[0].lower() + "".join(map(_capital, parts[1:])),
    "picks_up": lambda parts: "_".join(part.lower() for part in parts),
    "PICKS_UP": lambda parts: "_".join(part.upper() for part in parts),
}


def _casing(turn: Turn) -> Iterator[Finding]:
    written = {word: " ".join(word.split()) for word in turn.actions if word.strip(" _\t\r\n")}
    fitting = {
        style: {word for word, text in written.items() if write(split_humps(word)) == text}
        for style, write in _STYLES.items()
    }
    style = max(fitting, key=lambda name: len(fitting[name]))
    if len(written) < 2 or not fitting[style]:
        return
    for position, word in enumerate(turn.actions):
        if word in written and word not in fitting[style]:
            better = _STYLES[style](split_humps(word))
            lasts = _STYLES[style](split_humps(better)) == better
            fix = Fix(f"change to {_quoted(better)}", _with(turn, "actions", position, better)) if lasts else None
            yield _found("casing", f"actions[{position}]", f"is not styled like the others ({style})", fix)


def _general(turn: Turn) -> Iterator[Finding]:
    cores = {core: thing.name for thing in turn.objects if (core := core_of(thing.name))}
    for position, word in enumerate(turn.actions):
        said = tuple(tokens(word))
        inside = next((cores[part] for part in _parts(said) if part in cores), None)
        if inside is not None:
            yield _found("not-general", f"actions[{position}]", f"contains the name of the object {_quoted(inside)}")
        elif (length := len(split_humps(word))) > _MOST_WORDS:
            yield _found("long-action", f"actions[{position}]", f"has {length} words")


def _parts(said: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield every shorter sequence of consecutive words, longest first.

    Only the beginning of a very long action is used.
    """
    said = said[:_LOOKED_AT]
    for length in range(len(said) - 1, 0, -1):
        for start in range(len(said) - length + 1):
            yield said[start : start + length]


# -- missing parts ----------------------------------------------------------------------------------------------------


def _lacking(turn: Turn) -> Iterator[Finding]:
    if turn.multistep and not any(word.strip() for word in turn.actions):
        yield _found("no-actions", "actions", "no action is declared")
    if not turn.multistep and turn.actions:
        fix = Fix("request actions", replace(turn, multistep=True))
        yield _found("words-only", "actions", "the actions are ignored because the turn does not request actions", fix)
    for position, thing in enumerate(turn.objects):
        if thing.name.strip() and not thing.description.strip():
            yield _found("no-description", f"objects[{position}].description", "has no description")
    for position, person in enumerate(turn.people):
        if person.name.strip() and not person.bio.strip():
            yield _found("no-bio", f"characters[{position}].bio", "has no bio")


def _not_in_backstory(turn: Turn, backstory: str) -> Iterator[Finding]:
    if not backstory.strip():
        if turn.actions or turn.targets:
            yield _found("no-backstory", "", "the character has no backstory")
        return
    names = _names(turn)
    declared = Declared(*(tuple(one.name for one in of_a_list) for of_a_list in names))
    missing = {kind: set(found) for kind, found in unnamed(backstory, declared)}
    for kind, of_a_list in zip(Declared._fields, names, strict=True):
        for one in of_a_list:
            if one.name in missing.get(kind, ()):
                yield _found("not-in-backstory", one.place, "is not in the backstory")


_LOOKS: Final = (_separators, _spelling, _doubles, _numbering, _casing, _general, _lacking)
