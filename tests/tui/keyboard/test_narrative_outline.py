"""The tree can be read from the screen alone: the parent of every row, and which rows have the same one."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from random import Random
from typing import Any

import pytest

from chartui.core.narrative.nodes import Node
from chartui.core.narrative.outline import Row
from chartui.core.narrative.story import Story
from chartui.core.spec.models.narrative import Section
from chartui.core.spec.shape import build
from tests.tui.keyboard import covers
from tests.tui.user import NARROW, User, opened

SIZES = ((80, 24), (120, 40), (200, 55))
#: The left edge, the lines of the levels above, the link to the parent, what can be folded, and the rest.
_LINE = re.compile(r"^.(?P<above>(?:[│ ] )*)(?:(?P<own>[├└↳])(?P<mark>[▾▸╴ ]) |(?P<top>[▾▸ ]) )(?P<rest>.*)$")
_PARENT = re.compile(r"  in (?P<name>\S.*?)(?: \+[0-9]+)? *$")


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

    def __init__(self, line: str, titles: Collection[str]) -> None:
        found = _LINE.match(line)
        assert found is not None, line
        self.level = 0 if found["own"] is None else len(found["above"]) // 2 + 1
        self.chain = found["own"] == "↳"
        named = _PARENT.search(found["rest"])
        # A long name is cut, and “of” may also be a word of a decision.
        begun = named["name"].removesuffix("…") if named else ""
        parents = [title for title in titles if begun == title or (begun and title.startswith(begun))]
        named = named if parents else None
        self.parent_name = begun if begun in parents else parents[0] if len(parents) == 1 else None
        text = found["rest"][: named.start()] if named else found["rest"]
        text = re.sub(r"  \+?[0-9]+ *$", "", text).rstrip()  # how many there are below
        self.name = max((title for title in titles if text.endswith(title)), key=len, default=text)
        self.parent: str | None = None


def parsed(lines: Sequence[str], titles: Collection[str]) -> list[Read]:
    """The rows with their parents: those that they name, that of a row before at the same level, or a row above."""
    rows: list[Read] = []
    for line in lines:
        row = Read(line, titles)
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
        stories = {"demo": user.narrative.story, **STORIES}
        for name, story in stories.items():
            user.narrative.tell(story, keep=f"section/{story.start}")
            nodes = user.narrative.outline.nodes
            deepest = max(nodes, key=lambda node: node.level)
            for node in (nodes[0], deepest, nodes[len(nodes) // 2], nodes[-1]):
                if node.section is not None:
                    user.narrative.go_to_section(node.section)
                await user.press("down", "down", "up")
                top = user.narrative.tree.scroll_offset.y
                lines = lines_of(user)
                rows = user.narrative.rows[top : top + len(lines)]
                read = parsed(lines, {node.title for node in nodes})
                assert len(rows) == len(lines) > 3
                for row, found in zip(rows, read, strict=True):
                    assert (found.name, found.parent) == (row.node.title, expected(user, row)), (name, *lines)


async def test_criteria_are_cut_only_without_room() -> None:
    async with opened(screen="narrative", size=NARROW) as user:
        await user.sees("They would rather look around  → ↩ The twenty-minute tour")
        await user.sees("They would like to stay after all → ↩ House rules")  # longer than the column for criteria
        await user.resize(120, 40)
        await user.sees("↳  * → ↩ ∎ Farewell at the gift shop", "↳  * always → ↩ ∎ Farewell at the gift shop")


def too_deep(user: User) -> Node:
    """The row that is folded because there is no room to indent what is below it."""
    folded = user.narrative.folded
    return next(row.node for row in user.narrative.rows if row.folded and row.node.id not in folded)


@covers("follow", "fold")
async def test_a_row_too_deep_for_the_window_becomes_the_top_and_goes_back() -> None:
    async with opened(screen="narrative") as user:
        user.narrative.tell(STORIES["stairs"], keep="section/s0")
        await user.press("f2", "escape")
        whole = [row.node.id for row in user.narrative.rows]
        deep = too_deep(user)
        user.narrative.go_to_section(deep.section or "")
        await user.press("right")
        await user.rests()
        assert user.narrative.rows[0].node == deep
        assert user.narrative.here == deep
        # The path to the new top is named in the border, the nearest section last.
        parent = user.narrative.outline.nodes[deep.parent].title
        await user.sees(f"› {parent} ")
        first = parsed(lines_of(user)[:1], {deep.title, parent})[0]
        assert (first.level, first.name, first.parent) == (0, deep.title, parent)
        # From there it goes on to the next one that is too deep.
        assert too_deep(user).level > deep.level
        await user.press("left")
        await user.rests()
        assert user.narrative.here.title == parent
        assert [row.node.id for row in user.narrative.rows] == whole
