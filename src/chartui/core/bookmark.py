"""Save your place in the program as a bookmark.

A bookmark records the screens and what is selected on them. You can copy a bookmark as a command, or pass one on the
command line.

Each profile's bookmark is saved for the next start, in a small JSON file in the data folder. The file is replaced under
a lock::

    {"format": "chartui-bookmark", "version": 1, "base": "embedded", "screen": "narrative", "character": "…",
     "places": {"narrative": {"tab": "lint", "section": "…"}, "tables": {"ranking": ["credits", true]}}}

A bookmark applies only to the profile's current address, because IDs differ between services. A file that is damaged or
was written by a newer version is ignored and later replaced, and ``chartui doctor`` reports it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeAlias, TypeVar

from chartui.core.classes import NamedTuple
from chartui.core.credentials import SourceKind
from chartui.core.file_lock import rewrite
from chartui.core.files import read_own
from chartui.core.jsontext import Wire, dumps, loads
from chartui.core.paths import data_dir
from chartui.core.profiles import SCREEN_NAMES, Place, Profile, ProfileKind

E = TypeVar("E", bound=StrEnum)
FORMAT: Final = "chartui-bookmark"
VERSION: Final = 1
_MOST_BYTES: Final = 64 << 10

#: The places whose entries are merged if several programs save them: the sort orders of tables, the columns of the
#: list, and the filters used before.
_TABLES: Final = "tables"
_COLUMNS: Final = "columns"
_USED: Final = "used_filters"

#: The state of a screen as JSON: tab, filter, sort order and the like.
ScreenPlace: TypeAlias = Mapping[str, Wire]


class BadBookmark(ValueError):
    """Raised if a bookmark file cannot be used. The message is a phrase that gives the reason."""


class View(NamedTuple):
    """The part of the program to open, as given on the command line.

    If a value is None or False, the bookmark's value is used. ``finding`` identifies a finding by the ID of its lint
    rule. If the finding is not the first one for its rule, its number is appended, as in ``dead-end:2``.
    """

    screen: str | None = None
    tab: str | None = None
    character: str | None = None
    section: str | None = None
    finding: str | None = None
    filter: str | None = None
    fuzzy: bool = False
    sort: str | None = None
    reverse: bool = False

    @property
    def place(self) -> ScreenPlace:
        """The state of the screen to open, in the format of a bookmark."""
        place: dict[str, Wire] = {}
        if self.tab is not None:
            place |= {"tab": self.tab, "in_tab": True}
        elif self.section is not None and self.finding is None:
            # The tab of the last time could hide the section, or show another one.
            place |= {"tab": "section", "in_tab": False, "full": False}
        if self.section is not None or self.finding is not None:
            place |= {"section": self.section, "finding": self.finding, "character": None}
        if self.filter is not None:
            place |= {"filter": self.filter, "fuzzy": self.fuzzy}
        if self.sort is not None or self.reverse:
            place |= {"sort": self.sort, "descending": self.reverse}
        return place


class Bookmark(NamedTuple):
    """A place in the program.

    It consists of the current screen, the selected character, and the state of each screen. ``places`` maps the name of
    each screen to its state. The ``tables`` entry of ``places`` contains the sort orders of all tables.
    """

    screen: str | None = None
    character: str | None = None
    places: Mapping[str, ScreenPlace] = MappingProxyType({})

    def leading_to(self, screen: str, view: View) -> Bookmark:
        """Return a copy of this bookmark that opens ``screen``. The values in ``view`` override the saved values."""
        places = dict(self.places)
        if view.character is not None or view.section is not None:
            # The saved filter is dropped, because it could hide the given character or section.
            for name in ("characters", "narrative"):
                places[name] = {key: value for key, value in places.get(name, {}).items() if key != "filter"}
        places[screen] = {**places.get(screen, {}), **view.place}
        return self._replace(screen=screen, character=view.character or self.character, places=places)

    def over(self, theirs: Bookmark, since: Bookmark) -> Bookmark:
        """Return this bookmark merged with ``theirs``, which another program has saved.

        ``since`` is the bookmark that both programs started from. If this program's screen or character has
        changed since then, the merged bookmark opens this program's screen. Otherwise, it opens the other program's
        screen. The columns, sort orders and filters of both programs are kept.
        """
        places = {
            name: _joined(*(each.places.get(name, {}) for each in (self, theirs, since)), apart=name == _TABLES)
            for name in {**theirs.places, **self.places}
        }
        unchanged = (self.screen, self.character) == (since.screen, since.character) and theirs.screen is not None
        return (theirs if unchanged else self)._replace(places=places)


def _joined(mine: ScreenPlace, theirs: ScreenPlace, since: ScreenPlace, *, apart: bool) -> ScreenPlace:
    """Return this program's state of a screen if it has changed, and otherwise the other program's.

    If the entries of the state are independent (``apart``), both are merged.
    """
    from chartui.core.recent import MOST  # imported here, because otherwise every start of the program would import it

    changed = {name: value for name, value in mine.items() if (value or None) != (since.get(name) or None)}
    kept = {name: value for name, value in theirs.items() if (apart or name == _COLUMNS) and name not in changed}
    place = {**mine, **kept} if changed.keys() - {_COLUMNS, _USED} else {**mine, **theirs, **changed}
    used = [text for each in (mine, theirs) if isinstance(texts := each.get(_USED), list) for text in texts]
    return {**place, _USED: [*dict.fromkeys(used)][:MOST]} if used else place


def text_in(place: ScreenPlace, name: str) -> str:
    """Return a string from a screen's saved state.

    ``name`` is the name of the value. The result is empty if the value is missing or not a string.
    """
    value = place.get(name)
    return value if isinstance(value, str) else ""


def tab_in(place: ScreenPlace, default: E) -> E:
    """Return the saved tab of a screen, or ``default`` if the tab is missing or unknown."""
    name = text_in(place, "tab")
    return type(default)(name) if name in tuple(type(default)) else default


def remembers(profile: Profile, setting: bool | None) -> bool:
    """Return whether the profile's bookmark should be saved.

    The profile's own setting takes precedence. If the profile has no such setting, the bookmark is saved unless
    ``setting`` (from ``config.toml``) is False or the profile asks for the API key, which suggests a shared machine.
    Bookmarks of demo data are never saved.
    """
    if profile.kind is ProfileKind.DEMO:
        return False
    if profile.remember is not None:
        return profile.remember
    asks = profile.key is not None and profile.key.kind is SourceKind.ASK
    return setting is not False and not asks


def bookmark_path(profile: str) -> Path:
    return data_dir() / "bookmarks" / f"{profile}.json"


def load_bookmark(owner: Place) -> Bookmark:
    """Return the bookmark of a profile.

    The result is empty if the file is missing, unusable, or written for another address.
    """
    try:
        return _read(bookmark_path(owner.profile), owner.base)
    except (OSError, BadBookmark):
        return Bookmark()


def save_bookmark(owner: Place, bookmark: Bookmark, *, since: Bookmark | None = None) -> None:
    """Save the bookmark of a profile, merged with the bookmarks that other programs have saved in the meantime.

    ``since`` is the bookmark that this program has read. Raises ``OSError`` if the file cannot be written.
    """

    def content() -> bytes | None:
        whole = bookmark.over(load_bookmark(owner), since) if since is not None else bookmark
        table: dict[str, Wire] = {
            "format": FORMAT,
            "version": VERSION,
            "base": owner.base,
            "screen": whole.screen,
            "character": whole.character,
            "places": dict(whole.places),
        }
        data = dumps(table).encode()
        return data if len(data) <= _MOST_BYTES else None

    rewrite(bookmark_path(owner.profile), content)


def bookmark_problems() -> Iterator[str]:
    """Yield a sentence for each bookmark file that cannot be used."""
    for path in sorted(bookmark_path("*").parent.glob("*.json")):
        try:
            _read(path)
        except OSError as error:
            yield f"{path}: the file cannot be read ({error.strerror}). The file is ignored."
        except BadBookmark as error:
            yield f"{path}: {error}. The file is ignored and will be replaced when you next use the profile."


def _read(path: Path, base: str | None = None) -> Bookmark:
    """Return the bookmark in a file, or an empty one if it is for another address.

    Raises ``OSError`` and :class:`BadBookmark`.
    """
    try:
        table = loads(read_own(path, _MOST_BYTES))
    except ValueError:
        raise BadBookmark("not a bookmark") from None
    if not isinstance(table, dict) or table.get("format") != FORMAT:
        raise BadBookmark("not a bookmark")
    if table.get("version") != VERSION:
        raise BadBookmark(f"version {table.get('version')!r} is not supported")
    screen, character = table.get("screen"), table.get("character")
    places: Wire = table.get("places")
    sound = isinstance(places, dict) and all(isinstance(place, dict) for place in places.values())
    if not sound or not isinstance(screen, str | None) or not isinstance(character, str | None):
        raise BadBookmark("damaged")
    if base not in (None, table.get("base")):
        return Bookmark()
    return Bookmark(screen=screen if screen in SCREEN_NAMES else None, character=character, places=places)
