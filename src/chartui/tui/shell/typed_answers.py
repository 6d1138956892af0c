"""Lines typed into questions that are followed by another question."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from textual.screen import Screen
from textual.worker import Worker

from chartui.core.text import single_line


class TypedAnswers:
    """The lines typed into questions that are followed by another one, for each worker that asks them."""

    def __init__(self) -> None:
        self._typed: WeakKeyDictionary[Worker[Any], list[str]] = WeakKeyDictionary()

    def asking(self, worker: Worker[Any], dialog: Screen[Any]) -> None:
        """Forget the answers that a table, from which questions are asked, shows already."""
        from chartui.tui.widgets.dialog import Overview

        if isinstance(dialog, Overview):
            self._typed.pop(worker, None)

    def answered(self, worker: Worker[Any], dialog: Screen[Any], result: object) -> None:
        """Keep a typed answer until a confirmation; canceling a question goes back to before the last answer."""
        from chartui.tui.widgets.dialog import Dialog

        typed = self._typed.setdefault(worker, [])
        if result is True or (result and isinstance(dialog, Dialog) and dialog.CONCLUSIVE):
            typed.clear()
        elif isinstance(dialog, Dialog) and dialog.TYPED and isinstance(result, str):
            typed.append(result)
        elif not result:
            del typed[-1:]

    def leaving(self) -> str:
        """A sentence on answers that are lost when the program ends; empty without any."""
        typed = [text for worker, texts in self._typed.items() if worker.is_running for text in texts if text]
        named = ", ".join(f"“{single_line(text, limit=40)}”" for text in typed)
        return f"Unsaved text will be lost: {named}." if named else ""
