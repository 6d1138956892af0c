"""A data class behaves as one of the standard library, whose methods are made anew for each class."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from chartui.core.dataclass import dataclass

Decorator = Callable[..., Any]


def declared(decorator: Decorator, **options: bool) -> Any:
    """A class of five kinds of fields, with these options."""

    @decorator(**options)
    class Thing:
        """Anything."""

        name: str
        size: int = 0
        tags: tuple[str, ...] = dataclasses.field(default_factory=tuple)
        secret: str = dataclasses.field(default="", repr=False)
        remark: str = dataclasses.field(default="", compare=False)

    return Thing


OPTIONS = [
    {},
    {"eq": False},
    {"frozen": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "eq": False},
    {"slots": True, "kw_only": True},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_it_compares_hashes_and_names_itself_like_the_standard_one(options: dict[str, bool]) -> None:
    ours, standard = (declared(decorator, **options) for decorator in (dataclass, dataclasses.dataclass))
    values: list[dict[str, Any]] = [
        {"name": "a"},
        {"name": "a", "size": 0},
        {"name": "a", "size": 1},
        {"name": "a", "tags": ("b",)},
        {"name": "a", "secret": "s"},
        {"name": "a", "remark": "r"},
    ]
    answers = []
    for cls in (ours, standard):
        things = [cls(**value) for value in values]
        equal = [[one == other for other in things] for one in things]
        hashes = cls.__hash__ is not None
        alike = hashes and [[hash(one) == hash(other) for other in things] for one in things]
        answers.append((equal, hashes, alike, [repr(thing) for thing in things], dataclasses.asdict(things[-1])))
    assert answers[0] == answers[1]
    assert ours(name="a") != standard(name="a")


def test_a_frozen_one_cannot_be_changed() -> None:
    thing = declared(dataclass, frozen=True, slots=True)(name="a")
    with pytest.raises(dataclasses.FrozenInstanceError):
        thing.name = "b"
    assert dataclasses.replace(thing, name="b").name == "b"


def test_a_class_without_compared_fields_equals_itself() -> None:
    @dataclass(frozen=True)
    class Empty:
        """Nothing."""

    assert Empty() == Empty()
    assert hash(Empty()) == hash(Empty())


def test_its_own_methods_are_kept() -> None:
    @dataclass(frozen=True)
    class Own:
        """Defines all three."""

        name: str

        def __repr__(self) -> str:
            return "mine"

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 7

    assert (repr(Own("a")), Own("a") == Own("b"), hash(Own("a"))) == ("mine", True, 7)


def test_a_cycle_can_be_named() -> None:
    @dataclass
    class Node:
        """Points at another one."""

        next: Any = None

    node = Node()
    node.next = node
    assert repr(node).endswith("Node(next=...)")
