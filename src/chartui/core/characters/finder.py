"""Filter and sort a list of thousands of characters.

Folded texts (:func:`chartui.core.text.fold`) and sort orders are computed only once. A query consists of

* words, each of which must occur in the name, ID, model, language or traits, ignoring case and accents;
* quoted phrases, which must occur exactly;
* ``field:value`` or ``field:"two words"``, for text that must occur in one field (:data:`FIELDS`);
* scores of personality traits, such as ``openness>3`` (:data:`SCORES`). The operators are ``>``, ``>=``, ``<``,
  ``<=`` and ``=``. A decimal comma is accepted.

A query with an unknown field matches nothing, and :meth:`Query.problem` gives the reason. A fuzzy search also finds
similar words, with the best matches first (:mod:`chartui.core.fuzzy`). Phrases, fields and scores are always matched
exactly. Whole records are read only if a query uses one of the fields in :data:`TEXTS`.
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from chartui.core.classes import NamedTuple, dataclass
from chartui.core.naming import unknown
from chartui.core.numbers import count, credits_text
from chartui.core.text import fold

if TYPE_CHECKING:
    from chartui.core.fuzzy import Vocabulary
    from chartui.core.jsontext import Wire
    from chartui.core.spec.models.summaries import CharacterDescription, CharacterSummary


class Column(StrEnum):
    """The columns by which a list of characters can be sorted, in display order."""

    NAME = "name"
    MODEL = "model"
    LANGUAGE = "language"
    NARRATIVE = "narrative"
    MEMORY = "memory"
    GONE = "gone"  # the model is not in the list
    CREATED = "created"
    USED = "used"
    COST = "cost"
    ID = "id"


#: The numeric personality traits of a record (C 2.2).
SCORES: Final = ("openness", "sensitivity", "extraversion", "agreeableness", "meticulousness")
_TRAIT: Final = "trait"
#: Whether settings are staged on this machine.
_STAGED: Final = "staged"
_BACKSTORY: Final = "backstory"
#: The name of the field for every text in a record, and that of the backstory.
_TEXT: Final = "text"
#: The fields whose texts are only in whole records, and the backstory, which only some services return (decision 25).
TEXTS: Final = ("owner", "description", "prompt", _BACKSTORY, _TEXT)
#: The fields of ``field:value``: the columns, the mark of staged changes, the traits in words, and the texts.
FIELDS: Final = (*(column.value for column in Column if column is not Column.COST), _STAGED, _TRAIT, *TEXTS)
_ALSO: Final[Mapping[str, str]] = MappingProxyType({"lang": "language"})
#: The members of a summary that are shown in columns.
_ATTRIBUTES: Final[Mapping[Column, str]] = {
    Column.NAME: "character_name",
    Column.MODEL: "model",
    Column.LANGUAGE: "language_code",
    Column.NARRATIVE: "is_narrative_driven",
    Column.MEMORY: "memory_enabled",
    Column.CREATED: "timestamp",
    Column.USED: "last_interacted_with",
    Column.ID: "character_id",
}
_FLAGS: Final = frozenset({Column.NARRATIVE, Column.MEMORY, Column.GONE})
_DATES: Final = frozenset({Column.CREATED, Column.USED})

# The closing quotation mark may not have been typed yet.
_PART: Final = r'(?:(?P<field>[^\W\d]+):)?(?:"(?P<phrase>[^"]*)(?:"|$)|(?P<word>[^\s"]+)|(?<=:))'
_SCORE: Final = rf"(?i:({'|'.join(SCORES)})(>=|<=|>|<|=)(-?\d+(?:[.,]\d*)?)?)"
_RELATIONS: Final[Mapping[str, Callable[[Any, Any], bool]]] = MappingProxyType(
    {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le, "=": operator.eq}
)


class Sorting(NamedTuple):
    """The order of a list of characters, given by the column to sort by (None for the service's order) and the
    direction.

    Missing values and unknown costs come last in both directions. A cost that is a lower bound counts as higher than
    any other, and a range of costs is sorted by its maximum. Characters with equal values keep the service's order.
    Characters with a mark come before those without one. Dates are compared as given, without a time zone (decision
    30).
    """

    column: Column | None = None
    descending: bool = False


#: The service's order.
AS_LISTED: Final = Sorting()


class ListedCost(NamedTuple):
    """The cost of an interaction with a character.

    ``credits`` is the lowest and the highest possible number of credits, or None if the cost is unknown. ``tokens`` is
    the number of input tokens. If ``at_least`` is set, both numbers of credits are lower bounds, because some of the
    character's text cannot be read. ``why`` says why the cost is unknown, or what it depends on.
    """

    credits: tuple[Decimal, Decimal] | None
    tokens: int | Decimal
    at_least: bool = False
    why: str = ""


def listed_text(cost: ListedCost) -> str:
    """Return a cost as short text, such as ``3.215``, ``≥ 3.215``, ``3.215–4.000`` or ``unknown``."""
    if cost.credits is None:
        return "unknown"
    return f"{'≥ ' if cost.at_least else ''}{'–'.join(dict.fromkeys(map(credits_text, cost.credits)))}"


def listed_wire(cost: ListedCost) -> dict[str, Wire]:
    """Return a cost as JSON data."""
    return {
        "credits": None if cost.credits is None else dict(zip(("min", "max"), cost.credits, strict=True)),
        "at_least": cost.at_least,
        "input_tokens": cost.tokens,
        "unknown_reason": cost.why if cost.credits is None else None,
        "depends_on": (cost.why or None) if cost.credits is not None else None,
    }


class Traits(NamedTuple):
    """The personality traits in a record.

    They consist of descriptive words (folded, one entry per line), and scores keyed by name.
    """

    text: str = ""
    scores: Mapping[str, int | Decimal] = MappingProxyType({})


_NO_TRAITS: Final = Traits()


def traits_of(traits: Wire, style: Wire, emotions: Wire) -> Traits:
    """Return the personality traits in a record.

    ``traits``, ``style`` and ``emotions`` are the record's ``character_traits``, ``speaking_style`` and
    ``character_emotions``. The result includes catch phrases, manner, the description of the speaking style, emotions
    and scores. Sample dialogues are excluded, because they are long and show topics rather than traits.
    """
    traits = traits if isinstance(traits, Mapping) else {}
    style = style.get("description") if isinstance(style, Mapping) else style
    texts = (*_texts(traits.get("catch_phrases")), *_texts(traits.get("speaking_style")), *_texts(style))
    scores = traits.get("personality_traits")
    numbers = {
        name: score
        for name, score in (scores.items() if isinstance(scores, Mapping) else ())
        if isinstance(score, int | Decimal) and not isinstance(score, bool)
    }
    return Traits(fold("\n".join((*texts, *_texts(emotions)))), numbers)


def traits_in(records: Iterable[Mapping[str, Wire]]) -> dict[str, Traits]:
    members = ("character_traits", "speaking_style", "character_emotions")
    return {record["character_id"]: traits_of(*map(record.get, members)) for record in records}


def traits_told(descriptions: Iterable[CharacterDescription]) -> dict[str, Traits]:
    return {one.character_id: Traits(one.words, one.scores or {}) for one in descriptions}


def _texts(value: Wire) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        yield from (item for item in value if isinstance(item, str))


#: Field of :data:`TEXTS` → ID → folded text. Characters with an unknown backstory are left out.
Texts: TypeAlias = Mapping[str, Mapping[str, str]]


def texts_in(records: Iterable[Mapping[str, Wire]], fields: Collection[str], backstories: Mapping[str, str]) -> Texts:
    """Return the texts of the given fields for each record.

    ``backstories`` maps IDs to backstories that are not in the records.
    """
    if _TEXT in fields:
        fields = {*fields, _BACKSTORY}
    found: dict[str, dict[str, str]] = {name: {} for name in fields}
    for record in records:
        identity, config = record["character_id"], record.get("personalised_prompt_config")
        values: dict[str, Wire] = {
            "owner": record.get("user_id"),
            "description": record.get("description"),
            "prompt": config.get("PROMPT") if isinstance(config, Mapping) else None,
            _BACKSTORY: record.get(_BACKSTORY, backstories.get(identity)),
        }
        if _TEXT in fields:
            values[_TEXT] = "\n".join((*_every_text(record), *_texts(values[_BACKSTORY])))
        for name in fields:
            if isinstance(value := values[name], str):
                found[name].setdefault(identity, fold(value))
    return found


def _every_text(value: Wire) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from _every_text(inner)


class Query(NamedTuple):
    """A parsed query.

    It consists of words, phrases and field values (all folded), limits on scores, and any unknown field.
    """

    words: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    fields: tuple[tuple[str, str], ...] = ()
    scores: tuple[tuple[str, str, Decimal], ...] = ()
    unknown: str = ""

    @property
    def problem(self) -> str:
        """Sentences that say why the query matches nothing and list the valid fields.

        The result is empty if all fields are known.
        """
        if not self.unknown:
            return ""
        known = f"Fields: {', '.join(FIELDS)}. To search for a word with a colon, put it in quotes."
        return f"{unknown('field', self.unknown, FIELDS, listed=False)} {known}"

    @property
    def texts(self) -> frozenset[str]:
        """The fields of the query that are in :data:`TEXTS`."""
        return frozenset(name for name, _ in self.fields).intersection(TEXTS)

    @property
    def asks_staged(self) -> bool:
        return any(name == _STAGED for name, _ in self.fields)


def parse(text: str) -> Query:
    """Parse a query. An incomplete term, such as ``model:`` or ``openness>``, matches everything."""
    words: list[str] = []
    phrases: list[str] = []
    fields: list[tuple[str, str]] = []
    scores: list[tuple[str, str, Decimal]] = []
    unknown_field = ""
    for token in re.finditer(_PART, text):
        name, phrase, word = token["field"], token["phrase"], token["word"]
        value = fold(phrase if phrase is not None else word or "")
        known = _ALSO.get(name.lower(), name.lower()) if name is not None else ""
        score = re.fullmatch(_SCORE, word) if name is None and word is not None else None
        if score is not None:
            if score[3] is not None:
                scores.append((score[1].lower(), score[2], Decimal(score[3].replace(",", "."))))
        elif known in FIELDS:
            if value:
                fields.append((known, value))
        elif name is not None:
            unknown_field = unknown_field or name
        elif value:
            (words if phrase is None else phrases).append(value)
    return Query(tuple(words), tuple(phrases), tuple(fields), tuple(scores), unknown_field)


@dataclass
class Finder:
    """A searchable list of characters.

    ``traits`` and ``texts`` contain the traits and texts read so far, keyed by character ID. ``known`` contains the
    codes of existing models, which are used to find characters whose model no longer exists. It is None if the models
    are unknown. ``staged`` contains the IDs of characters with staged changes. ``costs`` contains the costs computed
    so far, keyed by character ID.
    """

    summaries: Sequence[CharacterSummary] = ()
    known: Collection[str] | None = None
    traits: Mapping[str, Traits] = field(default_factory=dict)
    texts: Texts = field(default_factory=dict)
    staged: Collection[str] = frozenset()
    costs: Mapping[str, ListedCost] = field(default_factory=dict)
    _last: tuple[object, Sequence[CharacterSummary]] = field(default=(None, ()), repr=False)
    _orders: dict[Sorting, Sequence[int]] = field(default_factory=dict, repr=False)
    _columns: dict[str, Sequence[str]] = field(default_factory=dict, repr=False)

    def is_gone(self, summary: CharacterSummary) -> bool:
        return self.known is not None and summary.model is not None and summary.model not in self.known

    @cached_property
    def repeated(self) -> Mapping[str, int]:
        """The IDs that several records share, each with the number of records.

        Only the first record with such an ID is used.
        """
        return {key: number for key, number in Counter(s.character_id for s in self.summaries).items() if number > 1}

    def judged_by(self, known: Collection[str]) -> Finder:
        """Return a copy of this list with a new set of known models.

        Indexes that do not depend on the models are reused.
        """
        return self._with(known=known)

    def with_texts(self, texts: Texts) -> Finder:
        """Return a copy of this list with additional texts. Existing indexes are reused."""
        return self._with(texts={**self.texts, **texts})

    def with_staged(self, staged: Collection[str]) -> Finder:
        """Return a copy of this list with new staged changes. Existing indexes are reused."""
        return self if staged == self.staged else self._with(staged=staged)

    def with_costs(self, costs: Mapping[str, ListedCost]) -> Finder:
        """Return a copy of this list with new costs. Existing indexes are reused."""
        return self._with(costs=costs)

    def _with(self, **changed: Any) -> Finder:
        other = replace(self, _last=(None, ()), _orders={}, _columns={}, **changed)
        kept = {name: value for name, value in vars(self).items() if name in ("_everything", "vocabulary")}
        vars(other).update(kept)
        return other

    def prepare(self, *, fuzzy: bool = False) -> Finder:
        """Build all indexes now, so that the first query is as fast as later ones. Return this list."""
        _ = self._everything
        if fuzzy:
            _ = self.vocabulary
        return self

    def unread(self, query: str) -> frozenset[str]:
        """Return the fields whose texts must be read before ``query`` can match."""
        return parse(query).texts - self.texts.keys()

    def remark(self, query: str) -> str:
        """Return sentences that say why search results are incomplete, for example because backstories are unknown."""
        asked = parse(query)
        known, total = len(self.texts.get(_BACKSTORY, ())), len(self.summaries)
        if asked.problem or not asked.texts & {_BACKSTORY, _TEXT} or self.unread(query) or known >= total:
            return asked.problem
        searched = f"Only {count(known)} of {count(total)} backstories can be searched"
        return f"{searched}, namely those applied from this machine. The service does not return backstories."

    def find(self, query: str = "", *, fuzzy: bool = False, sorting: Sorting = AS_LISTED) -> Sequence[CharacterSummary]:
        """Return the characters that match ``query``, sorted.

        In a fuzzy search, the best matches come first, and ``sorting`` determines the order of equally good matches.
        """
        if sorting == AS_LISTED and parse(query) == Query():
            return self.summaries
        asked = query, fuzzy, sorting
        if self._last[0] != asked:
            summaries = self.summaries
            self._last = asked, [summaries[place] for place in self.places(query, fuzzy=fuzzy, sorting=sorting)]
        return self._last[1]

    def places(self, query: str = "", *, fuzzy: bool = False, sorting: Sorting = AS_LISTED) -> Sequence[int]:
        """Return the list positions of the characters that :meth:`find` would return."""
        asked = parse(query)
        if asked.unknown:
            return ()
        found: Sequence[int] = self._order(sorting)
        for name, value in asked.fields:
            texts = self._column(name)
            found = [index for index in found if value in texts[index]]
        for name, relation, number in asked.scores:
            holds = _RELATIONS[relation]
            scores = ((i, self.traits.get(self.summaries[i].character_id, _NO_TRAITS).scores.get(name)) for i in found)
            found = [index for index, score in scores if score is not None and holds(score, number)]
        exact = asked.phrases if fuzzy else asked.phrases + asked.words
        texts = self._everything if exact else ()
        for word in exact:
            found = [index for index in found if word in texts[index]]
        if fuzzy and asked.words:
            found = self.vocabulary.ranked(found, asked.words)
        return found

    # -- prepared once ------------------------------------------------------------------------------------------------

    @cached_property
    def _everything(self) -> Sequence[str]:
        """The searchable text of each character. A word never matches across lines."""
        traits = self.traits
        return [
            fold(f"{s.character_name or ''}\n{s.character_id}\n{s.model or ''}\n{s.language_code or ''}\n")
            + traits.get(s.character_id, _NO_TRAITS).text
            for s in self.summaries
        ]

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The index for fuzzy searches."""
        from chartui.core.fuzzy import Vocabulary

        traits = self.traits
        return Vocabulary(
            names=[s.character_name or "" for s in self.summaries],
            codes=[(s.model or "", s.language_code or "") for s in self.summaries],
            ids=[s.character_id for s in self.summaries],
            others=[traits.get(s.character_id, _NO_TRAITS).text for s in self.summaries],
        )

    def _column(self, name: str) -> Sequence[str]:
        """Return the texts of one field, folded, with flags as yes or no."""
        texts = self._columns.get(name)
        if texts is None:
            if name == _TRAIT:
                texts = [self.traits.get(s.character_id, _NO_TRAITS).text for s in self.summaries]
            elif name == _STAGED:
                texts = [_words(s.character_id in self.staged) for s in self.summaries]
            elif name in TEXTS:
                texts = [self.texts.get(name, {}).get(s.character_id, "") for s in self.summaries]
            else:
                texts = [fold(_words(value)) for value in self._values(Column(name))]
            self._columns[name] = texts
        return texts

    def _values(self, column: Column) -> Sequence[Any]:
        if column is Column.GONE:
            return [self.is_gone(s) if self.known is not None else None for s in self.summaries]
        if column is Column.COST:
            return [self.costs.get(s.character_id) for s in self.summaries]
        return list(map(operator.attrgetter(_ATTRIBUTES[column]), self.summaries))

    def _order(self, sorting: Sorting) -> Sequence[int]:
        order = self._orders.get(sorting)
        if order is None:
            column, descending = sorting
            everybody = range(len(self.summaries))
            if column is None:
                order = everybody[::-1] if descending else everybody
            else:
                keys = [_key(column, value) for value in self._values(column)]
                said = [index for index in everybody if keys[index] is not None]
                said.sort(key=keys.__getitem__, reverse=descending)
                order = [*said, *(index for index in everybody if keys[index] is None)]
            self._orders[sorting] = order
        return order


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value or ""


def _key(column: Column, value: Any) -> Any:
    if value is None or value == "":
        return None
    if isinstance(value, ListedCost):
        return (value.at_least, value.credits[::-1]) if value.credits is not None else None
    if column in _FLAGS:
        return not value
    if column in _DATES:
        try:
            # Dates are compared as given, ignoring the time zone.
            return 0, datetime.fromisoformat(value).replace(tzinfo=None), ""
        except ValueError:
            return 1, datetime.max, value
    return value.casefold()
