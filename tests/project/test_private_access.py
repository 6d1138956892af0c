"""Only one place in the tests reaches into screens, so that a screen can be built in another way."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]
#: Where a private member of a screen or a widget may be read.
PLACES = ("tui/user.py", "tui/screens/")
#: What holds private members and is neither a screen nor a widget: the program itself, and what lies below it.
NO_WIDGET = {"app", "cls", "compositor", "connection", "styles", "recorder", "self", "super", "timer"}
SOURCES = {
    file.relative_to(TESTS).as_posix(): file.read_text(encoding="utf-8")
    for folder in ("tui", "faults", "pty")
    for file in sorted((TESTS / folder).rglob("*.py"))
}


def name_of(node: ast.expr) -> str:
    """The last name of an expression: ``tree`` of ``user.narrative.tree``, ``query_one`` of ``screen.query_one(…)``."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Call(func=called):
            return name_of(called)
        case _:
            return ""


def imported(tree: ast.Module) -> set[str]:
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    return {alias.asname or alias.name for statement in statements for alias in statement.names}


def reaching_in(source: str) -> Iterator[str]:
    """Each place where a private member, or the state, of a screen or a widget is used."""
    tree = ast.parse(source)
    others = NO_WIDGET | imported(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and name_of(node.value) not in others:
            named_tuple = node.attr in {"_replace", "_fields", "_asdict"}
            of_plan = node.attr == "state" and name_of(node.value) in {"plan", "kept_plan"}
            if re.match(r"_[a-z]|(state|panes)$", node.attr) and not named_tuple and not of_plan:
                yield f"{node.lineno}: {ast.unparse(node)}"


def test_what_reaches_into_a_screen_is_found() -> None:
    source = "\n".join(
        (
            "from textual import app as framework",
            "user.narrative._tree.cursor",
            "at(user).query_one(RankList)._rows",
            "screen.state.story",
            "user.narrative.panes.findings",
            "self._list, framework._private, user.app._exit, sample._replace(), plan.state, user.narrative.story",
        )
    )
    assert sorted(place.split(":")[0] for place in reaching_in(source)) == ["2", "3", "4", "5"]


def test_only_one_place_reaches_into_a_screen() -> None:
    reaching = {name: list(reaching_in(source)) for name, source in SOURCES.items() if not name.startswith(PLACES)}
    # What a test needs from a screen belongs into tests/tui/screens.
    assert {name: places for name, places in reaching.items() if places} == {}


def test_no_test_module_imports_from_another() -> None:
    taking = re.compile(r"^\s*(?:from|import) (tests[.\w]*\.test_\w+)", re.MULTILINE)
    taken = {name: taking.findall(source) for name, source in SOURCES.items()}
    assert {name: modules for name, modules in taken.items() if modules} == {}
