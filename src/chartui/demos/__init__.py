"""What the program shows itself with: sample characters and scripted tours."""

from chartui.demos.sample import fill

__all__ = ["fill"]
