"""Frozen dataclasses for the resources of the two specifications."""
