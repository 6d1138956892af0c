"""Two characters side by side, or the same on two profiles: the differences, grouped like the record."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Vertical

from chartui.core.bundle.stories import LOADING, diff_commands, story_of, story_verdict, with_stories
from chartui.core.bundle.stories import TITLE as STORY
from chartui.core.character import read_character
from chartui.core.characters.comparison import Compared, Comparison, Held, Side, Verdict, compare, comparison_sheet
from chartui.core.classes import NamedTuple
from chartui.core.plans.reads import Reads
from chartui.core.profiles import ProfileError
from chartui.core.profiles_file import load_profiles
from chartui.core.reproduce import as_json
from chartui.core.spec.errors import ServiceError
from chartui.core.text import display_text, single_line
from chartui.tui.clipboard import forms_of
from chartui.tui.glyphs import GLYPHS
from chartui.tui.lines import fit, wrap
from chartui.tui.numbers import count, number_of
from chartui.tui.screens.characters.tabs.cost import load
from chartui.tui.shell.open_profile import NotOpened, open_checked
from chartui.tui.shell.profiles import where_of
from chartui.tui.wait import waiting
from chartui.tui.widgets.border import entitle, room_on_border, write_on_border
from chartui.tui.widgets.chooser import Choice, Chooser
from chartui.tui.widgets.screen import Copyable, WorkScreen
from chartui.tui.widgets.text import Piece, PieceRow, PieceRows, Role, difference_rows, told

if TYPE_CHECKING:
    from chartui.core.costs import Basis
    from chartui.core.service import Service
    from chartui.core.session import Session
    from chartui.core.spec.models.summaries import CharacterSummary
    from chartui.tui.app import ChartuiApp

#: Most cells of a line of text.
_LONGEST: Final = 100
_LABEL_WIDTH: Final = 18
_NARROW: Final = 90
_NARROW_LABEL: Final = 14
#: Most characters of a name.
_NAME: Final = 60
_SIGNS: Final = {Verdict.SAME: "=", Verdict.DIFFERENT: GLYPHS.differs, Verdict.APART: GLYPHS.note, Verdict.UNKNOWN: "?"}


class ComparisonPanel(Vertical):
    """Reads two characters for a screen (``work``) and shows their differences in place of the list and the tabs.

    The border shows the number of differences and the keys.
    """

    SCOPED_CSS = False
    DEFAULT_CSS = """
    CharactersScreen #comparison { display: none; width: 1fr; }
    CharactersScreen.-comparing #left, CharactersScreen.-comparing #detail { display: none; }
    CharactersScreen.-comparing #comparison { display: block; }
    """

    def __init__(self, work: WorkScreen) -> None:
        super().__init__(id="comparison", classes="panel")
        self.view = _View()
        self.comparison: Comparison | None = None
        self.other: Session | None = None
        #: The first character, while a second one has to be chosen.
        self.first: CharacterSummary | None = None
        self._work = work
        self._everything = False
        self._again: Callable[[], Coroutine[Any, Any, None]] | None = None
        self._read_from: tuple[_Read, ...] = ()
        self._note = ""

    def compose(self) -> ComposeResult:
        """The members."""
        yield self.view

    # -- choosing -----------------------------------------------------------------------------------------------------

    def press(self, current: CharacterSummary | None) -> None:
        """Choose the first or the second character; once both are shown, switch between all fields and differences."""
        if self.comparison is not None:
            self._everything = not self._everything
            self._show()
            return
        if current is None:
            return
        first = self.first
        self.first = current if first is None else None
        if first is not None and first.character_id == current.character_id:
            self._work.workbench.tell("A character cannot be compared with itself. Choose another character.")
        elif first is not None:
            self._read(partial(self._two, first.character_id, current.character_id))

    def compare_profiles(self, current: CharacterSummary) -> None:
        """Ask for a profile, and compare a character with the one there."""
        self._work.start(partial(self._with_profile, current), group="comparison")

    def waiting(self, width: int) -> str:
        """The note that a second character has to be chosen, in ``width`` cells; empty unless the first is."""
        if self.first is None:
            return ""
        again, gives_up = map(self._work.workbench.keymap.label, ("compare-characters", "leave-record"))
        keys = f": {again} picks another, {gives_up} cancels"
        name = single_line(_name(self.first))
        return f"{GLYPHS.differs} {fit(name, min(cell_len(name), max(8, width - cell_len(keys) - 2)))}{keys}"

    # -- reading ------------------------------------------------------------------------------------------------------

    def _asking(self, session: Session) -> Service:
        """The service of a profile; the screen shows what it receives."""
        return self._work.watched(session.service.asking_as(self._work.SCOPE), "comparison")

    def read_again(self) -> None:
        """Refresh both characters if they are shown."""
        if self.comparison is not None and self._again is not None:
            self._read(self._again)

    def _read(self, how: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._again = how
        self._work.start(how, group="comparison", title="Loading both characters")

    async def _two(self, *character_ids: str) -> None:
        session = self._work.session
        try:
            # A service returns each record with the whole list: read once for both.
            service = Reads(self._asking(session)).service
            basis = await self._basis(session)
            left, right = [await _read_one(session, service, character_id, basis) for character_id in character_ids]
        except ServiceError as error:
            self._work.workbench.tell_failure(error)
            return
        await self._show_both(left, right)

    async def _basis(self, session: Session) -> Basis:
        """The basis of costs in a profile, with the estimator's inputs."""
        await asyncio.to_thread(load, self._work.session)
        from chartui.tui.screens.estimator.character import basis_of

        return await basis_of(self._work.workbench, session)

    async def _show_both(self, left: _Read | None, right: _Read | None) -> None:
        """Show the differences in place of the list, and then those of the stories.

        After a refresh, all fields are shown if all were shown before.
        """
        work = self._work
        if left is None or right is None:
            message = "One of the characters no longer exists."
            work.workbench.tell(message, title="Not compared", severity="warning")
            return
        if not self.is_attached:
            await work.query_one("#work").mount(self)
        work.remove_class("-detail")
        work.add_class("-comparing")
        self._everything = self._everything and self.comparison is not None
        self._read_from = (left, right)
        self.comparison = with_stories(compare(left.side, right.side), LOADING, LOADING)
        self._show()
        self.view.focus()
        work.start(self._read_stories, group="comparison", title="Loading both stories")

    async def _read_stories(self) -> None:
        reads = self._read_from
        stories = [await story_of(self._asking(read.session), read.side.record) for read in reads]
        if self.comparison is not None:
            self.comparison = await asyncio.to_thread(with_stories, self.comparison, *stories)
            self._show()

    async def _with_profile(self, here: CharacterSummary) -> None:
        """Ask for a profile, and read the character with the same id there, or the one the user chooses."""
        app = self._work.workbench
        async with waiting(app, f"Compare {single_line(_name(here), limit=30)}"):
            await self.close_other()
            self.other = await _open_another(app)
            if self.other is None:
                return
            there = await _choose_character(app, self.other, here)
        if there is None:
            await self.close_other()
        else:
            self._read(partial(self._on_two_profiles, here.character_id, self.other, there))

    async def _on_two_profiles(self, here: str, other: Session, there: str) -> None:
        session = self._work.session
        try:
            basis = await self._basis(session)
            left = await _read_one(session, self._asking(session), here, basis, f" on {session.profile.name}")
            basis = await self._basis(other)
            right = await _read_one(other, self._asking(other), there, basis, f" on {other.profile.name}")
        except ServiceError as error:
            self._work.workbench.tell_failure(error)
            return
        await self._show_both(left, right)

    async def close_other(self) -> None:
        """Close the other profile."""
        other, self.other = self.other, None
        if other is not None:
            await other.aclose()

    # -- showing ------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Forget the comparison."""
        self.comparison = self._again = None
        self._read_from = ()
        self._work.start(self.close_other, group="comparison")

    def _show(self) -> None:
        if (comparison := self.comparison) is None:
            return
        key = self._work.workbench.keymap.label
        left, right = (single_line(side.name, limit=_NAME) for side in (comparison.left, comparison.right))
        entitle(self, f"{left} and {right}")
        different, unknown = comparison.count(Verdict.DIFFERENT), comparison.count(Verdict.UNKNOWN)
        other = "differences only" if self._everything else "everything"
        parts = [
            number_of(different, "difference") if different else "no differences",
            *([f"{count(unknown)} unknown"] if unknown else []),
            f"{key('compare-characters')} shows {other}",
            f"{key('leave-record')} closes",
        ]
        self._note = " · ".join(parts)
        write_on_border(self, self._note)
        hint = f"The stories differ. {key('copy')} copies commands that list the differences."
        self.view.show(comparison, everything=self._everything, story_hint=hint)

    def show_loading(self) -> None:
        """Show on the border that both characters are being refreshed."""
        if self.comparison is not None:
            text = self._work.loading_text("comparison", width=room_on_border(self))
            write_on_border(self, text or self._note)

    def copies(self) -> Sequence[Copyable]:
        """The values of the selected member, and the comparison as a table."""
        comparison, member = self.comparison, self.view.at_cursor
        if comparison is None:
            return ()
        values = []
        if member is not None:
            sides = ((comparison.left.name, member.left), (comparison.right.name, member.right))
            values = [
                Copyable(f"{single_line(member.label, limit=30)} of {single_line(name, limit=40)}", _plain(held))
                for name, held in sides
                if held.there
            ]
        differ = story_verdict(comparison) is Verdict.DIFFERENT
        commands = [Copyable("Commands to compare the stories", self._commands())] if differ else []
        return [*values, *forms_of(comparison_sheet(comparison)), *_whole(comparison), *commands]

    def _commands(self) -> str:
        left, right = (
            (read.session.profile.name, str(read.side.record.get("character_id"))) for read in self._read_from
        )
        return diff_commands(left, right)


