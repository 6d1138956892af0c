"""``chartui narrative show`` with what the tree of the screen can do besides: filter, and tell what leads somewhere."""

from __future__ import annotations

from .conftest import Run


def test_a_filter_leaves_what_holds_every_word_and_the_way_there(run: Run, elena: str) -> None:
    text = run("narrative", "show", elena, "--filter", "FRESNEL throws")
    assert (text.status, text.err) == (0, "")
    lines = text.out.splitlines()
    assert lines[0] == "▶ Welcome at the door"
    assert lines[-1].endswith("─ [They ask about the lens] → The Great Lens")
    assert len(lines) < 10
    (node,) = run("narrative", "show", elena, "--filter", "FRESNEL throws", "--json").value["nodes"]
    assert (node["kind"], node["title"], node["position"]) == ("section", "The Great Lens", 0)
    assert run("narrative", "show", elena, "--filter", node["section_id"], "--json").value == {"nodes": [node]}
    nothing = run("narrative", "show", elena, "--filter", "nobody says this")
    assert (nothing.status, nothing.out) == (1, "")


def test_what_leads_to_a_section_is_told_by_id_and_by_name(run: Run, elena: str) -> None:
    by_name = run("narrative", "show", elena, "--incoming", "Welcome at the door")
    assert (by_name.status, by_name.out) == (0, "section  link  kind\n–        –     start\n")
    hint = run("narrative", "show", elena, "--incoming", "A hint")
    assert [line.split("  ")[-1].split()[-1] for line in hint.out.splitlines()] == ["kind", "decision", "trigger"]
    assert hint.out.splitlines()[1].startswith("Comparing statements  They are stuck  ")
    nodes = run("narrative", "show", elena, "--incoming", "A hint", "--json").value["nodes"]
    assert [node["link"] for node in nodes] == ["decision", "none"]
    assert run("narrative", "show", elena, "--incoming", nodes[0]["section_id"]).out == hint.out
    assert run("narrative", "show", elena, "--incoming", "no such section").status == 3
