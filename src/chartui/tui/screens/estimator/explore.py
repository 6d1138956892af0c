"""All configurations under constraints: the number of matches, and the Pareto front of credits and latency."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Final, cast

from textual import events, on
from textual.app import ComposeResult
from textual.message import Message

from chartui.core.classes import dataclass
from chartui.core.estimation.constraints import Constraints, default_constraints, in_words, one_in_words, without_limits
from chartui.core.estimation.exploration import Found, explore, front_sheet, loosened
from chartui.core.estimation.prices import Configuration, Pricing, has_speech_in, has_speech_out, remarks_on
from chartui.core.money import with_money
from chartui.core.sheet import Sheet
from chartui.core.spec.catalogue import KINDS, NO_ANIMATION, Kind, is_beta_key
from chartui.core.text import single_line
from chartui.tui.axes import Axis
from chartui.tui.glyphs import GLYPHS, MARKERS
from chartui.tui.numbers import count, credits_text
from chartui.tui.plots import Mark, Plot, Series, in_view
from chartui.tui.screens.estimator.board import View
from chartui.tui.screens.estimator.front import FrontTable, Present
from chartui.tui.screens.estimator.state import ViewName
from chartui.tui.screens.estimator.study import Pinned, Study
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.phrases import Phrase, Phrases
from chartui.tui.widgets.plot import PlotView

if TYPE_CHECKING:
    from chartui.core.estimation.discovery import Discovery
    from chartui.core.profiles import Profile
    from chartui.tui.app import ChartuiApp

#: From this many cells, there is room for whole sentences; below the second number, none for a plot.
BROAD: Final = 60
SLIM: Final = 32
#: Below this many rows there is no room for a plot.
LOW: Final = 17
#: A limit is drawn if it enlarges the plot by no more than this factor.
IN_SIGHT: Final = 1.25
#: Instead of the name of an option for speech.
NONE: Final = "none"
BUILT_IN: Final = "built in"
_BILLED: Final = {"llm": "model", "tts": "voice"}


class ExploreView(View):
    """The matches from the cheapest to the fastest: in words, as a plot, and as a table with the plot's cursor."""

    NAME = ViewName.EXPLORE
    FOCUS = "front"
    DEFAULT_CSS = """
    ExploreView #found { height: 2; }
    ExploreView #asked { height: 1; }
    ExploreView PlotView { height: 1fr; margin: 0 1; }
    ExploreView #under-cursor { height: 3; }
    ExploreView #front { height: 26%; min-height: 5; }
    ExploreView.-broad #found { height: 1; }
    ExploreView.-broad #under-cursor { height: 2; }
    ExploreView.-broad #front { height: 30%; min-height: 6; }
    ExploreView.-slim #found, ExploreView.-slim #under-cursor { height: 4; }
    ExploreView.-plotless PlotView, ExploreView.-low PlotView, ExploreView.-empty #under-cursor { display: none; }
    ExploreView.-plotless #front, ExploreView.-low #front { height: 1fr; }
    """

    @dataclass
    class Constrained(Message):
        """The constraints were changed."""

        constraints: Constraints

    def __init__(self, settings: object | None = None) -> None:
        super().__init__(settings)
        self._found_words, self._asked_words = Phrases(id="found"), Phrases(id="asked")
        self._plot = PlotView(id="front-plot")
        self._under_cursor = Phrases(id="under-cursor")
        self._table = FrontTable(id="front")
        self._study: Study | None = None
        self._shown: Study | None = None
        self._found: Found | None = None
        #: The constraints in the open dialog.
        self._edited: Constraints | None = None
        self._present: Present | None = None
        self._said = ""
        self._searched: tuple[Pricing, Constraints] | None = None
        self._labels: Mapping[tuple[Kind, str], str] = {}
        self._named: dict[Configuration, Sequence[str]] = {}
        #: The configuration and latency you moved the cursor to, and where the view put it since.
        self._held: tuple[Configuration, int | None] | None = None
        self._put = 0

    @property
    def study(self) -> Study | None:
        """The data that is drawn, with the constraints of the open dialog."""
        return self._shown

    def compose(self) -> ComposeResult:
        yield self._found_words
        yield self._asked_words
        yield self._plot
        yield self._under_cursor
        yield self._table

    def on_resize(self, event: events.Resize) -> None:
        broad = self.has_class("-broad")
        self.set_class(event.size.width >= BROAD, "-broad")
        self.set_class(event.size.width < SLIM, "-slim")
        self.set_class(event.size.height < LOW or event.size.width < SLIM, "-low")
        if self.has_class("-broad") is not broad and self._study is not None:
            self._shown = None
            self.show(self._study)

    # -- what is shown ------------------------------------------------------------------------------------------------

    def show(self, study: Study) -> None:
        """Search again after a change of rates, quantities or constraints, and redraw the differences."""
        if self._edited is not None:
            study = study._replace(asked=self._edited)
        if self._shown == study:
            return
        if self._study is None or study.discovery is not self._study.discovery or study.rates is not self._study.rates:
            self._labels, self._named = _labels(study.discovery), {}
        self._study = self._shown = study
        found = self._search(study)
        self.show_banner(study)
        self._present = _present(study)
        self.set_class(not found.front or not found.timed, "-plotless")
        self.set_class(not found.front, "-empty")
        now = None if self.has_class("-broad") else self._present.credits
        self._found_words.show(_found_phrases(found, study.fits, now))
        self._asked_words.show(_asked_phrases(found, study.constraints))
        self._table.show_front(
            found.front, self._present, self._names, set(self._labels.values()), self._said, study.price
        )
        self._place_cursor(found)
        self._follow_cursor()

    def banner(self, study: Study) -> str:
        """The source of the figures, and how many of the matches are listed."""
        listed = found.front if (found := self._found) is not None and found.timed else ()
        front = (
            f"{count(sum(point.count for point in listed))} of {count(found.count)} on the Pareto front"
            if found and listed
            else ""
        )
        return " · ".join(filter(None, (super().banner(study), front)))

    def _search(self, study: Study) -> Found:
        asked = study.constraints.supported(study.rates.card)
        if self._found is None or self._searched != (study.pricing, asked):
            self._searched = study.pricing, asked
            self._found = explore(study.pricing, asked)
            self._said = self._say(study, self._found, asked)
        return self._found

    def _say(self, study: Study, found: Found, asked: Constraints) -> str:
        """The note below or in place of the points."""
        if found.front:
            return "" if found.timed else "The rates have no latencies: only the cheapest configuration is shown."
        return _way_out(study.pricing, asked, self._key)

    @property
    def _own(self) -> frozenset[str]:
        return self._study.rates.card.own if self._study is not None else frozenset()

    @property
    def _key(self) -> str:
        return cast("ChartuiApp", self.app).keymap.label("explore-constraints")

    # -- the cursor ---------------------------------------------------------------------------------------------------

    def _place_cursor(self, found: Found) -> None:
        """Keep the cursor on the configuration you moved it to, or the one with the nearest latency; at first, on the
        cheapest.
        """
        self._put = _nearest(found, self._held) if self._held else 0
        self._table.go_to(str(self._put))

    def _follow_cursor(self) -> None:
        study, found, present = self._study, self._found, self._present
        if study is None or found is None or present is None:
            return
        point = self._table.point  # None if no row matches a filter
        at = None if point is None or not found.front else min(point, len(found.front) - 1)
        if found.front and found.timed:
            self._plot.show(_plot(found, study, present, study.constraints, at))
        under = None if at is None else found.front[at].first
        self._under_cursor.show(tuple(self._described(under)) if under else ())

    @on(LineView.Moved)
    def _moved(self, message: LineView.Moved) -> None:
        message.stop()
        at = self._table.point
        if self._found is not None and at is not None and at != self._put and at < len(self._found.front):
            point = self._found.front[at]
            self._held, self._put = (point.first, point.latency), at
        self._follow_cursor()

    @on(LineView.Chosen)
    def _chosen(self, message: LineView.Chosen) -> None:
        message.stop()
        if (chosen := self.pinned_at_hand) is not None:
            self.post_message(self.Picked(chosen.configuration._asdict()))

    @property
    def pinned_at_hand(self) -> Pinned | None:
        at = self._table.point
        if self._study is None or self._found is None or at is None or at >= len(self._found.front):
            return None
        return Pinned("", self._found.front[at].first, self._study.quantities)

    # -- names --------------------------------------------------------------------------------------------------------

    def _label(self, kind: Kind, key: str) -> str:
        return self._labels.get((kind, key), key)

    def _names(self, chosen: Configuration) -> Sequence[str]:
        """The model, its speech input and output, and the other features; a sign marks those that need attention."""
        if chosen not in self._named:
            own = BUILT_IN if chosen.realtime else ""
            on = ("memory" * chosen.memory, "knowledge" * chosen.knowledge)
            names = {
                "llm": self._label("llm", chosen.llm) + f" {GLYPHS.beta}" * is_beta_key(chosen.llm),
                "stt": (own or self._label("stt", chosen.stt)) if has_speech_in(chosen) else NONE,
                "tts": (own or self._label("tts", chosen.tts)) if has_speech_out(chosen) else NONE,
                "animation": ", ".join(filter(None, (*on, "animation" * (chosen.animation != NO_ANIMATION)))),
            }
            marked = {remark.member for remark in remarks_on(chosen, self._own) if not remark.own}
            self._named[chosen] = [
                f"{GLYPHS.warning} {name}" if member in marked else name for member, name in names.items()
            ]
        return self._named[chosen]

    def _described(self, chosen: Configuration) -> Iterator[Phrase]:
        """A configuration in words, and the reasons for its marks."""
        model, speech_in, speech_out, others = self._names(chosen)
        yield _phrase(model, role="title")
        if self._present is not None and chosen == self._present.configuration:
            yield Phrase("current", "accent")
        yield _phrase(speech_in, f"speech input: {speech_in}", speech_in)
        yield _phrase(speech_out, f"speech output: {speech_out}", speech_out)
        if self._study is not None and (between := self._study.between(chosen)):
            yield Phrase(between, "credits")
        remarks = remarks_on(chosen, self._own)
        billed, own = (
            " and ".join(_BILLED[remark.member] for remark in remarks if not remark.unusual and remark.own is priced)
            for priced in (False, True)
        )
        if billed:
            yield Phrase(f"{billed} billed by your provider", "warning")
        if own:
            yield Phrase(f"{own} at your own price", "accent")
        if is_beta_key(chosen.llm):
            yield Phrase("beta", "warning")
        for remark in remarks:
            if remark.unusual:
                yield Phrase(remark.text, "warning")
        yield _phrase(others, f"with {others}" if others else "no memory, knowledge or animation", others)

    # -- constraints and copies -------------------------------------------------------------------------------------

    def action_constrain(self) -> None:
        """Open the constraints over the inputs; every change shows immediately."""
        from chartui.tui.screens.estimator.constraints import ConstraintsDialog

        study = self._study
        if study is None:
            return

        def closed(_: None) -> None:
            constraints, self._edited = self._edited, None
            if constraints is not None and constraints != study.constraints:
                self.post_message(self.Constrained(constraints))

        usual = default_constraints(study.configuration)
        self.app.push_screen(ConstraintsDialog(study, study.constraints, usual, self._constrain), closed)

    def _constrain(self, constraints: Constraints) -> Found | None:
        self._edited = constraints
        if self._study is not None:
            self.show(self._study)
        return self._found

    def sheets(self) -> Sequence[Sheet]:
        if self._study is None or self._found is None:
            return ()
        asked = ", ".join(in_words(self._study.constraints))
        banner = self._study.rates.banner
        sheet = front_sheet(self._found, [*([banner] if banner else []), f"Constraints: {asked or 'none'}."])
        return (self._table.as_drawn(with_money(sheet, self._study.price)),)

    def command(self, profile: Profile) -> str:
        from chartui.core.reproduce import explore_command

        study = self._study
        if study is None:
            return ""
        return explore_command(
            study.constraints.supported(study.rates.card),
            study.quantities,
            profile,
            card=study.rates.card,
            scenario=study.written.name if study.written is not None else "",
            given=study.given,
        )


