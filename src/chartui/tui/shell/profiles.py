"""The profiles: shows the open one, and opens, adds, tests and removes profiles while the program runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.worker import Worker

from chartui.core.credentials import LeftKey
from chartui.core.journal import Outcome
from chartui.core.lock import CAUSES, LockedBy, losses, refusal, refuse_under_lock
from chartui.core.numbers import number_of
from chartui.core.paths import from_home
from chartui.core.plans.history import known_names, past_changes
from chartui.core.profiles import BUILT_IN, Profile, ProfileError, ProfileKind, Profiles, profiles_path
from chartui.core.profiles_file import change_profiles, load_profiles
from chartui.core.session import Session, locked_by, store_path, unlocking
from chartui.core.sheet import Column, Kind, Sheet
from chartui.core.spec.errors import ServiceError
from chartui.core.text import single_line
from chartui.tui.glyphs import GLYPHS
from chartui.tui.shell.add_profile import AddProfile
from chartui.tui.shell.open_profile import NotOpened, may_leave, open_checked, switch
from chartui.tui.shell.profile_test import FAILED, find_out
from chartui.tui.wait import Work, waiting
from chartui.tui.widgets.bars import mark_of, role_of
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.questions import Confirm, TypeName
from chartui.tui.widgets.sheet_view import SheetView
from chartui.tui.widgets.text import Fact, Facts, Words

if TYPE_CHECKING:
    from chartui.tui.app import ChartuiApp

_KINDS = {ProfileKind.DEMO: "demo data", ProfileKind.LOCAL: "local store", ProfileKind.REMOTE: "service"}

#: Maximum number of changes counted.
_MANY: Final = 1000
_COLUMNS: Final = (
    Column("mark", kind=Kind.MARK),
    Column("profile", title="Profile", kind=Kind.TEXT, best=40),
    Column("where", title="Where", kind=Kind.TEXT, least=12, priority=3),
    Column("changes", title="Changes", kind=Kind.TEXT, priority=1),
    Column("key", title="API key", kind=Kind.TEXT, priority=6),
)


async def choose_profile(app: ChartuiApp) -> None:
    """Show every profile, and open the chosen one. Awaited in a worker of the application."""
    # Must not be canceled between two profiles.
    async with waiting(app, Work("Open another profile", "Opening…", dialog_follows=False)):
        session = await app.push_screen_wait(ProfilesDialog())
        if session is None:
            return
        name = session.profile.name
        reset = name == app.session.profile.name  # already confirmed
        if not reset and not await may_leave(app, f"Open '{single_line(name, limit=20)}'"):
            await session.aclose()
            return
        await switch(app, session)
    app.tell("The demo data has been reset." if reset else f"'{name}' is open.", topic="profile")


async def open_named(app: ChartuiApp, *, name: str) -> None:
    """Open the profile of this name, if the open one may be left. Awaited in a worker of the application."""
    profile = load_profiles().by_name.get(name)
    if profile is None or name == app.session.profile.name:
        app.tell(f"'{name}' is already open." if profile else f"Profile '{name}' was removed.", topic="profile")
        return
    try:
        async with waiting(app, f"Open '{single_line(name, limit=30)}'"):
            if not await may_leave(app, f"Open '{single_line(name, limit=20)}'"):
                return
            session = await open_checked(app, profile)
            await switch(app, session)
    except (NotOpened, ProfileError) as error:
        app.tell(f"Profile '{name}' was not opened. {error}", title="Not opened", severity="error")
    else:
        app.tell(f"'{name}' is open.", topic="profile")


def where_of(profile: Profile) -> str:
    return profile.host or "this machine"


def key_of(profile: Profile) -> str:
    """Where a profile's API key comes from; never the key itself."""
    if profile.embedded:
        return "none needed"
    return profile.key_source.describe()


def _short_key(profile: Profile) -> str:
    if profile.embedded:
        return "–"
    source = profile.key_source
    return " ".join([source.kind, *(Path(word).name for word in source.argument[:1])])


