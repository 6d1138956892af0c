"""The commands that ``presets`` and ``scenarios`` share: both save items by name, each in a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

from chartui.cli.errors import Exit, UsageError
from chartui.cli.output import Output
from chartui.cli.parser import Arguments, Handler, Parser, Verbs, add_verb
from chartui.cli.sessions import asked, can_ask, configuration
from chartui.core.classes import dataclass
from chartui.core.jsontext import Wire
from chartui.core.named_files import NamedFile, NamedFiles
from chartui.core.text import single_line

#: Of items with a note.
T = TypeVar("T", bound=Any)


@dataclass(frozen=True)
class NamedFileCommands(Generic[T]):
    """The commands for the items of ``folder``. They change nothing on a service, so the lock does not apply.

    ``facts`` are the JSON of an item. A list shows a ``summary`` of each item below its heading.
    """

    noun: str
    folder: Callable[[], NamedFiles[T]]
    facts: Callable[[T], dict[str, Wire]]
    summary: tuple[str, Callable[[T], str]]
    write_text: Callable[[T, Path, Output], None]

    def add_first(self, verbs: Verbs, about_list: str) -> None:
        add_verb(verbs, "list", about_list, self.show_all)
        verb = add_verb(verbs, "show", f"show a {self.noun} and its file", self.show)
        verb.option("name", self.noun.upper(), f"name or file of the {self.noun}")

    def add_save(self, verbs: Verbs, about: str, save: Handler, default_note: str) -> Parser:
        verb = add_verb(verbs, "save", about, save)
        verb.option("name", "NAME", f"name of the {self.noun}")
        verb.option("--note", "TEXT", f"description (default: {default_note})")
        verb.flag("--replace", f"overwrite an existing {self.noun} with this name")
        return verb

    def add_last(self, verbs: Verbs) -> None:
        verb = add_verb(verbs, "rename", f"rename a {self.noun}", self.rename)
        verb.option("name", "NAME", f"name of the {self.noun}")
        verb.option("new_name", "NEW", "new name")
        verb = add_verb(verbs, "remove", f"remove a {self.noun} and its file", self.remove)
        verb.option("name", "NAME", f"name of the {self.noun}")
        verb.flag("--yes", "do not ask before removing; required without a terminal")

    def show_all(self, _arguments: Arguments, output: Output) -> int:
        with configuration():
            entries = self.folder().entries()
        broken = [entry.fault for entry in entries if entry.item is None]
        items = [entry.item for entry in entries if entry.item is not None]
        heading, summarized = self.summary
        if output.as_json:
            output.json([self._facts(entry) for entry in entries])
        elif items:
            rows = [[item.name, summarized(item), item.note] for item in items]
            output.table(rows, header=["NAME", heading, "NOTE"])
        elif not broken:
            output.note(f"no {self.noun}s yet; 'chartui {self.noun}s save' adds a {self.noun}")
        output.notes(broken)
        return Exit.USAGE if broken else Exit.DONE

    def _facts(self, entry: NamedFile[T]) -> dict[str, Wire]:
        file = str(entry.path)
        if entry.item is None:
            return {"name": None, "file": file, "problem": entry.fault}
        return {**self.facts(entry.item), "file": file}

    def write(self, path: Path, item: T, output: Output) -> None:
        if output.as_json:
            output.json(self._facts(NamedFile(path, item)))
        else:
            self.write_text(item, path, output)

    def show(self, arguments: Arguments, output: Output) -> None:
        with configuration():
            path, item = self.folder().find(arguments.name)
        self.write(path, item, output)

    def rename(self, arguments: Arguments, output: Output) -> None:
        with configuration():
            name = self.folder().called(arguments.name)
            path = self.folder().rename(name, arguments.new_name)
        renamed = f"{self.noun} '{name}' was renamed to '{arguments.new_name}' and saved to {path}"
        output.report({"name": arguments.new_name, "file": str(path)}, renamed)

    def remove(self, arguments: Arguments, output: Output) -> None:
        with configuration():
            name = self.folder().called(arguments.name)
            path = self.folder().file_of(name)
            if not arguments.yes:
                if output.as_json or not can_ask():
                    raise UsageError("use --yes to remove without a terminal", code="unconfirmed")
                question = single_line(f"Remove {self.noun} '{name}' ({path})? y/N")
                if asked(f"{question} ").strip().lower() not in ("y", "yes"):
                    raise UsageError("not confirmed: nothing was removed", code="unconfirmed")
            self.folder().remove(name)
        output.report({"removed": name, "file": str(path)}, f"removed {self.noun} '{name}' and its file {path}")
