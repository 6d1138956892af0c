"""Write test results in the JUnit XML format, which build servers can display."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from types import MappingProxyType
from typing import Final

from chartui.core.classes import NamedTuple
from chartui.core.text import display_text


class JUnitCase(NamedTuple):
    """The result of a test.

    ``failure`` says why the test failed, and is empty if it passed. ``type`` names the kind of failure.
    """

    suite: str
    classname: str
    name: str
    failure: str = ""
    type: str = ""


_NO_REPORTS: Final[Mapping[str, str]] = MappingProxyType({})


def junit(cases: Sequence[JUnitCase], name: str, reports: Mapping[str, str] = _NO_REPORTS) -> str:
    """Return the results as XML. The test suites are in the order of their first tests.

    ``reports`` maps the name of a test suite to additional text, such as a coverage report.
    """
    suites = dict.fromkeys(one.suite for one in cases)
    lines = [line for suite in suites for line in _suite(suite, cases, reports.get(suite, ""))]
    failures = sum(bool(one.failure) for one in cases)
    head = f"<testsuites{_attributes(name=name, tests=len(cases), failures=failures)}>"
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, *lines, "</testsuites>"])


def _suite(name: str, cases: Sequence[JUnitCase], report: str) -> Iterator[str]:
    inside = [one for one in cases if one.suite == name]
    failures = sum(bool(one.failure) for one in inside)
    yield f"  <testsuite{_attributes(name=name, tests=len(inside), failures=failures)}>"
    for one in inside:
        head = f"    <testcase{_attributes(classname=one.classname, name=one.name)}"
        failure = _attributes(type=one.type, message=one.failure)
        yield f"{head}><failure{failure}/></testcase>" if one.failure else f"{head}/>"
    if report:
        yield f"    <system-out>{escape(display_text(report, multiline=True), quote=False)}</system-out>"
    yield "  </testsuite>"


def _attributes(**given: object) -> str:
    # Characters that XML cannot contain are made visible.
    return "".join(f' {key}="{escape(display_text(str(value)))}"' for key, value in given.items())
