"""Tours as files: built-in ones, and your own in the folder of the configuration::

    format = "chartui-tour"
    version = 1
    title = "What another model would cost"
    size = [80, 24]

    [[steps]]
    caption = "Every model under the same inputs, the cheapest first."
    keys = ["view-rank", "down*3"]
    expect = ["Rank"]
    picture = "rank"

A key is given by its name or by its command, and ``{ text = "…" }`` is typed. Every error names its step.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from chartui.commands import COMMANDS
from chartui.core.files import read_named, read_obeyed
from chartui.core.naming import unknown
from chartui.core.paths import own_tours, shipped_themes
from chartui.core.profiles import BUILT_IN, SCREEN_NAMES, Profile, ProfileError, ProfileKind, check_profile
from chartui.core.profiles_file import profile_settings as settings_in
from chartui.core.tables import BadFile, BadTable, Mistakes, Reader, file_text, refuse_unknown, typed
from chartui.demos.tour import STAGED, Action, OwnProfile, Perform, Press, Service, Step, Text, Tour
from chartui.keymap import BadKey, pressed_key

T = TypeVar("T")

FORMAT: Final = "chartui-tour"
VERSION: Final = 1
_SHIPPED: Final = Path(__file__).with_name("tours")
#: The folder of the pictures of a tour that is a test, next to its file.
BESIDE: Final = "pictures"
#: The folder of their pictures in a checkout, for the documentation.
PICTURES: Final = Path(__file__).parents[3] / "docs" / "pictures"
_NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
#: What a tour's file has before its suffix if it is a test.
_TEST: Final = ".tour"
_TIMES: Final = re.compile(r"(.+)\*([1-9][0-9]?)")
_COMMANDS: Final = frozenset(command.id for command in COMMANDS)
#: The smallest and the largest window, in columns and lines.
_SMALLEST, _LARGEST = (40, 12), (240, 80)
#: The longest duration of anything, in seconds.
_LONGEST: Final = 600.0
_MOST_CHARACTERS: Final = 20_000

_USUAL: Final = Tour(name="")
_TOP: Final = (
    *("about", "size", "speed", "profile", "bundles", "store"),
    *("screen", "theme", "read_only", "tutor", "characters"),
)
#: Members of a profile of a tour's own that are not settings of a profile.
_OF_SERVICE: Final = ("name", "service", "latency")
#: Its settings. Its service is on the stage, so there is no key and no network to set up.
_OF_PROFILE: Final = (
    *("base_url", "read_only", "allow_act", "production", "color", "refresh"),
    *("connect_timeout", "read_timeout", "deadline", "transfer_timeout", "answer_limit_mib"),
)
#: The address of its service by default.
HOST: Final = "characters.example"
_HEAD: Final = ("title", *_TOP, "steps")
_STEP: Final = ("keys", "caption", "service", "latency", "wait", "expect", "gone", "picture", "pause")


class BadTour(ValueError):
    """The tour does not exist, or its file cannot be used."""


class BadTourFile(BadFile, BadTour):
    """The file of a tour cannot be used."""


# -- finding ----------------------------------------------------------------------------------------------------------


def shipped_tours() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in _SHIPPED.glob("*.toml")))


def tour_files() -> dict[str, Path]:
    """The files of all tours by name, built-in ones first; their names are protected."""
    shipped, own = (
        {tour_name(path): path for path in sorted(folder.glob("*.toml"), reverse=True) if is_name(tour_name(path))}
        for folder in (_SHIPPED, own_tours())
    )
    own = {name: path for name, path in sorted(own.items()) if name not in shipped}
    return dict(sorted(shipped.items())) | own


def is_test(path: Path) -> bool:
    """Whether a file is called ``NAME.tour.toml``, so that pytest plays it and records its pictures next to it."""
    return path.stem.endswith(_TEST)


def tour_name(path: Path) -> str:
    """The name of the tour in a file called ``NAME.toml`` or ``NAME.tour.toml``."""
    return path.stem.removesuffix(_TEST)


def is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None


def find_tour(name: str) -> Tour:
    """The tour called ``name``, or the one in a file for a name that ends in ``.toml``; raises :class:`BadTour`."""
    if name.endswith(".toml"):
        path = Path(name)
        if not path.is_file():
            raise BadTour(f"file not found: {name}")
        return read_tour(path)
    files = tour_files()
    if name not in files:
        raise BadTour(unknown("tour", name, files))
    return read_tour(files[name])


# -- reading ----------------------------------------------------------------------------------------------------------


def read_tour(path: Path) -> Tour:
    """Read a tour; raises :class:`BadTour` with all errors."""
    # A tour presses keys on the user's behalf, so others must not be able to change its file.
    read = read_obeyed if path.parent == own_tours() else read_named
    reader = Reader(path, FORMAT, VERSION, _HEAD, read=read)
    take = partial(_taken, reader, reader.table)
    steps = tuple(_steps(reader))
    usual_sizes: tuple[tuple[int, int], ...] = (_USUAL.size,)
    size, *more_sizes = take("size", _sizes, usual_sizes)
    bundles: tuple[str, ...] = take("bundles", _paths, ())
    store = take("store", _line, "")
    usual: str | OwnProfile = "local" if bundles or store else "demo"
    tour = Tour(
        name=tour_name(path),
        title=take("title", _line, ""),
        about=take("about", _line, ""),
        size=size,
        more_sizes=tuple(more_sizes),
        speed=take("speed", partial(_number, float, "a number", 0.1, 100), 1.0),
        profile=take("profile", partial(_profile, reader), usual),
        bundles=bundles,
        store=store,
        screen=take("screen", partial(_one_of, SCREEN_NAMES), "estimator"),
        theme=take("theme", _theme, None),
        read_only=take("read_only", _flag, False),
        tutor=take("tutor", _flag, False),
        characters=take("characters", partial(_number, int, "a whole number", 0, _MOST_CHARACTERS), 0),
        steps=steps,
        file=path.absolute(),
    )
    if not reader.found:
        reader.take(_complete, tour)
    if tour.needs_files:
        from chartui.demos.material import material_of

        material_of(tour, reader)
    reader.check(BadTourFile)
    return tour


def tour_mistakes(tour: Tour) -> Mistakes:
    """Collects mistakes that become apparent only when ``tour`` is performed."""
    try:
        text = tour.file.read_text(encoding="utf-8") if tour.file is not None else ""
    except (OSError, ValueError):  # the file has changed in the meantime
        text = ""
    return Mistakes(tour.file.name if tour.file is not None else tour.name, text)


def _complete(tour: Tour) -> None:
    if not tour.title:
        raise BadTable("title is missing; summarize the tour in a few words.")
    if not tour.steps:
        raise BadTable("the tour has no steps; each step starts with [[steps]].")
    if (tour.bundles or tour.store) and tour.profile == "demo":
        said = 'with bundles or store, profile must be "local", "staging" or a table; "demo" always uses the demo data.'
        raise BadTable(said, at="profile")
    seen: set[str] = set()
    for number, step in enumerate(tour.steps, 1):
        at = f"steps[{number - 1}]"
        if tour.tutor and not (step.caption and step.actions and (step.expect or step.gone)):
            raise BadTable(f"step {number}: a tutor step needs a caption, keys, and either expect or gone.", at=at)
        if step.picture in seen:
            raise BadTable(
                (f"step {number}: another step already uses the picture name '{step.picture}'."), at=f"{at}.picture"
            )
        if step.picture:
            seen.add(step.picture)
            if not step.expect:
                said = "a step with a picture must list its visible text in expect."
                raise BadTable(f"step {number}: {said}", at=f"{at}.picture")
    if not any(step.expect or step.gone for step in tour.steps):
        raise BadTable("the tour checks nothing; add expect to a step, and a picture if you like.", at="steps[0]")


def _taken(
    reader: Reader,
    table: Mapping[str, Any],
    key: str,
    read: Callable[[Any, str], T | None],
    otherwise: T,
    place: str = "",
    at: str = "",
) -> T:
    """A member, or ``otherwise`` if missing or wrong. ``place`` is the table in words, ``at`` its place in the file."""
    if key not in table:
        return otherwise
    found = reader.take(read, table[key], f"{place}{key}", at=f"{at}{key}")
    return otherwise if found is None else found


def _steps(reader: Reader) -> Iterator[Step]:
    listed = (
        reader.take(typed, reader.table.get("steps", []), list, "steps", "tables, each starting with [[steps]]") or []
    )
    for number, entry in enumerate(listed, 1):
        place, at = f"step {number}", f"steps[{number - 1}]"
        table = reader.take(typed, entry, dict, place, "a table with the header [[steps]]", at=at)
        if table is None:
            continue
        for key in table:
            reader.take(refuse_unknown, (key,), _STEP, place, at=f"{at}.{key}")
        take = partial(_taken, reader, table, place=f"{place}: ", at=f"{at}.")
        yield Step(
            actions=take("keys", actions, ()),
            caption=take("caption", _line, ""),
            service=take("service", _service, None),
            latency=take("latency", _seconds, None),
            wait=take("wait", _seconds, 0.0),
            expect=take("expect", _texts, ()),
            gone=take("gone", _texts, ()),
            picture=take("picture", _picture, ""),
            pause=take("pause", _seconds, None),
        )


def _flag(value: Any, where: str) -> bool:
    return bool(typed(value, bool, where, "true or false"))


def actions(value: Any, where: str) -> tuple[Action, ...]:
    wanted = 'a list of keys and commands, such as ["view-rank", "down*3", { text = "ada" }, "enter"]'
    found: list[Action] = []
    for item in typed(value, list, where, wanted):
        if isinstance(item, dict):
            found.append(_text(item, where))
        else:
            name = typed(item, str, f"each item in {where}", 'the name of a key or a command, or { text = "…" }')
            match = _TIMES.fullmatch(name)
            found += [_key(match[1], where)] * int(match[2]) if match else [_key(name, where)]
    return tuple(found)


def _text(item: Mapping[str, Any], where: str) -> Text:
    refuse_unknown(item, ("text", "pasted"), where)
    text = typed(item.get("text"), str, f"text in {where}", "text in quotes")
    pasted = typed(item.get("pasted", False), bool, f"pasted in {where}", "true or false")
    if not text or not (pasted or text.isprintable()):
        raise BadTable(f"text in {where} must consist of characters that can be typed; list other keys separately.")
    return Text(text, pasted)


def _key(name: str, where: str) -> Action:
    if name in _COMMANDS:
        return Perform(name)
    try:
        return Press(pressed_key(name))
    except BadKey as error:
        if "-" in name:
            raise BadTable(unknown("command", name, _COMMANDS, place=f"in {where}"), at=where) from None
        raise BadTable(f"{where}: '{name}' {error} and is not a command.") from None


def _line(value: Any, where: str) -> str:
    text: str = typed(value, str, where, "a single line of text")
    if not text.isprintable() or not text.strip():
        raise BadTable(f"{where} must be a single line of text.")
    return text


def _texts(value: Any, where: str) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) else typed(value, list, where, "a string or a list of strings")
    return tuple(_line(text, where) for text in listed)


def _one_of(known: tuple[str, ...], value: Any, where: str) -> str:
    text: str = typed(value, str, where, "text")
    if text not in known:
        raise BadTable(unknown("name", text, known, place=f"for {where}"), at=where)
    return text


def _paths(value: Any, where: str) -> tuple[str, ...]:
    paths = [value] if isinstance(value, str) else typed(value, list, where, "a path, or a list of paths")
    return tuple(_line(path, where) for path in paths)


def _theme(value: Any, where: str) -> str:
    known = tuple(path.stem for path in shipped_themes())
    return value if isinstance(value, str) and value.endswith(".toml") else _one_of(known, value, where)


def _profile(reader: Reader, value: Any, where: str) -> str | OwnProfile | None:
    if not isinstance(value, dict):
        return _one_of(STAGED, value, where)
    at = f"{where}."
    name = _taken(reader, value, "name", _line, "", at, at)
    service = _taken(reader, value, "service", _service, Service.HERE, at, at)
    latency = _taken(reader, value, "latency", _seconds, 0.0, at, at)
    if "name" not in value:
        reader.add(f"{where}.name is missing; add the name to show at the top of the window.")
    elif name in BUILT_IN:
        reader.add(f"{where}.name: '{name}' is built in; choose another name.")
    rest = {key: setting for key, setting in value.items() if key not in _OF_SERVICE}
    settings = settings_in(reader, rest, (*_OF_SERVICE, *_OF_PROFILE), where, where)
    if not name or name in BUILT_IN or settings is None:
        return None
    settings = {"base_url": f"https://{HOST}", **settings}
    try:
        profile = check_profile(Profile(name=name, kind=ProfileKind.REMOTE, **settings))
    except ProfileError as error:
        raise BadTable(str(error), at=where) from None
    return OwnProfile(profile=profile, service=service, latency=latency, table=value)


def _service(value: Any, where: str) -> Service:
    return Service(_one_of(tuple(Service), value, where))


def _picture(value: Any, where: str) -> str:
    text: str = typed(value, str, where, "a name")
    if not is_name(text):
        raise BadTable(f"{where} must be a name made up of lower-case letters, digits and single dashes.")
    return text


def _sizes(value: Any, where: str) -> tuple[tuple[int, int], ...]:
    several = isinstance(value, list) and value and all(isinstance(size, list) for size in value)
    sizes = tuple(_size(size, where) for size in (value if several else [value]))
    if len(set(sizes)) < len(sizes):
        raise BadTable(f"{where} lists the same size twice.")
    return sizes


def _size(value: Any, where: str) -> tuple[int, int]:
    wanted = f"columns and lines, from {list(_SMALLEST)} to {list(_LARGEST)}"
    size = typed(value, list, where, wanted)
    fits = len(size) == 2 and all(type(n) is int for n in size)
    if not fits or not all(low <= n <= high for low, n, high in zip(_SMALLEST, size, _LARGEST, strict=True)):
        raise BadTable(f"{where} must be {wanted}.")
    return size[0], size[1]


def _number(
    kind: type[float], wanted: str, least: float, most: float, value: Any, where: str, *, unit: str = ""
) -> Any:
    number = kind(typed(value, (int, kind), where, wanted))
    if not least <= number <= most:
        raise BadTable(f"{where} must be between {least:g} and {most:g}{unit}.")
    return number


_seconds: Final = partial(_number, float, "a number of seconds", 0, _LONGEST, unit=" seconds")


def fitting(size: tuple[int, int]) -> tuple[int, int]:
    """The size of a tour's window that is nearest to ``size``."""
    columns, lines = (max(low, min(n, high)) for low, n, high in zip(_SMALLEST, size, _LARGEST, strict=True))
    return columns, lines


