"""Search a list, such as the list of characters.

The search finds words as typed, with typos, or with letters left out. All lists use this search. Items whose name or ID
is exactly the typed text rank first, followed by names that begin with the typed text. Next come exact words, words
that start with the typed letters, words that contain them, and words that differ by one or two letters. Names and codes
that contain the typed letters in order, starting at the beginning of a word, come last. A match in a name ranks higher
than one in a code or ID, which in turn ranks higher than one in any other text. Accents are ignored. The search is fast
enough to run on ten thousand characters on every key press.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from chartui.core.text import fold

#: Minimum word lengths for one typo, and for two.
_ONE_SLIP: Final = 4
_TWO_SLIPS: Final = 8
#: Length of a prefix that may contain one typo at most, because a prefix with two typos would be a different word.
START: Final = 3
#: Minimum length for matching a part of an ID anywhere, not only at its beginning.
_INSIDE_ID: Final = 4

_WHOLE: Final = 100
_BEGINS: Final = 90
_INSIDE: Final = 75
_SLIPPED: Final = (70, 62, 50)  # the score by the number of typos
_LETTERS: Final = 40
#: Minimum score for letters in order, however far apart.
_SCATTERED: Final = 15
#: Deduction for a word with typos that is shorter than the typed word, such as “the” for “thme”: a letter is left out
#: more often than one is added.
_SHORTER: Final = 10
#: Deduction for letters in order that do not begin the text.
_LATER: Final = 3
#: Deduction for a match outside the name.
_IN_CODE: Final = 8
_IN_OTHERS: Final = 25
#: Added to the score of a name that equals the whole typed text, and of a name that begins with it. The first is also
#: added if an ID or another name equals the text.
_NAMED: Final = 200
_LEADING: Final = 20
_WORD: Final = re.compile(r"\w+")
#: A character that sorts after all letters.
_LAST: Final = "\U0010ffff"


def near(typed: str, words: Sequence[str], most: int) -> Iterator[tuple[str, int]]:
    """Find the ``words`` that start with ``typed``, with at most ``most`` typos. Yields each word with its number of
    typos.

    ``words`` must be sorted, so that shared prefixes are compared only once. A typo is a letter changed, added, left
    out, or swapped with its neighbor. The first :data:`START` letters may contain only one typo. ``typed`` may be an
    unfinished word.
    """
    size = len(typed)
    # For each letter of the current word, there is a prefix that ends with it. Each entry holds the distances of this
    # prefix from all prefixes of the typed word, and the smallest distance of this or a shorter prefix from the whole
    # typed word.
    lines, nearest = [list(range(size + 1))], [size]
    before, index = "", 0
    while index < len(words):
        word = words[index]
        apart = (n for n, (one, other) in enumerate(zip(before, word, strict=False)) if one != other)
        same = min(len(lines) - 1, next(apart, min(len(before), len(word))))
        del lines[same + 1 :], nearest[same + 1 :]
        while len(lines) <= min(len(word), size + most) and min(lines[-1]) <= (most if len(lines) > START + 1 else 1):
            lines.append(_next_line(typed, word, lines))
            nearest.append(min(nearest[-1], lines[-1][-1]))
        # All words with this prefix have the same distance.
        begin, end = word[: len(lines) - 1], index + 1
        if len(begin) < len(word):
            end = bisect_left(words, begin + _LAST, index)
        if nearest[-1] <= most:
            for other in words[index:end]:
                yield other, nearest[-1]
        before, index = word, end


def _next_line(typed: str, word: str, lines: Sequence[Sequence[int]]) -> list[int]:
    """Return the next row of the distance matrix in :func:`near`."""
    row = len(lines)
    letter, last = word[row - 1], lines[-1]
    line = [row]
    for column, other in enumerate(typed, 1):
        best = min(last[column] + 1, line[-1] + 1, last[column - 1] + (letter != other))
        if row > 1 and column > 1 and letter == typed[column - 2] and word[row - 2] == other:
            best = min(best, lines[-2][column - 2] + 1)
        line.append(best)
    return line


class Vocabulary:
    """An index of the words in a list of items, with the positions of the items that contain each word.

    ``codes`` contains short texts about each item, such as its model or, if ``named`` is set, other names for the item.
    ``others`` contains longer texts. Case and repeated spaces do not matter. In a ``literal`` search, typos and
    left-out letters are considered only for words that do not occur as typed.
    """

    def __init__(
        self,
        *,
        names: Sequence[str],
        codes: Sequence[tuple[str, ...]],
        ids: Sequence[str],
        others: Sequence[str],
        named: bool = False,
    ) -> None:
        self._names = _by_text((" ".join(fold(name).split()),) for name in names)
        self._codes = _by_text(tuple(map(fold, texts)) for texts in codes)
        self._other_names = self._codes if named else {}
        self._ids = [fold(text) for text in ids]
        self._others = _by_text((fold(text),) for text in others)
        self._words = [
            (_by_word(texts), less)
            for texts, less in ((self._names, 0), (self._codes, _IN_CODE), (self._others, _IN_OTHERS))
        ]
        self.scores = lru_cache(16)(self._scores)

    def ranked(self, found: Iterable[int], words: Sequence[str], *, literal: bool = False) -> Sequence[int]:
        """Return the items in ``found`` that match every word, best first. Equally good matches keep their order."""
        totals = self.totals(words, literal=literal)
        return sorted((index for index in found if index in totals), key=lambda index: -totals[index])

    def totals(
        self, words: Sequence[str], *, whole: str = "", every: bool = True, literal: bool = False
    ) -> Mapping[int, int]:
        """Return the score of each item that matches every word, or at least one word if ``every`` is false.

        Items that match more words score higher. ``whole`` is the complete typed text, if ``words`` omits parts of it.
        """
        whole = whole or " ".join(words)
        totals: dict[int, int] = {}
        scores = [self.scores(fold(word), literal) for word in words]
        if every and scores:
            first, *rest = sorted(scores, key=len)
            for index, score in first.items():
                if all(index in others for others in rest):
                    totals[index] = score + sum(others[index] for others in rest)
        else:
            for one in scores:
                for index, score in one.items():
                    totals[index] = totals.get(index, 0) + score
        phrase = fold(" ".join(words))
        _add(totals, (row for text, rows in self._names.items() if text.startswith(phrase) for row in rows), _LEADING)
        _add(totals, self._names.get(fold(whole), ()), _NAMED)
        _add(totals, {*self._other_names.get(phrase, ()), *self._other_names.get(fold(whole), ())}, _NAMED)
        _add(totals, (index for index in totals if self._ids[index] == phrase), _NAMED)
        return totals

    def _scores(self, typed: str, literal: bool) -> Mapping[int, int]:
        """Return the score of a case-folded word for each matching item."""
        scores: dict[int, int] = {}
        for words, less in self._words:
            for word, score in _as_typed(typed, words):
                _raise(scores, words[word], score - less)
        # Other texts are searched word by word, unless the typed word contains punctuation.
        texts = ((self._names, 0), (self._codes, _IN_CODE), (self._others, _IN_OTHERS))
        for found, less in texts[: 2 if _WORD.fullmatch(typed) else 3]:
            for text in found:
                if typed in text:
                    _raise(scores, found[text], (_BEGINS if text.startswith(typed) else _INSIDE) - less)
        for index, text in enumerate(self._ids):
            if text.startswith(typed):
                _raise(scores, (index,), _BEGINS - _IN_CODE)
            elif len(typed) >= _INSIDE_ID and typed in text:
                _raise(scores, (index,), _INSIDE - _IN_CODE)
        if literal and scores:
            return scores
        for words, less in self._words:
            for word, score in _with_slips(typed, words):
                _raise(scores, words[word], score - less)
        for found, less in texts[:2]:
            for text, score in _by_letters(typed, found):
                _raise(scores, found[text], score - less)
        return scores


def _by_text(rows: Iterable[tuple[str, ...]]) -> dict[str, list[int]]:
    found: defaultdict[str, list[int]] = defaultdict(list)
    for index, texts in enumerate(rows):
        for text in texts:
            if text:
                found[text].append(index)
    return dict(found)


def _by_word(texts: Mapping[str, Sequence[int]]) -> dict[str, list[int]]:
    """Return each distinct word of the texts, sorted, with the rows that contain it. A row may occur twice."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for text, rows in texts.items():
        for word in set(_WORD.findall(text)):
            found[word] += rows
    return dict(sorted(found.items()))


