"""Adding a profile of a service: a short form that tests the profile before saving it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from shlex import split
from typing import ClassVar, Final

from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input
from textual.worker import Worker

from chartui.core.classes import NamedTuple
from chartui.core.credentials import Key, KeySource, SourceKind, keep_key, key_path
from chartui.core.profiles import Profile, ProfileError, ProfileKind, Profiles, check_profile, profiles_path
from chartui.core.profiles_file import change_profiles, load_profiles
from chartui.core.spec.errors import ServiceError
from chartui.tui.bindings import sign_of
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line
from chartui.tui.shell.api_key import SecretBox
from chartui.tui.shell.profile_test import FAILED, find_out
from chartui.tui.theme import Palette
from chartui.tui.widgets.dialog import Dialog
from chartui.tui.widgets.filter import FilterBox
from chartui.tui.widgets.text import Fact, Facts, Words

_ASK, _TYPED, _ENV, _FILE, _COMMAND, _KEYRING = range(6)
#: The API key sources: the name of each, and the detail that it needs.
_SOURCES: Final = (
    ("asked for at every start, never saved", "the API key (hidden)"),
    ("typed here, kept in a private file", "the API key (hidden)"),
    ("an environment variable", "the name of the variable, such as STAGING_KEY"),
    ("a file", "the path of the file"),
    ("a command", "the command, such as: pass show staging"),
    ("the system's keyring", ""),
)
#: The verbs of the form.
_TEST, _SAVE = "Test and save", "Save anyway (test failed)"


class Pick(Widget, can_focus=True):
    """A choice between a few options, shown on one line. Space and the arrows cycle through them."""

    DEFAULT_CSS = """
    Pick { height: 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,space", "turn(1)", "Choose"),
        Binding("left", "turn(-1)", "Choose", show=False),
        Binding("enter", "done", "Next"),
    ]

    class Changed(Message):
        """The selected option changed."""

    class Done(Message):
        """Enter was pressed."""

    def __init__(self, options: Sequence[str], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.options = tuple(options)
        self.chosen = 0

    def action_turn(self, step: int) -> None:
        self.chosen = (self.chosen + step) % len(self.options)
        self.refresh()
        self.post_message(self.Changed())

    def action_done(self, _: str = "") -> None:
        self.post_message(self.Done())

    def on_click(self) -> None:
        self.clicked()

    def clicked(self) -> None:
        self.action_turn(1)

    def render_line(self, y: int) -> Strip:  # noqa: ARG002
        palette, line = Palette.of(self.app.theme_variables), Line(self.size.width)
        several = len(self.options) > 1
        left, right = ("‹ ", " ›") if self.has_focus and several else ("  ", "  ")
        style = palette.title if self.has_focus else palette.value
        if not several:
            left = f"{GLYPHS.cursor if self.has_focus else ' '}{sign_of(self, 'enter')} "
        line.add(left, palette.key if self.has_focus else palette.quiet)
        line.add(self.options[self.chosen], style).add(right, palette.key)
        return line.strip(self.rich_style)


class _Verb(Pick):
    """A choice of one: Enter does it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", f"done('{_TEST}')", "Test and save"),
        Binding("enter", f"done('{_SAVE}')", "Save anyway"),
    ]

    def offer(self, verb: str) -> None:
        self.options = (verb,)
        self.refresh()
        self.refresh_bindings()

    def clicked(self) -> None:
        self.action_done()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what is offered."""
        return action == "done" and parameters == self.options


class _Label(Widget):
    DEFAULT_CSS = """
    _Label { width: 12; height: 1; }
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def render_line(self, y: int) -> Strip:  # noqa: ARG002
        palette = Palette.of(self.app.theme_variables)
        return Line(self.size.width).gap().add(self._text, palette.label).strip(self.rich_style)


class Added(NamedTuple):
    """A saved profile, and whether it ``works``: otherwise it is never opened automatically."""

    profile: Profile
    works: bool

    @property
    def sentence(self) -> str:
        return f"'{self.profile.name}' was added{'' if self.works else ' but does not work yet'}."


class AddProfile(Dialog[Added | None]):
    """Asks for a profile's settings, tests it, and saves it; if the test fails, only if the user insists."""

    DEFAULT_CSS = """
    AddProfile > Vertical { width: 84; max-height: 100%; padding: 1 0 0 0; }
    AddProfile Horizontal { height: 1; margin: 0 1 0 0; }
    AddProfile Input, AddProfile SecretBox { width: 1fr; padding: 0 2 !important; background: $panel; }
    AddProfile SecretBox { padding: 0 1 !important; }
    AddProfile Pick { width: 1fr; }
    AddProfile #verb { margin: 1 0 0 11; }
    AddProfile Words { height: auto; min-height: 2; }
    AddProfile Facts { height: auto; min-height: 6; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", "Next"),
        Binding("down", "app.focus_next", "Next field", show=False, priority=True),
        Binding("up", "app.focus_previous", "Previous field", show=False, priority=True),
        Binding("escape", "dismiss(None)", "Cancel"),
    ]

    def __init__(self) -> None:
        super().__init__("Connect to a service")
        self._called = FilterBox("a short name, such as staging", id="name")
        self._url = FilterBox("such as https://service.example", id="url")
        self._source = Pick([label for label, _ in _SOURCES], id="source")
        self._detail = FilterBox("", id="detail")
        self._secret = SecretBox(_SOURCES[_TYPED][1])
        self._detail_row = Horizontal(_Label(""), self._detail)
        self._secret_row = Horizontal(_Label(""), self._secret)
        self._changes = Pick(
            ["read-only until you type its name", "allowed"],
            id="changes",
        )
        self._production = Pick(["no", "yes: the first change asks for its name"], id="production")
        self._verb = _Verb([_TEST], id="verb")
        self._said = Words("")
        self._facts = Facts()
        self._tested: Profile | None = None
        self._works = False
        self._saving = False

    def content(self) -> Iterable[Widget]:
        yield Horizontal(_Label("Name"), self._called)
        yield Horizontal(_Label("Address"), self._url)
        yield Horizontal(_Label("API key"), self._source)
        yield self._detail_row
        yield self._secret_row
        yield Horizontal(_Label("Changes"), self._changes)
        yield Horizontal(_Label("Production"), self._production)
        yield self._verb
        yield self._said  # above the facts, so that it is seen in low windows too
        yield self._facts

    def on_mount(self) -> None:
        self._show_detail()

    def on_pick_changed(self) -> None:
        self._show_detail()
        self._stale()

    def on_input_changed(self) -> None:
        self._stale()

    def on_secret_box_edited(self) -> None:
        self._stale()

    def _stale(self) -> None:
        self._tested = None
        self._verb.offer(_TEST)

    def _show_detail(self) -> None:
        source = self._source.chosen
        # The line always holds one of the two, even if empty, so the rows below never move.
        # Set on the widgets directly: a class would take effect only after the next key.
        self._secret_row.display = source in (_ASK, _TYPED)
        self._detail_row.display = source not in (_ASK, _TYPED)
        self._detail_row.visible = source != _KEYRING
        self._detail.placeholder = _SOURCES[source][1]

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.focus_next()

    def on_secret_box_submitted(self) -> None:
        self.focus_next()

    def on_pick_done(self) -> None:
        if self.focused is self._source:
            # By name: the framework sorts by position, which a widget just shown does not have yet.
            following = {_ASK: self._secret, _TYPED: self._secret, _KEYRING: self._changes}
            self.set_focus(following.get(self._source.chosen, self._detail))
        elif self.focused is self._verb:
            if self._saving:  # after a double Enter, the second test would find the name taken
                return
            _: Worker[None] = self.run_worker(self._go, group="go", exclusive=True)
        else:
            self.focus_next()

    # -- testing and saving -------------------------------------------------------------------------------------------

    def _profile(self) -> Profile:
        """The profile in the fields; raises :class:`ProfileError`."""
        name, url = self._called.value.strip(), self._url.value.strip()
        if not name:
            raise ProfileError("Enter a name for the profile.")
        profile = check_profile(
            Profile(
                name=name,
                kind=ProfileKind.REMOTE,
                base_url=url,
                read_only=self._changes.chosen == 0,
                production=self._production.chosen == 1,
                key=self._key_source(name),
            )
        )
        _new(profile, load_profiles())
        return profile

    def _key_source(self, name: str) -> KeySource:
        detail = self._detail.value.strip()
        match self._source.chosen:
            case 0:
                return KeySource(SourceKind.ASK)
            case 1:
                return KeySource(SourceKind.FILE, (str(key_path(name)),))
            case 5:
                return KeySource(SourceKind.KEYRING)
        if not detail:
            raise ProfileError(
                f"The API key comes from {_SOURCES[self._source.chosen][0]}. Enter {_SOURCES[self._source.chosen][1]}."
            )
        if self._source.chosen == _ENV:
            return KeySource(SourceKind.ENV, (detail,))
        if self._source.chosen == _FILE:
            return KeySource(SourceKind.FILE, (str(Path(detail).expanduser().absolute()),))
        try:
            return KeySource(SourceKind.COMMAND, tuple(split(detail)))
        except ValueError as error:
            raise ProfileError(f"Invalid command: {error}.") from None

    async def _go(self) -> None:
        """Test, then save; a profile that fails the test is saved only on a second request."""
        try:
            profile = self._profile()
            key = self._typed_key()
            if self._tested != profile:
                self._said.show(f"Contacting {profile.host}{GLYPHS.busy}", role="label")
                found = await find_out(self.workbench, profile, self._show_facts, key=key)
                self._tested, self._works = profile, found not in FAILED
                if not self._works:
                    self._verb.offer(_SAVE)
                    self._said.show(f"{GLYPHS.danger} {FAILED[found]}", role="danger")
                    return
            self._saving = True
            stored = key if self._source.chosen == _TYPED else None
            await asyncio.to_thread(change_profiles, partial(_new, profile), first=partial(_keep, stored, profile))
        except (ProfileError, ServiceError) as error:
            self._said.show(f"{GLYPHS.danger} {error}", role="danger")
        except OSError as error:
            self._said.show(f"{GLYPHS.danger} {profiles_path()} cannot be written: {error.strerror}.", role="danger")
        else:
            if key is not None and stored is None:
                self.workbench.opening.keys[profile] = key
            self.dismiss(Added(profile, self._works))
        finally:
            self._saving = False

    def _show_facts(self, facts: Sequence[Fact]) -> None:
        """Show what the test found, but for the lock, which the form itself says."""
        self._facts.show([fact for fact in facts if fact.label != "Lock"])

    def _typed_key(self) -> Key | None:
        """The API key typed into the form; raises :class:`ServiceError` for an impossible one."""
        return Key(self._secret.peek()) if self._source.chosen in (_ASK, _TYPED) else None


def _new(profile: Profile, profiles: Profiles) -> Profiles:
    """The profiles with ``profile``; raises :class:`ProfileError` if its name is taken."""
    if profile.name in profiles.by_name:
        raise ProfileError(f"Profile '{profile.name}' already exists. Choose another name.")
    return profiles.adding(profile)


def _keep(key: Key | None, profile: Profile) -> None:
    if key is not None and profile.key is not None:
        keep_key(key, profile.key, profile=profile.name)
