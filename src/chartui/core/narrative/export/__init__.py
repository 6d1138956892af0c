"""A narrative graph in the forms that other programs read: drawings, data, and a text for people.

Pure functions from a story and its title to a text. Every section, decision, trigger and override is in each of them,
what is broken as well. Nothing that a terminal would obey is in any.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from importlib import import_module
from types import MappingProxyType
from typing import Final, NamedTuple, cast

from chartui.core.narrative.story import Story

__all__ = ["FORMS", "Form", "FormFacts", "export"]


class Form(StrEnum):
    """What a graph can be written as."""

    MERMAID = "mermaid"
    DOT = "dot"
    JSON = "json"
    MARKDOWN = "markdown"
    TWEE = "twee"


class FormFacts(NamedTuple):
    """What a form is called, the ending of its files, and what it is good for, in a few words."""

    title: str
    suffix: str
    use: str


FORMS: Final[Mapping[Form, FormFacts]] = MappingProxyType(
    {
        Form.MERMAID: FormFacts("Mermaid flowchart", ".mmd", "drawn by wikis and code hosts"),
        Form.DOT: FormFacts("Graphviz DOT", ".dot", "drawn by dot"),
        Form.JSON: FormFacts("JSON", ".json", "for programs; can be imported again"),
        Form.MARKDOWN: FormFacts("Markdown outline", ".md", "for people to read"),
        Form.TWEE: FormFacts("Twee 3", ".twee", "opened by Twine and its relatives"),
    }
)


def export(story: Story, form: Form, title: str) -> str:
    """The story as a text in a form; it ends with a line feed."""
    # A form is imported when somebody wants it: most commands want none.
    module = "chartui.core.narrative." + ("twee.writing" if form is Form.TWEE else f"export.{form}")
    return cast("Callable[[Story, str], str]", import_module(module).write)(story, title)
