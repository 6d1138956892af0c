"""Choosing the section that something leads to: by name, while one types, or a new one of the name that was typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from chartui.core.narrative.story import Story
from chartui.core.text import single_line
from chartui.tui.widgets.chooser import Choice, Picker

__all__ = ["Target", "TargetChooser"]

_NEW: Final = "\N{NULL}new"
_NOWHERE: Final = "\N{NULL}nowhere"
#: Characters of an objective that a choice shows.
_BEGINNING: Final = 80


class Target(NamedTuple):
    """What was chosen: the id of a section, None for nowhere; or the name of a section that is to be made."""

    section: str | None
    new: str | None = None


class TargetChooser(Picker[Choice, Target | None]):
    """The sections of a story under the one that is to be made; ``nowhere`` says what it is to lead nowhere."""

    def __init__(
        self, title: str, story: Story, present: str | None, *, nowhere: str = "", without: Sequence[str] = ()
    ) -> None:
        choices = [Choice(_NOWHERE, nowhere)] if nowhere else []
        choices += [
            Choice(
                key,
                single_line(section.section_name or key, limit=60),
                "start" if key == story.start else "",
                single_line((section.objective or "")[: 4 * _BEGINNING], limit=_BEGINNING),
            )
            for key, section in story.sections.items()
            if key not in without
        ]
        self._name = ""
        super().__init__(title, choices, present if present is not None else _NOWHERE)

    def offered(self, query: str) -> Sequence[Choice]:
        """The section that is to be made."""
        self._name = " ".join(query.split())
        called = f" called “{single_line(self._name, limit=40)}”" if self._name else ""
        return (Choice(_NEW, f"+ a new section{called}"),)

    def answer(self, choice: Choice) -> Target | None:
        """A section, a new one, or nowhere."""
        if choice.key == _NEW:
            return Target(None, self._name)
        return Target(None if choice.key == _NOWHERE else choice.key)
