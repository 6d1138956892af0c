"""Recognize verbs in any form (decision 72).

The rules of English and a table of irregular verbs determine the possible base forms of a word. Each base form comes
with the corresponding inflection of the word. Every word also counts as its own base form. Verbs in other languages
therefore match only in exactly the same form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Flag, auto
from functools import lru_cache
from types import MappingProxyType
from typing import Final

#: Base form, past tense and participle of the irregular verbs.
_TABLE: Final = """
arise arose arisen; awake awoke awoken; be was/were been; bear bore borne/born; beat beat beaten;
become became become; begin began begun; bend bent bent; bet bet bet; bid bid bid/bidden; bind bound bound;
bite bit bitten; bleed bled bled; blow blew blown; break broke broken; breed bred bred; bring brought brought;
build built built; burn burnt/burned burnt/burned; burst burst burst; buy bought bought; cast cast cast;
catch caught caught; choose chose chosen; cling clung clung; come came come; cost cost cost; creep crept crept;
cut cut cut; deal dealt dealt; dig dug dug; do did done; draw drew drawn; dream dreamt/dreamed dreamt/dreamed;
drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed fed; feel felt felt;
fight fought fought; find found found; flee fled fled; fling flung flung; fly flew flown; forbid forbade forbidden;
forget forgot forgotten; forgive forgave forgiven; freeze froze frozen; get got got/gotten; give gave given;
go went gone; grind ground ground; grow grew grown; hang hung/hanged hung/hanged; have had had; hear heard heard;
hide hid hidden; hit hit hit; hold held held; hurt hurt hurt; keep kept kept; kneel knelt/kneeled knelt/kneeled;
know knew known; lay laid laid; lead led led; lean leant/leaned leant/leaned; leap leapt/leaped leapt/leaped;
learn learnt/learned learnt/learned; leave left left; lend lent lent; let let let; lie lay lain;
light lit/lighted lit/lighted; lose lost lost; make made made; mean meant meant; meet met met; mow mowed mown/mowed;
overtake overtook overtaken; pay paid paid; prove proved proven/proved; put put put; quit quit quit; read read read;
rebuild rebuilt rebuilt; rewind rewound rewound; rid rid rid; ride rode ridden; ring rang rung; rise rose risen;
run ran run; saw sawed sawn/sawed; say said said; see saw seen; seek sought sought; sell sold sold; send sent sent;
set set set; sew sewed sewn/sewed; shake shook shaken; shed shed shed; shine shone/shined shone/shined;
shoot shot shot; show showed shown/showed; shrink shrank shrunk; shut shut shut; sing sang sung; sink sank sunk;
sit sat sat; sleep slept slept; slide slid slid; sling slung slung; slit slit slit; smell smelt/smelled smelt/smelled;
sow sowed sown/sowed; speak spoke spoken; speed sped/speeded sped/speeded; spell spelt/spelled spelt/spelled;
spend spent spent; spill spilt/spilled spilt/spilled; spin spun spun; spit spat spat; split split split;
spread spread spread; spring sprang sprung; stand stood stood; steal stole stolen; stick stuck stuck;
sting stung stung; strike struck struck/stricken; string strung strung; strive strove striven; swear swore sworn;
sweep swept swept; swim swam swum; swing swung swung; take took taken; teach taught taught; tear tore torn;
tell told told; think thought thought; throw threw thrown; thrust thrust thrust; tread trod trodden;
undo undid undone; unwind unwound unwound; understand understood understood; wake woke/waked woken/waked;
wear wore worn; weave wove woven; weep wept wept; wet wet/wetted wet/wetted; win won won; wind wound wound;
withdraw withdrew withdrawn; wring wrung wrung; write wrote written
"""

_ROWS: Final = (row.split() for row in _TABLE.split(";"))
#: Past and participle of every irregular verb by its base, each as a tuple of the forms in use.
_IRREGULAR: Final = {base: (tuple(past.split("/")), tuple(done.split("/"))) for base, past, done in _ROWS}


_VOWELS: Final = frozenset("aeiou")
_SOUNDED: Final = frozenset("aeiouy")
_THIRD: Final[Mapping[str, str]] = {"be": "is", "have": "has"}


class Form(Flag):
    """The possible inflections of a word.

    For example, ``opened`` can be the past tense or the participle of ``open``.
    """

    BASE = auto()
    THIRD = auto()
    PAST = auto()
    PARTICIPLE = auto()
    ING = auto()


#: The base of every irregular past and participle.
_FROM_IRREGULAR: Final[dict[str, list[str]]] = {}
for _base, _pairs in _IRREGULAR.items():
    for _word in {*_pairs[0], *_pairs[1]}:
        _FROM_IRREGULAR.setdefault(_word, []).append(_base)


@lru_cache(4096)
def readings(word: str) -> Mapping[str, Form]:
    """Return the possible base forms of a lowercase word.

    Each base form comes with the corresponding inflection of the word.
    """
    found = {word: Form.BASE}
    for base in _candidates(word):
        if form := _as_form(word, base):
            found[base] = found.get(base, Form(0)) | form
    return MappingProxyType(found)


def bases(word: str) -> frozenset[str]:
    return frozenset(readings(word))


def alike(action: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Return whether two actions differ only in the form of the verb, such as ``picks up`` and ``picked up``."""
    return action[1:] == other[1:] and not readings(action[0]).keys().isdisjoint(readings(other[0]))