# -- pure -----------------------------------------------------------------------------------------------------------


def _asked_phrases(found: Found, asked: Constraints) -> tuple[Phrase, ...]:
    """The constraints, limits first, and the number of configurations left out."""
    features = in_words(without_limits(asked))
    phrases = [Phrase(words) for words in in_words(asked) if words not in features]
    if not found.timed and asked.max_latency is not None:
        untimed = one_in_words(asked, "max_latency")[0]
        limit = f"{GLYPHS.warning} {untimed}:"
        warned = Phrase(f"{limit} latency unknown", "warning", f"{limit} unknown")
        phrases = [warned if phrase.text == untimed else phrase for phrase in phrases]
    phrases += [Phrase(words, short=_shortened(words)) for words in features]
    if found.unpriced:
        unknown = f"{count(found.unpriced)} left out (price unknown)"
        phrases.insert(0, Phrase(f"{GLYPHS.warning} {unknown}", "warning"))
    return tuple(phrases) or (Phrase("no constraints", "label"),)


def _phrase(name: str, text: str = "", short: str = "", *, role: str = "value") -> Phrase:
    """A part of a configuration, in the warning's color if a sign marks its name."""
    shortened = "" if short.endswith((NONE, BUILT_IN)) else short
    return Phrase(text or name, "warning" if name.startswith(GLYPHS.warning) else role, shortened)


