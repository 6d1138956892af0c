"""Every profile: which one is open, and opening, adding, testing and removing them while the program runs."""

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

from chartui.core.credentials import KEY_VARIABLE, KeySource, LeftKey, SourceKind
from chartui.core.lock import CAUSES, LockedBy, losses, refusal, refuse_under_lock
from chartui.core.profiles import (
    BUILT_IN,
    Profile,
    ProfileError,
    ProfileKind,
    Profiles,
    change_profiles,
    load_profiles,
)
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

_KINDS = {ProfileKind.DEMO: "demo data", ProfileKind.LOCAL: "a store of one's own", ProfileKind.REMOTE: "a service"}


_COLUMNS: Final = (
    Column("mark", kind=Kind.MARK),
    Column("profile", title="Profile", kind=Kind.TEXT, best=40),
    Column("where", title="Where", kind=Kind.TEXT, least=12, priority=3),
    Column("changes", title="Changes", kind=Kind.TEXT, priority=1),
    Column("key", title="Key", kind=Kind.TEXT, priority=6),
)


async def choose_profile(app: ChartuiApp) -> None:
    """Show every profile, and work on the one that is chosen. Awaited in a worker of the application."""
    # Not to be given up on the way from one profile to the other.
    async with waiting(app, Work("Open another profile", "Opening…", dialog_follows=False)):
        session = await app.push_screen_wait(ProfilesDialog())
        if session is None:
            return
        if not await may_leave(app, "Open the other one"):
            await session.aclose()
            return
        await switch(app, session)
    app.tell(f"'{session.profile.name}' is open.")


def where_of(profile: Profile) -> str:
    return profile.host or "this machine"


def key_of(profile: Profile) -> str:
    """Where a profile's key comes from; never the key."""
    if profile.embedded:
        return "none needed"
    return profile.key.describe() if profile.key else f"the environment variable {KEY_VARIABLE}"


def _short_key(profile: Profile) -> str:
    if profile.embedded:
        return "–"
    source = profile.key or KeySource(SourceKind.ENV, (KEY_VARIABLE,))
    return " ".join([source.kind, *(Path(word).name for word in source.argument[:1])])


def _locks(profile: Profile) -> str:
    signs = [GLYPHS.read_only + " read-only"] if profile.read_only else []
    return " ".join([*signs, *(["production"] if profile.production else [])])


def facts_of(profile: Profile, *, by: LockedBy | None, default: bool, throwaway: bool) -> list[Fact]:
    """What there is to know about a profile before it is opened; ``by`` is who would lock it, and ``throwaway`` says
    that its data go with the program.
    """
    where = str(store_path(profile)) if profile.embedded else profile.base_url or ""
    if throwaway:
        where = "thrown away when the program ends"
    changes = "allowed" if by is None else f"{GLYPHS.read_only} {CAUSES[by]}"
    if profile.production:
        changes += "; production: the first change asks for the profile's name"
    return [
        Fact("Data", f"{_KINDS[profile.kind]}, {where}"),
        Fact("Key from", key_of(profile)),
        Fact("Changes", changes, role="warning" if by or profile.production else "value"),
        Fact("Starts on", f"{profile.screen or 'the screen one is on'}, theme {profile.theme or 'as it is'}"),
        Fact("Default", "opened when nothing else is said" if default else "no"),
    ]


