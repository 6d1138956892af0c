"""The stories that commands about walks work with: those of characters, or the one in a bundle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from chartui.cli.lookup import read_story
from chartui.cli.naming import CharacterName
from chartui.cli.parser import Arguments, Parser
from chartui.cli.sessions import ask

if TYPE_CHECKING:
    from chartui.core.narrative.graph import Graph
    from chartui.core.session import Session


class WalkStory(NamedTuple):
    """A story, its character and its template values. The ID is empty for a story from a file."""

    character_id: str
    name: str
    graph: Graph
    keys: Mapping[str, str]

    @property
    def label(self) -> str:
        return self.name or self.character_id or "story"


def add_story(parser: Parser, *, default: str = "") -> None:
    whose = parser.add_mutually_exclusive_group()
    whose.option(
        "--character", "CHARACTER", f"the character's name or ID{default}", dest="character_id", type=CharacterName
    )
    whose.option("--bundle", "FILE", "use the story in a file from 'chartui pull', without sending anything")


def stories(arguments: Arguments, ids: Sequence[str]) -> Mapping[str, WalkStory]:
    """The stories of ``--bundle``, of ``--character``, or of the characters with these IDs."""
    if arguments.bundle is not None:
        from chartui.cli.bundles import read_file

        bundle, _ = read_file(arguments.bundle)
        return dict.fromkeys(ids, WalkStory("", bundle.name or "", bundle.story.graph(), bundle.keys or {}))

    async def question(session: Session) -> dict[str, WalkStory]:
        read = {}
        for given in dict.fromkeys(ids):
            # The name has been replaced by an ID since.
            character_id = arguments.character_id or given
            character, story = await read_story(session, character_id)
            read[given] = WalkStory(character_id, character.character_name or "", story.graph(), {})
        return read

    return ask(arguments, question)


def only_story(arguments: Arguments) -> WalkStory:
    character_id = arguments.character_id or ""
    return stories(arguments, [character_id])[character_id]


def target(graph: Graph, section_id: str | None) -> str:
    """The target of a decision or trigger, such as ``→ The gallery``."""
    if section_id is None:
        return "→ nowhere"
    if section_id in graph.sections:
        return f"→ {graph.section_name(section_id)}"
    sign = "?" if graph.has_section(section_id) is None else "∅"
    return f"→ {sign} {section_id} ({graph.absence(section_id, 'missing')})"