class ProfilesDialog(Dialog[Session | None]):
    """A list of all profiles, with the facts about the selected one.

    Its result is the session of the chosen profile, opened and answering; None if none was chosen.
    """

    DEFAULT_CSS = """
    ProfilesDialog > Vertical { width: 104; max-height: 96%; }
    ProfilesDialog SheetView { height: 6; background: $surface; margin: 0 0 1 0; }
    ProfilesDialog Facts { height: 9; background: $surface; }
    ProfilesDialog Words { height: auto; min-height: 2; max-height: 3; background: $surface; margin: 1 0 0 0; }
    ProfilesDialog.-low SheetView { height: 5; margin: 0; }
    ProfilesDialog.-low Facts { height: 8; }
    ProfilesDialog.-low Words { margin: 0; }
    ProfilesDialog.-tall SheetView { height: 10; margin: 1 0; }
    ProfilesDialog.-tall Facts { height: 10; }
    """

    VERTICAL_BREAKPOINTS = [(0, "-low"), (24, "-short"), (36, "-tall")]  # noqa: RUF012 - declared so by the framework
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", "Open"),
        Binding("a", "add", "Add"),
        Binding("l", "test", "Test"),
        Binding("space", "make_default", "Default"),
        Binding("d,delete", "remove", "Remove"),
        Binding("r", "reset", "Reset demo"),
        Binding("escape,q,P", "leave", "Close"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._profiles = Profiles()
        self._said = Words("")
        self._about: Profile | None = None
        self._facts = Facts()
        self._list = SheetView(
            id="profiles",
            roles={
                "mark": lambda _, name: role_of(self._profiles.by_name[name]),
                "Profile": "title",
                "Changes": "warning",
            },
        )

    @property
    def _current(self) -> Profile | None:
        """The selected profile."""
        return self._profiles.by_name.get(self._list.current_key or "")

    @property
    def _open_name(self) -> str:
        return self.workbench.session.profile.name

    def compose(self) -> ComposeResult:
        with Vertical() as panel:
            panel.border_title = Content("Profiles")
            yield self._list
            yield self._facts
            yield self._said

    def on_mount(self) -> None:
        self._reload(keep=self._open_name)
        self._list.focus()

    def _reload(self, *, keep: str | None = None) -> None:
        """Read the profiles again: another program may have changed them."""
        try:
            self._profiles = load_profiles()
        except ProfileError as error:
            self._said.show(f"{GLYPHS.danger} {error}", role="danger")
        profiles = self._profiles.by_name.values()
        rows = tuple((mark_of(p), p.name, where_of(p), self._locks(p), _short_key(p)) for p in profiles)
        marks = tuple(GLYPHS.chosen if p.name == self._open_name else "" for p in profiles)
        self._list.show(Sheet("Profiles", _COLUMNS, rows, keys=tuple(p.name for p in profiles), marks=marks), keep=keep)
        self._show_facts()

    def _show_facts(self) -> None:
        profile = self._current
        if profile is not None:
            self._facts.show(self._facts_of(profile))

    def _facts_of(self, profile: Profile) -> list[Fact]:
        where = from_home(str(store_path(profile))) if profile.embedded else profile.base_url or ""
        if self.workbench.opening.throws_away(profile):
            where = "deleted when you quit"
        locked = self._lock_of(profile) is not None
        return [
            Fact("Data", f"{_KINDS[profile.kind]}, {where}"),
            Fact("API key", key_of(profile)),
            Fact("Changes", self._changes(profile), role="warning" if locked or profile.production else "value"),
            Fact("Refresh", self._refresh(profile)),
            Fact("Opens on", f"{profile.screen or 'the screen you are on'}; theme: {profile.theme or 'no change'}"),
            Fact("Default", "yes, opened at startup" if profile.name == self._profiles.current else "no"),
        ]

    def _lock_of(self, profile: Profile) -> LockedBy | None:
        """The lock that holds now for the open profile, and for another one when it is opened."""
        if profile.name == self._open_name:
            return self.workbench.session.locked_by
        return locked_by(profile, self.workbench.opening.read_only)

    def _locks(self, profile: Profile) -> str:
        signs = [GLYPHS.read_only + " read-only"] if self._lock_of(profile) else []
        return " ".join([*signs, *(["production"] if profile.production else [])])

    def _changes(self, profile: Profile) -> str:
        """Whether the profile can be changed now, and what its settings say if that differs."""
        now, own = self._lock_of(profile), locked_by(profile, self.workbench.opening.read_only)
        if now is own:
            text = "allowed" if now is None else f"{GLYPHS.read_only} {CAUSES[now]}"
        elif now is None:
            text = f"allowed until {' or '.join(self.workbench.relock.ends)}, then read-only again"
        else:
            key = self.workbench.keymap.name("lock")
            text = f"{GLYPHS.read_only} locked (use {key} to unlock); the profile's settings allow changes"
        return text + ", production (the first change asks for the profile's name)" * profile.production

    def _refresh(self, profile: Profile) -> str:
        """How often the profile is refreshed, and, for the open profile, what stops that now."""
        is_open, live = profile.name == self._open_name, self.workbench.live
        hindrance = live.hindrance if is_open and live is not None else ""
        if is_open and profile.refresh != self.workbench.session.profile.refresh:  # changed by another program
            hindrance = "takes effect at the next start"
        note = f" ({hindrance})" if hindrance else ""
        if not profile.refresh:
            return f"only on request, {self.workbench.keymap.name('refresh')}{note}"
        return f"every {profile.refresh:g} s, characters and graph{note}"

    def _say(self, text: str, *, wrong: bool = False) -> None:
        self._about = self._current
        self._said.show(f"{GLYPHS.danger} {text}" if wrong else text, role="danger" if wrong else "label")

    @on(LineView.Moved)
    def _moved(self) -> None:
        # The cursor follows the changed profile to its new place.
        if self._current != self._about:
            self._show_facts()
            self._say("")

    # -- opening ------------------------------------------------------------------------------------------------------

    @on(LineView.Chosen)
    def _chosen(self) -> None:
        profile = self._current
        if profile is not None and profile.name == self._open_name:
            self.dismiss(None)
        elif profile is not None:
            self._say(f"Opening '{profile.name}'{GLYPHS.busy}")
            self._start(partial(self._open, profile))

    async def _open(self, profile: Profile) -> None:
        try:
            async with waiting(self.workbench, f"Open '{single_line(profile.name, limit=30)}'", dialog_follows=False):
                session = await open_checked(self.workbench, profile)
        except NotOpened as error:
            self._say(f"'{profile.name}' was not opened. {error} '{self._open_name}' is still open.", wrong=True)
        else:
            if self in self.app.screen_stack:
                self.dismiss(session)
            else:  # another one was opened meanwhile
                await session.aclose()

    def _start(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        _: Worker[None] = self.run_worker(work, group="work", exclusive=True)

    def action_leave(self) -> None:
        self.workers.cancel_group(self, "work")
        self.dismiss(None)

    # -- testing and adding -------------------------------------------------------------------------------------------

    def action_test(self) -> None:
        profile = self._current
        if profile is not None:
            self._say(f"Testing '{profile.name}' (nothing is changed){GLYPHS.busy}")
            self._start(partial(self._test, profile))

    async def _test(self, profile: Profile) -> None:
        try:
            found = await find_out(self.workbench, profile, self._facts.show)
        except ProfileError as error:
            self._say(str(error), wrong=True)
        else:
            why = FAILED.get(found)
            self._say(f"'{profile.name}' does not work yet. {why}" if why else f"'{profile.name}' works.")

    def action_add(self) -> None:
        self._start(self._add)

    async def _add(self) -> None:
        added = await self.app.push_screen_wait(AddProfile())
        if added is not None:
            self._reload(keep=added.profile.name)
            self._say(added.sentence)

    # -- the file -----------------------------------------------------------------------------------------------------

    async def _save(self, change: Callable[[Profiles], Profiles], said: str, *, agreed: str | None = None) -> None:
        left: list[LeftKey] = []
        try:
            await asyncio.to_thread(change_profiles, change, agreed=agreed, left=left.append)
        except ProfileError as error:
            self._say(str(error), wrong=True)
            return
        except OSError as error:
            self._say(f"Can't save the profiles: {error.strerror}. Nothing was changed.", wrong=True)
            return
        self._reload()
        self._say(" ".join([said, *(f"{text[:1].upper()}{text[1:]}." for text in map(LeftKey.describe, left))]))

    def action_make_default(self) -> None:
        self._start(self._make_default)

    async def _make_default(self) -> None:
        profile, was = self._current, self._profiles.current
        if profile is None:
            return
        name, where = profile.name, from_home(str(profiles_path()))
        if name == was:
            self._say(f"'{name}' is already the default profile.")
            return
        instead = f" instead of '{was}'" if was else ""
        message = f"Open '{name}'{instead} at startup? This changes {where}."
        if await self.app.push_screen_wait(Confirm("Change default profile", message, "Make default")):
            said = f"Default profile: {name} (was {was or 'not set'}). Saved in {where}."
            await self._save(lambda p: p.using(name), said)

    def action_remove(self) -> None:
        self._start(self._remove)

    async def _remove(self) -> None:
        profile = self._current
        if profile is None:
            return
        name = profile.name
        if name in BUILT_IN or name == self._open_name:
            why = "is built in and cannot be removed" if name in BUILT_IN else "is open. Open another profile first"
            self._say(f"'{name}' {why}.", wrong=True)
            return
        try:
            lost = losses(self._profiles.by_name, self._profiles.removing(name).by_name)
            refuse_under_lock(lost, flag=self.workbench.opening.read_only)
        except ServiceError as error:
            self._say(error.message, wrong=True)
            return
        message = (
            f"Remove profile '{name}' ({profile.host})? The service and its data will not be changed.\n\n"
            "Type the profile's name to remove it."
        )
        if await self.app.push_screen_wait(TypeName("Remove profile", message, name)):
            await self._save(lambda p: p.removing(name), f"'{name}' was removed.", agreed=name)

    def _refusal(self, profile: Profile, action: str) -> str:
        """Why the lock disables ``action`` on a profile; empty if it does not."""
        by = self._lock_of(profile)
        key = self.workbench.keymap.name("lock") if profile.name == self._open_name else unlocking(profile)
        return "" if by is None else refusal(by, action, key)

    def action_reset(self) -> None:
        self._start(self._reset)

    async def _reset(self) -> None:
        profile = self._current
        if profile is None or profile.kind is not ProfileKind.DEMO:
            self._say("Only the demo data can be reset.", wrong=True)
            return
        if sentence := self._refusal(profile, "reset"):
            self._say(sentence, wrong=True)
            return
        try:
            message = f"Reset the demo characters to their original state? {await self._lost_by_reset(profile)}"
        except ServiceError as error:
            self._say(error.message, wrong=True)
            return
        if not await self.app.push_screen_wait(Confirm("Reset demo data", message, "Reset")):
            return
        try:
            session = await open_checked(self.workbench, profile, reset=True)
        except NotOpened as error:
            self._say(f"The demo data was not reset. {error}", wrong=True)
            return
        if self._open_name == profile.name:
            self.dismiss(session)
        else:
            await session.aclose()
            self._say("The demo data has been reset.")

    async def _lost_by_reset(self, profile: Profile) -> str:
        """A sentence on the changes that resetting the demo data would lose; it names them if the demo is open."""
        lost: list[str] = []
        if profile.name == self._open_name:
            session = self.workbench.session
            of = await known_names(session.service, session.journal, session.profile.place)
            found = await past_changes(session.journal, profile.place, limit=_MANY, of=of)
            standing = [d for d in found if d.outcome is Outcome.DONE and not d.undone and d.undoes is None]
            if standing:
                lost.append(f"{number_of(len(standing), 'applied change')} (latest: {standing[0].title})")
            lost += ["staged changes"] * any(screen.leaving() for screen in self.workbench.work)
        return f"All changes to the demo data will be lost{': ' if lost else ''}{' and '.join(lost)}."
