"""The actions as a test knows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from textual.widget import Widget

from chartui.tui.screens.actions.screen import ActionsScreen
from chartui.tui.screens.actions.state import Tab
from chartui.tui.widgets.form import FieldRow
from tests.tui.screens.reader import Reader

if TYPE_CHECKING:
    from chartui.core.actions.turn import Turn
    from chartui.tui.screens.actions.state import Repetition, Talk

__all__ = ["Actions"]


class Actions(Reader[ActionsScreen]):
    """The actions: the scene, what is said, and the reply."""

    @property
    def talk(self) -> Talk:
        """What was said with this character, and what is composed."""
        talk = self._screen.state.talk
        assert talk is not None
        return talk

    @property
    def turn(self) -> Turn:
        """What is composed."""
        return self.talk.turn

    @property
    def repetition(self) -> Repetition:
        """How far the turns are being said again."""
        return self.talk.repetition

    @property
    def has_talk(self) -> bool:
        """Whether there is somebody to speak to."""
        return self._screen.state.talk is not None

    @property
    def talks(self) -> Mapping[str, Talk]:
        """The same of every character."""
        return self._screen.state.talks

    @property
    def wanted(self) -> str:
        """The id of the character that is spoken to."""
        wanted = self._screen.state.wanted
        assert wanted is not None
        return wanted

    @property
    def in_hand(self) -> str | None:
        """What the screen tells others of the same."""
        return self._screen.in_hand

    @property
    def name(self) -> str:
        """Its name."""
        return self._screen.state.name

    @property
    def tab(self) -> Tab:
        """The tab in sight."""
        return self._screen.state.tab

    @property
    def parts(self) -> Sequence[Widget]:
        """The parts of the screen, in the order of the Tab key from the scene on."""
        composer = self._screen.composer
        return [composer.scene, self.reply, self._screen.notice, composer.say]

    @property
    def reply(self) -> Widget:
        """The part with the reply."""
        return self._screen.answer.reply

    @property
    def row(self) -> FieldRow:
        """The row of the scene at the cursor."""
        row = self._screen.composer.scene.current
        assert row is not None
        return row

    @property
    def rows(self) -> Sequence[FieldRow]:
        """The rows of the scene that can be changed."""
        return [row for row in self._screen.composer.scene._rows if isinstance(row, FieldRow)]

    @property
    def said(self) -> str:
        """What stands in the box for what is said."""
        return self._screen.composer.say.text

    def compose(self, talk: Talk) -> None:
        """Have this composed, as if it had been written."""
        editor = self._screen.editor
        self._screen.change(editor.compose(self.talk, talk.turn, "Composer"))

    def turn_to(self, character_id: str) -> None:
        """Speak to somebody else."""
        self._screen._conversation.speak_to(character_id)

    async def kept(self) -> None:
        """Wait until every draft is on the disk."""
        await self._screen.editor.keeper.settled()
