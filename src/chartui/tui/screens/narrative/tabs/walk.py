"""The walk tab: plays the story from section to section. Sends nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from textual import on

from chartui.core.narrative.graph import Graph
from chartui.core.narrative.nodes import section_node
from chartui.core.narrative.speech import keys_of
from chartui.core.narrative.walk.path import Step, Walk, Way, passed_ending_text, titled_transcript
from chartui.core.text import single_line
from chartui.tui.bindings import sign_of
from chartui.tui.screens.narrative.state import UNTIL_NEXT_KEY, Desk, NarrativeState, Tab
from chartui.tui.screens.narrative.tabs.tab import StoryTab
from chartui.tui.screens.narrative.tabs.walk_rows import RecordOn, SuiteWalk, Visit
from chartui.tui.screens.narrative.tabs.walk_text import Playing, report_text
from chartui.tui.screens.narrative.tabs.walk_view import WalkView
from chartui.tui.widgets.line_view import LineView
from chartui.tui.widgets.screen import Copyable

if TYPE_CHECKING:
    from chartui.core.narrative.signs import Untested
    from chartui.core.narrative.walk.random_walks import RandomWalks
    from chartui.core.narrative.walk.replay import Replayed
    from chartui.core.narrative.walk.suite import NamedWalk, SuiteResult


#: Names of a walk's commands in the legend.
_LEGEND: Final = {
    "write-file": "save walk",
    "replay-walk": "replay",
    "random-walks": "random",
    "fill-keys": "values",
    "restart-walk": "restart",
}


_NO_SECTION: Final = "Select a section first."


class WalkTab(StoryTab):
    """The walk of each character and its template values, kept while the screen exists."""

    def __init__(self, desk: Desk) -> None:
        self.view = WalkView(id="walk")
        super().__init__(desk, self.view, id="walk-tab")
        self._plays: dict[str, Playing] = {}
        self._random: RandomWalks | None = None
        #: The saved walks that were last replayed together, by character; first those of the remembered folder.
        self._saved: dict[str, Sequence[NamedWalk]] = {}
        #: The folders of the walks that were last replayed, by character.
        self.folders: dict[str, str] = {}
        #: The way that was last shown; unless it was continued, another one replaces it without a question.
        self._way: tuple[Step, ...] = ()

    @property
    def saved(self) -> Sequence[NamedWalk]:
        """The saved walks that were last replayed for the character."""
        return self._saved.get(self._desk.state.wanted or "", ())

    async def remember(self) -> None:
        """Read the walks of the remembered folder, unless walks of the character have been replayed or read."""
        from chartui.core.narrative.walk.suite import walks_in
        from chartui.tui.shell.files import reason

        wanted = self._desk.state.wanted or ""
        if wanted in self._saved or wanted not in self.folders:
            return
        try:
            walks = await asyncio.to_thread(walks_in, Path(self.folders[wanted]))
        except (OSError, ValueError) as error:
            self._desk.workbench.tell(f"Saved walks are not counted: {reason(error)}.", severity="warning")
            walks = []
        self._saved.setdefault(wanted, walks)

    @property
    def keys(self) -> dict[str, str]:
        """The template values of the character's walk."""
        playing = self._plays.get(self._desk.state.wanted or "")
        return dict(playing.keys) if playing is not None else {}

    # -- showing ------------------------------------------------------------------------------------------------------

    def playing(self) -> Playing | None:
        """The walk in the current story; None without a story."""
        state = self._desk.state
        if state.outline is None or state.wanted is None:
            return None
        graph, playing = state.outline.graph, self._plays.get(state.wanted)
        if playing is None:
            playing = Playing.beginning(graph, self._section_at_hand)
        elif playing.walk.graph is not graph:
            playing = playing.retold(graph)
            if playing.suite is not None:
                playing = replace(playing, suite=self._replay_all(graph, playing))
        self._plays[state.wanted] = playing
        return playing

    @property
    def _section_at_hand(self) -> str | None:
        node, outline = self._desk.at_hand, self._desk.state.outline
        section_id = node.section if node is not None else None
        return section_id if outline is not None and section_id in outline.graph.sections else None

    def show(self, state: NarrativeState) -> None:  # noqa: ARG002 - the walk follows the desk's state
        if not self.view.has_focus:
            self._begin_at_hand()
        self._show(self.playing())

    def _show(self, playing: Playing | None) -> None:
        graph = playing.walk.graph if playing is not None else None
        filled = graph is not None and bool(graph.sections or graph.triggers)
        self.view.show(playing if filled else None, note=self.emptiness("Play the story here, section by section."))
        self._name_keys(playing)

    def on_descendant_focus(self) -> None:
        """Name the keys that work now."""
        self._name_keys(self.playing())

    on_descendant_blur = on_descendant_focus

    def _name_keys(self, playing: Playing | None) -> None:
        key, reading = self._desk.label, self.view.has_focus
        if playing is None:
            keys = ""
        elif playing.listing and not reading:
            keys = f"{sign_of(self, 'tab')} reads the report"
        elif playing.replayed is not None:
            keys = "esc back to the walks" if playing.suite is not None else "esc resumes the walk"
        elif playing.suite is not None:
            keys = f"{sign_of(self, 'enter')} shows the walk or the item · esc back to the walk"
        elif playing.coverage is not None:
            keys = f"{sign_of(self, 'enter')} shows the item in the tree · esc back to the walk"
        else:
            takes = ["1–9 take", *([f"{sign_of(self, 'backspace')} back"] if reading else [])]
            keys = " · ".join(
                [*takes, *(f"{key(command)} {word}" for command, word in _LEGEND.items() if key(command))]
            )
        self.say(keys)

    def _begin_at_hand(self) -> None:
        """Start the walk at the tree's cursor if nothing was chosen in it yet."""
        playing, section_id = self.playing(), self._section_at_hand
        if playing is None or section_id is None or playing.choices or playing.listing:
            return
        if section_id not in {step.section for step in playing.walk.steps}:
            self._keep(playing.going(Walk.begin(playing.walk.graph, section_id)))

    def _keep(self, playing: Playing) -> None:
        if self._desk.state.wanted is not None:
            self._plays[self._desk.state.wanted] = playing

    def _go_on(self, playing: Playing) -> None:
        """Show a new state of the walk; the tree follows."""
        if not self.view.has_focus:
            self._desk.open_tab(Tab.WALK)
        self._keep(playing)
        self._show(playing)
        if playing.walk.here is not None:
            self._follow(playing.walk.here)

    def _follow(self, section_id: str) -> None:
        """Move the tree's cursor to a section, without a jump to go back along."""
        self._desk.go_to(section_node(section_id), jump=False)

    # -- playing ------------------------------------------------------------------------------------------------------

    def play(self) -> None:
        """Start a walk at the selected section; ask if another walk is open, and resume it at its own section."""
        playing, section_id = self.playing(), self._section_at_hand
        if playing is None or section_id is None or (self.view.has_focus and not playing.listing):
            self._desk.open_tab(Tab.WALK)
        elif section_id in {step.section for step in playing.walk.latest}:
            self._leave_list(playing)
        elif playing.choices:
            graph = playing.walk.graph
            there = single_line(graph.section_name(section_id), limit=60)
            choices = {
                f"Start a new walk at “{there}”": Walk.begin(graph, section_id),
                self._resuming(playing): playing.walk,
                f"Jump to “{there}” in this walk": playing.walk.jump(section_id),
            }
            self._desk.start(partial(self._choose_walk, playing, choices), group="walk")
        else:
            self._go_on(playing.going(Walk.begin(playing.walk.graph, section_id)))

    @on(WalkView.Anew)
    def _start_anew(self) -> None:
        playing = self.playing()
        if playing is None or not playing.walk.steps:
            self._desk.workbench.tell(_NO_SECTION)
            return
        graph = playing.walk.graph
        places = dict.fromkeys(one for one in (playing.walk.here, graph.start) if one and one in graph.sections)
        choices = {
            f"Start a new walk at “{single_line(graph.section_name(one), limit=60)}”": Walk.begin(graph, one)
            for one in places
        }
        choices[self._resuming(playing)] = playing.walk
        self._desk.start(partial(self._choose_walk, playing, choices), group="walk")

    def show_way(self) -> None:
        """Open the shortest path from the start to the selected section as a walk; ask if another walk is open."""
        playing, tell = self.playing(), self._desk.workbench.tell
        start = playing.walk.graph.start if playing is not None else None
        if playing is None or self._section_at_hand is None:
            tell(_NO_SECTION)
        elif start is None or start not in playing.walk.graph.sections:
            tell("The story has no start section.")
        else:
            self._show_way(start, "the start")

    async def show_way_from(self) -> None:
        """Ask for a section, and open the shortest path from there to the selected section."""
        from chartui.tui.screens.narrative.dialogs import section_choices
        from chartui.tui.widgets.chooser import Chooser

        section_id, story = self._section_at_hand, self._desk.state.story
        if section_id is None or story is None:
            self._desk.workbench.tell(_NO_SECTION)
            return
        graph = story.graph()
        title = f"Path to “{single_line(graph.section_name(section_id), limit=30)}” from"
        choices = section_choices(story, without=[section_id])
        origin = await self.app.push_screen_wait(Chooser(title, choices, story.start))
        if origin is not None:
            self._show_way(origin, f"“{single_line(graph.section_name(origin), limit=60)}”")

    def _show_way(self, origin: str, whence: str) -> None:
        """Open the shortest path from a section, ``whence`` in words, to the selected section."""
        from chartui.core.narrative.walk.reach import shortest_walk

        playing, section_id = self.playing(), self._section_at_hand
        if playing is None or section_id is None:
            return
        graph = playing.walk.graph
        name = single_line(graph.section_name(section_id), limit=60)
        if (way := shortest_walk(graph, origin, section_id)) is None:
            self._desk.workbench.tell(f"“{name}” can't be reached from {whence}.")
        elif playing.choices and playing.walk.steps not in (way.steps, self._way):
            choices = {f"Show the path to “{name}”": way, self._resuming(playing): playing.walk}
            self._desk.start(partial(self._choose_walk, playing, choices, way), group="walk")
        else:
            self._open_way(playing, way)

    def _open_way(self, playing: Playing, way: Walk) -> None:
        self._way = way.steps
        self._go_on(playing.replacing(way))
        if passed := passed_ending_text(way):
            self._desk.workbench.tell(passed)

    def _resuming(self, playing: Playing) -> str:
        here = playing.walk.graph.section_name(playing.walk.here or "")
        return f"Resume the walk at “{single_line(here, limit=60)}”"

    async def _choose_walk(self, playing: Playing, choices: Mapping[str, Walk], way: Walk | None = None) -> None:
        """Ask for one of several walks, given by their labels; one of them may be a ``way``."""
        from chartui.tui.widgets.chooser import Choice, Chooser

        chosen = await self.app.push_screen_wait(Chooser("Walk", [Choice(label, label) for label in choices]))
        if chosen is not None and choices[chosen] is way:
            self._open_way(playing, way)
        elif chosen is not None:
            walk = choices[chosen]
            self._go_on(playing.going(walk) if walk.choices else playing.replacing(walk))

    @on(WalkView.Wanted)
    def _target_wanted(self, message: WalkView.Wanted) -> None:
        playing, target = self.playing(), message.target
        if playing is None:
            return
        if isinstance(target, Visit):
            self._desk.show_tree()  # the focus stays in the list; the tree shows the place
            self._desk.go_to(target.node, jump=False)
        elif isinstance(target, SuiteWalk):
            if playing.suite is not None:
                self._show_replay(playing, playing.suite.results[target.number].replayed)
        elif isinstance(target, RecordOn):
            self._record_on(playing)
        elif not target.exists:
            target_id = target.edge.target if isinstance(target, Way) else target.target
            absence = playing.walk.graph.absence(target_id)
            self._desk.workbench.tell(f"The target {absence}, so the walk cannot go there.", severity="warning")
        else:
            walk = playing.walk
            self._go_on(playing.going(walk.take(target) if isinstance(target, Way) else walk.fire(target)))

    @on(LineView.Moved, "#walk")
    def _moved(self) -> None:
        """Name in the footer what Enter does here."""
        self.refresh_bindings()

    @on(WalkView.NotOffered)
    def _not_offered(self, message: WalkView.NotOffered) -> None:
        self._desk.workbench.tell(f"No decision {message.number} here.", topic=UNTIL_NEXT_KEY)

    @on(WalkView.Back)
    def _back(self) -> None:
        playing = self.playing()
        if playing is None or self.go_back():
            return
        if playing.walk.choices:
            self._go_on(playing.going(playing.walk.back()))
        elif playing.before is not None:
            self._keep(replace(playing.before, keys=playing.keys))
            if (before := self.playing()) is not None:
                self._go_on(before)
        else:
            self._desk.workbench.tell("The walk started here. Esc returns to the tree.", topic=UNTIL_NEXT_KEY)

    def go_back(self) -> bool:
        """Return from a report to the walk; False without a report."""
        playing = self.playing() if self.view.has_focus else None
        if playing is None or not playing.listing:
            return False
        self._leave_list(playing)
        return True

    def _leave_list(self, playing: Playing) -> None:
        self._go_on(playing.closing())

    def _record_on(self, playing: Playing) -> None:
        """Continue a replayed walk, which keeps its expectations when it is saved."""
        if playing.replayed is None:
            return
        script, walk = playing.replayed.script, playing.replayed.retraced.walk
        self._go_on(replace(playing.going(walk), keys={**playing.keys, **script.keys}, said=script.said))
        self._desk.workbench.tell(f"Recording continues. {self._desk.label('write-file')} saves the walk.")

    def begin_again(self) -> None:
        playing = self.playing()
        if playing is None:
            return
        if not playing.choices and not playing.listing:
            self._desk.workbench.tell("The walk is at its beginning.", topic=UNTIL_NEXT_KEY)
        elif playing.choices:
            back = self._desk.label("step-back-in-walk")
            self._desk.workbench.tell(f"Restarted the walk. {back} returns to the previous one.", topic=UNTIL_NEXT_KEY)
        self._go_on(playing.replacing(playing.walk.again()))

    # -- keys ---------------------------------------------------------------------------------------------------------

    def fill_keys(self) -> None:
        self._desk.start(self._ask_for_keys, group="keys")

    async def _ask_for_keys(self) -> None:
        from chartui.tui.screens.narrative.dialogs import KeysForm

        playing, wanted = self.playing(), self._desk.state.wanted
        if playing is None:
            return
        names = dict.fromkeys((*keys_of(playing.walk.graph), *playing.keys))
        if not names:
            self._desk.workbench.tell("No text in this story has a template key such as {Name}.")
            return
        values = await self.app.push_screen_wait(KeysForm(tuple(names), playing.keys))
        playing = self.playing()
        if values is not None and playing is not None and wanted == self._desk.state.wanted:
            self._go_on(replace(playing, keys=values))

    # -- random walks -------------------------------------------------------------------------------------------------

    async def walk_at_random(self) -> None:
        """Ask for the number of walks, run them and show their coverage."""
        from chartui.core.narrative.walk.random_walks import RandomWalks, random_walks
        from chartui.tui.screens.narrative.dialogs import AskRandomWalks, random_walks_in

        before = self._random or RandomWalks(seed=1, walks=200, steps=200)
        playing, wanted = self.playing(), self._desk.state.wanted
        if playing is None or not playing.walk.steps:
            self._desk.workbench.tell("No section to start from.")
            return
        graph = playing.walk.graph
        start = graph.start if graph.start in graph.sections else playing.walk.beginning.id
        answer = await self.app.push_screen_wait(AskRandomWalks(before))
        if answer is None:
            return
        walks = self._random = random_walks_in(answer, before) or before
        # In the background, since thousands of steps take a moment.
        coverage = await asyncio.to_thread(random_walks, graph, walks._replace(start=start))
        playing = self.playing()
        if playing is not None and wanted == self._desk.state.wanted:
            self._go_on(replace(playing, coverage=coverage, suite=None, replayed=None))
            self._mark(coverage.coverage.untested)

    # -- files --------------------------------------------------------------------------------------------------------

    def _as_file(self) -> Copyable | None:
        from chartui.core.narrative.walk.replay import script_of, walk_toml
        from chartui.core.narrative.walk.suite import NOT_A_WALK, SUFFIX

        playing, character = self.playing(), self._desk.state.character
        if playing is None or not playing.walk.steps or character is None:
            return None
        name = character.character_name or ""
        script = script_of(playing.walk, playing.keys, character_id=character.character_id, character_name=name)
        try:
            text = walk_toml(replace(script, said=playing.said))
            title = f"Replayable walk: {single_line(name, limit=40)}"
            folder = self.folders.get(character.character_id, "")
            return Copyable(title, text, SUFFIX, _ends_of(playing.walk), folder, NOT_A_WALK)
        except ValueError:  # a lone surrogate, which no file can hold
            return None

    def copy_choices(self) -> Sequence[Copyable]:
        playing = self.playing()
        if playing is None or not playing.walk.steps:
            return ()

        name = self._desk.state.name
        said = Copyable("Transcript of the walk", partial(titled_transcript, playing.walk, playing.keys, name))
        report = Copyable("Report as shown", partial(report_text, playing)) if playing.listing else None
        return [text for text in (report, self._as_file(), said) if text is not None]

    def save(self) -> None:
        """Ask for a file and write the walk to it, to be replayed later."""
        if (walk := self._as_file()) is not None:
            self._desk.offer(walk, as_file=True)
        else:
            self._desk.workbench.tell("No walk to save.")

    async def replay(self) -> None:
        """Ask for a saved walk or a folder, and replay one walk or all of them."""
        from chartui.core.narrative.walk.replay import replay
        from chartui.tui.screens.narrative.dialogs import OpenWalk, WalkChooser

        wanted = self._desk.state.wanted
        opened = await self.app.push_screen_wait(OpenWalk(self.folders.get(wanted or "")))
        if opened is None:
            return
        walks, suite, folder = opened
        self.folders[wanted or ""] = str(folder.absolute())
        if len(walks) > 1:
            name = await self.app.push_screen_wait(WalkChooser(walks))
            suite = name == WalkChooser.ALL
            walks = walks if suite else [one for one in walks if one.name == name]
        playing = self.playing()
        if not walks or playing is None or wanted != self._desk.state.wanted:
            return
        self._saved[wanted or ""] = walks
        if not suite:
            self._show_replay(replace(playing, suite=None), replay(walks[0].script, playing.walk.graph))
            return
        results = self._replay_all(playing.walk.graph, playing)
        self._go_on(replace(playing, suite=results, coverage=None, replayed=None))

    def _replay_all(self, graph: Graph, playing: Playing) -> SuiteResult:
        """Replay the walks of the last folder, and mark in the tree and the map what they do not reach."""
        from chartui.core.narrative.walk.suite import SuiteResult

        suite = SuiteResult.replaying(graph, self._saved[self._desk.state.wanted or ""], playing.keys)
        self.call_later(self._mark, suite.coverage.untested)
        return suite

    def _mark(self, untested: Untested) -> None:
        if untested != self._desk.state.untested:
            self._desk.show_state(replace(self._desk.state, untested=untested))
            self._desk.show_tabs()

    def _show_replay(self, playing: Playing, replayed: Replayed) -> None:
        keys = {**playing.keys, **replayed.script.keys}
        walk = replayed.retraced.walk
        self._go_on(replace(playing.replacing(walk), keys=keys, suite=playing.suite, replayed=replayed))


def _ends_of(walk: Walk) -> str:
    """The first and the last section of a walk, to name its file."""
    first, last = (walk.graph.section_name(one or "")[:28] for one in (walk.beginning.id, walk.here))
    return f"{first} to {last}" if walk.choices else first
