"""The next turn: its text, and the form of its scene."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, cast

from rich.cells import cell_len
from rich.text import Text
from textual import events, on
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import TextArea

from chartui.core.classes import dataclass
from chartui.core.lint import Severity
from chartui.core.text import display_text, single_line
from chartui.tui.bindings import bindings_for
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import Line
from chartui.tui.screens.actions.editor import Edit, SceneEditor
from chartui.tui.screens.actions.state import NOUNS, ActionsState, Group, Place, Talk
from chartui.tui.severity import SIGNS
from chartui.tui.widgets.border import entitle, write_on_border
from chartui.tui.widgets.chooser import Choice, Chooser
from chartui.tui.widgets.form import FieldKind, FieldRow, FormView, Heading, Row
from chartui.tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from chartui.tui.widgets.screen import WorkScreen

_TITLES: Final = {Group.ACTIONS: "Actions", Group.OBJECTS: "Objects", Group.CHARACTERS: "Characters in the scene"}
#: Most of the line that a name takes, so that part of its description is visible.
_NAME_SHARE: Final = 0.55
#: Characters of an id that distinguish two.
_SHORT: Final = 8


class Composer(Vertical):
    """Text and scene of the next turn. Each edit goes to ``edited`` immediately, since more keys may follow."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_for("actions.compose")
    #: The rules use the classes of the surrounding screen.
    SCOPED_CSS = False
    DEFAULT_CSS = """
    Composer { width: 52; height: 1fr; }
    Composer #say { height: 6; }
    Composer #scene { height: 1fr; }
    .-narrow Composer { width: 1fr; }
    .-narrow Composer #say { height: 4; }
    .-narrow.-answer Composer { height: auto; }
    .-narrow.-answer Composer #scene { display: none; }
    .-wide Composer { width: 45%; max-width: 102; }
    """

    def __init__(self, editor: SceneEditor, edited: Callable[[Edit], None], pick_character: Callable[[], None]) -> None:
        super().__init__(id="composer")
        self.say = SayBox()
        self.scene = SceneForm()
        self._editor = editor
        self._edited = edited
        self._pick_character = pick_character
        self._state = ActionsState()
        #: The text written before a character was loaded.
        self._unaddressed = ""

    def compose(self) -> Iterable[Widget]:
        yield self.say
        yield self.scene

    def show(self, state: ActionsState, terms: str) -> None:
        self._state, talk = state, state.talk
        self.scene.show_state(state)
        # It takes text even before a character is loaded; the keys would be the screen's commands otherwise.
        text = talk.turn.text if talk else self._unaddressed
        self.say.show(text, single_line(state.name, limit=40), terms)
        if talk is not None and self._unaddressed:
            written, self._unaddressed = self._unaddressed, ""
            self._write(f"{text} {written}".lstrip())

    # -- the text -----------------------------------------------------------------------------------------------------

    @on(TextArea.Changed)
    def _written(self) -> None:
        self._write(self.say.text)

    def _write(self, text: str) -> None:
        talk = self._state.talk
        if talk is None:
            self._unaddressed = text
        elif talk.turn.text != text:
            self._edited(self._editor.write(talk, text))

    async def write_long(self) -> None:
        """Edit the text in a larger editor."""
        from chartui.tui.widgets.editor import Editor

        assert self._state.talk is not None  # noqa: S101 - checked before
        title, text = f"Say to {self._state.name}", self._state.talk.turn.text
        editor = Editor(title, text, changed=self._write, hint="saved as you type; not sent yet")
        self._write(await self.app.push_screen_wait(editor))

    async def write_outside(self) -> None:
        """Edit the text in the user's own editor."""
        from chartui.tui.external_editor import edit_outside

        assert self._state.talk is not None  # noqa: S101 - checked before
        workbench = cast("WorkScreen", self.screen).workbench
        title = f"Say to {single_line(self._state.name, limit=40)}"
        edited = await edit_outside(workbench, self._state.talk.turn.text, title=title)
        if edited.text is None:
            workbench.tell(edited.told, title=title)
        else:
            self._write(edited.text)

    # -- the scene ----------------------------------------------------------------------------------------------------

    @on(FormView.Activated)
    def _activated(self, message: FormView.Activated) -> None:
        talk, place = self._state.talk, self.scene.place
        if message.field == "character":
            self._pick_character()
        elif talk is not None and message.field == "multistep":
            self._edited(self._editor.toggle_multistep(talk))
        elif talk is not None and message.field == "session":
            self._edited(self._editor.toggle_session(talk))
        elif place is not None:
            self._edit_entry(place)

    def add(self) -> None:
        """Add to the list under the cursor; asks for a list if there is none."""
        self._edit_entry(None)

    def _edit_entry(self, place: Place | None) -> None:
        cast("WorkScreen", self.screen).start(partial(self._ask_for_entry, place), group="edit")

    async def _next_place(self) -> Place | None:
        """The place for a new entry."""
        if self.scene.place is not None:
            group = self.scene.place.group
        else:
            choices = [Choice(group, f"{noun[:1].upper()}{noun[1:]}") for group, noun in NOUNS.items()]
            chosen = await self.app.push_screen_wait(Chooser("Add to the scene", choices))
            if chosen is None:
                return None
            group = Group(chosen)
        return Place(group, len(self._state.talk.items(group))) if self._state.talk is not None else None

    async def _ask_for_entry(self, place: Place | None) -> None:
        from chartui.tui.screens.actions.dialogs import EntryDialog

        place = place or await self._next_place()
        if self._state.talk is None or place is None:
            return
        items = self._state.talk.items(place.group)
        item = items[place.position] if place.position < len(items) else None
        written = await self.app.push_screen_wait(EntryDialog(place.group, item, [i.name for i in items]))
        if written and self._state.talk is not None:
            self._edited(self._editor.put(self._state.talk, place, written))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Removing and moving need an entry under the cursor."""
        return super().check_action(action, parameters) if action not in ("remove", "move") else self.scene.on_entry

    def action_remove(self) -> None:
        if self._state.talk is not None and self.scene.place is not None:
            self._edited(self._editor.remove(self._state.talk, self.scene.place))

    def action_move(self, step: int) -> None:
        if self._state.talk is not None and self.scene.place is not None:
            self._edited(self._editor.move(self._state.talk, self.scene.place, step))

    async def open_scene(self) -> None:
        """Ask for a scene file and load it."""
        from chartui.tui.screens.actions.dialogs import OpenScene

        turn = await self.app.push_screen_wait(OpenScene())
        if turn is not None and self._state.talk is not None:
            self._edited(self._editor.open(self._state.talk, turn))
            self.scene.focus()


class SayBox(TextArea):
    """A box for a few lines. Enter goes to the screen, which sends; line breaks come only from pasted text."""

    DEFAULT_CSS = """
    SayBox { padding: 0 1; background: $background; scrollbar-size-vertical: 1; scrollbar-size-horizontal: 0; }
    SayBox .text-area--cursor-line { background: $background; }
    SayBox .text-area--placeholder { color: $meaning-quiet; }
    """

    def __init__(self) -> None:
        super().__init__(id="say", classes="panel", soft_wrap=True, tab_behavior="focus", highlight_cursor_line=False)
        # A blinking caret would write to the terminal forever.
        self.cursor_blink = False
        self._terms = ""

    def show(self, text: str, name: str, terms: str) -> None:
        """Show the text, the addressee, and what sending costs (``terms``)."""
        if self.text != text:
            with self.prevent(TextArea.Changed):
                self.load_text(text)
                self.move_cursor(self.document.end)
        entitle(self, f"Say to {name}" if name else "Say")
        self.show_terms(terms)

    def show_terms(self, terms: str) -> None:
        self._terms = terms
        write_on_border(self, terms)

    def on_resize(self) -> None:
        """Redraw the lines: the framework wraps them again, but shows the old ones until the next change."""
        self.refresh()
        write_on_border(self, self._terms)

    def get_line(self, line_index: int) -> Text:
        """A line for display: control characters become marks of one cell, so that columns stay aligned."""
        line = self.document.get_line(line_index)
        return Text("".join(map(_shown, line)), end="", no_wrap=True)

    def on_key(self, event: events.Key) -> None:
        """Leave Enter to the screen."""
        if event.key == "enter":
            event.prevent_default()


def _shown(character: str) -> str:
    shown = display_text(character)
    return shown if len(shown) == 1 else "�"


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryRow(FieldRow):
    """An entry of a list, its description in ``unit``; ``new`` is the row that adds one.

    ``widest`` is the width of the list's widest name, which aligns the descriptions. ``severity`` is that of the
    entry's findings, None without any.
    """

    place: Place
    severity: Severity | None = None
    new: bool = False
    widest: int = 0


class SceneForm(FormView):
    """The addressee, the mode, and the lists of the scene, whose entries take the whole width."""

    def __init__(self) -> None:
        super().__init__(id="scene")
        self.add_class("panel")
        self.border_title = Content("Scene")
        self._talk: Talk | None = None
        self._on_entry = False

    def show_state(self, state: ActionsState) -> None:
        self._talk = state.talk
        self.show(list(_rows(state, state.talk)) if state.talk else [])
        self._remark()

    @on(LineView.Moved)
    def _remark(self) -> None:
        """Show on the border the finding of the selected entry, or else the number of findings."""
        write_on_border(self, single_line(_remark(self._talk, self.place)) if self._talk else "")
        if self._on_entry is not self.on_entry:
            self._on_entry = self.on_entry
            self.refresh_bindings()

    @property
    def on_entry(self) -> bool:
        """Whether the cursor is on an entry of a list."""
        return isinstance(self.current, EntryRow) and not self.current.new

    @property
    def place(self) -> Place | None:
        return self.current.place if isinstance(self.current, EntryRow) else None

    def draw_row(self, index: int, width: int) -> Strip:
        row = self._rows[index]
        if not isinstance(row, EntryRow):
            return super().draw_row(index, width)
        palette, here = self.palette, index == self.cursor
        line = Line(width).add(GLYPHS.cursor if here and self.has_focus else " ", palette.accent).gap()
        if row.new:
            return line.add(row.text, palette.value if here else palette.quiet).strip()
        # Two cells are left for a space and the sign at the end.
        room = line.left - 2
        name = min(row.widest, int(room * _NAME_SHARE)) if row.unit else room
        line.add(row.text, palette.danger if row.problem else palette.value, width=name)
        if row.unit:
            line.gap(2).add(row.unit, palette.label, width=line.left - 2)
        severity = Severity.ERROR if row.problem else row.severity
        if severity is not None:
            sign, role = SIGNS[severity]
            line.push_right(1).add(sign, getattr(palette, role))
        return line.strip()


def _rows(state: ActionsState, talk: Talk) -> Iterator[Row]:
    wrong, sentence = talk.problem() or ("", "")
    choice, switch = FieldKind.CHOICE, FieldKind.SWITCH
    who, how = single_line(state.name, limit=60), "words and actions" if talk.turn.multistep else "words only"
    for name, label, kind, text, on_ in (
        ("character", "Speak to", choice, who, False),
        ("multistep", "Multistep", switch, how, talk.turn.multistep),
        ("session", "Session", switch, _session(talk), talk.goes_on),
    ):
        problem = sentence if name == wrong else ""
        yield FieldRow(id=name, label=label, kind=kind, text=text, on=on_, problem=problem)
    for group in Group:
        yield Heading()
        yield Heading(_TITLES[group])
        yield from _entries(talk, group, wrong, sentence)


def _session(talk: Talk) -> str:
    if talk.goes_on:
        return f"continues {single_line(talk.turn.session_id[:_SHORT])}"
    return "new" if talk.last_session is None else "new (last session not resumed)"


def _entries(talk: Talk, group: Group, wrong: str, sentence: str) -> Iterator[EntryRow]:
    items = talk.items(group)
    widest = max((cell_len(single_line(item.name)) for item in items), default=0)
    worst: dict[Place | None, Severity] = {}
    for finding in talk.findings:  # errors first
        worst.setdefault(Place.named(finding.place), finding.rule.severity)
    for position, item in enumerate(items):
        place = Place(group, position)
        yield EntryRow(
            id=place.id,
            label="",
            kind=FieldKind.CHOICE,
            text=single_line(item.name) or "(no name)",
            unit=single_line(item.detail),
            problem=sentence if place.id == wrong else "",
            severity=worst.get(place),
            place=place,
            widest=widest,
        )
    end = Place(group, len(items))
    add = f"+ add {NOUNS[group]}"
    yield EntryRow(id=end.id, label="", kind=FieldKind.CHOICE, text=add, place=end, new=True)


def _remark(talk: Talk, place: Place | None) -> str:
    wrong, sentence = talk.problem() or ("", "")
    if place is not None and wrong == place.id:
        return f"{GLYPHS.danger} {sentence}"
    here = talk.findings_at(place)
    if here:
        more = f" (+{len(here) - 1})" if len(here) > 1 else ""
        return f"{SIGNS[here[0].rule.severity][0]} {here[0].message}{more}"
    counts = Counter(finding.rule.severity for finding in talk.findings)
    return " ".join(f"{SIGNS[severity][0]} {counts[severity]}" for severity in Severity if counts[severity])
