"""What is written about forms and files holds: the examples can be read, and every form and every kind is named."""

from __future__ import annotations

import re
from pathlib import Path

from chartui.core.jsontext import loads
from chartui.core.narrative.export import FORMS
from chartui.core.narrative.graph_json import facts
from chartui.core.narrative.graph_json import read as read_json
from chartui.core.narrative.story_import import Misfit
from chartui.core.narrative.twee import read as read_twee

PAGE = (Path(__file__).parents[3] / "docs" / "interchange.md").read_text(encoding="utf-8")


def example(kind: str) -> str:
    (text,) = re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)
    return str(text)


def test_the_document_is_what_is_written() -> None:
    title, story = read_json(example("json"))
    assert facts(story, title) == loads(example("json"))


def test_the_story_fits_without_a_remark() -> None:
    found = read_twee(example("twee"))
    assert found.remarks == ()
    assert [len(one.decisions or ()) for one in found.story.sections.values()] == [2, 1, 0, 0]
    assert [one.destination_section for one in found.story.triggers.values()] == [found.story.start]
    assert not found.story.graph().dangling


def test_every_form_and_every_kind_is_named() -> None:
    for form, known in FORMS.items():
        assert f"| `{form}` | `{known.suffix}` |" in PAGE
    kinds = re.findall(
        r"`([a-z]+)`", "\n".join(re.findall(r"^\| (`[a-z]+`(?:, `[a-z]+`)*) \| [^`]", PAGE, re.MULTILINE))
    )
    assert sorted(kinds) == sorted(misfit.value for misfit in Misfit)