class ProfilesDialog(Dialog[Session | None]):
    """A list of all profiles, and what there is to know about the one under the cursor.

    Its result is the session of the profile that was chosen, opened and found to answer; None when nothing was.
    """

    DEFAULT_CSS = """
    ProfilesDialog > Vertical { width: 104; max-height: 96%; }
    ProfilesDialog SheetView { height: 7; background: $surface; margin: 0 0 1 0; }
    ProfilesDialog Facts { height: 9; background: $surface; }
    ProfilesDialog Words { height: 2; background: $surface; margin: 1 0 0 0; }
    ProfilesDialog.-low SheetView { height: 5; margin: 0; }
    ProfilesDialog.-tall SheetView { height: 10; margin: 1 0; }
    ProfilesDialog.-tall Facts { height: 10; }
    """

    VERTICAL_BREAKPOINTS = [(0, "-low"), (24, "-short"), (36, "-tall")]  # noqa: RUF012 - declared so by the framework
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", "Open"),
        Binding("a", "add", "Add"),
        Binding("t", "test", "Test"),
        Binding("d", "make_default", "Default"),
        Binding("x,delete", "remove", "Remove"),
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
            roles={
                "mark": lambda _, name: role_of(self._profiles.by_name[name]),
                "Profile": "title",
                "Changes": "warning",
            }
        )

    @property
    def _current(self) -> Profile | None:
        """The profile with the cursor."""
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
        rows = tuple((mark_of(p), p.name, where_of(p), _locks(p), _short_key(p)) for p in profiles)
        marks = tuple(GLYPHS.chosen if p.name == self._open_name else "" for p in profiles)
        self._list.show(Sheet("Profiles", _COLUMNS, rows, keys=tuple(p.name for p in profiles), marks=marks), keep=keep)
        self._show_facts()

    def _show_facts(self) -> None:
        profile = self._current
        if profile is not None:
            by = locked_by(profile, self.workbench.opening.read_only)
            default, throwaway = profile.name == self._profiles.current, self.workbench.opening.throws_away(profile)
            self._facts.show(facts_of(profile, by=by, default=default, throwaway=throwaway))

    def _say(self, text: str, *, wrong: bool = False) -> None:
        self._about = self._current
        self._said.show(f"{GLYPHS.danger} {text}" if wrong else text, role="danger" if wrong else "label")

    @on(LineView.Moved)
    def _moved(self) -> None:
        # The list also moves to where a change has put the profile that was just spoken of.
        if self._current != self._about:
            self._show_facts()
            self._say("")

    # -- opening ------------------------------------------------------------------------------------------------------

    @on(LineView.Chosen)
    def _chosen(self) -> None:
        profile = self._current
        if profile is not None:
            self._say(f"Opening '{profile.name}'{GLYPHS.busy}")
            self._start(partial(self._open, profile))

    async def _open(self, profile: Profile) -> None:
        try:
            async with waiting(self.workbench, f"Open '{single_line(profile.name, limit=30)}'", dialog_follows=False):
                session = await open_checked(self.workbench, profile)
        except NotOpened as error:
            self._say(f"'{profile.name}' was not opened; '{self._open_name}' still is. {error}", wrong=True)
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
            self._say(f"Testing '{profile.name}', which changes nothing{GLYPHS.busy}")
            self._start(partial(self._test, profile))

    async def _test(self, profile: Profile) -> None:
        try:
            found = await find_out(self.workbench, profile, self._facts.show)
        except ProfileError as error:
            self._say(str(error), wrong=True)
        else:
            why = FAILED.get(found)
            self._say(f"'{profile.name}' does not work yet. {why}" if why else f"'{profile.name}' can be worked with.")

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
            self._say(f"The profiles cannot be written: {error.strerror}. Nothing was changed.", wrong=True)
            return
        self._reload()
        self._say(" ".join([said, *(f"{text[:1].upper()}{text[1:]}." for text in map(LeftKey.describe, left))]))

    def action_make_default(self) -> None:
        profile = self._current
        if profile is not None:
            said = f"'{profile.name}' is opened when nothing else is said."
            self._start(partial(self._save, lambda p: p.using(profile.name), said))

    def action_remove(self) -> None:
        self._start(self._remove)

    async def _remove(self) -> None:
        profile = self._current
        if profile is None:
            return
        name = profile.name
        if name in BUILT_IN or name == self._open_name:
            why = "is built in and cannot be removed" if name in BUILT_IN else "is open; open another one first"
            self._say(f"'{name}' {why}.", wrong=True)
            return
        try:
            lost = losses(self._profiles.by_name, self._profiles.removing(name).by_name)
            refuse_under_lock(lost, flag=self.workbench.opening.read_only)
        except ServiceError as error:
            self._say(error.message, wrong=True)
            return
        message = (
            f"Forget the profile '{name}' ({profile.host})? The service and its data stay as they are.\n\n"
            "Type its name to remove it."
        )
        if await self.app.push_screen_wait(TypeName("Remove a profile", message, name)):
            await self._save(lambda p: p.removing(name), f"'{name}' was removed.", agreed=name)

    def _refusal(self, profile: Profile, action: str) -> str:
        """Why the lock refuses ``action`` on a profile; empty where it does not."""
        if profile.name == self._open_name:
            return self.workbench.refusal(action)
        by = locked_by(profile, self.workbench.opening.read_only)
        return "" if by is None else refusal(by, action, unlocking(profile))

    def action_reset(self) -> None:
        self._start(self._reset)

    async def _reset(self) -> None:
        profile = self._current
        if profile is None or profile.kind is not ProfileKind.DEMO:
            self._say("Only the demo data can be put back as they come.", wrong=True)
            return
        if sentence := self._refusal(profile, "reset"):
            self._say(sentence, wrong=True)
            return
        message = "Put the demo characters back as they come? Everything that was changed or made there is lost."
        if not await self.app.push_screen_wait(Confirm("Reset the demo data", message, "Reset them")):
            return
        try:
            session = await open_checked(self.workbench, profile, anew=True)
        except NotOpened as error:
            self._say(f"The demo data are as they were. {error}", wrong=True)
            return
        if self._open_name == profile.name:
            self.dismiss(session)
        else:
            await session.aclose()
            self._say("The demo data are as they come again.")
