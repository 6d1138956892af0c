"""What the output layer uses of the framework without a promise: an upgrade that takes it away fails here, by name."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import Any, Final

import pytest
from rich.style import Style
from textual._compositor import ChopsUpdate, Compositor, LayoutUpdate
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.css.styles import RenderStyles, Styles
from textual.driver import Driver
from textual.drivers import _writer_thread
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Region
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import Widget

import chartui.tui

TUI: Final = Path(chartui.tui.__file__).parent
#: Private names, by what has them.
METHODS: Final[dict[str, Any]] = {
    "_display": App,
    "_regions_to_spans": Compositor,
    "_get_terminal_size": LinuxDriver,
    "_sequence_to_key_events": XTermParser,
}
ATTRIBUTES: Final[dict[str, Any]] = {
    "_app": Driver,
    "_debug": Driver,
    "_loop": Driver,
    "_size": Driver,
    "_file": LinuxDriver,
    "_writer_thread": LinuxDriver,
    "_batch_count": App,
    "_closed": MessagePump,
    "_running": MessagePump,
    "_compositor": Screen,
    "_dirty_regions": Compositor,
    "_styles_cache": Widget,
}
SLOTS: Final = {"_attributes": Style, "_set_attributes": Style}


@pytest.mark.parametrize("name", METHODS)
def test_a_method_is_there(name: str) -> None:
    assert callable(getattr(METHODS[name], name, None))


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_an_attribute_is_set_by_its_class(name: str) -> None:
    assert f"self.{name}" in inspect.getsource(ATTRIBUTES[name].__init__)


@pytest.mark.parametrize("name", SLOTS)
def test_a_slot_is_there(name: str) -> None:
    assert name in SLOTS[name].__slots__


def test_styles_count_their_changes() -> None:
    styles = RenderStyles(Widget(), Styles(), Styles())
    before = styles._cache_key
    styles.inline.width = 1
    assert styles._cache_key != before


def test_updates_have_the_parts_that_are_read() -> None:
    whole = LayoutUpdate([], Region(0, 0, 1, 1))
    assert (whole.strips, whole.region) == ([], Region(0, 0, 1, 1))
    part = ChopsUpdate([{0: None}], [(0, 0, 1)], [[1]])
    assert (part.chops, part.spans, part.chop_ends) == ([{0: None}], [(0, 0, 1)], [[1]])


def test_the_writer_flushes_what_it_wrote() -> None:
    class File:
        def __init__(self) -> None:
            self.calls: list[str] = []

        def write(self, text: str) -> None:
            self.calls.append(text)

        def flush(self) -> None:
            self.calls.append("flush")

    file: Any = File()
    thread = _writer_thread.WriterThread(file)
    thread.start()
    thread.write("a")
    thread.stop()
    assert file.calls[0] == "a"
    assert file.calls[-1] == "flush"


def test_no_other_private_name_is_used() -> None:
    named = {*METHODS, *ATTRIBUTES, *SLOTS, "_cache_key", "_replace"}  # of named tuples, and public
    for path in [*(TUI / "output").glob("*.py"), TUI / "driver.py"]:
        tree = ast.parse(path.read_text())
        used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and _private(node.attr)}
        own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        own |= {
            target.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign)
            for target in ast.walk(node)
            if isinstance(target, ast.Attribute) and isinstance(target.ctx, ast.Store)
        }
        own |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        assert used - own - named == set(), path.name


def _private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")
