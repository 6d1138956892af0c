"""The part of the narrative screen that plays the story."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.content import Content

from chartui.core.narrative.graph import Graph
from chartui.core.narrative.nodes import section_node
from chartui.core.narrative.speech import keys_in
from chartui.core.narrative.walk.path import Walk, Way
from chartui.core.text import single_line
from chartui.tui.bindings import sign_of
from chartui.tui.screens.narrative.linting import LintingStory
from chartui.tui.screens.narrative.state import Pane
from chartui.tui.screens.narrative.walk_rows import Playing, Spot
from chartui.tui.screens.narrative.walk_view import WalkView
from chartui.tui.widgets.screen import Copyable

if TYPE_CHECKING:
    from chartui.core.narrative.walk.coverage import RandomWalks

__all__ = ["WalkingStory"]


class WalkingStory(LintingStory):
    """Fills the pane with the walk. What is played is the story as it is being written; nothing of it is sent.

    Each character keeps its walk and the values of its keys as long as the screen is there.
    """

    def __init__(self) -> None:
        super().__init__()
        self._plays: dict[str, Playing] = {}
        self._chance: RandomWalks | None = None

    # -- showing ------------------------------------------------------------------------------------------------------

    @property
    def _played_graph(self) -> Graph | None:
        """What is played."""
        return self.state.outline.graph if self.state.outline is not None else None

    def _playing_now(self) -> Playing | None:
        """The walk, in the story as it is now; None where there is no story."""
        graph, wanted = self._played_graph, self.state.wanted
        if graph is None or wanted is None:
            return None
        playing = self._plays.get(wanted)
        if playing is None:
            playing = Playing.beginning(graph, self._section_at_hand)
        elif playing.walk.graph is not graph:
            playing = playing.retold(graph)
        self._plays[wanted] = playing
        return playing

    @property
    def _section_at_hand(self) -> str | None:
        """The section that the cursor of the tree is at."""
        node, graph = self.node, self._played_graph
        section_id = node.section if node is not None else None
        return section_id if graph is not None and section_id in graph.sections else None

    def show_panes(self) -> None:
        """Show the walk while that is what is looked at."""
        super().show_panes()
        if self.state.pane is Pane.WALK:
            if not self.panes.walk.has_focus:
                self._begin_walk_at_hand()
            self._show_walk(self._playing_now())

    def _show_walk(self, playing: Playing | None) -> None:
        self.panes.walk.show(playing, note="There is no story to play yet.")
        key = self.keymap_label
        if playing is None:
            keys = ""
        elif playing.replayed is not None:
            keys = "esc goes on from where it ended"
        elif playing.coverage is not None:
            keys = f"{sign_of(self, 'enter')} shows it in the tree · esc back to the walk"
        else:
            again, fill, chance = map(key, ("walk-again", "fill-keys", "walk-by-chance"))
            keys = f"1–9 take · {sign_of(self, 'backspace')} back · {again} again · {fill} keys · {chance} by chance"
        self.panes.border_subtitle = Content(keys)

    def _begin_walk_at_hand(self) -> None:
        """Let a walk on which nothing was chosen yet begin where the cursor of the tree is."""
        playing, section_id = self._playing_now(), self._section_at_hand
        if playing is None or section_id is None or playing.choices or playing.listing:
            return
        if section_id not in {step.section for step in playing.walk.steps}:
            self._keep_playing(playing.going(Walk.begin(playing.walk.graph, section_id)))

    def _keep_playing(self, playing: Playing) -> None:
        if self.state.wanted is not None:
            self._plays[self.state.wanted] = playing

    def _show_playing(self, playing: Playing) -> None:
        """Show another state of playing, and let the tree follow."""
        if self.state.pane is not Pane.WALK:
            self._go_to_walk()
        self._keep_playing(playing)
        self._show_walk(playing)
        if playing.walk.here is not None:
            self._follow_walk(playing.walk.here)

    def _go_to_walk(self) -> None:
        super().open_pane(Pane.WALK)
        if self.has_class("-narrow"):
            self.fill_window(True)

    def _follow_walk(self, section_id: str) -> None:
        """Put the cursor of the tree on a section; that is no jump that one takes back there."""
        node = self.state.outline.find(section_node(section_id)) if self.state.outline is not None else None
        if node is not None and node is not self.node:
            self.go_to(node)

    # -- playing ------------------------------------------------------------------------------------------------------

    def open_pane(self, pane: Pane) -> None:
        """To the walk from a section of the tree: it begins there, or jumps there from where it stands."""
        if pane is not Pane.WALK:
            super().open_pane(pane)
            return
        playing, section_id = self._playing_now(), self._section_at_hand
        elsewhere = not self.panes.walk.has_focus or (playing is not None and playing.listing)
        self._go_to_walk()
        if playing is None or section_id is None or not elsewhere:
            return
        walk = playing.walk
        if section_id not in {step.section for step in walk.latest}:
            walk = walk.jump(section_id) if playing.choices else Walk.begin(walk.graph, section_id)
            self._show_playing(playing.going(walk))
        else:
            self._show_playing(replace(playing, coverage=None, replayed=None))

    @on(WalkView.Wanted)
    def _walk_wanted(self, message: WalkView.Wanted) -> None:
        playing, target = self._playing_now(), message.target
        if playing is None:
            return
        if isinstance(target, Spot):
            self.remove_class("-full")  # the keys stay in the list, and the tree beside it shows the place
            self._follow_walk(target.section)
        elif not target.exists:
            target_id = target.edge.target if isinstance(target, Way) else target.target
            absence = playing.walk.graph.absence(target_id)
            self.workbench.tell(f"Its target {absence}, so the walk cannot go there.", severity="warning")
        else:
            walk = playing.walk
            self._show_playing(playing.going(walk.take(target) if isinstance(target, Way) else walk.fire(target)))

    @on(WalkView.Back)
    def _walk_back(self) -> None:
        playing = self._playing_now()
        if playing is None or self._leave_walk_list(playing):
            return
        if playing.walk.choices:
            self._show_playing(playing.going(playing.walk.back()))
        else:
            self.workbench.tell("The walk began here. Escape leads back to the tree.")

    def _leave_walk_list(self, playing: Playing) -> bool:
        """From a list about walks back to the walk; False where no list is shown."""
        if playing.listing:
            self._show_playing(replace(playing, coverage=None, replayed=None))
            return True
        return False

    def action_go_back(self) -> None:
        """From a list about walks to the walk; else as everywhere."""
        playing = self._playing_now() if self.panes.walk.has_focus else None
        if playing is None or not self._leave_walk_list(playing):
            super().action_go_back()

    def action_walk_again(self) -> None:
        """Begin again where the walk began."""
        playing = self._playing_now()
        if playing is not None:
            self._show_playing(playing.going(playing.walk.again()))

    # -- keys ---------------------------------------------------------------------------------------------------------

    def action_fill_keys(self) -> None:
        """Ask what the template keys stand for."""
        self.start(self._ask_for_keys, group="keys")

    async def _ask_for_keys(self) -> None:
        from chartui.tui.screens.narrative.walk_asking import KeysForm

        playing, wanted = self._playing_now(), self.state.wanted
        if playing is None:
            return
        names = dict.fromkeys((*_keys_of(playing.walk.graph), *playing.keys))
        if not names:
            self.workbench.tell("No text of this story holds a template key, such as {Name}.")
            return
        values = await self.app.push_screen_wait(KeysForm(tuple(names), playing.keys))
        playing = self._playing_now()
        if values is not None and playing is not None and wanted == self.state.wanted:
            self._show_playing(replace(playing, keys=values))

    # -- by chance ----------------------------------------------------------------------------------------------------

    def action_walk_by_chance(self) -> None:
        """Ask how many walks, and list what they did not come to."""
        self.start(self._walk_by_chance, group="chance")

    async def _walk_by_chance(self) -> None:
        from chartui.core.narrative.walk.coverage import RandomWalks, random_walks
        from chartui.tui.screens.narrative.walk_asking import ByChance, chance

        before = self._chance or RandomWalks(seed=1, walks=200, steps=200)
        playing, wanted = self._playing_now(), self.state.wanted
        if playing is None or not playing.walk.steps:
            self.workbench.tell("There is no section to begin with.")
            return
        graph = playing.walk.graph
        start = graph.start if graph.start in graph.sections else playing.walk.beginning.id
        answer = await self.app.push_screen_wait(ByChance(before))
        if answer is None:
            return
        walks = self._chance = chance(answer, before) or before
        # Beside the keyboard: thousands of steps take a moment.
        coverage = await asyncio.to_thread(random_walks, graph, walks._replace(start=start))
        playing = self._playing_now()
        if playing is not None and wanted == self.state.wanted:
            self._show_playing(replace(playing, coverage=coverage, replayed=None))
            self._go_to_walk()

    # -- files --------------------------------------------------------------------------------------------------------

    def action_write_walk(self) -> None:
        """Write the walk to a file."""
        from chartui.tui.shell.files import offer_text

        copyable = self._walk_as_file()
        if copyable is None:
            self.workbench.tell("There is no walk that a file could hold: play the story first.")
        else:
            offer_text(self, copyable)

    def _walk_as_file(self) -> Copyable | None:
        from chartui.core.narrative.walk.replay import script_of, walk_toml

        playing, character = self._playing_now(), self.state.character
        if playing is None or not playing.walk.steps or character is None:
            return None
        name = character.character_name or ""
        script = script_of(playing.walk, playing.keys, character_id=character.character_id, character_name=name)
        try:
            return Copyable(f"Walk of {single_line(name, limit=40)}", walk_toml(script), ".toml")
        except ValueError:  # half a character, which no file can hold
            return None

    def copy_choices(self) -> Sequence[Copyable]:
        """The walk and what is said on it besides the rest, while it is looked at."""
        playing = self._playing_now() if self.state.pane is Pane.WALK else None
        if playing is None or not playing.walk.steps:
            return super().copy_choices()
        from chartui.core.narrative.walk.path import transcript

        said = Copyable("What is said on the walk", partial(transcript, playing.walk, playing.keys))
        walk = self._walk_as_file()
        return [*super().copy_choices(), said, *([walk] if walk is not None else [])]

    def action_replay_walk(self) -> None:
        """Ask for a file, and go its walk."""
        self.start(self._go_file_again, group="replay")

    async def _go_file_again(self) -> None:
        from chartui.core.narrative.walk.replay import replay
        from chartui.tui.screens.narrative.walk_asking import OpenWalk

        wanted = self.state.wanted
        script = await self.app.push_screen_wait(OpenWalk())
        playing = self._playing_now()
        if script is None or playing is None or wanted != self.state.wanted:
            return
        replayed = replay(script, playing.walk.graph)
        keys = {**playing.keys, **script.keys}
        self._show_playing(replace(playing.going(replayed.retraced.walk), keys=keys, replayed=replayed))
        self._go_to_walk()


def _keys_of(graph: Graph) -> tuple[str, ...]:
    """The template keys that are mentioned anywhere in a story."""
    sections = graph.sections.values()
    return keys_in(
        (
            *(section.objective for section in sections),
            *(edge.criteria for edges in graph.edges.values() for edge in edges),
            *(trigger.trigger_message for trigger in graph.triggers.values()),
        )
    )