def _shortened(words: str) -> str:
    words = words.replace("no option billed by its provider", "no provider billing")
    return words.removeprefix("with ").replace("speech input", "speech in").replace("speech output", "speech out")


def _labels(discovery: Discovery) -> Mapping[tuple[Kind, str], str]:
    choices = discovery.choices
    return {(kind, choice.key): single_line(choice.label, limit=60) for kind in KINDS for choice in choices[kind]}


def _present(study: Study) -> Present:
    span = study.pricing.latency(study.configuration)
    return Present(study.configuration, study.pricing.credits(study.configuration), span[1] if span else None)


def _found_phrases(found: Found, fits: str, now: Decimal | None) -> tuple[Phrase, ...]:
    """The number of matches, what they do, and their range; ``now`` are the credits if no estimate is in sight."""
    matches = f"{count(found.count)} of {count(found.space)}"
    phrases = [Phrase(f"{matches} configurations {fits}", "title", f"{matches} fit")]
    if now is not None:
        phrases.append(Phrase(f"now {credits_text(now)} credits", short=f"now {credits_text(now)}"))
    if found.cheapest:
        cheapest = credits_text(found.cheapest.credits)
        phrases.append(Phrase(f"cheapest {cheapest} credits", "credits", f"cheapest {cheapest}"))
    if found.fastest and found.fastest.latency is not None:
        fastest = f"{count(found.fastest.latency)} ms"
        phrases.append(Phrase(f"fastest {fastest}", "latency"))
    return tuple(phrases)


