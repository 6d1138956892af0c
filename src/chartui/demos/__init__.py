"""Sample characters and scripted tours."""

from chartui.demos.sample import fill, refill

__all__ = ["fill", "refill"]
