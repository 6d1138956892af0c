"""chartui: a terminal workbench for conversational characters."""

__version__ = "0.1.0"
