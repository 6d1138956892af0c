"""Every option of a kind under the current inputs, ranked by the total cost or latency with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult

from chartui.core.estimation.prices import Remark
from chartui.core.estimation.rank import TITLES, Order, Ranked, rank, rank_sheet
from chartui.core.profiles import Profile
from chartui.core.sheet import Sheet
from chartui.core.spec.catalogue import KINDS, Kind, is_realtime_key
from chartui.tui.glyphs import GLYPHS
from chartui.tui.numbers import count, number_of
from chartui.tui.screens.estimator.board import View
from chartui.tui.screens.estimator.quantities import INPUTS
from chartui.tui.screens.estimator.state import VIEW_TITLES, ViewName
from chartui.tui.screens.estimator.study import Pinned, Study
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.phrases import Phrase, Phrases
from chartui.tui.widgets.sheet_view import SheetView

#: The orders of the command line, by the column of the sheet.
_ORDERS: Final = {"label": Order.NAME, "credits": Order.CREDITS, "latency_max_ms": Order.LATENCY}
_CREDITS: Final = 5
UNKNOWN: Final = "unknown"


def words(entry: Ranked) -> tuple[str, ...]:
    """Remarks on an option, each in a word or two."""
    found = []
    if entry.credits is None:
        found.append("price unknown")
    if entry.realtime:
        found.append("realtime")
    if entry.billed_elsewhere:
        found.append("billed by your provider")
    if entry.own_price:
        found.append("your own price")
    if entry.beta:
        found.append("beta")
    return tuple(found)


def unusual_words(entry: Ranked) -> str:
    """The inputs that are accepted but unusual with an option (decision 4); empty for none."""
    unusual = dict.fromkeys(INPUTS[remark.member].label.lower() for remark in entry.remarks if remark.unusual)
    return f"unusual: {', '.join(unusual)}" if unusual else ""


def unmet_words(entry: Ranked) -> tuple[str, ...]:
    """The constraints that an option does not meet, each in a few words."""
    return tuple(f"{'' if number else 'unmet: '}{phrase}" for number, phrase in enumerate(entry.unmet))


def latency_cells(entry: Ranked, *, whole: bool = False) -> str:
    """The latency of the slowest case in milliseconds (decision 7); with ``whole``, of the fastest too."""
    if entry.latency is None:
        return "–"
    low, high = entry.latency
    return f"{count(low)} – {count(high)}" if whole and low != high else count(high)


@lru_cache(512)  # for all options of a kind, while you type quantities
def _marks(kind: Kind, key: str, remarks: tuple[Remark, ...], unmet: bool) -> str:
    """The remarks of :func:`words` except beta, a cell each, and whether any is unusual or a constraint is not met."""
    signs = (
        (kind == "llm" and is_realtime_key(key), GLYPHS.realtime),
        (any(remark.member == kind and not remark.unusual for remark in remarks), GLYPHS.elsewhere),
        (unmet or any(remark.unusual for remark in remarks), GLYPHS.warning),
    )
    return "".join(sign for holds, sign in signs if holds)


class RankView(View):
    """The ranking, and the selected row in full."""

    DEFAULT_CSS = """
    RankView #rank-title { height: 1; display: none; }
    RankView.-tabbed #rank-title { display: block; }
    RankView #rank-about { height: 2; }
    """

    NAME: ClassVar[ViewName] = ViewName.RANK
    FOCUS: ClassVar[str] = "ranking"
    USUAL: ClassVar[Kind] = "llm"
    #: The kind that is ranked.
    settings: Kind

    def __init__(self, settings: object | None = None) -> None:
        super().__init__(settings if settings in KINDS else self.USUAL)
        self._study: Study | None = None
        self._entries: tuple[Ranked, ...] = ()
        self._table = SheetView(id=self.FOCUS)
        self._heading = Phrases(id="rank-title")
        self._about = Phrases(id="rank-about")

    def compose(self) -> ComposeResult:
        yield self._heading
        yield self._table
        yield self._about

    def show(self, study: Study) -> None:
        """Rank for the inputs of a study.

        With the focus, the cursor stays on its option. Otherwise, it is on the best one, which is therefore in sight.
        """
        self._study, kind = study, self.settings
        held = self.current
        asked = study.constraints.supported(study.rates.card)
        self._entries = rank(study.pricing, study.configuration, kind, discovery=study.discovery, constraints=asked)
        stays = held is not None and self._table.has_focus and any(e.key == held.key for e in self._entries)
        keep = held.key if held is not None and stays else None
        self._table.show(self._drawn_sheet(), keep=keep, ordered_by=_CREDITS)
        if keep is None and self._table.sheet.keys:
            self._table.go_to(self._table.sheet.keys[0])
        self._tell()
        self.title = f"{VIEW_TITLES[self.NAME]} {GLYPHS.note} {TITLES[kind]}"
        self._heading.show([Phrase(TITLES[kind], "quiet")])
        number, fit = len(self._entries), sum(not e.unmet for e in self._entries)
        every = number_of(number, "model" if kind == "llm" else "option")
        self.said = self.banner(study) or (every if fit == number else f"{fit} of {every} {study.fits}")
        self.write_border()

    def _drawn_sheet(self) -> Sheet:
        """The ranking with its signs; that of a beta is part of the name, since the others need room."""
        signs = [_marks(e.kind, e.key, e.remarks, bool(e.unmet)) for e in self._entries]
        entries = [e._replace(label=f"{e.label} {GLYPHS.beta}") if e.beta else e for e in self._entries]
        return self._priced(rank_sheet(entries, signs=signs))

    def _priced(self, sheet: Sheet) -> Sheet:
        price = self._study.price if self._study else None
        if price is None:
            return sheet
        from chartui.core.money import with_money

        return with_money(sheet, price, ("credits", "difference"))

    @property
    def table(self) -> SheetView:
        return self._table

    @property
    def current(self) -> Ranked | None:
        return next((e for e in self._entries if e.key == self._table.current_key), None)

    @property
    def pinned_at_hand(self) -> Pinned | None:
        if self.current is None or self._study is None:
            return None
        return Pinned("", self.current.configuration, self._study.quantities)

    def _tell(self) -> None:
        self._about.show([phrase for phrase in self._said_of(self.current) if phrase.text])

    def _said_of(self, entry: Ranked | None) -> Iterator[Phrase]:
        """An option in words; nothing for None, if no row matches a filter."""
        if entry is None:
            return
        yield Phrase(entry.label, "quiet")
        yield Phrase("current" if entry.chosen else "", "accent")
        yield from (Phrase(text, "warning") for text in unmet_words(entry) or (unusual_words(entry),))
        yield from (Phrase(text, "quiet") for text in words(entry))
        yield Phrase("" if self._study is None else self._study.between(entry.configuration), "quiet")
        yield Phrase(f"{latency_cells(entry, whole=True)} ms" if entry.latency else "", "quiet")
        yield Phrase(entry.family, "quiet")

    @on(LineView.Moved)
    def _moved(self, event: LineView.Moved) -> None:
        event.stop()
        self._tell()

    @on(LineView.Chosen)
    def _chosen(self, event: LineView.Chosen) -> None:
        event.stop()
        if self.current is not None and self._study is not None:
            # The option, and the voices that a realtime model replaces.
            changed = self.current.configuration._asdict().items() - self._study.configuration._asdict().items()
            self.post_message(self.Picked(dict(changed)))

    def action_kind(self) -> None:
        self.settings = KINDS[(KINDS.index(self.settings) + 1) % len(KINDS)]
        if self._study is not None:
            self.show(self._study)

    def sheets(self) -> Sequence[Sheet]:
        banner = self._study.rates.banner if self._study else ""
        return (self._table.as_drawn(self._priced(rank_sheet(self._entries, (banner,) if banner else ()))),)

    def command(self, profile: Profile) -> str:
        """The same ranking on the command line, which sorts by credits, latency or name."""
        study, order = self._study, self._table.order
        if study is None:
            return ""
        from chartui.core.reproduce import rank_command

        by = _ORDERS.get(self._table.sheet.columns[order[0]].name) if order and not order[1] else None
        return rank_command(
            study.configuration,
            study.quantities,
            profile,
            kind=self.settings,
            by=by,
            constraints=study.constraints,
            scenario=study.written.name if study.written is not None else "",
            given=study.given,
        )
