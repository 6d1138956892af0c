"""The narrative graph at ten thousand sections: to open it, go through its tree, fold it, filter and change it.

.venv/bin/python benchmarks/narrative.py --sections 10000

Three stories are looked at: a chain, a star, and a random one with ways back all over. What the interface's own thread
is held up for is seen from inside, in this process and without a terminal; all else from outside.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from bare import READY
from core import timed
from finding import serving
from lists import MOVES, press, rows_of, shown
from probe import Hold, Press, Start, environment, session, size_of
from report import BARE, CHARTUI, Row, alternate, late, of, ratios, show

from chartui.core.backends.base import Answer, Backend, Context
from chartui.core.backends.local.settings import new_record
from chartui.core.backends.local.store import BUILT_IN_ACCOUNT, Store
from chartui.core.backends.local.tables import StoredCharacter
from chartui.core.jsontext import Wire
from chartui.core.narrative.lint import lint
from chartui.core.narrative.outline import outline
from chartui.core.narrative.story import Story
from chartui.core.profiles import BUILT_IN
from chartui.core.service import Service
from chartui.core.session import Session, open_session
from chartui.core.spec.models.narrative import Section, Trigger
from chartui.core.spec.operation import Operation
from chartui.core.spec.shape import build

#: The character whose story it is.
TELLER: Final = "teller"
#: Seconds between two looks from inside: what looks without a pause takes the processor from what it looks at.
LOOK: Final = 0.002
_ROLES: Final = ("hall", "garden", "archive", "workshop", "pier", "library", "kitchen", "tower")


class Written(NamedTuple):
    """A story as a store holds it."""

    sections: Sequence[dict[str, Wire]]
    triggers: Sequence[dict[str, Wire]]


# -- the stories ------------------------------------------------------------------------------------------------------


def chain(count: int) -> Written:
    """Every section leads to the next one and back to some other."""
    return _written(count, lambda n: [(n + 1) % count, (n * 7919) % count])


def star(count: int) -> Written:
    """The first section leads to all the others, and each of them back."""
    return _written(count, lambda n: [0] if n else list(range(1, count)))


def mixed(count: int) -> Written:
    """Two or three decisions each, to wherever chance has it: cycles, islands, and a tree of any depth."""
    random = Random(count)
    return _written(count, lambda _: [random.randrange(count) for _ in range(random.choice((2, 2, 3, 3)))])


STORIES: Final[Mapping[str, Callable[[int], Written]]] = {"chain": chain, "star": star, "random": mixed}


def _written(count: int, ways: Callable[[int], Sequence[int]]) -> Written:
    random = Random(1)
    names = [f"section-{number:06}" for number in range(count)]
    sections = [
        {
            "character_id": TELLER,
            "section_id": names[number],
            "section_name": f"{number + 1}. In the {random.choice(_ROLES)}",
            "objective": f"Speaks about the {random.choice(_ROLES)} as somebody who has been there for years.",
            "decisions": [
                {"criteria": f"The visitor asks about the {random.choice(_ROLES)}", "next_section_id": names[to]}
                for to in ways(number)
            ],
            "triggers": [],
            "updated_character_data": None,
            "bt_constants": None,
            "behavior_tree_code": None,
            "node_position": [],
        }
        for number in range(count)
    ]
    triggers = [
        {
            "character_id": TELLER,
            "trigger_id": f"trigger-{number}",
            "trigger_name": f"Event {number}",
            "trigger_message": "Something happens.",
            "destination_section": random.choice(names),
            "node_position": [],
        }
        for number in range(count // 50)
    ]
    return Written(sections, triggers)


@contextmanager
def stored(written: Written) -> Iterator[dict[str, str]]:
    """The variables for a program on a new store that holds nothing but this story."""
    with TemporaryDirectory(prefix="chartui-benchmark-") as folder:
        store = Store(Path(folder) / "local.db")
        record = new_record(
            character_id=TELLER,
            user_id=BUILT_IN_ACCOUNT.user_id,
            name="Teller",
            moment="2026-11-21 00:00:00",
            given={"start_narrative_section_id": written.sections[0]["section_id"], "is_narrative_driven": True},
        )
        with store.writing() as tables:
            tables.characters.insert(StoredCharacter(record, "", None))
            for section in written.sections:
                tables.narrative.sections.insert(section)
            for trigger in written.triggers:
                tables.narrative.triggers.insert(trigger)
        store.close()
        yield environment(CHARTUI_DATA_DIR=folder, CHARTUI_CONFIG_DIR=folder)


# -- the core alone ---------------------------------------------------------------------------------------------------


def core(rounds: int, written: Written) -> Iterator[Row]:
    """What is worked out when a story is opened, folded and filtered."""
    start = str(written.sections[0]["section_id"])
    yield Row("typed", timed(rounds, lambda: _story(written, start)), "ms")
    story = _story(written, start)
    yield Row("graph", timed(rounds, story.graph), "ms")
    graph = story.graph()
    yield Row("outline", timed(rounds, lambda: outline(graph)), "ms")
    drawn = outline(graph)
    yield Row("rows", timed(rounds, drawn.rows), "ms")
    folds = frozenset(node.id for node in drawn.nodes if node.foldable and node.parent >= 0)
    yield Row("rows when all is folded", timed(rounds, lambda: drawn.rows(folds)), "ms")
    yield Row("first key of a filter", timed(rounds, lambda: outline(graph).matching("visitor pier")), "ms")
    words = cycle(("visitor pier", "garden", "somebody tower", "9. hall"))
    yield Row("a key of a filter", timed(rounds, lambda: drawn.matching(next(words))), "ms")
    yield Row("what leads to a section", timed(rounds, lambda: drawn.leading_to(drawn.nodes[0])), "ms")
    yield Row("lint", timed(rounds, lambda: lint(story, graph=graph)), "ms", "≤ 200")


def _story(written: Written, start: str) -> Story:
    sections = build(tuple[Section, ...], list(written.sections))
    triggers = build(tuple[Trigger, ...], list(written.triggers))
    return replace(Story.of(None, sections, triggers), start=start, enabled=True)


# -- from outside -----------------------------------------------------------------------------------------------------


class Run(NamedTuple):
    """One run: its start and, unless it is the bare program's, what was done with the tree."""

    start: Start
    presses: Mapping[str, list[Press]] = {}
    holds: Sequence[Hold] = ()
    memory: float | None = None


