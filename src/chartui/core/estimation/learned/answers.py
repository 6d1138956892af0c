"""Store the responses of a service, broken down into credits and latencies, until a rate card can be computed from
them.

There is one JSON Lines file per profile and base URL. Only the owner of the file can read it. A line is written as soon
as a response arrives, so learning can be resumed even after a crash. An incomplete line is ignored.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from chartui.core.classes import NamedTuple
from chartui.core.estimation.card import MAX_QUANTITY, QUANTITIES
from chartui.core.estimation.rates import learned_path
from chartui.core.files import read_own
from chartui.core.jsontext import NotJson, Wire, canonical, dumps, loads
from chartui.core.paths import naming, private_folder
from chartui.core.profiles import Profile
from chartui.core.spec.catalogue import KINDS
from chartui.core.spec.errors import ErrorKind, ServiceError
from chartui.core.spec.models.estimation import Estimate, LatencyRange
from chartui.core.spec.operations import operation
from chartui.core.spec.shape import build

#: A request: members of E 2.1 and E 2.2 side by side; for missing members, the service uses its defaults.
Asked = Mapping[str, Wire]
#: Minimum and maximum milliseconds, as reported by a service.
Stretch = tuple[Decimal, Decimal]

FLAGS: Final = ("memory", "knowledge")
#: The selections in the order of E 2.1.
SELECTIONS: Final = ("llm", "memory", "knowledge", "stt", "tts", "animation")


class Reading(NamedTuple):
    """The contents of a service's response to an estimate request.

    ``selections`` and ``assumptions`` are the values stated in the response or, if it states none, the values of the
    request (decision 8). ``credits``, ``latencies`` and ``labels`` are keyed by the lines of the estimate. Lines with
    the same key are added together. ``version`` and ``date`` are the version and date of the service's rate card, as
    received.
    """

    asked: Asked
    selections: Mapping[str, str | bool]
    assumptions: Mapping[str, int | Decimal]
    credits: Mapping[str, Decimal]
    latencies: Mapping[str, Stretch]
    labels: Mapping[str, str]
    total: Decimal
    latency: Stretch | None
    version: Decimal | None
    date: str | None

    @property
    def card(self) -> str:
        version = "unversioned" if self.version is None else canonical(self.version)
        return f"{version}, effective {self.date}" if self.date else version


def read(asked: Asked, body: Wire) -> Reading:
    """Return the contents of an estimate.

    The estimate must be complete, because rates are learned from full breakdowns. Raises
    :class:`~chartui.core.spec.errors.ServiceError` for an incomplete estimate.
    """
    from chartui.core.spec.tolerance import read_answer

    row = operation("get-estimate")
    decoded = read_answer(row.response.load(), body)
    estimate: Estimate = build(row.response.load(), decoded.body)
    unread = [note.reason for note in decoded.unreadable if note.where.startswith(("/lines", "/totals"))]
    if estimate.credits is None or "lines" not in estimate.raw or unread:
        reason = "; ".join(unread) or "the total or the lines are missing"
        raise ServiceError(ErrorKind.UNEXPECTED, f"The estimate is incomplete ({reason}).")
    amounts: dict[str, Decimal] = {}
    latencies: dict[str, Stretch] = {}
    labels: dict[str, str] = {}
    for line in estimate.lines:
        amounts[line.key] = amounts.get(line.key, Decimal(0)) + line.credits
        if line.label:
            labels.setdefault(line.key, line.label)
        if (span := _stretch(line.latency)) is not None:
            before = latencies.get(line.key, (Decimal(0), Decimal(0)))
            latencies[line.key] = (before[0] + span[0], before[1] + span[1])
    note = estimate.rate_card
    return Reading(
        asked=asked,
        selections=_members(SELECTIONS, asked, estimate.raw.get("selections")),
        assumptions=_members(QUANTITIES, asked, estimate.raw.get("assumptions")),
        credits=amounts,
        latencies=latencies,
        labels=labels,
        total=estimate.known_credits,
        latency=_stretch(estimate.latency_ms),
        version=note.version if note else None,
        date=note.effective_date if note else None,
    )


def _stretch(latency: LatencyRange | None) -> Stretch | None:
    return None if latency is None else (latency.min, latency.max)


def _members(names: tuple[str, ...], asked: Asked, echo: Wire) -> dict[str, Any]:
    """Return the echoed members if they have the form of E 2, otherwise the requested ones."""
    said = echo if isinstance(echo, Mapping) else {}
    given = ((name, value) for name in names for value in (said.get(name), asked.get(name)) if _fits(name, value))
    found: dict[str, Any] = {}
    for name, value in given:
        found.setdefault(name, value)
    return found


def _fits(name: str, value: Wire) -> bool:
    if name in FLAGS:
        return isinstance(value, bool)
    if name in KINDS:
        return isinstance(value, str) and bool(value)
    return isinstance(value, int | Decimal) and not isinstance(value, bool) and 0 <= value <= MAX_QUANTITY


def in_words(selections: Mapping[str, Wire], assumptions: Mapping[str, Wire]) -> str:
    """Describe a configuration in one line, such as ``mdla_4o, memory, tts_1; 4000 tokens, 150 characters, …``."""
    return "; ".join(filter(None, (", ".join(_chosen(selections)), ", ".join(_amounts(assumptions)))))


def _chosen(selections: Mapping[str, Wire]) -> Iterator[str]:
    for name in SELECTIONS:
        value = selections.get(name)
        if isinstance(value, bool):
            if value:
                yield name
        elif value is not None:
            yield str(value)


def _amounts(assumptions: Mapping[str, Wire]) -> Iterator[str]:
    units = ("tokens", "characters", "s of user speech", "s of spoken reply")
    for name, unit in zip(QUANTITIES, units, strict=True):
        if name in assumptions:
            yield f"{canonical(Decimal(assumptions[name]))} {unit}"


FORMAT: Final = "chartui-rate-measurements"
VERSION: Final = 1
#: Maximum file size in bytes, far above the size of any service's answers.
_MOST: Final = 64 * 1024 * 1024


class KeptAnswer(NamedTuple):
    """A stored response. It contains either an estimate or the service's refusal."""

    body: Wire = None
    refused: str | None = None