# -- writing ----------------------------------------------------------------------------------------------------------


def written(tour: Tour) -> str:
    """``tour`` as the text of a file that :func:`read_tour` reads; defaults are left out."""
    table: dict[str, Any] = {"title": tour.title}
    for key in _TOP:
        value = getattr(tour, key)
        if key == "size" and tour.more_sizes:
            value = tour.sizes
        if value != getattr(_USUAL, key):
            table[key] = _plain(value)
    table["steps"] = [_step_table(step) for step in tour.steps]
    return file_text(FORMAT, VERSION, table)


def _step_table(step: Step) -> dict[str, Any]:
    table: dict[str, Any] = {"caption": step.caption} if step.caption else {}
    if step.actions:
        table["keys"] = [_item(action) for action in step.actions]
    for key in ("service", "latency", "wait", "expect", "gone", "picture", "pause"):
        value = getattr(step, key)
        if value not in (None, "", (), 0):
            table[key] = _plain(value)
    return table


def _plain(value: Any) -> Any:
    if isinstance(value, OwnProfile):
        return value.table
    return [_plain(each) for each in value] if isinstance(value, tuple) else value


def _item(action: Action) -> Any:
    match action:
        case Press(name) | Perform(name):
            return name
        case Text(text, pasted):
            return {"text": text, "pasted": True} if pasted else {"text": text}