def run_bare(size: tuple[int, int]) -> Run:
    """Start the bare program."""
    with session(BARE, size, environment()) as running:
        return Run(running.start(READY))


def run_tree(size: tuple[int, int], environ: Mapping[str, str], profile: str, sections: int, presses: int) -> Run:
    """Start on the tree and go through it; fold and unfold everything; filter."""
    command = (CHARTUI, "--profile", profile, "--screen", "narrative", "--character", TELLER, "--fresh")
    with session(command, size, environ, limit=180.0) as running:
        start = running.start(f"{shown(sections)} sections")
        running.settle()
        moved = {kind: [press(running, key) for key in islice(cycle(keys), presses)] for kind, keys in MOVES.items()}
        press(running, "home")
        hold = running.hold("down")
        running.settle()
        press(running, "home")
        moved["fold all"] = [press(running, key) for key in "**" * 3]
        press(running, "/")
        moved["filter"] = [press(running, key) for key in ("p", "i", "e", "r")]
        return Run(start, moved, [hold], running.memory() / 2**20)


def measure(found: Mapping[str, Sequence[Run]]) -> list[Row]:
    """The figures of all runs at one size."""
    bare, tree = ([run.start for run in found[name]] for name in ("bare", "tree"))
    rows = [
        Row("shown, against bare", ratios(of(tree, "ready"), of(bare, "ready")), "×", "", 2),
        Row("shown", of(tree, "ready"), "ms"),
        Row("memory at the end", of(found["tree"], "memory"), "MiB"),
        Row("written until settled", of(tree, "size", 1e3), "kB"),
    ]
    for kind in MOVES:
        rows += rows_of(kind, [pressed for run in found["tree"] for pressed in run.presses[kind]])
    for kind in ("fold all", "filter"):
        last = of([pressed for run in found["tree"] for pressed in run.presses[kind]], "last")
        rows.append(Row(f"{kind}: last byte (95%: {late(last):.1f})", last, "ms", "≤ 100"))
    holds = [hold for run in found["tree"] for hold in run.holds]
    rows.append(Row("held at 30/s: last byte after the last press", of(holds, "drain"), "ms", "≤ 50"))
    rows.append(Row("held at 30/s: processor time of a press", of(holds, "cpu"), "ms"))
    return rows


# -- from inside ------------------------------------------------------------------------------------------------------