def _name(summary: CharacterSummary) -> str:
    return summary.character_name or summary.character_id


class _Read(NamedTuple):
    """A character that was read, and where."""

    session: Session
    side: Side


async def _read_one(
    session: Session, service: Service, character_id: str, basis: Basis, where: str = ""
) -> _Read | None:
    from chartui.core.change_costs import figures_of

    reading = await read_character(service, session.journal, session.profile.place, character_id)
    if reading is None:
        return None
    costs = await figures_of(service, reading, basis)
    name = f"{reading.record.get('character_name') or character_id}{where}"
    return _Read(session, Side(name, reading.record, reading.settings, costs))


def _whole(comparison: Comparison) -> Iterator[Copyable]:
    for form in forms_of(comparison_sheet(comparison, everything=True)):
        yield form._replace(title=f"All fields, {form.title}")


def _plain(held: Held) -> str:
    return held.value if isinstance(held.value, str) else as_json(held.value)


class _View(PieceRows[Compared]):
    """The members: a line each where both values fit side by side, otherwise the differences of their texts."""

    DEFAULT_CSS = "_View { height: 1fr; }"

    def __init__(self) -> None:
        super().__init__()
        self._comparison: Comparison | None = None
        self._everything = False
        self._story_hint = ""

    def show(self, comparison: Comparison, *, everything: bool, story_hint: str) -> None:
        """Show another comparison, or all or fewer of its fields; the cursor stays on its member.

        ``story_hint`` appears below the stories if they differ.
        """
        again = self._comparison is not None and comparison.left is self._comparison.left
        here = self.at_cursor.path if again and self.at_cursor is not None else None
        self._comparison, self._everything = comparison, everything
        self._story_hint = story_hint if story_verdict(comparison) is Verdict.DIFFERENT else ""
        self.lay_out()
        members = ((i, member.path) for i, (_, member) in enumerate(self._rows) if member is not None)
        # The row of a story that is loading gives way to several.
        wanted = (i for i, path in members if here in (None, path) or path.startswith(f"{here}."))
        self.move_to(next(wanted, 0))
        if not again:
            self.scroll_to(y=0, animate=False)

    def lay_out(self) -> None:
        """The names, and the members below the titles of their groups."""
        comparison, width = self._comparison, max(40, self._width - 3)
        if comparison is None or self._width <= 0:
            return
        label = _LABEL_WIDTH if width >= _NARROW else _NARROW_LABEL
        column = min(_LONGEST, (width - label - 4) // 2)
        parts = comparison.shown(everything=self._everything)
        rows: list[tuple[PieceRow, Compared | None]] = [(row, None) for row in _heading(comparison, label, column)]
        if all(part in comparison.costs for part in parts):
            sentence = "No differences in the fields that both characters have."
            rows += [((), None), *((row, None) for row in told(sentence, width, "label"))]
        for part in parts:
            rows += [((), None), ((Piece(single_line(part.title), "accent"),), None)]
            for member in part.members:
                rows += [(row, member) for row in _about(member, label, column, width)]
            if part.title == STORY:
                rows += [(row, None) for row in told(self._story_hint, min(_LONGEST, width), "label", indent=2)]
        self.put(rows)


def _heading(comparison: Comparison, label_width: int, column: int) -> Iterator[PieceRow]:
    """The full names above their columns; long ones take several lines."""
    left, right = (wrap(single_line(side.name, limit=_NAME), column) for side in (comparison.left, comparison.right))
    for names in zip_longest(left, right, fillvalue=""):
        yield (Piece(" " * (label_width + 2), "label"), *(Piece(f"{fit(name, column)} ", "title") for name in names))


def _about(member: Compared, label_width: int, column: int, width: int) -> Iterator[PieceRow]:
    sign = _SIGNS[member.verdict]
    roles: dict[Verdict, Role] = {Verdict.DIFFERENT: "staged", Verdict.UNKNOWN: "warning"}
    role = roles.get(member.verdict, "quiet")
    label = (Piece(f"{sign} ", role), Piece(fit(single_line(member.label), label_width), "label"))
    held = (member.left, member.right)
    fitting = [_fits(one.text, column) for one in held]
    told_whole = all(fitting) or member.verdict is not Verdict.DIFFERENT
    # Values too long for their column are replaced by their sizes, and shown in full below.
    texts = [
        display_text(one.text) if fits or (told_whole and "\n" not in one.text) else _size(one)
        for one, fits in zip(held, fitting, strict=True)
    ]
    cells = zip(texts, held, strict=True)
    yield (*label, *(Piece(f"{fit(text, column)} ", _role(one) if told_whole else "label") for text, one in cells))
    if not told_whole:
        left, right = (one.text if one.value or one.value == 0 else "" for one in held)
        for row in difference_rows(left, right, min(_LONGEST, width - 2), "identical"):
            yield (Piece("  ", "label"), *row)


def _fits(text: str, column: int) -> bool:
    """Whether both values fit side by side."""
    return "\n" not in text and cell_len(display_text(text)) <= column


def _size(held: Held) -> str:
    return number_of(len(held.text), "character")


def _role(held: Held) -> Role:
    if not held.known:
        return "warning"
    return "value" if held.there and held.value not in (None, "") else "quiet"


# -- the other profile -------------------------------------------------------------------------------------------------


async def _open_another(app: ChartuiApp) -> Session | None:
    """Ask for another profile and open it; the caller closes it.

    None, after a message, when none was chosen or it does not answer. Await it in a worker.
    """
    try:
        known = load_profiles()
        others = [profile for profile in known.by_name.values() if profile.name != app.session.profile.name]
        choices = [Choice(profile.name, profile.name, where_of(profile)) for profile in others]
        chosen = await app.push_screen_wait(Chooser("Compare with which profile?", choices))
        if chosen is None:
            return None
        async with waiting(app, f"Open '{single_line(chosen, limit=30)}'"):
            return await open_checked(app, known.get(chosen))
    except (ProfileError, OSError, NotOpened) as error:
        app.tell(str(error), title="Not compared", severity="warning")
        return None


async def _choose_character(app: ChartuiApp, session: Session, here: CharacterSummary) -> str | None:
    """The id of the character to compare ``here`` with: the same id in the profile of ``session``, or one you choose.

    None, after a message, when none was chosen or nothing could be read. Await it in a worker.
    """
    async with waiting(app, f"Compare with {single_line(_name(here), limit=30)}"):
        try:
            summaries = await session.service.asking_as("characters").summaries()
        except ServiceError as error:
            app.tell_failure(error)
            return None
        if any(summary.character_id == here.character_id for summary in summaries):
            return here.character_id
        where = single_line(session.profile.name)
        if not summaries:
            app.tell(f"Profile '{where}' has no characters.", title="Not compared")
            return None
        choices = [Choice(s.character_id, s.character_name or "(no name)", "", s.character_id) for s in summaries]
        namesake = next((s.character_id for s in summaries if s.character_name == here.character_name), None)
        return await app.push_screen_wait(Chooser(f"Not on {where}. Compare with…", choices, namesake))
