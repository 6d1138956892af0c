"""The stats tab: the size and shape of the story, and what its walks last and cost. Sends nothing that is billed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from chartui.core.classes import NamedTuple
from chartui.core.narrative.graph import Graph
from chartui.core.spec.errors import ServiceError
from chartui.core.text import cell_width, cut, padded, single_line
from chartui.tui.screens.narrative.state import Desk, NarrativeState
from chartui.tui.screens.narrative.tabs.tab import StoryTab
from chartui.tui.screens.narrative.tabs.walk import WalkTab
from chartui.tui.widgets.screen import Copyable
from chartui.tui.widgets.text import Piece, PieceRow, PieceRows, flow, told

if TYPE_CHECKING:
    from chartui.core.costs import Basis
    from chartui.core.estimation.rates import Rates
    from chartui.core.narrative.walk.suite import NamedWalk
    from chartui.core.sheet import Sheet
    from chartui.core.spec.models.characters import Character
    from chartui.core.walk_costs import ReplyPrices

#: Cells of the name of a figure, and the fewest that the name of a walk is cut to.
_NAME = 16


class Stats(NamedTuple):
    """The figures of a graph by name, and a table of what its walks last and cost (None until computed)."""

    graph: Graph
    figures: tuple[tuple[str, str], ...]
    costs: Sheet | None = None


class Prices(NamedTuple):
    """What replies are priced with, with notes about it; and what it depends on."""

    basis: tuple[Character, Basis, Rates]
    replies: ReplyPrices
    notes: tuple[str, ...]


class StatsView(PieceRows[None]):
    """Figures, then a table of walks."""

    _stats: Stats | None = None
    _note = ""

    def show(self, stats: Stats | None, note: str = "") -> None:
        if (stats, note) != (self._stats, self._note) or not self._rows:
            self._stats, self._note = stats, note
            self.lay_out()
            self.refresh()

    def lay_out(self) -> None:
        width = self.room - 2
        if width > 0:
            rows = told(self._note, width, "label") if self._stats is None else _rows(self._stats, width)
            self.put([(row, None) for row in rows])

    def text(self) -> str:
        rows = _rows(self._stats, 100) if self._stats is not None else ()
        return "".join("".join(piece.text for piece in row).rstrip() + "\n" for row in rows)


def _rows(stats: Stats, width: int) -> Iterator[PieceRow]:
    for name, value in stats.figures:
        yield from flow([Piece(value, "value")], width, indent=_NAME, first=Piece(f"{name:<{_NAME}}", "label"))
    yield ()
    if stats.costs is None:
        yield (Piece("Computing the length and cost of walks…", "quiet"),)
        return
    yield from _table(stats.costs, width)
    if stats.costs.notes:
        yield ()
    for note in stats.costs.notes:
        yield from told(note, width, "label")


def _table(sheet: Sheet, width: int) -> Iterator[PieceRow]:
    """The rows of a table; without room for its columns, the values of each walk are listed below its name."""
    from chartui.core.sheet import as_texts, laid_out

    texts = as_texts(sheet)
    rows = [[single_line(cell) for cell in row] for row in (texts.header, *texts.rows)]
    widths = [max(map(cell_width, column)) for column in zip(*rows, strict=True)]
    slots = laid_out(sheet.columns, widths, width)
    if len(slots) < len(widths) or slots[0][1] < min(widths[0], _NAME):
        for name, *values in rows[1:]:
            yield (Piece(cut(name, width), "accent"),)
            named = (f"{head} {value}" for head, value in zip(rows[0][1:], values, strict=True) if value)
            yield from told(" · ".join(named), width, "value", indent=2)
        return
    for number, row in enumerate(rows):
        cells = [padded(cut(row[at], cells), cells, right=at in texts.right) for at, cells in slots]
        yield (Piece(" ".join(cells), "accent" if not number else "value"),)


class StatsTab(StoryTab):
    """The figures of the current story. Saved walks are those last replayed, or those of the remembered folder."""

    def __init__(self, desk: Desk, walks: WalkTab) -> None:
        self.view = StatsView(id="stats")
        super().__init__(desk, self.view, id="stats-tab")
        self._walks = walks
        self._stats: Stats | None = None
        self._saved: Sequence[NamedWalk] = ()
        self._prices: Prices | None = None

    def show(self, state: NarrativeState) -> None:
        outline = state.outline
        if outline is None or not outline.graph.sections:
            self._stats = None
            self.view.show(None, self.emptiness("The size of the story, and the length and cost of its walks."))
        elif self._stats is None or self._stats.graph is not outline.graph or self._saved is not self._walks.saved:
            self._saved = self._walks.saved
            self._stats = Stats(outline.graph, _figures(outline.graph))
            self.view.show(self._stats)
        if self._stats is not None:
            self._desk.start(self._compute, group="stats")
        self.say(f"{self._desk.label('replay-walk')} replays saved walks")

    async def _compute(self) -> None:
        """Compute the costs in the background unless they are up to date; a result for an earlier story is dropped."""
        stats = self._stats
        if stats is None:
            return
        await self._walks.remember()
        if stats is not self._stats:
            return
        saved = self._saved = self._walks.saved
        before = self._prices
        try:
            prices = await self._priced()
        except ServiceError as error:
            self._desk.workbench.tell_failure(error)
            return
        if stats.costs is not None and prices is before:
            return
        sheet = await asyncio.to_thread(_costs, stats.graph, prices, saved, self._walks.keys)
        if stats is self._stats:
            self._stats = stats._replace(costs=sheet)
            self.view.show(self._stats)

    async def _priced(self) -> Prices:
        """What replies of the character are priced with now; raises :class:`ServiceError`."""
        from chartui.core.character import models_of, read_character
        from chartui.core.spec.errors import ErrorKind
        from chartui.core.walk_costs import reply_prices
        from chartui.tui.screens.estimator.character import basis_of, estimator_of

        character, session = self._desk.state.character, self._desk.session
        if character is None:
            raise ServiceError(ErrorKind.NOT_FOUND, "The character could not be read, so its cost is unknown.")
        app, service, wanted = self._desk.workbench, self._desk.service, character.character_id
        depends = (character, await basis_of(app), session.rates.get())
        if self._prices is None or self._prices.basis != depends:
            # Only an ID is known of a record that is still loading.
            record = character.raw if len(character.raw) > 1 else None
            reading = await read_character(service, session.journal, session.profile.place, wanted, record)
            if reading is None:
                raise ServiceError(ErrorKind.NOT_FOUND, "The character no longer exists, so its cost is unknown.")
            scenario = estimator_of(app).state.scenario
            speed = scenario.characters_per_second if scenario is not None else None
            _, basis, rates = depends
            replies, notes = reply_prices(reading, await models_of(service, wanted), rates, basis, speed)
            self._prices = Prices(depends, replies, (f"Credits are computed {basis.words}.", *notes))
        return self._prices

    def copy_choices(self) -> Sequence[Copyable]:
        return () if self._stats is None else (Copyable("Story statistics", self.view.text),)


def _figures(graph: Graph) -> tuple[tuple[str, str], ...]:
    from chartui.core.narrative.statistics import figures, statistics

    return tuple(figures(statistics(graph)))


def _costs(graph: Graph, prices: Prices, saved: Sequence[NamedWalk], keys: dict[str, str]) -> Sheet:
    """What the saved walks and 200 random walks last and cost."""
    from chartui.core.narrative.walk.random_walks import RandomWalks
    from chartui.core.narrative.walk.replay import replay
    from chartui.core.walk_costs import WalkCosts, costs_sheet

    costs = WalkCosts(graph, prices.replies, keys)
    walks = [(one.name, costs.of(replay(one.script, graph, keys).retraced.walk)) for one in saved]
    startable = graph.start in graph.sections
    return costs_sheet(walks, costs.over(RandomWalks(walks=200, steps=200)) if startable else None, prices.notes)