class Watched:
    """A backend that remembers when the sections were there."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.there = 0.0

    async def perform(self, operation: Operation, payload: Mapping[str, Wire], context: Context) -> Answer:
        """Perform, and look at the clock."""
        answer = await self._backend.perform(operation, payload, context)
        if operation.name == "list-sections":
            self.there = time.perf_counter()
        return answer

    async def aclose(self) -> None:
        """Close the backend."""
        await self._backend.aclose()


class Beat:
    """Looks at the clock again and again: the longest pause between two looks is how long the keys were deaf."""

    def __init__(self) -> None:
        self._task = asyncio.ensure_future(self._beat())
        self._last = time.perf_counter()
        self._longest = 0.0

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(LOOK)
            now = time.perf_counter()
            self._longest, self._last = max(self._longest, now - self._last), now

    def longest(self) -> float:
        """Milliseconds; from here on it is counted anew."""
        longest, self._longest = self._longest, 0.0
        return longest * 1000

    def end(self) -> None:
        """Look no more."""
        self._task.cancel()


class Inside(NamedTuple):
    """What one run of the program in this process took, in ms: until it was drawn, and the longest pause meanwhile."""

    opened: float
    opening: float
    read_again: float
    changed: float
    changing: float
    folding: float
    typing: float
    stepping: float


def inside(size: tuple[int, int], environ: Mapping[str, str]) -> Inside:
    """Open the story in this process, and do with it what somebody does."""
    os.environ.update({name: environ[name] for name in ("CHARTUI_DATA_DIR", "CHARTUI_CONFIG_DIR")})
    return asyncio.run(_inside(size, open_session(BUILT_IN["local"])))


async def _inside(size: tuple[int, int], opened: Session) -> Inside:
    from chartui.tui.app import ChartuiApp

    watched = Watched(opened.recorder)
    there = replace(opened, service=Service(watched, embedded=True))
    app: Any = ChartuiApp(there, screen_name="requests")
    async with app.run_test(size=size) as pilot:
        beat = Beat()

        async def until(holds: Callable[[], object]) -> float:
            while not holds():
                await asyncio.sleep(LOOK)
            await pilot.pause(0)
            return time.perf_counter()

        await until(lambda: app.screen._painted)
        beat.longest()
        app.character = TELLER
        app.work.show("narrative")
        await until(lambda: app.screen.SCOPE == "narrative")
        screen = app.screen
        drawn = await until(lambda: screen.state.outline is not None and screen._painted) - watched.there
        opening = beat.longest()
        before = screen.state.outline
        await pilot.press("f5")
        await until(lambda: screen.state.outline is not before)
        read_again = beat.longest()
        begin = time.perf_counter()
        story = screen.state.story
        screen.editor.story = story.with_section(next(iter(story.sections)), name="Renamed")
        screen.show_story()
        changed = await until(lambda: not screen.state.pending) - begin
        changing = beat.longest()
        await pilot.press("asterisk", "asterisk")
        folding = beat.longest()
        await pilot.press("slash", "p", "i", "e", "r", "escape")
        typing = beat.longest()
        await pilot.press(*("down", "pagedown", "end", "home") * 5)
        stepping = beat.longest()
        beat.end()
    return Inside(drawn * 1000, opening, read_again, changed * 1000, changing, folding, typing, stepping)


def measure_inside(found: Sequence[Inside]) -> list[Row]:
    """The figures of all runs."""
    return [
        Row("drawn after the data were there", of(found, "opened"), "ms", "≤ 200"),
        Row("a change drawn", of(found, "changed"), "ms"),
        *(
            Row(f"longest pause of the interface: {what}", of(found, name), "ms", "≤ 100")
            for name, what in (
                ("opening", "opened"),
                ("read_again", "read again"),
                ("changing", "one section changed"),
                ("folding", "all folded and unfolded"),
                ("typing", "a word typed into the filter"),
                ("stepping", "steps, pages, both ends"),
            )
        ),
    ]


def main() -> None:
    """Make the stories and measure on them."""
    parser = argparse.ArgumentParser(description="Measures the narrative screen with a large graph.")
    parser.add_argument("--rounds", type=int, default=3, help="runs (default: 3)")
    parser.add_argument("--sections", type=int, default=10_000, metavar="N", help="how many (default: 10000)")
    parser.add_argument("--presses", type=int, default=12, help="keys per kind of move (default: 12)")
    parser.add_argument("--size", type=size_of, action="append", metavar="80x24", help="default: 80x24 and 120x40")
    parser.add_argument("--story", choices=STORIES, action="append", help="kind of story (default: all)")
    parser.add_argument("--part", choices=("core", "inside", "outside", "served"), action="append", help="default: all")
    arguments = parser.parse_args()
    parts = arguments.part or ("core", "inside", "outside", "served")
    sizes = arguments.size or [(80, 24), (120, 40)]
    for name in arguments.story or STORIES:
        written = STORIES[name](arguments.sections)
        title = f"{name} of {arguments.sections} sections"
        if "core" in parts:
            show(f"{title}, the core alone", list(core(arguments.rounds, written)))
        with stored(written) as environ:
            if "inside" in parts:
                runs = [inside(sizes[0], environ) for _ in range(arguments.rounds + 1)]
                show(f"{title}, from inside", measure_inside(runs[1:]))
            count = (arguments.sections, arguments.presses)
            if "outside" in parts:
                _outside(title, sizes, arguments.rounds, environ, "local", count)
            if "served" in parts:
                with serving(environ) as served:
                    _outside(f"{title}, served", sizes, arguments.rounds, served, "served", count)


def _outside(
    title: str,
    sizes: Sequence[tuple[int, int]],
    rounds: int,
    environ: Mapping[str, str],
    profile: str,
    count: tuple[int, int],
) -> None:
    for size in sizes:
        cases = {"bare": partial(run_bare, size), "tree": partial(run_tree, size, environ, profile, *count)}
        show(f"{title} at {size[0]}x{size[1]}", measure(alternate(rounds, cases)))


if __name__ == "__main__":
    main()
