"""No package has two classes of one name."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "chartui"


def test_a_package_has_one_class_of_a_name() -> None:
    classes = [
        f"{path.parent.relative_to(SOURCE)}: {node.name}"
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    ]
    assert len(classes) > 500
    assert [name for name, times in Counter(classes).items() if times > 1] == []
