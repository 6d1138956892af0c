"""A text in the user's own editor: taken over exactly, or not at all, and then nothing of it is lost."""

from __future__ import annotations

import re
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from textual.app import App

from chartui.tui.external_editor import Edited, edit_outside, editor_command

#: Lines of different ends, and a character of several bytes.
TEXT = "One.\r\nTwo – 漢.\nThree."

Edit = Callable[[str], None]


class Beside(App[int]):
    """An application that can step aside without a terminal."""

    away = 0

    @contextmanager
    def suspend(self) -> Iterator[None]:
        self.away += 1
        yield
        self.away -= 1


@pytest.fixture
def edit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Edit:
    """Makes the user's editor do something with ``path``; what it sees is in ``seen``. Files go to a folder of ours."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.delenv("VISUAL", raising=False)

    def make(verb: str) -> None:
        script = tmp_path / "an editor.py"
        seen = tmp_path / "seen"
        script.write_text(
            "import os, pathlib, signal, sys\n"
            f"path, seen = pathlib.Path(sys.argv[1]), pathlib.Path({str(seen)!r})\n"
            f"seen.write_text(f'{{path.stat().st_mode:o}} {{path.parent.stat().st_mode:o}} {{path.name}}')\n{verb}\n"
        )
        monkeypatch.setenv("EDITOR", f"{sys.executable} '{script}'")

    return make


@pytest.fixture
def left(tmp_path: Path) -> Callable[[], list[Path]]:
    """The files that are left."""
    return lambda: [path for path in (tmp_path / "scratch").rglob("*") if path.is_file()]


async def edited(text: str = TEXT) -> Edited:
    app = Beside()
    async with app.run_test():
        found = await edit_outside(app, text, title="Backstory of Mara")
        assert app.away == 0
    return found


async def test_what_was_written_is_taken_over_and_the_file_is_gone(
    edit: Edit, left: Callable[[], list[Path]], tmp_path: Path
) -> None:
    edit("path.write_bytes(path.read_bytes().replace(b'Two', b'2'))")
    assert await edited() == Edited(TEXT.replace("Two", "2"))
    file, folder, name = (tmp_path / "seen").read_text().split()
    assert (stat.S_IMODE(int(file, 8)), stat.S_IMODE(int(folder, 8))) == (0o600, 0o700)
    assert name == "backstory-of-mara.txt"
    assert list((tmp_path / "scratch").iterdir()) == []
    assert left() == []


@pytest.mark.parametrize(
    ("before", "added", "after"),
    [
        ("One.", "\\n", None),  # what most editors do to a text that they are asked to save as it is
        ("One.\r\nTwo.", "\\r\\n", None),
        ("One.", "\\n\\n", "One.\n"),
        ("One.\n", "\\n", "One.\n\n"),
        ("One.\n", "Two.\\n", "One.\nTwo.\n"),
        ("", "One.\\n", "One."),
    ],
)
async def test_the_line_end_that_editors_add_is_no_change(
    edit: Edit, before: str, added: str, after: str | None
) -> None:
    edit(f"path.write_bytes(path.read_bytes() + b'{added}')")
    found = await edited(before)
    assert found.text == after
    assert found.told == ("" if after else "Nothing was changed.")


async def test_an_editor_that_changes_nothing_changes_nothing(edit: Edit, left: Callable[[], list[Path]]) -> None:
    edit("")
    assert await edited() == Edited(None, "Nothing was changed.")
    assert left() == []


@pytest.mark.parametrize(
    ("verb", "told"),
    [
        ("path.write_text('Mine.'); sys.exit(3)", "exited with status 3. The text was not changed."),
        ("path.write_text('Mine.'); os.kill(os.getpid(), signal.SIGKILL)", "was killed by signal 9."),
        ("path.write_bytes(b'Mine \\xff')", "The file is not valid UTF-8 (invalid byte at position 5)."),
        ("path.write_bytes(b'x' * (5 << 20))", "The file is too large (limit: 4 MiB)."),
    ],
)
async def test_what_is_not_taken_over_is_kept_and_said_where(
    edit: Edit, left: Callable[[], list[Path]], verb: str, told: str
) -> None:
    edit(verb)
    found = await edited()
    assert found.text is None
    assert told in found.told
    [kept] = left()
    assert found.told.endswith(f" Your text is in {kept}.")
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("verb", "told"),
    [
        ("sys.exit(1)", "exited with status 1. The text was not changed."),
        ("path.unlink()", "The file no longer exists. The text was not changed."),
        ("path.unlink(); path.parent.rmdir()", "The file no longer exists. The text was not changed."),
    ],
)
async def test_where_nothing_was_written_nothing_is_left(
    edit: Edit, left: Callable[[], list[Path]], verb: str, told: str
) -> None:
    edit(verb)
    found = await edited()
    assert found.text is None
    assert found.told.endswith(told)
    assert left() == []


async def test_an_editor_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch, edit: Edit) -> None:
    edit("")
    monkeypatch.setenv("VISUAL", "/no/such/editor --wait")
    found = await edited()
    assert found.told == ("“/no/such/editor” cannot be started: No such file or directory. The text was not changed.")


@pytest.mark.parametrize("value", ["", "  "])
async def test_without_an_editor_nothing_is_done(monkeypatch: pytest.MonkeyPatch, edit: Edit, value: str) -> None:
    edit("")
    monkeypatch.setenv("EDITOR", value)
    assert await edited() == Edited(None, "No editor is set. Set $VISUAL or $EDITOR.")


async def test_a_command_with_quotes_that_do_not_end_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", "vi 'so")
    found = await edited()
    assert re.fullmatch(r"Invalid \$VISUAL or \$EDITOR: .+\.", found.told)


async def test_a_text_that_no_file_can_hold_is_told(edit: Edit) -> None:
    edit("")
    message = "The text contains an incomplete character, which a file cannot store."
    assert await edited("\ud800") == Edited(None, message)


async def test_where_the_program_cannot_step_aside_that_is_told(edit: Edit, left: Callable[[], list[Path]]) -> None:
    edit("path.write_text('Mine.')")
    app = App[int]()  # without a terminal
    async with app.run_test():
        found = await edit_outside(app, TEXT, title="Backstory")
    assert found == Edited(None, "This terminal can't run an external editor.")
    assert left() == []


def test_the_one_for_full_screen_editors_goes_first() -> None:
    assert editor_command({"VISUAL": "nano -w", "EDITOR": "ed"}) == ["nano", "-w"]
    assert editor_command({"VISUAL": "", "EDITOR": "'my editor' -x"}) == ["my editor", "-x"]
    assert editor_command({}) == ()
