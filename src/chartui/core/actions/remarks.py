"""Write remarks for the local planner's reply, such as the reason why a request was not fulfilled (decision 72)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final

from chartui.core.actions.language import tokens, unfold
from chartui.core.actions.names import bare_words, shortened
from chartui.core.actions.verbs import bases
from chartui.core.text import single_line

#: Maximum number of declared names listed if none is similar.
_LISTED: Final = 5
#: Maximum length of a quotation from the text.
_LONGEST: Final = 60
_DECLARED: Final = " Declared: "
#: Minimum similarity for a suggestion, 0 to 1.
_NEAR: Final = 0.6
#: Verbs with similar meanings. They are suggested but never used.
_RELATED: Final = tuple(
    frozenset(line.split())
    for line in """
    give hand pass offer bring lend return deliver present send
    pick take grab get lift fetch collect raise hold carry
    go walk move run come step head travel float fly approach
    show point indicate present display
    open unlock unseal
    close shut seal lock
    drop put place lay leave release throw
    strike hit beat hammer pound punch knock
    say tell explain describe talk speak report call
    look see watch examine inspect read study
    ring sound toll strike
    heat warm burn melt
    cool quench chill
    wait stay stop rest pause
    turn rotate spin twist
    call phone ring telephone contact
    follow accompany join guide
    write note record sign
    """.strip().splitlines()
)


class Remarks:
    """Requests that were not fulfilled, grouped by reason. Each request is listed once."""

    def __init__(self, actions: Sequence[str], targets: Sequence[str]) -> None:
        self._actions = [action for action in actions if action.strip()]
        self._targets = [target for target in targets if target.strip()]
        self.refused: dict[tuple[str, str], None] = {}
        self.guessed: dict[str, tuple[str, ...]] = {}
        self.left_out: dict[tuple[str, str | None], None] = {}
        self.fewer: dict[str, int] = {}
        self.foreign = False
        self.questions = 0
        self.statements = 0
        self._words: dict[str, dict[str, None]] = {}

    def add(self, reason: str, words: str) -> None:
        self._words.setdefault(reason, {})[single_line(words, limit=_LONGEST)] = None

    def _of(self, reason: str) -> Iterable[str]:
        return self._words.get(reason, {})

    def reply(self, steps: Sequence[tuple[str, str | None]]) -> str:
        """Return the complete reply to the user for a plan with the given steps."""
        if not self._actions:
            return "Local planner: No actions were requested."
        if self.foreign and not steps:
            return "Local planner: Only English commands are understood."
        said = [f"{', then '.join(self._listed(steps))}."] if steps else []
        if self.left_out:
            said.append(f"Left out, as requested: {', '.join(self._listed(self.left_out))}.")
        said += [f"“{name}” does not allow {action}." for name, action in self.refused]
        said += [_guess(said_as, list(map(self._short, names))) for said_as, names in self.guessed.items()]
        for asked, number in self.fewer.items():
            said.append(f"“{asked}” was requested, but there {'is' if number == 1 else 'are'} only {number}.")
        said += [f"Done only {words} times because of the limit per turn." for words in self._of("counts")]
        said += [f"Chose the first alternative, not “{words}”." for words in self._of("alternatives")]
        said += [f"There is no “{name}” here.{self._nearest_target(name)}" for name in self._of("missing")]
        said += [f"It is not clear what “{word}” refers to." for word in self._of("unclear")]
        said += [f"Skipped a command that was for {name}, not for the character." for name in self._of("about")]
        said += [f"It is not clear whom “{word}” refers to." for word in self._of("whom")]
        said += [f"Can't check “{words}”, so the character does not wait for it." for words in self._of("unwatched")]
        said += [f"Can't check whether “{words}”, so the command is skipped." for words in self._of("conditions")]
        said += [f"No declared action fits “{word}”.{self._nearest_action(word)}" for word in self._of("unknown")]
        if not said and self.questions:
            said.append("The line is a question, not a command.")
        if not said and self.statements:
            said.append("The line is a statement, not a command.")
        said = _once(said)
        return f"Local planner: {' '.join(said) or 'No declared action was requested.'}"

    def _short(self, name: str) -> str:
        """Return a declared name without its remark or, if the short name is not unique, the whole name."""
        short = shortened(name)
        return short if sum(shortened(other) == short for other in self._targets) < 2 else name

    def _listed(self, steps: Iterable[tuple[str, str | None]]) -> Iterator[str]:
        """Yield the steps in words. An object is named only once for consecutive actions on it."""
        for target, run in groupby(steps, key=itemgetter(1)):
            done = [(action, len(list(same))) for action, same in groupby(run, key=itemgetter(0))]
            object_ = "" if target is None else f" {self._short(target)}"
            *others, last = (action for action, _ in done)
            if others and object_ and all(times == 1 for _, times in done):
                yield single_line(f"{', '.join(others)} and {last}{object_}")
            else:
                yield from (single_line(f"{action}{object_}{_often(times)}") for action, times in done)

    def _nearest_action(self, word: str) -> str:
        verbs = bases(word)
        related = [
            action for action in self._actions if any(_related(verbs, bases(verb)) for verb in tokens(action)[:1])
        ]
        return _offer(
            related or _close(word, {action: " ".join(tokens(action)) for action in self._actions}), self._actions
        )

    def _nearest_target(self, name: str) -> str:
        words = {target: " ".join(unfold(bare_words(target))) for target in self._targets}
        sharing = [target for target, text in words.items() if not set(text.split()).isdisjoint(name.split())]
        inside = [
            target
            for target, text in words.items()
            if any(len(part) > 2 and part in word for part in name.split() for word in text.split())
        ]
        return _offer(sharing or inside or _close(name, words), self._targets)


def _once(said: Sequence[str]) -> list[str]:
    parts = [sentence.partition(_DECLARED) for sentence in said]
    listing = [place for place, (_, declared, _) in enumerate(parts) if declared]
    return [sentence if place in listing[:1] else parts[place][0] for place, sentence in enumerate(said)]


def _related(verbs: frozenset[str], others: frozenset[str]) -> bool:
    return any(not line.isdisjoint(verbs) and not line.isdisjoint(others) for line in _RELATED)


def _close(word: str, names: dict[str, str]) -> list[str]:
    """Return the names most similar to a word, comparing the whole name or its first or last part."""
    from difflib import SequenceMatcher

    def likeness(text: str) -> float:
        parts = {text, *text.split()[:1], *text.split()[-1:]}
        return max((SequenceMatcher(None, word, part).ratio() for part in parts), default=0)

    rated = sorted(((likeness(text), name) for name, text in names.items()), key=lambda pair: -pair[0])
    return [name for rate, name in rated if rate >= _NEAR][:2]


def _offer(near: Sequence[str], names: Sequence[str]) -> str:
    if near:
        return f" Similar: {', '.join(near[:_LISTED])}."
    if not names:
        return ""
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return f"{_DECLARED}{', '.join(names[:_LISTED])}{more}."


def _often(times: int) -> str:
    return "" if times == 1 else f" {times} times"


def _guess(said: str, names: Sequence[str]) -> str:
    listed = f"{', '.join(names[: _LISTED - 1])} or {names[-1]}" if len(names) <= _LISTED else f"one of {len(names)}"
    return f"“{said}” could be {listed if len(names) > 2 else ' or '.join(names)}. The first one was chosen."
