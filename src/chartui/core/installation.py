"""How this copy of the program was installed, and so how a package is added to it."""

from __future__ import annotations

import shlex
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

__all__ = ["command_to_add"]


def command_to_add(package: str, prefix: Path | None = None) -> str:
    """The command, for a shell, that adds ``package`` to the environment the program runs in.

    ``prefix`` is the environment's folder (default: that of this interpreter). pip is the answer only where it works:
    a tool's environment may have none, and that of the operating system refuses it.
    """
    folder = prefix or Path(sys.prefix)
    if (receipt := folder / "uv-receipt.toml").is_file():
        return f"uv tool install --with {package} {shlex.quote(_source(receipt))}"
    if (folder / "pipx_metadata.json").is_file():
        return f"pipx inject {shlex.quote(folder.name)} {package}"
    if not (folder / "pyvenv.cfg").is_file() and _is_managed():
        return f"apt install python3-{package} (or the same package of your distribution)"
    python = shlex.quote(str(folder / "bin" / "python"))
    if prefix is None and find_spec("pip") is None:
        return f"uv pip install --python {python} {package}"
    return f"{python} -m pip install {package}"


def _source(receipt: Path) -> str:
    """Where uv installed the program from: a name alone would be looked up in the package index."""
    import tomllib

    try:
        (first, *_) = tomllib.loads(receipt.read_text(encoding="utf-8"))["tool"]["requirements"]
        return str(first.get("directory") or first.get("path") or first.get("editable") or first["name"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return "chartui"


def _is_managed() -> bool:
    """Whether the operating system keeps this Python's packages to itself (PEP 668)."""
    return (Path(sysconfig.get_path("stdlib")) / "EXTERNALLY-MANAGED").is_file()
