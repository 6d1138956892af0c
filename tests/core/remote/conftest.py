"""Settings of the tests of the remote backend."""

from __future__ import annotations
