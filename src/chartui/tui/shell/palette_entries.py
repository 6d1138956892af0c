"""What the palette finds: commands, and the names that the program holds. A service is not asked for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from inspect import isawaitable
from typing import TYPE_CHECKING, Final

from chartui.commands import COMMANDS, SCREENS, Command
from chartui.commands.command import within
from chartui.commands.synonyms import ONLY_IN_STORES, SYNONYMS
from chartui.core.characters.finder import Finder
from chartui.core.credentials import SourceKind
from chartui.core.plans.history import past_changes
from chartui.core.presets import Presets, presets_folder
from chartui.core.profiles import ProfileError
from chartui.core.profiles_file import load_profiles
from chartui.core.recent import keep_chosen, read_recent, recent_path, with_chosen
from chartui.core.spec.errors import ServiceError
from chartui.core.text import single_line
from chartui.core.themes import theme_names
from chartui.core.unsupported import Unsupported, unsupported
from chartui.demos.tour_file import tour_files
from chartui.tui.bindings import along, in_parts, reachable, works
from chartui.tui.glyphs import GLYPHS
from chartui.tui.screens.characters.links import open_field
from chartui.tui.screens.characters.palette_groups import characters_group, settings_group
from chartui.tui.shell import palette
from chartui.tui.shell.palette import Entry, Group, Offer, Palette, Search
from chartui.tui.widgets.screen import WorkScreen

if TYPE_CHECKING:
    from textual.worker import Worker

    from chartui.tui.app import ChartuiApp

#: Most applied changes offered.
_CHANGES: Final = 20
_HERE: Final = "Here"
_AWAY: Final = "In other panels on this screen"
_NAMES: Final = {screen.id.removeprefix("show-"): screen.name for screen in SCREENS}


def open_palette(app: ChartuiApp, text: str = "") -> None:
    """Open the palette, with ``text`` typed already, and do what is chosen."""
    loaded = [group for screen in app.work for group in screen.palette_groups()]
    present = app.work.present
    name = app.work.name_known(present.in_hand) if present is not None and present.in_hand else ""
    settings = settings_group(app, single_line(name, limit=40))
    groups = [_commands(app), settings, *loaded, *_kept_files(app), _no_calls(app)]
    prefixes = {group.prefix for group in loaded}
    offers = list(_offers(app, prefixes, single_line(name, limit=30)))
    shown = Palette(Search(groups, recent=_recent(app), offers=offers), text)

    def chosen(_key: str | None) -> None:
        if (entry := shown.chosen) is not None:
            _remember(app, entry.key)
            app.call_later(_go, entry)

    app.push_screen(shown, chosen)
    _: Worker[None] = app.run_worker(partial(_add_changes, app, shown), group="changes", exclusive=True)
    if palette.CHARACTERS not in prefixes and app.session.service.embedded:
        _ = app.run_worker(partial(_add_characters, app, shown), group="characters", exclusive=True)


async def _go(entry: Entry) -> None:
    if isawaitable(done := entry.go()):
        await done


# -- commands ----------------------------------------------------------------------------------------------------------


def _commands(app: ChartuiApp) -> Group:
    """The commands of the focus path, then of the screen's other parts, then of the other screens.

    Those of this screen that cannot work now are left out, unless their tab only has to be opened.
    """
    reached = [each for each in reachable(along(app.screen)) if each.command.scope]
    here = [each.command for each in reached if each.command.tab or works(each)]
    known = {each.command.id for each in reached}
    rows = (*COMMANDS, *(app.own.rows if app.own is not None else ()))
    away = [each for each in rows if each.id not in known and each.scope != "table"]
    on_screen = [each for each in away if within(each.scope, app.scope)]
    elsewhere = [each for each in away if each not in on_screen]
    idle = {each.command.id for each in in_parts(app.screen) if not each.command.tab and not works(each)}
    on_screen = [each for each in on_screen if each.id not in idle]
    entries = [_command(app, each, _HERE) for each in here]
    entries += [_command(app, each, _AWAY) for each in on_screen]
    for each in elsewhere:
        screen = _NAMES.get(each.scope.partition(".")[0], "")
        entries.append(_command(app, each, f"On the “{screen}” screen" if screen else "Everywhere", screen))
    return Group.of(entries, palette.COMMANDS)


def _command(app: ChartuiApp, row: Command, group: str, screen: str = "") -> Entry:
    return Entry(
        row.id,
        row.title,
        screen or app.keymap.label(row),
        row.help,
        (*SYNONYMS.get(row.id, ()), *([screen] if screen else ())),
        partial(app.action_command, row.id),
        group,
        _why_disabled(app, row),
        row.name if row in SCREENS else "",
    )


def _why_disabled(app: ChartuiApp, row: Command) -> str:
    """Why a command does not work on this profile; empty if it does."""
    if row.id in ONLY_IN_STORES and not app.session.profile.embedded:
        return f"{GLYPHS.read_only} Available only in an embedded store, not on a service."
    return f"{GLYPHS.read_only} {app.session.lock.cause}" if row.effect in app.locked else ""


# -- what is kept in files ---------------------------------------------------------------------------------------------


def _kept_files(app: ChartuiApp) -> Iterator[Group]:
    """The presets, saved filters, profiles, themes and tours on this machine."""
    from chartui.tui.screens.characters.saved_filters import saved_filters, use_saved
    from chartui.tui.screens.estimator.pins import open_preset
    from chartui.tui.shell.profiles import open_named
    from chartui.tui.shell.themes import wear
    from chartui.tui.shell.tours import TUTOR, play

    kept = Presets(presets_folder(app.session.folder)).all()
    presets = {one.preset.name: one.preset for one in kept if one.preset is not None}
    profiles: Collection[str] = ()
    with suppress(ProfileError):
        profiles = load_profiles().by_name
    about = "Loads this preset into the estimator."
    yield _named("preset", presets, about, lambda name: open_preset(app, presets[name]))
    filters = saved_filters(app.session).entries
    about = "Filters the characters."
    yield _named("filter", filters, about, lambda name: use_saved(app, filters[name]), title="Filter: ")
    yield _named("profile", profiles, "Opens this profile.", lambda name: app.start(partial(open_named, name=name)))
    about = "Applies and saves this theme."
    yield _named("theme", theme_names(), about, lambda name: app.start(partial(wear, name=name)))
    about = "Plays this tour with separate data, then returns."
    tours = [name for name in tour_files() if name != TUTOR]  # which has a command
    yield _named("tour", tours, about, lambda name: app.start(partial(play, name=name)))


def _named(kind: str, names: Iterable[str], about: str, go: Callable[[str], object], *, title: str = "") -> Group:
    return Group.of(
        [
            Entry(f"{kind} {name}", single_line(f"{title}{name}", limit=60), kind, about, (kind,), partial(go, name))
            for name in names
        ]
    )


async def _add_changes(app: ChartuiApp, shown: Palette) -> None:
    """Add the last applied changes, which the journal reads in the background."""
    from chartui.tui.shell.history import show_history

    if not app.session.journal.begun:
        return
    of = app.work.name_known
    with suppress(ServiceError):  # the history says so itself
        found = await past_changes(
            app.session.journal, app.session.profile.place, limit=_CHANGES, of=lambda key: of(key) or key
        )
        entries = []
        for change in found:
            title, go = single_line(change.title, limit=60), partial(app.start, partial(show_history, at=change.name))
            about = f"State: {change.state}. Shows this change in the history."
            entries.append(Entry(f"change {change.name}", title, "change", about, ("plan",), go))
        shown.add(Group.of(entries))


# -- what a service cannot do ------------------------------------------------------------------------------------------


def _no_calls(app: ChartuiApp) -> Group:
    entries = []
    for row in unsupported(embedded=app.session.profile.embedded):
        go = partial(_answer, app, row)
        name = f"not offered {row.title}"
        entries.append(Entry(name, row.title, "not offered", row.answer, row.words, go, "", row.answer))
    return Group.of(entries)


async def _answer(app: ChartuiApp, row: Unsupported) -> None:
    """Show the answer; if the topic is a field of the record, show that too."""
    if row.member:
        await open_field(app, row.member)
    app.tell(row.answer, title=row.title, topic="not offered")


# -- what is not loaded ------------------------------------------------------------------------------------------------


def _offers(app: ChartuiApp, prefixes: Collection[str], name: str) -> Iterator[Offer]:
    """Entries that load the characters, or the graph of the current character, called ``name`` if known."""
    if palette.CHARACTERS not in prefixes and not app.session.service.embedded:
        yield Offer(partial(_offer, app, "characters", "Load the characters", palette.CHARACTERS), palette.CHARACTERS)
    present = app.work.present
    current = (present.in_hand if present is not None else None) or app.character
    open_graph = next((screen.in_hand for screen in app.work if screen.SCOPE == "narrative"), None)
    if palette.SECTIONS not in prefixes or current not in (None, open_graph):
        title = f"Load the graph of {name}" if name else "Load a narrative graph"
        yield Offer(partial(_offer, app, "narrative", title, palette.SECTIONS), palette.SECTIONS)


def _offer(app: ChartuiApp, screen: str, title: str, prefix: str, query: str) -> Entry:
    """The entry that opens a screen, and the palette again once its data is loaded."""
    words = query.removeprefix(prefix).strip()
    sought = f" to find “{single_line(words, limit=30)}”" if words else "…"
    go = partial(app.start, partial(_load, name=screen, text=query or prefix))
    return Entry(f"load {screen}", f"{title}{sought}", "load", "Loads the data, then searches again.", (), go)


async def _load(app: ChartuiApp, *, name: str, text: str) -> None:
    """Show the screen that reads the list, and open the palette with ``text`` again once it is there."""
    await app.go_to(name)
    screen = app.screen
    if isinstance(screen, WorkScreen):
        await screen.read_ended()
        screen.call_later(_again, app, screen, text)  # behind what was read


def _again(app: ChartuiApp, screen: WorkScreen, text: str) -> None:
    if app.screen is screen:
        open_palette(app, text)


async def _add_characters(app: ChartuiApp, shown: Palette) -> None:
    """Add the characters of an embedded store, which are not loaded yet."""
    with suppress(ServiceError):  # the list says so itself
        shown.add(characters_group(app, Finder(await app.session.service.summaries())))


# -- what was used last ------------------------------------------------------------------------------------------------


def _recent(app: ChartuiApp) -> Sequence[str]:
    if app.recent is None:
        app.recent = read_recent(recent_path(app.session.folder)) if _keeps(app) else ()
    return app.recent


def _keeps(app: ChartuiApp) -> bool:
    """Whether the machine may remember what was chosen: not in a demo, nor on a host where the API key is typed."""
    key = app.session.profile.key
    return not app.session.throwaway and (key is None or key.kind is not SourceKind.ASK)


def _remember(app: ChartuiApp, key: str) -> None:
    app.recent = with_chosen(_recent(app), key)
    if _keeps(app):
        path = recent_path(app.session.folder)

        async def keep() -> None:
            with suppress(OSError):  # a full disk must not stop the command
                await asyncio.to_thread(keep_chosen, path, key)

        _: Worker[None] = app.run_worker(keep, group="recent")
