"""Every text a person reads: what the program says, its documents, and the docstrings of the core's public names.

``python -m tests.project.texts --draw 200 --seed COMMIT`` draws some of them for readers to rate.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .pages import DOCUMENTS, FOR_DEVELOPERS, ROOT

SOURCE: Final = ROOT / "src" / "chartui"

#: Two words in a row: less is a name, a key or a unit.
_WORDS: Final = re.compile(r"[A-Za-z’']{2,}[,:;]? +[A-Za-z’'{]{1,}")
#: Strings that are written for a machine.
_FOR_MACHINES: Final = re.compile(
    r"^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|ALTER|DROP|BEGIN|WITH) |[{;]\s*\n|^\(\?|<svg|\\x1b"
    r"|\b(?:WHERE|ORDER BY|FROM characters|IS NOT NULL|AFTER (?:INSERT|UPDATE)) ?|\bjson_\w+\("
    r"|\? AND |\(SELECT |^\w+(?:, \w+){5,}$"
)
#: The local planner's words and the palette's synonyms are data to match, not sentences to read.
_WORD_LISTS: Final = frozenset({SOURCE / "core" / "actions" / "language.py", SOURCE / "commands" / "synonyms.py"})
#: A value in an f-string, as :func:`_said` shows it. A string of values alone is not a text.
_VALUE: Final = re.compile(r"\{[^{}]*\}")
_TABLE_RULE: Final = re.compile(r"^[\s|:-]*$")


@dataclass(frozen=True)
class Text:
    """One text and where it stands."""

    kind: str
    path: Path
    line: int
    words: str

    @property
    def place(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}"


def texts() -> list[Text]:
    found: list[Text] = []
    for path in sorted(SOURCE.rglob("*.py")):
        found += _of_module(path)
    for path in (*DOCUMENTS, *FOR_DEVELOPERS):
        found += _of_document(path)
    return found


def docstrings() -> list[Text]:
    """Those of every module, class and function, public or not."""
    return [
        text
        for path in sorted(SOURCE.rglob("*.py"))
        for text in _docstrings(path, ast.parse(path.read_text(encoding="utf-8")))
    ]


def _of_module(path: Path) -> Iterator[Text]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped: set[int] = set()
    nodes = list(ast.walk(tree))
    for node in nodes:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))
        elif _is_for_machines(node):
            skipped.update(map(id, ast.walk(node)))
        elif isinstance(node, ast.Dict) and any(isinstance(value, ast.Lambda) for value in node.values):
            skipped.update(map(id, node.keys))  # names by which the functions are looked up
        elif isinstance(node, ast.JoinedStr):
            # An f-string is one text; its constant parts are not texts of their own.
            skipped.update(id(part) for part in node.values if isinstance(part, ast.Constant))
    for node in () if path in _WORD_LISTS else nodes:
        if id(node) in skipped:
            continue
        words = _said(node)
        if words is not None and _WORDS.search(_VALUE.sub("{}", words)) and not _FOR_MACHINES.search(words):
            yield Text("program", path, getattr(node, "lineno", 0), " ".join(words.split()))
    if "core" in path.relative_to(SOURCE).parts[:1]:
        yield from (text for text in _docstrings(path, tree) if text.kind == "public docstring")


def _is_for_machines(node: ast.AST) -> bool:
    """Whether the node is a pattern, a style sheet, a list of words to match, or a seed."""
    if isinstance(node, ast.Call):
        called = node.func
        name = f".{called.attr}" if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        while isinstance(called, ast.Attribute | ast.Call):
            called = called.value if isinstance(called, ast.Attribute) else called.func
        return name.endswith(("word_set", "seeded_ids", ".split")) or getattr(called, "id", "") == "re"
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return any("CSS" in ast.unparse(target) for target in targets)
    return False


def _said(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(
            f"{{{re.sub('[{}]', '', ast.unparse(part.value))[:24]}}}"
            if isinstance(part, ast.FormattedValue)
            else str(ast.literal_eval(part))
            for part in node.values
        )
    return None


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Everything but what stands in expressions, the outer first."""
    found: list[ast.AST] = [tree]
    for node in found:
        yield node
        found.extend(inner for inner in ast.iter_child_nodes(node) if not isinstance(inner, ast.expr))


def _docstrings(path: Path, tree: ast.Module) -> Iterator[Text]:
    private: set[int] = set()
    for node in _statements(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        name = getattr(node, "name", "")
        hidden = id(node) in private or (name.startswith("_") and not name.startswith("__"))
        if hidden or not isinstance(node, ast.Module | ast.ClassDef):
            private.update(map(id, ast.iter_child_nodes(node)))
        words = ast.get_docstring(node)
        if words:
            line = node.body[0].lineno
            yield Text("private docstring" if hidden else "public docstring", path, line, " ".join(words.split()))


def _of_document(path: Path) -> Iterator[Text]:
    fenced = False
    block: list[str] = []
    start = 0
    for number, line in enumerate([*path.read_text(encoding="utf-8").splitlines(), ""], start=1):
        if line.startswith("```") or line.lstrip().startswith("```"):
            fenced = not fenced
            line = ""
        elif fenced:
            continue
        begins = not line.strip() or re.match(r"\s*(?:[-*+]|\d+\.|#+|\|)\s", line) is not None
        if begins and block:
            yield from _pieces(path, start, " ".join(block))
            block = []
        if line.strip() and not _TABLE_RULE.match(line) and not line.startswith("<!--"):
            if not block:
                start = number
            block.append(line.strip())


def _pieces(path: Path, line: int, words: str) -> Iterator[Text]:
    pieces = words.strip("|").split(" | ") if words.startswith("|") else [words]
    for piece in pieces:
        plain = re.sub(r"^(?:[-*+]|\d+\.|#+)\s+", "", piece.strip())
        if _WORDS.search(re.sub(r"<[^>]+>", "", plain)):
            yield Text("document", path, line, plain)


def main() -> None:
    parser = argparse.ArgumentParser(description="draw texts for readers to rate")
    parser.add_argument("--draw", type=int, default=200, metavar="N", help="number of texts (default: 200)")
    parser.add_argument("--seed", required=True, help="seed of the draw: the commit that is rated")
    options = parser.parse_args()
    every = texts()
    for text in random.Random(options.seed).sample(every, min(options.draw, len(every))):
        sys.stdout.write(f"{text.place}\t{text.kind}\t{text.words}\n")


if __name__ == "__main__":
    main()
