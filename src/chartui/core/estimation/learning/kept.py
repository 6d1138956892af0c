"""What a service has answered so far, kept until a card is made of it.

One file of JSON lines for a profile and base URL, readable by its owner alone. A line is written when its answer is
there, so whichever way the program ends, learning goes on from the last one; a line that was torn is dropped.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from chartui.core.estimation.learning.reading import Asked
from chartui.core.estimation.rates import learned_path
from chartui.core.files import read_own
from chartui.core.jsontext import NotJson, Wire, dumps, loads
from chartui.core.paths import naming, private_folder
from chartui.core.profiles import Profile

__all__ = ["Kept", "KeptAnswer", "kept_path"]

FORMAT: Final = "chartui-rate-measurements"
VERSION: Final = 1
#: Far more bytes than the answers of any service.
_MOST: Final = 64 * 1024 * 1024


class KeptAnswer(NamedTuple):
    """What came back: a body, or the words with which the service refused."""

    body: Wire = None
    refused: str | None = None


def kept_path(profile: Profile) -> Path:
    """Where the answers of a profile's service are kept while it is being learned."""
    address = hashlib.sha256((profile.base_url or "").encode()).hexdigest()[:12]
    return learned_path(profile).with_name(f"{profile.name}.{address}.jsonl")


class Kept:
    """The answers of one service by what was asked, and what they were begun with: the seed and the options' answer.

    Without a ``path`` they are kept in memory only. A file that is not of this form counts as none. Methods raise
    ``OSError`` for a folder that cannot be written.
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
        """Whether there is something to go on from."""
        return self._head is not None

    @property
    def begun_at(self) -> str:
        """When the first question was asked (ISO 8601); empty when none was."""
        return str(self._head["begun_at"]) if self._head else ""

    @property
    def seed(self) -> int:
        """What chance starts from."""
        assert self._head is not None  # noqa: S101 - asked after the beginning only
        return int(self._head["seed"])

    @property
    def options(self) -> Wire:
        """The answer to the question for the options; None where the service has none."""
        assert self._head is not None  # noqa: S101 - asked after the beginning only
        return self._head["options"]

    @property
    def count(self) -> int:
        """How many answers are kept, refusals among them."""
        return len(self._answers)

    def find(self, asked: Asked) -> KeptAnswer | None:
        """What came back for ``asked``; None when it was not asked yet."""
        return self._answers.get(_key(asked))

    def begin(self, *, seed: int, options: Wire, begun_at: str) -> None:
        """Begin with nothing but these."""
        self.remove()
        head = {"format": FORMAT, "version": VERSION, "seed": seed, "begun_at": begun_at, "options": options}
        self._write(head)
        self._head = head

    def keep(self, asked: Asked, answer: KeptAnswer) -> None:
        """Keep one answer; it is the system's when this returns, so that no end of the program loses it."""
        said = {"refused": answer.refused} if answer.refused is not None else {"answer": answer.body}
        self._write({"asked": dict(asked), **said})
        self._answers[_key(asked)] = answer

    def close(self) -> None:
        """Let go of the file; safe to call twice."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def remove(self) -> None:
        """Forget everything, the file as well."""
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
        for line in _lines(data):
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


def _lines(data: bytes) -> Iterator[bytes]:
    """The lines that have an end."""
    yield from data.split(b"\n")[:-1]


def _key(asked: Asked) -> str:
    return dumps(dict(sorted(asked.items())))
