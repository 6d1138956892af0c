"""What tests do with a story: go about in its tree, and say what it holds."""

from __future__ import annotations

from chartui.core.narrative.nodes import Kind, Node
from chartui.core.narrative.story import Story
from chartui.tui.screens.narrative.dialogs import TargetChooser
from chartui.tui.widgets.chooser import Chooser
from tests.tui.user import User

START = "Welcome at the door"


async def add_section(user: User, name: str, criteria: str) -> None:
    """Add a section behind that of the cursor, and go there."""
    await user.press("a")
    await user.at(TargetChooser)
    await user.press(*name, "enter")
    await user.back()
    await user.press(*criteria, "enter")
    user.narrative.go_to_section(named(user.narrative.story, name))


async def add_trigger(user: User) -> None:
    """Begin to add a trigger at a section."""
    await user.press("a")
    await user.at(TargetChooser)
    await user.press("down", "enter")
    await user.back()


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
