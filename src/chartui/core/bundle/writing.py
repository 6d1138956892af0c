"""Bundles as text::

    format = "chartui-bundle"
    version = 1

    [character]
    name = "Mira"
    model = "mdla-5.4"
    narrative = true
    start = "gate"

    [sections.gate]
    name = "Gate"
    objective = "Ask who is there."
    decisions = [
        { when = "gives a name", to = "hall" },
    ]

    [sections.hall]
    name = "Hall"
    objective = "Show the guest around."

    [ids."local/c1".sections]
    gate = { id = "s1" }

Sections stand in the order in which the story is read. Over an earlier file, its comments and the order of its parts
stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from chartui.core.actions.scene_file import members_of
from chartui.core.bundle.layout import rewritten
from chartui.core.bundle.model import FORMAT, MEMBERS, VERSION, Bundle, Identities, Identity, extras
from chartui.core.bundle.reading import SCENE_MEMBERS, read_bundle
from chartui.core.jsontext import Wire, dumps
from chartui.core.spec.models.narrative import Decision, Section, Trigger
from chartui.core.toml_text import Path, pieces

__all__ = ["bundle_text", "bundle_wire", "with_ids"]

_IDS: Final = "ids"


def bundle_text(bundle: Bundle, over: str = "") -> str:
    """The text of a bundle's file; ``over`` is that of the file that it replaces, of which the comments stay.

    Raises :class:`~chartui.core.bundle.reading.BundleError` for an earlier text that is no bundle, and ``ValueError``
    for half a character, which no file can hold.
    """
    tables = dict(_tables(bundle))
    if not over:
        return rewritten(tables)
    return rewritten(tables, over, _parsed(over))


def bundle_wire(bundle: Bundle) -> dict[str, Wire]:
    """A bundle as JSON: the tables of its file as objects."""
    whole: dict[str, Any] = {}
    for path, members in _tables(bundle):
        table = whole
        for name in path:
            table = table.setdefault(name, {})
        table.update(members)
    return whole


def with_ids(text: str, ids: Mapping[str, Identities]) -> str:
    """The text of a file with other ids, and every other character of it as it was.

    Raises :class:`~chartui.core.bundle.reading.BundleError` for a text that is no bundle.
    """
    found, tail = pieces(text)
    rest = "".join(piece.text for piece in found if piece.path[:1] != (_IDS,)) + tail
    if rest and not rest.endswith("\n"):
        rest += "\n"
    newline = "\r\n" if "\r\n" in text else "\n"
    written = rewritten(dict(_id_tables(ids))).replace("\n", newline)
    made = f"{rest}{newline if written else ''}{written}"
    read_bundle(made, where="the file with the ids in it")
    return made


def _parsed(text: str) -> Mapping[str, Any]:
    from decimal import Decimal

    from chartui.core.tables import table_in

    read_bundle(text, where="the file that is there")
    return table_in(text.encode(), number=Decimal)


# -- the tables --------------------------------------------------------------------------------------------------------


def _tables(bundle: Bundle) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    incomplete = {"incomplete": list(bundle.incomplete)} if bundle.incomplete else {}
    yield (), {"format": FORMAT, "version": VERSION, **incomplete}
    yield ("character",), dict(_character(bundle))
    if bundle.actions is not None:
        yield ("actions",), {"actions": list(bundle.actions)}
    if bundle.scene is not None:
        lists = members_of(bundle.scene)
        yield ("actions", "scene"), {name: lists[name] for name in SCENE_MEMBERS if lists[name]}
    if bundle.keys is not None:
        yield ("keys",), bundle.keys
    for slug, section in bundle.story.sections.items():
        yield ("sections", slug), dict(_section(section))
    for slug, trigger in bundle.story.triggers.items():
        yield ("triggers", slug), dict(_trigger(trigger))
    yield from _id_tables(bundle.ids)


def _given(**members: Wire) -> Iterator[tuple[str, Wire]]:
    return ((name, value) for name, value in members.items() if value is not None)


def _character(bundle: Bundle) -> Iterator[tuple[str, Wire]]:
    yield from _given(name=bundle.name)
    settings = bundle.settings
    yield from ((name, settings[member]) for name, member in MEMBERS.items() if settings.get(member) is not None)
    yield from _given(narrative=bundle.story.enabled, start=bundle.story.start)
    if bundle.unread:
        yield "unread", [name for name, member in MEMBERS.items() if member in bundle.unread]


def _section(section: Section) -> Iterator[tuple[str, Wire]]:
    yield from _given(name=section.section_name, objective=section.objective)
    if section.decisions is not None:
        yield "decisions", [dict(_decision(way)) for way in section.decisions]
    if section.triggers:
        yield (
            "overrides",
            [dict(_given(trigger=one.trigger_id, to=one.destination_section or None)) for one in section.triggers],
        )


def _decision(way: Decision) -> Iterator[tuple[str, Wire]]:
    also = extras(way)
    yield from _given(when=way.criteria, to=way.next_section_id, priority=way.priority)
    yield from _given(also=dumps(also) if also else None)


def _trigger(trigger: Trigger) -> Iterator[tuple[str, Wire]]:
    yield from _given(name=trigger.trigger_name, message=trigger.trigger_message, to=trigger.destination_section)


def _id_tables(ids: Mapping[str, Identities]) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    for key, held in ids.items():
        path = (_IDS, key)
        if held.plan is not None:
            yield path, {"plan": held.plan}
        if held.seen:
            yield (*path, "character"), held.seen
        if held.sections or held.plan is None:
            yield (*path, "sections"), {slug: dict(_identity(one)) for slug, one in held.sections.items()}
        if held.triggers:
            yield (*path, "triggers"), {slug: dict(_identity(one)) for slug, one in held.triggers.items()}


def _identity(one: Identity) -> Iterator[tuple[str, Wire]]:
    return _given(id=one.id, seen=one.seen or None)
