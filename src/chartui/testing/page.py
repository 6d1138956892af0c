"""The page of ``--chartui-report``: expected, actual and difference side by side, in one file without scripts."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from html import escape
from itertools import zip_longest
from typing import Final

from chartui.core.classes import NamedTuple
from chartui.core.numbers import number_of
from chartui.core.text import display_text
from chartui.testing.verdict import Drawn, Pair, Verdict

_STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin: 2.5rem 0 0; } h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
.id { opacity: .7; font-family: monospace; margin: 0; } .failed { color: #c0392b; } .passed { color: #1e8449; }
.sides { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 1rem; }
figure { margin: 0; } figcaption { opacity: .7; } img { width: 100%; display: block; }
.none { border: 1px dashed; padding: 2rem; text-align: center; opacity: .6; }
.over { display: grid; isolation: isolate; background: #000; filter: brightness(3); } .over img { grid-area: 1 / 1; }
.over img + img { mix-blend-mode: difference; }
pre { overflow-x: auto; border: 1px solid #8886; padding: .5rem; } pre, td { font: 13px/1.3 monospace; }
table { border-collapse: collapse; margin-top: .75rem; } td, th { text-align: left; padding: .1rem .6rem; }
td { white-space: pre; } th { font-weight: normal; opacity: .7; }
del { background: #e74c3c55; text-decoration: none; } ins { background: #2ecc7155; text-decoration: none; }
"""


class Result(NamedTuple):
    """The verdict on a tour, and the id of the test it belongs to."""

    test: str
    verdict: Verdict


def page(results: Sequence[Result]) -> str:
    """All results as an HTML document; tours that passed are only listed."""
    failed = sum(bool(result.verdict.problems) for result in results)
    # A tour that stands in several tests counts each time.
    title = f"{number_of(len(results), 'tour')}, {failed} failed"
    lines = [
        "<!DOCTYPE html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style></head><body>',
        f"<h1>{title}</h1>",
    ]
    for result in sorted(results, key=lambda result: not result.verdict.problems):
        lines += _result(result)
    return "\n".join((*lines, "</body></html>", ""))


def _result(result: Result) -> Iterator[str]:
    verdict = result.verdict
    word = "failed" if verdict.problems else "updated" if verdict.updated else "passed"
    kind = "failed" if verdict.problems else "passed"
    yield f'<section><h2>{_text(verdict.tour)}: <span class="{kind}">{word}</span></h2>'
    yield f'<p class="id">{_text(result.test)}</p>'
    if verdict.problems:
        yield "<ul>"
        # The lines that differ are in a table of their own.
        yield from (f"<li>{_text(problem.splitlines()[0].rstrip(':'))}</li>" for problem in verdict.problems)
        yield "</ul>"
    if verdict.screen:
        yield f"<p>The screen after the first failed step:</p><pre>{_text(verdict.screen)}</pre>"
    for pair in verdict.pairs:
        yield from _pair(pair)
    yield "</section>"


def _pair(pair: Pair) -> Iterator[str]:
    yield f'<h3>{_text(pair.name)}</h3><div class="sides">'
    yield _figure("expected", _image(pair.expected, "expected") or '<p class="none">no stored picture</p>')
    yield _figure("actual", _image(pair.actual, "actual") or '<p class="none">no step takes this picture</p>')
    if pair.expected is not None and pair.actual is not None:
        # The browser subtracts one picture from the other: black where they are equal.
        both = _image(pair.expected, "expected") + _image(pair.actual, "minus actual")
        yield _figure("difference", f'<div class="over">{both}</div>')
        yield "</div>"
        yield from _lines(pair.expected.text, pair.actual.text)
    else:
        yield "</div>"


def _figure(caption: str, inside: str) -> str:
    return f"<figure><figcaption>{caption}</figcaption>{inside}</figure>"


def _image(drawn: Drawn | None, name: str) -> str:
    """A picture as an image, in which nothing of the SVG is executed; empty if there is none."""
    if drawn is None:
        return ""
    return f'<img alt="{name}" src="data:image/svg+xml;base64,{b64encode(drawn.svg.encode()).decode()}">'


def _lines(before: str, after: str) -> Iterator[str]:
    both = zip_longest(before.splitlines(), after.splitlines(), fillvalue="")
    rows = [(number, *_marked(old, new)) for number, (old, new) in enumerate(both, 1) if old != new]
    if not rows:
        yield "<p>The text is the same. Only colors or styles differ.</p>"
        return
    yield "<table><tr><th>line</th><th>expected</th><th>actual</th></tr>"
    yield from (f"<tr><th>{number}</th><td>{old}</td><td>{new}</td></tr>" for number, old, new in rows)
    yield "</table>"


def _marked(old: str, new: str) -> tuple[str, str]:
    parts = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return (
        _joined((old[i:j], "del" if kind != "equal" else "") for kind, i, j, _, _ in parts),
        _joined((new[i:j], "ins" if kind != "equal" else "") for kind, _, _, i, j in parts),
    )


def _joined(parts: Iterable[tuple[str, str]]) -> str:
    return "".join(f"<{mark}>{_text(text)}</{mark}>" if mark else _text(text) for text, mark in parts if text)


def _text(text: str) -> str:
    """Text from outside, without control characters and without markup."""
    return escape(display_text(text, multiline=True))
