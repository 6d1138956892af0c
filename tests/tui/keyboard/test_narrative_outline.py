"""The tree can be read from the screen alone: the parent of every row, and which rows have the same one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest

from chartui.core.narrative.outline import Row
from chartui.core.narrative.story import Story
from chartui.core.spec.models.narrative import Section
from chartui.core.spec.shape import build
from tests.tui.user import User, opened

SIZES = ((80, 24), (120, 40), (200, 55))
#: The left edge, the lines of the levels above, the link to the parent, what can be folded, and the rest.
_LINE = re.compile(r"^.(?P<above>(?:[│ ] )*)(?:(?P<own>[├└↳])(?P<mark>[▾▸╴ ]) |(?P<top>[▾▸ ]) )(?P<rest>.*)$")
_PARENT = re.compile(r"  of (?P<name>s[0-9]+|Unreachable)(?: \+[0-9]+)? *$")


def story_of(ways: Mapping[int, Sequence[int]]) -> Story:
    def record(number: int, targets: Sequence[int]) -> dict[str, Any]:
        decisions = [
            {"criteria": f"c{number}-{place}", "next_section_id": f"s{to}"} for place, to in enumerate(targets)
        ]
        return {"section_id": f"s{number}", "section_name": f"s{number}", "decisions": decisions}

    sections = build(tuple[Section, ...], [record(number, targets) for number, targets in ways.items()])
    return Story(sections={one.section_id: one for one in sections}, triggers={}, start="s0", enabled=True)


def random_story(seed: int) -> Story:
    random = Random(seed)
    return story_of({n: [random.randrange(400) for _ in range(random.choice((2, 2, 3, 3)))] for n in range(400)})


STORIES = {
    "chain": story_of({n: [n + 1] if n < 59 else [] for n in range(60)}),
    "star": story_of({n: [] if n else list(range(1, 60)) for n in range(60)}),
    # Every section can also be left, so that each is one level deeper than the one before.
    "stairs": story_of({n: [n + 1, 0] if n < 59 else [] for n in range(60)}),
    **{f"random-{seed}": random_story(seed) for seed in range(20)},
}


class Read:
    """A row as it is read from the screen."""

    def __init__(self, line: str) -> None:
        found = _LINE.match(line)
        assert found is not None, line
        self.level = 0 if found["own"] is None else len(found["above"]) // 2 + 1
        self.chain = found["own"] == "↳"
        named = _PARENT.search(found["rest"])
        self.parent_name = named["name"] if named else None
        names = re.findall(r"s[0-9]+|Unreachable", found["rest"][: named.start()] if named else found["rest"])
        self.name = names[-1]
        self.parent: str | None = None


def parsed(lines: Sequence[str]) -> list[Read]:
    """The rows with their parents: those that they name, that of a row before at the same level, or a row above."""
    rows: list[Read] = []
    for line in lines:
        row = Read(line)
        row.parent = row.parent_name
        for before in reversed(rows) if row.parent is None else ():
            if before.level == row.level and not row.chain:
                row.parent = before.name if before.chain else before.parent
                break
            if before.level < row.level or (row.chain and before.chain and before.level == row.level):
                row.parent = before.name
                break
        rows.append(row)
    return rows


def expected(user: User, row: Row) -> str | None:
    return user.narrative.outline.nodes[row.node.parent].title if row.node.parent >= 0 else None


def lines_of(user: User) -> list[str]:
    """The lines of the tree that show rows."""
    tree = user.narrative.tree
    shown = tree.size.height
    return [tree.render_line(y).text for y in range(min(shown, len(user.narrative.rows) - tree.scroll_offset.y))]


@pytest.mark.parametrize("size", SIZES, ids="{0[0]}x{0[1]}".format)
async def test_the_parent_of_every_row_can_be_read_from_the_screen(size: tuple[int, int]) -> None:
    async with opened(screen="narrative", size=size) as user:
        for name, story in STORIES.items():
            user.narrative.tell(story, keep="section/s0")
            nodes = user.narrative.outline.nodes
            deepest = max(nodes, key=lambda node: node.level)
            for node in (nodes[0], deepest, nodes[len(nodes) // 2], nodes[-1]):
                if node.section is not None:
                    user.narrative.go_to_section(node.section)
                await user.press("down", "down", "up")
                top = user.narrative.tree.scroll_offset.y
                lines = lines_of(user)
                rows = user.narrative.rows[top : top + len(lines)]
                read = parsed(lines)
                assert len(rows) == len(lines) > 3
                for row, found in zip(rows, read, strict=True):
                    assert (found.name, found.parent) == (row.node.title, expected(user, row)), (name, *lines)
