"""What is found in the scene before it is sent, and how it can be put right."""

from __future__ import annotations

from textual.strip import Strip

from chartui.core.actions.lint import Finding, in_words
from chartui.tui.lines import Line, wrap
from chartui.tui.screens.actions.state import Talk
from chartui.tui.severity import SIGNS
from chartui.tui.widgets.line_view import Painted

__all__ = ["ChecksView"]

#: Cells before a sentence: the sign, and a blank on either side.
_INDENT = 3


class ChecksView(Painted[Finding]):
    """The findings, errors first: the entry each is about, why its rule matters, and what would put it right."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._talk: Talk | None = None
        self._fix_key = ""

    def show(self, talk: Talk | None, fix_key: str) -> None:
        """Show what is found in a scene; ``fix_key`` is the key that puts a thing right."""
        before, self._talk, self._fix_key = self._talk, talk, fix_key
        # While the text is written nothing here is another.
        if before is None or talk is None or before.looked_over != talk.looked_over:
            self.lay_out()

    def lay_out(self) -> None:
        """A sentence for each finding, with its reason below it."""
        width = self.room
        if width <= 0:
            return
        rows: list[tuple[Strip, Finding | None]] = []
        told: set[str] = set()
        for finding in self._talk.findings if self._talk else ():
            lines = self._finding(finding, width, why=finding.rule.id not in told)
            rows += [(line, finding if not number else None) for number, line in enumerate(lines)]
            told.add(finding.rule.id)
        note = self._note()
        if note:
            rows += [(Line(width).strip(), None)] if rows else []
            rows += [(Line(width).gap().add(line, self.palette.label).strip(), None) for line in wrap(note, width - 2)]
        self.put(rows)
        if not self.can_stop_at(self.cursor):
            self.move_to(self.cursor, step=-1)

    def _note(self) -> str:
        if self._talk is None:
            return ""
        if self._talk.backstory is None:
            unknown = "What the backstory is, is not known here, so that it was not held against the scene."
            return unknown if self._talk.findings else f"Nothing was found. {unknown}"
        return "" if self._talk.findings else "Nothing was found: the scene can be sent as it is."

    def _finding(self, finding: Finding, width: int, *, why: bool) -> list[Strip]:
        assert self._talk is not None  # noqa: S101 - whose finding it is
        palette, room = self.palette, width - _INDENT - 1
        sign, role = SIGNS[finding.rule.severity]
        said = in_words(self._talk.turn, finding)
        first, *more = wrap(said[:1].upper() + said[1:], room)
        rows = [Line(width).gap().add(sign, getattr(palette, role)).gap().add(first, palette.value).strip()]
        rows += [Line(width).gap(_INDENT).add(line, palette.value).strip() for line in more]
        if why:  # once for each rule
            rows += [Line(width).gap(_INDENT).add(line, palette.label).strip() for line in wrap(finding.rule.why, room)]
        if finding.fix is not None:
            line = Line(width).gap(_INDENT).add(self._fix_key, palette.key).gap()
            rows.append(line.add(finding.fix.words, palette.quiet).strip())
        return rows