def _way_out(pricing: Pricing, asked: Constraints, key: str) -> str:
    """The constraints whose removal leaves matches, and the value they would need; a line each."""
    ways = loosened(pricing, asked)
    if not ways:
        return f"No configuration fits, and dropping one constraint is not enough. {key} changes the constraints."
    told = [f"No configuration fits. {key} changes the constraints. Dropping any one of these helps:", ""]
    for way in ways:
        needed = ""
        if way.member == "max_credits" and way.found.cheapest:
            needed = f", the cheapest at {credits_text(way.found.cheapest.credits)} credits"
        elif way.member == "max_latency" and way.found.fastest:
            needed = f", the fastest in {count(way.found.fastest.latency or 0)} ms"
        told.append(f"{way.phrase}: {count(way.found.count)} fit without this constraint{needed}")
    return "\n".join(told)


def _nearest(found: Found, held: tuple[Configuration, int | None]) -> int:
    """The point of that configuration, or the one with the nearest latency."""
    chosen, latency = held
    for index, point in enumerate(found.front):
        if point.first == chosen:
            return index
    if latency is None:
        return 0
    apart = [abs((point.latency or 0) - latency) for point in found.front]
    return apart.index(min(apart)) if apart else 0


def _plot(found: Found, study: Study, present: Present, asked: Constraints, at: int | None) -> Plot:
    """The front with the current and pinned configurations, and the limits as lines if in sight."""
    front = [(float(point.credits), float(point.latency or 0)) for point in found.front]
    series = [Series("front", front, "steps", "credits", "•")]
    if present.credits is not None and present.latency is not None:
        here = [(float(present.credits), float(present.latency))]
        series.append(Series("current", here, "points", "accent", MARKERS[0]))
    for number, pinned in enumerate(study.pinned):
        span, amount = study.pricing.latency(pinned.configuration), study.pricing.credits(pinned.configuration)
        if span is not None and amount is not None and pinned.configuration != present.configuration:
            marker = MARKERS[1 + number % (len(MARKERS) - 1)]
            name = single_line(pinned.name, limit=30)
            series.append(Series(name, [(float(amount), float(span[1]))], "points", "staged", marker))
    x, y = Axis("credits"), Axis("max. ms")
    amounts, latencies = in_view(x, series), in_view(y, series, down=True)
    limit, marks = asked.max_latency, tuple[Mark, ...]()
    if asked.max_credits is not None and asked.max_credits <= max(amounts) * IN_SIGHT:
        marks = (Mark(float(asked.max_credits), f"≤ {count(asked.max_credits)}", "credits"),)
    if limit is not None and limit <= max(latencies) * IN_SIGHT:
        ends = (*amounts, *(mark.x for mark in marks))
        line = [(min(ends), float(limit)), (max(ends), float(limit))]
        series.append(Series(f"≤ {count(limit)} ms", line, "line", "latency"))
    return Plot(tuple(series), x, y, cursor=None if at is None else front[at], marks=marks)