def tour_schema() -> dict[str, Any]:
    from chartui.core.schemas import document, list_of, profile_settings_schemas, table

    line = {"type": "string", "pattern": r"\S"}
    lines = {"anyOf": [line, list_of(line)]}
    seconds = {"type": "number", "minimum": 0, "maximum": _LONGEST}
    flag = {"type": "boolean", "default": False}
    typed_text = table({"text": {"type": "string", "minLength": 1}, "pasted": flag}, needed=("text",))
    ends = zip(_SMALLEST, _LARGEST, strict=True)
    step = {
        "keys": {
            **list_of({"anyOf": [{"type": "string", "minLength": 1}, typed_text]}),
            "description": "Keys, commands and text to type. Add `*` and a number to repeat a key or command.",
        },
        "caption": line,
        "service": {"enum": list(Service)},
        "latency": seconds,
        "wait": seconds,
        "expect": {**lines, "description": "Text that must be visible after the step."},
        "gone": {**lines, "description": "Text that must no longer be visible after the step."},
        "picture": {"type": "string", "pattern": f"^{_NAME.pattern}$"},
        "pause": seconds,
    }
    size = {
        "type": "array",
        "prefixItems": [{"type": "integer", "minimum": low, "maximum": high} for low, high in ends],
        "minItems": 2,
        "items": False,
    }
    settings = profile_settings_schemas()
    own = {"name": line, "service": {"enum": list(Service)}, "latency": seconds}
    profile = table({**own, **{name: settings[name] for name in _OF_PROFILE}}, needed=("name",))
    return document(
        "A tour of the program",
        FORMAT,
        VERSION,
        {
            "title": line,
            "about": line,
            "size": {
                "anyOf": [size, {**list_of(size), "minItems": 1, "uniqueItems": True}],
                "description": "Window size in columns and lines, or several sizes, starting with the main size.",
            },
            "speed": {"type": "number", "minimum": 0.1, "maximum": 100, "default": 1},
            "profile": {"anyOf": [{"enum": list(STAGED)}, profile], "default": "demo"},
            "bundles": {**lines, "description": "Bundles, and folders of bundles, that replace the demo data."},
            "store": {**line, "description": "Store to copy and use instead of the demo data."},
            "screen": {"enum": list(SCREEN_NAMES), "default": "estimator"},
            "theme": {"anyOf": [{"enum": [path.stem for path in shipped_themes()]}, {"pattern": r"\.toml$"}]},
            "read_only": flag,
            "tutor": flag,
            "characters": {"type": "integer", "minimum": 0, "maximum": _MOST_CHARACTERS, "default": 0},
            "steps": {**list_of(table(step)), "minItems": 1},
        },
        needed=("title", "steps"),
    )