def form_of(word: str, of: frozenset[str]) -> Form:
    """Return the inflection of a word, interpreted as a form of one of the verbs in ``of``."""
    found = Form(0)
    for base, form in readings(word).items():
        # Although "rings" could itself be a base, it is treated as a form of another base.
        if base in of and (base != word or base in _IRREGULAR):
            found |= form
    return found or (Form.BASE if word in of else found)


def _candidates(word: str) -> Iterator[str]:
    yield from _FROM_IRREGULAR.get(word, ())
    yield from (base for base, third in _THIRD.items() if third == word)
    for ending in ("s", "es", "ed", "d", "ing"):
        stem = word.removesuffix(ending)
        if len(stem) < 2 or stem == word or (ending == "ing" and stem.isascii() and not _SOUNDED & set(stem)):
            continue  # "thing" is not a form of a verb
        yield stem
        if ending in ("ed", "ing"):
            yield f"{stem}e"
            if stem[-1] == stem[-2]:
                yield stem[:-1]
        if stem.endswith("i"):
            yield f"{stem[:-1]}y"
        if ending == "ing" and stem.endswith("y"):
            yield f"{stem[:-1]}ie"


def _as_form(word: str, base: str) -> Form:
    """Return the forms of ``base`` that a word can be. The result is empty if there are none."""
    pasts, participles = _IRREGULAR.get(base) or ((), ())
    regular = () if base in _IRREGULAR else _with(base, "ed")
    found = Form.BASE if word == base else Form(0)
    if word == _THIRD.get(base, _third(base)):
        found |= Form.THIRD
    if word in pasts or word in regular:
        found |= Form.PAST
    if word in participles or word in regular:
        found |= Form.PARTICIPLE
    if word in _with(base, "ing"):
        found |= Form.ING
    return found


def _third(base: str) -> str:
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return f"{base[:-1]}ies"
    return f"{base}es" if base.endswith(("s", "x", "z", "ch", "sh", "o")) else f"{base}s"


def _with(base: str, ending: str) -> tuple[str, ...]:
    """Return a verb with ``ed`` or ``ing`` added.

    Both spellings are returned if a long verb may double its last letter.
    """
    if base.endswith("e"):
        if ending == "ed":
            return (f"{base}d",)
        if base.endswith("ie"):
            return (f"{base[:-2]}ying",)
        return (f"{base}ing",) if base.endswith(("ee", "oe", "ye")) or len(base) == 2 else (f"{base[:-1]}ing",)
    if ending == "ed" and base.endswith("y") and base[-2:-1] not in _VOWELS:
        return (f"{base[:-1]}ied",)
    plain, doubled = f"{base}{ending}", f"{base}{base[-1]}{ending}"
    if not _doubles(base):
        return (plain,)
    vowels = sum(letter in _VOWELS and before not in _VOWELS for letter, before in zip(base, f" {base}", strict=False))
    return (doubled,) if vowels == 1 else (plain, doubled)


def _doubles(base: str) -> bool:
    """Return whether a base ends in one vowel and one consonant, as ``drop`` does and ``heat`` does not."""
    if len(base) < 3 or base[-1] in _VOWELS or base[-1] in "wxy" or base[-2] not in _VOWELS:
        return False
    return base[-3] not in _VOWELS or (base[-3:-1] == "ui" and base[-4:-3] == "q")
