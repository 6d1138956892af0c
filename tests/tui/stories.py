"""What tests do with a story: go about in its tree, and say what it holds."""

from __future__ import annotations

from chartui.core.narrative.nodes import Kind, Node
from chartui.core.narrative.story import Story
from chartui.tui.widgets.chooser import Chooser
from tests.tui.user import User

START = "Welcome at the door"


async def add(user: User, kind: str) -> None:
    """Begin to add a section, a decision or a trigger."""
    await user.press("a")
    await user.at(Chooser)
    await user.press(*kind, "enter")
    await user.leaves(Chooser)


async def edit(user: User, part: str) -> None:
    """Begin to edit a part of what the cursor is on."""
    await user.press("e")
    await user.at(Chooser)
    await user.press(*part, "enter")
    await user.leaves(Chooser)


async def go_to(user: User, kind: Kind, title: str) -> Node:
    """Move to the first node on view of this kind whose title or label holds ``title``."""
    rows = user.narrative.rows
    number = next(i for i, r in enumerate(rows) if r.node.kind is kind and title in f"{r.node.label} {r.node.title}")
    await user.press("home", *["down"] * number)
    assert user.narrative.here is rows[number].node
    return rows[number].node


def named(now: Story, name: str) -> str:
    """The id of the section of that name."""
    return next(key for key, section in now.sections.items() if section.section_name == name)


def ways(user: User, name: str) -> list[tuple[str, str]]:
    """Criteria and target of the decisions of a section, in the order they are tried."""
    now = user.narrative.story
    return [(way.criteria, now.graph().section_name(way.next_section_id)) for way in now.ways(named(now, name))]
