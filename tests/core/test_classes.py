"""Data classes and named tuples behave like those of the standard library."""

from __future__ import annotations

import dataclasses
import pickle
import typing
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import pytest

from chartui.core.classes import NamedTuple, dataclass

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


V = TypeVar("V")


class Place(NamedTuple):
    """Where something is."""

    name: str
    row: int = 0
    near: tuple[str, ...] = ()

    @property
    def is_first(self) -> bool:
        return self.row == 0

    @classmethod
    def at(cls, row: int) -> Place:
        return cls("", row)

    def __str__(self) -> str:
        return f"{self.name}:{self.row}"


class StandardPlace(typing.NamedTuple):
    """Where something is."""

    name: str
    row: int = 0
    near: tuple[str, ...] = ()


class Held(NamedTuple, Generic[V]):
    """Something and its name."""

    name: str
    value: V


def test_a_named_tuple_is_one_of_the_standard_library() -> None:
    ours: Any = Place("a", 2)
    standard: Any = StandardPlace("a", 2)
    assert repr(ours) == repr(standard).removeprefix("Standard")
    assert ours == standard == ("a", 2, ())
    assert hash(ours) == hash(standard)
    assert ours._replace(row=3) == standard._replace(row=3)
    assert ours._asdict() == standard._asdict()
    assert (Place._fields, Place._field_defaults) == (StandardPlace._fields, StandardPlace._field_defaults)
    assert not hasattr(ours, "__dict__")
    assert Place.__mro__[1:] == StandardPlace.__mro__[1:]
    assert (Place.__doc__, Place.__qualname__, Place.__module__) == ("Where something is.", "Place", __name__)
    with pytest.raises(TypeError):
        Place()  # type: ignore[call-arg]


def test_a_named_tuple_has_its_own_members_and_types() -> None:
    assert (str(Place("a", 2)), Place.at(0).is_first) == ("a:2", True)
    assert typing.get_type_hints(Place) == {"name": str, "row": int, "near": tuple[str, ...]}
    assert pickle.loads(pickle.dumps(Place("a", 2))) == Place("a", 2)


def test_a_named_tuple_may_have_type_parameters() -> None:
    assert Held[int]("a", 1) == Held("a", 1) == ("a", 1)