def kept_path(profile: Profile) -> Path:
    address = hashlib.sha256((profile.base_url or "").encode()).hexdigest()[:12]
    return learned_path(profile).with_name(f"{profile.name}.{address}.jsonl")


class Kept:
    """The stored responses of one service, keyed by request.

    The random seed and the response that lists the options are stored too. Without a ``path``, responses are kept in
    memory only. A file in an unknown format is ignored. Methods raise ``OSError`` if the folder is not writable.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._answers: dict[str, KeptAnswer] = {}
        self._head: Mapping[str, Wire] | None = None
        self._descriptor = -1
        if path is not None:
            self._read(path)

    @property
    def begun(self) -> bool:
        return self._head is not None

    @property
    def begun_at(self) -> str:
        """The time of the first request (ISO 8601). The value is empty if no request has been sent."""
        return str(self._head["begun_at"]) if self._head else ""

    @property
    def seed(self) -> int:
        assert self._head is not None  # noqa: S101 - only called after the head was written
        return int(self._head["seed"])

    @property
    def options(self) -> Wire:
        """The response that lists the options, or None if no such response is stored."""
        assert self._head is not None  # noqa: S101 - only called after the head was written
        return self._head["options"]

    @property
    def count(self) -> int:
        return len(self._answers)

    def find(self, asked: Asked) -> KeptAnswer | None:
        return self._answers.get(_key(asked))

    def begin(self, *, seed: int, options: Wire, begun_at: str) -> None:
        self.remove()
        head = {"format": FORMAT, "version": VERSION, "seed": seed, "begun_at": begun_at, "options": options}
        self._write(head)
        self._head = head

    def keep(self, asked: Asked, answer: KeptAnswer) -> None:
        """Store one response.

        The response survives a crash of the program, because it is passed to the operating system immediately.
        """
        said = {"refused": answer.refused} if answer.refused is not None else {"answer": answer.body}
        self._write({"asked": dict(asked), **said})
        self._answers[_key(asked)] = answer

    def close(self) -> None:
        """Close the file. Calling this twice is safe."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def remove(self) -> None:
        """Delete all stored responses and the file that contains them."""
        self.close()
        if self._path is not None:
            self._path.unlink(missing_ok=True)
        self._head = None
        self._answers.clear()

    def _write(self, line: Mapping[str, Wire]) -> None:
        if self._path is None:
            return
        if self._descriptor < 0:
            private_folder(self._path.parent)
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
            self._descriptor = os.open(self._path, flags, 0o600)
        data = dumps(line).encode() + b"\n"
        with naming(self._path):
            while data:
                data = data[os.write(self._descriptor, data) :]

    def _read(self, path: Path) -> None:
        try:
            data = read_own(path, _MOST)
        except FileNotFoundError:
            return
        whole = 0
        for line in data.split(b"\n")[:-1]:
            try:
                value = loads(line)
            except NotJson:
                break
            if not self._take(value):
                break
            whole += len(line) + 1
        if self._head is not None and whole < len(data):
            os.truncate(path, whole)

    def _take(self, value: Wire) -> bool:
        if not isinstance(value, Mapping):
            return False
        if self._head is None:
            known = value.get("format") == FORMAT and value.get("version") == VERSION
            if known and isinstance(value.get("seed"), int) and {"begun_at", "options"} <= value.keys():
                self._head = value
            return self._head is not None
        asked, refused = value.get("asked"), value.get("refused")
        if not isinstance(asked, Mapping) or not (isinstance(refused, str) or isinstance(value.get("answer"), Mapping)):
            return False
        self._answers[_key(asked)] = KeptAnswer(value.get("answer"), refused)
        return True


def _key(asked: Asked) -> str:
    return dumps(dict(sorted(asked.items())))
