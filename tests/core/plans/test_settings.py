"""Staged settings: what is a change, what is said about it before it is sent, and the plan that sends it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartui.core.characters.models import Model, Models, from_catalogue, from_service
from chartui.core.clock import seeded_ids
from chartui.core.jsontext import Wire, dumps, loads
from chartui.core.plans.plan import Change
from chartui.core.plans.settings import (
    MEMBERS,
    BadDraft,
    Conflict,
    Staged,
    as_text,
    conflicts,
    plan,
    problems,
    refused_member,
    staged_from_wire,
    staged_to_wire,
    warnings,
)
from chartui.core.spec.catalogue import ReasoningLevels, model_codes
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.characters import ModelEntry, Reasoning
from chartui.core.text import single_line

STORED: Mapping[str, Wire] = {
    "model_group_name": "mdla-5.4",
    "temperature": Decimal("0.3"),
    "reasoning_effort": "high",
    "backstory": "Once.",
}
#: What a remote service gives back (decision 25).
READABLE = {member: STORED[member] for member in ("model_group_name", "temperature")}
MODELS = replace(from_catalogue(), sure=True)


def staged(base: Mapping[str, Wire] = STORED, /, **changes: str) -> Staged:
    """What is staged over ``base`` after these changes."""
    begun = Staged(character_id="c1", name="Nova", base=base, changes={})
    for member, text in changes.items():
        begun = begun.with_change(member, text)
    return begun


def step_of(begun: Staged, models: Models = MODELS, known_here: Mapping[str, Wire] | None = None) -> tuple[Wire, ...]:
    made = plan(begun, models, new_id=seeded_ids(1), known_here=known_here)
    [step] = made.steps
    assert step.operation == "update-character"
    return step.payload, step.expected, step.changes


class TestChanges:
    @pytest.mark.parametrize("text", ["0.3", "0.30", "00.3", ".3", "0.300000000000"])
    def test_a_number_that_is_stored_already_is_no_change_however_it_is_written(self, text: str) -> None:
        assert staged(temperature=text).changes == {}

    @pytest.mark.parametrize("member", MEMBERS)
    def test_going_back_to_what_is_stored_leaves_nothing(self, member: str) -> None:
        begun = staged(**{member: "something else"})
        assert list(begun.changes) == [member]
        assert begun.with_change(member, as_text(member, STORED[member])).changes == {}
        assert begun.without(member).changes == {}

    def test_what_cannot_be_read_is_always_a_change(self) -> None:
        assert staged(READABLE, backstory="Once.", reasoning_effort="").changes == {
            "backstory": "Once.",
            "reasoning_effort": "",
        }

    def test_not_set_auto_none_and_minimal_are_four_things(self) -> None:
        values = ["", "auto", "none", "minimal"]
        for stored in [None, "auto", "none", "minimal"]:
            base = {**STORED, "reasoning_effort": stored}
            changed = [value for value in values if staged(base, reasoning_effort=value).changes]
            assert changed == [value for value in values if value != (stored or "")]

    @given(st.dictionaries(st.sampled_from(MEMBERS), st.text(max_size=8)), st.permutations(MEMBERS))
    def test_the_order_of_changes_does_not_matter(self, texts: dict[str, str], order: list[str]) -> None:
        assert staged(**texts).changes == staged(**{m: texts[m] for m in order if m in texts}).changes
        assert all(staged(**texts).value(member) == text for member, text in staged(**texts).changes.items())


class TestConflicts:
    def test_a_member_that_was_changed_elsewhere_is_a_conflict_only_where_it_is_changed_here(self) -> None:
        now = {**STORED, "temperature": Decimal("0.5"), "backstory": "Twice."}
        assert conflicts(staged(temperature="0.7"), now) == {
            "temperature": Conflict("temperature", Decimal("0.3"), Decimal("0.5"), "0.7")
        }

    def test_wanting_what_somebody_else_wrote_is_none(self) -> None:
        now = {**STORED, "temperature": Decimal("0.70")}
        begun = staged(temperature="0.7", backstory="Twice.")
        assert conflicts(begun, now) == {}
        assert begun.on(now).changes == {"backstory": "Twice."}

    def test_what_is_not_changed_follows_and_what_is_keeps_what_it_began_from(self) -> None:
        now = {**STORED, "temperature": Decimal("0.5"), "backstory": "Twice."}
        after = staged(temperature="0.7").on(now)
        assert after.base == {**now, "temperature": Decimal("0.3")}
        assert step_of(after)[1] == {"temperature": Decimal("0.3")}

    def test_keeping_mine_begins_from_what_is_stored_now(self) -> None:
        now = {**STORED, "temperature": Decimal("0.5")}
        kept = staged(temperature="0.7").on(now).keeping("temperature", now)
        assert conflicts(kept, now) == {}
        assert step_of(kept)[1] == {"temperature": Decimal("0.5")}

    def test_taking_theirs_leaves_no_change(self) -> None:
        now = {**STORED, "temperature": Decimal("0.5")}
        taken = staged(temperature="0.7").without("temperature").on(now)
        assert (taken.changes, taken.base) == ({}, now)

    def test_what_cannot_be_read_is_never_one(self) -> None:
        assert conflicts(staged(READABLE, backstory="Twice."), READABLE) == {}


class TestProblems:
    @pytest.mark.parametrize("text", ["", "1.1", "-0", "0.5.1", ".", "٣", "NaN", "1_0"])
    def test_a_temperature_is_a_number_from_0_to_1(self, text: str) -> None:
        [(member, said)] = problems(staged(temperature=text), MODELS).items()
        given = single_line(text) or "empty"
        assert (member, said) == ("temperature", f"The temperature must be a number from 0 to 1, not {given}.")

    def test_a_comma_in_a_temperature_is_refused_with_the_cure(self) -> None:
        said = "0,5 is not a number; use a decimal point, not a comma."
        assert problems(staged(temperature="0,5"), MODELS) == {"temperature": said}

    @pytest.mark.parametrize("text", ["0", "1", "1.0", "0.123456789", ".5", "1e-1", " 0.5"])
    def test_every_other_one_is_taken(self, text: str) -> None:
        assert problems(staged(temperature=text), MODELS) == {}

    def test_a_level_is_judged_by_the_model_that_will_be_there(self) -> None:
        assert problems(staged(reasoning_effort="minimal"), MODELS) == {
            "reasoning_effort": (
                "mdla-5.4 does not support “minimal”; it supports none, low, medium, high, xhigh, auto."
            )
        }
        assert problems(staged(reasoning_effort="minimal", model_group_name="mdlc-flash"), MODELS) == {}
        assert problems(staged(reasoning_effort="auto", model_group_name="mdla-4o"), MODELS) == {
            "reasoning_effort": "mdla-4o does not support “auto”; it supports no reasoning levels."
        }

    def test_clearing_the_level_is_always_taken(self) -> None:
        for code in model_codes():
            begun = staged({**STORED, "model_group_name": code.code}, reasoning_effort="")
            assert (problems(begun, MODELS), warnings(begun, MODELS)) == ({}, {})

    def test_an_unknown_model_is_a_warning(self) -> None:
        begun = staged(model_group_name="own-model", reasoning_effort="extreme")
        assert problems(begun, MODELS) == {}
        assert warnings(begun, MODELS) == {
            "model_group_name": "Unknown model own-model: the service does not list it.",
            "reasoning_effort": "The model may not support this reasoning level.",
        }

    def test_what_only_the_catalogue_says_is_a_warning(self) -> None:
        begun = staged(reasoning_effort="minimal")
        assert problems(begun, from_catalogue()) == {}
        assert warnings(begun, from_catalogue()) == {
            "reasoning_effort": (
                "According to the catalogue, mdla-5.4 does not support “minimal”; it supports none, low, "
                "medium, high, xhigh, auto."
            )
        }

    def test_the_services_own_words_go_before_the_catalogues(self) -> None:
        entries = [
            ModelEntry(model_group_name="mdla-5.4", reasoning=Reasoning(levels=["minimal"]), is_deprecated=True),
            ModelEntry(model_group_name="own-model", display_name="Our own", is_active=False),
        ]
        models = from_service(entries)
        assert problems(staged(reasoning_effort="minimal"), models) == {}
        assert models.get("own-model") == Model("own-model", "Our own", ReasoningLevels((), False, None), active=False)
        deprecated = models.get("mdla-5.4")
        assert deprecated is not None
        assert deprecated.marks == ("deprecated",)

    @pytest.mark.parametrize(("code", "word"), [("mdla-5.1", "retire"), ("own-model", "inactive")])
    def test_a_model_that_is_on_its_way_out_can_be_chosen_after_a_warning(self, code: str, word: str) -> None:
        entries = [
            ModelEntry(model_group_name="mdla-5.1", is_deprecated=True),
            ModelEntry(model_group_name="own-model", is_active=False),
        ]
        begun = staged({**STORED, "reasoning_effort": None}, model_group_name=code)
        assert problems(begun, from_service(entries)) == {}
        assert word in warnings(begun, from_service(entries))["model_group_name"]

    def test_what_a_backstory_does_not_name_is_said_of_a_new_one_only(self) -> None:
        unnamed = ("It does not name the lamp.", "It does not name Mara.")
        said = warnings(staged(backstory="Twice."), MODELS, unnamed=unnamed)
        assert said == {"backstory": "It does not name the lamp. It does not name Mara."}
        assert warnings(staged(temperature="0.9"), MODELS, unnamed=unnamed) == {}


class TestConsequences:
    """What becomes of the level under another model is said before it happens (decision 22)."""

    @pytest.mark.parametrize(
        ("level", "code", "said"),
        [
            ("high", "mdla-5.x", ""),
            (None, "mdla-4o", ""),
            ("xhigh", "mdlc-flash", "the level becomes auto"),
            ("none", "mdle-4.3", "the level is cleared"),
            ("auto", "mdle-4.3", "the level is cleared"),
            ("high", "mdla-4o", "the level is cleared"),
        ],
    )
    def test_of_a_level_that_is_known(self, level: str | None, code: str, said: str) -> None:
        begun = staged({**STORED, "reasoning_effort": level}, model_group_name=code)
        assert said in warnings(begun, MODELS).get("model_group_name", "")
        assert bool(said) == bool(warnings(begun, MODELS))
        _, expected, changes = step_of(begun)
        # What was said holds only while the level is the one it was said of.
        assert expected == {"model_group_name": "mdla-5.4", "reasoning_effort": level}
        assert said in changes[0].note
        # It is a change that is counted, as its undo counts it.
        after = "auto" if said.endswith("auto") else None
        carried = [("reasoning level", level, after)] if said else []
        assert [(change.label, change.before, change.after) for change in changes[1:]] == carried

    def test_of_a_level_that_cannot_be_read(self) -> None:
        begun = staged(READABLE, model_group_name="mdlc-flash")
        assert "A reasoning level that" in warnings(begun, MODELS)["model_group_name"]
        assert step_of(begun)[1] == {"model_group_name": "mdla-5.4"}

    @pytest.mark.parametrize(
        ("written", "code", "said"),
        [
            ("xhigh", "mdlc-flash", "the level becomes auto. The level is the last one written from this machine."),
            ("xhigh", "mdla-4o", "the level is cleared. The level is the last one written from this machine."),
            ("high", "mdlc-flash", "A reasoning level that"),  # nobody knows what was written elsewhere since
            ("", "mdla-4o", "A reasoning level that"),
        ],
    )
    def test_of_a_level_that_was_last_written_from_here(self, written: str, code: str, said: str) -> None:
        begun = staged(READABLE, model_group_name=code)
        told = warnings(begun, MODELS, known_here={"reasoning_effort": written})
        assert said in told["model_group_name"]

    def test_a_level_that_goes_with_the_model_follows_nobody(self) -> None:
        begun = staged(model_group_name="mdlc-flash", reasoning_effort="minimal")
        assert warnings(begun, MODELS) == {}


class TestPlan:
    def test_changed_members_go_in_one_request_and_nothing_else(self) -> None:
        begun = staged(temperature="0.70", backstory="", reasoning_effort="")
        payload, expected, changes = step_of(begun)
        assert payload == {"charID": "c1", "temperature": Decimal("0.7"), "reasoning_effort": "", "backstory": ""}
        assert expected == {
            "model_group_name": "mdla-5.4",
            "temperature": Decimal("0.3"),
            "reasoning_effort": "high",
            "backstory": "Once.",
        }
        assert changes == (
            Change(label="temperature", before=Decimal("0.3"), after=Decimal("0.70")),
            Change(label="reasoning level", before="high", after=None),
            Change(label="backstory", before="Once.", after=""),
        )

    def test_a_temperature_is_sent_to_the_last_digit(self) -> None:
        payload, _, _ = step_of(staged(temperature="0.12345678901234567890123"))
        assert '"temperature": 0.12345678901234567890123' in dumps(payload)

    def test_nothing_staged_is_nothing_to_do(self) -> None:
        assert plan(staged(), MODELS, new_id=seeded_ids(1)).steps == ()

    def test_what_cannot_be_read_shows_what_was_last_written_from_here(self) -> None:
        begun = staged(READABLE, backstory="Twice.", reasoning_effort="low")
        _, expected, changes = step_of(begun, known_here={"backstory": "Once."})
        assert expected == {"model_group_name": "mdla-5.4"}
        assert changes == (
            Change(label="reasoning level", before=None, after="low", known=False, undoable=False),
            Change(label="backstory", before="Once.", after="Twice.", known=False, undoable=False),
        )


class TestRefusals:
    @pytest.mark.parametrize(
        ("member", "message", "found"),
        [
            ("temperature", "'temperature' must be a number from 0 to 1.", "temperature"),
            (None, "'temperature' must be a number from 0 to 1.", "temperature"),
            (None, "Invalid reasoning_effort 'high' for model 'x'.", "reasoning_effort"),
            (None, "reasoning_effort and temperature do not go together", None),
            (None, "backstory too long", None),
            (None, "Bad request", None),
            ("charID", "No such character", None),
        ],
    )
    def test_the_member_that_was_refused_is_found(self, member: str | None, message: str, found: str | None) -> None:
        error = ServiceError(ErrorKind.INVALID, message, member=member)
        assert refused_member(error, staged(temperature="0.7", reasoning_effort="low")) == found


class TestDrafts:
    @given(st.dictionaries(st.sampled_from(MEMBERS), st.text(st.characters(exclude_categories=["Cs"]), max_size=20)))
    def test_what_is_staged_comes_back_from_a_draft(self, texts: dict[str, str]) -> None:
        begun = staged(READABLE, **texts)
        assert staged_from_wire(loads(dumps(staged_to_wire(begun)))) == begun

    @pytest.mark.parametrize(
        "document",
        [None, [], {}, {**staged_to_wire(staged()), "version": 2}, {**staged_to_wire(staged()), "base": None}],
    )
    def test_what_is_none_says_so(self, document: Wire) -> None:
        with pytest.raises(BadDraft, match="draft"):
            staged_from_wire(document)