def _raise(scores: dict[int, int], rows: Iterable[int], score: int) -> None:
    for index in rows:
        if scores.get(index, 0) < score:
            scores[index] = score


def _add(totals: dict[int, int], rows: Iterable[int], score: int) -> None:
    for index in rows:
        if index in totals:
            totals[index] += score


def _as_typed(typed: str, words: Iterable[str]) -> Iterator[tuple[str, int]]:
    for word in words:
        if typed in word:
            if not word.startswith(typed):
                yield word, _INSIDE
            else:
                yield word, _WHOLE if len(word) == len(typed) else _BEGINS


def _with_slips(typed: str, words: Iterable[str]) -> Iterator[tuple[str, int]]:
    most = (len(typed) >= _ONE_SLIP) + (len(typed) >= _TWO_SLIPS)
    if most:
        for word, number in near(typed, list(words), most):
            yield word, _SLIPPED[number] - _SHORTER * (len(word) < len(typed))


def _by_letters(typed: str, texts: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield the texts that contain the letters of the typed word in the same order, starting at the beginning of a
    word.
    """
    if len(typed) == 1:
        return
    scattered = _in_order(typed)
    for text in texts:
        if (found := scattered.search(text)) is not None:
            gaps = found.end() - found.start() - len(typed)
            yield text, max(_SCATTERED, _LETTERS - gaps - _LATER * (found.start() > 0))


def _in_order(typed: str) -> re.Pattern[str]:
    return re.compile(r"\b" + ".*?".join(f"({re.escape(letter)})" for letter in typed), re.DOTALL)


def spans(words: Iterable[str], text: str) -> Sequence[tuple[int, int]]:
    """Return the parts of ``text`` to highlight, in order. These are the parts that match the typed ``words``."""
    folded = fold(text)
    if len(folded) != len(text):  # the positions in the two texts would differ
        return ()
    places: set[int] = set()
    for typed in map(fold, words):
        starts = [found.start() for found in re.finditer(rf"\b{re.escape(typed)}", folded)]
        if starts or typed in folded:
            start = starts[0] if starts else folded.index(typed)
            places.update(range(start, start + len(typed)))
            continue
        slipped = {word for word, _ in _with_slips(typed, sorted(set(_WORD.findall(folded))))}
        if slipped:
            found = next(found for found in _WORD.finditer(folded) if found[0] in slipped)
            places.update(range(*found.span()))
        elif len(typed) > 1 and (letters := _in_order(typed).search(folded)) is not None:
            places.update(letters.start(group + 1) for group in range(len(typed)))
    marked: list[tuple[int, int]] = []
    for place in sorted(places):
        if marked and marked[-1][1] == place:
            marked[-1] = marked[-1][0], place + 1
        else:
            marked.append((place, place + 1))
    return marked
