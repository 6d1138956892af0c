"""Names and texts of sections and triggers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from chartui.core.narrative.graph import visible_name
from chartui.core.narrative.speech import keys_of
from chartui.core.narrative.story import Story
from chartui.core.numbers import number_of
from chartui.core.text import single_line
from chartui.tui.drafts import TURNED
from chartui.tui.screens.narrative.spot import About
from chartui.tui.screens.narrative.writer import Writer, needs_name

#: The owner of a text: a section or a trigger.
_Whose = tuple[About, str]


class Texts:
    """Edits names in the entry line and longer texts in an editor."""

    def __init__(self, writer: Writer, search: Callable[[str], None]) -> None:
        """``search`` filters the tree."""
        self._writer = writer
        self._search = search

    def rename(self) -> None:
        """Rename the section or trigger."""
        spot, story = self._writer.spot, self._writer.story
        if self._writer.refuses() or story is None:
            return
        if spot.about is About.TRIGGER and spot.trigger is not None:
            what, item_id, called = About.TRIGGER, spot.trigger, story.triggers[spot.trigger].trigger_name
        elif spot.section is not None:
            what, item_id, called = About.SECTION, spot.section, story.sections[spot.section].section_name
        else:
            self._writer.nothing_here("a section or a trigger")
            return

        def named(name: str) -> None:
            change = partial(_changed, whose=(what, item_id), name=name)
            self._writer.change(change, f"rename the {what} to “{name}”")

        refusal = partial(trigger_name_refused, self._writer, item_id)
        question = f"New name for the {what} “{single_line(called or item_id, limit=40)}”"
        self._writer.ask(question, called or "", named, refusal if what is About.TRIGGER else needs_name)

    # -- everywhere ---------------------------------------------------------------------------------------------------

    def replace_text(self) -> None:
        """Ask for a text, suggesting that of the filter, and for its replacement throughout the story."""
        from chartui.core.narrative.replacement import texts_with

        if self._writer.refuses():
            return

        def found(old: str) -> int:
            return texts_with(self._writer.story, old) if old and self._writer.story is not None else 0

        def refusal(old: str) -> str:
            missing = f"“{single_line(old, limit=40)}” does not occur in the story."
            return "" if found(old) else missing if old else "Enter some text."

        def given(old: str) -> None:
            texts = number_of(found(old), "text")
            question = f"Replace “{single_line(old, limit=40)}” in {texts} with … (leave empty to delete)"
            self._writer.ask(question, old, partial(self._ask_for_words, old), partial(self._replacement_refused, old))

        question = "Text to replace in all names, criteria, objectives and messages (case-sensitive)"
        self._writer.ask(question, self._writer.desk.state.query.strip(), given, refusal)

    def _replacement_refused(self, old: str, new: str) -> str:
        from chartui.core.narrative.replacement import BadReplacement, occurrences_of, replaced

        story = self._writer.story
        if story is None:
            return ""
        found = occurrences_of(story, old)
        try:
            replaced(story, old, new, whole_words=bool(found.whole and found.inside))
        except BadReplacement as error:
            return str(error)
        return ""

    def _ask_for_words(self, old: str, new: str) -> None:
        """Replace the text. If only some occurrences are whole words, ask which ones to replace."""
        from chartui.core.narrative.replacement import occurrences_of

        if self._writer.story is None:
            return
        found = occurrences_of(self._writer.story, old)
        if not (found.whole and found.inside) or old == new:
            self._replace(old, new)
            return
        title = f"“{single_line(old, limit=20)}” is also part of {found.named}"
        whole = f"Replace only {number_of(found.whole, 'whole word')}"
        every = f"Replace all {number_of(found.whole + found.inside, 'occurrence')}"
        replacing = partial(self._replace, old, new)
        self._writer.choose(title, {whole: partial(replacing, whole_words=True), every: replacing})

    def _replace(self, old: str, new: str, *, whole_words: bool = False) -> None:
        from chartui.core.narrative.replacement import BadReplacement, occurrences_of, replaced, replaced_in

        story, desk = self._writer.story, self._writer.desk
        if story is None:
            return
        try:
            made = replaced(story, old, new, whole_words=whole_words)
        except BadReplacement as error:
            self._writer.tell(str(error), title="Nothing was changed")
            return
        if self._writer.change(lambda _: made.story, f"replace “{old}” with “{new}”"):
            # Otherwise a filter for the old text would leave the tree empty.
            query, _ = replaced_in(desk.state.query, old, new, ignore_case=True, whole_words=whole_words)
            if query != desk.state.query:
                self._search(query)
            found = occurrences_of(story, old) if whole_words else None
            left = f" {found.counted_inside} left unchanged." if found is not None else ""
            review, undo = desk.label("apply-story"), desk.label("undo-edit")
            told = f"Staged: {made.counted} replaced.{left} {review} reviews the changes, and {undo} reverts them."
            self._writer.tell(told, topic=TURNED)

    # -- texts --------------------------------------------------------------------------------------------------------

    def write_objective(self) -> None:
        """Edit the section's objective or the trigger's message in the editor."""
        found = self._text_here()
        if found is None:
            return
        from chartui.tui.widgets.editor import Editor

        what, text, whose = found
        title, field = f"Edit the {what}", ":".join(whose)
        keys = keys_of(self._writer.desk.state.outline.graph) if self._writer.desk.state.outline is not None else ()

        def meanwhile(now: str) -> None:
            story = self._writer.story
            if story is not None:
                with suppress(LookupError):  # gone in the meantime; reported when the editor closes
                    self._writer.desk.editor.type(_changed(story, whose, text=now), title, field)

        def left(now: str | None) -> None:
            if now is not None and now != text:
                self._writer.change(lambda story: _changed(story, whose, text=now), title, field=field)
            else:
                meanwhile(text)

        heading, hint = f"{what[:1].upper()}{what[1:]}", "staged as you type; not applied yet"
        self._writer.open(Editor(heading, text, changed=meanwhile, hint=hint, keys=keys), left)

    def write_outside(self) -> None:
        found = self._text_here()
        if found is not None:
            self._writer.desk.start(partial(self._edit_outside, *found), group="outside")

    async def _edit_outside(self, what: str, text: str, whose: _Whose) -> None:
        from chartui.tui.external_editor import edit_outside

        edited = await edit_outside(self._writer.desk.workbench, text, title=what)
        if edited.text is None:
            self._writer.tell(edited.told, title=f"{what[:1].upper()}{what[1:]}")
        else:
            now = edited.text
            self._writer.change(lambda story: _changed(story, whose, text=now), f"Edit the {what}")

    def _text_here(self) -> tuple[str, str, _Whose] | None:
        """The text at the cursor: its title, its current value, and its section or trigger."""
        spot, story = self._writer.spot, self._writer.story
        if self._writer.refuses() or story is None:
            return None
        if spot.about is About.TRIGGER and spot.trigger is not None:
            trigger = story.triggers[spot.trigger]
            name = single_line(visible_name(trigger.trigger_name, spot.trigger), limit=40)
            return f"message of “{name}”", trigger.trigger_message or "", (About.TRIGGER, spot.trigger)
        if spot.section is not None:
            section = story.sections[spot.section]
            name = single_line(visible_name(section.section_name, spot.section), limit=40)
            return f"objective of “{name}”", section.objective or "", (About.SECTION, spot.section)
        self._writer.nothing_here("a section, decision or trigger")
        return None


def trigger_name_refused(writer: Writer, trigger_id: str, name: str) -> str:
    """The reason a trigger can't have this name (C 2.4); empty if it can."""
    triggers = writer.story.triggers if writer.story is not None else {}
    if any(one.trigger_name == name for key, one in triggers.items() if key != trigger_id):
        return "Another trigger already has this name."
    return needs_name(name)


def _changed(story: Story, whose: _Whose, *, name: str | None = None, text: str | None = None) -> Story:
    """The story with a new name or text for a section or trigger. Raises ``LookupError`` if it is gone."""
    about, item_id = whose
    if about is About.TRIGGER:
        return story.with_trigger(story.triggers[item_id].trigger_id, name=name, message=text)
    return story.with_section(story.sections[item_id].section_id, name=name, objective=text)
